//! `okf validate`.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use okf_core::finding::{Escaped, Report};
use okf_core::validate::{Options, validate};
use serde::Serialize;

use super::output::print_json;
use super::{Failure, Invocation, Output};
use crate::answers::profile::ProfileJson;
use crate::answers::validate::{ReportJson, exit_code};
use crate::profiles::Judged;
use crate::registry::Registry;

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

/// A report, and beside it what the profiles of the build say; `profiles` is absent where there are none.
#[derive(Serialize)]
struct Judgements {
    #[serde(flatten)]
    spec: ReportJson,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    profiles: Vec<ProfileJson>,
}

pub(super) fn run(args: &Args, invocation: &Invocation) -> Result<ExitCode, Failure> {
    let profiles = Registry::linked()?.profiles;
    let bundle = invocation.load(args.bundle.as_deref())?;
    let report = validate(&bundle, Options { links: args.links });
    let judged = profiles.judge(&bundle)?;
    let exit_code = exit_code(&report, &judged, args.strict);
    let mut out = io::stdout().lock();
    if args.json || matches!(args.output, Output::Json) {
        let profiles = judged.iter().map(ProfileJson::from).collect();
        print_json(&mut out, &Judgements { spec: ReportJson::from(&report), profiles })?;
    } else {
        print_text(&mut out, &report, &judged)?;
        match (exit_code, bundle.concept_count()) {
            (0, 0) => writeln!(out, "OK: 0 concepts found in {}", Escaped(&bundle.root().to_string_lossy()))?,
            (0, count) => writeln!(out, "OK: {count} concept(s) validated.")?,
            _ => {}
        }
    }
    out.flush()?;
    if bundle.concept_count() == 0 {
        invocation.warn(&format!("no concepts in {}", Escaped(&bundle.root().to_string_lossy())));
    }
    if exit_code != 0 {
        let root = bundle.root().to_string_lossy();
        invocation.warn(&format!("{} {}", Escaped(&root), summary(&report, &judged, args.strict)));
    }
    Ok(ExitCode::from(exit_code))
}

/// What fails, in one line.
fn summary(report: &Report, judged: &[Judged], strict: bool) -> String {
    let spec = (report.verdict(strict).exit_code() != 0).then(|| {
        let strict = if report.errors() == 0 { " (strict)" } else { "" };
        format!("not conformant{strict}: {}", totals(report))
    });
    let failing = judged.iter().filter(|judged| judged.has_errors());
    let profiles = failing.map(|judged| {
        format!("breaks profile `{}` {}: {}", judged.name, judged.release, totals(judged.judgement.report()))
    });
    spec.into_iter().chain(profiles).collect::<Vec<_>>().join("; ")
}

/// Prints the report of the specification, then each profile's with its verdict.
fn print_text(out: &mut impl Write, report: &Report, judged: &[Judged]) -> io::Result<()> {
    print_report(out, report)?;
    for Judged { name, release, judgement } in judged {
        print_report(out, judgement.report())?;
        let unassessed = match judgement.unassessed() {
            [] => String::new(),
            rules => format!("; not assessed: {}", rules.join(", ")),
        };
        writeln!(out, "profile {name} {release}: {}{unassessed}", judgement.verdict())?;
    }
    Ok(())
}

fn print_report(out: &mut impl Write, report: &Report) -> io::Result<()> {
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
    Ok(())
}

fn totals(report: &Report) -> String {
    format!("{} error(s), {} advisory finding(s)", report.errors(), report.advisories())
}
