//! Servers under load, killed at random.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::super::text;
use crate::harness::{Server, Tree, okf};

/// Rounds on one bundle, which grows.
const ROUNDS: usize = 10;

/// Bundles: 500 rounds in all when `OKF_FULL_LOAD` is set, else fewer, so that the suite stays quick.
fn bundles() -> usize {
    if std::env::var_os("OKF_FULL_LOAD").is_some() { 50 } else { 5 }
}

/// Small numbers in a sequence that a seed brings back.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// What one writer did: a concept created and described in turn.
#[derive(Default)]
struct Done {
    /// IDs whose creation was answered.
    created: BTreeSet<String>,
    /// IDs whose creation may have been committed without an answer.
    maybe_created: BTreeSet<String>,
    /// How many changes of a description were answered.
    updated: usize,
    /// How many may have been committed without an answer.
    maybe_updated: usize,
}

/// Writes until the server is killed or told to stop.
fn write(server: &mut Server, name: &str, stop: &AtomicBool) -> Done {
    let mut done = Done::default();
    for n in 0.. {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let id = format!("area/{name}-{n}");
        let new = json!({"id": id, "type": "Note", "title": format!("{name} {n}"), "body": "Some text."});
        match server.call_until_killed("create-concept", new) {
            Some(answer) => assert!(!answer.is_error && done.created.insert(id), "{:?}", answer.blocks),
            None => {
                done.maybe_created.insert(id);
                break;
            }
        }
        let update = json!({"id": "shared", "description": format!("By {name} at {n}.")});
        match server.call_until_killed("update-concept", update) {
            Some(answer) => assert!(!answer.is_error, "{:?}", answer.blocks),
            None => {
                done.maybe_updated = 1;
                break;
            }
        }
        done.updated += 1;
    }
    done
}

/// The figures of a run.
#[derive(Default)]
struct Figures {
    committed: usize,
    /// Changes that were committed and not answered.
    unanswered: usize,
    /// Commits that the next command finished or undid.
    recovered: usize,
}

