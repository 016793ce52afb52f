//! An open directory: its entries, and what lies beneath it.

use std::ffi::{CStr, CString, OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat};
use rustix::io::Errno;

use super::DiskError;
use super::stamp::file_type;

/// A directory held open, so that what is asked of it stays about one directory.
#[derive(Debug)]
pub struct Directory {
    fd: OwnedFd,
}

/// What a directory entry is; links are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A directory.
    Directory,
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// A pipe, socket or device: never opened.
    Other,
}

const OPEN_DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// A pipe must not block the opening.
pub(super) const OPEN_FILE: OFlags =
    OFlags::RDONLY.union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

impl Directory {
    /// Opens a directory by its absolute path; a link in the last place is not followed.
    ///
    /// # Errors
    ///
    /// Missing, not a directory, or unreadable.
    pub fn open(path: &Path) -> Result<Self, DiskError> {
        match rustix::fs::open(path, OPEN_DIRECTORY, Mode::empty()) {
            Ok(fd) => Ok(Self { fd }),
            Err(Errno::LOOP) => Err(DiskError::new(path, Errno::NOTDIR)),
            Err(error) => Err(DiskError::new(path, error)),
        }
    }

    /// Opens a directory somewhere beneath this one, following no link on the way; `None` when it is
    /// none or cannot be read.
    #[must_use]
    pub fn directory(&self, path: &Path) -> Option<Self> {
        self.open_beneath(path.as_os_str().as_bytes(), OPEN_DIRECTORY).ok().map(|fd| Self { fd })
    }

    /// The entries by name, at most `limit` of them; what cannot be listed is left out.
    #[must_use]
    pub fn entries(&self, limit: usize) -> Vec<(OsString, EntryKind)> {
        let Ok(names) = self.names(limit) else { return Vec::new() };
        names
            .into_iter()
            .filter_map(|name| {
                let kind = EntryKind::of(&self.stat(&name).ok()?);
                Some((OsString::from_vec(name.into_bytes()), kind))
            })
            .collect()
    }

    /// What the entry of a name is; `None` when there is none.
    #[must_use]
    pub fn entry_kind(&self, name: &OsStr) -> Option<EntryKind> {
        let name = CString::new(name.as_bytes()).ok()?;
        self.stat(&name).ok().map(|stat| EntryKind::of(&stat))
    }

    /// The first bytes of a regular file somewhere beneath this directory, following no link on the way;
    /// `None` when it is none or cannot be read.
    #[must_use]
    pub fn head(&self, path: &Path, limit: usize) -> Option<Vec<u8>> {
        let mut head = Vec::with_capacity(limit.min(4096));
        self.head_into(path, limit, &mut head).then_some(head)
    }

    /// The same, appended to what has been read before; tells whether it could be read.
    pub fn head_into(&self, path: &Path, limit: usize, into: &mut Vec<u8>) -> bool {
        let start = into.len();
        let file = self.open_file(path.as_os_str().as_bytes());
        let is_read = file.is_ok_and(|file| file.take(limit as u64).read_to_end(into).is_ok());
        if !is_read {
            into.truncate(start);
        }
        is_read
    }

