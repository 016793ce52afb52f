//! Watching directories through inotify, without a thread: the kernel queues an event before the call that
//! caused it returns, so that whoever empties the queue knows all that was done before.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
use rustix::io::Errno;

use super::directory::Directory;
use super::marks::{Marks, Trouble};
use super::stamp::{Object, Precision, StatKey};
use super::tree::Key;

/// Room for some hundred events.
const BUFFER: usize = 64 << 10;

/// How many events are taken out at once before somebody is found to write faster than we read.
const FLOOD: usize = 1 << 20;

/// `CLOSE_WRITE` tells of stores through a memory map, though late.
const INTEREST: WatchFlags = WatchFlags::MODIFY
    .union(WatchFlags::ATTRIB)
    .union(WatchFlags::CLOSE_WRITE)
    .union(WatchFlags::CREATE)
    .union(WatchFlags::DELETE)
    .union(WatchFlags::MOVE)
    .union(WatchFlags::DELETE_SELF)
    .union(WatchFlags::MOVE_SELF)
    .union(WatchFlags::ONLYDIR);

/// The watched directories of one root.
pub(super) struct Watch {
    queue: OwnedFd,
    root: Object,
    /// Whose events a watch descriptor announces.
    paths: HashMap<i32, Key>,
    watched: HashMap<Key, Watched>,
    /// Watches taken away whose last event is still to come: until then a number may stand for two.
    leaving: HashMap<i32, usize>,
    buffer: Box<[MaybeUninit<u8>]>,
}

struct Watched {
    descriptor: i32,
    object: Object,
}

impl Watch {
    /// Prepares to watch what lies beneath an open root; watches nothing yet.
    ///
    /// # Errors
    ///
    /// The file system is not known to announce every change, or there are too many watchers.
    pub(super) fn new(root: &Directory) -> Result<Self, Trouble> {
        if Precision::of(root) != Precision::Fine {
            return Err(Trouble::FileSystem);
        }
        let root = object(root)?;
        let queue = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        let buffer = vec![MaybeUninit::uninit(); BUFFER].into_boxed_slice();
        Ok(Self { queue, root, paths: HashMap::new(), watched: HashMap::new(), leaving: HashMap::new(), buffer })
    }

    /// Whether this is the root that is watched.
    pub(super) fn is_of(&self, root: &Directory) -> bool {
        object(root).is_ok_and(|root| root == self.root)
    }

    /// Whether a directory is watched.
    pub(super) fn has(&self, path: &[u8]) -> bool {
        self.watched.contains_key(path)
    }

    /// Watches an open directory under its path, unless it is watched there already.
    ///
    /// # Errors
    ///
    /// It lies on another device, there is no `/proc`, or there are too few watches.
    pub(super) fn add(&mut self, path: &Key, directory: &Directory) -> Result<(), Trouble> {
        let object = object(directory)?;
        if object.0 != self.root.0 {
            return Err(Trouble::FileSystem);
        }
        if self.watched.get(path).is_some_and(|watched| watched.object == object) {
            return Ok(());
        }
        self.forget(path);
        // By its descriptor: a path could lead somewhere else by now.
        let itself = format!("/proc/self/fd/{}", directory.as_fd().as_raw_fd());
        let descriptor = inotify::add_watch(&self.queue, itself, INTEREST)?;
        // A directory that was moved keeps its descriptor, which now announces for the new path.
        if let Some(before) = self.paths.insert(descriptor, path.clone()).filter(|before| before != path) {
            self.watched.remove(&before);
        }
        self.watched.insert(path.clone(), Watched { descriptor, object });
        Ok(())
    }

    /// Watches the directory at a path no longer.
    pub(super) fn forget(&mut self, path: &[u8]) {
        let Some(Watched { descriptor, .. }) = self.watched.remove(path) else { return };
        if self.paths.get(&descriptor).is_none_or(|other| **other != *path) {
            return;
        }
        self.paths.remove(&descriptor);
        // Of a directory that is gone the kernel has taken the watch away itself; its last event is queued.
        let _ = inotify::remove_watch(&self.queue, descriptor);
        *self.leaving.entry(descriptor).or_default() += 1;
    }

    /// Watches no directory any more whose path is not in use.
    pub(super) fn retain(&mut self, mut is_in_use: impl FnMut(&Key) -> bool) {
        let unused: HashSet<Key> = self.watched.keys().filter(|path| !is_in_use(path)).cloned().collect();
        for path in unused {
            self.forget(&path);
        }
    }

    /// Empties the queue; marks what has to be looked at.
    ///
    /// # Errors
    ///
    /// Events were lost, a file system was unmounted, or the root was deleted.
    pub(super) fn drain(&mut self, marks: &mut Marks) -> Result<(), Trouble> {
        let mut events = Reader::new(&self.queue, &mut self.buffer);
        for _ in 0..FLOOD {
            let event = match events.next() {
                Ok(event) => event,
                Err(Errno::AGAIN) => return Ok(()),
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            let what = event.events();
            if what.contains(ReadFlags::QUEUE_OVERFLOW) {
                return Err(Trouble::Overflow);
            }
            if what.contains(ReadFlags::UNMOUNT) {
                return Err(Trouble::Unmounted);
            }
            if what.contains(ReadFlags::IGNORED) {
                match self.leaving.get_mut(&event.wd()) {
                    Some(1) => drop(self.leaving.remove(&event.wd())),
                    Some(left) => *left -= 1,
                    None => {
                        if let Some(path) = self.paths.remove(&event.wd()) {
                            self.watched.remove(&path);
                            // No parent tells of the root, and another directory may have got its inode number.
                            if path.is_empty() {
                                return Err(Trouble::Replaced);
                            }
                        }
                    }
                }
                continue;
            }
            // Events of watches that were taken away in the meantime are nobody's.
            let Some(path) = self.paths.get(&event.wd()) else { continue };
            match event.file_name() {
                Some(name) => marks.entry(path, name),
                // Where it went, its parent will say.
                None if what.intersects(ReadFlags::MOVE_SELF | ReadFlags::DELETE_SELF) => {}
                None => marks.directory(path),
            }
        }
        Err(Trouble::Overflow)
    }
}

fn object(directory: &Directory) -> Result<Object, Errno> {
    Ok(StatKey::of(&directory.stat_itself()?).object())
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("root", &self.root)
            .field("directories", &self.watched.len())
            .finish_non_exhaustive()
    }
}
