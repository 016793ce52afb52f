//! Following a bundle by what the kernel announces, and looking behind its back now and then.

#[cfg(all(test, target_os = "linux"))]
mod tests;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::io::Errno;

use super::DiskError;
use super::directory::Directory;
use super::look::{Eye, Found, Sight};
use super::marks::{Marks, Trouble};
use super::mirror::Mirror;
use super::stamp::Object;
use super::tree::{Entry, Tree};
use super::watch::Watch;

/// How often what turned up while looking is followed before the bundle is served as it was caught.
const ROUNDS: usize = 8;

/// How long after a trouble that passes by itself watching is tried again.
const PAUSE: Duration = Duration::from_millis(100);

/// How a bundle is followed without looking at everything at each call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// From the beginning of one pass in the background to that of the next.
    pub(crate) between_passes: Duration,
    /// How long ago everything may have been looked at when a call is answered.
    pub(crate) oldest_pass: Duration,
    /// How long passes go on after the last call.
    pub(crate) idle: Duration,
    /// How long after a failure watching is tried again.
    pub(crate) retry: Duration,
}

impl Default for Pace {
    /// What inotify cannot see is seen within 5 s (contract §9).
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self { between_passes: seconds(4), oldest_pass: seconds(5), idle: seconds(60), retry: seconds(60) }
    }
}

/// How a mirror stands with the kernel.
#[derive(Debug)]
pub(super) struct Following {
    pace: Pace,
    pub(super) watch: Option<Watch>,
    marks: Marks,
    /// When the last pass over everything began.
    passed: Instant,
    /// When watching may be tried.
    retry: Instant,
}

/// Work on a picture of the tree, to be done while calls are answered.
pub(crate) struct Errand {
    root: PathBuf,
    picture: Tree,
    sets_up: bool,
}

/// What came of an errand.
pub(crate) struct Findings {
    picture: Tree,
    begun: Instant,
    found: Result<Vec<Found>, Errno>,
    watch: Option<Result<Watch, Trouble>>,
}

impl Following {
    pub(super) fn new(pace: Pace) -> Self {
        let now = Instant::now();
        Self { pace, watch: None, marks: Marks::default(), passed: now, retry: now }
    }

    fn give_up(&mut self, trouble: Trouble) {
        self.watch = None;
        self.marks = Marks::default();
        self.retry = Instant::now() + if trouble.is_passing() { PAUSE } else { self.pace.retry };
    }
}

impl Mirror {
    /// Brings the tree up to date by what was announced; `false` when that is not enough, and everything has
    /// to be looked at.
    pub(super) fn follow(&mut self, root: &Directory, eye: &Eye<'_>) -> Result<bool, DiskError> {
        let Some(following) = self.following.as_mut().filter(|following| following.watch.is_some()) else {
            return Ok(false);
        };
        let is_due = following.passed.elapsed() > following.pace.oldest_pass;
        if !following.watch.as_ref().is_some_and(|watch| watch.is_of(root)) {
            following.give_up(Trouble::Replaced);
            return Ok(false);
        }
        if is_due {
            let picture = self.tree.clone();
            let findings = Findings::of(eye, picture, None);
            self.deposit(findings);
        }
        let outcome = self.follow_announcements(eye);
        match (outcome, self.following.as_mut()) {
            (Ok(Ok(())), _) => Ok(true),
            (Ok(Err(trouble)), Some(following)) => {
                following.give_up(trouble);
                Ok(false)
            }
            (Ok(Err(_)), None) => Ok(false),
            (Err(error), _) => Err(error),
        }
    }

    /// What there is to do while calls are answered.
    pub(crate) fn errand(&self) -> Option<Errand> {
        let following = self.following.as_ref()?;
        let sets_up = following.watch.is_none();
        if !self.has_bundle() || (sets_up && following.retry > Instant::now()) {
            return None;
        }
        Some(Errand { root: self.root.clone(), picture: self.tree.clone(), sets_up })
    }

    /// Whether somebody should ask for an errand soon.
    pub(crate) fn is_waiting(&self) -> bool {
        self.following.as_ref().is_some_and(|following| following.watch.is_none() && following.retry <= Instant::now())
    }

    /// Whether changes are announced.
    pub(crate) fn is_watching(&self) -> bool {
        self.following.as_ref().is_some_and(|following| following.watch.is_some())
    }

    /// Takes over what an errand found. What has changed since, or changes more than a content, is looked at
    /// by the next call.
    pub(crate) fn deposit(&mut self, findings: Findings) {
        let Some(following) = &mut self.following else { return };
        match findings.watch {
            Some(Ok(mut watch)) if following.watch.is_none() => {
                watch.retain(|path| self.tree.get(path).is_some());
                for (path, _) in self.tree.listings().filter(|(path, _)| !watch.has(path)) {
                    following.marks.directory(path);
                }
                following.watch = Some(watch);
            }
            Some(Err(trouble)) => following.give_up(trouble),
            _ => {}
        }
        // Whoever looks at everything at each call has no use for it.
        let Ok(found) = findings.found else { return };
        if following.watch.is_none() {
            return;
        }
        following.passed = findings.begun;
        let mut news = Vec::new();
        for Found { path, sight } in found {
            let (Some(then), Some(now)) = (findings.picture.get(&path), self.tree.get(&path)) else { continue };
            let Sight::Listed { stamp, changes } = sight else {
                following.marks.directory(&path);
                continue;
            };
            if !stamp.key.is_same_object(&then.stamp.key) {
                following.marks.directory(&path);
                continue;
            }
            let is_as_then = Arc::ptr_eq(then, now);
            let is_content = |entry: Option<&Entry>| matches!(entry, Some(Entry::Markdown(_)));
            let (contents, rest): (Vec<_>, Vec<_>) = changes.into_iter().partition(|change| {
                is_as_then && is_content(change.entry.as_ref()) && is_content(then.entry(&change.name))
            });
            for change in &rest {
                following.marks.entry(&path, &change.name);
            }
            if is_as_then {
                // The state says which names there are: not before those are known.
                let stamp = if rest.is_empty() { stamp } else { then.stamp };
                news.push(Found { path, sight: Sight::Listed { stamp, changes: contents } });
            }
        }
        drop(findings.picture);
        // Only the root could fail, and of the root nothing but contents was taken.
        let _ = self.learn(news);
    }

