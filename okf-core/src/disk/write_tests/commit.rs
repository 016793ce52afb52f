use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

use super::*;

fn failure(root: &Path, edits: &[FileEdit]) -> CommitError {
    let old = picture(root);
    let failure = commit(root, edits).expect_err("it cannot be written");
    assert_eq!(failure.standing, Standing::Old, "{failure}");
    assert_eq!(picture(root), old, "{failure}");
    assert_tidy(root, &failure.to_string());
    failure
}

#[test]
fn writes_all_and_leaves_nothing_but_the_lock_file() {
    let root = before();
    let edits = change(root.path());
    let new = with_edits(&picture(root.path()), &edits);
    commit(root.path(), &edits).unwrap();
    assert_eq!(picture(root.path()), new);
    assert_tidy(root.path(), "after a commit");
    assert!(root.path().join(".okf.lock").exists());
    // The bundle under the lock is the bundle.
    assert_eq!(texts(&lock(root.path()).bundle().unwrap()), files(&new));
}

#[test]
fn an_edit_that_changes_nothing_touches_nothing() {
    let root = before();
    let path = root.path().join("a/one.md");
    let inode = fs::metadata(&path).unwrap().ino();
    commit(root.path(), &[edit(root.path(), "a/one.md", "one\n")]).unwrap();
    commit(root.path(), &[]).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().ino(), inode);
}

#[test]
fn what_has_changed_since_is_stale() {
    let root = before();
    let mut edits = change(root.path());
    write(&root.path().join("b/two.md"), "edited\n");
    let stale = failure(root.path(), &edits);
    assert!(stale.is_stale());
    assert_eq!(stale.to_string(), "`b/two.md` has changed since it was read; the old state stands");
    let CommitErrorKind::Stale { current, .. } = stale.kind else { panic!("{stale}") };
    assert_eq!(current, Some(Revision::of(b"edited\n")));

    edits.remove(1);
    fs::remove_file(root.path().join("a/one.md")).unwrap();
    assert!(matches!(failure(root.path(), &edits).kind, CommitErrorKind::Stale { current: None, .. }));
    edits.remove(0);
    write(&root.path().join("c/new/three.md"), "");
    let exists = failure(root.path(), &edits);
    assert!(exists.is_stale() && matches!(exists.kind, CommitErrorKind::Exists { .. }), "{exists}");
}

#[test]
fn what_changes_during_the_commit_is_not_overwritten() {
    /// Edits a file of somebody else's at a step.
    struct Meddler(usize, Box<dyn FnMut()>);
    impl Probe for Meddler {
        fn before(&mut self) -> Result<(), Errno> {
            self.0 = self.0.wrapping_sub(1);
            if self.0 == 0 {
                (self.1)();
            }
            Ok(())
        }
        fn after(&mut self, _step: Step) {}
    }
    for step in 1..60 {
        for in_place in [true, false] {
            let root = before();
            let (old, edits) = (picture(root.path()), change(root.path()));
            let target = root.path().join("b/two.md");
            let meddle = move || {
                if !in_place {
                    fs::remove_file(&target).unwrap();
                }
                fs::write(&target, "theirs\n").unwrap();
            };
            let result = probe::with(Meddler(step, Box::new(meddle)), || commit(root.path(), &edits));
            let mut now = picture(root.path());
            now.retain(|path, _| !path.starts_with(".okf-stage"));
            let two = now.insert("b/two.md".into(), old["b/two.md"].clone());
            match result {
                Ok(()) => assert!(two == Some(Some(b"theirs\n".to_vec())) || two == Some(Some(b"TWO\n".to_vec()))),
                // Between the last look and the rename, or before: theirs stays, and nothing else is written.
                Err(failure) => {
                    assert_eq!(failure.standing, Standing::Old, "step {step}: {failure}");
                    assert_eq!(two, Some(Some(b"theirs\n".to_vec())), "step {step}: {failure}");
                    assert_eq!(now, old, "step {step}: {failure}");
                }
            }
        }
    }
}

