//! Committing: all files of a change, or none (contract §8, design, Writes).
//!
//! 1. The new contents and a second name of each old one go to the stage; everything there is synced.
//! 2. The journal goes to the lock file and is synced: from here on the commit can be finished.
//! 3. Directories are made, files renamed, the directories synced, the journal emptied and synced.
//!
//! A failure in 1 and 2 leaves the old state. A failure in 3 takes everything back; when even that fails, the
//! journal stays and the next holder of the lock finishes or undoes the rest.

use std::collections::BTreeSet;
use std::fmt;

use rustix::io::Errno;

use super::apply::{self, State};
use super::directory::{Directory, EntryKind};
use super::journal::{self, Entry, Journal};
use super::lock::{LOCK_FILE, WriteLock};
use super::ops;
use super::stage::{self, STAGE, Stage};
use super::target::{self, Found};
use super::writable::is_read_only;
use crate::bundle_path::BundlePath;
use crate::document::Revision;
use crate::finding::Escaped;

/// The new content of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileEdit {
    /// Which file.
    pub path: BundlePath,
    /// The content that it must have; `None` when it must not exist and is created.
    pub before: Option<Revision>,
    /// The content that it gets.
    pub after: Vec<u8>,
}

/// Why a commit failed, and what stands now.
#[derive(Debug)]
pub struct CommitError {
    /// Which state of the bundle stands.
    pub standing: Standing,
    /// What went wrong first.
    pub kind: CommitErrorKind,
}

/// Which state of the bundle stands after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The old one; nothing was changed.
    Old,
    /// The new one; everything is in place.
    New,
    /// Neither yet: the next command finishes or undoes the change.
    Pending,
}

/// What went wrong with a commit.
#[derive(Debug)]
pub enum CommitErrorKind {
    /// A file is not as it was when the change was prepared.
    Stale {
        /// The file.
        path: BundlePath,
        /// What it holds now; `None` when it is gone.
        current: Option<Revision>,
    },
    /// A file that was to be created exists.
    Exists {
        /// The file.
        path: BundlePath,
    },
    /// Something that is no file or directory has the place of one, for instance a symbolic link.
    Blocked {
        /// Where.
        path: BundlePath,
        /// What is there.
        by: EntryKind,
    },
    /// A file may not be written.
    ReadOnly {
        /// The file.
        path: BundlePath,
    },
    /// A directory belongs to another mount: files cannot be moved there in one step.
    NestedMount {
        /// A file in it.
        path: BundlePath,
    },
    /// The path belongs to the lock or the stage, or was given twice.
    Unusable {
        /// The path.
        path: BundlePath,
    },
    /// Somebody deleted or replaced the lock file while it was held.
    LockLost,
    /// The operating system refused.
    Io {
        /// What was tried, as in “cannot …”.
        doing: &'static str,
        /// On which file, where there is one.
        path: Option<BundlePath>,
        /// Its reason.
        error: std::io::Error,
    },
}

impl WriteLock {
    /// Writes all edits or none. An edit that changes nothing is left out.
    ///
    /// Owner, mode and extended attributes of a replaced file are kept, as far as one may set them; other
    /// hard links to it keep the old content.
    ///
    /// # Errors
    ///
    /// See [`CommitErrorKind`]; [`CommitError::standing`] says which state stands.
    pub fn commit(&mut self, edits: &[FileEdit]) -> Result<(), CommitError> {
        self.finish_pending().map_err(|error| error.with(Standing::Pending))?;
        let left = io("empty the directory `.okf-stage`", None);
        stage::discard(&self.root).map_err(|error| left(error).with(Standing::Old))?;
        let plan = Plan::new(&self.root, edits).map_err(|kind| kind.with(Standing::Old))?;
        if plan.journal.files.is_empty() {
            return Ok(());
        }
        self.stage(&plan).map_err(|kind| {
            let _ = stage::discard(&self.root);
            kind.with(Standing::Old)
        })?;
        self.open_journal(&plan.journal)?;
        if let Err(kind) = self.apply(&plan.journal) {
            return Err(kind.with(self.roll_back(&plan.journal)));
        }
        self.close_journal().map_err(|error| io("close the journal", None)(error).with(Standing::New))?;
        // What cannot be removed now is removed by the next holder of the lock.
        let _ = stage::discard(&self.root);
        Ok(())
    }

