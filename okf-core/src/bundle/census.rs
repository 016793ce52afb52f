//! What is counted and listed about the files of a bundle, kept up to date file by file.

use std::sync::Arc;

use super::forms::Composed;
use super::{Content, File, Unreadable};
use crate::bundle_path::BundlePath;
use crate::document::Document;
use crate::table::{Item, Table};

/// What a bundle knows about its files as a whole: a pure function of them, whatever their history.
#[derive(Clone, Debug, Default)]
pub(super) struct Census {
    /// The decoded concepts by ID.
    pub(super) documents: Table<Arc<Document>>,
    /// The concepts that cannot be served in full.
    pub(super) troubles: Table<(BundlePath, Unreadable)>,
    /// How many concepts there are, readable or not.
    pub(super) concepts: usize,
    /// The first segments of concept paths.
    pub(super) areas: Tally,
    /// The types of the concepts that can be read in full.
    pub(super) types: Tally,
    /// The paths that have more than one normal form.
    pub(super) composed: Composed,
}

impl Census {
    /// Takes a file in that was not there.
    pub(super) fn add(&mut self, path: &BundlePath, file: &File) {
        self.composed.add(path);
        let File::Concept(content) = file else { return };
        self.concepts += 1;
        self.areas.add(area(path));
        self.types.add(concept_type(content));
        if let Some(document) = content.document() {
            self.documents.insert(Arc::clone(document));
        }
        if let Some(message) = content.trouble() {
            self.troubles.insert((path.clone(), Unreadable::new(path.as_str(), message)));
        }
    }

    /// Leaves a file out that was taken in.
    pub(super) fn remove(&mut self, path: &BundlePath, file: &File) {
        self.composed.remove(path);
        let File::Concept(content) = file else { return };
        self.concepts -= 1;
        self.areas.remove(area(path));
        self.types.remove(concept_type(content));
        if let Some(document) = content.document() {
            self.documents.remove(document.id());
        }
        self.troubles.remove(path.as_str());
    }
}

impl Item for Arc<Document> {
    type Key = str;

    fn key(&self) -> &str {
        self.id()
    }
}

impl Item for (BundlePath, Unreadable) {
    type Key = str;

    fn key(&self) -> &str {
        self.0.as_str()
    }
}

/// The first segment of a path, when there is another below it.
fn area(path: &BundlePath) -> Option<&str> {
    path.as_str().split_once('/').map(|(area, _)| area)
}

/// The type of a concept that can be read in full, without the white space around it.
fn concept_type(content: &Content) -> Option<&str> {
    let document = content.document().filter(|document| document.error().is_none())?;
    document.metadata().concept_type.as_deref().map(str::trim).filter(|name| !name.is_empty())
}

/// How often each name occurs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally(Table<(Box<str>, usize)>);

impl Item for (Box<str>, usize) {
    type Key = str;

    fn key(&self) -> &str {
        &self.0
    }
}

impl Tally {
    fn add(&mut self, name: Option<&str>) {
        let Some(name) = name else { return };
        match self.0.get_mut(name) {
            Some((_, count)) => *count += 1,
            None => drop(self.0.insert((name.into(), 1))),
        }
    }

    fn remove(&mut self, name: Option<&str>) {
        let Some(name) = name else { return };
        match self.0.get_mut(name) {
            Some((_, count)) if *count > 1 => *count -= 1,
            _ => drop(self.0.remove(name)),
        }
    }

    /// The names with their counts, the most frequent first, then by name.
    pub(super) fn ranked(&self) -> Vec<(String, usize)> {
        let mut counts: Vec<_> = self.0.iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        counts.into_iter().map(|(name, count)| (name.to_string(), *count)).collect()
    }
}
