//! Walking the tree of a bundle: every name and its state, without reading a file (contract §4).

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use rustix::io::Errno;

use super::DiskError;
use super::directory::{Directory, EntryKind};
use super::place::{Name, Place};
use super::stamp::{Precision, Stamp, StatKey, clock};
use crate::bundle::Role;
use crate::bundle_path::BundlePath;

/// Directories kept open on the way down. Deeper trees are climbed through `..`, so that depth costs no
/// descriptors.
const OPEN_ANCESTORS: usize = 64;

/// Every directory of a bundle as it was listed, parents first, siblings by name.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) precision: Option<(u64, Precision)>,
    pub(super) listings: Vec<Listing>,
}

/// One directory.
#[derive(Debug)]
pub(super) struct Listing {
    pub(super) place: Place,
    stamp: Stamp,
    pub(super) names: Arc<[Name]>,
    /// What each name was; `None` when it vanished in between.
    states: Vec<Option<State>>,
    pub(super) failure: Option<String>,
}

/// What a name stands for, and in which state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) kind: EntryKind,
    pub(super) key: StatKey,
}

/// The concepts of a bundle by name alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// The concepts with a good path, by path.
    pub concepts: Vec<BundlePath>,
    /// Number of concepts whose path breaks the rules.
    pub invalid_concepts: usize,
}

/// Lists the concepts of a bundle without reading them; the second time at the cost of its directories.
#[derive(Debug, Default)]
pub struct Surveyor {
    last: Option<(Tree, Arc<Survey>)>,
}

impl Surveyor {
    /// The concepts as the disk is now. The very same survey as before when no directory has changed.
    ///
    /// # Errors
    ///
    /// The root cannot be opened or listed.
    pub fn survey(&mut self, root: &Path) -> Result<Arc<Survey>, DiskError> {
        let unchanged = |(tree, _): &&(Tree, Arc<Survey>)| Directory::open(root).is_ok_and(|root| tree.holds(&root));
        if let Some((_, survey)) = self.last.as_ref().filter(unchanged) {
            return Ok(Arc::clone(survey));
        }
        let tree = Tree::settled(root)?;
        let survey = Arc::new(Survey::of(&tree));
        self.last = Some((tree.directories(), Arc::clone(&survey)));
        Ok(survey)
    }
}

impl Survey {
    fn of(tree: &Tree) -> Self {
        let mut survey = Self::default();
        for (name, state) in tree.entries().filter(|(_, state)| state.kind != EntryKind::Link) {
            match &name.place {
                _ if state.kind == EntryKind::Directory => {}
                Place::Good(path) if Role::of(path.as_str()) == Role::Concept => survey.concepts.push(path.clone()),
                Place::Bad { invalid, .. } => survey.invalid_concepts += usize::from(invalid.concept),
                Place::Good(_) | Place::Root => {}
            }
        }
        survey.concepts.sort_unstable();
        survey
    }
}

/// Why a walk did not come to its end.
pub(super) enum Interrupted {
    /// A directory was moved away beneath it; walking again helps.
    Moved,
    /// The root itself.
    Root(Errno),
}

