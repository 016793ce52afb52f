//! Every step of a commit in turn, asked for by the environment, of which a build without tests knows nothing
//! (feature `fault-injection` of okf-core).

use rustix::io::Errno;

use super::{CREATE, End, INDEX, UPDATE, Write, is_as_said, is_new_after_the_next_command};
use crate::harness::{Tree, binary};

#[test]
fn of_an_index_command() {
    disturb(&INDEX);
}

#[test]
fn of_an_update() {
    disturb(&UPDATE);
}

#[test]
fn of_a_creation_in_new_directories() {
    disturb(&CREATE);
}

fn disturb(write: &Write) {
    let states = write.states();
    let mut committed = None;
    let mut steps = 0;
    loop {
        let step = steps + 1;
        let context = format!("{} killed at step {step}", write.name);
        let (end, tree) = run(write, "OKF_KILL_AT_STEP", step, None);
        let is_new = is_new_after_the_next_command(&tree, &states, &context);
        match end {
            End::Killed => {}
            End::Done => break,
            End::Failed(message) => panic!("{context}: {message}"),
        }
        if is_new {
            committed.get_or_insert(step);
        }
        assert_eq!(is_new, committed.is_some(), "{context}: the new state stood before");
        steps = step;
    }
    let committed = committed.expect("some steps come after the commit point");
    assert!(committed > 5 && committed < steps, "{committed} of {steps} steps");

    let (mut tolerated, mut failed, mut pending) = (0, 0, 0);
    // From a step on everything fails, the way back too.
    let from = ("OKF_FAIL_FROM_STEP", Errno::IO);
    let one = [Errno::NOSPC, Errno::ACCESS, Errno::IO].map(|error| ("OKF_FAIL_AT_STEP", error));
    for (fault, error) in one.into_iter().chain([from]) {
        for step in 1..=steps {
            let context = format!("{}, {fault}={step} ({error})", write.name);
            let (end, tree) = run(write, fault, step, Some(error));
            let is_new = is_as_said(&end, &tree, &states, &context);
            match &end {
                End::Failed(message) => {
                    assert!(step >= committed || !is_new, "{context}: before the commit point the old state stands");
                    failed += 1;
                    pending += usize::from(message.contains("the change is pending"));
                }
                _ => tolerated += 1,
            }
        }
    }
    eprintln!(
        "{}: {steps} steps, committed at {committed}; {failed} failures, {pending} of them pending until the next \
         command, and {tolerated} that did not matter",
        write.name
    );
    assert!(failed > tolerated && pending > 0, "faults are felt");
}

/// Writes with a fault at one step.
fn run(write: &Write, fault: &str, step: usize, error: Option<Errno>) -> (End, Tree) {
    let tree = (write.tree)();
    let mut command = binary();
    command.args(write.arguments(&tree)).env(fault, step.to_string());
    command.envs(error.map(|error| ("OKF_FAIL_ERRNO", error.raw_os_error().to_string())));
    (write.run(command), tree)
}
