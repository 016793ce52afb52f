//! What went wrong, for people: printed once, at the edge.

use std::process::ExitCode;

use okf_core::disk::DiskError;

use crate::discovery::DiscoveryError;
use crate::logging::say;
use crate::registry::RegistryError;
use crate::server::{OpenError, StartError};
use crate::tool::ToolError;

/// A failure that ends a command with exit code 2.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// What and where, in one line.
    pub(crate) what: String,
    /// What helps.
    pub(crate) hint: Option<String>,
    /// Whoever read stdout has left: no failure of ours, and nobody to tell.
    pub(crate) reader_gone: bool,
}

impl Failure {
    /// A failure without a hint.
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), hint: None, reader_gone: false }
    }

    /// The same failure with a hint.
    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Ends the command: `okf: what: where` and the hint on stderr, exit code 2.
    pub(crate) fn end(&self, product: &str) -> ExitCode {
        if self.reader_gone {
            return ExitCode::SUCCESS;
        }
        say(format_args!("{product}: {}", self.what));
        if let Some(hint) = &self.hint {
            say(format_args!("hint: {hint}"));
        }
        ExitCode::from(2)
    }
}

impl From<DiskError> for Failure {
    fn from(error: DiskError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<DiscoveryError> for Failure {
    fn from(error: DiscoveryError) -> Self {
        let shown = |path: &std::path::Path| okf_core::finding::Escaped(&path.to_string_lossy()).to_string();
        match error {
            DiscoveryError::Disk(error) => error.into(),
            DiscoveryError::None { directory } => Self::new(format!(
                "no bundle: neither `{}` nor a directory directly below it is a bundle root; \
                 name a bundle directory, or pass the project's directory with `-C DIR`",
                shown(&directory)
            )),
            DiscoveryError::Several { directory, candidates } => {
                let names: Vec<String> = candidates.iter().map(|path| format!("`{}`", shown(path))).collect();
                Self::new(format!("more than one bundle: `{}` holds {}", shown(&directory), names.join(", ")))
                    .with_hint("name the one that is meant")
            }
        }
    }
}

impl From<ToolError> for Failure {
    /// A tool error without the place of the argument, which a command line does not have.
    fn from(error: ToolError) -> Self {
        let message = match error.message.strip_prefix("#/").and_then(|rest| rest.split_once(": ")) {
            Some((_, message)) => message.to_owned(),
            None => error.message,
        };
        Self::new(message)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        let reader_gone = error.kind() == std::io::ErrorKind::BrokenPipe;
        Self { reader_gone, ..Self::new(format!("cannot write to stdout: {error}")) }
    }
}

impl From<RegistryError> for Failure {
    fn from(error: RegistryError) -> Self {
        Self::new(error.0)
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Disk(error) => error.into(),
            OpenError::Registry(error) => error.into(),
        }
    }
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Catalogue(error) => error.into(),
            StartError::Io(error) => Self::new(format!("the server cannot start: {error}")),
        }
    }
}