impl Tree {
    /// Walks a root until no directory is moved away during the walk.
    fn settled(path: &Path) -> Result<Self, DiskError> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            match Self::walk(&Directory::open(path)?, None) {
                Ok(tree) => return Ok(tree),
                Err(Interrupted::Root(error)) => return Err(DiskError::new(path, error)),
                Err(Interrupted::Moved) if attempts == 3 => return Err(DiskError::new(path, Errno::AGAIN)),
                Err(Interrupted::Moved) => {}
            }
        }
    }

    /// Walks a tree. Where a directory is still what a previous walk saw, its names are taken from there
    /// and only its entries are looked at again.
    pub(super) fn walk(root: &Directory, previous: Option<&Self>) -> Result<Self, Interrupted> {
        Walk::new(root, previous).map_err(Interrupted::Root)?.run(root)
    }

    /// Every name with its state, directory by directory.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&Name, State)> {
        self.listings.iter().flat_map(Listing::entries)
    }

    /// How far the stamps on a device can be trusted: only those of the root's file system are known.
    pub(super) fn precision_on(&self, device: u64) -> Precision {
        match self.precision {
            Some((known, precision)) if known == device => precision,
            _ => Precision::Coarse,
        }
    }

    /// Whether both walks saw the same names in the same states.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.listings.len() == other.listings.len()
            && self.listings.iter().zip(&other.listings).all(|(a, b)| a.is_same(b))
    }

    /// Whether every directory is still in the state in which it was listed. Looks at directories only.
    pub(super) fn is_settled(&self, root: &Directory) -> bool {
        self.passes(root, Look::Glance)
    }

    /// Whether every directory is certain to hold the names that were listed. Looks at directories only.
    fn holds(&self, root: &Directory) -> bool {
        self.passes(root, Look::Proof)
    }

    /// The tree without what is no directory: all that is needed to tell whether it holds.
    fn directories(mut self) -> Self {
        for listing in &mut self.listings {
            let directories = listing.entries().filter(|(_, state)| state.kind == EntryKind::Directory);
            let (names, states): (Vec<Name>, _) = directories.map(|(name, state)| (name.clone(), Some(state))).unzip();
            (listing.names, listing.states) = (names.into(), states);
        }
        self
    }

    fn passes(&self, root: &Directory, look: Look) -> bool {
        let again = Walk::new(root, Some(self)).map(|walk| Walk { look, ..walk });
        again.map_err(Interrupted::Root).and_then(|walk| walk.run(root)).is_ok()
    }
}

impl Listing {
    fn entries(&self) -> impl Iterator<Item = (&Name, State)> {
        self.names.iter().zip(&self.states).filter_map(|(name, state)| Some((name, (*state)?)))
    }

    fn is_same(&self, other: &Self) -> bool {
        (Arc::ptr_eq(&self.names, &other.names) || self.names == other.names)
            && self.place == other.place
            && self.states == other.states
            && self.failure == other.failure
    }
}

/// A directory on the way from the root to where the walk is.
struct Frame {
    listing: usize,
    next: usize,
    /// `None` for the root, which the caller holds, and for ancestors far away.
    directory: Option<Directory>,
}

struct Walk<'a> {
    previous: HashMap<&'a [u8], &'a Listing>,
    precision: Option<(u64, Precision)>,
    listings: Vec<Listing>,
    look: Look,
}

/// What a walk looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// At directories and their entries.
    Everything,
    /// At directories only; stops at the first that is not as it was.
    Glance,
    /// Likewise, and at the first whose stamps are too young to prove it.
    Proof,
}

impl<'a> Walk<'a> {
    fn new(root: &Directory, previous: Option<&'a Tree>) -> Result<Self, Errno> {
        let device = StatKey::of(&root.stat_itself()?).dev;
        let listings = previous.map_or(&[][..], |tree| &tree.listings);
        Ok(Self {
            previous: listings.iter().map(|listing| (listing.place.raw(), listing)).collect(),
            precision: Some((device, Precision::of(root))),
            listings: Vec::with_capacity(listings.len()),
            look: Look::Everything,
        })
    }

    fn run(mut self, root: &Directory) -> Result<Tree, Interrupted> {
        let top = self.list(root, Place::Root).map_err(Interrupted::Root)?;
        let mut stack = vec![Frame { listing: self.push(top), next: 0, directory: None }];
        while let Some(depth) = stack.len().checked_sub(1) {
            let Frame { listing, next, directory } = &mut stack[depth];
            let here = match (depth, &*directory) {
                (0, _) => root,
                (_, Some(directory)) => directory,
                (_, None) => return Err(Interrupted::Moved),
            };
            match self.descend(here, *listing, next)? {
                Some(below) => {
                    stack.push(below);
                    if let Some(far) = stack.len().checked_sub(OPEN_ANCESTORS + 1) {
                        stack[far].directory = None;
                    }
                }
                None => {
                    let done = stack.pop();
                    if let (Some(above), Some(done)) = (stack.last_mut(), done) {
                        self.reopen(above, &done);
                    }
                }
            }
        }
        Ok(Tree { precision: self.precision, listings: self.listings })
    }

