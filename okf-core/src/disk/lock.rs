//! `.okf.lock`: who may look at a bundle, and who may change it (contract §8, Locking).

use std::fmt;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::Errno;

use super::directory::Directory;
use super::journal::{self, Journal};
use super::ops;
use super::record_lock::{self, GATE, LockedFile, MAIN};
use super::recover::Recovery;
use super::stage;
use super::stamp::{StatKey, file_type};
use super::{DiskError, DiskErrorKind, Mirror};
use crate::bundle::Bundle;
use crate::finding::Escaped;

/// The name of the lock file at the root. It is no part of the bundle.
pub(crate) const LOCK_FILE: &str = ".okf.lock";

/// How long a command waits for a lock unless told otherwise.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// The exclusive lock of a bundle: nobody else who honours it reads or writes until it is dropped.
///
/// Held from loading to committing, so that what is committed follows from what was read. Other descriptors
/// conflict with it even in one process: a thread that holds it reads through [`WriteLock::bundle`] or
/// [`Snapshot::current_under`], never through what would wait for it.
///
/// [`Snapshot::current_under`]: crate::snapshot::Snapshot::current_under
#[derive(Debug)]
pub struct WriteLock {
    path: PathBuf,
    pub(super) root: Directory,
    pub(super) file: LockedFile,
    pub(super) recovery: Option<Recovery>,
}

/// Why a bundle could not be locked for writing. Nothing was changed.
#[derive(Debug)]
pub enum LockError {
    /// Somebody else held the lock all the time.
    Busy {
        /// The lock file.
        path: PathBuf,
        /// How long it was waited for.
        waited: Duration,
    },
    /// The lock file is a link, a pipe, a directory or the like.
    NotAFile {
        /// The lock file.
        path: PathBuf,
    },
    /// The lock file has another name too: writing into it could harm what it really is.
    Linked {
        /// The lock file.
        path: PathBuf,
    },
    /// The root or the lock file cannot be opened.
    Disk(DiskError),
    /// An interrupted commit was found and could be neither finished nor undone; it still stands in the
    /// lock file, and the next command tries again.
    Recovery(DiskError),
}

impl WriteLock {
    /// Locks a bundle, creating the lock file when there is none, and finishes or undoes what an
    /// interrupted commit left behind. The root is a directory or a link to one.
    ///
    /// # Errors
    ///
    /// See [`LockError`].
    pub fn acquire(root: &Path, patience: Duration) -> Result<Self, LockError> {
        let path = super::resolve_root(root).map_err(LockError::Disk)?;
        let root = Directory::open(&path).map_err(LockError::Disk)?;
        let file = open_exclusively(&root, &path, patience)?;
        let mut lock = Self { path, root, file, recovery: None };
        lock.recovery = lock.recover().map_err(|error| LockError::Recovery(DiskError::new(&lock.path, error)))?;
        Ok(lock)
    }

    /// What was found of an interrupted commit, most often when the lock was acquired.
    #[must_use]
    pub fn recovery(&self) -> Option<&Recovery> {
        self.recovery.as_ref()
    }

    /// The resolved absolute root.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.path
    }

    /// The bundle as it is now; with the lock held, as it stays.
    ///
    /// # Errors
    ///
    /// The root is gone or unreadable.
    pub fn bundle(&self) -> Result<Bundle, DiskError> {
        Mirror::new(&self.path).load()
    }

    /// Whether the lock file is still the one that is locked: somebody may have deleted or replaced it.
    pub(super) fn is_held(&self) -> Result<bool, Errno> {
        is_current(&self.root, &self.file)
    }

    /// Empties the journal and waits until that is durable: the commit is over.
    pub(super) fn close_journal(&self) -> Result<(), Errno> {
        ops::empty(&self.file)?;
        ops::sync_file(&self.file)
    }
}

/// The shared lock of a reader.
#[derive(Debug)]
pub(super) struct ReadLock {
    root: Directory,
    /// `None` when there is no lock file that a writer would take.
    file: Option<LockedFile>,
}

/// What a reader finds besides the bundle.
pub(super) enum Remains {
    /// Nothing: the files of the bundle are the bundle.
    Nothing,
    /// Leftovers that mean nothing, and may be removed.
    Litter,
    /// A commit that is neither finished nor undone.
    Commit(Journal),
}

