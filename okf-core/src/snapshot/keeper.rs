//! The thread behind a snapshot: it has the directories watched once the first call is answered, and looks
//! at everything now and then while calls are coming, for what watching cannot see.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Served, lock};
use crate::disk::Pace;

/// Started by the first call; ends when it is dropped, after the errand it is on.
#[derive(Debug)]
pub(super) struct Keeper {
    /// `None` when there is nothing to keep.
    desk: Option<Arc<Desk>>,
}

#[derive(Debug)]
struct Desk {
    pace: Pace,
    state: Mutex<State>,
    bell: Condvar,
}

#[derive(Debug, Default)]
struct State {
    last_call: Option<Instant>,
    /// Whether the thread waits for the next call, however long.
    is_asleep: bool,
    is_over: bool,
}

impl Keeper {
    pub(super) fn new(pace: Option<Pace>) -> Self {
        let desk = pace.map(|pace| Arc::new(Desk { pace, state: Mutex::default(), bell: Condvar::new() }));
        Self { desk }
    }

    /// Tells that a call has been answered.
    pub(super) fn called(&self, served: &Arc<Served>) {
        let Some(desk) = &self.desk else { return };
        let is_waiting = lock(&served.mirror).is_waiting();
        let mut state = lock(&desk.state);
        let is_first = state.last_call.replace(Instant::now()).is_none();
        if state.is_asleep || is_waiting {
            desk.bell.notify_one();
        }
        drop(state);
        if is_first {
            let (desk, served) = (Arc::clone(desk), Arc::clone(served));
            // Without the thread every call does the whole work itself.
            let _ = thread::Builder::new().name("okf-keeper".into()).spawn(move || desk.keep(&served));
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(desk) = &self.desk {
            lock(&desk.state).is_over = true;
            desk.bell.notify_one();
        }
    }
}

impl Desk {
    fn keep(&self, served: &Served) {
        loop {
            let begun = Instant::now();
            let errand = lock(&served.mirror).errand();
            if let Some(errand) = errand {
                let findings = errand.run();
                lock(&served.mirror).deposit(findings);
            }
            if !self.wait_until(begun + self.pace.between_passes, served) {
                return;
            }
        }
    }

    /// Waits until it is time for the next errand; `false` when there will be none.
    fn wait_until(&self, next: Instant, served: &Served) -> bool {
        let mut state = lock(&self.state);
        loop {
            if state.is_over {
                return false;
            }
            let is_idle = state.last_call.is_none_or(|call| call.elapsed() > self.pace.idle);
            state.is_asleep = is_idle;
            if is_idle {
                state = self.bell.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let left = next.saturating_duration_since(Instant::now());
            if left.is_zero() || is_waiting(served) {
                return true;
            }
            state = self
                .bell
                .wait_timeout(state, left.max(Duration::from_millis(1)))
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }
}

/// Whether something has to be done before it is time. Not waited for: whoever holds the mirror will ring.
fn is_waiting(served: &Served) -> bool {
    served.mirror.try_lock().is_ok_and(|mirror| mirror.is_waiting())
}
