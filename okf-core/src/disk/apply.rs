//! Carrying out a journal, and taking it back. Commit and recovery share these steps.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use rustix::fs::Mode;
use rustix::io::Errno;

use super::directory::Directory;
use super::journal::{Entry, Journal};
use super::ops;
use super::stage::Stage;
use super::target::{self, Found};
use crate::bundle_path::BundlePath;

/// The state of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// As before the commit.
    Old,
    /// As after it.
    New,
    /// Neither: somebody has edited, moved or removed it since.
    Foreign,
}

impl State {
    /// The state of the target of an entry.
    pub(super) fn of(root: &Directory, entry: &Entry) -> Result<Self, Errno> {
        let directory = match target::directory_of(root, &entry.path) {
            Ok(directory) => directory,
            Err(Errno::NOENT) if entry.before.is_none() => return Ok(Self::Old),
            Err(error) if target::is_displaced(error) => return Ok(Self::Foreign),
            Err(error) => return Err(error),
        };
        let found = target::find(&directory, entry.path.file_name())?;
        Ok(match (&found, found.revision(), entry.before) {
            (_, Some(now), _) if now == entry.after => Self::New,
            (Found::Nothing, _, None) => Self::Old,
            (_, Some(now), Some(before)) if now == before => Self::Old,
            _ => Self::Foreign,
        })
    }
}

/// Makes the directories of a journal; one that is there already is as good.
pub(super) fn make_directories(root: &Directory, journal: &Journal) -> Result<(), Errno> {
    for path in &journal.directories {
        let parent = match target::directory_of(root, path) {
            Ok(parent) => parent,
            // Shows when the files below are put in place.
            Err(error) if target::is_displaced(error) => continue,
            Err(error) => return Err(error),
        };
        match ops::make_directory(parent.at(path.file_name()), Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Renames the staged content of the n-th file to where it belongs.
pub(super) fn put_in_place(root: &Directory, stage: &Stage, number: usize, entry: &Entry) -> Result<(), Errno> {
    let directory = target::directory_of(root, &entry.path)?;
    let new = Stage::new_name(number);
    let (from, to) = (stage.directory.at(&new), directory.at(entry.path.file_name()));
    if entry.before.is_some() { ops::replace(from, to) } else { ops::place(from, to) }
}

/// Waits until the names of everything that a journal touches are durable.
///
/// From the bottom up, so that a new directory is complete before its name is.
pub(super) fn sync_directories(root: &Directory, journal: &Journal) -> Result<(), Errno> {
    let touched = journal.files.iter().map(|entry| &entry.path).chain(&journal.directories);
    let parents: BTreeSet<_> = touched.map(|path| path.parent().unwrap_or("")).collect();
    let mut parents: Vec<_> = parents.into_iter().collect();
    parents.sort_by_key(|path| Reverse(if path.is_empty() { 0 } else { 1 + path.matches('/').count() }));
    for path in parents {
        match root.on_same_mount(path) {
            Ok(directory) => ops::sync_directory(&directory)?,
            Err(error) if target::is_displaced(error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Takes back what was done of a journal, up to what only the lock file says. Files that somebody has edited
/// since stay. Returns the paths whose old content is lost.
pub(super) fn undo(root: &Directory, stage: Option<&Stage>, journal: &Journal) -> Result<Vec<BundlePath>, Errno> {
    let mut lost = Vec::new();
    for (number, entry) in journal.files.iter().enumerate().rev() {
        if State::of(root, entry)? != State::New {
            continue;
        }
        let directory = target::directory_of(root, &entry.path)?;
        let here = directory.at(entry.path.file_name());
        if entry.before.is_none() {
            ops::remove_file(here)?;
            continue;
        }
        let old = Stage::old_name(number);
        let kept = match stage {
            Some(stage) => stage.directory.look(&old)?.map(|_| stage.directory.at(&old)),
            None => None,
        };
        match kept {
            // Whatever it holds by now: it is the very file that stood here.
            Some(kept) => ops::replace(kept, here)?,
            None => lost.push(entry.path.clone()),
        }
    }
    for path in journal.directories.iter().rev() {
        let Ok(parent) = target::directory_of(root, path) else { continue };
        match ops::remove_directory(parent.at(path.file_name())) {
            // Others have put something there, or something else is there.
            Ok(()) | Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => {}
            Err(error) => return Err(error),
        }
    }
    sync_directories(root, journal)?;
    Ok(lost)
}
