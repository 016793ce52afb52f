//! Who edits: this process, or another one that is told to.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::edits::{Random, World};

const ROOT: &str = "OKF_FUZZ_ROOT";

/// The one that edits.
pub enum Hand {
    Own(Box<World>),
    Other(OtherProcess),
}

/// This test binary once more, editing.
pub struct OtherProcess {
    child: Child,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Hand {
    /// Does the edits of a seed; returns what they were, once they are done.
    pub fn edit(&mut self, seed: u64) -> String {
        match self {
            Self::Own(world) => world.edit_by(seed),
            Self::Other(process) => process.edit(seed),
        }
    }
}

impl OtherProcess {
    pub fn start(root: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().expect("this binary has a path"))
            .args(["another_process", "--exact", "--nocapture", "--test-threads=1"])
            .env(ROOT, root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this binary starts again");
        let orders = child.stdin.take().expect("a pipe");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, orders, answers }
    }

    fn edit(&mut self, seed: u64) -> String {
        writeln!(self.orders, "{seed}").expect("it listens");
        loop {
            let mut line = String::new();
            assert_ne!(self.answers.read_line(&mut line).expect("it answers in UTF-8"), 0, "it has ended");
            // The harness of the other process prints lines of its own.
            if let Some((_, done)) = line.split_once("done ") {
                return done.trim_end().to_owned();
            }
        }
    }
}

impl Drop for OtherProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Edits as told on stdin, when this process was started for that.
pub fn serve() {
    let Some(root) = std::env::var_os(ROOT) else { return };
    let parent = Path::new(&root).parent().expect("the root lies in a directory");
    let mut world = World::beside(parent, Random::new(0));
    for line in std::io::stdin().lines() {
        let seed = line.expect("orders are UTF-8").parse().expect("orders are numbers");
        println!("done {}", world.edit_by(seed));
    }
}
