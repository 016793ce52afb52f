//! Locks on bytes of a file that other programs' `fcntl` locks see, held by a descriptor.
//!
//! Linux has open-file-description locks. Plain record locks belong to the process instead: they do not keep
//! its threads apart, and closing any descriptor of the file loses them all; [`process`] makes up for that
//! elsewhere. `flock`, which the standard library uses, is not seen by record locks at all.

#[cfg(any(target_os = "linux", target_os = "android"))]
mod description;
#[cfg(any(test, not(any(target_os = "linux", target_os = "android"))))]
mod process;

use std::ops::Range;

use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;
use rustix::io::Errno;

#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) use description::LockedFile;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) use process::LockedFile;

/// How a byte is locked, from the weakest to the strongest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Mode {
    /// Not at all.
    Unlocked,
    /// Together with other shared locks.
    Shared,
    /// Alone.
    Exclusive,
}

/// The byte that makes the lock. Another program that locks the whole file locks it too.
pub(super) const MAIN: usize = 0;

/// The byte through which one enters. A writer holds it while it waits for [`MAIN`], so that readers that
/// come one after the other cannot keep it waiting for ever.
pub(super) const GATE: usize = 1;

/// One try to lock some bytes; `false` when another holder is in the way.
fn request(
    mode: Mode,
    bytes: Range<usize>,
    call: impl Fn(&libc::flock) -> nix::Result<libc::c_int>,
) -> Result<bool, Errno> {
    let kind = match mode {
        Mode::Unlocked => libc::F_UNLCK,
        Mode::Shared => libc::F_RDLCK,
        Mode::Exclusive => libc::F_WRLCK,
    };
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "small numbers, whose types differ between platforms"
    )]
    let lock = libc::flock {
        l_type: kind as _,
        l_whence: libc::SEEK_SET as _,
        l_start: bytes.start as _,
        l_len: bytes.len() as _,
        l_pid: 0,
        #[cfg(target_os = "freebsd")]
        l_sysid: 0,
    };
    loop {
        match call(&lock) {
            Ok(_) => return Ok(true),
            Err(nix::errno::Errno::EINTR) => {}
            Err(nix::errno::Errno::EAGAIN | nix::errno::Errno::EACCES) => return Ok(false),
            Err(error) => return Err(Errno::from_raw_os_error(error as i32)),
        }
    }
}
