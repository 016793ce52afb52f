//! Words of a text: identifiers with their parts, scripts without spaces as pairs of characters.

use std::ops::Range;

use super::fold;

/// A folded, stemmed word as a 64-bit hash.
///
/// Two words of one bundle share a hash with a probability below one in a million even at a million words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Term(pub(super) u64);

impl Term {
    fn of(word: &str) -> Self {
        Self(xxhash_rust::xxh3::xxh3_64(word.as_bytes()))
    }

    /// The term of a word on its own.
    #[cfg(test)]
    pub(super) fn word(word: &str) -> Self {
        let mut folded = String::new();
        word.chars().for_each(|character| fold::push(&mut folded, character));
        fold::stem(&mut folded);
        Self::of(&folded)
    }
}

/// A word as it is written: `question`, `vote_type_id`, `postId`, `don't`, or a run of a script without
/// spaces.
#[derive(Debug)]
pub(super) struct Word<'a> {
    /// Its bytes in the text.
    pub(super) range: Range<usize>,
    /// The whole of it: `post_id`, `post-id`, `postId` and `PostID` are one term. Absent for a run of
    /// characters without spaces (whose pairs are the terms) and for a chain of more than
    /// [`LONGEST_CHAIN`] parts.
    pub(super) whole: Option<Term>,
    /// Its parts, when it has several: `vote`, `type`, `id`; for a run, its pairs of characters.
    pub(super) parts: &'a [(Term, Range<usize>)],
    /// Single characters of a run, so that a query of one character finds it.
    pub(super) characters: &'a [(Term, Range<usize>)],
}

/// Beyond this many parts a chain (`a-slug-of-many-words`) is no identifier: only its parts are terms.
const LONGEST_CHAIN: usize = 5;
/// Folded words are cut here, in bytes: longer ones are encoded data.
const LONGEST_WORD: usize = 64;

/// Calls `each` for every word of a text, in order.
pub(super) fn words(text: &str, mut each: impl FnMut(&Word<'_>)) {
    let mut scratch = Scratch::default();
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        if let Some(end) = plain_end(text.as_bytes(), at) {
            scratch.plain(&text[at..end]);
            each(&Word { range: at..end, whole: Some(scratch.whole()), parts: &[], characters: &[] });
            at = end;
        } else if !fold::is_word_character(character) {
            at += character.len_utf8();
        } else if fold::is_unspaced(character) {
            at = scratch.run(text, at);
            scratch.emit_run(&mut each);
        } else {
            at = scratch.chain(text, at);
            scratch.emit_chain(&mut each);
        }
    }
}

/// The end of a word at an offset that needs no closer look, as most do not: ASCII letters and digits
/// without a capital inside, not joined to what follows.
fn plain_end(bytes: &[u8], start: usize) -> Option<usize> {
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let (word, rest) = bytes[start..].split_at(length);
    let alone = rest.first().is_none_or(|next| next.is_ascii() && !matches!(next, b'_' | b'-' | b'\''));
    let humps = word.iter().skip(1).any(u8::is_ascii_uppercase) && word.iter().any(u8::is_ascii_lowercase);
    (length > 0 && alone && !humps).then_some(start + length)
}

/// Buffers that live as long as one text is read.
#[derive(Default)]
struct Scratch {
    /// The folded parts one after another.
    folded: String,
    /// Where each part lies in `folded`, and in the text.
    spans: Vec<(Range<usize>, Range<usize>)>,
    word: String,
    parts: Vec<(Term, Range<usize>)>,
    characters: Vec<(Term, Range<usize>)>,
}

