//! The binary under test.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Invocation, NOW, Server};

/// The binary of a server, run with nothing of the developer's environment and its clock at [`NOW`].
#[derive(Clone, Debug)]
pub struct Program {
    path: PathBuf,
}

impl Program {
    /// The binary at a path; in an integration test `env!("CARGO_BIN_EXE_<name>")`.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Serves a bundle to a client that has shaken hands.
    #[must_use]
    pub fn serve(&self, root: impl AsRef<Path>) -> Server {
        let mut server = self.spawn(root);
        server.initialize("2025-06-18");
        server
    }

    /// Serves a bundle to a client of the stateless revision.
    #[must_use]
    pub fn serve_modern(&self, root: impl AsRef<Path>) -> Server {
        self.spawn(root).modern()
    }

    /// Starts `mcp ROOT`; nothing is said yet.
    #[must_use]
    pub fn spawn(&self, root: impl AsRef<Path>) -> Server {
        let mut command = self.command();
        command.arg("mcp").arg(root.as_ref());
        Server::start(command)
    }

    /// Describes a run with these arguments.
    #[must_use]
    pub fn run(&self, arguments: &[&str]) -> Invocation {
        let mut command = self.command();
        command.args(arguments);
        command.into()
    }

    /// The bare command, started in an empty home directory.
    ///
    /// # Panics
    ///
    /// The directory for temporary files is not writable.
    #[must_use]
    pub fn command(&self) -> Command {
        let home = std::env::temp_dir().join("okf-mcp-test-home");
        std::fs::create_dir_all(&home).expect("temporary directories can be made");
        let mut command = Command::new(&self.path);
        command.env_clear().env("HOME", &home).env("PATH", "/usr/bin:/bin").env("OKF_NOW", NOW).current_dir(home);
        command
    }
}
