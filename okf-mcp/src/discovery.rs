//! Which bundle to serve: the closed rule (contract §9).

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

use okf_core::bundle::Role;
use okf_core::disk::{self, Directory, DiskError, EntryKind};
use okf_core::finding::Escaped;

use crate::identity::head::{self, HEAD_LIMIT};
use crate::identity::title::RootIndex;

/// Directories that hold no bundle of ours: version control and build products.
const FOREIGN: [&str; 11] =
    [".git", ".hg", ".svn", ".jj", ".sl", ".bzr", ".pijul", "_darcs", "CVS", "node_modules", "target"];

/// Entries after which the search for a typed concept gives up.
const SEARCHED: usize = 10_000;

/// Most candidates that an error names.
const NAMED: usize = 20;

/// Why no single bundle was found.
#[derive(Debug)]
pub enum DiscoveryError {
    /// A given path is no bundle directory.
    Disk(DiskError),
    /// Neither the directory nor a child of it is a bundle root.
    None {
        /// Where it was looked for.
        directory: PathBuf,
    },
    /// Several children are bundle roots.
    Several {
        /// Where it was looked for.
        directory: PathBuf,
        /// The candidates, by name.
        candidates: Vec<PathBuf>,
    },
}

impl fmt::Display for DiscoveryError {
    /// One line that says what to do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |path: &Path| Escaped(&path.to_string_lossy()).to_string();
        match self {
            Self::Disk(error) => error.fmt(f),
            Self::None { directory } => write!(
                f,
                "no bundle in `{}` or directly below it: pass a bundle directory or `-C DIR` \
                 (a bundle root is a directory whose `index.md` declares `okf_version`)",
                shown(directory)
            ),
            Self::Several { directory, candidates } => {
                write!(f, "several bundles in `{}`, pass one of them:", shown(directory))?;
                for (n, candidate) in candidates.iter().take(NAMED).enumerate() {
                    let name = candidate.file_name().map_or(candidate.as_path(), Path::new);
                    write!(f, "{} `{}`", if n == 0 { "" } else { "," }, shown(name))?;
                }
                match candidates.len().saturating_sub(NAMED) {
                    0 => Ok(()),
                    more => write!(f, " and {more} more"),
                }
            }
        }
    }
}

impl std::error::Error for DiscoveryError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Disk(error) => error.source(),
            Self::None { .. } | Self::Several { .. } => None,
        }
    }
}

impl From<DiskError> for DiscoveryError {
    fn from(error: DiskError) -> Self {
        Self::Disk(error)
    }
}

/// Finds the bundle: the given directory (relative to `directory`), else the closed rule from `directory`.
///
/// The path that is found is absolute and resolved. A given path is taken as it is: `~` is a name like any
/// other, and the directory need not be a bundle root.
///
/// # Errors
///
/// See [`DiscoveryError`].
pub fn find(directory: &Path, given: Option<&Path>) -> Result<PathBuf, DiscoveryError> {
    if let Some(given) = given {
        return Ok(disk::resolve_root(&directory.join(given))?);
    }
    let directory = disk::resolve_root(directory)?;
    if is_bundle_root(&directory) {
        return Ok(directory);
    }
    let here = Directory::open(&directory)?;
    let mut candidates = root_children(&here);
    match candidates.len() {
        0 => Err(DiscoveryError::None { directory }),
        1 => Ok(directory.join(candidates.remove(0))),
        _ => {
            let candidates = candidates.into_iter().map(|name| directory.join(name)).collect();
            Err(DiscoveryError::Several { directory, candidates })
        }
    }
}

/// Whether a directory is a bundle root.
///
/// ```
/// # let directory = tempfile::tempdir()?;
/// let index = directory.path().join("index.md");
/// std::fs::write(&index, "# Home\n")?;
/// assert!(!okf_mcp::discovery::is_bundle_root(directory.path()), "nothing is declared, and there is no concept");
/// std::fs::write(&index, "---\nokf_version: \"0.2\"\n---\n# Home\n")?;
/// assert!(okf_mcp::discovery::is_bundle_root(directory.path()));
/// # Ok::<(), std::io::Error>(())
/// ```
#[must_use]
pub fn is_bundle_root(directory: &Path) -> bool {
    let Ok(resolved) = disk::resolve_root(directory) else { return false };
    let Ok(here) = Directory::open(&resolved) else { return false };
    match declares(&here) {
        None => false,
        Some(true) => true,
        Some(false) => {
            let parent = resolved.parent().and_then(|parent| Directory::open(parent).ok());
            !parent.is_some_and(|parent| has_index(&parent)) && holds_typed_concept(&here, SEARCHED)
        }
    }
}

/// The names of the immediate children that are bundle roots, by name: those that declare it, else the others.
fn root_children(here: &Directory) -> Vec<PathBuf> {
    let mut declared = Vec::new();
    let mut undeclared = Vec::new();
    for (name, kind) in here.entries(usize::MAX) {
        if kind != EntryKind::Directory || is_foreign(&name) {
            continue;
        }
        let name = PathBuf::from(name);
        match here.directory(&name).as_ref().and_then(declares) {
            Some(true) => declared.push(name),
            Some(false) => undeclared.push(name),
            None => {}
        }
    }
    if declared.is_empty() && !has_index(here) {
        undeclared.retain(|name| here.directory(name).is_some_and(|child| holds_typed_concept(&child, SEARCHED)));
        return undeclared;
    }
    declared
}

/// Whether the directory's own `index.md` declares `okf_version`; `None` without one.
fn declares(directory: &Directory) -> Option<bool> {
    if !has_index(directory) {
        return None;
    }
    Some(RootIndex::read(directory).is_some_and(|index| index.declared_version().is_some()))
}

fn has_index(directory: &Directory) -> bool {
    directory.entry_kind(OsStr::new("index.md")) == Some(EntryKind::File)
}

/// Whether a concept with a `type` of its own lies in the directory or below, nearest first; gives up after
/// a number of entries.
fn holds_typed_concept(root: &Directory, limit: usize) -> bool {
    let mut left = limit;
    let mut pending = VecDeque::from([PathBuf::new()]);
    while let Some(path) = pending.pop_front() {
        let Some(directory) = root.directory(&path) else { continue };
        let is_top = path.as_os_str().is_empty();
        if !is_top && declares(&directory) == Some(true) {
            continue;
        }
        let entries = directory.entries(left);
        left -= entries.len();
        for (name, kind) in entries {
            match kind {
                EntryKind::File if is_typed_concept(&directory, &name) => return true,
                EntryKind::Directory if !is_foreign(&name) && !is_hidden(&name) => pending.push_back(path.join(name)),
                _ => {}
            }
        }
        if left == 0 {
            return false;
        }
    }
    false
}

fn is_typed_concept(directory: &Directory, name: &OsStr) -> bool {
    name.to_str().is_some_and(|name| Role::of(name) == Role::Concept)
        && directory.head(Path::new(name), HEAD_LIMIT).is_some_and(|bytes| head::read("", bytes).concept_type.is_some())
}

fn is_foreign(name: &OsStr) -> bool {
    FOREIGN.iter().any(|foreign| name == *foreign)
}

fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}
