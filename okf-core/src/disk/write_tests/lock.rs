use std::os::unix::fs::symlink;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::other_program::{Other, programs};
use super::*;
use crate::snapshot::Snapshot;

const AT_ONCE: Duration = Duration::ZERO;

fn try_lock(root: &Path) -> Result<WriteLock, LockError> {
    WriteLock::acquire(root, AT_ONCE)
}

#[test]
fn one_writer_at_a_time() {
    let root = before();
    let first = lock(root.path());
    let error = WriteLock::acquire(root.path(), Duration::from_millis(30)).unwrap_err();
    assert!(matches!(error, LockError::Busy { .. }), "{error}");
    let message = error.to_string();
    assert!(message.starts_with("another program holds the lock `"), "{message}");
    assert!(
        message.ends_with("/.okf.lock` (waited 0.03 s); the old state stands: try again when it has finished"),
        "{message}"
    );
    drop(first);
    drop(try_lock(root.path()).unwrap());
}

#[test]
fn threads_of_one_process_queue() {
    let root = before();
    let (inside, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let mut lock = lock(root.path());
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two writers at once");
                    let count = lock.bundle().unwrap().document("count.md").map_or(0, |d| d.text().as_str().len());
                    lock.commit(&[edit(root.path(), "count.md", &"x".repeat(count + 1))]).unwrap();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    done.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
    });
    assert_eq!(done.into_inner(), 80);
    assert_eq!(fs::read(root.path().join("count.md")).unwrap().len(), 80, "no update is lost");
}

#[test]
fn readers_see_whole_commits_and_do_not_keep_writers_waiting() {
    let root = tree(&[("a.md", "0"), ("d/b.md", "0"), ("d/c.md", "0")]);
    let stop = AtomicBool::new(false);
    let snapshot = Snapshot::new(&root.path().canonicalize().unwrap());
    let reads = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for reader in 0..4 {
            let (root, stop, snapshot, reads) = (root.path(), &stop, &snapshot, &reads);
            scope.spawn(move || {
                while !stop.load(Ordering::SeqCst) {
                    let texts = match reader % 2 {
                        0 => texts(&Bundle::load(root).unwrap()),
                        _ => texts(&snapshot.current().unwrap()),
                    };
                    assert_eq!(texts.len(), 3);
                    assert!(texts.values().all(|text| text == &texts["a.md"]), "a mixed state: {texts:?}");
                    reads.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        for n in 1..=100 {
            let mut lock = lock(root.path());
            let text = n.to_string();
            let edits = ["a.md", "d/b.md", "d/c.md"].map(|path| edit(root.path(), path, &text));
            lock.commit(&edits).unwrap();
            assert_eq!(texts(&snapshot.current_under(&lock).unwrap())["d/c.md"], text.as_bytes());
        }
        stop.store(true, Ordering::SeqCst);
    });
    assert!(reads.into_inner() > 0);
}

#[test]
fn readers_create_no_lock_file() {
    let root = before();
    Bundle::load(root.path()).unwrap();
    assert!(!root.path().join(".okf.lock").exists());
}

#[test]
fn a_reader_waits_for_a_writer() {
    let root = before();
    let edits = change(root.path());
    let new = files(&with_edits(&picture(root.path()), &edits));
    let start = Barrier::new(2);
    std::thread::scope(|scope| {
        let mut lock = lock(root.path());
        let reader = scope.spawn(|| {
            start.wait();
            texts(&Bundle::load(root.path()).unwrap())
        });
        start.wait();
        lock.commit(&edits).unwrap();
        drop(lock);
        assert_eq!(reader.join().unwrap(), new);
    });
}

#[test]
fn a_lock_file_that_is_removed_or_replaced_is_noticed() {
    for replace in [false, true] {
        let root = before();
        let old = picture(root.path());
        let mut first = lock(root.path());
        fs::remove_file(root.path().join(".okf.lock")).unwrap();
        if replace {
            fs::write(root.path().join(".okf.lock"), "").unwrap();
        }
        let error = first.commit(&change(root.path())).unwrap_err();
        assert!(matches!(error.kind, CommitErrorKind::LockLost), "{error}");
        assert_eq!(error.standing, Standing::Old);
        assert_eq!(picture(root.path()), old);
        // The new file is locked by the next one, and nobody has both.
        let mut second = try_lock(root.path()).unwrap();
        assert!(try_lock(root.path()).is_err());
        second.commit(&change(root.path())).unwrap();
    }
}

#[test]
fn who_waits_at_a_removed_lock_file_locks_the_new_one() {
    let root = before();
    let first = lock(root.path());
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| lock(root.path()));
        fs::remove_file(root.path().join(".okf.lock")).unwrap();
        // The first one never lets go of its file until the other has got the new one.
        let second = waiting.join().unwrap();
        assert!(second.is_held().unwrap());
        drop(first);
        assert!(try_lock(root.path()).is_err(), "the second one holds it");
    });
}