#[test]
fn links_are_not_followed_in_any_place() {
    let outside = tree(&[("d/x.md", "victim\n")]);
    let root = before();
    let target = outside.path().join("d");
    symlink(&target, root.path().join("linked")).unwrap();
    symlink(target.join("x.md"), root.path().join("link.md")).unwrap();
    for path in ["linked/new.md", "linked/x.md", "linked/deep/er/new.md", "link.md"] {
        let edit = FileEdit { path: BundlePath::new(path).unwrap(), before: None, after: b"x".to_vec() };
        let outside_before = picture(outside.path());
        let error = commit(root.path(), &[edit]).unwrap_err();
        assert!(matches!(error.kind, CommitErrorKind::Blocked { by: EntryKind::Link, .. }), "{path}: {error}");
        assert_eq!(picture(outside.path()), outside_before);
        assert_tidy(root.path(), path);
    }
}

#[test]
fn a_directory_swapped_for_a_link_at_any_step_redirects_nothing() {
    struct Swapper(usize, std::path::PathBuf, std::path::PathBuf);
    impl Probe for Swapper {
        fn before(&mut self) -> Result<(), Errno> {
            self.0 = self.0.wrapping_sub(1);
            if self.0 == 0 {
                fs::rename(&self.1, self.1.with_extension("away")).unwrap();
                symlink(&self.2, &self.1).unwrap();
            }
            Ok(())
        }
        fn after(&mut self, _step: Step) {}
    }
    for step in 1..60 {
        let root = before();
        let outside = tree(&[("two.md", "two\n"), ("x.md", "victim\n")]);
        let theirs = picture(outside.path());
        let edits = change(root.path());
        let swapper = Swapper(step, root.path().join("b"), outside.path().to_owned());
        let _ = probe::with(swapper, || commit(root.path(), &edits));
        let _ = WriteLock::acquire(root.path(), Duration::ZERO);
        assert_eq!(picture(outside.path()), theirs, "swapped at step {step}");
    }
}

#[test]
fn what_is_in_the_way_is_named() {
    let root = before();
    fs::create_dir(root.path().join("dir.md")).unwrap();
    let pipe = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, root.path().join("pipe.md"), rustix::fs::FileType::Fifo, pipe, 0).unwrap();
    let rows = [
        ("dir.md", "a directory is in the way at `dir.md`; the old state stands"),
        ("pipe.md", "a pipe, socket or device is in the way at `pipe.md`; the old state stands"),
        ("index.md/x.md", "a file is in the way at `index.md`; the old state stands"),
        (".okf.lock", "`.okf.lock` cannot be written; the old state stands"),
        (".okf-stage/0.new", "`.okf-stage/0.new` cannot be written; the old state stands"),
    ];
    fs::write(root.path().join(".okf.lock"), "").unwrap();
    for (path, message) in rows {
        let edit = FileEdit { path: BundlePath::new(path).unwrap(), before: None, after: b"x".to_vec() };
        let error = commit(root.path(), &[edit]).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
    let twice = edit(root.path(), "a/one.md", "x");
    assert!(matches!(failure_of(&root, &[twice.clone(), twice]), CommitErrorKind::Unusable { .. }));
}

fn failure_of(root: &TempDir, edits: &[FileEdit]) -> CommitErrorKind {
    commit(root.path(), edits).unwrap_err().kind
}

#[test]
fn a_read_only_file_is_not_replaced() {
    let root = before();
    let path = root.path().join("a/one.md");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
    let error = failure(root.path(), &change(root.path()));
    assert_eq!(error.to_string(), "`a/one.md` is read-only; the old state stands");
}

#[test]
fn modes_owners_and_attributes_are_kept() {
    let root = before();
    let path = root.path().join("a/one.md");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let privileged = rustix::process::getuid().is_root();
    if privileged {
        std::os::unix::fs::chown(&path, Some(12_345), Some(23_456)).unwrap();
    }
    let flags = rustix::fs::XattrFlags::empty();
    let attributes = rustix::fs::setxattr(&path, "user.okf.test", b"kept", flags).is_ok();
    commit(root.path(), &change(root.path())).unwrap();
    let after = fs::metadata(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"ONE\n");
    assert_eq!(after.mode() & 0o7777, 0o640);
    if privileged {
        assert_eq!((after.uid(), after.gid()), (12_345, 23_456));
    }
    if attributes {
        let mut value = [0; 8];
        let length = rustix::fs::getxattr(&path, "user.okf.test", &mut value[..]).unwrap();
        assert_eq!(&value[..length], b"kept");
    } else {
        eprintln!("skipped: this file system has no user attributes");
    }
}

