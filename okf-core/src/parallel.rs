//! Spreading independent work over the processors.

use std::convert::Infallible;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Below this many items, starting threads costs more than it saves.
const WORTH_THREADS: usize = 128;

/// Items that a thread takes at a time, at most; fewer when it would get less than so many batches.
const BATCH: usize = 32;
const BATCHES: usize = 8;

/// How many threads work is worth spreading over.
pub(crate) fn threads() -> usize {
    thread::available_parallelism().map_or(1, NonZeroUsize::get).clamp(1, 8)
}

/// How many threads so many items are worth.
pub(crate) fn threads_for(items: usize) -> usize {
    if items < WORTH_THREADS { 1 } else { threads() }
}

/// Applies a function to every item, on several threads when there are many; results in order.
pub(crate) fn map<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    map_on(threads_for(items.len()), items, work)
}

/// Applies a function to every item, on so many threads; results in order.
pub(crate) fn map_on<T: Sync, R: Send>(threads: usize, items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let results = try_map(threads, items, |item| Ok::<R, Infallible>(work(item)));
    results.unwrap_or_else(|never| match never {})
}

/// Applies a function to every item, on so many threads; results in order.
///
/// # Errors
///
/// The function's error for some item. A thread stops at its own first error.
pub(crate) fn try_map<'i, T: Sync, R: Send, E: Send>(
    threads: usize,
    items: &'i [T],
    work: impl Fn(&'i T) -> Result<R, E> + Sync,
) -> Result<Vec<R>, E> {
    try_filter_map(threads, items, || (), |(), item| work(item).map(Some))
}

/// The same for a function that has something for some items only; each thread works with a state of its own.
///
/// # Errors
///
/// The function's error for some item. A thread stops at its own first error.
pub(crate) fn try_filter_map<'i, T: Sync, S, R: Send, E: Send>(
    threads: usize,
    items: &'i [T],
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, &'i T) -> Result<Option<R>, E> + Sync,
) -> Result<Vec<R>, E> {
    if threads < 2 {
        let mut state = state();
        return items.iter().filter_map(|item| work(&mut state, item).transpose()).collect();
    }
    let batch = (items.len() / (threads * BATCHES)).clamp(1, BATCH);
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut state = state();
        let mut done = Vec::new();
        loop {
            let start = next.fetch_add(batch, Ordering::Relaxed);
            let Some(rest) = items.get(start..).filter(|rest| !rest.is_empty()) else { return Ok(done) };
            let results = rest.iter().take(batch).filter_map(|item| work(&mut state, item).transpose());
            done.push((start, results.collect::<Result<Vec<R>, E>>()?));
        }
    };
    let mut batches = thread::scope(|scope| {
        // A thread that cannot be started is no loss: this one works too.
        let helpers: Vec<_> = (1..threads)
            .filter_map(|_| thread::Builder::new().name("okf-worker".into()).spawn_scoped(scope, worker).ok())
            .collect();
        let mut batches = worker();
        for helper in helpers {
            let more = helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            batches = batches.and_then(|mut all| {
                all.extend(more?);
                Ok(all)
            });
        }
        batches
    })?;
    batches.sort_unstable_by_key(|(start, _)| *start);
    let mut results = Vec::with_capacity(batches.iter().map(|(_, batch)| batch.len()).sum());
    batches.into_iter().for_each(|(_, batch)| results.extend(batch));
    Ok(results)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_of_the_items() {
        for count in [0, 1, 127, 128, 10_001] {
            let items: Vec<usize> = (0..count).collect();
            let doubled: Vec<usize> = items.iter().map(|n| n * 2).collect();
            assert_eq!(map(&items, |n| n * 2), doubled);
            assert_eq!(try_map(3, &items, |n| Ok::<_, ()>(n * 2)), Ok(doubled));
        }
    }

    #[test]
    fn an_error_ends_the_work() {
        let seen = AtomicUsize::new(0);
        for threads in [1, 3] {
            seen.store(0, Ordering::Relaxed);
            let outcome = try_map(threads, &[(); 10_000], |()| {
                let before = seen.fetch_add(1, Ordering::Relaxed);
                if before < 100 { Ok(()) } else { Err("enough") }
            });
            assert_eq!(outcome, Err("enough"));
            assert!(seen.load(Ordering::Relaxed) < 200);
        }
    }

    #[test]
    #[should_panic(expected = "item 4000")]
    fn a_panic_reaches_the_caller() {
        let items: Vec<usize> = (0..5_000).collect();
        map(&items, |n| assert!(*n != 4_000, "item {n}"));
    }
}
