//! What safety costs: a commit against writing and syncing the same files by hand, and a fresh reading with
//! and without a lock file. Prints ratios of medians, measured in turns in one run.
//!
//! `cargo run --release -p okf-core --example commit_cost [DIRECTORY]`; the directory says which disk is
//! measured.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use okf_core::bundle_path::BundlePath;
use okf_core::disk::{FileEdit, PATIENCE, WriteLock};
use okf_core::document::Revision;
use okf_core::snapshot::Snapshot;

/// What one update writes: a concept, an index and the log.
const FILES: [&str; 3] = ["d0/c0.md", "d0/index.md", "log.md"];
const ROUNDS: usize = 101;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let place = std::env::args_os().nth(1).unwrap_or_else(|| std::env::temp_dir().into_os_string());
    let (locked, unlocked) = (bundle(&place)?, bundle(&place)?);
    let root = locked.path().canonicalize()?;

    let (mut by_hand, mut committed) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let text = |kind: &str| format!("---\ntype: Note\n---\n{kind} {round} {}\n", "x".repeat(2_500));
        by_hand.push(timed(|| {
            FILES.iter().try_for_each(|path| {
                let mut file = File::create(root.join(path))?;
                file.write_all(text("by hand").as_bytes())?;
                file.sync_all()
            })
        })?);
        let edits = FILES.map(|path| FileEdit {
            path: BundlePath::new(path).expect("it is a bundle path"),
            before: Some(Revision::of(text("by hand").as_bytes())),
            after: text("committed").into_bytes(),
        });
        committed.push(timed(|| -> Result<(), Box<dyn std::error::Error>> {
            WriteLock::acquire(&root, PATIENCE)?.commit(&edits)?;
            Ok(())
        })?);
    }
    println!("commit of {} files / write and sync by hand: {:.1}", FILES.len(), ratio(&mut committed, &mut by_hand));

    let with = Snapshot::new(&root);
    let without = Snapshot::new(&unlocked.path().canonicalize()?);
    let (mut with_lock, mut without_lock) = (Vec::new(), Vec::new());
    with.current()?;
    without.current()?;
    // Until the stamps of the files are old enough to be trusted.
    std::thread::sleep(Duration::from_millis(100));
    with.current()?;
    without.current()?;
    for _ in 0..10 * ROUNDS {
        with_lock.push(timed(|| with.current().map(drop))?);
        without_lock.push(timed(|| without.current().map(drop))?);
    }
    println!("fresh reading with a lock file / without: {:.2}", ratio(&mut with_lock, &mut without_lock));
    Ok(())
}

/// A bundle of 342 concepts.
fn bundle(place: &OsStr) -> std::io::Result<tempfile::TempDir> {
    let directory = tempfile::TempDir::new_in(place)?;
    for number in 0..342 {
        write(directory.path(), &format!("d{}/c{number}.md", number % 20), "---\ntype: Note\n---\nSome text.\n")?;
    }
    for path in FILES {
        write(directory.path(), path, "")?;
    }
    Ok(directory)
}

fn write(root: &Path, path: &str, text: &str) -> std::io::Result<()> {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap_or(root))?;
    fs::write(path, text)
}

fn timed<E>(work: impl FnOnce() -> Result<(), E>) -> Result<Duration, E> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed())
}

fn ratio(a: &mut [Duration], b: &mut [Duration]) -> f64 {
    a.sort_unstable();
    b.sort_unstable();
    println!("  medians: {:?} / {:?}", a[a.len() / 2], b[b.len() / 2]);
    a[a.len() / 2].as_secs_f64() / b[b.len() / 2].as_secs_f64()
}
