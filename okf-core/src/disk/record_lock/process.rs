//! Record locks of the process, shared out among its descriptors.
//!
//! One table per process knows who holds what; the process itself holds the strongest of it. A descriptor
//! that is done is kept open as long as others of the same file are in use.

use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Errno, FcntlArg, GATE, MAIN, Mode, fcntl, request};
use crate::disk::stamp::StatKey;

/// An open file whose locks go with it.
#[derive(Debug)]
pub(in super::super) struct LockedFile {
    /// Taken when it is dropped.
    file: Option<File>,
    object: Object,
    holder: u64,
}

/// Device and inode.
type Object = (u64, u64);

/// What the descriptors of one file hold.
#[derive(Debug, Default)]
struct Users {
    /// Modes of the bytes by holder.
    modes: BTreeMap<u64, [Mode; 2]>,
    /// Closing these would lose the locks of the others.
    done: Vec<File>,
}

static USERS: Mutex<BTreeMap<Object, Users>> = Mutex::new(BTreeMap::new());
static HOLDERS: AtomicU64 = AtomicU64::new(0);

impl LockedFile {
    /// Locks one byte, or gives it free; `false` when another holder is in the way.
    pub(in super::super) fn try_lock(&self, byte: usize, mode: Mode) -> Result<bool, Errno> {
        let mut users = users();
        let modes = &mut users.entry(self.object).or_default().modes;
        let others = modes.iter().filter(|(holder, _)| **holder != self.holder).map(|(_, modes)| modes[byte]);
        let others = others.max().unwrap_or(Mode::Unlocked);
        let mine = modes.get(&self.holder).map_or(Mode::Unlocked, |modes| modes[byte]);
        if others == Mode::Exclusive && mode != Mode::Unlocked || others == Mode::Shared && mode == Mode::Exclusive {
            return Ok(false);
        }
        let needed = others.max(mode);
        let set = |lock: &_| fcntl(&**self, FcntlArg::F_SETLK(lock));
        if needed != others.max(mine) && !request(needed, byte..byte + 1, set)? {
            return Ok(false);
        }
        modes.entry(self.holder).or_insert([Mode::Unlocked; 2])[byte] = mode;
        Ok(true)
    }
}

impl From<File> for LockedFile {
    fn from(file: File) -> Self {
        let key = rustix::fs::fstat(&file).map_or(StatKey::unknown(), |stat| StatKey::of(&stat));
        let (object, holder) = ((key.dev, key.ino), HOLDERS.fetch_add(1, Ordering::Relaxed));
        users().entry(object).or_default().modes.insert(holder, [Mode::Unlocked; 2]);
        Self { file: Some(file), object, holder }
    }
}

impl Deref for LockedFile {
    type Target = File;

    fn deref(&self) -> &File {
        self.file.as_ref().expect("only dropping takes it")
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        for byte in [MAIN, GATE] {
            let _ = self.try_lock(byte, Mode::Unlocked);
        }
        let mut users = users();
        let Some(rest) = users.get_mut(&self.object) else { return };
        rest.modes.remove(&self.holder);
        rest.done.extend(self.file.take());
        if rest.modes.is_empty() {
            users.remove(&self.object);
        }
    }
}

fn users() -> MutexGuard<'static, BTreeMap<Object, Users>> {
    USERS.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::write_tests::other_program::{Other, programs};

    fn open(path: &std::path::Path) -> LockedFile {
        File::options().read(true).write(true).open(path).unwrap().into()
    }

    #[test]
    fn descriptors_of_one_process_keep_one_another_out() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let (first, second) = (open(file.path()), open(file.path()));
        assert!(first.try_lock(MAIN, Mode::Shared).unwrap());
        assert!(second.try_lock(MAIN, Mode::Shared).unwrap());
        assert!(!first.try_lock(MAIN, Mode::Exclusive).unwrap());
        assert!(first.try_lock(GATE, Mode::Exclusive).unwrap());
        assert!(!second.try_lock(GATE, Mode::Shared).unwrap());
        drop(second);
        assert!(first.try_lock(MAIN, Mode::Exclusive).unwrap());
        let third = open(file.path());
        assert!(!third.try_lock(MAIN, Mode::Shared).unwrap());
        drop(first);
        assert!(third.try_lock(MAIN, Mode::Exclusive).unwrap());
        drop(third);
        assert!(users().values().all(|users| !users.modes.is_empty()), "what nobody uses is forgotten");
    }

    #[test]
    fn closing_another_descriptor_loses_nothing() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let held = open(file.path());
        assert!(held.try_lock(MAIN, Mode::Exclusive).unwrap());
        drop(open(file.path()));
        for program in programs() {
            let refused = Other::start(program(file.path(), "exclusive"));
            assert!(!refused.locked);
            refused.end();
        }
        drop(held);
        for program in programs() {
            let other = Other::start(program(file.path(), "exclusive"));
            assert!(other.locked);
            other.end();
        }
    }
}
