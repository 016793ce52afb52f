//! Keeping indexes right when concepts are written (contract §6).

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use super::generate::generated;
use super::in_place::Scope;
use super::update::{obstacle, updated};
use super::view::{Target, View, index_of, index_path, parent};
use crate::bundle::Bundle;
use crate::bundle_path::BundlePath;
use crate::concept_id::ConceptId;

/// The indexes that change because concepts were written, by path, each with all the bytes of the file.
///
/// `candidate` holds the concepts as they are written, `previous` is the state before. Only entries of
/// these concepts change, in the indexes of their directory and of those above it; they are missing in none
/// but their own. Nothing is dropped. An index is created only in a directory that the write itself makes,
/// under a parent that has one, which gets the directory's entry. What cannot be read stays as it is.
#[must_use]
pub fn upkeep(candidate: &Bundle, previous: &Bundle, written: &[ConceptId]) -> Vec<(BundlePath, Vec<u8>)> {
    let mut old = View::new(previous);
    let mut new = View::new(candidate);
    // What to look after in the index of each directory.
    let mut scopes = BTreeMap::<String, BTreeSet<Target>>::new();
    let mut created = BTreeSet::new();
    for id in written {
        let path = id.path();
        for directory in above(path.as_str()) {
            scopes.entry(directory.to_owned()).or_default().insert(Target::Concept(path.as_str().to_owned()));
        }
        // From the root down, so that a directory knows whether the one above it gets an index.
        let directories: Vec<&str> = above(path.as_str()).filter(|directory| !directory.is_empty()).collect();
        for directory in directories.into_iter().rev() {
            let above = parent(directory);
            let has_parent = index_of(candidate, above).is_some() || created.contains(above);
            let is_new =
                !previous.has_directory(directory) && !candidate.files().contains_key(index_path(directory).as_str());
            if is_new && has_parent && obstacle(candidate, directory).is_none() {
                created.insert(directory.to_owned());
                scopes.entry(above.to_owned()).or_default().insert(Target::Directory(directory.to_owned()));
            }
        }
    }
    let mut changes = Vec::new();
    for (directory, targets) in &scopes {
        let text = match index_of(candidate, directory) {
            Some(document) => updated(&mut old, &mut new, document, directory, Scope::Only(targets)),
            None => created.contains(directory).then(|| generated(&mut new, directory)),
        };
        if let (Some(text), Ok(path)) = (text, BundlePath::new(index_path(directory))) {
            changes.push((path, text.into_bytes()));
        }
    }
    changes.sort();
    changes
}

/// The directories above a path, the innermost first and the root last.
fn above(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(parent(path)), |directory| (!directory.is_empty()).then(|| parent(directory)))
}
