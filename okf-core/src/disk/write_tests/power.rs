//! The power goes at any instant: of what no sync has covered, any part may be lost.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};
use std::rc::Rc;

use super::world::{Cover, Effect, Event, Layout, Recorder, Recording, World, covers, lay_out};
use super::*;
use crate::disk::journal::Journal;

/// A recorded run, and which states count as whole at which point of it.
struct Story {
    recording: Recording,
    /// The picture that stands from some number of events on; between two, either.
    milestones: Vec<(usize, Picture)>,
    /// Numbers of events after which no cut is made: in the middle of an edit from outside.
    skipped: BTreeSet<usize>,
    /// The events that are looked at end here.
    from: usize,
}

/// Writes a story while it happens.
struct Author<'a> {
    root: &'a Path,
    recording: Rc<RefCell<Recording>>,
    milestones: Vec<(usize, Picture)>,
    skipped: BTreeSet<usize>,
}

impl<'a> Author<'a> {
    fn new(root: &'a Path) -> Self {
        Self { root, recording: Recording::of(root), milestones: vec![(0, picture(root))], skipped: BTreeSet::new() }
    }

    fn now(&self) -> usize {
        self.recording.borrow().events.len()
    }

    /// Does some work with every step recorded.
    fn record<T>(&self, fails: Option<usize>, work: impl FnOnce() -> T) -> T {
        let recorder = Recorder { recording: Rc::clone(&self.recording), fails, count: 0 };
        probe::with(recorder, work)
    }

    /// From here on the tree is what it is now.
    fn milestone(&mut self) {
        let mut now = picture(self.root);
        now.retain(|path, _| !path.starts_with(".okf-stage"));
        self.milestones.push((self.now(), now));
    }

    /// Somebody else brings a file to some text: what a stale journal would take for its own doing.
    fn outside_edit(&mut self, path: &str, text: &str) {
        let before = self.now();
        self.recording.borrow_mut().outside_edit(self.root, path, text.as_bytes());
        self.skipped.extend(before + 1..self.now());
        self.milestone();
    }

    fn finish(self) -> Story {
        let recording = Rc::into_inner(self.recording).expect("the recorder is gone").into_inner();
        Story { recording, milestones: self.milestones, skipped: self.skipped, from: 0 }
    }
}

/// Two commits; after each one somebody else sets a file back to what it was.
fn commits(root: &Path) -> Story {
    let mut author = Author::new(root);
    let edits = change(root);
    author.record(None, || commit(root, &edits)).unwrap();
    author.milestone();
    author.outside_edit("a/one.md", "one\n");
    let edits = [
        edit(root, "a/one.md", "one again\n"),
        edit(root, "b/four.md", "four again\n"),
        edit(root, "e/five.md", "five\n"),
    ];
    author.record(None, || commit(root, &edits)).unwrap();
    author.milestone();
    author.outside_edit("a/one.md", "one\n");
    author.finish()
}

impl Story {
    /// What the tree may be after some number of events, once it is recovered.
    fn allowed(&self, events: usize) -> Vec<&Picture> {
        let next = self.milestones.partition_point(|(from, _)| *from <= events);
        let mut allowed = vec![&self.milestones[next - 1].1];
        allowed.extend(self.milestones.get(next).map(|(_, picture)| picture));
        allowed
    }

    /// Cuts the power everywhere and recovers; returns what was neither old nor new, at most one when the
    /// first is enough. Leaves out syncs as if the code did not have them.
    fn violations(&self, without: impl Fn(usize) -> bool + Copy, first: bool) -> Vec<String> {
        let mut seen = HashSet::new();
        let mut violations = Vec::new();
        let events = self.recording.events.len();
        // Up to the first sync that is left out everything is as with it.
        let begin = (self.from..events).find(|number| without(*number)).unwrap_or(self.from);
        for end in begin..=events {
            if self.skipped.contains(&end) {
                continue;
            }
            let allowed = self.allowed(end);
            for layout in self.layouts(end, without) {
                let key =
                    (format!("{layout:?}"), format!("{:?}", self.milestones.iter().filter(|m| m.0 <= end).count()));
                if !seen.insert(key) {
                    continue;
                }
                let root = directory();
                lay_out(&layout, root.path());
                let recovered = load(root.path()).map(|(bundle, _)| texts(&bundle));
                let now = picture(root.path());
                let whole = allowed.iter().any(|allowed| **allowed == now) && recovered.is_ok_and(|t| t == files(&now));
                if !whole {
                    violations.push(format!("after {end} events, from {layout:?}: {now:?}"));
                    if first {
                        return violations;
                    }
                }
            }
        }
        violations
    }

