use std::process::{Command, Stdio};

use super::*;

/// Where the child of the test below finds its bundle.
const BUNDLE: &str = "OKF_TEST_KILLED_BUNDLE";

/// Names of the files that the child writes, all with one number in them at a time.
const NAMES: [&str; 4] = ["a.md", "d/b.md", "d/c.md", "e/f/d.md"];

/// Not a test of its own: the process that is killed. Commits as fast as it can.
#[test]
fn child_that_commits_until_it_is_killed() {
    let Some(root) = std::env::var_os(BUNDLE) else { return };
    let root = Path::new(&root);
    loop {
        let mut lock = lock(root);
        let number: u64 = fs::read_to_string(root.join(NAMES[0])).map_or(0, |text| text.trim().parse().unwrap());
        let edits = NAMES.map(|name| edit(root, name, &format!("{}\n", number + 1)));
        lock.commit(&edits).unwrap();
    }
}

#[test]
fn a_process_killed_at_random_leaves_the_old_or_the_new_state() {
    let root = directory();
    let mut last = 0;
    let (mut interrupted, mut random) = (0, 0x9e37_79b9_7f4a_7c15_u64);
    for round in 0..500 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "disk::write_tests::killed::child_that_commits_until_it_is_killed", "--nocapture"])
            .env(BUNDLE, root.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Anywhere in the first commits after the start.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        std::thread::sleep(Duration::from_micros(2_500 + (random >> 33) % 2_500));
        child.kill().unwrap();
        child.wait().unwrap();

        let (bundle, recoveries) = load(root.path()).unwrap();
        interrupted += recoveries.len();
        let seen = texts(&bundle);
        assert_eq!(seen, files(&picture(root.path())));
        assert_tidy(root.path(), &format!("round {round}"));
        if seen.is_empty() && last == 0 {
            continue;
        }
        let number: u64 = String::from_utf8_lossy(&seen[NAMES[0]]).trim().parse().unwrap();
        assert!(number >= last, "round {round}: from {last} back to {number}");
        for name in NAMES {
            assert_eq!(seen[name], seen[NAMES[0]], "round {round}: `{name}`");
        }
        last = number;
    }
    eprintln!("500 kills: {last} commits, {interrupted} of them finished or undone by the next reader");
    assert!(last > 0, "no commit was ever reached");
}