    /// Brings an earlier commit under the same lock to its end that could not do so itself.
    fn finish_pending(&mut self) -> Result<(), CommitErrorKind> {
        let failed = io("finish the write before this one", None);
        if rustix::fs::fstat(&*self.file).map_err(&failed)?.st_size != 0
            && let Some(recovery) = self.recover().map_err(&failed)?
        {
            self.recovery = Some(recovery);
        }
        Ok(())
    }

    fn check_lock(&self) -> Result<(), CommitErrorKind> {
        match self.is_held() {
            Ok(true) => Ok(()),
            Ok(false) => Err(CommitErrorKind::LockLost),
            Err(error) => Err(io("look at the lock file", None)(error)),
        }
    }

    fn stage(&self, plan: &Plan<'_>) -> Result<(), CommitErrorKind> {
        self.check_lock()?;
        let stage = Stage::make(&self.root).map_err(io("make the directory `.okf-stage`", None))?;
        for (number, planned) in plan.files.iter().enumerate() {
            let path = &planned.edit.path;
            let failed = io("stage", Some(path));
            let name = path.file_name();
            match &planned.old {
                Some(old) => {
                    let directory = target::directory_of(&self.root, path).map_err(&failed)?;
                    let model = directory.open_file(name.as_bytes()).map_err(&failed)?;
                    stage.put(number, &planned.edit.after, Some(&model)).map_err(&failed)?;
                    stage.keep(number, &directory, name, old).map_err(&failed)?;
                }
                None => stage.put(number, &planned.edit.after, None).map_err(&failed)?,
            }
        }
        ops::sync_directory(&stage.directory).map_err(io("sync the directory `.okf-stage`", None))?;
        // The name of the stage.
        ops::sync_directory(&self.root).map_err(io("sync the root", None))
    }

    /// Writes the journal: the commit point.
    fn open_journal(&self, journal: &Journal) -> Result<(), CommitError> {
        let bytes = journal.encode();
        let written = self.check_lock().and_then(|()| {
            if bytes.len() as u64 > journal::LIMIT {
                return Err(io("write so long a journal", None)(Errno::FBIG));
            }
            ops::write(&self.file, &bytes)
                .and_then(|()| ops::sync_file(&self.file))
                .map_err(io("write the journal", None))
        });
        written.map_err(|kind| {
            // Once it is empty nothing of it can come back but a journal of which nothing was carried out.
            let standing = match ops::empty(&self.file) {
                Ok(()) => {
                    let _ = ops::sync_file(&self.file);
                    let _ = stage::discard(&self.root);
                    Standing::Old
                }
                Err(_) => Standing::Pending,
            };
            kind.with(standing)
        })
    }

    fn apply(&self, journal: &Journal) -> Result<(), CommitErrorKind> {
        let stage = Stage::open(&self.root).map_err(io("open the stage", None))?;
        let stage = stage.ok_or_else(|| io("open the stage", None)(Errno::NOENT))?;
        apply::make_directories(&self.root, journal).map_err(io("make the new directories", None))?;
        for (number, entry) in journal.files.iter().enumerate() {
            let failed = io(if entry.before.is_some() { "replace" } else { "create" }, Some(&entry.path));
            match State::of(&self.root, entry).map_err(&failed)? {
                State::New => {}
                State::Old => match apply::put_in_place(&self.root, &stage, number, entry) {
                    Err(Errno::EXIST) => return Err(CommitErrorKind::Exists { path: entry.path.clone() }),
                    Err(Errno::XDEV) => return Err(CommitErrorKind::NestedMount { path: entry.path.clone() }),
                    result => result.map_err(&failed)?,
                },
                State::Foreign => return Err(stale(&self.root, entry).map_err(&failed)?),
            }
        }
        for (number, entry) in journal.files.iter().enumerate() {
            let Some(before) = entry.before else { continue };
            // Somebody may have written into the old file between the last look and its replacement.
            let kept = stage.holds(&Stage::old_name(number), before).map_err(io("check", Some(&entry.path)))?;
            if !kept {
                return Err(CommitErrorKind::Stale { path: entry.path.clone(), current: None });
            }
        }
        apply::sync_directories(&self.root, journal).map_err(io("sync the directories", None))
    }

