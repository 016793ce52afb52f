//! What a bundle has to be told about the disk.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::CStr;
use std::path::PathBuf;

use super::directory::EntryKind;
use super::place::Place;
use super::tree::{Entry, Tree};
use crate::bundle::{Bundle, Content, File, InvalidPath, Parts, Role, UnlistedDirectory, Update};
use crate::bundle_path::BundlePath;

/// The differences since a bundle was last brought up to date, and the lists that are replaced as a whole.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    /// What was at a path then, and what is now.
    files: BTreeMap<BundlePath, (Option<File>, Option<File>)>,
    directories: BTreeMap<Box<str>, (bool, bool)>,
    /// By the path as shown, then as it is: two may be shown alike.
    links: BTreeSet<(String, Box<[u8]>)>,
    invalid: BTreeMap<(String, Box<[u8]>), InvalidPath>,
    unlisted: BTreeMap<(String, Box<[u8]>), UnlistedDirectory>,
    lists_changed: bool,
    /// Whether there is a bundle yet: one that is put together as a whole needs no notes.
    is_begun: bool,
}

impl Ledger {
    /// Notes what became of an entry.
    pub(super) fn entry(&mut self, directory: &Place, name: &CStr, before: Option<&Entry>, after: Option<&Entry>) {
        let place = Place::new(directory, name.to_bytes());
        let is_link = |entry: &Entry| matches!(entry, Entry::Plain(EntryKind::Link));
        self.lists_changed |= match (before.is_some_and(is_link), after.is_some_and(is_link)) {
            (false, true) => self.links.insert((place.shown(), place.raw().into())),
            (true, false) => self.links.remove(&(place.shown(), place.raw().into())),
            _ => false,
        };
        match place {
            Place::Good(_) if !self.is_begun => {}
            Place::Good(path) => {
                self.directory(&path, before, after);
                self.file(path, before, after);
            }
            Place::Bad { raw, invalid } => {
                let is_listed = |entry: &Entry| {
                    matches!(entry, Entry::Plain(EntryKind::File | EntryKind::Other) | Entry::Markdown(_))
                };
                self.lists_changed |= match (before.is_some_and(is_listed), after.is_some_and(is_listed)) {
                    (false, true) => self.invalid.insert((invalid.shown.clone(), raw), invalid).is_none(),
                    (true, false) => self.invalid.remove(&(invalid.shown, raw)).is_some(),
                    _ => false,
                };
            }
            Place::Root => {}
        }
    }

    /// Notes whether a directory can be listed.
    pub(super) fn listed(&mut self, place: &Place, failure: Option<&str>) {
        let key = (place.shown(), place.raw().into());
        match failure {
            Some(message) => {
                let unlisted = UnlistedDirectory { shown: key.0.clone(), message: message.to_owned() };
                self.unlisted.insert(key, unlisted);
            }
            None => drop(self.unlisted.remove(&key)),
        }
        self.lists_changed = true;
    }

    /// Whether there is anything to tell.
    pub(super) fn has_news(&self) -> bool {
        self.lists_changed || !self.files.is_empty() || !self.directories.is_empty() || !self.is_begun
    }

    /// The bundle brought up to date; `None` when it is so already.
    pub(super) fn settle(&mut self, bundle: &Bundle) -> Option<Bundle> {
        if !self.has_news() {
            return None;
        }
        let files = std::mem::take(&mut self.files).into_iter();
        let files = files.filter(|(_, (before, after))| match (before, after) {
            (Some(before), Some(after)) => !before.is_same(after),
            (before, after) => before.is_some() != after.is_some(),
        });
        let directories = std::mem::take(&mut self.directories).into_iter();
        let directories = directories.filter(|(_, (before, after))| before != after);
        let mut update = Update {
            files: files.map(|(path, (_, after))| (path, after)).collect(),
            directories: directories.map(|(path, (_, after))| (path, after)).collect(),
            ..Update::default()
        };
        if std::mem::take(&mut self.lists_changed) {
            update.skipped_links = unless_same(self.skipped_links(), bundle.skipped_links());
            update.invalid_paths = unless_same(self.invalid_paths(), bundle.invalid_paths());
            update.unlisted = unless_same(self.unlisted_directories(), bundle.unlisted_directories());
        }
        let Update { files, directories, skipped_links, invalid_paths, unlisted } = &update;
        let lists_changed = skipped_links.is_some() || invalid_paths.is_some() || unlisted.is_some();
        let is_needed = lists_changed || !files.is_empty() || !directories.is_empty();
        is_needed.then(|| bundle.updated(update))
    }

    /// All parts of a bundle that is put together for the first time.
    pub(super) fn parts(&mut self, root: PathBuf, tree: &Tree) -> Parts {
        (self.is_begun, self.lists_changed) = (true, false);
        let mut files = Vec::new();
        let mut directories = BTreeSet::new();
        for (_, listing) in tree.listings() {
            for (name, entry) in &listing.entries {
                let Place::Good(path) = Place::new(&listing.place, name.to_bytes()) else { continue };
                if entry.is_walked(name) {
                    directories.insert(path.as_str().into());
                } else if let Some(file) = file(&path, entry) {
                    files.push((path, file));
                }
            }
        }
        // Nearly in order, which a stable sort makes use of.
        files.sort_by(|(a, _), (b, _)| a.cmp(b));
        Parts {
            root,
            files: files.into_iter().collect(),
            directories,
            skipped_links: self.skipped_links(),
            invalid_paths: self.invalid_paths(),
            unlisted: self.unlisted_directories(),
        }
    }

    fn file(&mut self, path: BundlePath, before: Option<&Entry>, after: Option<&Entry>) {
        let (before, after) = (before.and_then(|entry| file(&path, entry)), after.and_then(|entry| file(&path, entry)));
        match self.files.entry(path) {
            std::collections::btree_map::Entry::Occupied(mut known) => known.get_mut().1 = after,
            std::collections::btree_map::Entry::Vacant(_) if before.is_none() && after.is_none() => {}
            std::collections::btree_map::Entry::Vacant(unknown) => drop(unknown.insert((before, after))),
        }
    }

    fn directory(&mut self, path: &BundlePath, before: Option<&Entry>, after: Option<&Entry>) {
        let is_directory = |entry: &Entry| matches!(entry, Entry::Plain(EntryKind::Directory));
        let (before, after) = (before.is_some_and(is_directory), after.is_some_and(is_directory));
        if before != after && !path.file_name().starts_with('.') {
            self.directories.entry(path.as_str().into()).or_insert((before, after)).1 = after;
        }
    }

    fn skipped_links(&self) -> Vec<String> {
        self.links.iter().map(|(shown, _)| shown.clone()).collect()
    }

    fn invalid_paths(&self) -> Vec<InvalidPath> {
        self.invalid.values().cloned().collect()
    }

    fn unlisted_directories(&self) -> Vec<UnlistedDirectory> {
        self.unlisted.values().cloned().collect()
    }
}

fn unless_same<T: PartialEq>(now: Vec<T>, before: &[T]) -> Option<Vec<T>> {
    (now != before).then_some(now)
}

/// The file that an entry is; `None` for directories, links, and what was gone before it could be read.
fn file(path: &BundlePath, entry: &Entry) -> Option<File> {
    let role = Role::of(path.as_str());
    match entry {
        Entry::Plain(EntryKind::Directory | EntryKind::Link) => None,
        Entry::Plain(EntryKind::File | EntryKind::Other) => {
            Some(File::new(role, || Content::Failed { message: "not a regular file".to_owned() }))
        }
        Entry::Markdown(held) => held.content.clone().map(|content| File::new(role, || content)),
    }
}
