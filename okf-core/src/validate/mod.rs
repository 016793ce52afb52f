//! The closed validator: what spec §11 demands, and advisories beside it (contract §5).

mod document;
mod errors;
mod index;
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

pub(crate) use errors::Errors;

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
    let resolver = Resolver::new(bundle);
    let files: Vec<_> = bundle.files().iter().collect();
    let mut findings: Vec<_> = parallel::map(&files, |(path, file)| check_file(&resolver, path, file, options))
        .into_iter()
        .flatten()
        .collect();
    paths::check(bundle, &mut findings);
    Report::new(findings)
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

/// Judges one file by itself.
fn check_file(resolver: &Resolver<'_>, path: &BundlePath, file: &File, options: Options) -> Vec<Finding> {
    let mut findings = Vec::new();
    match file {
        File::Concept(content) => document::check_concept(path, content, &mut findings),
        File::Index(Content::Document(document)) => index::check(resolver, document, &mut findings),
        File::Log(Content::Document(document)) => log::check(document, &mut findings),
        // A reserved file that was not decoded is judged like any other; its structure is not known.
        File::Index(content) | File::Log(content) => document::check_concept(path, content, &mut findings),
        File::Asset => {}
    }
    if options.links {
        links::check(resolver, file, &mut findings);
    }
    findings
}
