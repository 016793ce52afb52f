//! The judgement: what of the rules a bundle keeps and breaks.

mod concept;
mod listing;

use okf_core::bundle::{Bundle, File};
use okf_core::change::{Judge, Judgement};
use okf_core::finding::{Finding, Location, Report, Severity};
use okf_core::log::LogDocument;
use okf_core::validate;

use crate::declaration::{self, Declared};
use crate::rules::{self, Force, RULES};
use crate::{NAME, Profile, RELEASE};

impl Judge for Profile {
    fn name(&self) -> &str {
        NAME
    }

    fn judge(&self, bundle: &Bundle) -> Judgement {
        let mut findings = Findings::default();
        match declaration::release(bundle) {
            Declared::Known => {}
            Declared::Other(release, line) => return another_release(&release, line),
            Declared::Unreadable(problem, line) => findings.add(rules::INVALID_PROFILE, "profile.md", line, problem),
        }
        let mut unassessed: Vec<&str> = of_force(Force::Judgement).collect();
        let types = declaration::types(bundle).map_err(|(problem, line)| {
            findings.add(rules::INVALID_TYPES, "types.md", line, problem);
            unassessed.push(rules::UNREGISTERED_TYPE);
        });
        for document in bundle.concepts() {
            concept::check(document, types.as_ref().ok(), &mut findings);
        }
        listing::check(bundle, &mut findings);
        check_logs(bundle, &mut findings);
        let judgement = Judgement::of(Report::new(findings.0));
        let is_conformant = validate::errors(bundle).errors() == 0;
        let judgement = if is_conformant { judgement } else { judgement.blocked() };
        unassessed.sort_unstable();
        judgement.leaving(unassessed)
    }
}

/// Every rule is that of another release, so none of them was assessed.
fn another_release(release: &str, line: u32) -> Judgement {
    let message = format!("the bundle follows release `{release}` of the profile; this build knows {RELEASE}");
    let location = Some(Location { path: "profile.md".to_owned(), line: Some(line), column: None });
    let finding = Finding { location, id: rules::UNSUPPORTED_RELEASE, message, severity: Severity::Advisory };
    let mut all: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
    all.sort_unstable();
    Judgement::unsupported_release(Report::new(vec![finding])).leaving(all)
}

fn of_force(force: Force) -> impl Iterator<Item = &'static str> {
    RULES.iter().filter(move |rule| rule.force == force).map(|rule| rule.id)
}

fn check_logs(bundle: &Bundle, findings: &mut Findings) {
    let logs = bundle.files().iter().filter_map(|(path, file)| match file {
        File::Log(content) => Some((path, content.document()?)),
        _ => None,
    });
    for (path, document) in logs {
        let body = document.body();
        let log = LogDocument::read(body, &document.structure());
        for entry in log.days.iter().flat_map(|day| &day.entries).chain(&log.loose) {
            let text = body[entry.clone()].trim_start();
            let text =
                text.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(['*', '-', '+', '.', ')']);
            if !starts_bold(text.trim_start()) {
                let line = document.body_position(entry.start).line;
                let message = "the entry does not start with a bold word: begin it with `**Updated**` or the like";
                findings.add(rules::LOG_ENTRY_NOT_BOLD, path.as_str(), line, message.to_owned());
            }
        }
    }
}

/// Whether Markdown starts with a bold word: `**word**` or `__word__`.
fn starts_bold(text: &str) -> bool {
    ["**", "__"].into_iter().any(|mark| {
        let inside = text.strip_prefix(mark).and_then(|rest| rest.split_once(mark)).map(|(inside, _)| inside);
        inside.is_some_and(|word| !word.trim().is_empty() && !word.contains(['\n', '\r']))
    })
}

/// Findings while they are collected; their severity follows from the force of their rule.
#[derive(Default)]
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, id: &'static str, path: &str, line: u32, message: String) {
        let force = RULES.iter().find(|rule| rule.id == id).map(|rule| rule.force);
        let severity = if force == Some(Force::Must) { Severity::Error } else { Severity::Advisory };
        let location = Some(Location { path: path.to_owned(), line: Some(line), column: None });
        self.0.push(Finding { location, id, message, severity });
    }
}

#[cfg(test)]
mod tests;
