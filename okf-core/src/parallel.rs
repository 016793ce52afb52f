//! Spreading independent work over the processors.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Below this many items, starting threads costs more than it saves.
const WORTH_THREADS: usize = 128;

/// Items that a thread takes at a time.
const BATCH: usize = 32;

/// Applies a function to every item, on several threads when there are many; results in order.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get).clamp(1, 8);
    if items.len() < WORTH_THREADS || threads == 1 {
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let start = next.fetch_add(BATCH, Ordering::Relaxed);
            let Some(rest) = items.get(start..).filter(|rest| !rest.is_empty()) else { return done };
            let batch = &rest[..rest.len().min(BATCH)];
            done.push((start, batch.iter().map(&work).collect::<Vec<_>>()));
        }
    };
    let mut batches = thread::scope(|scope| {
        // A thread that cannot be started is no loss: this one works too.
        let helpers: Vec<_> = (1..threads)
            .filter_map(|_| thread::Builder::new().name("okf-worker".into()).spawn_scoped(scope, worker).ok())
            .collect();
        let mut batches = worker();
        for helper in helpers {
            batches.extend(helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        batches
    });
    batches.sort_unstable_by_key(|(start, _)| *start);
    batches.into_iter().flat_map(|(_, results)| results).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_items() {
        for count in [0, 1, 127, 128, 10_001] {
            let items: Vec<usize> = (0..count).collect();
            assert_eq!(map(&items, |n| n * 2), items.iter().map(|n| n * 2).collect::<Vec<_>>());
        }
    }

    #[test]
    #[should_panic(expected = "item 4000")]
    fn a_panic_reaches_the_caller() {
        let items: Vec<usize> = (0..5_000).collect();
        map(&items, |n| assert!(*n != 4_000, "item {n}"));
    }
}
