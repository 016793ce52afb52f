//! Every system call by which a commit changes the disk, failed in turn by `strace` in a build that knows
//! nothing of faults. `.ci/system-calls` runs these stories; they need `strace`, and say so without it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{CREATE, End, INDEX, UPDATE, Write, is_as_said};
use crate::harness::{Tree, binary};

/// Calls that change the disk when they are about the bundle.
const CHANGING: &str = "write pwrite64 writev pwritev pwritev2 sendfile copy_file_range splice fallocate truncate \
    ftruncate fsync fdatasync sync sync_file_range syncfs rename renameat renameat2 link linkat symlink symlinkat \
    creat mkdir mkdirat mknod mknodat unlink unlinkat rmdir chmod fchmod fchmodat chown fchown fchownat lchown \
    setxattr fsetxattr lsetxattr removexattr fremovexattr utimensat";

/// Calls that change it when they may create or cut a file.
const OPENING: &str = "open openat openat2";

/// Calls that never do. One that is in no list fails the story: it has to be looked at.
const READING: &str = "access faccessat faccessat2 chdir close dup execve fcntl fgetxattr flistxattr fstat fstatfs \
    getcwd getdents64 inotify_add_watch lseek lstat mmap newfstatat poll pread64 read readlink readlinkat stat statfs \
    statx";

/// A call to fail: the n-th of this name in its thread that is about a path.
#[derive(Debug)]
struct Target {
    name: String,
    path: String,
    number: usize,
}

#[test]
#[ignore = "needs strace; `.ci/system-calls` runs it"]
fn of_an_index_command() {
    disturb(&INDEX);
}

#[test]
#[ignore = "needs strace; `.ci/system-calls` runs it"]
fn of_an_update() {
    disturb(&UPDATE);
}

#[test]
#[ignore = "needs strace; `.ci/system-calls` runs it"]
fn of_a_creation_in_new_directories() {
    disturb(&CREATE);
}

fn disturb(write: &Write) {
    let program = PathBuf::from(binary().get_program());
    let bytes = fs::read(&program).expect("the binary can be read");
    let knows_faults = bytes.windows(16).any(|window| window == b"OKF_KILL_AT_STEP");
    assert!(!knows_faults, "`{}` is a build with faults: set OKF_BINARY to another", program.display());

    let states = write.states();
    let (end, tree) = traced(write, None);
    assert!(matches!(end, End::Done), "{}: {end:?}", write.name);
    let targets = targets(&tree);
    assert!(targets.len() > 20, "{}: {targets:?}", write.name);

    let (mut runs, mut failed, mut pending) = (0, 0, 0);
    for target in &targets {
        let Target { name, path, number } = target;
        for (error, on) in [("ENOSPC", ""), ("EACCES", ""), ("EIO", ""), ("EIO", "+")] {
            // From then on, so that the way back fails too: but what opens files also reads the bundle.
            if on == "+" && is_in(OPENING, name) {
                continue;
            }
            let inject = format!("inject={name}:error={error}:when={number}{on}");
            let context = format!("{}: {inject} on `{path}`", write.name);
            let (end, tree) = struck(write, target, &inject, &context);
            is_as_said(&end, &tree, &states, &context);
            runs += 1;
            if let End::Failed(message) = &end {
                failed += 1;
                pending += usize::from(message.contains("the change is pending"));
            }
        }
    }
    let mut counts = BTreeMap::new();
    for target in &targets {
        *counts.entry(target.name.as_str()).or_insert(0) += 1;
    }
    eprintln!(
        "{}: {} system calls that change the disk ({counts:?}), {runs} runs: {failed} failed, {pending} of them \
         pending until the next command; the others ended well",
        write.name,
        targets.len(),
    );
    assert!(failed > runs / 2, "faults are felt");
}