    fn roll_back(&self, journal: &Journal) -> Standing {
        let undone = Stage::open(&self.root)
            .and_then(|stage| apply::undo(&self.root, stage.as_ref(), journal))
            .and_then(|lost| if lost.is_empty() { self.close_journal() } else { Err(Errno::NOENT) });
        if undone.is_err() {
            return Standing::Pending;
        }
        let _ = stage::discard(&self.root);
        Standing::Old
    }
}

/// What is going to be written, checked against the disk.
struct Plan<'a> {
    journal: Journal,
    /// In the order of the journal.
    files: Vec<Planned<'a>>,
}

struct Planned<'a> {
    edit: &'a FileEdit,
    old: Option<Vec<u8>>,
}

impl<'a> Plan<'a> {
    fn new(root: &Directory, edits: &'a [FileEdit]) -> Result<Self, CommitErrorKind> {
        let mut plan = Self { journal: Journal::default(), files: Vec::new() };
        let mut seen = BTreeSet::new();
        for edit in edits {
            let reserved = matches!(edit.path.segments().next(), Some(LOCK_FILE | STAGE));
            if reserved || !seen.insert(&edit.path) {
                return Err(CommitErrorKind::Unusable { path: edit.path.clone() });
            }
            let old = plan.examine(root, edit)?;
            let after = Revision::of(&edit.after);
            if edit.before != Some(after) {
                plan.journal.files.push(Entry { path: edit.path.clone(), before: edit.before, after });
                plan.files.push(Planned { edit, old });
            }
        }
        Ok(plan)
    }

    /// Checks that a file is as it should be; returns its content.
    fn examine(&mut self, root: &Directory, edit: &FileEdit) -> Result<Option<Vec<u8>>, CommitErrorKind> {
        let path = &edit.path;
        let failed = io("look at", Some(path));
        let stale = |current| CommitErrorKind::Stale { path: path.clone(), current };
        let Some(directory) = self.open_parent(root, path)? else {
            return if edit.before.is_some() { Err(stale(None)) } else { Ok(None) };
        };
        let found = target::find(&directory, path.file_name()).map_err(&failed)?;
        let now = found.revision();
        match (found, edit.before) {
            (Found::Other(by), _) => Err(CommitErrorKind::Blocked { path: path.clone(), by }),
            (Found::Nothing, None) => Ok(None),
            (Found::File(_), None) => Err(CommitErrorKind::Exists { path: path.clone() }),
            (Found::File(bytes), Some(before)) if now == Some(before) => {
                if is_read_only(&directory, path.file_name()).map_err(&failed)? {
                    return Err(CommitErrorKind::ReadOnly { path: path.clone() });
                }
                Ok(Some(bytes))
            }
            (Found::Nothing | Found::File(_), Some(_)) => Err(stale(now)),
        }
    }

