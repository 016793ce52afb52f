//! Open-file-description locks.

use std::fs::File;
use std::ops::Deref;

use super::{Errno, FcntlArg, GATE, MAIN, Mode, fcntl, request};

/// An open file whose locks go with it.
///
/// Closing a descriptor would do, but for a child process that is being started: until it runs its own program
/// it has the descriptor too, and with it the lock.
#[derive(Debug)]
pub(in super::super) struct LockedFile(File);

impl LockedFile {
    /// Locks one byte, or gives it free; `false` when another holder is in the way.
    pub(in super::super) fn try_lock(&self, byte: usize, mode: Mode) -> Result<bool, Errno> {
        request(mode, byte..byte + 1, |lock| fcntl(&self.0, FcntlArg::F_OFD_SETLK(lock)))
    }
}

impl From<File> for LockedFile {
    fn from(file: File) -> Self {
        Self(file)
    }
}

impl Deref for LockedFile {
    type Target = File;

    fn deref(&self) -> &File {
        &self.0
    }
}

impl Drop for LockedFile {
    fn drop(&mut self) {
        // What cannot be unlocked is unlocked by closing.
        let _ = request(Mode::Unlocked, MAIN..GATE + 1, |lock| fcntl(&self.0, FcntlArg::F_OFD_SETLK(lock)));
    }
}
