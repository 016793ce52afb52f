//! Why a change set is not prepared, in three tiers.

use std::fmt;

use super::describe::Change;
use super::judgement::Judgement;
use crate::bundle_path::{BundlePath, PathError};
use crate::document::{EditError, Revision};
use crate::finding::{Escaped, Report, Severity};
use crate::log::LogError;

/// Why there is no candidate to commit.
#[derive(Debug)]
pub enum PrepareError {
    /// A change describes no state of the bundle; the caller can correct it.
    Change(ChangeError),
    /// The candidate is not fit to be written; the reports say why.
    Refused(Refusal),
    /// A hook of the build is at fault.
    Hook(HookError),
}

/// A change that cannot be made.
#[derive(Debug)]
pub struct ChangeError {
    /// Position of the change in its set, from 0.
    pub change: usize,
    /// Which of its concepts the error is about.
    pub subject: Subject,
    /// The ID as given.
    pub id: String,
    /// What is wrong.
    pub reason: Reason,
}

/// A concept that a change names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The concept created, updated or deprecated.
    Concept,
    /// The concept that gets a link.
    Source,
    /// The concept that is linked to.
    Target,
}

/// What is wrong with a change.
#[derive(Debug)]
pub enum Reason {
    /// The ID breaks a rule of bundle paths.
    Path(PathError),
    /// The ID ends in `.md`; the ID without it.
    Suffix(String),
    /// The last segment is `index` or `log` where case is ignored (spec §3.1).
    Reserved,
    /// A directory on the way begins with a dot: it would be no part of the bundle.
    Hidden(String),
    /// A segment that is longer than the 255 bytes that file systems take.
    LongName,
    /// More of something than the ID of a new concept may have.
    TooLong {
        /// Of what.
        what: &'static str,
        /// How many it has.
        found: usize,
        /// How many it may have.
        most: usize,
    },
    /// The file exists already.
    Exists(BundlePath),
    /// A directory has the name of the file.
    IsDirectory(String),
    /// A file has the name of a directory on the way.
    IsFile(String),
    /// A symbolic link is in the way; it is not written through.
    IsLink(String),
    /// A directory on the way cannot be listed, so that nobody knows what is there.
    Unlisted(String),
    /// Differs from an existing path by case or Unicode normal form alone.
    Collides(String),
    /// No such concept; up to three near misses.
    Missing(Vec<String>),
    /// The concept cannot be read, and so not edited.
    Unreadable(String),
    /// The concept is at another revision than expected.
    Stale {
        /// The revision expected, as given.
        expected: String,
        /// The revision that the concept is at.
        current: Revision,
    },
    /// The relationship says nothing: it is empty or white space.
    BlankRelationship,
    /// `sources` is neither absent nor a list.
    SourcesNoList,
    /// The file cannot be edited safely.
    Edit(EditError),
    /// The root `log.md` cannot be written.
    Log(LogObstacle),
}

/// What keeps the root `log.md` from being written, and so every change from being made.
#[derive(Debug)]
pub enum LogObstacle {
    /// It is a symbolic link.
    IsLink,
    /// It is a directory.
    IsDirectory,
    /// It is not there, and would differ from this path by case or Unicode normal form alone.
    Collides(String),
    /// It cannot be read.
    Unreadable(String),
    /// It holds what nothing can be added to.
    Text(LogError),
}

/// Reports that stand in the way of a write: the errors that refuse it, nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    /// By the specification.
    pub spec: Report,
    /// By each judge that refuses, with its name, in the order of names. One without errors refuses because
    /// it could no longer judge the bundle.
    pub judges: Vec<(String, Judgement)>,
}

/// A hook that panicked, or broke the rules of [`Derive`](super::Derive) or [`Judge`](super::Judge).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookError {
    /// A hook panicked.
    Panicked {
        /// The hook.
        hook: String,
        /// What it said.
        message: String,
    },
    /// Two hooks edit one file.
    Twice {
        /// The file.
        path: BundlePath,
        /// The first by name.
        first: String,
        /// The second by name; the same hook when it edits the file twice.
        second: String,
    },
    /// A hook edits what is no part of the bundle: in a hidden directory, or the lock file.
    Outside {
        /// The file.
        path: BundlePath,
        /// The hook.
        hook: String,
    },
    /// A hook's `before` is not what the candidate shows.
    Before {
        /// The file.
        path: BundlePath,
        /// The hook.
        hook: String,
    },
    /// A judge has a finding that is not in its namespace.
    Namespace {
        /// The finding.
        id: &'static str,
        /// The judge.
        hook: String,
    },
}

impl HookError {
    /// The hook at fault, by name; of two that edit one file, the second.
    #[must_use]
    pub fn hook(&self) -> &str {
        match self {
            Self::Panicked { hook, .. }
            | Self::Outside { hook, .. }
            | Self::Before { hook, .. }
            | Self::Namespace { hook, .. } => hook,
            Self::Twice { second, .. } => second,
        }
    }
}

impl ChangeError {
    /// An error about one of the concepts that a change names.
    pub(super) fn new(at: usize, change: &Change, subject: Subject, reason: Reason) -> Self {
        let named = change.subjects().into_iter().find(|(other, _)| *other == subject);
        Self { change: at, subject, id: named.map_or(change.id(), |(_, id)| id).to_owned(), reason }
    }
}