    /// Opens the directory of a file; `None` when it has to be made, which is noted down.
    fn open_parent(&mut self, root: &Directory, path: &BundlePath) -> Result<Option<Directory>, CommitErrorKind> {
        match target::directory_of(root, path) {
            Ok(directory) => return Ok(Some(directory)),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
            Err(Errno::XDEV) => return Err(CommitErrorKind::NestedMount { path: path.clone() }),
            Err(error) => return Err(io("open the directory of", Some(path))(error)),
        }
        for (end, _) in path.as_str().match_indices('/') {
            let ancestor = BundlePath::new(&path.as_str()[..end]).expect("the head of a bundle path is one");
            match root.on_same_mount(ancestor.as_str()) {
                Ok(_) => {}
                Err(Errno::NOENT) if self.journal.directories.contains(&ancestor) => {}
                Err(Errno::NOENT) => self.journal.directories.push(ancestor),
                Err(Errno::XDEV) => return Err(CommitErrorKind::NestedMount { path: path.clone() }),
                Err(Errno::NOTDIR | Errno::LOOP) => return Err(in_the_way(root, ancestor)),
                Err(error) => return Err(io("open the directory of", Some(path))(error)),
            }
        }
        Ok(None)
    }
}

/// What stands where a directory should be.
fn in_the_way(root: &Directory, path: BundlePath) -> CommitErrorKind {
    let found = target::directory_of(root, &path).and_then(|parent| parent.look(path.file_name()));
    match found {
        Ok(found) => CommitErrorKind::Blocked { path, by: found.map_or(EntryKind::Other, |stat| EntryKind::of(&stat)) },
        Err(error) => io("look at", Some(&path))(error),
    }
}

fn stale(root: &Directory, entry: &Entry) -> Result<CommitErrorKind, Errno> {
    let current = match target::directory_of(root, &entry.path) {
        Ok(directory) => target::find(&directory, entry.path.file_name())?.revision(),
        Err(error) if target::is_displaced(error) => None,
        Err(error) => return Err(error),
    };
    Ok(CommitErrorKind::Stale { path: entry.path.clone(), current })
}

fn io(doing: &'static str, path: Option<&BundlePath>) -> impl Fn(Errno) -> CommitErrorKind {
    let path = path.cloned();
    move |error| CommitErrorKind::Io { doing, path: path.clone(), error: error.into() }
}

impl CommitErrorKind {
    fn with(self, standing: Standing) -> CommitError {
        CommitError { standing, kind: self }
    }
}

impl CommitError {
    /// Whether preparing the change again on the bundle as it is now may help.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        matches!(self.kind, CommitErrorKind::Stale { .. } | CommitErrorKind::Exists { .. })
    }
}

impl fmt::Display for CommitError {
    /// What happened, and which state stands.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; ", self.kind)?;
        f.write_str(match self.standing {
            Standing::Old => "the old state stands",
            Standing::New => "the new state stands",
            Standing::Pending => "the change is pending, and the next command finishes or undoes it",
        })
    }
}

impl fmt::Display for CommitErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |path: &BundlePath| Escaped(path.as_str()).to_string();
        match self {
            Self::Stale { path, .. } => write!(f, "`{}` has changed since it was read", shown(path)),
            Self::Exists { path } => write!(f, "`{}` exists already", shown(path)),
            Self::Blocked { path, by } => {
                let by = match by {
                    EntryKind::Directory => "a directory",
                    EntryKind::File => "a file",
                    EntryKind::Link => "a symbolic link",
                    EntryKind::Other => "a pipe, socket or device",
                };
                write!(f, "{by} is in the way at `{}`", shown(path))
            }
            Self::ReadOnly { path } => write!(f, "`{}` is read-only", shown(path)),
            Self::NestedMount { path } => {
                write!(f, "`{}` lies on another mount than the root of the bundle", shown(path))
            }
            Self::Unusable { path } => write!(f, "`{}` cannot be written", shown(path)),
            Self::LockLost => write!(f, "the lock file `{LOCK_FILE}` was removed or replaced by somebody else"),
            Self::Io { doing, path: Some(path), error } => write!(f, "cannot {doing} `{}`: {error}", shown(path)),
            Self::Io { doing, path: None, error } => write!(f, "cannot {doing}: {error}"),
        }
    }
}

impl std::error::Error for CommitError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            CommitErrorKind::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}
