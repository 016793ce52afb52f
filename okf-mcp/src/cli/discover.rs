//! `okf discover`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use okf_core::finding::Escaped;

use super::output::print_json;
use super::{Failure, Invocation, Output};
use crate::discover::{Answer, Best, SEARCHES, ask};
use crate::discovery;
use crate::registry::Registry;
use crate::server::Catalogue;

/// Tell whether an agent's tool search would find a bundle for a question, and by which words
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The question, in the words that an agent would search for
    #[arg(required = true)]
    query: Vec<String>,
    /// How to print the outcome
    #[arg(long, value_enum, default_value_t)]
    output: Output,
    /// The bundle; without it, the one found from the working directory
    #[arg(long, value_name = "DIR")]
    bundle: Option<PathBuf>,
}

/// Exit code 0 when one of the searches finds the bundle, 1 when none does.
pub(super) fn run(args: &Args, invocation: &Invocation) -> Result<ExitCode, Failure> {
    let root = discovery::find(&invocation.directory, args.bundle.as_deref())?;
    let product = invocation.product;
    let (catalogue, _) = Catalogue::open(product, Registry::linked()?, root, false)?;
    let query = args.query.join(" ");
    let answer = ask(product.name, &catalogue.offer()?.current().tools, &query).ok_or_else(|| {
        Failure::new(format!("`{}` holds no word that a tool search looks for", Escaped(&query)))
            .with_hint("ask as an agent would: by the subject")
    })?;
    let mut out = io::stdout().lock();
    match args.output {
        Output::Json => {
            print_json(&mut out, &answer)?;
        }
        Output::Text => write_answer(&mut out, &answer)?,
    }
    out.flush()?;
    if answer.found {
        return Ok(ExitCode::SUCCESS);
    }
    invocation.warn("a tool search does not find the bundle for this question");
    Ok(ExitCode::from(1))
}

fn write_answer(out: &mut impl Write, answer: &Answer) -> io::Result<()> {
    let found = if answer.found { "found" } else { "not found" };
    writeln!(out, "{found}, against {} tools of other servers", answer.pool_tools)?;
    for (search, outcome) in SEARCHES.iter().zip(&answer.searches) {
        let verdict = if outcome.found { "found" } else { "not found" };
        write!(out, "\n{} search ({}; first {}): {verdict}", search.name, search.reads, search.top)?;
        match &outcome.best {
            None => writeln!(out, ", no tool of the bundle has a word of it")?,
            Some(best) => write_best(out, best)?,
        }
    }
    if !answer.missing.is_empty() {
        writeln!(out, "\nwords that no tool of the bundle has: {}", Escaped(&answer.missing.join(", ")))?;
    }
    Ok(())
}

fn write_best(out: &mut impl Write, best: &Best) -> io::Result<()> {
    writeln!(out, ", {} ranks {}", best.tool, best.rank)?;
    for word in &best.words {
        writeln!(out, "  {:5.2}  {}", word.weight, Escaped(&word.word))?;
    }
    Ok(())
}
