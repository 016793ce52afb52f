//! A literal query: a substring, its composed and decomposed spellings alike.

use std::collections::HashMap;
use std::ops::{Range, RangeInclusive};
use std::sync::{LazyLock, OnceLock};

use regex::{Regex, RegexBuilder};
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{UnicodeNormalization, is_nfc};

use super::LONGEST_QUERY;
use super::finder::is_found_by_bytes;
use super::letters::{ByBytes, OutOfPatience, splits_letter};
use super::sketch::Needs;

/// A literal query made ready to search.
///
/// Case-insensitive search uses Unicode's simple case folding: every character stands for itself, so `ß`
/// matches `ẞ` and never `ss`, and Turkish `İ` and `ı` match only themselves. Canonically equivalent
/// spellings match each other; an unaccented query does not match the start of a decomposed letter,
/// as it would not match the composed one. A line break in the query matches any line break.
#[derive(Clone, Debug)]
pub(super) struct Literal {
    pattern: String,
    case_sensitive: bool,
    /// Compiled when it is needed: that costs as much as searching a hundred documents.
    regex: OnceLock<Regex>,
    by_bytes: Option<ByBytes>,
    needs: Needs,
}

impl Literal {
    /// Compiles a query.
    ///
    /// # Errors
    ///
    /// The query is too large.
    pub(super) fn new(query: &str, case_sensitive: bool) -> Result<Self, regex::Error> {
        let clusters = clusters(query);
        let pattern: String = clusters.iter().map(|spellings| any_of(spellings)).collect();
        let by_bytes = ByBytes::new(&clusters, case_sensitive);
        let needs = Needs::of_literal(&clusters);
        let literal = Self { pattern, case_sensitive, regex: OnceLock::new(), by_bytes, needs };
        // A query that is found by bytes, no longer than is searched for, is known to compile.
        if literal.by_bytes.is_none() || query.chars().count() > LONGEST_QUERY {
            let _ = literal.regex.set(literal.compiled()?);
        }
        Ok(literal)
    }

    fn compiled(&self) -> Result<Regex, regex::Error> {
        RegexBuilder::new(&self.pattern).case_insensitive(!self.case_sensitive).build()
    }

    /// What a document that holds a match cannot lack.
    pub(super) fn needs(&self) -> &Needs {
        &self.needs
    }

    /// The first match in a short text.
    pub(super) fn find(&self, text: &str) -> Option<Range<usize>> {
        self.find_at(text, 0, &mut patience(text, is_found_by_bytes(text)))
    }

    /// Calls `each` with every line on which a match starts, and the first match there. `by_bytes` is whether the
    /// text [`is_found_by_bytes`](super::finder::is_found_by_bytes).
    pub(super) fn lines(&self, text: &str, by_bytes: bool, each: &mut dyn FnMut(Range<usize>, Range<usize>)) {
        let (mut from, mut patience) = (0, patience(text, by_bytes));
        while let Some(found) = self.find_at(text, from, &mut patience) {
            let before = &text.as_bytes()[from..found.start];
            let start = memchr::memrchr2(b'\n', b'\r', before).map_or(from, |at| from + at + 1);
            let rest = crate::text::lines(&text[start..]).next().map_or(text.len(), |line| start + line.end);
            // A query that begins with a line break can match inside CRLF's end; the line is the one it ends.
            from = rest.max(found.start + 1);
            each(start..from, found);
        }
    }

    /// The first match at or after a byte offset, by bytes as long as there is patience.
    fn find_at(&self, text: &str, from: usize, patience: &mut usize) -> Option<Range<usize>> {
        let by_bytes = self.by_bytes.as_ref().map(|letters| letters.find_at(text, from, patience));
        match by_bytes {
            Some(Ok(found)) => found,
            Some(Err(OutOfPatience)) | None => self.find_by_engine(text, from),
        }
    }

    fn find_by_engine(&self, text: &str, mut from: usize) -> Option<Range<usize>> {
        let regex = self.regex.get_or_init(|| self.compiled().expect("letters make a small pattern"));
        loop {
            let found = regex.find_at(text, from)?;
            if !splits_letter(text, found.range()) {
                return Some(found.range());
            }
            from = found.start() + text[found.start()..].chars().next().map_or(1, char::len_utf8);
        }
    }
}

