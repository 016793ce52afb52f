//! Looking at directories: what is otherwise than it was last seen.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::sync::Arc;

use rustix::io::Errno;

use super::directory::{Directory, EntryKind, join};
use super::lock::LOCK_FILE;
use super::marks::Mark;
use super::place::Place;
use super::read::{Reading, read};
use super::stamp::{Nanos, Object, Precision, Stamp, StatKey, clock};
use super::tree::{Entry, Held, Key, Listing, Tree};
use crate::bundle::{Content, Role};
use crate::bundle_path::{self, BundlePath};
use crate::document::Revision;
use crate::parallel;

/// From how many entries on a pass is spread over threads.
const WORTH_THREADS: usize = 2_000;

/// From how many directories on, when it is not known how much they hold.
const WORTH_THREADS_UNSEEN: usize = 64;

/// From how many entries on the look at one directory is spread over threads.
const LARGE: usize = 4_096;

/// One round of looking, from an open root.
pub(super) struct Eye<'a> {
    root: &'a Directory,
    /// How far the stamps on the root's device can be trusted; about other devices nothing is known.
    precision: (u64, Precision),
    now: Nanos,
    /// Whether other names of a file are looked out for even where its content does not count.
    thorough: bool,
}

/// A directory that is not as it was.
pub(super) struct Found {
    pub(super) path: Key,
    pub(super) sight: Sight,
}

/// What a directory is now.
pub(super) enum Sight {
    /// It is none any more.
    Gone,
    /// It cannot be listed.
    Closed(Errno),
    /// Its state, and what is otherwise in it.
    Listed { stamp: Stamp, changes: Vec<Change> },
}

/// An entry that is not as it was.
pub(super) struct Change {
    pub(super) name: CString,
    /// What it is now; `None` when it is gone.
    pub(super) entry: Option<Entry>,
    /// The file when it has other names too.
    pub(super) linked: Option<Object>,
    wanted: bool,
}

impl<'a> Eye<'a> {
    /// Prepares to look at what lies beneath an open root.
    pub(super) fn new(root: &'a Directory) -> Result<Self, Errno> {
        let device = StatKey::of(&root.stat_itself()?).dev;
        Ok(Self { root, precision: (device, Precision::of(root)), now: clock(), thorough: false })
    }

    /// Looks as if it were later.
    #[cfg(test)]
    pub(super) fn later(self, by: Nanos) -> Self {
        Self { now: self.now + by, ..self }
    }

    /// Looks out for every file that has other names: a write through one of them is announced under that one.
    pub(super) fn thorough(self) -> Self {
        Self { thorough: true, ..self }
    }

    /// Looks at directories, on several threads when there is much to see; finds those that are otherwise.
    pub(super) fn pass(&self, tree: &Tree, paths: &[Key]) -> Vec<Found> {
        let known: Vec<(&Key, &Listing)> = paths.iter().filter_map(|path| Some((path, &**tree.get(path)?))).collect();
        let entries: usize = known.iter().map(|(_, listing)| listing.entries.len()).sum();
        let many = entries >= WORTH_THREADS || known.len() >= WORTH_THREADS_UNSEEN;
        let everything = Mark { all: true, names: BTreeSet::new() };
        let look = |(path, listing): &(&Key, &Listing)| {
            let sight = self.look(self.open(path), listing, &everything)?;
            Some(Found { path: Arc::clone(path), sight })
        };
        let found = parallel::map_on(if many { parallel::threads() } else { 1 }, &known, look);
        let mut found: Vec<Found> = found.into_iter().flatten().collect();
        self.read(tree, &mut found);
        found
    }

    /// Opens a directory of the bundle.
    pub(super) fn open(&self, path: &[u8]) -> Result<Directory, Errno> {
        self.root.beneath(path)
    }