    /// The names in byte order, without `.` and `..`.
    pub(super) fn names(&self, limit: usize) -> Result<Vec<CString>, Errno> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.fd)? {
            let entry = entry?;
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                names.push(entry.file_name().to_owned());
            }
            if names.len() == limit {
                break;
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// The names in byte order, without `.` and `..`, and what they stand for where the file system tells.
    pub(super) fn kinds(&self) -> Result<Vec<(CString, Option<EntryKind>)>, Errno> {
        let mut kinds = Vec::new();
        for entry in Dir::read_from(&self.fd)? {
            let entry = entry?;
            if !matches!(entry.file_name().to_bytes(), b"." | b"..") {
                kinds.push((entry.file_name().to_owned(), EntryKind::of_type(entry.file_type())));
            }
        }
        kinds.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Ok(kinds)
    }

    pub(super) fn stat(&self, name: &CStr) -> Result<Stat, Errno> {
        rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)
    }

    pub(super) fn stat_itself(&self) -> Result<Stat, Errno> {
        rustix::fs::fstat(&self.fd)
    }

    /// Opens a directory beneath this one by its raw path, following no link on the way; `b""` is this one.
    pub(super) fn beneath(&self, path: &[u8]) -> Result<Self, Errno> {
        self.open_beneath(path, OPEN_DIRECTORY).map(|fd| Self { fd })
    }

    /// Opens a regular file beneath this directory.
    pub(super) fn open_file(&self, path: &[u8]) -> Result<File, Errno> {
        let fd = self.open_beneath(path, OPEN_FILE)?;
        match file_type(&rustix::fs::fstat(&fd)?) {
            FileType::RegularFile => Ok(File::from(fd)),
            // What a link gives with `O_NOFOLLOW`: not the file that was listed.
            _ => Err(Errno::LOOP),
        }
    }

    /// Opens a directory beneath this one that lies on the same mount, following no link on the way; `""` is
    /// this one.
    pub(super) fn on_same_mount(&self, path: &str) -> Result<Self, Errno> {
        #[cfg(target_os = "linux")]
        if !path.is_empty() {
            use rustix::fs::ResolveFlags;
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
            match rustix::fs::openat2(&self.fd, path, OPEN_DIRECTORY, Mode::empty(), resolve) {
                Err(Errno::NOSYS | Errno::PERM | Errno::INVAL | Errno::NAMETOOLONG | Errno::AGAIN) => {}
                result => return result.map(|fd| Self { fd }),
            }
        }
        let directory = Self { fd: self.open_beneath(path.as_bytes(), OPEN_DIRECTORY)? };
        if directory.stat_itself()?.st_dev != self.stat_itself()?.st_dev {
            return Err(Errno::XDEV);
        }
        Ok(directory)
    }

    /// Opens an entry of this directory in some way; a link is not followed and a pipe does not block.
    pub(super) fn open_entry(&self, name: &str, access: OFlags) -> Result<File, Errno> {
        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        rustix::fs::openat(&self.fd, name, flags, Mode::empty()).map(File::from)
    }

    /// What an entry is, without following a link; `None` when there is none.
    pub(super) fn look(&self, name: &str) -> Result<Option<Stat>, Errno> {
        match rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(stat)),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens a path without following a link in any place: in one call where the kernel can.
    fn open_beneath(&self, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
        if path.is_empty() {
            return rustix::fs::openat(&self.fd, c".", flags, Mode::empty());
        }
        #[cfg(target_os = "linux")]
        {
            use rustix::fs::ResolveFlags;
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            match rustix::fs::openat2(&self.fd, path, flags, Mode::empty(), resolve) {
                // Kernels and sandboxes without the call, and paths longer than one call may take.
                Err(Errno::NOSYS | Errno::PERM | Errno::INVAL | Errno::NAMETOOLONG | Errno::AGAIN) => {}
                result => return result,
            }
        }
        self.open_by_segments(path, flags)
    }

    pub(super) fn open_by_segments(&self, path: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
        let mut segments = path.split(|byte| *byte == b'/').peekable();
        let mut at: Option<OwnedFd> = None;
        while let Some(segment) = segments.next() {
            if matches!(segment, b"" | b"." | b"..") {
                return Err(Errno::INVAL);
            }
            let flags = if segments.peek().is_some() { OPEN_DIRECTORY } else { flags };
            let from = at.as_ref().map_or(self.fd.as_fd(), AsFd::as_fd);
            at = Some(rustix::fs::openat(from, segment, flags, Mode::empty())?);
        }
        at.ok_or(Errno::INVAL)
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

impl EntryKind {
    pub(super) fn of(stat: &Stat) -> Self {
        Self::of_type(file_type(stat)).unwrap_or(Self::Other)
    }

    /// `None` when the type is not known.
    fn of_type(file_type: FileType) -> Option<Self> {
        match file_type {
            FileType::Directory => Some(Self::Directory),
            FileType::RegularFile => Some(Self::File),
            FileType::Symlink => Some(Self::Link),
            FileType::Unknown => None,
            _ => Some(Self::Other),
        }
    }
}

/// A raw relative path with one more segment.
pub(super) fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = Vec::with_capacity(directory.len() + 1 + name.len());
    if !directory.is_empty() {
        path.extend_from_slice(directory);
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}
