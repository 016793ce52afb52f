//! From a change set to a judged candidate, and from there to the disk.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;

use super::describe::ChangeSet;
use super::error::{ChangeError, HookError, LogObstacle, PrepareError, Reason};
use super::gate::{Passed, gate};
use super::hooks::{self, Candidate, Derive, Judge};
use super::judgement::Judgement;
use super::place::{self, collision};
use super::plan::{Step, plan};
use crate::bundle::{Bundle, Content, File};
use crate::bundle_path::BundlePath;
use crate::concept_id::ConceptId;
use crate::disk::{CommitError, FileEdit, WriteLock};
use crate::document::{Document, Revision};
use crate::finding::Report;
use crate::index;
use crate::log::{self, LogEntry, LogError};

/// Changes that are worked out, judged and ready to be written.
#[derive(Debug)]
pub struct Prepared {
    candidate: Bundle,
    edits: Vec<FileEdit>,
    preexisting: Report,
    judgements: Vec<(String, Judgement)>,
}

/// Works out every byte of a change set and judges the outcome. Nothing is written.
///
/// `date` is the day in the log, in UTC. Hooks are asked in the order of their names, whatever the order of
/// the slices.
///
/// # Errors
///
/// A change that cannot be made, a candidate that is refused with its reports, or a hook at fault.
pub fn prepare(
    bundle: &Bundle,
    set: &ChangeSet,
    date: Date,
    derive: &[&dyn Derive],
    judges: &[&dyn Judge],
) -> Result<Prepared, PrepareError> {
    let mut draft = Draft::new(bundle);
    draft.make_changes(set)?;
    if !draft.written.is_empty() {
        draft.keep_index_and_log(set, date)?;
        draft.derive(derive, date)?;
    }
    draft.judge(judges)
}

impl Prepared {
    /// The bundle as it would be.
    #[must_use]
    pub fn candidate(&self) -> &Bundle {
        &self.candidate
    }

    /// The bundle as it would be, for good.
    #[must_use]
    pub fn into_candidate(self) -> Bundle {
        self.candidate
    }

    /// The files to write, by path; none when the bundle already is as wanted.
    #[must_use]
    pub fn edits(&self) -> &[FileEdit] {
        &self.edits
    }

    /// The paths of the files to write, sorted.
    #[must_use]
    pub fn changed_paths(&self) -> Vec<String> {
        self.edits.iter().map(|edit| edit.path.as_str().to_owned()).collect()
    }

    /// Errors of the specification that were there before and do not stand in the way.
    #[must_use]
    pub fn preexisting(&self) -> &Report {
        &self.preexisting
    }

    /// What each judge makes of the candidate, in the order of names.
    #[must_use]
    pub fn judgements(&self) -> &[(String, Judgement)] {
        &self.judgements
    }

    /// Writes the prepared bytes, all or none; without edits nothing is touched. Gives the bundle as it is now.
    ///
    /// # Errors
    ///
    /// See [`WriteLock::commit`]: which state stands, and why. Prepared without the lock, a file that was
    /// changed since is an error, and nothing is written.
    pub fn commit(self, lock: &mut WriteLock) -> Result<Bundle, CommitError> {
        if !self.edits.is_empty() {
            lock.commit(&self.edits)?;
        }
        Ok(self.candidate)
    }
}

/// A candidate in the making.
struct Draft<'a> {
    original: &'a Bundle,
    /// The bundle with what has been drafted so far; `None` while it is the original.
    overlaid: Option<Bundle>,
    /// The drafted contents.
    texts: BTreeMap<BundlePath, Vec<u8>>,
    /// What hooks say that their files are now: they may know the content of an asset.
    befores: BTreeMap<BundlePath, Revision>,
    /// The concepts that the changes name as those to write, changed or not.
    named: BTreeSet<BundlePath>,
    /// The concepts that are changed, in the order of the changes.
    written: Vec<ConceptId>,
    /// What the log will say, in the order of the changes: which change, and its entry.
    entries: Vec<(usize, LogEntry)>,
}

impl<'a> Draft<'a> {
    fn new(original: &'a Bundle) -> Self {
        // What is known about the original is handed on to the candidate.
        let _ = original.errors();
        Self {
            original,
            overlaid: None,
            texts: BTreeMap::new(),
            befores: BTreeMap::new(),
            named: BTreeSet::new(),
            written: Vec::new(),
            entries: Vec::new(),
        }
    }

    fn bundle(&self) -> &Bundle {
        self.overlaid.as_ref().unwrap_or(self.original)
    }

    /// Puts contents into the candidate.
    fn overlay(&mut self, texts: Vec<(BundlePath, Vec<u8>)>) {
        if texts.is_empty() {
            return;
        }
        let edits: Vec<FileEdit> =
            texts.into_iter().map(|(path, after)| FileEdit { path, before: None, after }).collect();
        self.overlaid = Some(self.bundle().with_files(&edits));
        self.texts.extend(edits.into_iter().map(|edit| (edit.path, edit.after)));
    }

    fn make_changes(&mut self, set: &ChangeSet) -> Result<(), PrepareError> {
        for (at, change) in set.changes.iter().enumerate() {
            let plan = plan(change, self.bundle(), self.original)
                .map_err(|(subject, reason)| PrepareError::Change(ChangeError::new(at, change, subject, reason)))?;
            self.named.insert(plan.path.clone());
            if let Some(step) = plan.step {
                self.take(at, plan.path, step);
            }
        }
        Ok(())
    }

