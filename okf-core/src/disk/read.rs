//! Reading whole files so that what was read belongs to one state of the file.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use rustix::io::Errno;

use super::directory::Directory;
use super::stamp::{Stamp, StatKey, clock};

/// How often a file that changes while it is read is tried again.
const ATTEMPTS: usize = 3;

/// What became of reading a file.
pub(super) enum Reading {
    /// Its bytes, and the state of the file that they belong to.
    Whole(Vec<u8>, Stamp),
    /// It is gone, or no regular file any more.
    Gone,
    /// The operating system's reason.
    Failed(String),
}

/// Reads a file beneath a directory.
///
/// The stat is taken from the open file before and after: taken after alone, it could pair an old content
/// with a new state for ever.
pub(super) fn read(root: &Directory, path: &[u8]) -> Reading {
    let file = match root.open_file(path) {
        Ok(file) => file,
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::XDEV) => return Reading::Gone,
        Err(error) => return Reading::Failed(std::io::Error::from(error).to_string()),
    };
    match read_consistently(file) {
        Ok((bytes, stamp)) => Reading::Whole(bytes, stamp),
        Err(error) => Reading::Failed(error.to_string()),
    }
}

fn read_consistently(mut file: File) -> std::io::Result<(Vec<u8>, Stamp)> {
    let mut bytes = Vec::new();
    let mut attempt = 1;
    loop {
        let observed = clock();
        let before = StatKey::of(&rustix::fs::fstat(&file)?);
        bytes.clear();
        // One byte more than the size, to notice growth; a file that grows for ever still ends here.
        bytes.reserve(usize::try_from(before.size).unwrap_or(0).saturating_add(1).min(64 << 20));
        (&file).take(before.size.saturating_add(1)).read_to_end(&mut bytes)?;
        let after = StatKey::of(&rustix::fs::fstat(&file)?);
        if before == after && bytes.len() as u64 == after.size {
            return Ok((bytes, Stamp::new(after, observed)));
        }
        if attempt == ATTEMPTS {
            // A file that never rests is served as it was caught, and looked at again next time.
            bytes.truncate(usize::try_from(before.size).unwrap_or(usize::MAX));
            return Ok((bytes, Stamp::never_trusted(after)));
        }
        attempt += 1;
        file.seek(SeekFrom::Start(0))?;
    }
}
