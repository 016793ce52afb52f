//! `okf show`.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use okf_core::finding::Escaped;
use okf_core::text::{lines, without_break};

use super::output::print_json;
use super::{Failure, Invocation, Output};
use crate::answers::lookup::{Part, lookup};

/// Show one concept of a bundle
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The concept's ID: its path without `.md`
    id: String,
    /// Only the section under this heading
    #[arg(long, value_name = "HEADING")]
    section: Option<String>,
    /// The headings with line and size in bytes instead of the text
    #[arg(long)]
    outline: bool,
    /// How to print the concept
    #[arg(long, value_enum, default_value_t)]
    output: Output,
    /// The bundle; without it, the one found from the working directory
    bundle: Option<PathBuf>,
}

pub(super) fn run(args: &Args, invocation: &Invocation) -> Result<ExitCode, Failure> {
    let bundle = invocation.load(args.bundle.as_deref())?;
    let part = Part { section: args.section.as_deref(), outline: args.outline, full: true };
    let answer = lookup(&bundle, &args.id, part, invocation.clock.now()).map_err(Failure::from)?;
    let mut out = io::stdout().lock();
    match args.output {
        Output::Json => {
            print_json(&mut out, &answer)?;
        }
        Output::Text => {
            for entry in answer.outline.iter().flatten() {
                let indent = "  ".repeat(usize::from(entry.level.saturating_sub(1)));
                writeln!(out, "{indent}{} (line {}, {} bytes)", Escaped(&entry.heading), entry.line, entry.size)?;
            }
            if let Some(markdown) = &answer.markdown {
                print_markdown(&mut out, markdown)?;
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The text byte for byte, but for a terminal, which files must not steer.
fn print_markdown(out: &mut (impl Write + IsTerminal), markdown: &str) -> io::Result<()> {
    if !out.is_terminal() {
        return out.write_all(markdown.as_bytes());
    }
    for line in lines(markdown) {
        for (at, cell) in without_break(&markdown[line]).split('\t').enumerate() {
            write!(out, "{}{}", if at > 0 { "\t" } else { "" }, Escaped(cell))?;
        }
        writeln!(out)?;
    }
    Ok(())
}
