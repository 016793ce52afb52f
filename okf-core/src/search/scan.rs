//! Going over many documents, on several threads when there is much to read.

use crate::document::Document;
use crate::parallel;

use super::SearchError;

/// Texts of fewer bytes than this are read on the calling thread: starting others would cost more.
const PARALLEL_FROM: usize = 10 << 20;

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
    let threads = if bytes < PARALLEL_FROM { 1 } else { parallel::threads() };
    parallel::try_map(
        threads,
        documents,
        |&document| {
            if cancelled() { Err(SearchError::Cancelled) } else { Ok(each(document)) }
        },
    )
}
