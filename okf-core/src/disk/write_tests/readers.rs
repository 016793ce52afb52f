use std::cell::Cell;
use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::disk::consistent::Overlay;

#[test]
fn a_reader_that_a_first_writer_overtakes_reads_again() {
    let root = before();
    let path = root.path().canonicalize().unwrap();
    let edits = change(&path);
    let reads = Cell::new(0);
    let read = |overlay: Option<&Overlay>| {
        assert!(overlay.is_none());
        let bundle = Mirror::new(&path).load()?;
        reads.set(reads.get() + 1);
        if reads.get() == 1 {
            // The first writer that there ever was, while the reading is under way.
            commit(&path, &edits).unwrap();
        }
        Ok(texts(&bundle))
    };
    let (seen, recoveries) = consistently(&path, read).unwrap();
    assert_eq!(reads.get(), 2);
    assert_eq!(seen, files(&picture(&path)));
    assert!(recoveries.is_empty());

    // With a lock file there is nothing to look for.
    reads.set(0);
    let count = |_: Option<&Overlay>| {
        reads.set(reads.get() + 1);
        Ok(())
    };
    consistently(&path, count).unwrap();
    assert_eq!(reads.get(), 1);
}

#[test]
fn a_reader_that_may_write_tidies_up_and_tells() {
    let root = before();
    let path = root.path().canonicalize().unwrap();
    let edits = change(&path);
    let snapshot = crate::snapshot::Snapshot::new(&path);
    snapshot.current().unwrap();
    let killed = (1..).find(|step| {
        let _ = with_fault(Fault::From(*step), || {
            WriteLock::acquire(&path, Duration::ZERO).map(|mut lock| lock.commit(&edits))
        });
        fs::metadata(path.join(".okf.lock")).is_ok_and(|lock| lock.len() > 0)
    });
    assert!(killed.is_some());
    snapshot.current().unwrap();
    let recoveries = snapshot.take_recoveries();
    assert_eq!(recoveries.len(), 1);
    assert_eq!(recoveries[0].to_string(), "finished an interrupted write");
    assert!(snapshot.take_recoveries().is_empty(), "told once");
    assert_tidy(&path, "after a reading");
}

#[test]
fn a_bundle_that_is_only_readable_is_read() {
    let root = before();
    let path = root.path().canonicalize().unwrap();
    commit(&path, &change(&path)).unwrap();
    let expected = files(&picture(&path));
    fs::set_permissions(path.join(".okf.lock"), fs::Permissions::from_mode(0o444)).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o555)).unwrap();
    let (seen, steps) = with_fault(Fault::Never, || texts(&Bundle::load(&path).unwrap()));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(seen, expected);
    assert_eq!(steps, 0, "reading changes nothing");
}

#[test]
fn a_lock_file_costs_little() {
    // Not a limit on time, but on what is done: the same walk, and nothing is parsed again.
    let root = before();
    let path = root.path().canonicalize().unwrap();
    commit(&path, &change(&path)).unwrap();
    let snapshot = crate::snapshot::Snapshot::new(&path);
    let first = snapshot.current().unwrap();
    let (again, steps) = with_fault(Fault::Never, || snapshot.current().unwrap());
    assert!(std::sync::Arc::ptr_eq(&first, &again));
    assert_eq!(steps, 0);
}
