//! What the commands that read a bundle share: loading it, and saying things beside the answer.

use std::io::{self, IsTerminal, Write, stderr};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use indicatif::ProgressBar;
use okf_core::bundle::Bundle;
use okf_core::finding::Escaped;
use serde::Serialize;

use super::{Failure, Invocation};
use crate::answers::summary::quoted;
use crate::discovery;
use crate::logging::say;

/// How long a terminal waits before it is told that work goes on.
const PATIENCE: Duration = Duration::from_secs(1);
/// So many unreadable files are named; the rest is counted.
const NAMED: usize = 5;

/// How to print data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Output {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

/// Prints an answer as one line of JSON.
pub(super) fn print_json(out: &mut impl Write, answer: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, answer)?;
    writeln!(out)
}

impl Invocation {
    /// Finds and loads the bundle that a command is about.
    pub(super) fn load(&self, given: Option<&Path>) -> Result<Bundle, Failure> {
        let root = discovery::find(&self.directory, given)?;
        let (bundle, recoveries) = with_progress(|| okf_core::disk::load(&root))?;
        for recovery in recoveries {
            self.warn(&recovery.to_string());
        }
        Ok(bundle)
    }

    /// Says something beside the answer, on stderr.
    pub(super) fn warn(&self, message: &str) {
        say(format_args!("{}: {message}", self.product.name));
    }

    /// Says which files an answer could not take in.
    pub(super) fn report_unreadable(&self, bundle: &Bundle) {
        let files = bundle.unreadable();
        if files.is_empty() {
            return;
        }
        let names: Vec<String> = files.iter().take(NAMED).map(|file| Escaped(&file.path).to_string()).collect();
        let more = match files.len() - names.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        self.warn(&format!("{} unreadable file(s): {}{more}; see `validate`", files.len(), quoted(&names)));
    }
}

/// Runs work; a terminal that waits over a second sees a spinner on stderr.
fn with_progress<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if !stderr().is_terminal() {
        return work();
    }
    let (done, waiting) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if waiting.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
                let spinner = ProgressBar::new_spinner().with_message("reading the bundle");
                spinner.enable_steady_tick(Duration::from_millis(100));
                // Ends with an error when the work drops its end.
                let _ = waiting.recv();
                spinner.finish_and_clear();
            }
        });
        let result = work();
        drop(done);
        result
    })
}