    /// Looks at one directory; `None` when all is as it was. Files are not read yet.
    pub(super) fn look(&self, directory: Result<Directory, Errno>, known: &Listing, mark: &Mark) -> Option<Sight> {
        match directory.and_then(|directory| self.listed(&directory, known, mark)) {
            Ok((stamp, changes)) if changes.is_empty() && stamp == known.stamp => None,
            Ok((stamp, changes)) => Some(Sight::Listed { stamp, changes }),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::XDEV) => Some(Sight::Gone),
            Err(error) => Some(Sight::Closed(error)),
        }
    }

    /// Reads the files that differ or are suspect.
    pub(super) fn read(&self, tree: &Tree, found: &mut [Found]) {
        let mut wanted = Vec::new();
        for Found { path, sight } in &mut *found {
            let Sight::Listed { changes, .. } = sight else { continue };
            for change in changes.iter_mut().filter(|change| change.wanted) {
                let known = tree.get(path).and_then(|listing| listing.entry(&change.name));
                let known = match known {
                    Some(Entry::Markdown(held)) => held.content.as_ref(),
                    _ => None,
                };
                wanted.push((&*path, change, known));
            }
        }
        let news = parallel::map(&wanted, |(path, change, known)| self.content(path, &change.name, *known));
        for ((_, change, _), (stamp, content)) in wanted.into_iter().zip(news) {
            if let Some(Entry::Markdown(held)) = &mut change.entry {
                held.stamp = stamp.unwrap_or(held.stamp);
                held.content = content;
            }
        }
    }

    /// Whether every directory is still in the state in which it was listed. Looks at directories only.
    pub(super) fn is_settled(&self, tree: &Tree) -> bool {
        tree.listings().all(|(path, listing)| {
            let key = || Ok::<_, Errno>(StatKey::of(&self.open(path)?.stat_itself()?));
            listing.failure.is_some() || key().is_ok_and(|key| key == listing.stamp.key)
        })
    }

    /// What differs in an open directory, and the state in which it holds the names it was found to hold.
    fn listed(&self, directory: &Directory, known: &Listing, mark: &Mark) -> Result<(Stamp, Vec<Change>), Errno> {
        let observed = clock();
        let key = StatKey::of(&directory.stat_itself()?);
        let here = Here { eye: self, directory, known, precision: self.precision_on(key.dev) };
        let is_another = !known.stamp.key.is_same_object(&key);
        if !mark.all && !is_another {
            return Ok((known.stamp, mark.names.iter().filter_map(|name| here.name(name)).collect()));
        }
        if known.stamp.holds_for_directory(&key, here.precision) {
            // The names, and so what they stand for, are as they were, unless something is said about one.
            let mut changes = here.known_files();
            let others = mark.names.iter().filter(|name| !matches!(known.entry(name), Some(Entry::Markdown(_))));
            changes.extend(others.filter_map(|name| here.name(name)));
            return Ok((known.stamp, changes));
        }
        let changes = here.all_names(|name| is_another || mark.names.contains(name))?;
        Ok((Stamp::new(key, observed), changes))
    }

    fn precision_on(&self, device: u64) -> Precision {
        if device == self.precision.0 { self.precision.1 } else { Precision::Coarse }
    }

    /// The content of a file and the state that it belongs to; what is known already is kept when it is the
    /// same, so that it stays shared.
    fn content(&self, directory: &[u8], name: &CStr, known: Option<&Content>) -> (Option<Stamp>, Option<Content>) {
        let path = join(directory, name.to_bytes());
        let (content, stamp) = match read(self.root, &path) {
            Reading::Gone => return (None, None),
            Reading::Failed(message) => (Content::Failed { message }, None),
            Reading::Whole(bytes, stamp) => {
                // Hashing is far cheaper than parsing.
                let revision = known.and_then(Content::document).map(|document| document.revision());
                if revision.is_some_and(|revision| revision == Revision::of(&bytes)) {
                    return (Some(stamp), known.cloned());
                }
                let path = String::from_utf8(path).ok().and_then(|path| BundlePath::new(path).ok());
                let path = path.expect("only files with a good path are read");
                (Content::decode(&path, bytes), Some(stamp))
            }
        };
        (stamp, Some(content))
    }
}

/// A directory that is being looked at.
struct Here<'a> {
    eye: &'a Eye<'a>,
    directory: &'a Directory,
    known: &'a Listing,
    precision: Precision,
}