impl From<HookError> for PrepareError {
    fn from(error: HookError) -> Self {
        Self::Hook(error)
    }
}

impl fmt::Display for PrepareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Change(error) => error.fmt(f),
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Hook(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PrepareError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Change(error) => error.source(),
            Self::Refused(_) | Self::Hook(_) => None,
        }
    }
}

impl std::error::Error for ChangeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.reason {
            Reason::Edit(error) => Some(error),
            Reason::Log(LogObstacle::Text(error)) => Some(error),
            _ => None,
        }
    }
}

impl std::error::Error for Refusal {}

impl std::error::Error for HookError {}

impl fmt::Display for ChangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let id = Escaped(&self.id);
        match &self.reason {
            Reason::Path(rule) => write!(f, "a concept ID {rule}"),
            Reason::Suffix(without) => write!(f, "a concept ID has no `.md` suffix: use `{without}`"),
            Reason::Reserved => write!(f, "`{id}` is a reserved name in any case: choose another"),
            Reason::Hidden(directory) => write!(
                f,
                "`{id}` would be no part of the bundle: directories whose name begins with `.`, as `{directory}`, \
                 are passed over"
            ),
            Reason::TooLong { what, found, most } => {
                write!(f, "the ID is too long for a new concept: it has {found} {what} (at most {most})")
            }
            Reason::LongName => write!(f, "`{id}` has a segment that is longer than a file name can be (255 bytes)"),
            Reason::Exists(path) => write!(f, "`{path}` exists already and is not replaced"),
            Reason::IsDirectory(path) => write!(f, "`{path}` is a directory: choose another ID"),
            Reason::IsFile(path) => write!(f, "`{path}` is a file, so nothing can be below it: choose another ID"),
            Reason::IsLink(path) => write!(f, "`{path}` is a symbolic link, which is not written through"),
            Reason::Unlisted(directory) => write!(f, "`{directory}` cannot be listed, so nothing is written below it"),
            Reason::Collides(other) => write!(
                f,
                "`{id}` collides with `{other}` where case or Unicode normal form is ignored: use the same spelling or \
                 choose another ID"
            ),
            Reason::Missing(near) => {
                write!(f, "concept `{id}` does not exist")?;
                for (at, near) in near.iter().enumerate() {
                    write!(f, "{}`{near}`", if at == 0 { "; did you mean " } else { ", " })?;
                }
                if near.is_empty() { Ok(()) } else { f.write_str("?") }
            }
            Reason::Unreadable(why) => write!(f, "concept `{id}` cannot be read: {why}"),
            Reason::Stale { current, .. } => write!(
                f,
                "concept `{id}` has changed: its current revision is `{current}`; look it up again before you write"
            ),
            Reason::BlankRelationship => {
                f.write_str("a relationship cannot be blank: say what the target is to the source, as `derived-from`")
            }
            Reason::SourcesNoList => write!(f, "`sources` of concept `{id}` is no list: make it one first"),
            Reason::Edit(error) => write!(f, "concept `{id}` cannot be edited safely: {error}"),
            Reason::Log(obstacle) => write!(f, "the change cannot be logged: {obstacle}"),
        }
    }
}

impl fmt::Display for LogObstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IsLink => f.write_str("`log.md` is a symbolic link, which is not written through"),
            Self::IsDirectory => f.write_str("`log.md` is a directory: rename it"),
            Self::Collides(other) => write!(
                f,
                "`log.md` would collide with `{}` where case or Unicode normal form is ignored: rename that",
                Escaped(other)
            ),
            Self::Unreadable(why) => write!(f, "`log.md` cannot be read: {why}"),
            Self::Text(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for Refusal {
    /// The number of errors and the first of them; without errors, who could no longer judge the bundle.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reports = || std::iter::once(&self.spec).chain(self.judges.iter().map(|(_, judgement)| judgement.report()));
        let count: usize = reports().map(Report::errors).sum();
        if let (0, [(name, judgement), ..]) = (count, &self.judges[..]) {
            return write!(f, "`{name}` could no longer judge the bundle: {}", judgement.verdict());
        }
        write!(f, "the bundle would hold {count} {}", if count == 1 { "error" } else { "errors" })?;
        match reports().flat_map(Report::findings).find(|finding| finding.severity == Severity::Error) {
            Some(first) if count == 1 => write!(f, ": {first}"),
            Some(first) => write!(f, ", first {first}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for HookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panicked { hook, message } => write!(f, "hook `{hook}` panicked: {message}"),
            Self::Twice { path, first, second } if first == second => {
                write!(f, "hook `{first}` edits `{path}` twice")
            }
            Self::Twice { path, first, second } => write!(f, "hooks `{first}` and `{second}` both edit `{path}`"),
            Self::Outside { path, hook } => write!(f, "hook `{hook}` edits `{path}`, which is no part of the bundle"),
            Self::Before { path, hook } => write!(f, "hook `{hook}` edits `{path}` as it is not in the candidate"),
            Self::Namespace { id, hook } => write!(f, "hook `{hook}` reports `{id}`, which is not in its namespace"),
        }
    }
}
