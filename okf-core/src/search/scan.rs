//! Going over many documents, on several threads when there is much to read.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::document::Document;

use super::SearchError;

/// Texts of fewer bytes than this are read on the calling thread: starting others would cost more.
const PARALLEL_FROM: usize = 10 << 20;
/// Documents that a thread takes at a time.
const BATCH: usize = 64;

/// What `each` makes of every document, in their order. `cancelled` is polled between documents.
///
/// # Errors
///
/// The call was cancelled.
pub(super) fn map<'a, T: Send>(
    documents: &[&'a Document],
    cancelled: &(dyn Fn() -> bool + Sync),
    each: impl Fn(&'a Document) -> T + Sync,
) -> Result<Vec<T>, SearchError> {
    let bytes: usize = documents.iter().map(|document| document.text().as_str().len()).sum();
    let threads = if bytes < PARALLEL_FROM { 1 } else { thread::available_parallelism().map_or(1, NonZero::get) };
    map_on(threads, documents, cancelled, each)
}

fn map_on<I: Copy + Sync, T: Send>(
    threads: usize,
    items: &[I],
    cancelled: &(dyn Fn() -> bool + Sync),
    each: impl Fn(I) -> T + Sync,
) -> Result<Vec<T>, SearchError> {
    let one = |item: &I| if cancelled() { Err(SearchError::Cancelled) } else { Ok(each(*item)) };
    if threads < 2 {
        return items.iter().map(one).collect();
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let start = next.fetch_add(BATCH, Ordering::Relaxed);
            let Some(rest) = items.get(start..).filter(|rest| !rest.is_empty()) else { return Ok(done) };
            let batch = rest.iter().take(BATCH).map(one).collect::<Result<Vec<T>, _>>()?;
            done.push((start, batch));
        }
    };
    let mut batches = thread::scope(|scope| {
        let helpers: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut batches = work();
        for helper in helpers {
            // A panic is the caller's panic, as it would be on one thread.
            let more = helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            batches = batches.and_then(|mut all| {
                all.extend(more?);
                Ok(all)
            });
        }
        batches
    })?;
    batches.sort_unstable_by_key(|&(start, _)| start);
    Ok(batches.into_iter().flat_map(|(_, batch)| batch).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_does_not_depend_on_threads() {
        let items: Vec<usize> = (0..1000).collect();
        for threads in [1, 2, 5] {
            let squares = map_on(threads, &items, &|| false, |item| item * item).expect("not cancelled");
            assert!(squares.iter().enumerate().all(|(item, &square)| square == item * item));
            assert_eq!(squares.len(), items.len());
        }
        assert_eq!(map_on(3, &[0_usize; 0], &|| false, |item| item), Ok(vec![]));
    }

    #[test]
    fn cancelling_ends_the_scan() {
        let seen = AtomicUsize::new(0);
        for threads in [1, 3] {
            seen.store(0, Ordering::Relaxed);
            let items = [(); 10_000];
            let outcome = map_on(threads, &items, &|| seen.load(Ordering::Relaxed) > 100, |()| {
                seen.fetch_add(1, Ordering::Relaxed)
            });
            assert_eq!(outcome, Err(SearchError::Cancelled));
            assert!(seen.load(Ordering::Relaxed) < 200);
        }
    }
}
