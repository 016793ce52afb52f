//! A bundle in memory that follows the disk at the cost of what changed.

use std::collections::{BTreeSet, HashSet};
use std::ffi::CString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use super::DiskError;
use super::directory::{Directory, join};
use super::follow::{Following, Pace};
use super::ledger::Ledger;
use super::look::{Change, Eye, Found, Sight};
use super::marks::Marks;
use super::place::Place;
use super::stamp::Object;
use super::tree::{Entry, Key, Listing, Tree};
use crate::bundle::Bundle;

/// How often a tree that changes beneath the walk is walked again before it is served as it was caught.
const ATTEMPTS: usize = 4;

/// The last picture of a bundle and all that is needed to bring it up to date.
#[derive(Debug)]
pub(crate) struct Mirror {
    pub(super) root: PathBuf,
    bundle: Option<Arc<Bundle>>,
    pub(super) tree: Tree,
    /// What the bundle has not been told yet.
    ledger: Ledger,
    /// Files whose changes raise no event that one could rely on, and directories likewise.
    pub(super) restless: Restless,
    /// Files that have been seen with several names, and so may be open under one that is gone.
    pub(super) linked: HashSet<Object>,
    /// Directories that have turned up and are to be looked at next.
    pub(super) arrived: BTreeSet<Key>,
    /// `None` where everything is looked at each time.
    pub(super) following: Option<Following>,
}

/// What has to be looked at however quiet it is.
#[derive(Debug, Default)]
pub(super) struct Restless {
    pub(super) files: BTreeSet<(Key, CString)>,
    pub(super) directories: BTreeSet<Key>,
}

