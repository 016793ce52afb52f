//! Cuts text from files into words that may stand in a description: letters, digits and joiners.

use std::borrow::Cow;

use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use super::japanese::{Ending, ending, ends_count, is_quantity};
use super::script::{Lexicon, Script, without_particle};

/// Longest part of a word, in characters. What is longer is no word, or one that nobody types.
const LONGEST_PART: usize = 28;

/// Longest name put together from parts, in bytes.
const LONGEST_NAME: usize = 40;

/// Most parts of a name: `Next.js`, `BigQuery`, `burn-and-mint` have two or three.
const MOST_PARTS: usize = 3;

/// Endings after a dot that belong to a product's name rather than to a file's.
const NAME_ENDINGS: &[&str] = &["js", "io", "ai", "net", "py", "rs", "ts"];

/// What a text is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece<'t> {
    /// A word.
    Word(Word<'t>),
    /// Punctuation, a number, an address: words on both sides make no phrase.
    Break,
}

impl<'t> Piece<'t> {
    /// The word, if it is one.
    pub fn word(self) -> Option<Word<'t>> {
        match self {
            Self::Word(word) => Some(word),
            Self::Break => None,
        }
    }
}

/// A word as written, and what a tool search takes it for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word<'t> {
    /// As people write it.
    pub surface: &'t str,
    /// Whether it may be part of a phrase, whose words stand between spaces.
    pub spaced: bool,
    parts: [&'t str; MOST_PARTS],
}

impl<'t> Word<'t> {
    fn new(surface: &'t str, spaced: bool, parts: &[&'t str]) -> Self {
        let part = |at: usize| parts.get(at).copied().unwrap_or_default();
        Self { surface, spaced, parts: [part(0), part(1), part(2)] }
    }

    /// Its parts: several for a name such as `BigQuery` or `follow-up`.
    pub fn parts(&self) -> impl Iterator<Item = &'t str> + use<'t> {
        self.parts.into_iter().filter(|part| !part.is_empty())
    }

    /// Whether it has several parts.
    pub fn is_name(&self) -> bool {
        !self.parts[1].is_empty()
    }
}

/// Brings a text into the form that [`cut`] takes: composed, without invisible characters.
pub fn normalised(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let is_invisible = |c: char| matches!(c, '\u{200c}' | '\u{200d}' | '\u{ad}' | '\u{fe0f}');
    if is_nfc_quick(text.chars()) == IsNormalized::Yes && !text.contains(is_invisible) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.nfc().filter(|&c| !is_invisible(c)).collect())
}

/// Cuts a [`normalised`] text into words, stop words included.
///
/// Leaves out URLs, mail addresses, paths, numbers, dates, hashes and identifiers in code style, of
/// which only the parts that are words remain.
pub fn cut<'t>(text: &'t str, lexicon: &Lexicon) -> Vec<Piece<'t>> {
    let mut pieces = Vec::with_capacity(text.len() / 6);
    for chunk in text.split(char::is_whitespace) {
        if !chunk.is_empty() {
            cut_chunk(chunk, lexicon, &mut pieces);
        }
    }
    pieces
}

/// Cuts what stands between two spaces.
fn cut_chunk<'t>(chunk: &'t str, lexicon: &Lexicon, pieces: &mut Vec<Piece<'t>>) {
    for section in chunk.split_inclusive(['(', ')', '[', ']', '{', '}', '<', '>', '"', '`', '|', ',', ';']) {
        let is_address = section.contains("://") || section.starts_with("www.") || section.contains('@');
        let is_path = section.contains('\\') || section.matches('/').count() > 1 || section.contains('=');
        if is_address || is_path {
            pieces.push(Piece::Break);
            continue;
        }
        let mut rest = section;
        while !rest.is_empty() {
            let end = rest.find(|c| !is_word_char(c) && !is_joiner(c)).unwrap_or(rest.len());
            if end > 0 {
                cut_name(&rest[..end], lexicon, pieces);
            }
            let mut others = rest[end..].chars();
            if others.next().is_some() {
                pieces.push(Piece::Break);
            }
            rest = others.as_str();
        }
    }
}

