//! Listing the concepts of a bundle by name alone (contract §4).

use std::path::Path;
use std::sync::Arc;

use rustix::io::Errno;

use super::DiskError;
use super::directory::{Directory, EntryKind};
use super::lock::LOCK_FILE;
use super::place::Place;
use super::stamp::{Precision, Stamp, StatKey, clock};
use crate::bundle::Role;
use crate::bundle_path::BundlePath;
use crate::parallel;

/// How often a tree that changes beneath the walk is walked again.
const ATTEMPTS: usize = 3;

/// From how many directories on a level of the tree is spread over threads.
const WORTH_THREADS: usize = 16;

/// The concepts of a bundle by name alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// The concepts with a good path, by path.
    pub concepts: Vec<BundlePath>,
    /// Number of concepts whose path breaks the rules.
    pub invalid_concepts: usize,
}

/// Lists the concepts of a bundle without looking at a file; the second time at the cost of its directories.
#[derive(Debug, Default)]
pub struct Surveyor {
    last: Option<(Vec<Surveyed>, Arc<Survey>)>,
}

/// A directory and the state in which it was listed.
#[derive(Debug)]
struct Surveyed {
    path: Box<[u8]>,
    stamp: Stamp,
}

/// What a directory holds.
struct Contents {
    stamp: Stamp,
    concepts: Vec<BundlePath>,
    invalid_concepts: usize,
    below: Vec<Place>,
}

impl Surveyor {
    /// The concepts as the disk is now. The very same survey as before when no directory has changed.
    ///
    /// # Errors
    ///
    /// The root cannot be opened or listed.
    pub fn survey(&mut self, root: &Path) -> Result<Arc<Survey>, DiskError> {
        let directory = Directory::open(root)?;
        if let Some((_, survey)) = self.last.as_ref().filter(|(surveyed, _)| hold(surveyed, &directory)) {
            return Ok(Arc::clone(survey));
        }
        let mut attempt = 1;
        loop {
            let (surveyed, survey, is_whole) = walk(&directory).map_err(|error| DiskError::new(root, error))?;
            // A directory that was moved away may have been overlooked where it is now.
            if is_whole || attempt == ATTEMPTS {
                return Ok(Arc::clone(&self.last.insert((surveyed, Arc::new(survey))).1));
            }
            attempt += 1;
        }
    }
}

/// Whether every directory is certain to hold the names that were listed.
fn hold(surveyed: &[Surveyed], root: &Directory) -> bool {
    let precision = (device(root), Precision::of(root));
    surveyed.iter().all(|Surveyed { path, stamp }| {
        let key = || Ok::<_, Errno>(StatKey::of(&root.beneath(path)?.stat_itself()?));
        key().is_ok_and(|key| {
            let precision = if Some(key.dev) == precision.0 { precision.1 } else { Precision::Coarse };
            stamp.holds_for_directory(&key, precision)
        })
    })
}

fn device(directory: &Directory) -> Option<u64> {
    directory.stat_itself().ok().map(|stat| StatKey::of(&stat).dev)
}

/// Walks level by level; tells whether every directory was still there.
fn walk(root: &Directory) -> Result<(Vec<Surveyed>, Survey, bool), Errno> {
    let (mut surveyed, mut survey, mut is_whole) = (Vec::new(), Survey::default(), true);
    let mut level = vec![Place::Root];
    while !level.is_empty() {
        let threads = if level.len() < WORTH_THREADS { 1 } else { parallel::threads() };
        let contents = parallel::map_on(threads, &level, |place| Contents::of(root, place));
        let mut below = Vec::new();
        for (place, contents) in level.iter().zip(contents) {
            let stamp = match contents {
                Ok(contents) => {
                    survey.concepts.extend(contents.concepts);
                    survey.invalid_concepts += contents.invalid_concepts;
                    below.extend(contents.below);
                    contents.stamp
                }
                Err(error) if matches!(place, Place::Root) => return Err(error),
                Err(error) => {
                    is_whole &= !matches!(error, Errno::NOENT | Errno::NOTDIR | Errno::LOOP);
                    Stamp::never_trusted(StatKey::unknown())
                }
            };
            surveyed.push(Surveyed { path: place.raw().into(), stamp });
        }
        level = below;
    }
    // Each directory is in order, which a stable sort makes use of.
    survey.concepts.sort();
    Ok((surveyed, survey, is_whole))
}

impl Contents {
    fn of(root: &Directory, place: &Place) -> Result<Self, Errno> {
        let directory = root.beneath(place.raw())?;
        let observed = clock();
        let stamp = Stamp::new(StatKey::of(&directory.stat_itself()?), observed);
        let mut contents = Self { stamp, concepts: Vec::new(), invalid_concepts: 0, below: Vec::new() };
        let at_root = matches!(place, Place::Root);
        for (name, kind) in directory.kinds()? {
            let Some(kind) = kind.or_else(|| Some(EntryKind::of(&directory.stat(&name).ok()?))) else { continue };
            let name = name.to_bytes();
            match kind {
                EntryKind::Directory if !name.starts_with(b".") => contents.below.push(Place::new(place, name)),
                EntryKind::File | EntryKind::Other if !(at_root && name == LOCK_FILE.as_bytes()) => {
                    contents.count(Place::new(place, name));
                }
                EntryKind::Directory | EntryKind::Link | EntryKind::File | EntryKind::Other => {}
            }
        }
        Ok(contents)
    }

    fn count(&mut self, place: Place) {
        match place {
            Place::Good(path) if Role::of(path.as_str()) == Role::Concept => self.concepts.push(path),
            Place::Bad { invalid, .. } => self.invalid_concepts += usize::from(invalid.concept),
            Place::Good(_) | Place::Root => {}
        }
    }
}