impl ReadLock {
    /// Waits for the lock when there is a lock file; never creates one.
    pub(super) fn acquire(path: &Path, patience: Duration) -> Result<Self, DiskError> {
        let root = Directory::open(path)?;
        let mut queue = Queue::new(patience);
        loop {
            let Some(file) = Self::open(&root).map_err(|error| DiskError::new(&path.join(LOCK_FILE), error))? else {
                return Ok(Self { root, file: None });
            };
            let entered = enter_shared(&file).and_then(|entered| Ok(entered && is_current(&root, &file)?));
            match entered {
                Ok(true) => return Ok(Self { root, file: Some(file) }),
                Ok(false) => {}
                Err(error) => return Err(DiskError::new(&path.join(LOCK_FILE), error)),
            }
            if !queue.wait() {
                return Err(DiskError { path: path.join(LOCK_FILE), kind: DiskErrorKind::Locked(patience) });
            }
        }
    }

    /// The lock file; `None` when there is none, or something that no writer would lock.
    fn open(root: &Directory) -> Result<Option<LockedFile>, Errno> {
        match root.open_entry(LOCK_FILE, OFlags::RDONLY) {
            Ok(file) => Ok(Some(file).filter(|file| is_lock_file(file).unwrap_or(false)).map(LockedFile::from)),
            Err(Errno::NOENT | Errno::LOOP | Errno::MLINK | Errno::NXIO) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether what was read under this lock counts: without a lock file only when there still is none.
    pub(super) fn held_throughout(&self) -> bool {
        self.file.is_some() || matches!(Self::open(&self.root), Ok(None))
    }

    /// What an interrupted commit has left.
    pub(super) fn remains(&self) -> Result<Remains, Errno> {
        let Some(file) = &self.file else { return Ok(Remains::Nothing) };
        if let Some(journal) = read_journal(file)? {
            return Ok(Remains::Commit(journal));
        }
        Ok(if stage::is_littered(&self.root)? { Remains::Litter } else { Remains::Nothing })
    }

    pub(super) fn root(&self) -> &Directory {
        &self.root
    }
}

/// The journal in a lock file; `None` when it is empty or anything else.
pub(super) fn read_journal(file: &File) -> Result<Option<Journal>, Errno> {
    let size = u64::try_from(rustix::fs::fstat(file)?.st_size).unwrap_or(0);
    if size == 0 || size > journal::LIMIT {
        return Ok(None);
    }
    let mut bytes = vec![0; usize::try_from(size).unwrap_or(0)];
    match file.read_exact_at(&mut bytes, 0) {
        Ok(()) => Ok(Journal::decode(&bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error)),
    }
}

fn open_exclusively(root: &Directory, path: &Path, patience: Duration) -> Result<LockedFile, LockError> {
    let path = path.join(LOCK_FILE);
    let failed = |error| LockError::Disk(DiskError::new(&path, error));
    let mut queue = Queue::new(patience);
    // Kept while waiting: whoever holds the gate is the next.
    let mut waiting: Option<LockedFile> = None;
    loop {
        let file = match waiting.take() {
            Some(file) if is_current(root, &file).map_err(failed)? => file,
            _ => match open_or_create(root) {
                Ok(file) => LockedFile::from(file),
                // Created by somebody else just now.
                Err(Errno::EXIST) => continue,
                Err(Errno::LOOP | Errno::MLINK | Errno::ISDIR | Errno::NXIO) => {
                    return Err(LockError::NotAFile { path });
                }
                Err(error) => return Err(failed(error)),
            },
        };
        let stat = rustix::fs::fstat(&*file).map_err(failed)?;
        if file_type(&stat) != FileType::RegularFile {
            return Err(LockError::NotAFile { path });
        }
        if stat.st_nlink > 1 {
            return Err(LockError::Linked { path });
        }
        let entered = file
            .try_lock(GATE, record_lock::Mode::Exclusive)
            .and_then(|at_gate| Ok(at_gate && file.try_lock(MAIN, record_lock::Mode::Exclusive)?))
            .map_err(failed)?;
        if entered && is_current(root, &file).map_err(failed)? {
            return Ok(file);
        }
        waiting = Some(file);
        if !queue.wait() {
            return Err(LockError::Busy { path, waited: patience });
        }
    }
}

fn open_or_create(root: &Directory) -> Result<File, Errno> {
    match root.open_entry(LOCK_FILE, OFlags::RDWR) {
        Err(Errno::NOENT) => {
            let file = ops::create(root.at(LOCK_FILE), Mode::from_raw_mode(0o666))?;
            // Who may read or write the directory shall be able to lock it, whatever the umask of whoever
            // came first.
            let mode = Mode::from_raw_mode(root.stat_itself()?.st_mode) & Mode::from_raw_mode(0o666);
            match ops::set_mode(&file, mode | Mode::RUSR | Mode::WUSR) {
                // File systems that have no modes of their own.
                Ok(()) | Err(Errno::PERM | Errno::NOTSUP) => {}
                Err(error) => return Err(error),
            }
            // Before anything else is made: without a lock file nobody would look for what is left of a commit.
            ops::sync_directory(root)?;
            Ok(file)
        }
        result => result,
    }
}

fn enter_shared(file: &LockedFile) -> Result<bool, Errno> {
    if !file.try_lock(GATE, record_lock::Mode::Shared)? {
        return Ok(false);
    }
    let entered = file.try_lock(MAIN, record_lock::Mode::Shared)?;
    file.try_lock(GATE, record_lock::Mode::Unlocked)?;
    Ok(entered)
}

fn is_lock_file(file: &File) -> Result<bool, Errno> {
    let stat = rustix::fs::fstat(file)?;
    Ok(file_type(&stat) == FileType::RegularFile && stat.st_nlink <= 1)
}

/// Whether the lock file's name still stands for this open file.
fn is_current(root: &Directory, file: &File) -> Result<bool, Errno> {
    let opened = StatKey::of(&rustix::fs::fstat(file)?);
    Ok(root.look(LOCK_FILE)?.is_some_and(|named| StatKey::of(&named).is_same_object(&opened)))
}

/// Waiting for a lock by asking again and again: a wait in the kernel has no end that one could set.
struct Queue {
    deadline: Instant,
    pause: Duration,
}

impl Queue {
    const SHORTEST: Duration = Duration::from_micros(200);
    const LONGEST: Duration = Duration::from_millis(10);

    fn new(patience: Duration) -> Self {
        Self { deadline: Instant::now() + patience, pause: Self::SHORTEST }
    }

    /// Pauses; `false` when patience is at its end.
    fn wait(&mut self) -> bool {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        thread::sleep(self.pause.min(left));
        self.pause = (self.pause * 2).min(Self::LONGEST);
        true
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Busy { path, waited } => write!(
                f,
                "another program holds the lock `{}` (waited {} s); the old state stands: try again when it has finished",
                shown(path),
                waited.as_secs_f64()
            ),
            Self::NotAFile { path } => {
                write!(f, "`{}` is not a regular file: move it away to write to this bundle", shown(path))
            }
            Self::Linked { path } => {
                write!(f, "`{}` is a hard link to another file: remove it to write to this bundle", shown(path))
            }
            Self::Disk(DiskError { path, kind: DiskErrorKind::Io(error) }) => {
                write!(f, "cannot open the lock `{}` for writing: {error}; the old state stands", shown(path))
            }
            Self::Disk(error) => write!(f, "{error}"),
            Self::Recovery(DiskError { path, kind: DiskErrorKind::Io(error) }) => write!(
                f,
                "an interrupted write in `{}` can be neither finished nor undone ({error}), and nothing else was \
                 written: the next command tries again",
                shown(path)
            ),
            Self::Recovery(error) => write!(f, "an interrupted write can be neither finished nor undone: {error}"),
        }
    }
}

impl std::error::Error for LockError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Disk(error) | Self::Recovery(error) => Some(error),
            Self::Busy { .. } | Self::NotAFile { .. } | Self::Linked { .. } => None,
        }
    }
}

fn shown(path: &Path) -> String {
    Escaped(&path.to_string_lossy()).to_string()
}
