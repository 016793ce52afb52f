//! Bringing indexes up to date: regenerate what is generated, edit in place what people wrote.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::IndexDocument;
use super::generate::{Frame, generated};
use super::in_place::{self, Scope};
use super::view::{Item, SUBDIRECTORIES, Target, View, children, index_of, index_path, is_summary, namesake, parent};
use crate::bundle::{Bundle, Content, File};
use crate::bundle_path::BundlePath;
use crate::document::Document;

/// How the indexes of a whole bundle change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexPlan {
    /// The files that change or are new, by path, each with all its bytes.
    pub changes: Vec<(BundlePath, Vec<u8>)>,
    /// The indexes that are left as they are although they may be out of date, by path, each with the
    /// reason.
    pub left_alone: Vec<(String, String)>,
}

/// Works out the up-to-date indexes of every directory that holds a concept or an index at any depth.
///
/// With `regenerate` every index is generated anew; without, see [`update`]. What cannot be read is left
/// alone, and nothing is created where something is in the way.
#[must_use]
pub fn plan(bundle: &Bundle, regenerate: bool) -> IndexPlan {
    let mut old = View::new(bundle);
    let mut new = View::new(bundle);
    let mut plan = IndexPlan::default();
    for directory in directories(bundle) {
        let path = index_path(&directory);
        if let Some(obstacle) = obstacle(bundle, &directory) {
            plan.left_alone.push((path, obstacle));
            continue;
        }
        let text = match index_of(bundle, &directory) {
            Some(document) if regenerate && document.error().is_some() => {
                plan.left_alone.push((path, "its frontmatter cannot be read".to_owned()));
                continue;
            }
            // Where there is nothing to list, as beside assets alone, people know better what to say.
            Some(document) if regenerate && !children(bundle, &directory).is_empty() => {
                Some(generated(&mut new, &directory)).filter(|text| differs(document, text))
            }
            Some(document) => updated(&mut old, &mut new, document, &directory, Scope::All),
            None => Some(generated(&mut new, &directory)).filter(|text| !text.is_empty()),
        };
        if let (Some(text), Ok(path)) = (text, BundlePath::new(path)) {
            if let Ok(document) = Document::parse(path.clone(), text.clone().into_bytes()) {
                new.set_index(&directory, &document);
            }
            plan.changes.push((path, text.into_bytes()));
        }
    }
    plan.changes.sort();
    plan.left_alone.sort();
    plan
}

/// Brings the index of one directory up to date with a bundle: the text of the whole file; `None` when
/// nothing changes.
///
/// `previous` is the state that the index was last right for; where it is not known, the bundle itself. An
/// absent index is generated. One that is what generation wrote is generated anew: for the state before,
/// or for one that differs from it by concepts and directories that came or went. A section of which every target
/// is gone is somebody's own. Any other is edited in
/// place: entries that are missing are added, those whose target is gone are dropped, and a label or
/// description is refreshed where it still equals the title or description before. Every other byte stays.
#[must_use]
pub fn update(bundle: &Bundle, previous: &Bundle, directory: &str) -> Option<String> {
    let mut new = View::new(bundle);
    if obstacle(bundle, directory).is_some() {
        return None;
    }
    match index_of(bundle, directory) {
        Some(document) => updated(&mut View::new(previous), &mut new, document, directory, Scope::All),
        None => Some(generated(&mut new, directory)).filter(|text| !text.is_empty()),
    }
}

/// The text of an index that exists, brought up to date in a scope; `None` when nothing changes.
pub(super) fn updated(
    old: &mut View<'_>,
    new: &mut View<'_>,
    document: &Document,
    directory: &str,
    scope: Scope<'_>,
) -> Option<String> {
    let index = IndexDocument::read(document.body(), &document.structure());
    let Some((frame, mut items)) = as_generated(old, document, &index, directory) else {
        return in_place::edit(old, new, document, &index, directory, scope);
    };
    match scope {
        Scope::All => items = new.items(directory),
        Scope::Only(targets) => {
            for item in in_directory(targets, directory).filter_map(|target| new.item(target)) {
                items.retain(|known| known.link != item.link);
                items.insert(item);
            }
        }
    }
    Some(frame.around(&items)).filter(|text| differs(document, text))
}

/// The targets that lie directly in a directory.
pub(super) fn in_directory<'a>(targets: &'a BTreeSet<Target>, directory: &str) -> impl Iterator<Item = &'a Target> {
    targets.iter().filter(move |target| match target {
        Target::Concept(path) | Target::Directory(path) => parent(path) == directory && !path.is_empty(),
        Target::Gone | Target::Other(_) => false,
    })
}

