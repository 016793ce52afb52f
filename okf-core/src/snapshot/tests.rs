use std::fs::{self, File, FileTimes};
use std::os::unix::fs::symlink;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tempfile::TempDir;

use super::*;
use crate::disk::DiskErrorKind;

/// A bundle on disk that is watched by a snapshot and written behind its back.
struct Watched {
    parent: TempDir,
    snapshot: Snapshot,
}

/// Runs a story twice: with every file stat'ed at each call, and with the directories watched.
fn in_both_modes(files: &[(&str, &str)], story: impl Fn(&Watched)) {
    story(&Watched::new(files, Snapshot::unwatched));
    let watched = Watched::new(files, Snapshot::new);
    watched.await_watching();
    story(&watched);
}

impl Watched {
    fn new(files: &[(&str, &str)], snapshot: impl FnOnce(&Path) -> Snapshot) -> Self {
        let parent = TempDir::new().expect("a temporary directory");
        let root = parent.path().canonicalize().unwrap().join("kb");
        fs::create_dir(&root).unwrap();
        let watched = Self { snapshot: snapshot(&root), parent };
        for (path, text) in files {
            watched.write(path, text);
        }
        watched
    }

    /// Calls until the directories are watched, on a system where they can be.
    fn await_watching(&self) {
        self.bundle();
        while cfg!(target_os = "linux") && !self.snapshot.is_watching() {
            std::thread::sleep(Duration::from_millis(1));
            self.bundle();
        }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.snapshot.root().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("the file lies in the root")).unwrap();
        fs::write(path, text).unwrap();
    }

    fn bundle(&self) -> Arc<Bundle> {
        self.snapshot.current().expect("the root is there")
    }

    /// Paths and texts of all documents.
    fn now(&self) -> Vec<(String, String)> {
        let bundle = self.bundle();
        let text = |path: &str| bundle.document(path).map_or("-".to_owned(), |d| d.text().as_str().to_owned());
        bundle.files().keys().map(|path| (path.as_str().to_owned(), text(path.as_str()))).collect()
    }

    fn assert_now(&self, expected: &[(&str, &str)]) {
        let expected: Vec<_> = expected.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        assert_eq!(self.now(), expected);
    }
}

#[test]
fn nothing_changed_is_the_very_same_bundle() {
    in_both_modes(&[("a.md", "one"), ("d/b.md", "two")], |watched| {
        let first = watched.bundle();
        assert!(Arc::ptr_eq(&first, &watched.bundle()));
        // Other times, same bytes.
        watched.write("a.md", "one");
        File::open(watched.path("d/b.md")).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
        assert!(Arc::ptr_eq(&first, &watched.bundle()));
    });
}

#[test]
fn only_what_changed_is_parsed_again() {
    in_both_modes(&[("a.md", "one"), ("b.md", "two")], |watched| {
        let first = watched.bundle();
        watched.write("a.md", "three");
        let second = watched.bundle();
        assert!(!Arc::ptr_eq(&first, &second));
        assert!(Arc::ptr_eq(first.document("b.md").unwrap(), second.document("b.md").unwrap()));
        assert_eq!(second.document("a.md").unwrap().text().as_str(), "three");
        assert_eq!(first.document("a.md").unwrap().text().as_str(), "one");
    });
}

#[test]
fn every_way_to_change_a_file_is_seen() {
    in_both_modes(&[("a.md", "old")], |watched| {
        watched.assert_now(&[("a.md", "old")]);

        watched.write("a.md", "new");
        watched.assert_now(&[("a.md", "new")]);

        fs::remove_file(watched.path("a.md")).unwrap();
        watched.write("a.md", "raw");
        watched.assert_now(&[("a.md", "raw")]);

        fs::remove_file(watched.path("a.md")).unwrap();
        watched.assert_now(&[]);
        watched.write("d/e/a.md", "raw");
        watched.assert_now(&[("d/e/a.md", "raw")]);

        fs::rename(watched.path("d"), watched.path("c")).unwrap();
        watched.assert_now(&[("c/e/a.md", "raw")]);

        fs::remove_dir_all(watched.path("c")).unwrap();
        watched.write("c", "a file now");
        watched.assert_now(&[("c", "-")]);
    });
}

#[test]
fn edits_that_keep_size_and_modification_time_are_seen() {
    in_both_modes(&[("over.md", "old"), ("in-place.md", "old")], |watched| {
        watched.now();
        let modified = fs::metadata(watched.path("over.md")).unwrap().modified().unwrap();
        let times = FileTimes::new().set_modified(modified);

        let staged = watched.parent.path().join("staged");
        fs::write(&staged, "new").unwrap();
        File::options().write(true).open(&staged).unwrap().set_times(times).unwrap();
        fs::rename(&staged, watched.path("over.md")).unwrap();

        watched.write("in-place.md", "new");
        File::options().write(true).open(watched.path("in-place.md")).unwrap().set_times(times).unwrap();
        watched.assert_now(&[("in-place.md", "new"), ("over.md", "new")]);
    });
}

#[test]
fn writes_in_quick_succession_are_never_missed() {
    in_both_modes(&[("a.md", "0000")], |watched| {
        for n in 0..300 {
            let text = format!("{n:04}");
            watched.write("a.md", &text);
            watched.assert_now(&[("a.md", &text)]);
        }
    });
}

