//! `okf graph`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use okf_core::graph::{Direction, GraphQuery, Neighbourhood};
use okf_core::link::Resolution;

use super::output::print_json;
use super::{Failure, Invocation};
use crate::answers::graph::{GraphAnswer, SCHEMA, dot, mermaid};
use crate::answers::lookup::not_served;

/// Print what the concepts of a bundle say about one another
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// How to print the graph
    #[arg(long, value_enum, default_value_t)]
    output: Drawing,
    /// Only concepts of this type (may be repeated)
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,
    /// Only concepts in this area (may be repeated)
    #[arg(long = "path-prefix", value_name = "AREA")]
    path_prefixes: Vec<String>,
    /// Only edges that turned out so (may be repeated)
    #[arg(long = "resolution", value_name = "RESOLUTION", value_parser = resolution)]
    resolutions: Vec<Resolution>,
    /// Only the neighbourhood of this concept
    #[arg(long, value_name = "ID")]
    concept: Option<String>,
    /// Follow what the concept links to, what links to it, or both
    #[arg(long, value_enum, default_value_t, requires = "concept")]
    direction: Way,
    /// How many links far from the concept
    #[arg(long, default_value_t = 1, requires = "concept", value_parser = clap::value_parser!(u8).range(1..=5))]
    depth: u8,
    /// Print the JSON Schema of the graph instead
    #[arg(long)]
    schema: bool,
    /// The bundle; without it, the one found from the working directory
    bundle: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum Drawing {
    #[default]
    Json,
    Dot,
    Mermaid,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum Way {
    #[default]
    Out,
    In,
    Both,
}

fn resolution(word: &str) -> Result<Resolution, String> {
    let words = || Resolution::ALL.map(Resolution::as_str).join(", ");
    Resolution::named(word).ok_or_else(|| format!("one of {}", words()))
}

pub(super) fn run(args: &Args, invocation: &Invocation) -> Result<ExitCode, Failure> {
    let mut out = io::stdout().lock();
    if args.schema {
        out.write_all(SCHEMA.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let bundle = invocation.load(args.bundle.as_deref())?;
    let neighbourhood = match &args.concept {
        None => None,
        Some(id) => {
            let document = bundle.lookup(id).map_err(|error| Failure::from(not_served(id, error)))?;
            let direction = match args.direction {
                Way::Out => Direction::Out,
                Way::In => Direction::In,
                Way::Both => Direction::Both,
            };
            Some(Neighbourhood { concept: document.id().to_owned(), direction, depth: args.depth })
        }
    };
    let query = GraphQuery {
        types: args.types.clone(),
        path_prefixes: args.path_prefixes.clone(),
        resolutions: args.resolutions.clone(),
        neighbourhood,
    };
    let graph = bundle.graph().select(&query);
    match args.output {
        Drawing::Json => {
            print_json(&mut out, &GraphAnswer::of(&graph))?;
        }
        Drawing::Dot => out.write_all(dot(&graph).as_bytes())?,
        Drawing::Mermaid => out.write_all(mermaid(&graph).as_bytes())?,
    }
    out.flush()?;
    invocation.report_unreadable(&bundle);
    Ok(ExitCode::SUCCESS)
}