    fn push(&mut self, listing: Listing) -> usize {
        self.listings.push(listing);
        self.listings.len() - 1
    }

    /// Lists a directory and looks at each of its entries.
    fn list(&self, directory: &Directory, place: Place) -> Result<Listing, Errno> {
        let observed = clock();
        let key = StatKey::of(&directory.stat_itself()?);
        let previous = self.previous.get(place.raw());
        let precision = match self.precision {
            Some((device, precision)) if device == key.dev => precision,
            _ => Precision::Coarse,
        };
        if self.look != Look::Everything {
            let is_same = |stamp: &Stamp| match self.look {
                Look::Proof => stamp.holds_for_directory(&key, precision),
                _ => stamp.key == key,
            };
            let same = previous.filter(|known| is_same(&known.stamp)).ok_or(Errno::AGAIN)?;
            let (names, states) = (Arc::clone(&same.names), same.states.clone());
            return Ok(Listing { place, stamp: same.stamp, names, states, failure: None });
        }
        let known = previous.filter(|known| known.stamp.holds_for_directory(&key, precision));
        let (names, stamp) = match known {
            Some(known) => (Arc::clone(&known.names), known.stamp),
            None => {
                let names: Arc<[Name]> = Name::list(directory, &place)?;
                let same = previous.filter(|known| known.names == names);
                (same.map_or(names, |known| Arc::clone(&known.names)), Stamp::new(key, observed))
            }
        };
        let states = names.iter().map(|name| State::of(directory, name)).collect();
        Ok(Listing { place, stamp, names, states, failure: None })
    }

    /// Goes into the next directory below, listing it.
    fn descend(&mut self, here: &Directory, listing: usize, next: &mut usize) -> Result<Option<Frame>, Interrupted> {
        loop {
            let listing = &self.listings[listing];
            let at = *next;
            let Some(name) = listing.names.get(at) else { return Ok(None) };
            *next += 1;
            let is_directory = listing.states[at].is_some_and(|state| state.kind == EntryKind::Directory);
            if !is_directory || name.raw.as_bytes().starts_with(b".") {
                continue;
            }
            let place = name.place.clone();
            match here.child(&name.raw).and_then(|child| Ok((self.list(&child, place.clone())?, child))) {
                Ok((listing, child)) => {
                    return Ok(Some(Frame { listing: self.push(listing), next: 0, directory: Some(child) }));
                }
                Err(Errno::AGAIN) if self.look != Look::Everything => return Err(Interrupted::Moved),
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
                Err(error) => {
                    self.push(Listing::failed(place, error));
                }
            }
        }
    }

    /// Opens an ancestor again that was closed on the way down; leaves it closed when it is not the
    /// directory that it was.
    fn reopen(&self, above: &mut Frame, below: &Frame) {
        let listing = &self.listings[above.listing];
        if above.directory.is_some() || matches!(listing.place, Place::Root) {
            return;
        }
        let parent = below.directory.as_ref().and_then(|directory| directory.parent().ok());
        above.directory = parent.filter(|parent| {
            parent.stat_itself().is_ok_and(|stat| StatKey::of(&stat).is_same_object(&listing.stamp.key))
        });
    }
}

impl Listing {
    /// A directory that cannot be listed; looked at again at every walk.
    fn failed(place: Place, error: Errno) -> Self {
        let message = std::io::Error::from(error).to_string();
        let stamp = Stamp::never_trusted(StatKey::unknown());
        Self { place, stamp, names: Arc::new([]), states: Vec::new(), failure: Some(message) }
    }
}

impl State {
    fn of(directory: &Directory, name: &Name) -> Option<Self> {
        let stat = directory.stat(&name.raw).ok()?;
        Some(Self { kind: EntryKind::of(&stat), key: StatKey::of(&stat) })
    }
}
