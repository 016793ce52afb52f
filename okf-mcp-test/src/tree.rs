//! Directory trees made for one test.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A directory of its own, removed with the value.
///
/// Its methods panic where the file system does not let them do their work, which ends the test.
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
    _directory: TempDir,
}

impl Tree {
    /// A tree with these files, under a directory of the given name.
    #[must_use]
    pub fn named(name: &str, files: &[(&str, &str)]) -> Self {
        let directory = tempfile::Builder::new().prefix("okf-test-").tempdir().expect("temporary directories exist");
        let root = directory.path().canonicalize().expect("it was just made").join(name);
        fs::create_dir(&root).expect("the temporary directory is empty");
        let tree = Self { root, _directory: directory };
        for (path, content) in files {
            tree.write(path, content);
        }
        tree
    }

    /// A tree with these files.
    #[must_use]
    pub fn new(files: &[(&str, &str)]) -> Self {
        Self::named("tree", files)
    }

    /// A declared bundle: these files and a root index with the title `Acme Knowledge`.
    #[must_use]
    pub fn bundle(files: &[(&str, &str)]) -> Self {
        let tree = Self::new(files);
        tree.write("index.md", "---\nokf_version: \"0.2\"\n---\n\n# Acme Knowledge\n");
        tree
    }

    /// Its absolute path, without links.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Its absolute path as text.
    #[must_use]
    pub fn shown(&self) -> &str {
        self.root.to_str().expect("temporary paths are UTF-8")
    }

    /// The path of something in it.
    #[must_use]
    pub fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    /// Writes a file, with its directories.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) -> &Self {
        let target = self.path(path);
        fs::create_dir_all(target.parent().expect("below the root")).expect("directories can be made");
        fs::write(&target, content).unwrap_or_else(|error| panic!("cannot write {}: {error}", target.display()));
        self
    }

    /// Makes an empty directory.
    pub fn directory(&self, path: &str) -> &Self {
        fs::create_dir_all(self.path(path)).expect("directories can be made");
        self
    }

    /// Makes a symbolic link.
    pub fn link(&self, path: &str, target: &str) -> &Self {
        let place = self.path(path);
        fs::create_dir_all(place.parent().expect("below the root")).expect("directories can be made");
        std::os::unix::fs::symlink(target, place).expect("links can be made");
        self
    }

    /// Removes a file.
    pub fn remove(&self, path: &str) -> &Self {
        fs::remove_file(self.path(path)).expect("the file exists");
        self
    }
}

/// The text of a concept: frontmatter lines and body.
#[must_use]
pub fn concept(frontmatter: &str, body: &str) -> String {
    format!("---\n{frontmatter}\n---\n\n{body}\n")
}