/// How many bytes may be compared in vain before an engine takes over: a text that repeats what a query begins with
/// would take time in proportion to both. None where bytes do not tell.
fn patience(text: &str, by_bytes: bool) -> usize {
    if by_bytes { 4 * text.len() + LONGEST_QUERY } else { 0 }
}

/// The query letter by letter, each with the spellings that match it.
fn clusters(query: &str) -> Vec<Vec<String>> {
    let composed: Vec<char> = query.nfc().collect();
    let mut clusters = Vec::with_capacity(composed.len());
    let mut at = 0;
    while let Some(&first) = composed.get(at) {
        let marks = composed[at + 1..].iter().take_while(|&&mark| canonical_combining_class(mark) != 0).count();
        // Subjoined letters of Tibetan are no marks, and some are one character with the letter before.
        let is_joined = composed.get(at..at + 2).is_some_and(|pair| !never_composed(pair).is_empty());
        let cluster = &composed[at..=at + marks.max(usize::from(is_joined))];
        at += cluster.len();
        if first == '\r' || first == '\n' {
            clusters.push(["\r\n", "\r", "\n"].map(str::to_owned).to_vec());
            at += usize::from(first == '\r' && composed.get(at) == Some(&'\n'));
        } else {
            clusters.push(spellings(cluster));
        }
    }
    clusters
}

/// The spellings of a letter with its marks.
fn spellings(cluster: &[char]) -> Vec<String> {
    let apart: Vec<char> = cluster.iter().copied().nfd().collect();
    // Composed as far as each number of marks allows: `ế` is also `ê` with an acute. A cluster of very
    // many marks has the two extreme spellings only.
    let steps = if apart.len() <= 4 { 1..=apart.len() } else { apart.len()..=apart.len() };
    let mut spellings: Vec<String> = steps
        .flat_map(|composed| {
            let (head, tail) = apart.split_at(composed);
            let with_tail = move |head: String| head + &String::from_iter(tail);
            let others = never_composed(head).iter().map(move |other| with_tail(other.to_string()));
            [with_tail(head.iter().copied().nfc().collect())].into_iter().chain(others)
        })
        .chain([apart.iter().collect()])
        .collect();
    spellings.sort_unstable();
    spellings.dedup();
    spellings
}

/// Where the characters are that no normal form contains: the same as others, kept for old encodings.
const NEVER_COMPOSED: [RangeInclusive<char>; 19] = [
    '\u{340}'..='\u{344}',
    '\u{374}'..='\u{374}',
    '\u{37e}'..='\u{387}',
    '\u{958}'..='\u{95f}',
    '\u{9dc}'..='\u{9df}',
    '\u{a33}'..='\u{a5e}',
    '\u{b5c}'..='\u{b5d}',
    '\u{f43}'..='\u{fb9}',
    '\u{1f71}'..='\u{1ffd}',
    '\u{2000}'..='\u{2001}',
    '\u{2126}'..='\u{212b}',
    '\u{2329}'..='\u{232a}',
    '\u{2adc}'..='\u{2adc}',
    '\u{f900}'..='\u{fad9}',
    '\u{fb1d}'..='\u{fb4e}',
    '\u{1d15e}'..='\u{1d164}',
    '\u{1d1bb}'..='\u{1d1c0}',
    '\u{2f800}'..='\u{2fa1d}',
    '\u{fadc}'..='\u{fadc}',
];

/// The characters that are canonically the same as others without ever standing in a normal form.
fn never_composed(apart: &[char]) -> &'static [char] {
    static BY_PARTS: LazyLock<HashMap<Vec<char>, Vec<char>>> = LazyLock::new(|| {
        let mut by_parts = HashMap::<_, Vec<char>>::new();
        for character in NEVER_COMPOSED.into_iter().flatten().filter(|&character| !is_nfc(&character.to_string())) {
            by_parts.entry([character].into_iter().nfd().collect()).or_default().push(character);
        }
        by_parts
    });
    BY_PARTS.get(apart).map_or(&[], Vec::as_slice)
}

