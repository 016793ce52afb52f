//! One run of the command line.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use serde_json::Value;

use crate::HANG;

/// What a run left behind.
#[derive(Debug)]
pub struct Run {
    /// Exit code; -1 when a signal ended it.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// A run being described.
#[derive(Debug)]
pub struct Invocation {
    command: Command,
    stdin: Vec<u8>,
}

impl From<Command> for Invocation {
    /// A run of any command.
    fn from(command: Command) -> Self {
        Self { command, stdin: Vec::new() }
    }
}

impl Invocation {
    /// Starts it in this directory.
    #[must_use]
    pub fn at(mut self, directory: &Path) -> Self {
        self.command.current_dir(directory);
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// What it reads from standard input before the end of file.
    #[must_use]
    pub fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.stdin = text.into();
        self
    }

    /// Runs it to its end.
    ///
    /// # Panics
    ///
    /// It cannot be started, hangs, or prints what is not UTF-8.
    pub fn run(mut self) -> Run {
        let mut child = self
            .command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{:?} cannot be started: {error}", self.command.get_program()));
        let mut stdin = child.stdin.take().expect("it is piped");
        let input = self.stdin;
        // A program that exits early closes the pipe, which is its right.
        thread::spawn(move || drop(stdin.write_all(&input)));
        let process = rustix::process::Pid::from_child(&child);
        let (sender, receiver) = mpsc::channel();
        thread::spawn(move || sender.send(child.wait_with_output()));
        let Ok(output) = receiver.recv_timeout(HANG) else {
            let _ = rustix::process::kill_process(process, rustix::process::Signal::KILL);
            panic!("the command line hangs");
        };
        let output = output.expect("its output can be read");
        Run {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).expect("results are UTF-8"),
            stderr: String::from_utf8(output.stderr).expect("diagnostics are UTF-8"),
        }
    }
}

impl Run {
    /// Fails unless it ended with this code.
    ///
    /// # Panics
    ///
    /// It ended with another.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "exit code; stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Its standard output as one JSON document.
    ///
    /// # Panics
    ///
    /// It is none.
    #[must_use]
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| {
            panic!("stdout is not one JSON document: {error}\n{}\n{}", self.stdout, self.stderr)
        })
    }
}
