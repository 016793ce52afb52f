//! Every operation by which a commit changes the disk, one step each.
//!
//! Nothing else in the crate writes. Tests watch, stop and fail the steps through [`super::probe`]; in an
//! ordinary build a step is its system call and nothing else.

use std::fs::File;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;

use rustix::fs::{AtFlags, Gid, Mode, OFlags, Uid, XattrFlags};
use rustix::io::Errno;

use super::directory::Directory;
use super::probe::step;

/// A name in an open directory.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    pub(super) directory: &'a Directory,
    pub(super) name: &'a str,
}

/// What a step did; the recorder of the tests makes its picture of the disk from these.
#[derive(Clone, Debug)]
#[cfg_attr(not(test), allow(dead_code, reason = "only tests look at what a step did"))]
pub(super) enum Step {
    /// A new empty file.
    Create { at: Name, file: Inode },
    /// The whole content of an empty file.
    Write { file: Inode, bytes: Vec<u8> },
    /// A file's content is gone.
    Empty { file: Inode },
    /// Owner, mode or an extended attribute.
    Describe,
    /// What was done to the file so far is durable.
    SyncFile { file: Inode },
    /// What was done to the names of the directory so far is durable.
    SyncDirectory { directory: Inode },
    /// A new empty directory.
    MakeDirectory { at: Name, directory: Inode },
    /// A second name for a file.
    Link { from: Name, to: Name },
    /// Another name for a file, in place of what had that name.
    Rename { from: Name, to: Name },
    /// A name is gone, and what it stood for unless it has another.
    Remove { at: Name },
}

/// A name in a directory that is known by its number.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(not(test), allow(dead_code, reason = "only tests look at what a step did"))]
pub(super) struct Name {
    pub(super) directory: Inode,
    pub(super) name: String,
}

/// The number of a file or directory on its device.
pub(super) type Inode = u64;

/// Creates a file for reading and writing; a name that is taken is an error.
pub(super) fn create(at: At<'_>, mode: Mode) -> Result<File, Errno> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    step(
        || rustix::fs::openat(at.directory, at.name, flags, mode).map(File::from),
        |file| Step::Create { at: at.into(), file: inode(file) },
    )
}

/// Writes the content of an empty file.
pub(super) fn write(file: &File, bytes: &[u8]) -> Result<(), Errno> {
    step(
        || file.write_all_at(bytes, 0).map_err(|error| errno(&error)),
        |()| Step::Write { file: inode(file), bytes: bytes.to_vec() },
    )
}

/// Empties a file.
pub(super) fn empty(file: &File) -> Result<(), Errno> {
    step(|| rustix::fs::ftruncate(file, 0), |()| Step::Empty { file: inode(file) })
}

/// Gives a file to an owner and a group; `None` leaves one as it is.
pub(super) fn set_owner(file: &File, owner: Option<Uid>, group: Option<Gid>) -> Result<(), Errno> {
    step(|| rustix::fs::fchown(file, owner, group), |()| Step::Describe)
}

/// Sets the permission bits of a file.
pub(super) fn set_mode(file: &File, mode: Mode) -> Result<(), Errno> {
    step(|| rustix::fs::fchmod(file, mode), |()| Step::Describe)
}

/// Sets an extended attribute of a file.
pub(super) fn set_attribute(file: &File, name: &[u8], value: &[u8]) -> Result<(), Errno> {
    step(|| rustix::fs::fsetxattr(file, name, value, XattrFlags::empty()), |()| Step::Describe)
}

/// Waits until a file is durable.
pub(super) fn sync_file(file: &File) -> Result<(), Errno> {
    step(|| file.sync_all().map_err(|error| errno(&error)), |()| Step::SyncFile { file: inode(file) })
}

/// Waits until the names in a directory are durable.
pub(super) fn sync_directory(directory: &Directory) -> Result<(), Errno> {
    let sync = || match rustix::fs::fsync(directory) {
        // File systems that cannot sync a directory: there is nothing to wait for.
        Err(Errno::INVAL) => Ok(()),
        result => result,
    };
    step(sync, |()| Step::SyncDirectory { directory: inode(directory) })
}

/// Makes a directory.
pub(super) fn make_directory(at: At<'_>, mode: Mode) -> Result<(), Errno> {
    let made = || at.directory.directory(at.name.as_ref()).map_or(0, |made| inode(&made));
    step(
        || rustix::fs::mkdirat(at.directory, at.name, mode),
        |()| Step::MakeDirectory { at: at.into(), directory: made() },
    )
}

/// Gives a file a second name; a name that is taken is an error.
pub(super) fn link(from: At<'_>, to: At<'_>) -> Result<(), Errno> {
    let link = || rustix::fs::linkat(from.directory, from.name, to.directory, to.name, AtFlags::empty());
    step(link, |()| Step::Link { from: from.into(), to: to.into() })
}

/// Renames a file over whatever has the new name.
pub(super) fn replace(from: At<'_>, to: At<'_>) -> Result<(), Errno> {
    let rename = || rustix::fs::renameat(from.directory, from.name, to.directory, to.name);
    step(rename, |()| Step::Rename { from: from.into(), to: to.into() })
}

/// Renames a file to a name that must be free.
pub(super) fn place(from: At<'_>, to: At<'_>) -> Result<(), Errno> {
    #[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
    {
        use rustix::fs::RenameFlags;
        let flags = RenameFlags::NOREPLACE;
        let rename = || rustix::fs::renameat_with(from.directory, from.name, to.directory, to.name, flags);
        match step(rename, |()| Step::Rename { from: from.into(), to: to.into() }) {
            // File systems without the flag; a hard link does not replace either.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            result => return result,
        }
    }
    link(from, to)?;
    remove_file(from)
}

/// Removes a file.
pub(super) fn remove_file(at: At<'_>) -> Result<(), Errno> {
    step(|| rustix::fs::unlinkat(at.directory, at.name, AtFlags::empty()), |()| Step::Remove { at: at.into() })
}

/// Removes an empty directory.
pub(super) fn remove_directory(at: At<'_>) -> Result<(), Errno> {
    step(|| rustix::fs::unlinkat(at.directory, at.name, AtFlags::REMOVEDIR), |()| Step::Remove { at: at.into() })
}

impl Directory {
    /// A name in this directory.
    pub(super) fn at<'a>(&'a self, name: &'a str) -> At<'a> {
        At { directory: self, name }
    }
}

impl From<At<'_>> for Name {
    fn from(at: At<'_>) -> Self {
        Self { directory: inode(at.directory), name: at.name.to_owned() }
    }
}

fn inode(object: impl AsFd) -> Inode {
    rustix::fs::fstat(object).map_or(0, |stat| stat.st_ino)
}

/// The system's code of an error; an error without one counts as one of input and output.
fn errno(error: &std::io::Error) -> Errno {
    error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error)
}
