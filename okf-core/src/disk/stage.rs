//! `.okf-stage/`: the new contents of a commit and a second name of each old one, until they are in place.

use std::fs::File;

use rustix::fs::{Gid, Mode, RawMode, Stat, Uid};
use rustix::io::Errno;

use super::directory::Directory;
use super::ops;
use super::target::{self, Found};
use crate::document::Revision;

/// The name of the stage at the root: hidden, and so skipped by every walk.
pub(super) const STAGE: &str = ".okf-stage";

/// The open stage.
#[derive(Debug)]
pub(super) struct Stage {
    pub(super) directory: Directory,
}

impl Stage {
    /// Makes the stage, or opens one that is there.
    pub(super) fn make(root: &Directory) -> Result<Self, Errno> {
        match ops::make_directory(root.at(STAGE), Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error),
        }
        Ok(Self { directory: root.on_same_mount(STAGE)? })
    }

    /// Opens the stage; `None` when there is none.
    pub(super) fn open(root: &Directory) -> Result<Option<Self>, Errno> {
        match root.on_same_mount(STAGE) {
            Ok(directory) => Ok(Some(Self { directory })),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The name of the new content of the n-th file.
    pub(super) fn new_name(number: usize) -> String {
        format!("{number}.new")
    }

    /// The name of the old content of the n-th file.
    pub(super) fn old_name(number: usize) -> String {
        format!("{number}.old")
    }

    /// Whether a staged file is there and holds what it should.
    pub(super) fn holds(&self, name: &str, revision: Revision) -> Result<bool, Errno> {
        Ok(matches!(target::find(&self.directory, name)?, Found::File(bytes) if Revision::of(&bytes) == revision))
    }

    /// Writes a new content and waits until it is durable. It gets owner, mode and attributes of the file
    /// that it is to replace.
    pub(super) fn put(&self, number: usize, bytes: &[u8], model: Option<&File>) -> Result<(), Errno> {
        let name = Self::new_name(number);
        let mode = if model.is_some() { 0o600 } else { 0o666 };
        let file = ops::create(self.directory.at(&name), Mode::from_raw_mode(mode))?;
        ops::write(&file, bytes)?;
        if let Some(model) = model {
            take_after(&file, model)?;
        }
        ops::sync_file(&file)
    }

    /// Keeps the old content of a file: a second name for it or, where the file system has none, a copy.
    pub(super) fn keep(&self, number: usize, directory: &Directory, name: &str, bytes: &[u8]) -> Result<(), Errno> {
        let old = Self::old_name(number);
        match ops::link(directory.at(name), self.directory.at(&old)) {
            Err(Errno::PERM | Errno::MLINK | Errno::NOTSUP | Errno::NOSYS) => {
                let model = directory.open_file(name.as_bytes())?;
                let copy = ops::create(self.directory.at(&old), Mode::from_raw_mode(0o600))?;
                ops::write(&copy, bytes)?;
                take_after(&copy, &model)?;
                ops::sync_file(&copy)
            }
            result => result,
        }
    }
}

/// Whether there is a stage that can be removed, at least in part.
pub(super) fn is_littered(root: &Directory) -> Result<bool, Errno> {
    if root.look(STAGE)?.is_none() {
        return Ok(false);
    }
    let Some(stage) = Stage::open(root)? else { return Ok(false) };
    let names = stage.directory.names(usize::MAX)?;
    Ok(names.is_empty() || names.iter().any(|name| name.to_str().is_ok_and(is_staged_name)))
}

/// Removes the stage with what commits put there. Anything else in it stays.
pub(super) fn discard(root: &Directory) -> Result<(), Errno> {
    let Some(stage) = Stage::open(root)? else { return Ok(()) };
    for name in stage.directory.names(usize::MAX)? {
        let Some(name) = name.to_str().ok().filter(|name| is_staged_name(name)) else { continue };
        match ops::remove_file(stage.directory.at(name)) {
            Ok(()) | Err(Errno::NOENT | Errno::ISDIR | Errno::PERM) => {}
            Err(error) => return Err(error),
        }
    }
    match ops::remove_directory(root.at(STAGE)) {
        Ok(()) | Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST) => Ok(()),
        Err(error) => Err(error),
    }
}

fn is_staged_name(name: &str) -> bool {
    let number = name.strip_suffix(".new").or_else(|| name.strip_suffix(".old"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Gives a file the owner, mode and extended attributes (access lists among them) of another.
///
/// What only a privileged user may give is given as far as possible: a file of somebody else that one may
/// write becomes one's own, with the same group where one is in it.
fn take_after(file: &File, model: &File) -> Result<(), Errno> {
    let (model_stat, stat) = (rustix::fs::fstat(model)?, rustix::fs::fstat(file)?);
    give_to_owner(file, &stat, &model_stat)?;
    // After the owner: a change of owner clears special bits.
    ops::set_mode(file, Mode::from_raw_mode(model_stat.st_mode as RawMode & 0o7777))?;
    // After the mode, of which an access list has its own idea.
    for (name, value) in attributes(model)? {
        tolerate(ops::set_attribute(file, &name, &value))?;
    }
    Ok(())
}

fn give_to_owner(file: &File, stat: &Stat, model: &Stat) -> Result<(), Errno> {
    let owner = (stat.st_uid != model.st_uid).then(|| Uid::from_raw(model.st_uid));
    let group = (stat.st_gid != model.st_gid).then(|| Gid::from_raw(model.st_gid));
    if owner.is_none() && group.is_none() {
        return Ok(());
    }
    match ops::set_owner(file, owner, group) {
        Err(Errno::PERM) if owner.is_some() && group.is_some() => tolerate(ops::set_owner(file, None, group)),
        result => tolerate(result),
    }
}

/// Name and value of an extended attribute.
type Attribute = (Vec<u8>, Vec<u8>);

fn tolerate(result: Result<(), Errno>) -> Result<(), Errno> {
    match result {
        Err(Errno::PERM | Errno::ACCESS | Errno::NOTSUP | Errno::INVAL) => Ok(()),
        result => result,
    }
}

fn attributes(file: &File) -> Result<Vec<Attribute>, Errno> {
    let size = match rustix::fs::flistxattr_query(file) {
        Ok(size) => size,
        Err(Errno::NOTSUP | Errno::NOSYS) => 0,
        Err(error) => return Err(error),
    };
    if size == 0 {
        return Ok(Vec::new());
    }
    let mut names = vec![0; size];
    let length = rustix::fs::flistxattr(file, &mut names[..])?;
    names.truncate(length);
    let mut attributes = Vec::new();
    for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        // One that may not be read cannot be kept.
        let Ok(size) = rustix::fs::fgetxattr_query(file, name) else { continue };
        let mut value = vec![0; size];
        let Ok(length) = rustix::fs::fgetxattr(file, name, &mut value[..]) else { continue };
        value.truncate(length);
        attributes.push((name.to_vec(), value));
    }
    Ok(attributes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_commits_are_staged_names() {
        assert!(is_staged_name("0.new") && is_staged_name("17.old"));
        for name in [".new", "a.new", "1.new.md", "1", "1.txt", "-1.new"] {
            assert!(!is_staged_name(name), "{name}");
        }
    }
}
