//! Programs beside ours that lock files with plain `fcntl` record locks.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use rustix::fs::FlockOperation;

/// A program, given the file to lock and how: `exclusive` or `shared`.
pub(in crate::disk) type Program = fn(&Path, &str) -> Command;

/// The test binary itself, and Python where there is one: the first is always there.
pub(in crate::disk) fn programs() -> Vec<Program> {
    let own: Program = |path, how| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "disk::write_tests::other_program::child_that_is_another_program", "--nocapture"]);
        command.env(OTHER, format!("{how} {}", path.display()));
        command
    };
    let python: Program = |path, how| {
        let mut command = Command::new("python3");
        command.args(["-c", PYTHON, how]).arg(path);
        command
    };
    let has_python = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !has_python {
        eprintln!("no `python3` here: the other program is ourselves alone");
    }
    if has_python { vec![own, python] } else { vec![own] }
}

/// Where the child of the test below finds the lock file, and what it does with it.
const OTHER: &str = "OKF_TEST_OTHER_PROGRAM";

/// Not a test of its own: another program, with plain `fcntl` record locks. Says whether it got the lock, and
/// holds it until its input ends.
#[test]
fn child_that_is_another_program() {
    let Ok(order) = std::env::var(OTHER) else { return };
    let (how, path) = order.split_once(' ').expect("how, and which file");
    let file = File::options().read(true).write(true).open(path).unwrap();
    let how = match how {
        "exclusive" => FlockOperation::NonBlockingLockExclusive,
        _ => FlockOperation::NonBlockingLockShared,
    };
    let got = rustix::fs::fcntl_lock(&file, how).is_ok();
    println!("{ANSWER}{}", if got { "locked" } else { "refused" });
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

/// Begins the line with the answer of another program: the harness prints others.
const ANSWER: &str = "answer: ";

/// The same in Python, as in other programs' scripts.
const PYTHON: &str = "\
import fcntl, sys
how = fcntl.LOCK_EX if sys.argv[1] == 'exclusive' else fcntl.LOCK_SH
f = open(sys.argv[2], 'r+')
try:
    fcntl.lockf(f, how | fcntl.LOCK_NB)
    print('answer: locked', flush=True)
except OSError:
    print('answer: refused', flush=True)
sys.stdin.read()
";

/// Another program that has asked for a lock, and its answer.
pub(in crate::disk) struct Other {
    child: Child,
    /// Whether it got the lock.
    pub(in crate::disk) locked: bool,
}

impl Other {
    /// Starts it and waits for its answer.
    pub(in crate::disk) fn start(mut command: Command) -> Self {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let output = BufReader::new(child.stdout.as_mut().expect("it is piped"));
        let answer = output.lines().map_while(Result::ok).find_map(|line| Some(line.split_once(ANSWER)?.1.to_owned()));
        Self { child, locked: answer.expect("it answers") == "locked" }
    }

    /// Has it let go of the lock and end.
    pub(in crate::disk) fn end(mut self) {
        drop(self.child.stdin.take());
        self.child.wait().unwrap();
    }
}
