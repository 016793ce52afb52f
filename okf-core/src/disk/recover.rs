//! Finishing or undoing a commit that was interrupted (contract §8, Crash safety).

use std::fmt;

use rustix::io::Errno;

use super::apply::{self, State};
use super::directory::Directory;
use super::journal::{Entry, Journal};
use super::lock::{self, WriteLock};
use super::ops;
use super::stage::{self, Stage};
use super::target;
use crate::bundle_path::BundlePath;
use crate::finding::Escaped;

/// What became of an interrupted commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovery {
    /// Which state stands now.
    pub outcome: Outcome,
    /// Files that somebody had edited since; they were left as they are.
    pub kept: Vec<Kept>,
    /// Files whose old content could not be brought back, because somebody had removed it from the stage.
    pub lost: Vec<BundlePath>,
}

/// Which way an interrupted commit went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was finished.
    Finished,
    /// It was undone.
    Undone,
}

/// A file that was edited after the interruption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// The file, as somebody left it.
    pub path: BundlePath,
    /// Where the other text lies, relative to the root; `None` when there was none any more.
    pub beside: Option<String>,
}

impl WriteLock {
    /// Finishes or undoes what the lock file says, and removes what is left of it.
    pub(super) fn recover(&self) -> Result<Option<Recovery>, Errno> {
        let recovery = match lock::read_journal(&self.file)? {
            Some(journal) => Some(recover(&self.root, &journal)?),
            // Not a whole journal: nothing was renamed.
            None => None,
        };
        if rustix::fs::fstat(&*self.file)?.st_size != 0 {
            self.close_journal()?;
        }
        // What cannot be removed now stands in the way of the next commit alone, which says so.
        let _ = stage::discard(&self.root);
        Ok(recovery)
    }
}

/// What is known of one file of an interrupted commit.
pub(super) struct Standing {
    pub(super) state: State,
    /// Whether the new content is still staged.
    pub(super) staged: bool,
}

/// Looks at every file of an interrupted commit.
pub(super) fn standings(root: &Directory, stage: Option<&Stage>, journal: &Journal) -> Result<Vec<Standing>, Errno> {
    let look = |(number, entry): (usize, &Entry)| {
        let staged = stage.map_or(Ok(false), |stage| stage.holds(&Stage::new_name(number), entry.after))?;
        Ok(Standing { state: State::of(root, entry)?, staged })
    };
    journal.files.iter().enumerate().map(look).collect()
}

/// Which way an interrupted commit goes: forward unless a new content is missing, as after a roll-back that
/// was interrupted itself.
pub(super) fn outcome(standings: &[Standing]) -> Outcome {
    let stuck = |standing: &Standing| standing.state == State::Old && !standing.staged;
    if standings.iter().any(stuck) { Outcome::Undone } else { Outcome::Finished }
}

fn recover(root: &Directory, journal: &Journal) -> Result<Recovery, Errno> {
    let stage = Stage::open(root)?;
    let standings = standings(root, stage.as_ref(), journal)?;
    match (outcome(&standings), &stage) {
        (Outcome::Finished, Some(stage)) => finish(root, stage, journal, &standings),
        (Outcome::Finished, None) => {
            apply::sync_directories(root, journal)?;
            let kept = foreign(journal, &standings).map(|(_, path)| Kept { path, beside: None }).collect();
            Ok(Recovery { outcome: Outcome::Finished, kept, lost: Vec::new() })
        }
        (Outcome::Undone, stage) => {
            let lost = apply::undo(root, stage.as_ref(), journal)?;
            let kept = foreign(journal, &standings).map(|(_, path)| Kept { path, beside: None }).collect();
            Ok(Recovery { outcome: Outcome::Undone, kept, lost })
        }
    }
}

fn finish(root: &Directory, stage: &Stage, journal: &Journal, standings: &[Standing]) -> Result<Recovery, Errno> {
    apply::make_directories(root, journal)?;
    for ((number, entry), standing) in journal.files.iter().enumerate().zip(standings) {
        if standing.state == State::Old {
            apply::put_in_place(root, stage, number, entry)?;
        }
    }
    let mut kept = Vec::new();
    for (number, path) in foreign(journal, standings) {
        let staged = standings[number].staged.then(|| Stage::new_name(number));
        let beside = staged.map(|name| put_beside(root, stage, &name, &path)).transpose()?;
        kept.push(Kept { path, beside });
    }
    // The old file may have been written to through a descriptor that somebody still held.
    for (number, entry) in journal.files.iter().enumerate() {
        let (Some(before), old) = (entry.before, Stage::old_name(number)) else { continue };
        let there = standings[number].state != State::Foreign && stage.directory.look(&old)?.is_some();
        if there && !stage.holds(&old, before)? {
            let beside = Some(put_beside(root, stage, &old, &entry.path)?);
            kept.push(Kept { path: entry.path.clone(), beside });
        }
    }
    apply::sync_directories(root, journal)?;
    Ok(Recovery { outcome: Outcome::Finished, kept, lost: Vec::new() })
}

fn foreign<'a>(journal: &'a Journal, standings: &'a [Standing]) -> impl Iterator<Item = (usize, BundlePath)> + 'a {
    let files = journal.files.iter().enumerate().zip(standings);
    files
        .filter(|(_, standing)| standing.state == State::Foreign)
        .map(|((number, entry), _)| (number, entry.path.clone()))
}

/// Moves a staged file next to its target under a free name, or to the root where the directory is gone;
/// returns its path.
fn put_beside(root: &Directory, stage: &Stage, staged: &str, path: &BundlePath) -> Result<String, Errno> {
    let (directory, parent) = match target::directory_of(root, path) {
        Ok(directory) => (directory, path.parent()),
        Err(error) if target::is_displaced(error) => (root.on_same_mount("")?, None),
        Err(error) => return Err(error),
    };
    let mut stem = path.file_name();
    let mut number = 1u32;
    loop {
        let name = match number {
            1 => format!("{stem}.okf-kept"),
            _ => format!("{stem}.okf-kept-{number}"),
        };
        match ops::place(stage.directory.at(staged), directory.at(&name)) {
            Ok(()) => {
                if parent.is_none() {
                    // The directories of the targets are synced later; the root may be none of them.
                    ops::sync_directory(&directory)?;
                }
                return Ok(parent.map_or_else(|| name.clone(), |parent| format!("{parent}/{name}")));
            }
            Err(Errno::EXIST) => number = number.saturating_add(1),
            Err(Errno::NAMETOOLONG) if stem != "text" => stem = "text",
            Err(error) => return Err(error),
        }
    }
}

impl fmt::Display for Recovery {
    /// One sentence, and one line more for each file that was kept or lost.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.outcome {
            Outcome::Finished => "finished an interrupted write",
            Outcome::Undone => "undid an interrupted write",
        })?;
        for Kept { path, beside } in &self.kept {
            let path = Escaped(path.as_str());
            match beside {
                Some(beside) => {
                    write!(f, "\n`{path}` was edited since and is kept; the other text is in `{}`", Escaped(beside))?;
                }
                None => write!(f, "\n`{path}` was edited since and is kept")?,
            }
        }
        for path in &self.lost {
            write!(f, "\nthe old text of `{}` is lost, its new text stays", Escaped(path.as_str()))?;
        }
        Ok(())
    }
}
