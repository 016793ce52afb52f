//! Every directory of a bundle as it was last seen.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};
use std::sync::Arc;

use super::directory::EntryKind;
use super::place::Place;
use super::stamp::{Stamp, StatKey};
use crate::bundle::Content;

/// The raw path of a directory below the root; empty for the root itself.
pub(super) type Key = Arc<[u8]>;

/// The directories of a bundle by raw path. Each directory that a listing names has a listing of its own,
/// unless its name starts with a dot.
///
/// Cloning it takes a picture: the listings are shared until one of them changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    listings: BTreeMap<Key, Arc<Listing>>,
}

/// One directory.
#[derive(Clone, Debug)]
pub(super) struct Listing {
    pub(super) place: Place,
    /// The state of the directory in which it held just these names.
    pub(super) stamp: Stamp,
    /// In byte order of the names.
    pub(super) entries: Vec<(CString, Entry)>,
    /// Why it cannot be listed.
    pub(super) failure: Option<String>,
}

/// What a name stands for.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    /// Anything whose content does not count.
    Plain(EntryKind),
    /// A regular file whose content counts.
    Markdown(Held),
}

/// The content of a file and the state of the file that it belongs to.
#[derive(Clone, Debug)]
pub(super) struct Held {
    pub(super) stamp: Stamp,
    /// `None` when the file was gone before it could be read.
    pub(super) content: Option<Content>,
    /// Whether it has, or had a moment ago, other names: a write through one of those is no event here.
    pub(super) linked: bool,
}

impl Tree {
    pub(super) fn get(&self, path: &[u8]) -> Option<&Arc<Listing>> {
        self.listings.get(path)
    }

    /// The listing to change; what pictures share stays as it is.
    pub(super) fn get_mut(&mut self, path: &[u8]) -> Option<&mut Listing> {
        self.listings.get_mut(path).map(Arc::make_mut)
    }

    /// Adds a directory that has not been looked at, unless it is known.
    pub(super) fn add(&mut self, path: &[u8], place: impl FnOnce() -> Place) -> Key {
        if let Some((key, _)) = self.listings.get_key_value(path) {
            return Arc::clone(key);
        }
        let key = Key::from(path);
        self.listings.insert(Arc::clone(&key), Arc::new(Listing::unseen(place())));
        key
    }

    /// Takes out a directory and everything below it, parents first.
    pub(super) fn take(&mut self, path: &[u8]) -> Vec<(Key, Arc<Listing>)> {
        let below = |key: &Key| key.strip_prefix(path).is_some_and(|rest| rest.starts_with(b"/") || path.is_empty());
        let keys = self.listings.range::<[u8], _>((std::ops::Bound::Excluded(path), std::ops::Bound::Unbounded));
        // Names that merely start alike, such as `a-b` beside `a`, may lie between.
        let starts_alike = keys.take_while(|(key, _)| key.starts_with(path));
        let mut keys: Vec<Key> = starts_alike.map(|(key, _)| Arc::clone(key)).filter(below).collect();
        keys.insert(0, Key::from(path));
        keys.into_iter().filter_map(|key| self.listings.remove_entry(&key)).collect()
    }

    /// Every directory, parents first.
    pub(super) fn listings(&self) -> impl ExactSizeIterator<Item = (&Key, &Arc<Listing>)> {
        self.listings.iter()
    }
}

impl Listing {
    /// A directory that must be looked at.
    pub(super) fn unseen(place: Place) -> Self {
        Self { place, stamp: Stamp::never_trusted(StatKey::unknown()), entries: Vec::new(), failure: None }
    }

    pub(super) fn entry(&self, name: &CStr) -> Option<&Entry> {
        self.find(name).ok().map(|at| &self.entries[at].1)
    }

    /// Replaces an entry; returns what was there.
    pub(super) fn set(&mut self, name: CString, entry: Option<Entry>) -> Option<Entry> {
        match (self.find(&name), entry) {
            (Ok(at), Some(entry)) => Some(std::mem::replace(&mut self.entries[at].1, entry)),
            (Ok(at), None) => Some(self.entries.remove(at).1),
            (Err(at), Some(entry)) => {
                self.entries.insert(at, (name, entry));
                None
            }
            (Err(_), None) => None,
        }
    }

    fn find(&self, name: &CStr) -> Result<usize, usize> {
        // Listings arrive in order: the end is where most names go.
        match self.entries.last() {
            Some((last, _)) if last.as_c_str() < name => Err(self.entries.len()),
            _ => self.entries.binary_search_by(|(known, _)| known.as_c_str().cmp(name)),
        }
    }
}

impl Entry {
    /// Whether it is a directory that belongs to the bundle.
    pub(super) fn is_walked(&self, name: &CStr) -> bool {
        matches!(self, Self::Plain(EntryKind::Directory)) && !name.to_bytes().starts_with(b".")
    }
}

impl Held {
    /// Whether no event can be relied on to tell that it has changed.
    pub(super) fn is_restless(&self) -> bool {
        self.linked || matches!(self.content, None | Some(Content::Failed { .. })) || self.stamp.is_never_trusted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_out_is_a_directory_with_all_below_and_nothing_beside() {
        let mut tree = Tree::default();
        for path in ["", "a", "a-b", "a-b/c", "a/b", "a/b/c", "a0", "b"] {
            tree.add(path.as_bytes(), || Place::Root);
        }
        let taken: Vec<_> = tree.take(b"a").into_iter().map(|(key, _)| key).collect();
        assert_eq!(taken, [&b"a"[..], b"a/b", b"a/b/c"].map(Key::from));
        let left: Vec<_> = tree.listings().map(|(key, _)| Arc::clone(key)).collect();
        assert_eq!(left, [&b""[..], b"a-b", b"a-b/c", b"a0", b"b"].map(Key::from));
        assert!(tree.take(b"a").is_empty());
        assert_eq!(tree.take(b"").len(), 5);
    }
}