#[test]
fn a_link_in_place_of_the_lock_file_leads_nowhere() {
    let outside = tree(&[("victim", "okf-journal 1\nprecious\n")]);
    let victim = outside.path().join("victim");
    for hard in [false, true] {
        let root = before();
        let old = picture(root.path());
        let path = root.path().join(".okf.lock");
        if hard {
            fs::hard_link(&victim, &path).unwrap()
        } else {
            symlink(&victim, &path).unwrap()
        }
        let error = try_lock(root.path()).unwrap_err();
        match hard {
            true => assert!(matches!(error, LockError::Linked { .. }), "{error}"),
            false => assert!(matches!(error, LockError::NotAFile { .. }), "{error}"),
        }
        assert_eq!(texts(&Bundle::load(root.path()).unwrap()), files(&old), "readers go on");
        assert_eq!(fs::read(&victim).unwrap(), b"okf-journal 1\nprecious\n");
    }
    let root = before();
    symlink(outside.path().join("not-there"), root.path().join(".okf.lock")).unwrap();
    assert!(try_lock(root.path()).is_err());
    assert!(!outside.path().join("not-there").exists());
}

#[test]
fn a_pipe_or_directory_in_place_of_the_lock_file_is_refused_at_once() {
    for kind in ["pipe", "directory"] {
        let root = before();
        let path = root.path().join(".okf.lock");
        if kind == "pipe" {
            let mode = rustix::fs::Mode::from_raw_mode(0o600);
            rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        } else {
            fs::create_dir(&path).unwrap();
        }
        let error = WriteLock::acquire(root.path(), Duration::from_secs(3_600)).unwrap_err();
        assert!(error.to_string().ends_with("is not a regular file: move it away to write to this bundle"), "{error}");
        assert_eq!(Bundle::load(root.path()).unwrap().concept_count(), 3);
    }
}

#[test]
fn foreign_bytes_in_the_lock_file_are_no_journal() {
    let journal = |text: &str| text.as_bytes().to_vec();
    let rows = [
        journal("12345\n"),
        journal("okf-journal 1\ncreate 00000000000000000000000000000000 x.md\nend 0\n"),
        vec![0; 5_000],
        vec![0xff; 100_000],
    ];
    for bytes in rows {
        let root = before();
        fs::write(root.path().join(".okf.lock"), &bytes).unwrap();
        let old = picture(root.path());
        assert_eq!(texts(&Bundle::load(root.path()).unwrap()), files(&old));
        let edits = change(root.path());
        let mut lock = try_lock(root.path()).unwrap();
        assert_eq!(lock.recovery(), None);
        lock.commit(&edits).unwrap();
        assert_eq!(picture(root.path()), with_edits(&old, &edits));
        assert_tidy(root.path(), "after foreign bytes");
    }
}

#[test]
fn a_stage_with_things_of_others_loses_only_ours() {
    let root = before();
    write(&root.path().join(".okf-stage/0.new"), "ours");
    write(&root.path().join(".okf-stage/notes/keep.txt"), "theirs");
    let edits = change(root.path());
    commit(root.path(), &edits).unwrap();
    assert!(!root.path().join(".okf-stage/0.new").exists());
    assert_eq!(fs::read(root.path().join(".okf-stage/notes/keep.txt")).unwrap(), b"theirs");

    // And a link in its place leads nowhere.
    let outside = tree(&[("0.new", "victim")]);
    fs::remove_dir_all(root.path().join(".okf-stage")).unwrap();
    symlink(outside.path(), root.path().join(".okf-stage")).unwrap();
    let error = commit(root.path(), &[edit(root.path(), "a/one.md", "x")]).unwrap_err();
    assert_eq!(error.standing, Standing::Old);
    assert_eq!(fs::read(outside.path().join("0.new")).unwrap(), b"victim");
    assert_eq!(picture(outside.path()).len(), 1);
}

#[test]
fn other_programs_locks_are_respected() {
    for program in programs() {
        let root = before();
        drop(lock(root.path()));
        let file = root.path().join(".okf.lock");
        let other = Other::start(program(&file, "exclusive"));
        assert!(other.locked);
        assert!(matches!(try_lock(root.path()).unwrap_err(), LockError::Busy { .. }));
        let path = root.path().canonicalize().unwrap();
        let error = super::super::lock::ReadLock::acquire(&path, AT_ONCE).unwrap_err();
        assert!(matches!(error.kind, DiskErrorKind::Locked(_)), "{error}");
        other.end();
        drop(try_lock(root.path()).unwrap());

        let other = Other::start(program(&file, "shared"));
        assert!(other.locked);
        assert!(matches!(try_lock(root.path()).unwrap_err(), LockError::Busy { .. }));
        super::super::lock::ReadLock::acquire(&path, AT_ONCE).expect("shared locks go together");
        other.end();
    }
}

#[test]
fn other_programs_respect_our_lock() {
    for program in programs() {
        let root = before();
        let held = lock(root.path());
        let file = root.path().join(".okf.lock");
        // Another descriptor of the file is closed: a plain record lock would be lost by this.
        drop(fs::File::open(&file).unwrap());
        let ask = |how: &str| {
            let other = Other::start(program(&file, how));
            let locked = other.locked;
            other.end();
            locked
        };
        assert!(!ask("exclusive") && !ask("shared"));
        drop(held);
        let path = root.path().canonicalize().unwrap();
        let read = super::super::lock::ReadLock::acquire(&path, AT_ONCE).unwrap();
        assert!(!ask("exclusive") && ask("shared"));
        drop(read);
        assert!(ask("exclusive"));
    }
}
