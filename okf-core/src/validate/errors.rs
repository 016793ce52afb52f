//! The errors of the files of a bundle, kept up to date file by file.

use std::sync::Arc;

use super::{document, index, log};
use crate::bundle::{Bundle, Change, Content, File};
use crate::bundle_path::BundlePath;
use crate::finding::{Finding, Severity};
use crate::table::{Item, Table};

/// The errors of each file that has some.
///
/// Errors are local to a file, and a document that was parsed shows by itself that it has a `type`: so this
/// costs next to nothing per concept that has no error.
#[derive(Clone, Debug, Default)]
pub(crate) struct Errors(Table<(BundlePath, Arc<[Finding]>)>);

impl Item for (BundlePath, Arc<[Finding]>) {
    type Key = str;

    fn key(&self) -> &str {
        self.0.as_str()
    }
}

impl Errors {
    pub(crate) fn build(bundle: &Bundle) -> Self {
        let files = bundle.files().iter();
        Self(files.filter_map(|(path, file)| Some((path.clone(), of_file(path, file)?))).collect())
    }

    pub(crate) fn updated(&self, changes: &[Change]) -> Self {
        let mut table = self.0.clone();
        for Change { path, after, .. } in changes {
            match after.as_ref().and_then(|file| of_file(path, file)) {
                Some(errors) => table.insert((path.clone(), errors)),
                None => table.remove(path.as_str()),
            };
        }
        Self(table)
    }

    /// Every error, by path.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Finding> {
        self.0.iter().flat_map(|(_, errors)| errors.iter())
    }
}

/// The errors of one file; `None` when it has none.
fn of_file(path: &BundlePath, file: &File) -> Option<Arc<[Finding]>> {
    let mut findings = Vec::new();
    match file {
        File::Concept(Content::Document(document)) if document::has_type(document) => {}
        File::Index(Content::Document(document)) => index::check_frontmatter(document, &mut findings),
        File::Log(Content::Document(document)) => log::check(document, &mut findings),
        File::Concept(content) | File::Index(content) | File::Log(content) => {
            document::check_concept(path, content, &mut findings);
        }
        File::Asset => {}
    }
    findings.retain(|finding| finding.severity == Severity::Error);
    (!findings.is_empty()).then(|| findings.into())
}