/// The frame and the entries of an index, when it is what generation wrote: byte for byte, for the old state or for one
/// that differs from it by concepts and directories that are not listed or gone.
///
/// Nothing in such an index is anybody's own words: a heading stands above what generation would list below it. What a directory said about itself when the index was
/// written need not be what it says now; it is known by its form, or as the description of an entry that
/// was once the only one.
fn as_generated(
    old: &mut View<'_>,
    document: &Document,
    index: &IndexDocument,
    directory: &str,
) -> Option<(Frame, BTreeSet<Item>)> {
    // A link elsewhere than in an entry is nothing that generation writes.
    let is_plain = index.loose.is_empty() && index.entries().count() == document.structure().links.len();
    if !is_plain {
        return None;
    }
    let mut items = BTreeSet::new();
    for section in &index.sections {
        let mut is_known = section.entries.is_empty() || &*section.heading == SUBDIRECTORIES;
        for entry in &section.entries {
            let told = Item {
                section: section.heading.to_string(),
                title: entry.label.to_string(),
                link: entry.destination.to_string(),
                description: entry.description.to_string(),
            };
            let target = old.target(directory, &entry.destination);
            is_known |= target != Target::Gone;
            let is_generated = match (&target, old.item(&target)) {
                (Target::Gone, _) => true,
                (Target::Concept(_), Some(item)) => item == told,
                (Target::Directory(path), Some(item)) => {
                    let is_described = item.description == told.description
                        || is_summary(&told.description)
                        || describes_one_entry(old.bundle(), path, &told.description);
                    is_described && Item { description: told.description.clone(), ..item } == told
                }
                _ => false,
            };
            if !is_generated {
                return None;
            }
            items.insert(told);
        }
        // What is gone had any type: nothing tells that the heading is not somebody's.
        if !is_known {
            return None;
        }
    }
    // A first section whose concepts have another type by now looks like a title.
    let frame = Frame::of(old, directory);
    let frames = [frame.clone(), frame.untitled()];
    let frame = frames.into_iter().find(|frame| !differs(document, &frame.around(&items)))?;
    Some((frame, items))
}

fn describes_one_entry(bundle: &Bundle, directory: &str, description: &str) -> bool {
    let Some(document) = index_of(bundle, directory).filter(|_| !description.is_empty()) else { return false };
    let index = IndexDocument::read(document.body(), &document.structure());
    index.entries().any(|entry| &*entry.description == description)
}

/// Whether a file's text, its byte-order mark included, is another than the document's.
fn differs(document: &Document, text: &str) -> bool {
    let without_mark = text.strip_prefix('\u{feff}');
    document.text().has_bom() != without_mark.is_some() || document.text().as_str() != without_mark.unwrap_or(text)
}

/// The directories that have an index or should, the deepest first: what a directory says about itself is
/// needed above it.
fn directories(bundle: &Bundle) -> Vec<String> {
    let mut found = BTreeSet::from([String::new()]);
    for (path, file) in bundle.files().iter() {
        if matches!(file, File::Concept(_) | File::Index(_)) {
            let path = path.as_str();
            let above = path.match_indices('/').map(|(at, _)| &path[..at]);
            // From the innermost up, until one is known: those above it are too.
            for directory in above.rev() {
                if !found.insert(directory.to_owned()) {
                    break;
                }
            }
        }
    }
    let mut directories: Vec<String> = found.into_iter().collect();
    directories.sort_by_key(|directory| {
        std::cmp::Reverse(if directory.is_empty() { 0 } else { 1 + directory.matches('/').count() })
    });
    directories
}

/// Why the index of a directory can be neither edited nor created.
pub(super) fn obstacle(bundle: &Bundle, directory: &str) -> Option<String> {
    let path = index_path(directory);
    match bundle.files().get(path.as_str()) {
        Some(File::Index(Content::NotUtf8 { offset })) => Some(format!("it is not UTF-8 at byte {offset}")),
        Some(File::Index(Content::Failed { message })) => Some(format!("it cannot be read: {message}")),
        Some(_) if index_of(bundle, directory).is_none() => Some("its frontmatter never ends".to_owned()),
        Some(_) => None,
        None if bundle.skipped_links().contains(&path) => Some("a symbolic link is in the way".to_owned()),
        None if bundle.has_directory(&path) => Some("a directory is in the way".to_owned()),
        None => namesake(bundle, directory, &path).map(|taken| format!("`{taken}` is in the way")),
    }
}
