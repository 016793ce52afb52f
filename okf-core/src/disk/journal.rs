//! What a commit is about to do, as it stands in the lock file while it is done.
//!
//! Text, so that a person can read it, ended by a checksum, so that a torn one is told from a whole one:
//!
//! ```text
//! okf-journal 1
//! mkdir notes/new
//! replace 2d5a… 91f0… notes/a.md
//! create 77c1… notes/new/b.md
//! end 5e0c…
//! ```
//!
//! Hashes are [`Revision`]s of the old and the new content. The new content of the n-th file (from 0) is
//! staged as `n.new`, a hard link or copy of the old one as `n.old`. A path ends its line and holds no
//! control character.

use std::fmt::Write;

use crate::bundle_path::BundlePath;
use crate::document::Revision;

/// First line of a journal.
const MAGIC: &str = "okf-journal 1\n";

/// The longest journal that is read, in bytes: about a hundred thousand files.
pub(super) const LIMIT: u64 = 16 << 20;

/// A commit: which directories are made and which files replaced or created, in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Journal {
    /// Directories to make, parents first.
    pub(super) directories: Vec<BundlePath>,
    pub(super) files: Vec<Entry>,
}

/// A file of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) path: BundlePath,
    /// The old content; `None` when the file is created.
    pub(super) before: Option<Revision>,
    pub(super) after: Revision,
}

impl Journal {
    /// The journal as bytes.
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut text = MAGIC.to_owned();
        for directory in &self.directories {
            let _ = writeln!(text, "mkdir {directory}");
        }
        for Entry { path, before, after } in &self.files {
            let _ = match before {
                Some(before) => writeln!(text, "replace {before} {after} {path}"),
                None => writeln!(text, "create {after} {path}"),
            };
        }
        let checksum = Revision::of(text.as_bytes());
        let _ = writeln!(text, "end {checksum}");
        text.into_bytes()
    }

    /// Reads a journal; `None` for anything that is not a whole one, from the first byte to the last.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let (covered, checksum) = text.strip_suffix('\n')?.rsplit_once("\nend ")?;
        let covered = &text[..=covered.len()];
        if revision(checksum)? != Revision::of(covered.as_bytes()) {
            return None;
        }
        let mut journal = Self::default();
        for line in covered.strip_prefix(MAGIC)?.lines() {
            match line.split_once(' ')? {
                ("mkdir", path) => journal.directories.push(BundlePath::new(path).ok()?),
                ("replace", rest) => {
                    let (before, rest) = rest.split_once(' ')?;
                    journal.files.push(Entry::decode(Some(revision(before)?), rest)?);
                }
                ("create", rest) => journal.files.push(Entry::decode(None, rest)?),
                _ => return None,
            }
        }
        Some(journal)
    }
}

impl Entry {
    fn decode(before: Option<Revision>, rest: &str) -> Option<Self> {
        let (after, path) = rest.split_once(' ')?;
        Some(Self { path: BundlePath::new(path).ok()?, before, after: revision(after)? })
    }
}

fn revision(text: &str) -> Option<Revision> {
    (text.len() == 32).then(|| u128::from_str_radix(text, 16).ok().map(Revision))?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn journal() -> Journal {
        let path = |path: &str| BundlePath::new(path).unwrap();
        Journal {
            directories: vec![path("new dir"), path("new dir/ü")],
            files: vec![
                Entry { path: path("a.md"), before: Some(Revision(1)), after: Revision(u128::MAX) },
                Entry { path: path("new dir/ü/b c.md"), before: None, after: Revision(0) },
            ],
        }
    }

    #[test]
    fn what_was_written_is_read() {
        let journal = journal();
        assert_eq!(Journal::decode(&journal.encode()), Some(journal));
        assert_eq!(Journal::decode(&Journal::default().encode()), Some(Journal::default()));
    }

    #[test]
    fn a_torn_or_changed_journal_is_none() {
        let whole = journal().encode();
        for end in 0..whole.len() {
            assert_eq!(Journal::decode(&whole[..end]), None, "cut at {end}");
            let mut zeros = whole.clone();
            zeros[end..].fill(0);
            assert_eq!(Journal::decode(&zeros), None, "zeros from {end}");
            let mut flipped = whole.clone();
            flipped[end] ^= 1;
            assert_eq!(Journal::decode(&flipped), None, "flipped at {end}");
        }
        let mut longer = whole.clone();
        longer.push(b'\n');
        assert_eq!(Journal::decode(&longer), None);
        assert_eq!(Journal::decode(&[whole.clone(), whole].concat()), None);
    }
}