impl Scratch {
    /// Reads a run of characters of scripts without spaces; returns where it ends.
    fn run(&mut self, text: &str, start: usize) -> usize {
        self.clear();
        let mut end = start;
        for character in text[start..].chars() {
            let mark = !character.is_alphanumeric();
            if !fold::is_word_character(character) || !(fold::is_unspaced(character) || mark) {
                break;
            }
            let from = self.folded.len();
            fold::push(&mut self.folded, character);
            let next = end + character.len_utf8();
            match self.spans.last_mut() {
                // A vowel sign or voicing mark belongs to the character before it.
                Some((folded, span)) if mark => {
                    folded.end = self.folded.len();
                    span.end = next;
                }
                _ => self.spans.push((from..self.folded.len(), end..next)),
            }
            end = next;
        }
        end
    }

    fn emit_run(&mut self, each: &mut impl FnMut(&Word<'_>)) {
        for (folded, span) in &self.spans {
            self.characters.push((Term::of(&self.folded[folded.clone()]), span.clone()));
        }
        for pair in self.spans.windows(2) {
            let (first, second) = (&pair[0], &pair[1]);
            let term = Term::of(&self.folded[first.0.start..second.0.end]);
            self.parts.push((term, first.1.start..second.1.end));
        }
        let (Some(first), Some(last)) = (self.spans.first(), self.spans.last()) else { return };
        let range = first.1.start..last.1.end;
        each(&Word { range, whole: None, parts: &self.parts, characters: &self.characters });
    }

    /// Reads a word of ASCII letters and digits.
    fn plain(&mut self, word: &str) {
        self.folded.clear();
        self.folded.push_str(word);
        self.folded.make_ascii_lowercase();
    }

    /// The term of all that was read.
    fn whole(&mut self) -> Term {
        term(&mut self.word, &self.folded)
    }

    /// Reads letters and digits, joined by single `_` or `-`, with apostrophes and soft hyphens left
    /// out, and notes where its parts lie; returns where it ends.
    fn chain(&mut self, text: &str, start: usize) -> usize {
        self.clear();
        let mut part = start;
        let mut folded_part = 0;
        let mut end = start;
        let mut before: Option<char> = None;
        let mut characters = text[start..].char_indices().peekable();
        while let Some((offset, character)) = characters.next() {
            let at = start + offset;
            let next = characters.peek().map(|&(_, next)| next);
            let joins = next.is_some_and(|next| fold::is_word_character(next) && !fold::is_unspaced(next));
            match character {
                _ if fold::is_word_character(character) && !fold::is_unspaced(character) => {
                    if is_hump(before, character, next) {
                        self.close(folded_part, part..at);
                        (part, folded_part) = (at, self.folded.len());
                    }
                    fold::push(&mut self.folded, character);
                    end = at + character.len_utf8();
                    before = Some(character);
                }
                '\'' | '’' | '\u{ad}' if joins => before = None,
                '_' | '-' if joins => {
                    self.close(folded_part, part..end);
                    (part, folded_part) = (at + 1, self.folded.len());
                    before = None;
                }
                _ => break,
            }
        }
        self.close(folded_part, part..end);
        end
    }

    fn close(&mut self, folded_start: usize, range: Range<usize>) {
        if folded_start < self.folded.len() {
            self.spans.push((folded_start..self.folded.len(), range));
        }
    }

    fn emit_chain(&mut self, each: &mut impl FnMut(&Word<'_>)) {
        let (Some((_, first)), Some((_, last))) = (self.spans.first(), self.spans.last()) else { return };
        let range = first.start..last.end;
        let whole = (self.spans.len() <= LONGEST_CHAIN).then(|| self.whole());
        if self.spans.len() > 1 {
            for (folded, span) in &self.spans {
                self.parts.push((term(&mut self.word, &self.folded[folded.clone()]), span.clone()));
            }
        }
        each(&Word { range, whole, parts: &self.parts, characters: &[] });
    }

    fn clear(&mut self) {
        self.folded.clear();
        self.spans.clear();
        self.parts.clear();
        self.characters.clear();
    }
}

fn term(scratch: &mut String, folded: &str) -> Term {
    let mut cut = folded.len().min(LONGEST_WORD);
    while !folded.is_char_boundary(cut) {
        cut -= 1;
    }
    scratch.clear();
    scratch.push_str(&folded[..cut]);
    fold::stem(scratch);
    Term::of(scratch)
}

/// Whether a capital starts a new part: `post|Id`, `HTTP|Server`.
fn is_hump(before: Option<char>, character: char, next: Option<char>) -> bool {
    let Some(before) = before else { return false };
    character.is_uppercase()
        && (before.is_lowercase() || (before.is_uppercase() && next.is_some_and(char::is_lowercase)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each word as spelled with the spelling of its parts.
    fn split(text: &str) -> Vec<(&str, Vec<&str>)> {
        let mut found = Vec::new();
        words(text, |word| {
            found.push((&text[word.range.clone()], word.parts.iter().map(|(_, range)| &text[range.clone()]).collect()));
        });
        found
    }

    fn whole(text: &str) -> Option<Term> {
        let mut term = None;
        words(text, |word| term = word.whole);
        term
    }

    #[test]
    fn identifiers_come_whole_and_in_parts() {
        assert_eq!(split("the vote_type_id."), [("the", vec![]), ("vote_type_id", vec!["vote", "type", "id"])]);
        assert_eq!(
            split("postId HTTPServer"),
            [("postId", vec!["post", "Id"]), ("HTTPServer", vec!["HTTP", "Server"])]
        );
        assert_eq!(
            split("POL-358 C++ a/b x:y 50%"),
            [
                ("POL-358", vec!["POL", "358"]),
                ("C", vec![]),
                ("a", vec![]),
                ("b", vec![]),
                ("x", vec![]),
                ("y", vec![]),
                ("50", vec![])
            ]
        );
        assert_eq!(split("-a- _b_ -- c--d"), [("a", vec![]), ("b", vec![]), ("c", vec![]), ("d", vec![])]);
    }

    #[test]
    fn spellings_of_one_identifier_are_one_term() {
        for spelling in ["post-id", "postId", "PostID", "POST_ID", "postid", "post_ids"] {
            assert_eq!(whole(spelling), whole("post_id"), "{spelling}");
        }
        assert_eq!(whole("don't"), whole("dont"));
        assert_eq!(whole("user's"), whole("users"));
        assert_eq!(whole("Cafe\u{301}"), Some(Term::word("café")));
        assert_eq!(whole("a-b-c-d-e-f"), None);
    }

    #[test]
    fn scripts_without_spaces_are_read_in_pairs() {
        assert_eq!(split("東京都 is"), [("東京都", vec!["東京", "京都"]), ("is", vec![])]);
        assert_eq!(split("ガラス"), [("ガラス", vec!["ガラ", "ラス"])]);
        assert_eq!(split("abc東京"), [("abc", vec![]), ("東京", vec!["東京"])]);
        assert_eq!(split("か\u{3099}す"), [("か\u{3099}す", vec!["か\u{3099}す"])]);
    }

    #[test]
    fn anything_is_read_without_panic() {
        for text in ["", "'", "\u{301}", "\u{301}a", "a'", "'a", "½", "🦀🦀", "\u{ad}", "a\u{ad}b", "ı", "ﷺ", "\u{0}"]
        {
            words(text, |word| assert!(text.get(word.range.clone()).is_some(), "{text:?}"));
        }
    }

    #[test]
    fn the_short_way_agrees_with_the_long_one() {
        for word in ["question", "Questions", "SQL", "p95", "V2X", "a", "Xylophones2", "2024", "v2Xy", "iOS", "GraphQL"]
        {
            let mut scratch = Scratch::default();
            assert_eq!(scratch.chain(word, 0), word.len());
            let parts = scratch.spans.len();
            let long = scratch.whole();
            assert!(plain_end(word.as_bytes(), 0).is_none() || parts == 1, "{word}");
            assert_eq!(whole(word), Some(long), "{word}");
        }
    }
}
