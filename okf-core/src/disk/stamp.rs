//! Telling from a stat whether something is still what was read.
//!
//! A file system stamps changes with a clock that ticks. What changed within one tick of our reading may
//! change again without its stamp moving, so such an entry is *suspect*: it is read again next time and
//! compared by content (git's racy rule).

use std::os::fd::AsFd;
use std::time::{SystemTime, UNIX_EPOCH};

use rustix::fs::{FileType, Stat};

/// Nanoseconds since 1970, wide enough for any time that a file system can store.
pub(super) type Nanos = i128;

const MILLISECOND: Nanos = 1_000_000;
const SECOND: Nanos = 1_000 * MILLISECOND;

/// How long a page that was dirtied through a memory map may take further stores unseen: it does so until
/// the kernel writes it back, by default half a minute later.
const DIRTY: Nanos = 60 * SECOND;

/// How old the reading of a file that may hold dirty pages may get. Shorter than the time between two passes
/// in the background (see [`Pace`](crate::snapshot)), so that each of them reads it again.
const DIRTY_RECHECK: Nanos = 3 * SECOND;

/// What identifies a file or directory as long as it exists: device and inode.
pub(super) type Object = (u64, u64);

/// What identifies a state of a file or directory. The inode alone does not: numbers are reused at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StatKey {
    pub(super) dev: u64,
    pub(super) ino: u64,
    pub(super) size: u64,
    mtime: Nanos,
    ctime: Nanos,
}

/// A state and when it was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) key: StatKey,
    observed: Nanos,
}

/// How far the stamps of a file system can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    /// A local file system: every change moves `ctime`, which ticks at least every 10 ms.
    Fine,
    /// Anything else: ticks of up to two seconds, and `ctime` may mean something else.
    Coarse,
}

impl StatKey {
    #[allow(clippy::unnecessary_cast, clippy::cast_sign_loss, reason = "the field types differ between platforms")]
    pub(super) fn of(stat: &Stat) -> Self {
        let nanos = |seconds: Nanos, nanos: Nanos| seconds * SECOND + nanos;
        Self {
            dev: stat.st_dev as u64,
            ino: stat.st_ino as u64,
            size: stat.st_size as u64,
            mtime: nanos(stat.st_mtime as Nanos, stat.st_mtime_nsec as Nanos),
            ctime: nanos(stat.st_ctime as Nanos, stat.st_ctime_nsec as Nanos),
        }
    }

    /// The state of something that could not be looked at.
    pub(super) fn unknown() -> Self {
        Self { dev: 0, ino: 0, size: 0, mtime: 0, ctime: 0 }
    }

    /// Whether both are the same file or directory, in whatever state.
    pub(super) fn is_same_object(&self, other: &Self) -> bool {
        self.object() == other.object()
    }

    /// The file or directory, in whatever state.
    pub(super) fn object(&self) -> Object {
        (self.dev, self.ino)
    }
}

impl Stamp {
    /// A state that was seen at an instant taken *before* looking.
    pub(super) fn new(key: StatKey, observed: Nanos) -> Self {
        Self { key, observed }
    }

    /// A state that must be looked at again.
    pub(super) fn never_trusted(key: StatKey) -> Self {
        Self { key, observed: Nanos::MIN }
    }

    pub(super) fn is_never_trusted(&self) -> bool {
        self.observed == Nanos::MIN
    }

    /// Whether the names of a directory in this state are still those that were read.
    pub(super) fn holds_for_directory(&self, now: &StatKey, precision: Precision) -> bool {
        self.key == *now && !self.is_racy(precision)
    }

    /// Whether the content of a file in this state is still what was read.
    pub(super) fn holds_for_file(&self, now: &StatKey, precision: Precision, clock: Nanos) -> bool {
        self.holds_for_directory(now, precision) && !self.may_be_dirty(clock)
    }

    fn is_racy(&self, precision: Precision) -> bool {
        let (changed, slack) = match precision {
            Precision::Fine => (self.key.ctime, 20 * MILLISECOND),
            Precision::Coarse => (self.key.ctime.max(self.key.mtime), 3 * SECOND),
        };
        changed > self.observed.saturating_sub(slack)
    }

    fn may_be_dirty(&self, clock: Nanos) -> bool {
        let since = clock.saturating_sub(self.observed);
        self.key.mtime > self.observed.saturating_sub(DIRTY) && !(0..DIRTY_RECHECK).contains(&since)
    }
}

impl Precision {
    #[cfg(target_os = "linux")]
    pub(super) fn of(directory: impl AsFd) -> Self {
        const EXT: u64 = 0xEF53;
        const XFS: u64 = 0x5846_5342;
        const BTRFS: u64 = 0x9123_683E;
        const TMPFS: u64 = 0x0102_1994;
        #[allow(clippy::unnecessary_cast, clippy::cast_sign_loss, reason = "the type differs between architectures")]
        match rustix::fs::fstatfs(directory).map(|fs| fs.f_type as u64 & 0xFFFF_FFFF) {
            Ok(EXT | XFS | BTRFS | TMPFS) => Self::Fine,
            _ => Self::Coarse,
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub(super) fn of(_directory: impl AsFd) -> Self {
        Self::Coarse
    }
}

/// The wall clock, which the stamps of local files follow at a distance of one tick.
pub(super) fn clock() -> Nanos {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => since.as_nanos().cast_signed(),
        Err(before) => -before.duration().as_nanos().cast_signed(),
    }
}

/// What a stat is of.
pub(super) fn file_type(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(mtime: Nanos, ctime: Nanos) -> StatKey {
        StatKey { dev: 1, ino: 1, size: 1, mtime, ctime }
    }

    #[test]
    fn an_old_state_is_trusted() {
        let stamp = Stamp::new(key(0, 0), 1_000 * SECOND);
        assert!(stamp.holds_for_file(&key(0, 0), Precision::Fine, 2_000 * SECOND));
        assert!(!stamp.holds_for_file(&key(0, 1), Precision::Fine, 2_000 * SECOND));
    }

    #[test]
    fn a_state_as_young_as_its_observation_is_suspect() {
        let seen = 1_000 * SECOND;
        let at = |age: Nanos| Stamp::new(key(seen - age, seen - age), seen);
        let holds = |age, precision| at(age).holds_for_directory(&at(age).key, precision);
        assert!(!holds(0, Precision::Fine));
        assert!(!holds(19 * MILLISECOND, Precision::Fine));
        assert!(holds(20 * MILLISECOND, Precision::Fine));
        assert!(!holds(2 * SECOND, Precision::Coarse));
        assert!(holds(3 * SECOND, Precision::Coarse));
        assert!(!Stamp::never_trusted(key(0, 0)).holds_for_directory(&key(0, 0), Precision::Fine));
    }

    #[test]
    fn a_file_that_may_hold_dirty_pages_is_read_again_after_seconds() {
        let seen = 1_000 * SECOND;
        let young = Stamp::new(key(seen - SECOND, seen - SECOND), seen);
        assert!(young.holds_for_file(&young.key, Precision::Fine, seen + SECOND));
        assert!(!young.holds_for_file(&young.key, Precision::Fine, seen + 4 * SECOND));
        assert!(!young.holds_for_file(&young.key, Precision::Fine, seen - 1), "the clock was set back");
        let old = Stamp::new(key(seen - DIRTY, seen - DIRTY), seen);
        assert!(old.holds_for_file(&old.key, Precision::Fine, seen + 3_600 * SECOND));
    }
}