    fn take(&mut self, at: usize, path: BundlePath, step: Step) {
        let Step { text, action, detail } = step;
        let id = ConceptId::of(&path).expect("only concepts are planned");
        self.overlay(vec![(path.clone(), text)]);
        let title = self.bundle().document(path.as_str()).map_or(id.base_name(), |document| document.display_title());
        let entry = LogEntry { action, title: title.to_owned(), id: id.clone(), detail };
        self.entries.push((at, entry));
        if !self.written.contains(&id) {
            self.written.push(id);
        }
    }

    fn keep_index_and_log(&mut self, set: &ChangeSet, date: Date) -> Result<(), PrepareError> {
        let indexes = index::upkeep(self.bundle(), self.original, &self.written);
        let log = self.log(date).map_err(|obstacle| {
            let (at, _) = self.entries.first().expect("what is written is logged");
            let change = &set.changes[*at];
            PrepareError::Change(ChangeError::new(*at, change, change.subjects()[0].0, Reason::Log(obstacle)))
        })?;
        self.overlay(indexes.into_iter().chain([log]).collect());
        Ok(())
    }

    fn log(&self, date: Date) -> Result<(BundlePath, Vec<u8>), LogObstacle> {
        let path = BundlePath::new("log.md").expect("a plain name is a bundle path");
        if self.original.skipped_links().iter().any(|link| link == path.as_str()) {
            return Err(LogObstacle::IsLink);
        }
        if self.original.has_directory(path.as_str()) {
            return Err(LogObstacle::IsDirectory);
        }
        let existing = match self.original.files().get(&path) {
            Some(File::Log(content)) => match content {
                Content::Document(document) => Some(bytes(document)),
                Content::NotUtf8 { offset } => return Err(LogObstacle::Text(LogError::NotUtf8 { offset: *offset })),
                Content::Failed { message } => return Err(LogObstacle::Unreadable(message.clone())),
            },
            _ => match collision(self.original, path.as_str()) {
                Some(other) => return Err(LogObstacle::Collides(other)),
                None => None,
            },
        };
        let entries: Vec<LogEntry> = self.entries.iter().map(|(_, entry)| entry.clone()).collect();
        let text = log::insert(existing.as_deref(), date, &entries).map_err(LogObstacle::Text)?;
        Ok((path, text))
    }

    fn derive(&mut self, hooks: &[&dyn Derive], date: Date) -> Result<(), HookError> {
        let mut hooks = hooks.to_vec();
        hooks.sort_by(|a, b| a.name().cmp(b.name()));
        let candidate = Candidate { bundle: self.bundle(), previous: self.original, written: &self.written, date };
        let mut derived = BTreeMap::<BundlePath, (&str, Vec<u8>)>::new();
        let mut befores = BTreeMap::new();
        for hook in &hooks {
            for edit in hooks::guarded(hook.name(), || hook.derive(&candidate))? {
                let FileEdit { path, before, after } = edit;
                let name = || hook.name().to_owned();
                if let Some((first, _)) = derived.get(&path) {
                    return Err(HookError::Twice { path, first: (*first).to_owned(), second: name() });
                }
                if place::is_outside(path.as_str()) {
                    return Err(HookError::Outside { path, hook: name() });
                }
                if !fits(candidate.bundle, &path, before) {
                    return Err(HookError::Before { path, hook: name() });
                }
                befores.extend(before.map(|before| (path.clone(), before)));
                derived.insert(path, (hook.name(), after));
            }
        }
        let derived = derived.into_iter().map(|(path, (_, text))| (path, text)).collect();
        self.overlay(derived);
        self.befores = befores;
        Ok(())
    }

    fn judge(self, judges: &[&dyn Judge]) -> Result<Prepared, PrepareError> {
        let passed = gate(self.original, self.bundle(), &self.named, judges)?;
        Ok(self.finish(passed))
    }

    fn finish(self, passed: Passed) -> Prepared {
        let Passed { preexisting, judgements } = passed;
        let original = self.original;
        let edits = self.texts.into_iter().filter_map(|(path, after)| {
            let known = original.files().contains_key(&path);
            let before = revision(original, &path).or_else(|| self.befores.get(&path).copied().filter(|_| known));
            (before != Some(Revision::of(&after))).then_some(FileEdit { path, before, after })
        });
        let edits = edits.collect();
        let candidate = self.overlaid.unwrap_or_else(|| original.with_files(&[]));
        Prepared { candidate, edits, preexisting, judgements }
    }
}

/// The bytes of a document's file.
fn bytes(document: &Document) -> Vec<u8> {
    [document.text().mark(), document.text().as_str()].concat().into_bytes()
}

/// Whether a file is what an edit takes it for; the content of an asset is believed.
fn fits(bundle: &Bundle, path: &BundlePath, before: Option<Revision>) -> bool {
    match revision(bundle, path) {
        Some(revision) => before == Some(revision),
        None => before.is_some() == bundle.files().contains_key(path),
    }
}

/// The revision of a file, when its content is known.
fn revision(bundle: &Bundle, path: &BundlePath) -> Option<Revision> {
    Some(bundle.document(path.as_str())?.revision())
}