/// The pattern of one of some texts.
fn any_of(spellings: &[String]) -> String {
    let escaped: Vec<String> = spellings.iter().map(|spelling| regex::escape(spelling)).collect();
    if let [one] = escaped.as_slice() { one.clone() } else { format!("(?:{})", escaped.join("|")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'t>(query: &str, text: &'t str) -> Option<&'t str> {
        Literal::new(query, false).expect("compiles").find(text).map(|range| &text[range])
    }

    #[test]
    fn case_is_folded_beyond_ascii() {
        assert_eq!(found("ÜBER", "Hinüber"), Some("über"));
        assert_eq!(found("привет", "ПРИВЕТ"), Some("ПРИВЕТ"));
        assert_eq!(found("σ", "ΛΟΓΟς"), Some("ς"));
        assert_eq!(found("straße", "STRAẞE"), Some("STRAẞE"));
        assert_eq!(found("strasse", "Straße"), None);
        assert_eq!(found("ı", "I i"), None);
        assert!(Literal::new("Über", true).expect("compiles").find("über").is_none());
    }

    #[test]
    fn composed_and_decomposed_letters_match() {
        assert_eq!(found("café", "Cafe\u{301}s"), Some("Cafe\u{301}"));
        assert_eq!(found("cafe\u{301}", "CAFÉ"), Some("CAFÉ"));
        for spelling in ["ế", "ê\u{301}", "e\u{302}\u{301}"] {
            assert_eq!(found("tiếng", &format!("ti{spelling}ng")), Some(&*format!("ti{spelling}ng")));
        }
        assert_eq!(found("각", "\u{1100}\u{1161}\u{11a8}"), Some("\u{1100}\u{1161}\u{11a8}"));
        assert_eq!(found("가", "\u{1100}\u{1161}\u{11a8}"), None);
        assert_eq!(found("cafe", "cafe\u{301}"), None);
        assert_eq!(found("e", "e\u{301}e"), Some("e"));
    }

    #[test]
    fn the_longest_query_compiles_when_it_is_needed() {
        // The last takes the most room of all characters.
        for letter in ["k", "s", ".", "\u{7f}", "東", "ế", "ᾯ"] {
            let query = format!("a{}", letter.repeat(LONGEST_QUERY - 1));
            // The sign of the kelvin sends it to the engine.
            let text = format!("\u{212a} {query}");
            assert_eq!(found(&query, &text), Some(&*query), "{letter}");
        }
    }

    #[test]
    fn a_text_that_repeats_the_beginning_of_a_query_takes_linear_time() {
        // Comparing each place to the end would take 4 billion steps.
        let text = "a".repeat(2_000_000) + "é";
        for (head, tail) in [("a", "é"), ("é", "a"), ("a", "b"), ("ab", "c")] {
            let query = format!("{head}{}{tail}", "a".repeat(LONGEST_QUERY / 2));
            let literal = Literal::new(&query, false).expect("compiles");
            let mut patience = patience(&text, true);
            let found = literal.find_at(&text, 0, &mut patience);
            assert_eq!(found, literal.find_by_engine(&text, 0), "{head}…{tail}");
        }
        let text = "ab".repeat(1_000_000);
        assert_eq!(found(&("ab".repeat(LONGEST_QUERY / 2 - 1) + "ba"), &text), None);
    }

    #[test]
    fn operators_are_text() {
        for query in ["C++", "(paren", "50%", "a/b", "x:y", "*", "\"quoted\"", "[", "\\", "$", "a.b"] {
            assert_eq!(found(query, &format!("see {query}!")), Some(query));
        }
        assert_eq!(found("a.b", "axb"), None);
    }

    #[test]
    fn a_line_break_matches_any_line_break() {
        for text in ["one\ntwo", "one\r\ntwo", "one\rtwo"] {
            assert_eq!(found("one\ntwo", text), Some(text));
            assert_eq!(found("one\r\ntwo", text), Some(text));
        }
    }

    #[test]
    fn characters_that_are_never_composed_match_what_they_are_the_same_as() {
        let mut count = 0;
        for character in ('\0'..=char::MAX).filter(|&character| !is_nfc(&character.to_string())) {
            let text = character.to_string();
            let normal: String = text.nfc().collect();
            // Marks that nobody writes: they stand behind a letter, which has its spellings without them.
            if canonical_combining_class(character) != 0 {
                continue;
            }
            count += 1;
            for (query, text) in [(&text, &text), (&normal, &text), (&text, &normal)] {
                for case_sensitive in [true, false] {
                    let literal = Literal::new(query, case_sensitive).expect("compiles");
                    assert_eq!(literal.find(text), Some(0..text.len()), "{query:?} in {text:?}");
                    assert_eq!(literal.find_by_engine(text, 0), Some(0..text.len()), "{query:?} in {text:?}");
                }
            }
        }
        assert!(count > 1_000, "{count}");
    }
}
