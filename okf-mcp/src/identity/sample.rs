//! The sample of concepts that types and subject words come from.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::thread;

use okf_core::bundle_path::BundlePath;
use okf_core::disk::Directory;

use super::ConceptHead;
use super::head::{self, HEAD_LIMIT};

/// Most concepts whose heads are read.
const MOST: usize = 256;

/// Most threads that read heads, and fewest heads that are worth one.
const MOST_THREADS: usize = 4;
const LEAST_SHARE: usize = 32;

/// The heads of a fixed, even sample of at most 256 concepts, by path.
///
/// Heads are in memory as bytes and parsed when somebody looks at them: a client waits for the greeting,
/// which needs the types of all and the words of some.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    heads: Arc<[Head]>,
}

#[derive(Debug)]
struct Head {
    id: String,
    /// What several heads were read into, and where this one lies.
    buffer: Arc<Vec<u8>>,
    range: Range<usize>,
    read: OnceLock<ConceptHead>,
}

impl Sample {
    /// Reads the heads of some of the concepts, on as many threads as there are processors.
    pub(super) fn read(directory: &Directory, concepts: &[BundlePath]) -> Self {
        let paths: Vec<&BundlePath> = spread(concepts, MOST).collect();
        let read = |paths: &[&BundlePath]| Head::read(directory, paths);
        let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get).min(MOST_THREADS);
        let share = paths.len().div_ceil(threads).max(LEAST_SHARE);
        let heads = thread::scope(|scope| {
            let mut shares = paths.chunks(share);
            let own = shares.next().unwrap_or_default();
            let others: Vec<_> = shares.map(|share| scope.spawn(move || read(share))).collect();
            let mut heads = read(own);
            for other in others {
                heads.extend(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            heads
        });
        Self { heads: heads.into() }
    }

    /// Number of concepts in the sample.
    #[must_use]
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether the bundle holds no concepts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// The heads, by path.
    pub fn iter(&self) -> impl Iterator<Item = &ConceptHead> {
        self.heads.iter().map(Head::parsed)
    }

    /// At most so many of the heads, evenly spread; the others are not parsed.
    pub fn spread(&self, most: usize) -> impl Iterator<Item = &ConceptHead> {
        spread(&self.heads, most).map(Head::parsed)
    }

    /// The types, one for each concept that has one.
    pub(super) fn types(&self) -> Vec<String> {
        self.heads.iter().filter_map(Head::concept_type).collect()
    }
}

impl FromIterator<ConceptHead> for Sample {
    /// A sample of heads as given, for tests of providers.
    fn from_iter<T: IntoIterator<Item = ConceptHead>>(heads: T) -> Self {
        let head = |head: ConceptHead| Head {
            id: head.id.clone(),
            buffer: Arc::default(),
            range: 0..0,
            read: OnceLock::from(head),
        };
        Self { heads: heads.into_iter().map(head).collect() }
    }
}

impl Head {
    /// Reads heads one behind the other into one buffer: a thread's heap would grow page by page.
    fn read(directory: &Directory, paths: &[&BundlePath]) -> Vec<Self> {
        let mut buffer = Vec::with_capacity(paths.len() * HEAD_LIMIT);
        let mut ends = Vec::with_capacity(paths.len());
        for path in paths {
            // A file that is gone or closed to us says nothing, and counts all the same.
            directory.head_into(Path::new(path.as_str()), HEAD_LIMIT, &mut buffer);
            ends.push(buffer.len());
        }
        let buffer = Arc::new(buffer);
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let heads = paths.iter().zip(starts.zip(ends.iter().copied()));
        heads
            .map(|(path, (start, end))| {
                let id = path.as_str().strip_suffix(".md").unwrap_or(path.as_str()).to_owned();
                Self { id, buffer: Arc::clone(&buffer), range: start..end, read: OnceLock::new() }
            })
            .collect()
    }

    fn bytes(&self) -> &[u8] {
        &self.buffer[self.range.clone()]
    }

    fn parsed(&self) -> &ConceptHead {
        self.read.get_or_init(|| head::read(&self.id, self.bytes().to_vec()))
    }

    fn concept_type(&self) -> Option<String> {
        match head::plain_type(self.bytes()) {
            Some(plain) => Some(plain.to_owned()),
            None => self.parsed().concept_type.clone(),
        }
    }
}

impl PartialEq for Head {
    /// The same bytes of the same concept; those given as parsed have none, and are compared as such.
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
            && self.bytes() == other.bytes()
            && (!self.bytes().is_empty() || self.parsed() == other.parsed())
    }
}

impl Eq for Head {}

/// At most so many items, evenly spread over their order.
fn spread<T>(items: &[T], most: usize) -> impl Iterator<Item = &T> {
    let count = items.len().min(most);
    (0..count).filter_map(move |n| items.get(n * items.len() / count))
}
