//! Going over many documents, on several threads when there is much to read.

use crate::document::Document;
use crate::parallel;

use super::SearchError;

/// Texts of fewer bytes than this are read on the calling thread: starting others would cost more.
const PARALLEL_FROM: usize = 2 << 20;

/// What `each` makes of the documents that it has something for, in their order; each thread works with a state
/// of its own. `cancelled` is polled between documents.
///
/// # Errors
///
/// The call was cancelled.
pub(super) fn filter_map<'a, S, T: Send>(
    documents: &[&'a Document],
    cancelled: &(dyn Fn() -> bool + Sync),
    state: impl Fn() -> S + Sync,
    each: impl Fn(&mut S, &'a Document) -> Option<T> + Sync,
) -> Result<Vec<T>, SearchError> {
    let threads = if is_much(documents) { parallel::threads() } else { 1 };
    parallel::try_filter_map(threads, documents, state, |state, &document| {
        if cancelled() { Err(SearchError::Cancelled) } else { Ok(each(state, document)) }
    })
}

/// Adds up sizes only until there are enough: each costs a look at a document's place in memory.
fn is_much(documents: &[&Document]) -> bool {
    let mut bytes = 0;
    documents.iter().any(|document| {
        bytes += document.text().as_str().len();
        bytes >= PARALLEL_FROM
    })
}
