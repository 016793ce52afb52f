//! What is known about the files of a bundle one by one, kept up to date file by file.

use std::sync::Arc;

use super::{document, index, log};
use crate::bundle::{Bundle, Change, Content, File};
use crate::bundle_path::BundlePath;
use crate::finding::{Finding, Severity};
use crate::parallel;
use crate::table::{Item, Table};

/// What a judge finds in each file by itself: the files with findings alone.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    judge: fn(&BundlePath, &File) -> Vec<Finding>,
    findings: Table<(BundlePath, Arc<[Finding]>)>,
}

impl Item for (BundlePath, Arc<[Finding]>) {
    type Key = str;

    fn key(&self) -> &str {
        self.0.as_str()
    }
}

impl Known {
    /// The errors. They are local to a file, and a document that was parsed shows by itself that it has a
    /// `type`: so this costs next to nothing per concept that has no error.
    pub(crate) fn errors(bundle: &Bundle) -> Self {
        let files = bundle.files().iter();
        let found = files.filter_map(|(path, file)| Some((path.clone(), some(errors(path, file))?)));
        Self { judge: errors, findings: found.collect() }
    }

    /// All that a file says by itself, whatever lies beside it; `None` when it was cancelled.
    pub(crate) fn own(bundle: &Bundle, cancelled: &(dyn Fn() -> bool + Sync)) -> Option<Self> {
        let files: Vec<_> = bundle.files().iter().filter(|(_, file)| !matches!(file, File::Asset)).collect();
        let judge = |&(path, file): &(&BundlePath, &File)| {
            if cancelled() { Err(()) } else { Ok(some(own(path, file))) }
        };
        let found = parallel::try_map(parallel::threads_for(files.len()), &files, judge).ok()?;
        let found = files.into_iter().zip(found).filter_map(|((path, _), found)| Some((path.clone(), found?)));
        Some(Self { judge: own, findings: found.collect() })
    }

    /// What is known after changes.
    pub(crate) fn updated(&self, changes: &[Change]) -> Self {
        let mut next = self.clone();
        for Change { path, after, .. } in changes {
            match after.as_ref().and_then(|file| some((self.judge)(path, file))) {
                Some(found) => next.findings.insert((path.clone(), found)),
                None => next.findings.remove(path.as_str()),
            };
        }
        next
    }

    /// Every finding, by path.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().flat_map(|(_, found)| found.iter())
    }
}

fn some(findings: Vec<Finding>) -> Option<Arc<[Finding]>> {
    (!findings.is_empty()).then(|| findings.into())
}

fn errors(path: &BundlePath, file: &File) -> Vec<Finding> {
    let mut findings = match file {
        File::Concept(Content::Document(document)) if document::has_type(document) => Vec::new(),
        _ => own(path, file),
    };
    findings.retain(|finding| finding.severity == Severity::Error);
    findings
}

/// Judges a file by itself. Of an index only the frontmatter: its entries are about the files beside it.
fn own(path: &BundlePath, file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    match file {
        File::Index(Content::Document(document)) => index::check_frontmatter(document, &mut findings),
        File::Log(Content::Document(document)) => log::check(document, &mut findings),
        // A reserved file that was not decoded is judged like any other; its structure is not known.
        File::Concept(content) | File::Index(content) | File::Log(content) => {
            document::check_concept(path, content, &mut findings);
        }
        File::Asset => {}
    }
    findings
}