#[test]
fn edits_made_after_a_crash_are_kept_and_the_other_text_lies_beside() {
    let mut beside = 0;
    for step in 1..60 {
        let root = before();
        let (old, edits) = (picture(root.path()), change(root.path()));
        let new = with_edits(&old, &edits);
        let _ = with_fault(Fault::From(step), || {
            WriteLock::acquire(root.path(), Duration::ZERO).map(|mut lock| lock.commit(&edits))
        });
        // An edit, and a removal.
        write(&root.path().join("b/two.md"), "theirs\n");
        fs::remove_file(root.path().join("a/one.md")).unwrap();
        let recovery = lock(root.path()).recovery().cloned();
        let mut now = picture(root.path());
        let kept: Vec<_> = recovery.iter().flat_map(|recovery| &recovery.kept).collect();
        for kept in &kept {
            let Some(place) = &kept.beside else { continue };
            beside += 1;
            assert_eq!(*place, format!("{}.okf-kept", kept.path));
            assert_eq!(now.remove(place), Some(new[kept.path.as_str()].clone()), "step {step}");
            let shown = recovery.as_ref().unwrap().to_string();
            assert!(shown.contains(&format!("`{}` was edited since and is kept; the other text is in", kept.path)));
        }
        if recovery.is_some() {
            assert_eq!(kept.len(), 2, "step {step}: {recovery:?}");
        }
        assert_eq!(now.insert("b/two.md".into(), old["b/two.md"].clone()), Some(Some(b"theirs\n".to_vec())));
        assert_eq!(now.insert("a/one.md".into(), old["a/one.md"].clone()), None, "step {step}");
        let mut done = new.clone();
        for path in ["a/one.md", "b/two.md"] {
            done.insert(path.into(), old[path].clone());
        }
        assert!(now == old || now == done, "step {step}: {now:?}");
        assert_tidy(root.path(), &format!("step {step}"));
    }
    assert!(beside > 5, "{beside} texts were put beside");
}

#[test]
fn a_text_put_aside_takes_no_name_that_is_taken() {
    let root = before();
    let edits = change(root.path());
    write(&root.path().join("b/two.md.okf-kept"), "mine");
    // Killed right after the commit point: everything is staged, nothing renamed.
    let committed = (1..).find(|step| {
        let _ = fs::remove_file(root.path().join(".okf.lock"));
        let _ = fs::remove_dir_all(root.path().join(".okf-stage"));
        let _ = with_fault(Fault::From(*step), || {
            WriteLock::acquire(root.path(), Duration::ZERO).map(|mut lock| lock.commit(&edits))
        });
        fs::metadata(root.path().join(".okf.lock")).is_ok_and(|lock| lock.len() > 0)
    });
    assert!(committed.is_some());
    write(&root.path().join("b/two.md"), "theirs\n");
    let recovery = lock(root.path()).recovery().cloned().expect("the commit was interrupted");
    assert_eq!(recovery.outcome, Outcome::Finished);
    assert_eq!(recovery.kept[0].beside.as_deref(), Some("b/two.md.okf-kept-2"));
    assert_eq!(fs::read(root.path().join("b/two.md.okf-kept")).unwrap(), b"mine");
    assert_eq!(fs::read(root.path().join("b/two.md.okf-kept-2")).unwrap(), b"TWO\n");
}

#[test]
fn a_stage_that_somebody_removed_is_reported() {
    let mut lost = 0;
    for step in 1..60 {
        let root = before();
        let (old, edits) = (picture(root.path()), change(root.path()));
        let new = with_edits(&old, &edits);
        let _ = with_fault(Fault::From(step), || {
            WriteLock::acquire(root.path(), Duration::ZERO).map(|mut lock| lock.commit(&edits))
        });
        let _ = fs::remove_dir_all(root.path().join(".okf-stage"));
        let recovery = lock(root.path()).recovery().cloned();
        assert_tidy(root.path(), &format!("step {step}"));
        let unrecoverable = recovery.map_or(Vec::new(), |recovery| recovery.lost);
        lost += unrecoverable.len();
        for (path, bytes) in picture(root.path()) {
            let known = old.get(&path) == Some(&bytes) || new.get(&path) == Some(&bytes);
            assert!(known, "step {step}: `{path}` is neither old nor new");
        }
        if unrecoverable.is_empty() {
            let now = picture(root.path());
            assert!(now == old || now == new, "step {step}: {now:?}");
        }
    }
    assert!(lost > 0);
}
