//! `okf validate`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use okf_core::bundle::Bundle;
use okf_core::finding::{Escaped, Report, Verdict};
use okf_core::validate::{Options, validate};

use super::output::print_json;
use super::{Failure, Invocation, Output};
use crate::answers::validate::ReportJson;

/// Past so many findings of one id, a text report counts the rest.
const SHOWN_PER_ID: usize = 20;

/// Judge whether a bundle conforms to the Open Knowledge Format
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Let advisories fail the verdict
    #[arg(long, alias = "warnings-as-errors")]
    strict: bool,
    /// Report broken links too, as advisories
    #[arg(long)]
    links: bool,
    /// How to print the report
    #[arg(long, value_enum, default_value_t)]
    output: Output,
    /// The same as `--output json`
    #[arg(long)]
    json: bool,
    /// The bundle; without it, the one found from the working directory
    bundle: Option<PathBuf>,
}

pub(super) fn run(args: &Args, invocation: &Invocation) -> Result<ExitCode, Failure> {
    let bundle = invocation.load(args.bundle.as_deref())?;
    let report = validate(&bundle, Options { links: args.links });
    let verdict = report.verdict(args.strict);
    let mut out = io::stdout().lock();
    if args.json || matches!(args.output, Output::Json) {
        print_json(&mut out, &ReportJson::from(&report))?;
    } else {
        print_text(&mut out, &report, verdict, &bundle)?;
    }
    out.flush()?;
    if bundle.concept_count() == 0 {
        invocation.warn(&format!("no concepts in {}", Escaped(&bundle.root().to_string_lossy())));
    }
    if verdict == Verdict::Fail {
        let strict = if report.errors() == 0 { " (strict)" } else { "" };
        invocation.warn(&format!(
            "{} not conformant{strict}: {}",
            Escaped(&bundle.root().to_string_lossy()),
            totals(&report)
        ));
    }
    Ok(ExitCode::from(verdict.exit_code()))
}

fn print_text(out: &mut impl Write, report: &Report, verdict: Verdict, bundle: &Bundle) -> io::Result<()> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in report.findings() {
        let seen = seen.entry(finding.id).or_default();
        *seen += 1;
        if *seen <= SHOWN_PER_ID {
            writeln!(out, "{finding}")?;
        }
    }
    for (id, count) in seen {
        if count > SHOWN_PER_ID {
            writeln!(out, "… and {} more {id}", count - SHOWN_PER_ID)?;
        }
    }
    if report.findings().len() > SHOWN_PER_ID {
        writeln!(out, "{}", totals(report))?;
    }
    match (verdict, bundle.concept_count()) {
        (Verdict::Fail, _) => Ok(()),
        (Verdict::Pass, 0) => writeln!(out, "OK: 0 concepts found in {}", Escaped(&bundle.root().to_string_lossy())),
        (Verdict::Pass, count) => writeln!(out, "OK: {count} concept(s) validated."),
    }
}

fn totals(report: &Report) -> String {
    format!("{} error(s), {} advisory finding(s)", report.errors(), report.advisories())
}
