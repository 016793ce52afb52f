//! Finding a literal by its bytes, and by its letters where bytes do not tell all.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::compose;

use super::finder::Finder;
use super::fold;

/// A literal query that is found without an engine, in texts that are
/// [found by bytes](super::finder::is_found_by_bytes).
///
/// Its longest run of letters that have two spellings of one length is found many bytes at a time; from there the
/// letters are compared one by one, to both sides.
#[derive(Clone, Debug)]
pub(super) struct ByBytes {
    finder: Finder,
    /// The letters, unless what the finder finds is all of them.
    letters: Box<[Letter]>,
    /// How many of them stand before the run.
    before: usize,
}

/// A text holds so much that looks like the query at first that an engine is faster.
#[derive(Debug)]
pub(super) struct OutOfPatience;

/// The spellings of a letter, each character by character with those that are the same but for case. At most one
/// spelling stands at a place, seen from either side: one is the other with characters taken apart.
type Letter = Box<[Box<[Box<[char]>]>]>;

impl ByBytes {
    /// `letters` are those of the query, each with its spellings; `None` when a finder finds none of them.
    pub(super) fn new(letters: &[Vec<String>], case_sensitive: bool) -> Option<Self> {
        let (finder, before) = Finder::new(letters, case_sensitive)?;
        let same = |character: char| match case_sensitive {
            true => [character].into(),
            false => fold::same_but_for_case(character).into(),
        };
        let letter = |spellings: &Vec<String>| spellings.iter().map(|it| it.chars().map(same).collect()).collect();
        let letters = if finder.is_exact() { Box::default() } else { letters.iter().map(letter).collect() };
        Some(Self { finder, letters, before })
    }

    /// The first match at or after a byte offset. `patience` is how many bytes may be compared in vain.
    ///
    /// # Errors
    ///
    /// There is no patience left; that says nothing about a match.
    pub(super) fn find_at(
        &self,
        text: &str,
        mut from: usize,
        patience: &mut usize,
    ) -> Result<Option<Range<usize>>, OutOfPatience> {
        while *patience > 0 {
            let Some(at) = self.finder.find(text.as_bytes(), from) else { return Ok(None) };
            let found = self.around(text, at).filter(|found| !splits_letter(text, found.clone()));
            if found.is_some() {
                return Ok(found);
            }
            *patience = patience.saturating_sub(self.finder.len());
            from = at + 1;
        }
        Err(OutOfPatience)
    }

    /// The match whose run is found at a place.
    fn around(&self, text: &str, at: usize) -> Option<Range<usize>> {
        if self.finder.is_exact() {
            return Some(at..at + self.finder.len());
        }
        let (before, after) = self.letters.split_at(self.before);
        let (mut head, mut tail) = text.split_at_checked(at)?;
        for letter in after {
            tail = letter.iter().find_map(|spelling| without_start(tail, spelling))?;
        }
        for letter in before.iter().rev() {
            head = letter.iter().find_map(|spelling| without_end(head, spelling))?;
        }
        Some(head.len()..text.len() - tail.len())
    }
}

fn without_start<'t>(text: &'t str, spelling: &[Box<[char]>]) -> Option<&'t str> {
    let mut rest = text.chars();
    spelling.iter().all(|same| rest.next().is_some_and(|next| same.contains(&next))).then_some(rest.as_str())
}

fn without_end<'t>(text: &'t str, spelling: &[Box<[char]>]) -> Option<&'t str> {
    let mut rest = text.chars();
    spelling.iter().rev().all(|same| rest.next_back().is_some_and(|next| same.contains(&next))).then_some(rest.as_str())
}

/// Whether a match ends between a letter and a mark that composes with it.
pub(super) fn splits_letter(text: &str, found: Range<usize>) -> bool {
    match text[found.end..].chars().next() {
        None => false,
        Some(next) if next.is_ascii() => false,
        Some(next) => {
            let mut tail: Vec<char> = text[found].chars().rev().take(4).collect();
            tail.reverse();
            tail.into_iter().nfc().last().is_some_and(|last| compose(last, next).is_some())
        }
    }
}