    /// Every tree that a power cut after some number of events can leave.
    fn layouts(&self, end: usize, without: impl Fn(usize) -> bool) -> Vec<Layout> {
        let effects = covers(&self.recording.events[..end], without);
        let open: Vec<usize> = (0..effects.len()).filter(|number| effects[*number].1 != Cover::Full).collect();
        let make = |lost: &dyn Fn(usize) -> bool, torn: bool| {
            let mut world = self.recording.start.clone();
            for (number, (effect, cover)) in effects.iter().enumerate() {
                apply(&mut world, effect, *cover, lost(number) && *cover != Cover::Full, torn);
            }
            world.layout()
        };
        let mut layouts = vec![make(&|_| false, false), make(&|_| true, false), make(&|_| true, true)];
        for one in &open {
            layouts.push(make(&|number| number == *one, false));
            layouts.push(make(&|number| number == *one, true));
            layouts.push(make(&|number| number != *one, false));
        }
        // Any subset may be lost; some of them, always the same.
        for salt in 0..8_u64 {
            layouts.push(make(&|number| scatter(number as u64, salt ^ (end as u64) << 8) & 1 == 0, salt % 2 == 0));
        }
        layouts
    }

    fn syncs(&self) -> Vec<usize> {
        let events = self.recording.events.iter().enumerate().skip(self.from);
        let syncs = events.filter(|(_, event)| matches!(event, Event::SyncFile(_) | Event::SyncDirectory(_)));
        // Those of somebody else are not ours to leave out.
        syncs.map(|(number, _)| number).filter(|number| !self.skipped.contains(number)).collect()
    }
}

fn apply(world: &mut World, effect: &Effect, cover: Cover, lost: bool, torn: bool) {
    match effect {
        _ if !lost => world.apply(effect),
        Effect::Move(..) if cover == Cover::Half => world.apply_half(effect),
        // Only the first half of what was written has reached the disk.
        Effect::Content(file, bytes) if torn => {
            world.apply(&Effect::Content(*file, bytes[..bytes.len() / 2].to_vec()));
        }
        _ => {}
    }
}