/// Cuts letters, digits and joiners: one name where its form says so, else its parts.
fn cut_name<'t>(run: &'t str, lexicon: &Lexicon, pieces: &mut Vec<Piece<'t>>) {
    let trimmed = run.trim_matches(is_joiner);
    if run.starts_with(is_joiner) {
        pieces.push(Piece::Break);
    }
    if let Some(word) = name(trimmed) {
        pieces.push(Piece::Word(word));
    } else {
        for (at, part) in trimmed.split(is_joiner).flat_map(humps).enumerate() {
            if at > 0 {
                pieces.push(Piece::Break);
            }
            cut_scripts(part, lexicon, pieces);
        }
    }
    if run.len() > trimmed.len() && run.ends_with(is_joiner) {
        pieces.push(Piece::Break);
    }
}

/// A name of several parts that is written as one: `Next.js`, `BigQuery`, `follow-up`.
fn name(run: &str) -> Option<Word<'_>> {
    let may_be_name = run.contains(is_joiner) || (run.starts_with(char::is_uppercase) && humps(run).nth(1).is_some());
    if !may_be_name || run.len() > LONGEST_NAME || !run.chars().all(|c| is_joiner(c) || Script::of(c) == Script::Spaced)
    {
        return None;
    }
    let dotted = match run.split_once('.') {
        None => false,
        Some((head, tail)) if !head.contains(is_joiner) && NAME_ENDINGS.contains(&tail) => true,
        Some(_) => return None,
    };
    if run.contains(['_', '\'', '’', '&']) {
        return None;
    }
    let pieces: Vec<&str> = run.split(['-', '.']).collect();
    let hyphens = pieces.len() > 1 && !dotted;
    if hyphens && pieces.iter().any(|piece| piece.chars().count() < 2) {
        return None;
    }
    let parts: Vec<&str> = pieces.iter().flat_map(|piece| humps(piece)).collect();
    let is_name = (2..=MOST_PARTS).contains(&parts.len())
        && (pieces.len() > 1 || run.starts_with(char::is_uppercase))
        && parts.iter().all(|part| is_sound(part) && !part.contains(char::is_numeric));
    is_name.then(|| Word::new(run, true, &parts))
}

/// Splits where a lower-case letter meets an upper-case one.
fn humps(part: &str) -> impl Iterator<Item = &str> {
    let mut rest = part;
    std::iter::from_fn(move || {
        let mut before_is_lower = false;
        let next = rest.char_indices().find(|&(_, c)| {
            let starts_hump = before_is_lower && c.is_uppercase();
            before_is_lower = c.is_lowercase();
            starts_hump
        });
        let (hump, after) = rest.split_at(next.map_or(rest.len(), |(at, _)| at));
        rest = after;
        (!hump.is_empty()).then_some(hump)
    })
}

/// Cuts at changes of script, and inside scripts without spaces.
fn cut_scripts<'t>(part: &'t str, lexicon: &Lexicon, pieces: &mut Vec<Piece<'t>>) {
    let mut rest = part;
    let mut before = None;
    while let Some(first) = rest.chars().next() {
        let script = Script::of(first);
        let end = rest
            .char_indices()
            .find(|&(_, c)| c.is_alphabetic() && Script::of(c) != script && c != 'ー')
            .map_or(rest.len(), |(at, _)| at);
        let (run, after) = rest.split_at(end);
        match script {
            Script::Hiragana => pieces.push(Piece::Break),
            Script::Han if ends_count(before, run) => pieces.push(Piece::Break),
            Script::Han => cut_han(part, part.len() - rest.len(), run.len(), lexicon, pieces),
            Script::Hangul => push_single(without_particle(run), script, pieces),
            _ => push_single(run, script, pieces),
        }
        before = run.chars().next_back();
        rest = after;
    }
}

/// Cuts Chinese characters, `length` bytes from `start`, with the Japanese syllable that may belong to the last word.
fn cut_han<'t>(part: &'t str, start: usize, length: usize, lexicon: &Lexicon, pieces: &mut Vec<Piece<'t>>) {
    let end = start + length;
    let run = &part[start..end];
    let mut at = start;
    for word in lexicon.cut(run) {
        // The words of a run come in its order.
        let from = at + part[at..end].find(word).unwrap_or_default();
        at = from + word.len();
        let ending = if at == end { ending(&part[end..]) } else { Ending::Whole };
        match ending {
            _ if is_quantity(word) => pieces.push(Piece::Break),
            Ending::Whole => push_single(word, Script::Han, pieces),
            Ending::Syllable(bytes) => push_single(&part[from..end + bytes], Script::Han, pieces),
            Ending::Inflected => pieces.push(Piece::Break),
        }
    }
}

