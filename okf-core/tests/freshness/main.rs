//! Freshness under random edits: whatever was done to the files, the next answer shows it (contract §9, Fresh).
//!
//! `OKF_FUZZ_STEPS` sets the number of steps of each run, `OKF_FUZZ_SEED` the seed, which every run prints.

mod edits;
mod hand;
mod picture;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use edits::{Random, World};
use hand::{Hand, OtherProcess};
use okf_core::bundle::Bundle;
use okf_core::snapshot::Snapshot;
use picture::picture;

#[test]
fn no_answer_is_stale_with_a_stat_of_every_file() {
    run("stat", 300, false, Snapshot::unwatched, |world| Hand::Own(Box::new(world)));
}

#[test]
fn no_answer_is_stale_with_watched_directories() {
    run("watch", 300, WATCHES, Snapshot::new, |world| Hand::Own(Box::new(world)));
}

#[test]
fn no_answer_is_stale_when_another_process_edits() {
    run("watch, another process", 100, WATCHES, Snapshot::new, |world| Hand::Other(OtherProcess::start(world.root())));
}

/// Whether directories can be watched here, given a local file system.
const WATCHES: bool = cfg!(target_os = "linux");

/// More edits than the kernel remembers, in both modes; afterwards changes are announced again.
#[test]
fn a_burst_beyond_the_queue_is_no_hiding_place() {
    let parent = tempfile::tempdir().expect("a temporary directory");
    let mut world = World::new(&parent.path().canonicalize().unwrap(), Random::new(1));
    for (snapshot, watches) in [(Snapshot::unwatched(world.root()), false), (Snapshot::new(world.root()), WATCHES)] {
        for _ in 0..2 {
            if watches {
                await_watching(&snapshot);
            }
            world.burst();
            assert_fresh(&snapshot, world.root(), "a burst");
            assert!(!snapshot.is_watching() || !watches, "the queue was too short");
        }
    }
}

/// Not a test by itself: the process that edits for another one.
#[test]
fn another_process() {
    hand::serve();
}

fn run(name: &str, steps: usize, watches: bool, snapshot: impl Fn(&Path) -> Snapshot, hand: impl Fn(World) -> Hand) {
    let number = |variable: &str| std::env::var(variable).ok().and_then(|value| value.parse().ok());
    let seed = number("OKF_FUZZ_SEED").unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(0, |now| now.as_nanos() as u64)
    });
    let steps = number("OKF_FUZZ_STEPS").map_or(steps, |steps| steps as usize);
    eprintln!("{name}: OKF_FUZZ_SEED={seed} OKF_FUZZ_STEPS={steps}");
    let parent = tempfile::tempdir().expect("a temporary directory");
    let parent = parent.path().canonicalize().unwrap();
    let world = World::new(&parent, Random::new(seed));
    let root = world.root().to_owned();
    let mut hand = hand(world);
    let mut random = Random::new(!seed);
    let snapshot = snapshot(&root);
    let mut watched = 0;
    for step in 0..steps {
        // Most steps begin with watched directories where there is such a thing; the others in between.
        if watches && random.below(8) != 0 && root.is_dir() {
            await_watching(&snapshot);
        }
        watched += usize::from(snapshot.is_watching());
        let done = hand.edit(random.next());
        assert_fresh(&snapshot, &root, &format!("seed {seed}, step {step}: {done}"));
    }
    eprintln!("{name}: {watched} of {steps} steps with watched directories");
}

/// Calls until the directories are watched.
fn await_watching(snapshot: &Snapshot) {
    let _ = snapshot.current();
    while !snapshot.is_watching() {
        std::thread::sleep(Duration::from_millis(1));
        let _ = snapshot.current();
    }
}

fn assert_fresh(snapshot: &Snapshot, root: &Path, done: &str) {
    let answer = snapshot.current();
    let truth = Bundle::load(root);
    match (answer, truth) {
        (Ok(answer), Ok(truth)) => {
            let (answer, truth) = (picture(&answer), picture(&truth));
            assert_eq!(answer, truth, "{done}");
        }
        (Err(_), Err(_)) => {}
        (answer, truth) => panic!("{done}: {:?} instead of {:?}", answer.err(), truth.err()),
    }
    if let (Ok(a), Ok(b)) = (snapshot.current(), snapshot.current()) {
        assert!(Arc::ptr_eq(&a, &b), "{done}: nothing has changed");
    }
}