fn scatter(number: u64, salt: u64) -> u64 {
    let mut mixed = (number ^ salt.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^= mixed >> 29;
    mixed = mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed >> 40
}

#[test]
fn a_power_cut_during_a_commit_leaves_the_old_or_the_new_state() {
    let root = before();
    let story = commits(root.path());
    assert!(story.recording.events.len() > 60, "{} events", story.recording.events.len());
    assert_eq!(story.violations(|_| false, true), [""; 0]);
}

#[test]
fn no_sync_of_a_commit_is_superfluous() {
    let root = before();
    let story = commits(root.path());
    let syncs = story.syncs();
    assert!(syncs.len() > 20, "{} syncs", syncs.len());
    for sync in syncs {
        let found = story.violations(|number| number == sync, true);
        assert!(
            !found.is_empty(),
            "without the sync of event {sync} ({:?}) nothing is lost",
            story.recording.events[sync]
        );
    }
}

/// Recoveries of commits that were interrupted at each step, and undone commits, each recorded as a story.
fn recoveries() -> Vec<Story> {
    let mut stories = Vec::new();
    let interrupted = before();
    let story = commits(interrupted.path());
    let mut seen = HashSet::new();
    for end in 0..story.recording.events.len() {
        let mut world = story.recording.start.clone();
        for (effect, _) in covers(&story.recording.events[..end], |_| false) {
            world.apply(effect);
        }
        let layout = world.layout();
        let pending =
            layout.get(".okf.lock").and_then(Option::as_ref).is_some_and(|(_, bytes)| Journal::decode(bytes).is_some());
        if !pending || !seen.insert(format!("{layout:?}")) {
            continue;
        }
        let root = directory();
        lay_out(&layout, root.path());
        stories.extend(recovery(root.path(), &story.allowed(end)));
    }
    stories
}

/// The story of one recovery, and of somebody who afterwards sets a file back.
fn recovery(root: &Path, allowed: &[&Picture]) -> Option<Story> {
    let mut author = Author::new(root);
    author.milestones.clear();
    author.record(None, || WriteLock::acquire(root, Duration::ZERO).map(drop)).unwrap();
    let now = picture(root);
    let other = allowed.iter().find(|allowed| ***allowed != now).copied().cloned();
    author.milestones.push((0, other?));
    author.milestone();
    author.outside_edit("a/one.md", if now["a/one.md"].as_deref() == Some(b"ONE\n") { "one\n" } else { "ONE\n" });
    Some(author.finish())
}

/// Commits of which one step fails after the commit point, so that they are taken back.
fn roll_backs() -> Vec<Story> {
    let mut stories = Vec::new();
    for fails in 1.. {
        let root = before();
        let mut author = Author::new(root.path());
        let edits = change(root.path());
        let locked = || WriteLock::acquire(root.path(), Duration::ZERO);
        let result = author.record(Some(fails), || locked().map(|mut lock| lock.commit(&edits)));
        let new = with_edits(&author.milestones[0].1, &edits);
        let begun = journal_written(&author.recording.borrow());
        match result {
            Ok(Ok(())) if begun.is_some() && !author.recording.borrow().failed => break,
            Ok(Err(error)) if error.standing == Standing::Old => {}
            _ => continue,
        }
        let Some(begun) = begun else { continue };
        // While it is under way the new state may come out as well.
        let old = author.milestones[0].1.clone();
        author.milestones = vec![(0, new)];
        author.milestone();
        assert_eq!(author.milestones[1].1, old);
        author.outside_edit("a/one.md", "ONE\n");
        stories.push(Story { from: begun, ..author.finish() });
    }
    stories
}

/// After how many events the journal was durable.
fn journal_written(recording: &Recording) -> Option<usize> {
    let is_journal =
        |event: &Event| matches!(event, Event::Effect(Effect::Content(_, bytes)) if Journal::decode(bytes).is_some());
    recording.events.iter().position(is_journal).map(|at| at + 2)
}

#[test]
fn a_power_cut_during_a_recovery_leaves_the_old_or_the_new_state() {
    let stories = recoveries();
    assert!(stories.len() > 10, "{} recoveries", stories.len());
    for story in &stories {
        assert_eq!(story.violations(|_| false, true), [""; 0]);
    }
    assert_every_kind_of_sync_is_needed(&stories);
}

#[test]
fn a_power_cut_during_a_roll_back_leaves_the_old_or_the_new_state() {
    let stories = roll_backs();
    assert!(stories.len() > 10, "{} roll-backs", stories.len());
    for story in &stories {
        assert_eq!(story.violations(|_| false, true), [""; 0]);
    }
    assert_every_kind_of_sync_is_needed(&stories);
}

/// Leaves out each kind of sync: it must be missed in one story at least.
fn assert_every_kind_of_sync_is_needed(stories: &[Story]) {
    let kinds: BTreeSet<String> =
        stories.iter().flat_map(|story| story.syncs().into_iter().map(|sync| story.kind(sync))).collect();
    assert!(kinds.len() > 3, "{kinds:?}");
    for kind in kinds {
        let concerned = |story: &&Story| story.syncs().iter().any(|sync| story.kind(*sync) == kind);
        let missed = stories.iter().filter(concerned).any(|story| {
            let without = |number: usize| number >= story.from && story.kind(number) == kind;
            !story.violations(without, true).is_empty()
        });
        assert!(missed, "without the sync of {kind} nothing is lost");
    }
}

impl Story {
    /// What a sync is of, as far as stories can be compared.
    fn kind(&self, event: usize) -> String {
        match &self.recording.events[event] {
            Event::SyncFile(_) => "the lock file".to_owned(),
            Event::SyncDirectory(directory) => format!("directory {}", self.recording.path_of(*directory)),
            Event::Effect(_) => "nothing".to_owned(),
        }
    }
}