impl Here<'_> {
    /// What differs among the files that are known, their names being certain.
    fn known_files(&self) -> Vec<Change> {
        let look = |(name, entry): &(CString, Entry)| match entry {
            Entry::Markdown(held) => self.file(name, Some(held)),
            Entry::Plain(_) => None,
        };
        let entries = &self.known.entries;
        if entries.len() < LARGE {
            return entries.iter().filter_map(look).collect();
        }
        parallel::map(entries, look).into_iter().flatten().collect()
    }

    /// What differs, whatever the names are now. Directories of some names are told of in any case.
    fn all_names(&self, is_doubtful: impl Fn(&CStr) -> bool) -> Result<Vec<Change>, Errno> {
        let mut known = self.known.entries.iter().peekable();
        let mut changes = Vec::new();
        let mut names = self.directory.kinds()?;
        names.retain(|(name, _)| !self.is_lock_file(name));
        for (name, kind) in names {
            while let Some((gone, _)) = known.next_if(|(other, _)| *other < name) {
                changes.push(Change::gone(gone));
            }
            let before = known.next_if(|(other, _)| *other == name).map(|(_, entry)| entry);
            changes.extend(match kind {
                Some(EntryKind::Directory) if is_doubtful(&name) => {
                    Some(Change::new(&name, Some(Entry::Plain(EntryKind::Directory))))
                }
                Some(kind) if !(kind == EntryKind::File && (self.eye.thorough || self.is_markdown(&name))) => {
                    Change::unless_same(&name, before, Entry::Plain(kind))
                }
                _ => self.entry(&name, before),
            });
        }
        changes.extend(known.map(|(gone, _)| Change::gone(gone)));
        Ok(changes)
    }

    /// What differs at a name. A directory always does: it may be another one.
    fn name(&self, name: &CStr) -> Option<Change> {
        if self.is_lock_file(name) {
            return None;
        }
        let before = self.known.entry(name);
        match self.entry(name, before) {
            None if before.is_some_and(|entry| entry.is_walked(name)) => Some(Change::new(name, before.cloned())),
            change => change,
        }
    }

    fn entry(&self, name: &CStr, before: Option<&Entry>) -> Option<Change> {
        if self.is_markdown(name) {
            let held = match before {
                Some(Entry::Markdown(held)) => Some(held),
                _ => None,
            };
            return match self.file(name, held) {
                Some(Change { entry: Some(entry @ Entry::Plain(_)), .. }) => Change::unless_same(name, before, entry),
                change => change,
            };
        }
        match self.directory.stat(name) {
            Ok(stat) => {
                let kind = EntryKind::of(&stat);
                let linked = kind == EntryKind::File && has_other_names(&stat);
                let change = Change::unless_same(name, before, Entry::Plain(kind));
                let key = StatKey::of(&stat);
                match change {
                    None if linked => Some(Change::new(name, before.cloned())),
                    change => change,
                }
                .map(|change| Change { linked: linked.then_some(key.object()), ..change })
            }
            Err(_) => before.map(|_| Change::gone(name)),
        }
    }

    /// What differs at the name of a file whose content counts, if it is one.
    fn file(&self, name: &CStr, held: Option<&Held>) -> Option<Change> {
        let unread = |key: StatKey, linked: bool| {
            let content = held.and_then(|held| held.content.clone());
            let entry = Entry::Markdown(Held { stamp: Stamp::never_trusted(key), content, linked });
            Change { wanted: true, linked: linked.then_some(key.object()), ..Change::new(name, Some(entry)) }
        };
        match self.directory.stat(name) {
            Ok(stat) => match EntryKind::of(&stat) {
                EntryKind::File => {
                    let key = StatKey::of(&stat);
                    if held.is_some_and(|held| held.stamp.holds_for_file(&key, self.precision, self.eye.now)) {
                        return None;
                    }
                    Some(unread(key, has_other_names(&stat)))
                }
                kind => Some(Change::new(name, Some(Entry::Plain(kind)))),
            },
            Err(Errno::NOENT) => Some(Change::gone(name)),
            // Reading will say what is wrong with it.
            Err(_) => Some(unread(StatKey::unknown(), false)),
        }
    }

    fn is_markdown(&self, name: &CStr) -> bool {
        let name = name.to_str().ok().filter(|name| Role::of(name) != Role::Asset);
        name.is_some_and(|name| bundle_path::check(name).is_ok()) && !matches!(self.known.place, Place::Bad { .. })
    }

    fn is_lock_file(&self, name: &CStr) -> bool {
        matches!(self.known.place, Place::Root) && name.to_bytes() == LOCK_FILE.as_bytes()
    }
}

impl Change {
    fn new(name: &CStr, entry: Option<Entry>) -> Self {
        Self { name: name.to_owned(), entry, linked: None, wanted: false }
    }

    fn gone(name: &CStr) -> Self {
        Self::new(name, None)
    }

    fn unless_same(name: &CStr, before: Option<&Entry>, entry: Entry) -> Option<Self> {
        match (before, &entry) {
            (Some(Entry::Plain(before)), Entry::Plain(now)) if before == now => None,
            _ => Some(Self::new(name, Some(entry))),
        }
    }
}

#[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "the type differs between platforms")]
fn has_other_names(stat: &rustix::fs::Stat) -> bool {
    stat.st_nlink as u64 > 1
}
