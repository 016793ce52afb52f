//! A sorted table whose versions share what they have in common (see docs/decisions/persistent-picture.md).

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::slice;
use std::sync::Arc;

/// How many items a block holds when items come in order.
const FULL: usize = 256;

/// A block of more items than this is parted.
const LARGEST: usize = 2 * FULL;

/// A block of fewer items than this joins its neighbour where both fit into one.
const SMALLEST: usize = FULL / 4;

/// Items that versions of a table share as long as none of them changes.
pub(crate) type Block<T> = Arc<Vec<T>>;

/// What a table holds; no two items of one table have the same key.
pub(crate) trait Item: Clone {
    /// What items are ordered by.
    type Key: Ord + ?Sized;

    fn key(&self) -> &Self::Key;
}

/// Items ordered by key, in blocks of a few hundred.
///
/// A clone copies the list of blocks, and a change the one block it falls into: of 100,000 items some 400
/// pointers and 256 items. The items of a block are contiguous, so that going over all of them is as fast as
/// over a slice, and work on them is spread over threads by the block.
#[derive(Clone, Debug)]
pub(crate) struct Table<T> {
    /// None is empty.
    blocks: Vec<Block<T>>,
    len: usize,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { blocks: Vec::new(), len: 0 }
    }
}

impl<T> Table<T> {
    /// The number of items.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Every item, in order.
    pub(crate) fn iter(&self) -> Iter<'_, T> {
        Iter { block: [].iter(), rest: self.blocks.iter(), left: self.len }
    }

    /// Its blocks, in order: for what is kept beside them.
    pub(crate) fn blocks(&self) -> &[Block<T>] {
        &self.blocks
    }

    /// Every item, in order and in contiguous pieces.
    pub(crate) fn slices(&self) -> impl ExactSizeIterator<Item = &[T]> + Clone {
        self.blocks.iter().map(|block| block.as_slice())
    }
}

impl<T: Item> Table<T> {
    /// The item with a key.
    pub(crate) fn get(&self, key: &T::Key) -> Option<&T> {
        let block = self.blocks.get(self.block_of(key))?;
        block.binary_search_by(|item| item.key().cmp(key)).ok().map(|at| &block[at])
    }

    /// The item with a key, to be changed in anything but its key.
    pub(crate) fn get_mut(&mut self, key: &T::Key) -> Option<&mut T> {
        let at = self.block_of(key);
        let found = self.blocks.get(at)?.binary_search_by(|item| item.key().cmp(key)).ok()?;
        Some(&mut Arc::make_mut(&mut self.blocks[at])[found])
    }

    /// The items that do not come before some place, in order; `is_before` tells which do.
    pub(crate) fn iter_from<'a>(
        &'a self,
        is_before: &dyn Fn(&T::Key) -> bool,
    ) -> impl Iterator<Item = &'a T> + Clone + use<'a, T> {
        let at = self.blocks.partition_point(|block| is_before(last(block).key()));
        let (first, rest) =
            self.blocks[at..].split_first().map_or((&[][..], &[][..]), |(first, rest)| (&first[..], rest));
        let skipped = first.partition_point(|item| is_before(item.key()));
        first[skipped..].iter().chain(rest.iter().flat_map(|block| block.iter()))
    }

    /// Puts an item in; gives back the one with the same key that it replaces.
    pub(crate) fn insert(&mut self, item: T) -> Option<T> {
        let behind_all = self.blocks.last().is_none_or(|block| last(block).key() < item.key());
        if behind_all && self.blocks.last().is_none_or(|block| block.len() >= FULL) {
            let mut block = Vec::with_capacity(FULL);
            block.push(item);
            self.blocks.push(Arc::new(block));
            self.len += 1;
            return None;
        }
        let at = if behind_all { self.blocks.len() - 1 } else { self.block_of(item.key()) };
        let block = Arc::make_mut(&mut self.blocks[at]);
        match block.binary_search_by(|other| other.key().cmp(item.key())) {
            Ok(found) => Some(std::mem::replace(&mut block[found], item)),
            Err(gap) => {
                block.insert(gap, item);
                self.len += 1;
                if block.len() > LARGEST {
                    let behind = block.split_off(block.len() / 2);
                    block.shrink_to_fit();
                    self.blocks.insert(at + 1, Arc::new(behind));
                }
                None
            }
        }
    }

    /// Takes the item with a key out.
    pub(crate) fn remove(&mut self, key: &T::Key) -> Option<T> {
        let at = self.block_of(key);
        let found = self.blocks.get(at)?.binary_search_by(|item| item.key().cmp(key)).ok()?;
        let block = Arc::make_mut(&mut self.blocks[at]);
        let item = block.remove(found);
        self.len -= 1;
        if block.is_empty() {
            self.blocks.remove(at);
        } else if block.len() < SMALLEST {
            self.join(at);
        }
        Some(item)
    }

    /// The block that a key falls into; behind the last one only when there is none.
    fn block_of(&self, key: &T::Key) -> usize {
        let at = self.blocks.partition_point(|block| last(block).key().cmp(key) == Ordering::Less);
        at.min(self.blocks.len().saturating_sub(1))
    }

    /// Joins a block with the one before it or the one behind it, where both fit into one.
    fn join(&mut self, at: usize) {
        for first in [at.saturating_sub(1), at] {
            if let Some([one, other]) = self.blocks.get(first..first + 2)
                && one.len() + other.len() <= FULL
            {
                let joined = Arc::new([one.as_slice(), other.as_slice()].concat());
                self.blocks.splice(first..first + 2, [joined]);
                return;
            }
        }
    }
}

impl<T: Item> FromIterator<T> for Table<T> {
    /// Costs least when the items come in order. Of two with one key the later stays.
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut table = Self::default();
        table.extend(items);
        table
    }
}

impl<T: Item> Extend<T> for Table<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        for item in items {
            self.insert(item);
        }
    }
}

impl<T: PartialEq> PartialEq for Table<T> {
    /// Equal items; how they lie in blocks counts for nothing.
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other.iter())
    }
}

impl<T: Eq> Eq for Table<T> {}

/// The items of a table, in order.
#[derive(Debug)]
pub(crate) struct Iter<'a, T> {
    block: slice::Iter<'a, T>,
    rest: slice::Iter<'a, Block<T>>,
    left: usize,
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Self { block: self.block.clone(), rest: self.rest.clone(), left: self.left }
    }
}

impl<'a, T> Iterator for Iter<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        loop {
            if let Some(item) = self.block.next() {
                self.left -= 1;
                return Some(item);
            }
            self.block = self.rest.next()?.iter();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<T> ExactSizeIterator for Iter<'_, T> {}

fn last<T>(block: &[T]) -> &T {
    block.last().expect("no block of a table is empty")
}