    /// Looks where something was announced, and at what is never announced, until it is quiet.
    fn follow_announcements(&mut self, eye: &Eye<'_>) -> Result<Result<(), Trouble>, DiskError> {
        for round in 0..ROUNDS {
            let Some(Following { watch: Some(watch), marks, .. }) = &mut self.following else { break };
            if let Err(trouble) = watch.drain(marks) {
                return Ok(Err(trouble));
            }
            if round == 0 {
                self.restless.mark(marks);
            }
            if marks.is_empty() {
                break;
            }
            loop {
                let found = match self.look_where_marked(eye) {
                    Ok(found) if found.is_empty() => break,
                    Ok(found) => found,
                    Err(trouble) => return Ok(Err(trouble)),
                };
                let linked = self.newly_linked(&found);
                self.learn(found).map_err(|error| DiskError::new(&self.root, error))?;
                let arrived = std::mem::take(&mut self.arrived);
                let Some(Following { marks, .. }) = &mut self.following else { break };
                arrived.iter().for_each(|path| marks.directory(path));
                self.tree.mark_other_names(&linked, marks);
            }
        }
        Ok(Ok(()))
    }

    /// Looks at everything marked; each directory is watched before it is listed.
    fn look_where_marked(&mut self, eye: &Eye<'_>) -> Result<Vec<Found>, Trouble> {
        let Some(Following { watch: Some(watch), marks, .. }) = &mut self.following else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for (path, mark) in marks.take() {
            let Some(known) = self.tree.get(&path) else { continue };
            let directory = eye.open(&path);
            if let Ok(directory) = &directory {
                watch.add(&path, directory)?;
            }
            if let Some(sight) = eye.look(directory, known, &mark) {
                found.push(Found { path, sight });
            }
        }
        eye.read(&self.tree, &mut found);
        Ok(found)
    }

    /// The files that turn out to have other names too: those have to be looked at from now on.
    fn newly_linked(&self, found: &[Found]) -> HashSet<Object> {
        let changes = found.iter().filter_map(|found| match &found.sight {
            Sight::Listed { changes, .. } => Some(changes),
            Sight::Gone | Sight::Closed(_) => None,
        });
        changes.flatten().filter_map(|change| change.linked).filter(|object| !self.linked.contains(object)).collect()
    }
}

impl Errand {
    /// Does the work.
    pub(crate) fn run(self) -> Findings {
        let Self { root, picture, sets_up } = self;
        let begun = Instant::now();
        let failed = |picture, error| {
            let watch = sets_up.then_some(Err(Trouble::Replaced));
            Findings { picture, begun, found: Err(error), watch }
        };
        // A root that is gone is the next call's to report.
        let Ok(root) = Directory::open(&root) else { return failed(picture, Errno::NOENT) };
        let eye = match Eye::new(&root) {
            Ok(eye) => eye.thorough(),
            Err(error) => return failed(picture, error),
        };
        let watch = sets_up.then(|| watch_all(&root, &eye, &picture));
        if let Some(Err(_)) = watch {
            return Findings { picture, begun, found: Err(Errno::NOTSUP), watch };
        }
        Findings::of(&eye, picture, watch)
    }
}

impl Findings {
    fn of(eye: &Eye<'_>, picture: Tree, watch: Option<Result<Watch, Trouble>>) -> Self {
        let begun = Instant::now();
        let paths: Vec<_> = picture.listings().map(|(path, _)| Arc::clone(path)).collect();
        let found = Ok(eye.pass(&picture, &paths));
        Self { picture, begun, found, watch }
    }
}

fn watch_all(root: &Directory, eye: &Eye<'_>, tree: &Tree) -> Result<Watch, Trouble> {
    let mut watch = Watch::new(root)?;
    for (path, _) in tree.listings() {
        // What cannot be opened now is restless, and watched when it can.
        if let Ok(directory) = eye.open(path) {
            watch.add(path, &directory)?;
        }
    }
    Ok(watch)
}

impl Tree {
    /// Marks the other names of files that turned out to have some.
    fn mark_other_names(&self, linked: &HashSet<Object>, marks: &mut Marks) {
        if linked.is_empty() {
            return;
        }
        for (path, listing) in self.listings() {
            for (name, entry) in &listing.entries {
                if let Entry::Markdown(held) = entry
                    && !held.linked
                    && linked.contains(&held.stamp.key.object())
                {
                    marks.entry(path, name);
                }
            }
        }
    }
}
