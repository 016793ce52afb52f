//! Where tests take hold of the steps of a commit. An ordinary build has nothing here to take hold of.

use rustix::io::Errno;

use super::ops::Step;

/// Runs one step.
#[cfg(not(any(test, feature = "fault-injection")))]
#[inline]
pub(super) fn step<T>(run: impl FnOnce() -> Result<T, Errno>, _describe: impl FnOnce(&T) -> Step) -> Result<T, Errno> {
    run()
}

#[cfg(all(feature = "fault-injection", not(test)))]
pub(super) use from_environment::step;
#[cfg(test)]
pub(super) use in_tests::{Probe, step, with};

/// Faults in the real binary, asked for by the environment.
///
/// - `OKF_KILL_AT_STEP=<n>`: the process kills itself with `SIGKILL` before its step `n` (from 1).
/// - `OKF_FAIL_AT_STEP=<n>`: step `n` fails with `OKF_FAIL_ERRNO` (default 5, input/output error).
/// - `OKF_FAIL_FROM_STEP=<n>`: so does every later one.
#[cfg(all(feature = "fault-injection", not(test)))]
mod from_environment {
    use std::sync::atomic::{AtomicU64, Ordering};

    use rustix::process::{Signal, getpid, kill_process};

    use super::{Errno, Step};

    static STEPS: AtomicU64 = AtomicU64::new(0);

    pub(in super::super) fn step<T>(
        run: impl FnOnce() -> Result<T, Errno>,
        _describe: impl FnOnce(&T) -> Step,
    ) -> Result<T, Errno> {
        let number = STEPS.fetch_add(1, Ordering::SeqCst) + 1;
        if asked("OKF_KILL_AT_STEP") == Some(number) {
            let _ = kill_process(getpid(), Signal::KILL);
        }
        let fails = asked("OKF_FAIL_AT_STEP") == Some(number)
            || asked("OKF_FAIL_FROM_STEP").is_some_and(|first| number >= first);
        if fails {
            let code = asked("OKF_FAIL_ERRNO").and_then(|code| i32::try_from(code).ok());
            return Err(code.map_or(Errno::IO, Errno::from_raw_os_error));
        }
        run()
    }

    fn asked(variable: &str) -> Option<u64> {
        std::env::var(variable).ok()?.parse().ok()
    }
}

/// A probe per thread, so that tests do not meet.
#[cfg(test)]
mod in_tests {
    use std::cell::RefCell;

    use super::{Errno, Step};

    /// Watches the steps of one thread.
    pub(in super::super) trait Probe {
        /// Before a step; an error is the step's, which then does nothing.
        fn before(&mut self) -> Result<(), Errno>;
        /// After a step that was done.
        fn after(&mut self, step: Step);
    }

    thread_local! {
        static PROBE: RefCell<Option<Box<dyn Probe>>> = const { RefCell::new(None) };
    }

    pub(in super::super) fn step<T>(
        run: impl FnOnce() -> Result<T, Errno>,
        describe: impl FnOnce(&T) -> Step,
    ) -> Result<T, Errno> {
        let probed = |call: &mut dyn FnMut(&mut dyn Probe) -> Result<(), Errno>| {
            PROBE.with_borrow_mut(|probe| probe.as_mut().map_or(Ok(()), |probe| call(probe.as_mut())))
        };
        probed(&mut |probe| probe.before())?;
        let done = run()?;
        let mut step = Some(describe(&done));
        probed(&mut |probe| {
            step.take().into_iter().for_each(|step| probe.after(step));
            Ok(())
        })?;
        Ok(done)
    }

    /// Runs some work under a probe.
    pub(in super::super) fn with<T>(probe: impl Probe + 'static, work: impl FnOnce() -> T) -> T {
        struct Reset;
        impl Drop for Reset {
            fn drop(&mut self) {
                PROBE.set(None);
            }
        }
        let _reset = Reset;
        PROBE.set(Some(Box::new(probe)));
        work()
    }
}
