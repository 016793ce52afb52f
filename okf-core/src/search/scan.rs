//! Going over many documents, on several threads when there is much to read.

use std::hint::black_box;

use crate::document::Document;
use crate::parallel;

use super::SearchError;

/// Texts of fewer bytes than this are read on the calling thread: starting others would cost more.
const PARALLEL_FROM: usize = 2 << 20;

/// Documents that are fetched from memory together.
const TOGETHER: usize = 8;

/// As many bytes of a text are fetched ahead; what follows the processor fetches by itself.
const AHEAD: usize = 4 << 10;

/// What a processor fetches at once, in bytes.
const CACHE_LINE: usize = 64;

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
    let groups: Vec<&[&'a Document]> = documents.chunks(TOGETHER).collect();
    let found = parallel::try_filter_map(threads, &groups, state, |state, group| {
        fetch(group);
        let mut found = Vec::new();
        for document in *group {
            if cancelled() {
                return Err(SearchError::Cancelled);
            }
            found.extend(each(state, document));
        }
        Ok((!found.is_empty()).then_some(found))
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// Adds up sizes only until there are enough: each costs a look at a document's place in memory.
fn is_much(documents: &[&Document]) -> bool {
    let mut bytes = 0;
    documents.iter().any(|document| {
        bytes += document.text().as_str().len();
        bytes >= PARALLEL_FROM
    })
}

/// Touches texts that are about to be read. Other work may have driven them out of the caches, and looks that do
/// not depend on one another wait for memory together, where a search would wait line by line.
fn fetch(documents: &[&Document]) {
    let lengths: usize = documents.iter().map(|document| document.text().as_str().len()).sum();
    let texts = documents.iter().map(|document| document.text().as_str().as_bytes());
    let touched = texts.flat_map(|text| text.iter().take(AHEAD).step_by(CACHE_LINE)).fold(0, |sum, byte| sum ^ byte);
    black_box((lengths, touched));
}
