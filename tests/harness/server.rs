//! The client of the shared harness, with okf at the other end.

use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::process::Command;

use super::program;

/// A running okf and the client that talks to it; everything but starting and ending is
/// [`okf_mcp_test::Server`]'s.
pub struct Server(okf_mcp_test::Server);

impl Server {
    /// Serves a bundle to a client that has shaken hands.
    pub fn serve(root: impl AsRef<Path>) -> Self {
        Self(program().serve(root))
    }

    /// Serves a bundle to a client of the stateless revision.
    pub fn serve_modern(root: impl AsRef<Path>) -> Self {
        Self(program().serve_modern(root))
    }

    /// Starts `okf mcp ROOT`; nothing is said yet.
    pub fn spawn(root: impl AsRef<Path>) -> Self {
        Self(program().spawn(root))
    }

    /// Starts a server by any command.
    pub fn start(command: Command) -> Self {
        Self(okf_mcp_test::Server::start(command))
    }

    /// Closes standard input and waits for the end.
    pub fn close(self) -> okf_mcp_test::Exit {
        self.0.close()
    }

    /// Waits for the end.
    pub fn ended(self) -> okf_mcp_test::Exit {
        self.0.ended()
    }
}

impl Deref for Server {
    type Target = okf_mcp_test::Server;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Server {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}
