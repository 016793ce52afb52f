//! The closed validator: what spec §11 demands, and advisories beside it (contract §5).

mod document;
mod index;
mod known;
mod links;
mod log;
mod paths;
mod places;
#[cfg(test)]
mod tests;

use crate::bundle::{Bundle, Content, File};
use crate::bundle_path::BundlePath;
use crate::finding::{Finding, Report};
use crate::link::Resolver;
use crate::parallel;

pub(crate) use known::Known;

/// What to judge besides the spec.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether broken links are reported (never as errors).
    pub links: bool,
}

/// Judges a bundle. The same bundle gives the same report in every build.
///
/// A file or directory that the operating system does not let be read is an `okf/invalid-document`: what
/// cannot be read cannot be found conformant.
#[must_use]
pub fn validate(bundle: &Bundle, options: Options) -> Report {
    validate_unless(bundle, options, &|| false).unwrap_or_default()
}

/// The same, unless it is cancelled before it is done: then `None`. `cancelled` is polled between files.
///
/// What a file says by itself, and where its links lead, is handed on from picture to picture of a bundle: the
/// first judgement costs the whole text, a later one what changed and the size of its report.
#[must_use]
pub fn validate_unless(bundle: &Bundle, options: Options, cancelled: &(dyn Fn() -> bool + Sync)) -> Option<Report> {
    let mut findings: Vec<Finding> = bundle.known(cancelled)?.iter().cloned().collect();
    let resolver = Resolver::new(bundle);
    let in_need = |(_, file): &(&BundlePath, &File)| match file {
        File::Index(_) => true,
        File::Log(_) => options.links,
        File::Concept(Content::Document(document)) => options.links && bundle.graph().has_broken_edge(document.id()),
        File::Concept(_) | File::Asset => false,
    };
    let files: Vec<_> = bundle.files().iter().filter(in_need).collect();
    let judge = |&(_, file): &(&BundlePath, &File)| {
        if cancelled() { Err(()) } else { Ok(check_among_others(&resolver, file, options)) }
    };
    let found = parallel::try_map(parallel::threads_for(files.len()), &files, judge).ok()?;
    findings.extend(found.into_iter().flatten());
    paths::check(bundle, &mut findings);
    Some(Report::new(findings))
}

/// The errors of a bundle, without the advisories: what [`validate`] finds of that severity.
///
/// Costs what is wrong: what a bundle knows about its errors is handed on from picture to picture, so that a
/// write can ask it of the bundle before and after.
#[must_use]
pub fn errors(bundle: &Bundle) -> Report {
    let mut findings: Vec<Finding> = bundle.errors().iter().cloned().collect();
    paths::check_listings(bundle, &mut findings);
    Report::new(findings)
}

/// Judges what a file says about others.
fn check_among_others(resolver: &Resolver<'_>, file: &File, options: Options) -> Vec<Finding> {
    let mut findings = Vec::new();
    if let File::Index(Content::Document(document)) = file {
        index::check_entries(resolver, document, &mut findings);
    }
    if options.links {
        links::check(resolver, file, &mut findings);
    }
    findings
}