#[test]
fn names_that_come_and_go_in_quick_succession_are_never_missed() {
    in_both_modes(&[], |watched| {
        for n in 0..100 {
            watched.write("a.md", "x");
            watched.assert_now(&[("a.md", "x")]);
            fs::remove_file(watched.path("a.md")).unwrap();
            assert!(watched.now().is_empty(), "round {n}");
        }
    });
}

#[test]
fn a_hard_link_outside_is_no_hiding_place() {
    let watched = Watched::new(&[("a.md", "old")], Snapshot::unwatched);
    watched.now();
    let outside = watched.parent.path().join("outside");
    fs::hard_link(watched.path("a.md"), &outside).unwrap();
    fs::write(&outside, "new").unwrap();
    watched.assert_now(&[("a.md", "new")]);
}

#[test]
fn a_file_swapped_for_a_link_is_not_followed() {
    in_both_modes(&[("a.md", "old"), ("d/b.md", "old")], |watched| {
        watched.now();
        let secret = watched.parent.path().join("secret");
        fs::create_dir(&secret).unwrap();
        fs::write(secret.join("b.md"), "secret").unwrap();
        fs::remove_file(watched.path("a.md")).unwrap();
        symlink(secret.join("b.md"), watched.path("a.md")).unwrap();
        fs::remove_dir_all(watched.path("d")).unwrap();
        symlink(&secret, watched.path("d")).unwrap();
        watched.assert_now(&[]);
        assert_eq!(watched.bundle().skipped_links(), ["a.md", "d"]);
    });
}

#[test]
fn a_file_that_turns_bad_and_good_again_is_followed() {
    in_both_modes(&[("a.md", "good"), ("b.md", "good")], |watched| {
        watched.now();
        fs::write(watched.path("a.md"), b"b\xff").unwrap();
        assert_eq!(watched.bundle().unreadable().len(), 1);
        assert_eq!(watched.bundle().concepts().count(), 1);
        watched.write("a.md", "good");
        assert!(watched.bundle().unreadable().is_empty());
    });
}

#[test]
fn the_root_may_go_and_come_back() {
    in_both_modes(&[("a.md", "one")], |watched| {
        watched.now();
        let root = watched.snapshot.root().to_owned();
        let away = watched.parent.path().join("away");
        fs::rename(&root, &away).unwrap();
        for _ in 0..2 {
            let error = watched.snapshot.current().unwrap_err();
            assert!(matches!(error.kind, DiskErrorKind::Missing), "{error}");
            assert!(!root.exists(), "nothing is recreated");
        }
        fs::rename(&away, &root).unwrap();
        watched.assert_now(&[("a.md", "one")]);

        // Another directory in its place.
        fs::rename(&root, &away).unwrap();
        watched.write("a.md", "two");
        watched.assert_now(&[("a.md", "two")]);

        // A file, and a link to a directory.
        fs::remove_dir_all(&root).unwrap();
        fs::write(&root, "").unwrap();
        assert!(matches!(watched.snapshot.current().unwrap_err().kind, DiskErrorKind::NotADirectory));
        fs::remove_file(&root).unwrap();
        symlink(&away, &root).unwrap();
        assert!(matches!(watched.snapshot.current().unwrap_err().kind, DiskErrorKind::NotADirectory));
    });
}

#[test]
fn a_call_sees_what_was_written_before_it_whoever_does_the_work() {
    in_both_modes(&[], |watched| {
        for n in 0..200 {
            watched.write(&format!("d{}/c{n}.md", n % 5), "x");
        }
        let start = Barrier::new(4);
        let written = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    start.wait();
                    loop {
                        let before = written.load(Ordering::SeqCst);
                        let text = watched.bundle().document("a.md").map_or(0, |d| d.text().as_str().parse().unwrap());
                        assert!(text >= before, "a call answered {text} after {before} was written");
                        if before == 100 {
                            break;
                        }
                    }
                });
            }
            start.wait();
            for n in 1..=100 {
                let staged = watched.parent.path().join("staged");
                fs::write(&staged, n.to_string()).unwrap();
                fs::rename(&staged, watched.path("a.md")).unwrap();
                written.store(n, Ordering::SeqCst);
            }
        });
    });
}

#[test]
#[cfg(target_os = "linux")]
fn somebody_looks_behind_the_kernels_back_while_calls_are_coming() {
    let pace = Pace { between_passes: Duration::from_millis(5), ..Pace::default() };
    let watched = Watched::new(&[("a.md", "old")], |root| Snapshot::at_pace(root, Some(pace)));
    watched.await_watching();
    let outside = watched.parent.path().join("outside");
    fs::hard_link(watched.path("a.md"), &outside).unwrap();
    fs::write(&outside, "new").unwrap();
    while watched.now() != [("a.md".to_owned(), "new".to_owned())] {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn nobody_is_left_behind() {
    let watched = Watched::new(&[("a.md", "old")], Snapshot::new);
    watched.await_watching();
    let served = Arc::downgrade(&watched.snapshot.served);
    drop(watched);
    while served.strong_count() > 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
}