#[test]
fn killed_under_load_every_change_is_made_or_not() {
    let seed = std::env::var("OKF_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(20_261_130);
    eprintln!("random kills: OKF_SEED={seed}");
    let mut random = Random(seed);
    let mut figures = Figures::default();
    for _ in 0..bundles() {
        let tree = Tree::bundle(&[("log.md", "# Log\n"), ("shared.md", super::NOTE), ("area/index.md", "# Note\n")]);
        tree.write(
            "index.md",
            "---\nokf_version: \"0.2\"\n---\n\n# Note\n\n* [shared](shared.md)\n\n# More\n\n* [area](area/)\n",
        );
        let (mut created, mut updated) = (BTreeSet::new(), 0);
        for round in 0..ROUNDS {
            play(&tree, round, &mut random, &mut created, &mut updated, &mut figures);
        }
    }
    let Figures { committed, unanswered, recovered } = figures;
    eprintln!(
        "{} random kills: {committed} changes, {unanswered} of them committed and not answered; {recovered} commits \
         finished or undone by the command after the kill",
        bundles() * ROUNDS
    );
    assert!(committed > 0, "there was load");
}

/// One round: two servers write to the bundle; one is killed, or both.
fn play(
    tree: &Tree,
    round: usize,
    random: &mut Random,
    created: &mut BTreeSet<String>,
    updated: &mut usize,
    figures: &mut Figures,
) {
    let both = random.below(2) == 0;
    let delay = Duration::from_micros(2_000 + random.below(120_000));
    let (mut first, mut second) = (Server::serve(tree.root()), Server::serve(tree.root()));
    let (mortal, other) = (first.process(), second.process());
    let stop = AtomicBool::new(false);
    let done = thread::scope(|scope| {
        let first = scope.spawn(|| write(&mut first, &format!("a{round}"), &stop));
        let second = scope.spawn(|| write(&mut second, &format!("b{round}"), &stop));
        thread::sleep(delay);
        kill(mortal);
        if both {
            kill(other);
        } else {
            // The other one comes upon what the killed one has left, and goes on.
            thread::sleep(Duration::from_millis(20));
            stop.store(true, Ordering::Relaxed);
        }
        [first, second].map(|writer| writer.join().expect("only its server is killed"))
    });
    let said = okf(&["list", tree.shown()]).run().exits(0).stderr;
    figures.recovered += usize::from(!said.is_empty());
    check(tree, &done, created, updated, figures);
}

fn kill(process: Pid) {
    kill_process(process, Signal::KILL).expect("it has not been waited for");
}

/// Concepts, indexes and log tell of the same changes: all that were answered, and of the others each or not.
fn check(tree: &Tree, done: &[Done; 2], created: &mut BTreeSet<String>, updated: &mut usize, figures: &mut Figures) {
    let names = std::fs::read_dir(tree.path("area")).expect("it exists");
    let stems = names.map(|entry| entry.expect("it can be listed").file_name().into_string().expect("it is UTF-8"));
    let stems = stems.filter(|name| name != "index.md");
    let now: BTreeSet<String> =
        stems.map(|name| format!("area/{}", name.strip_suffix(".md").expect("no other files are there"))).collect();
    let before = created.len() + *updated;
    let answered: usize = done.iter().map(|done| done.created.len() + done.updated).sum();

    for done in done {
        created.extend(done.created.iter().cloned());
        created.extend(done.maybe_created.iter().filter(|id| now.contains(*id)).cloned());
    }
    assert_eq!(now, *created, "concepts that were created");
    let log = text(tree, "log.md");
    let logged = |action: &str| {
        let lines = log.lines().filter_map(|line| line.strip_prefix(action)?.strip_suffix(".md)"));
        lines.map(|line| line.rsplit_once("](/").expect("a link").1.to_owned()).collect::<Vec<_>>()
    };
    let mut creations = logged("* **Created**: [");
    creations.sort_unstable();
    assert!(creations.iter().eq(now.iter()), "created {now:?}, logged {creations:?}");
    let index = text(tree, "area/index.md");
    let listed: BTreeSet<String> = index
        .lines()
        .filter_map(|line| Some(format!("area/{}", line.strip_suffix(".md)")?.rsplit_once("](")?.1)))
        .collect();
    assert_eq!(listed, now, "what the index lists");

    let updates = logged("* **Updated**: [").len();
    let fewest = *updated + done.iter().map(|done| done.updated).sum::<usize>();
    let most = fewest + done.iter().map(|done| done.maybe_updated).sum::<usize>();
    assert!((fewest..=most).contains(&updates), "{updates} updates logged, {fewest} to {most} made");
    *updated = updates;
    assert_eq!(log.lines().filter(|line| line.starts_with("* ")).count(), creations.len() + updates, "{log}");

    let shared = text(tree, "shared.md");
    let described = shared.lines().find_map(|line| line.strip_prefix("description: "));
    let entry =
        described.map_or("* [shared](shared.md)\n".to_owned(), |words| format!("* [shared](shared.md) - {words}\n"));
    assert!(text(tree, "index.md").contains(&entry), "{shared}\n{}", text(tree, "index.md"));

    assert!(std::fs::read(tree.path(".okf.lock")).unwrap_or_default().is_empty(), "a journal is left");
    let left: Vec<_> = std::fs::read_dir(tree.root()).expect("it exists").flatten().map(|e| e.file_name()).collect();
    let known = ["index.md", "log.md", "shared.md", "area", ".okf.lock"];
    assert!(left.iter().all(|name| known.iter().any(|known| name == known)), "{left:?}");
    okf(&["validate", tree.shown()]).run().exits(0);
    figures.committed += created.len() + updates - before;
    figures.unanswered += created.len() + updates - before - answered;
}
