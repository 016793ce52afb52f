//! A user for whom permissions count, whoever runs the tests.

use std::ffi::OsStr;
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, lchown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Tree;

/// The user and group that every system calls `nobody` or leaves without a name.
const NOBODY: u32 = 65_534;

/// A tree of a user without privileges, and the binary run by that user: ourselves, or `nobody` when the tests
/// are run by root, to whom no permission is denied.
pub struct Unprivileged {
    tree: Tree,
    /// A copy that the user may run, wherever the repository lies.
    binary: Option<PathBuf>,
}

impl Unprivileged {
    /// Gives a tree to the user.
    pub fn own(tree: Tree) -> Self {
        if !rustix::process::geteuid().is_root() {
            return Self { tree, binary: None };
        }
        let directory = tree.root().parent().expect("a tree lies in a directory of its own");
        fs::set_permissions(directory, Permissions::from_mode(0o755)).expect("it is ours");
        give(tree.root());
        let binary = directory.join("okf");
        // By another process: a descriptor open for writing that a child of another test inherits would keep
        // the copy from being run.
        let copied = Command::new("cp").arg(super::executable()).arg(&binary).status();
        assert!(copied.is_ok_and(|status| status.success()), "the binary can be copied");
        Self { tree, binary: Some(binary) }
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The binary with these arguments.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Command {
        let mut command = match &self.binary {
            None => super::binary(),
            Some(binary) => {
                let mut command = super::binary_at(binary);
                let home = self.tree.root().parent().expect("a tree lies in a directory of its own");
                command.env("HOME", home).current_dir(home).uid(NOBODY).gid(NOBODY);
                command
            }
        };
        command.args(arguments);
        command
    }

    /// Does some work while something in the tree has a mode; the empty path is the root.
    pub fn with_mode<T>(&self, path: &str, mode: u32, work: impl FnOnce() -> T) -> T {
        let path = self.tree.path(path);
        let before = fs::metadata(&path).expect("it exists").permissions();
        fs::set_permissions(&path, Permissions::from_mode(mode)).expect("it is ours");
        let done = work();
        fs::set_permissions(&path, before).expect("it is ours");
        done
    }
}

fn give(path: &Path) {
    lchown(path, Some(NOBODY), Some(NOBODY)).expect("root may give files away");
    if fs::symlink_metadata(path).expect("it exists").is_dir() {
        for entry in fs::read_dir(path).expect("it can be listed") {
            give(&entry.expect("it can be listed").path());
        }
    }
}