fn push_single<'t>(run: &'t str, script: Script, pieces: &mut Vec<Piece<'t>>) {
    if is_sound(run) && is_plain(run) {
        pieces.push(Piece::Word(Word::new(run, !script.joins_without_space(), &[run])));
    } else {
        pieces.push(Piece::Break);
    }
}

/// Whether a run of letters and digits looks like a word in its script: bounded, no piles of marks,
/// no letter four times over.
fn is_sound(run: &str) -> bool {
    let (mut length, mut marks, mut repeats) = (0, 0, 0);
    let mut before = None;
    for c in run.chars() {
        length += 1;
        marks = if is_combining_mark(c) { marks + 1 } else { 0 };
        repeats = if before == Some(c) { repeats + 1 } else { 1 };
        before = Some(c);
        if length > LONGEST_PART || marks > 2 || repeats > 3 {
            return false;
        }
    }
    length > 0
}

/// Whether a run is a word rather than a number, a version, a hash or a Roman numeral.
///
/// Digits pass in short names that begin with letters (`GA4`, `OAuth2`).
pub fn is_plain(run: &str) -> bool {
    let length = run.chars().count();
    let digits = run.chars().filter(|c| c.is_numeric()).count();
    if length < 2 || !run.starts_with(char::is_alphabetic) {
        return false;
    }
    if digits > 0 {
        return digits <= 2 && length - digits >= 2 && length <= 8;
    }
    let is_roman = run.chars().all(|c| matches!(c, 'I' | 'V' | 'X'));
    let is_consonants =
        length > 5 && run.chars().all(|c| c.is_ascii_lowercase()) && !run.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    !is_roman && !is_consonants
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

fn is_joiner(c: char) -> bool {
    matches!(c, '-' | '_' | '.' | '\'' | '’' | '&')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let lexicon = Lexicon::default();
        cut(&normalised(text), &lexicon)
            .into_iter()
            .filter_map(|piece| match piece {
                Piece::Word(word) => Some(word.surface.to_owned()),
                Piece::Break => None,
            })
            .collect()
    }

    #[test]
    fn names_stay_as_people_write_them() {
        assert_eq!(
            words("BigQuery, Next.js and follow-up calls"),
            ["BigQuery", "Next.js", "and", "follow-up", "calls"]
        );
        assert_eq!(words("GA4 and OAuth2"), ["GA4", "and", "OAuth2"]);
    }

    #[test]
    fn code_numbers_and_addresses_leave_nothing_but_words() {
        assert_eq!(words("https://example.com/x?y=1 me@example.com src/a/b.rs"), Vec::<String>::new());
        assert_eq!(words("2024-05-01 v1.2.3 deadbeef0123 0x1f 42 III"), Vec::<String>::new());
        assert_eq!(
            words("[label](https://example.com) `snake_case` createStore"),
            ["label", "snake", "case", "create", "Store"]
        );
        assert_eq!(words("the item's price"), ["the", "item", "price"]);
    }

    #[test]
    fn invisible_characters_and_markup_never_come_through() {
        for word in words("<b>\u{202e}evil\u{202c}</b> zero\u{200b}width 🎉party🎉 a\u{300}\u{301}\u{302}\u{303}b")
        {
            assert!(word.chars().all(char::is_alphanumeric), "{word:?}");
        }
    }

    #[test]
    fn scripts_are_cut_by_their_own_rules() {
        assert_eq!(words("顧客の解約率をAPIで集計する"), ["顧客", "解約率", "API", "集計"]);
        assert_eq!(words("データベース設計"), ["データベース", "設計"]);
        assert_eq!(words("手続きを見直し、六か月後の十日に変更する"), ["手続き", "変更"]);
        assert_eq!(words("매출을 집계"), ["매출", "집계"]);
        assert_eq!(words("Überweisung größer"), ["Überweisung", "größer"]);
        assert_eq!(words("हिन्दी में"), ["हिन्दी", "में"]);
    }

    #[test]
    fn what_is_too_long_for_a_word_is_dropped_whole() {
        assert_eq!(words(&"a1b2".repeat(50)), Vec::<String>::new());
        assert_eq!(words(&"wort".repeat(50)), Vec::<String>::new());
    }
}
