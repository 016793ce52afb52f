//! `okf search`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use okf_core::area::Area;
use okf_core::finding::Escaped;
use okf_core::listing::Filter;
use okf_core::search::{Excerpts, Mode, Scope, SearchRequest, search as find};

use super::output::print_json;
use super::{Failure, Invocation, Output};
use crate::answers::page::Question;
use crate::answers::search::{Shown, not_searched, search};
use crate::answers::summary::Instead;
use crate::tool::Arguments;

/// Find text in the concepts of a bundle
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Text to find; words are tried when nothing holds it as it is
    query: String,
    /// Read the query as a regular expression
    #[arg(long, conflicts_with = "words")]
    regex: bool,
    /// Find concepts that hold all of the words, in any order
    #[arg(long)]
    words: bool,
    /// Let case matter
    #[arg(long)]
    case_sensitive: bool,
    /// Only concepts in this area
    #[arg(long, value_name = "AREA")]
    prefix: Option<String>,
    /// Only concepts of this type
    #[arg(long = "type", value_name = "TYPE")]
    concept_type: Option<String>,
    /// Only concepts with this tag
    #[arg(long)]
    tag: Option<String>,
    /// Which part of a concept
    #[arg(long = "in", value_enum, default_value_t)]
    scope: Part,
    /// Lines of context around a hit
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=5))]
    context: u8,
    /// Show at most this many concepts
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    limit: Option<u32>,
    /// How to print the matches
    #[arg(long, value_enum, default_value_t)]
    output: Output,
    /// The bundle; without it, the one found from the working directory
    bundle: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, clap::ValueEnum)]
enum Part {
    #[default]
    All,
    Frontmatter,
    Body,
}

pub(super) fn run(args: &Args, invocation: &Invocation) -> Result<ExitCode, Failure> {
    let bundle = invocation.load(args.bundle.as_deref())?;
    let request = SearchRequest {
        query: &args.query,
        mode: match (args.regex, args.words) {
            (true, _) => Mode::Regex,
            (_, true) => Mode::Words,
            _ => Mode::Literal,
        },
        case_sensitive: args.case_sensitive,
        filter: Filter {
            area: args.prefix.as_deref().map(Area::new),
            concept_type: args.concept_type.clone(),
            tag: args.tag.clone(),
            ..Filter::default()
        },
        scope: match args.scope {
            Part::All => Scope::All,
            Part::Frontmatter => Scope::Frontmatter,
            Part::Body => Scope::Body,
        },
        now: invocation.clock.now(),
    };
    let limit = args.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let mut out = io::stdout().lock();
    let found = match args.output {
        Output::Json => {
            let shown = Shown { limit, cursor: None, budget: usize::MAX, context: Some(args.context.into()) };
            let question = Question::new("search-concepts", &Arguments::default());
            let answer = search(&bundle, &request, shown, question, &|| false).map_err(Failure::from)?;
            print_json(&mut out, &answer)?;
            answer.total_concepts
        }
        Output::Text => {
            let answer = find(&bundle, &request, &|| false).map_err(not_searched).map_err(Failure::from)?;
            for (place, found) in answer.matches.iter().enumerate().take(limit) {
                for line in answer.excerpt(place, Excerpts::all(args.context.into())) {
                    let mark = if line.hit { ':' } else { '-' };
                    writeln!(out, "{}{mark}{}{mark} {}", Escaped(found.document.id()), line.line, Escaped(&line.text))?;
                }
            }
            if answer.matches.len() > limit {
                invocation.warn(&format!("{} more concept(s) match; raise --limit", answer.matches.len() - limit));
            }
            answer.matches.len()
        }
    };
    out.flush()?;
    invocation.report_unreadable(&bundle);
    if found > 0 {
        return Ok(ExitCode::SUCCESS);
    }
    let instead = Instead::of(&bundle, request.filter.area.as_ref());
    invocation.warn(&instead.message.unwrap_or_else(|| "nothing matches".to_owned()));
    Ok(ExitCode::from(1))
}
