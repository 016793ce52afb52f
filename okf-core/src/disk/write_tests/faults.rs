use super::*;

fn steps() -> usize {
    let root = before();
    let edits = change(root.path());
    let (result, steps) = with_fault(Fault::Never, || commit(root.path(), &edits));
    result.unwrap();
    assert!(steps > 40, "{steps} steps: some are not probed");
    steps
}

#[test]
fn killed_at_any_step_the_next_reader_finds_the_old_or_the_new_state() {
    killed_at_any_step(|root| {
        Bundle::load(root).unwrap();
    });
}

#[test]
fn killed_at_any_step_the_next_writer_finds_the_old_or_the_new_state() {
    killed_at_any_step(|root| drop(lock(root)));
}

fn killed_at_any_step(next: impl Fn(&Path)) {
    let mut seen = [0, 0];
    for step in 1..=steps() {
        let root = before();
        let (old, edits) = (picture(root.path()), change(root.path()));
        let new = with_edits(&old, &edits);
        let _ = with_fault(Fault::From(step), || {
            WriteLock::acquire(root.path(), Duration::ZERO).map(|mut lock| lock.commit(&edits))
        });
        next(root.path());
        let now = picture(root.path());
        assert!(now == old || now == new, "killed at step {step}: {now:?}");
        seen[usize::from(now == new)] += 1;
        assert_tidy(root.path(), &format!("killed at step {step}"));
    }
    assert!(seen.iter().all(|count| *count > 5), "old and new: {seen:?}");
}

#[test]
fn a_recovery_that_is_killed_is_recovered_from() {
    for step in 1..=steps() {
        for again in 1.. {
            let root = before();
            let (old, edits) = (picture(root.path()), change(root.path()));
            let new = with_edits(&old, &edits);
            let _ = with_fault(Fault::From(step), || {
                WriteLock::acquire(root.path(), Duration::ZERO).map(|mut lock| lock.commit(&edits))
            });
            let (_, tried) =
                with_fault(Fault::From(again), || WriteLock::acquire(root.path(), Duration::ZERO).map(drop));
            Bundle::load(root.path()).unwrap();
            let now = picture(root.path());
            assert!(now == old || now == new, "killed at step {step} and again at {again}: {now:?}");
            assert_tidy(root.path(), &format!("killed at step {step} and again at {again}"));
            if tried < again {
                break;
            }
        }
    }
}

#[test]
fn a_reader_that_may_not_write_sees_the_outcome_in_memory() {
    let mut pending = 0;
    for step in 1..=steps() {
        let root = before();
        let (old, edits) = (picture(root.path()), change(root.path()));
        let new = with_edits(&old, &edits);
        let _ = with_fault(Fault::From(step), || {
            WriteLock::acquire(root.path(), Duration::ZERO).map(|mut lock| lock.commit(&edits))
        });
        let on_disk = picture(root.path());
        let snapshot = crate::snapshot::Snapshot::new(&root.path().canonicalize().unwrap());
        let ((loaded, current), _) = with_fault(Fault::From(1), || {
            (texts(&Bundle::load(root.path()).unwrap()), texts(&snapshot.current().unwrap()))
        });
        assert_eq!(picture(root.path()), on_disk, "nothing was written");
        assert!(loaded == files(&old) || loaded == files(&new), "killed at step {step}: {loaded:?}");
        assert_eq!(loaded, current);
        pending += usize::from(files(&on_disk) != loaded);
        // Whoever may write comes to the same result.
        Bundle::load(root.path()).unwrap();
        assert_eq!(files(&picture(root.path())), loaded, "killed at step {step}");
        assert_eq!(texts(&snapshot.current().unwrap()), loaded);
    }
    assert!(pending > 3, "{pending} states were overlaid");
}

#[test]
fn a_failing_step_leaves_what_the_error_says() {
    let mut standings = Vec::new();
    for error in [Errno::NOSPC, Errno::ACCESS, Errno::IO] {
        for step in 1..=steps() {
            let root = before();
            let (old, edits) = (picture(root.path()), change(root.path()));
            let new = with_edits(&old, &edits);
            let (result, _) = with_fault(Fault::At(step, error), || {
                WriteLock::acquire(root.path(), Duration::ZERO).map(|mut lock| lock.commit(&edits))
            });
            let mut now = picture(root.path());
            now.retain(|path, _| !path.starts_with(".okf-stage"));
            match &result {
                Err(_) => assert_eq!(now, old, "step {step} failed before the lock"),
                Ok(Ok(())) => assert_eq!(now, new, "step {step}"),
                Ok(Err(failure)) => {
                    let message = failure.to_string();
                    match failure.standing {
                        Standing::Old => assert_eq!(now, old, "step {step}: {message}"),
                        Standing::New => assert_eq!(now, new, "step {step}: {message}"),
                        Standing::Pending => {}
                    }
                    standings.push(failure.standing);
                }
            }
            Bundle::load(root.path()).unwrap();
            let then = picture(root.path());
            assert!(then == old || then == new, "step {step}: {then:?}");
            if !matches!(&result, Ok(Err(CommitError { standing: Standing::Pending, .. }))) {
                now.retain(|path, _| !path.starts_with(".okf-stage"));
                assert_eq!(then, now, "step {step}: the next command changed its mind");
            }
            assert_tidy(root.path(), &format!("step {step}"));
        }
    }
    for expected in [Standing::Old, Standing::New] {
        assert!(standings.contains(&expected), "{expected:?} never happened");
    }
}

#[test]
fn when_even_the_roll_back_fails_the_change_is_pending() {
    let mut pending = 0;
    for step in 1..=steps() {
        let root = before();
        let (old, edits) = (picture(root.path()), change(root.path()));
        let new = with_edits(&old, &edits);
        let (result, _) = with_fault(Fault::From(step), || {
            WriteLock::acquire(root.path(), Duration::ZERO).map(|mut lock| lock.commit(&edits))
        });
        let Ok(Err(failure)) = result else { continue };
        if failure.standing == Standing::Pending {
            pending += 1;
            assert!(failure.to_string().ends_with("the change is pending, and the next command finishes or undoes it"));
        }
        // The same lock may be used again: it brings the first change to its end before the next.
        let mut lock = lock(root.path());
        lock.commit(&[edit(root.path(), "untouched.md", "touched\n")]).unwrap();
        let now = picture(root.path());
        let also = |picture: &Picture| {
            let mut picture = picture.clone();
            picture.insert("untouched.md".into(), Some(b"touched\n".to_vec()));
            picture
        };
        assert!(now == also(&old) || now == also(&new), "step {step}: {now:?}");
    }
    assert!(pending > 5, "{pending} were pending");
}

#[test]
fn a_pending_change_is_brought_to_its_end_by_the_next_commit_under_the_same_lock() {
    for step in 20..=steps() {
        let root = before();
        let (old, edits) = (picture(root.path()), change(root.path()));
        let new = with_edits(&old, &edits);
        let mut lock = lock(root.path());
        let (result, _) = with_fault(Fault::From(step), || lock.commit(&edits));
        if result.is_ok() {
            continue;
        }
        let (untouched, path) = ("again\n", "untouched.md");
        lock.commit(&[edit(root.path(), path, untouched)]).unwrap();
        let mut now = picture(root.path());
        assert_eq!(now.insert(path.into(), old[path].clone()), Some(Some(untouched.into())));
        assert!(now == old || now == new, "step {step}: {now:?}");
        assert_tidy(root.path(), &format!("step {step}"));
    }
}