impl Mirror {
    /// A mirror of a resolved root; it has looked at nothing yet.
    pub(crate) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            bundle: None,
            tree: Tree::default(),
            ledger: Ledger::default(),
            restless: Restless::default(),
            linked: HashSet::new(),
            arrived: BTreeSet::new(),
            following: None,
        }
    }

    /// A mirror that is kept up to date by what the kernel announces, where that can be had.
    pub(crate) fn following(root: &Path, pace: Pace) -> Self {
        Self { following: Some(Following::new(pace)), ..Self::new(root) }
    }

    /// The bundle as the disk is now; the very same one when nothing has changed.
    ///
    /// # Errors
    ///
    /// The root is gone or unreadable.
    pub(crate) fn refresh(&mut self) -> Result<Arc<Bundle>, DiskError> {
        let mut attempt = 1;
        loop {
            let root = Directory::open(&self.root)?;
            let eye = Eye::new(&root).map_err(|error| DiskError::new(&self.root, error))?;
            let eye = if self.following.is_some() { eye.thorough() } else { eye };
            if self.follow(&root, &eye)? {
                return Ok(self.assemble());
            }
            let all_there = self.look_at_everything(&eye)?;
            // What moved during the walk may have been seen twice or not at all.
            if attempt == ATTEMPTS || !self.ledger.has_news() || (all_there && eye.is_settled(&self.tree)) {
                return Ok(self.assemble());
            }
            attempt += 1;
        }
    }

    /// The bundle for a caller that looks once.
    pub(crate) fn load(mut self) -> Result<Bundle, DiskError> {
        let shared = self.refresh()?;
        drop(self);
        Ok(Arc::into_inner(shared).expect("the mirror held the only other reference"))
    }

    /// Looks at every directory and every file of the bundle; tells whether each file that was seen was still
    /// there to be read.
    fn look_at_everything(&mut self, eye: &Eye<'_>) -> Result<bool, DiskError> {
        let mut all_there = true;
        self.tree.add(b"", || Place::Root);
        let mut paths: Vec<Key> = self.tree.listings().map(|(path, _)| Arc::clone(path)).collect();
        while !paths.is_empty() {
            let found = eye.pass(&self.tree, &paths);
            all_there &= self.learn(found).map_err(|error| DiskError::new(&self.root, error))?;
            paths = std::mem::take(&mut self.arrived).into_iter().collect();
        }
        Ok(all_there)
    }

    /// Takes over what was found; tells whether each file that was seen was still there to be read.
    ///
    /// # Errors
    ///
    /// The root is gone or cannot be listed.
    pub(super) fn learn(&mut self, found: Vec<Found>) -> Result<bool, Errno> {
        let mut all_there = true;
        for Found { path, sight } in found {
            match sight {
                Sight::Gone if path.is_empty() => return Err(Errno::NOENT),
                Sight::Closed(error) if path.is_empty() => return Err(error),
                Sight::Gone => self.close(&path, None),
                Sight::Closed(error) => self.close(&path, Some(std::io::Error::from(error).to_string())),
                Sight::Listed { stamp, changes } => {
                    let Some(listing) = self.tree.get_mut(&path) else { continue };
                    listing.stamp = stamp;
                    if listing.failure.take().is_some() {
                        self.ledger.listed(&listing.place, None);
                    }
                    self.restless.directories.remove(&path);
                    for Change { name, mut entry, linked, .. } in changes {
                        self.linked.extend(linked);
                        if let Some(Entry::Markdown(held)) = &mut entry {
                            all_there &= held.content.is_some();
                            held.linked |= self.linked.contains(&held.stamp.key.object());
                        }
                        self.set(&path, name, entry);
                    }
                }
            }
        }
        Ok(all_there)
    }

    /// Replaces an entry; what lay below goes with it, and what may lie below it now is to be looked at.
    fn set(&mut self, path: &Key, name: CString, entry: Option<Entry>) {
        let Some(listing) = self.tree.get_mut(path) else { return };
        self.ledger.entry(&listing.place, &name, listing.entry(&name), entry.as_ref());
        let is_walked = entry.as_ref().is_some_and(|entry| entry.is_walked(&name));
        let is_restless = matches!(&entry, Some(Entry::Markdown(held)) if held.is_restless());
        let child = join(path, name.to_bytes());
        let place = is_walked.then(|| Place::new(&listing.place, name.to_bytes()));
        let before = listing.set(name.clone(), entry);
        let was_walked = before.as_ref().is_some_and(|entry| entry.is_walked(&name));
        let was_restless = matches!(&before, Some(Entry::Markdown(held)) if held.is_restless());
        if is_restless {
            self.restless.files.insert((Arc::clone(path), name));
        } else if was_restless {
            self.restless.files.remove(&(Arc::clone(path), name));
        }
        match place {
            Some(place) => drop(self.arrived.insert(self.tree.add(&child, || place))),
            None if was_walked => self.drop_directory(&child),
            None => {}
        }
    }

    /// A directory that is known to be there, but not what is in it.
    fn close(&mut self, path: &Key, failure: Option<String>) {
        let Some(listing) = self.tree.get(path).cloned() else { return };
        for (name, _) in listing.entries.iter().rev() {
            self.set(path, name.clone(), None);
        }
        if listing.failure != failure {
            self.ledger.listed(&listing.place, failure.as_deref());
        }
        if let Some(closed) = self.tree.get_mut(path) {
            *closed = Listing { failure, ..Listing::unseen(listing.place.clone()) };
        }
        self.restless.directories.insert(Arc::clone(path));
    }

    fn drop_directory(&mut self, path: &[u8]) {
        for (path, listing) in self.tree.take(path) {
            for (name, entry) in &listing.entries {
                self.ledger.entry(&listing.place, name, Some(entry), None);
                if matches!(entry, Entry::Markdown(held) if held.is_restless()) {
                    self.restless.files.remove(&(Arc::clone(&path), name.clone()));
                }
            }
            if listing.failure.is_some() {
                self.ledger.listed(&listing.place, None);
            }
            self.restless.directories.remove(&path);
            self.arrived.remove(&path);
            if let Some(watch) = self.following.as_mut().and_then(|following| following.watch.as_mut()) {
                watch.forget(&path);
            }
        }
    }

    /// Brings the bundle up to date; keeps it when it is so already, so that what was built on it lives on.
    fn assemble(&mut self) -> Arc<Bundle> {
        let news = match &self.bundle {
            Some(bundle) => self.ledger.settle(bundle),
            None => Some(Bundle::from_parts(self.ledger.parts(self.root.clone(), &self.tree))),
        };
        let last = self.bundle.take();
        let bundle = news.map(Arc::new).or(last).expect("what was never told of is news");
        Arc::clone(self.bundle.insert(bundle))
    }

    pub(super) fn has_bundle(&self) -> bool {
        self.bundle.is_some()
    }
}

impl Restless {
    /// Marks everything restless.
    pub(super) fn mark(&self, marks: &mut Marks) {
        self.directories.iter().for_each(|path| marks.directory(path));
        self.files.iter().for_each(|(path, name)| marks.entry(path, name));
    }
}
