//! A bundle in memory that follows the disk: looks at everything, reads what differs or is suspect.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::io::Errno;

use super::directory::{Directory, EntryKind};
use super::place::Place;
use super::read::{Reading, read};
use super::stamp::{Stamp, StatKey, clock};
use super::walk::{Interrupted, Tree};
use super::{DiskError, Overlay};
use crate::bundle::{Bundle, Content, File, Parts, Role, UnlistedDirectory};
use crate::bundle_path::BundlePath;
use crate::document::Revision;
use crate::parallel;

/// How often a tree that changes beneath the walk is walked again before it is served as it was caught.
const ATTEMPTS: usize = 4;

/// The last picture of a bundle and all that is needed to bring it up to date.
#[derive(Debug)]
pub(crate) struct Mirror {
    root: PathBuf,
    tree: Tree,
    held: HashMap<BundlePath, Held>,
    bundle: Option<Arc<Bundle>>,
    /// Whether the tree or a content has changed since the bundle was put together.
    outdated: bool,
}

/// The content of a Markdown file and the state of the file that it belongs to.
#[derive(Debug)]
struct Held {
    stamp: Stamp,
    content: Content,
}

/// What reading a file found out.
enum News {
    Same(Stamp),
    Changed(Held),
    Gone,
}

impl Mirror {
    /// A mirror of a resolved root; it has looked at nothing yet.
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: root.to_owned(), tree: Tree::default(), held: HashMap::new(), bundle: None, outdated: true }
    }

    /// The bundle as the disk is now; the very same one when nothing has changed.
    ///
    /// # Errors
    ///
    /// The root is gone or unreadable, or its directories never rest.
    pub(crate) fn refresh(&mut self) -> Result<Arc<Bundle>, DiskError> {
        let mut attempt = 1;
        loop {
            let last = attempt == ATTEMPTS;
            let root = Directory::open(&self.root)?;
            match Tree::walk(&root, Some(&self.tree)) {
                Ok(tree) => {
                    let all_there = self.follow(tree, &root);
                    if let Some(bundle) = self.bundle.as_ref().filter(|_| !self.outdated) {
                        return Ok(Arc::clone(bundle));
                    }
                    // What moved during the walk may have been seen twice or not at all.
                    if last || (all_there && self.tree.is_settled(&root)) {
                        return Ok(self.assemble());
                    }
                }
                Err(Interrupted::Root(error)) => return Err(DiskError::new(&self.root, error)),
                Err(Interrupted::Moved) if last => return Err(DiskError::new(&self.root, Errno::AGAIN)),
                Err(Interrupted::Moved) => {}
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

    /// The bundle as it was last seen, with some files otherwise.
    pub(crate) fn overlaid(&self, overlay: &Overlay) -> Bundle {
        let files = overlay.files.iter().map(|(path, bytes)| (path, bytes.as_deref()));
        match &self.bundle {
            Some(bundle) => bundle.overlaid(files),
            None => Bundle::from_parts(self.parts()).overlaid(files),
        }
    }

    /// Takes over what a walk saw and reads what differs or is suspect; tells whether every file that the
    /// walk saw was still there to be read.
    fn follow(&mut self, tree: Tree, root: &Directory) -> bool {
        let now = clock();
        let mut markdown = 0;
        let mut wanted = Vec::new();
        for (path, state) in markdown_files(&tree) {
            markdown += 1;
            let held = self.held.get(path);
            let precision = tree.precision_on(state.dev);
            if !held.is_some_and(|held| held.stamp.holds_for_file(&state, precision, now)) {
                wanted.push((path, held));
            }
        }
        let news = parallel::map(&wanted, |(path, held)| News::of(root, path, *held));
        let news: Vec<_> = wanted.into_iter().map(|(path, _)| path.clone()).zip(news).collect();
        let all_there = self.learn(news);
        if self.held.len() > markdown {
            let present: HashSet<&BundlePath> = markdown_files(&tree).map(|(path, _)| path).collect();
            self.held.retain(|path, _| present.contains(path));
        }
        self.outdated |= !self.tree.is_same(&tree);
        self.tree = tree;
        all_there
    }

    fn learn(&mut self, news: Vec<(BundlePath, News)>) -> bool {
        let mut all_there = true;
        for (path, news) in news {
            match news {
                News::Same(stamp) => {
                    if let Some(held) = self.held.get_mut(&path) {
                        held.stamp = stamp;
                    }
                }
                News::Changed(held) => {
                    self.outdated = true;
                    self.held.insert(path, held);
                }
                News::Gone => {
                    self.outdated = true;
                    self.held.remove(&path);
                    all_there = false;
                }
            }
        }
        all_there
    }

    /// Puts the bundle together; keeps the last one when it turns out to be the same, so that what was
    /// built on it lives on.
    fn assemble(&mut self) -> Arc<Bundle> {
        let parts = self.parts();
        let bundle = match self.bundle.take() {
            Some(bundle) if bundle.is_made_of(&parts) => bundle,
            _ => Arc::new(Bundle::from_parts(parts)),
        };
        self.outdated = false;
        self.bundle = Some(Arc::clone(&bundle));
        bundle
    }

    fn parts(&self) -> Parts {
        let mut parts = Parts { root: self.root.clone(), ..Parts::default() };
        let mut files = Vec::with_capacity(self.held.len());
        for (name, state) in self.tree.entries() {
            match (state.kind, &name.place) {
                (EntryKind::Directory, Place::Good(path)) if !path.file_name().starts_with('.') => {
                    parts.directories.insert(path.as_str().into());
                }
                (EntryKind::Link, place) => parts.skipped_links.push(place.shown()),
                (kind @ (EntryKind::File | EntryKind::Other), Place::Good(path)) => {
                    files.extend(self.file(path, kind).map(|file| (path.clone(), file)));
                }
                (EntryKind::File | EntryKind::Other, Place::Bad { invalid, .. }) => {
                    parts.invalid_paths.push(invalid.clone());
                }
                (_, Place::Root | Place::Good(_) | Place::Bad { .. }) => {}
            }
        }
        for listing in &self.tree.listings {
            if let Some(message) = &listing.failure {
                parts.unlisted.push(UnlistedDirectory { shown: listing.place.shown(), message: message.clone() });
            }
        }
        files.sort_by(|(a, _), (b, _)| a.cmp(b));
        parts.files = files.into_iter().collect();
        parts.skipped_links.sort();
        parts.invalid_paths.sort_by(|a, b| a.shown.cmp(&b.shown));
        parts.unlisted.sort_by(|a, b| a.shown.cmp(&b.shown));
        parts
    }

    /// The file at a path; `None` when it was gone before it could be read.
    fn file(&self, path: &BundlePath, kind: EntryKind) -> Option<File> {
        let role = Role::of(path.as_str());
        if role == Role::Asset {
            return Some(File::Asset);
        }
        let content = match kind {
            EntryKind::File => self.held.get(path)?.content.clone(),
            _ => Content::Failed { message: "not a regular file".to_owned() },
        };
        Some(File::new(role, || content))
    }
}

impl News {
    fn of(root: &Directory, path: &BundlePath, held: Option<&Held>) -> Self {
        let known = held.map(|held| &held.content);
        let (content, stamp) = match read(root, path.as_str().as_bytes()) {
            Reading::Gone => return Self::Gone,
            Reading::Failed(message) => (Content::Failed { message }, Stamp::never_trusted(StatKey::unknown())),
            Reading::Whole(bytes, stamp) => {
                // Hashing is far cheaper than parsing.
                let revision = known.and_then(Content::document).map(|document| document.revision());
                if revision.is_some_and(|revision| revision == Revision::of(&bytes)) {
                    return Self::Same(stamp);
                }
                (Content::decode(path, bytes), stamp)
            }
        };
        match known {
            Some(known) if known.is_same(&content) => Self::Same(stamp),
            _ => Self::Changed(Held { stamp, content }),
        }
    }
}

/// The files whose content counts, with the state that a walk saw.
fn markdown_files(tree: &Tree) -> impl Iterator<Item = (&BundlePath, StatKey)> {
    tree.entries().filter_map(|(name, state)| match &name.place {
        Place::Good(path) if state.kind == EntryKind::File && Role::of(path.as_str()) != Role::Asset => {
            Some((path, state.key))
        }
        _ => None,
    })
}
