//! Where a concept may be written: IDs, and what already stands at a path (contract §1, §8).

use std::sync::Arc;

use super::error::Reason;
use crate::bundle::names::fold;
use crate::bundle::{Bundle, FoldedPath, LookupError};
use crate::bundle_path::{self, BundlePath};
use crate::concept_id::ConceptId;
use crate::disk::LOCK_FILE;
use crate::document::Document;
use crate::finding::Escaped;

/// The longest file name, in bytes, that common file systems take.
const LONGEST_NAME: usize = 255;

/// The longest ID of a new concept, in bytes: what every common system can open, below a root of some length.
const LONGEST_ID: usize = 1024;

/// The most segments of the ID of a new concept. A write may have to make all the directories, each with an
/// index, and to sync them one by one.
const MOST_SEGMENTS: usize = 64;

/// Checks an ID against the rules for writing, which are those for reading and more: no suffix `.md`, and
/// no reserved name in any case. Looks at nothing but the ID.
///
/// # Errors
///
/// The rule broken.
pub fn check_id(id: &str) -> Result<ConceptId, Reason> {
    bundle_path::check(id).map_err(Reason::Path)?;
    if let Some(without) = id.strip_suffix(".md") {
        return Err(Reason::Suffix(without.to_owned()));
    }
    let name = id.rsplit('/').next().unwrap_or(id);
    if matches!(fold(name).as_str(), "index" | "log") {
        return Err(Reason::Reserved);
    }
    ConceptId::new(id).map_err(|_| Reason::Reserved)
}

/// Checks the ID of a concept that is to be made; looks at nothing but the ID.
///
/// # Errors
///
/// It is not one for writing, or too long to make a file of it.
pub(super) fn check_new(id: &str) -> Result<ConceptId, Reason> {
    let concept = check_id(id)?;
    let (bytes, segments) = (id.len(), id.split('/').count());
    if bytes > LONGEST_ID {
        return Err(Reason::TooLong { what: "bytes", found: bytes, most: LONGEST_ID });
    }
    if segments > MOST_SEGMENTS {
        return Err(Reason::TooLong { what: "segments", found: segments, most: MOST_SEGMENTS });
    }
    if concept.path().segments().any(|segment| segment.len() > LONGEST_NAME) {
        return Err(Reason::LongName);
    }
    Ok(concept)
}

/// Finds a concept that is to be edited.
///
/// # Errors
///
/// The ID is not one for writing, names nothing, or names what cannot be read.
pub(super) fn existing<'a>(bundle: &'a Bundle, id: &str) -> Result<&'a Arc<Document>, Reason> {
    let concept = check_id(id)?;
    let document = bundle.lookup(id).map_err(|error| match error {
        LookupError::Unreadable(file) => Reason::Unreadable(file.message),
        LookupError::NotFound(near) => {
            let path = concept.path();
            let unlisted = bundle.unlisted_directories().iter().map(|directory| directory.shown.as_str());
            match (link_on_the_way(bundle, path.as_str()), outermost(unlisted, path.as_str())) {
                (Some(link), _) => Reason::IsLink(link),
                (None, Some(directory)) => Reason::Unlisted(directory.to_owned()),
                (None, None) => Reason::Missing(near),
            }
        }
        LookupError::Invalid(rule) => Reason::Path(rule),
        LookupError::Reserved => Reason::Reserved,
        LookupError::Suffix(without) => Reason::Suffix(without),
    })?;
    match document.error() {
        None => Ok(document),
        Some(error) => Err(Reason::Unreadable(error.to_string())),
    }
}

/// Finds the path that a link to a concept leads to; the concept may be missing.
///
/// # Errors
///
/// The ID is not one for writing. An existing concept `Index` can be linked to though it cannot be written.
pub(super) fn target(bundle: &Bundle, id: &str) -> Result<BundlePath, Reason> {
    match bundle.lookup(id) {
        Ok(document) if !id.ends_with(".md") => Ok(document.path().clone()),
        Err(LookupError::Unreadable(_)) => Ok(ConceptId::new(id).map_err(|_| Reason::Reserved)?.path()),
        _ => Ok(check_id(id)?.path()),
    }
}

/// Finds the path of a concept that is to be made: nothing may stand there or on the way.
///
/// # Errors
///
/// The ID is not one for writing, or what is in the way.
pub(super) fn vacant(bundle: &Bundle, id: &str) -> Result<BundlePath, Reason> {
    let path = check_new(id)?.path();
    if let Some(link) = link_on_the_way(bundle, path.as_str()) {
        return Err(Reason::IsLink(link));
    }
    for directory in directories(path.as_str()) {
        if is_hidden(directory) {
            return Err(Reason::Hidden(directory.to_owned()));
        }
        if bundle.files().contains_key(directory) {
            return Err(Reason::IsFile(directory.to_owned()));
        }
        if is_unlisted(bundle, directory) {
            return Err(Reason::Unlisted(directory.to_owned()));
        }
    }
    if bundle.files().contains_key(&path) {
        return Err(Reason::Exists(path));
    }
    if bundle.has_directory(path.as_str()) {
        return Err(Reason::IsDirectory(path.as_str().to_owned()));
    }
    match collision(bundle, path.as_str()) {
        Some(other) => Err(Reason::Collides(other)),
        None => Ok(path),
    }
}

/// The directories on the way to a path, from the root down.
fn directories(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').map(|(at, _)| &path[..at])
}

/// Whether a walk passes over a directory.
fn is_hidden(directory: &str) -> bool {
    directory.rsplit('/').next().is_some_and(|name| name.starts_with('.'))
}

/// Whether a file is no part of a bundle, wherever that is: passed over by a walk, whatever it holds.
pub(super) fn is_outside(path: &str) -> bool {
    path == LOCK_FILE || directories(path).any(is_hidden)
}

fn is_unlisted(bundle: &Bundle, directory: &str) -> bool {
    let shown = Escaped(directory).to_string();
    bundle.unlisted_directories().iter().any(|unlisted| unlisted.shown == shown)
}

/// The first symbolic link at a path or on the way to it, as shown.
fn link_on_the_way(bundle: &Bundle, path: &str) -> Option<String> {
    outermost(bundle.skipped_links().iter().map(String::as_str), path).map(str::to_owned)
}

/// The first of some places, as shown, that is at a path or on the way to it.
///
/// The places are looked through, and not the directories of the path: of those a caller may name any number.
fn outermost<'a>(places: impl Iterator<Item = &'a str>, path: &str) -> Option<&'a str> {
    let shown = Escaped(path).to_string();
    let is_on_the_way =
        |place: &&str| shown.strip_prefix(*place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    places.filter(is_on_the_way).min_by_key(|place| place.len())
}

/// What is the same as a new path, or as a directory that it makes, on a system that ignores case or normal
/// form. A directory that is already there adds no collision.
pub(super) fn collision(bundle: &Bundle, path: &str) -> Option<String> {
    let new: Vec<&str> = directories(path).filter(|directory| !bundle.has_directory(directory)).chain([path]).collect();
    let known = |place: &&str| -> Vec<&FoldedPath> {
        let folded = fold(place);
        bundle.folded().get(&folded).filter(|known| known.as_str() != *place).collect()
    };
    // Files first, then by path.
    let first = new.iter().flat_map(known).min_by_key(|known| (known.is_directory, known.as_str()));
    let link = || {
        let links = bundle.skipped_links().iter().map(String::as_str);
        links.into_iter().find(|link| new.iter().any(|place| place != link && fold(place) == fold(link)))
    };
    first.map(FoldedPath::as_str).or_else(link).map(str::to_owned)
}
