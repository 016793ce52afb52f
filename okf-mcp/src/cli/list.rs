//! `okf list`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use okf_core::area::Area;
use okf_core::finding::Escaped;
use okf_core::listing::Filter;
use okf_core::metadata::Status;

use super::output::print_json;
use super::{Failure, Invocation, Output};
use crate::answers::list::all;
use crate::answers::summary::ConceptSummary;

/// List the concepts of a bundle
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only concepts in this area
    #[arg(long, value_name = "AREA")]
    prefix: Option<String>,
    /// Only concepts of this type
    #[arg(long = "type", value_name = "TYPE")]
    concept_type: Option<String>,
    /// Only concepts whose ID, title, description, tags or type hold all of these words
    #[arg(long, value_name = "WORDS")]
    query: Option<String>,
    /// Only concepts with this tag
    #[arg(long)]
    tag: Option<String>,
    /// Only concepts of this status
    #[arg(long, value_parser = status)]
    status: Option<Status>,
    /// How to print the listing
    #[arg(long, value_enum, default_value_t)]
    output: Output,
    /// The bundle; without it, the one found from the working directory
    bundle: Option<PathBuf>,
}

fn status(word: &str) -> Result<Status, String> {
    Status::named(word).ok_or_else(|| "one of draft, stable, deprecated, unknown".to_owned())
}

pub(super) fn run(args: &Args, invocation: &Invocation) -> Result<ExitCode, Failure> {
    let bundle = invocation.load(args.bundle.as_deref())?;
    let filter = Filter {
        area: args.prefix.as_deref().map(Area::new),
        concept_type: args.concept_type.clone(),
        tag: args.tag.clone(),
        status: args.status,
        query: args.query.clone(),
    };
    let answer = all(&bundle, &filter, invocation.clock.now());
    let mut out = io::stdout().lock();
    match args.output {
        Output::Json => {
            print_json(&mut out, &answer)?;
        }
        Output::Text => {
            for concept in &answer.concepts {
                writeln!(out, "{}", line(concept))?;
            }
        }
    }
    out.flush()?;
    if answer.concepts.is_empty() {
        invocation.warn(answer.instead.message.as_deref().unwrap_or("no concept matches"));
    }
    invocation.report_unreadable(&bundle);
    Ok(ExitCode::SUCCESS)
}

/// `id: title (type, draft, stale) - description`
fn line(concept: &ConceptSummary) -> String {
    let mut notes: Vec<&str> = concept.concept_type.as_deref().into_iter().collect();
    if concept.status != Status::Stable.as_str() {
        notes.push(concept.status);
    }
    if concept.stale {
        notes.push("stale");
    }
    let mut line = concept.id.clone();
    if let Some(title) = &concept.title {
        line.push_str(&format!(": {title}"));
    }
    if !notes.is_empty() {
        line.push_str(&format!(" ({})", notes.join(", ")));
    }
    if let Some(description) = &concept.description {
        line.push_str(&format!(" - {description}"));
    }
    Escaped(&line).to_string()
}
