//! The write path against everything that can go wrong with it.

mod commit;
mod faults;
mod killed;
mod lock;
pub(super) mod other_program;
mod power;
mod readers;
mod world;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::io::Errno;
use tempfile::TempDir;

use super::ops::Step;
use super::probe::{self, Probe};
use super::*;
use crate::bundle::Bundle;
use crate::bundle_path::BundlePath;
use crate::document::Revision;

/// Files and directories of a tree, by path; directories hold nothing. The lock file is left out.
type Picture = BTreeMap<String, Option<Vec<u8>>>;

/// A temporary directory, in memory where the system has such a place: these tests sync a lot.
fn directory() -> TempDir {
    let memory = Path::new("/dev/shm");
    TempDir::new_in(memory).or_else(|_| TempDir::new()).expect("a temporary directory")
}

fn tree(files: &[(&str, &str)]) -> TempDir {
    let root = directory();
    for (path, text) in files {
        write(&root.path().join(path), text);
    }
    root
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("the file lies in a directory")).unwrap();
    fs::write(path, text).unwrap();
}

/// A tree that a change of every kind is made to.
fn before() -> TempDir {
    tree(&[("a/one.md", "one\n"), ("b/two.md", "two\n"), ("index.md", "# I\n"), ("untouched.md", "u\n")])
}

/// Two replacements below, two creations (one in new directories), one replacement at the root.
fn change(root: &Path) -> Vec<FileEdit> {
    vec![
        edit(root, "a/one.md", "ONE\n"),
        edit(root, "b/two.md", "TWO\n"),
        edit(root, "c/new/three.md", "THREE\n"),
        edit(root, "b/four.md", "FOUR\n"),
        edit(root, "index.md", "# I\n\n* [x](x.md)\n"),
    ]
}

/// An edit of a file as it is now.
fn edit(root: &Path, path: &str, after: &str) -> FileEdit {
    let before = fs::read(root.join(path)).ok().map(|bytes| Revision::of(&bytes));
    FileEdit { path: BundlePath::new(path).unwrap(), before, after: after.into() }
}

/// What the tree becomes by edits.
fn with_edits(picture: &Picture, edits: &[FileEdit]) -> Picture {
    let mut picture = picture.clone();
    for edit in edits {
        for (end, _) in edit.path.as_str().match_indices('/') {
            picture.insert(edit.path.as_str()[..end].to_owned(), None);
        }
        picture.insert(edit.path.as_str().to_owned(), Some(edit.after.clone()));
    }
    picture
}

fn commit(root: &Path, edits: &[FileEdit]) -> Result<(), CommitError> {
    lock(root).commit(edits)
}

fn lock(root: &Path) -> WriteLock {
    WriteLock::acquire(root, Duration::from_secs(10)).expect("nobody holds the lock")
}

fn picture(root: &Path) -> Picture {
    let mut picture = Picture::new();
    look(root, "", &mut picture);
    picture.remove(".okf.lock");
    picture
}

fn look(root: &Path, below: &str, picture: &mut Picture) {
    for entry in fs::read_dir(root.join(below)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().expect("the tests use plain names");
        let path = if below.is_empty() { name } else { format!("{below}/{name}") };
        if entry.file_type().unwrap().is_dir() {
            picture.insert(path.clone(), None);
            look(root, &path, picture);
        } else {
            picture.insert(path.clone(), Some(fs::read(root.join(&path)).unwrap()));
        }
    }
}

/// The texts of a loaded bundle, to be compared with a picture.
fn texts(bundle: &Bundle) -> BTreeMap<String, Vec<u8>> {
    let text = |path: &str| bundle.document(path).map(|document| document.text().as_str().into());
    bundle.files().keys().filter_map(|path| Some((path.as_str().to_owned(), text(path.as_str())?))).collect()
}

fn files(picture: &Picture) -> BTreeMap<String, Vec<u8>> {
    picture.iter().filter_map(|(path, bytes)| Some((path.clone(), bytes.clone()?))).collect()
}

/// Checks that nothing of a commit is left but perhaps an empty lock file.
fn assert_tidy(root: &Path, context: &str) {
    assert!(!root.join(".okf-stage").exists(), "{context}: the stage is left");
    assert!(fs::read(root.join(".okf.lock")).unwrap_or_default().is_empty(), "{context}: a journal is left");
}

/// Which steps fail, counted from one.
#[derive(Clone, Copy, Debug)]
enum Fault {
    /// This step alone.
    At(usize, Errno),
    /// This step and all after it, as if the process had been killed before it.
    From(usize),
    /// None; for counting.
    Never,
}

/// Fails steps, and counts them.
struct Faults {
    fault: Fault,
    steps: std::rc::Rc<std::cell::Cell<usize>>,
}

impl Probe for Faults {
    fn before(&mut self) -> Result<(), Errno> {
        let number = self.steps.get() + 1;
        self.steps.set(number);
        match self.fault {
            Fault::At(fatal, error) if number == fatal => Err(error),
            Fault::From(fatal) if number >= fatal => Err(Errno::IO),
            _ => Ok(()),
        }
    }

    fn after(&mut self, _step: Step) {}
}

/// Runs some work with failing steps; returns how many steps it tried as well.
fn with_fault<T>(fault: Fault, work: impl FnOnce() -> T) -> (T, usize) {
    let steps = std::rc::Rc::default();
    let faults = Faults { fault, steps: std::rc::Rc::clone(&steps) };
    (probe::with(faults, work), steps.get())
}