/// Writes with a fault, again until it strikes the target and not a reading of another thread. `strace` counts
/// the calls of each thread: one that comes upon what the write has left is struck as well when it tidies up.
#[track_caller]
fn struck(write: &Write, target: &Target, inject: &str, context: &str) -> (End, Tree) {
    for _ in 0..20 {
        let (end, tree) = traced(write, Some((target, inject)));
        let calls = calls(&tree).into_values().flatten();
        let struck: Vec<_> = calls.filter(|call| call.contains("(INJECTED)")).collect();
        if !struck.is_empty() && struck.iter().all(|call| name(call) == target.name && changes(call)) {
            return (end, tree);
        }
    }
    panic!("{context}: it never strikes");
}

/// Stands for the root of the bundle in the path of a target: each run has a bundle of its own.
const ROOT: &str = "ROOT";

/// The calls of an undisturbed run that change the disk.
fn targets(tree: &Tree) -> Vec<Target> {
    let mut targets = Vec::new();
    for calls in calls(tree).values() {
        let about_bundle: Vec<&String> = calls.iter().filter(|call| call.contains(tree.shown())).collect();
        for (at, call) in about_bundle.iter().enumerate() {
            if !changes(call) {
                continue;
            }
            let name = name(call);
            let path = descriptors(call).next().unwrap_or_else(|| panic!("a call without a descriptor: {call}"));
            if !path.starts_with(tree.shown()) {
                assert_eq!(name, "write", "an answer, which names the bundle, or what is it? {call}");
                continue;
            }
            let same = |other: &&&String| self::name(other) == name && descriptors(other).any(|other| other == path);
            let number = about_bundle[..=at].iter().filter(same).count();
            let path = path.replacen(tree.shown(), ROOT, 1);
            targets.push(Target { name: name.to_owned(), path, number });
        }
    }
    targets
}

/// Whether a call about the bundle changes the disk.
fn changes(call: &str) -> bool {
    match name(call) {
        name if is_in(CHANGING, name) => true,
        name if is_in(OPENING, name) => call.contains("O_CREAT") || call.contains("O_TRUNC"),
        name => {
            assert!(is_in(READING, name), "is this a call that changes the disk? {call}");
            false
        }
    }
}

fn is_in(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|listed| listed == name)
}

/// The name of a call.
fn name(call: &str) -> &str {
    call.split_once('(').map_or(call, |(name, _)| name)
}

/// The paths behind the descriptors among the arguments of a call.
fn descriptors(call: &str) -> impl Iterator<Item = &str> {
    let arguments = call.rsplit_once(" = ").map_or(call, |(arguments, _)| arguments);
    arguments.split('<').skip(1).filter_map(|rest| Some(rest.split_once('>')?.0))
}

/// The calls of each thread of a traced run, in their order.
fn calls(tree: &Tree) -> BTreeMap<PathBuf, Vec<String>> {
    let traces = fs::read_dir(traces(tree)).expect("strace made its files");
    let thread = |path: PathBuf| {
        let text = String::from_utf8_lossy(&fs::read(&path).expect("it can be read")).into_owned();
        let lines = text.lines().filter(|line| line.contains('(')).map(str::to_owned).collect();
        (path, lines)
    };
    traces.map(|entry| thread(entry.expect("it can be listed").path())).collect()
}

/// Where the traces of a run lie.
fn traces(tree: &Tree) -> PathBuf {
    tree.root().parent().expect("a tree lies in a directory of its own").join("traces")
}

/// Writes under `strace`, which fails a target as it is told.
fn traced(write: &Write, fault: Option<(&Target, &str)>) -> (End, Tree) {
    let tree = (write.tree)();
    fs::create_dir(traces(&tree)).expect("the directory is its own");
    let plain = binary();
    let mut command = Command::new("strace");
    command.args(["-ff", "-y", "-s", "256", "-o"]).arg(traces(&tree).join("thread"));
    if let Some((target, inject)) = fault {
        command.arg("-P").arg(target.path.replacen(ROOT, tree.shown(), 1)).args(["-e", inject]);
    }
    command.arg(plain.get_program()).args(write.arguments(&tree)).env_clear();
    command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.current_dir(plain.get_current_dir().unwrap_or(Path::new("/")));
    (write.run(command), tree)
}
