//! What a text cannot hold, told without reading it.
//!
//! A sketch is a set of hashes of a text's triples of ASCII characters and of its other characters, two bits each.
//! A query says which of them every match needs; a text that lacks one of them is not read. A sketch errs on one
//! side only: a text that holds a match is never passed over.

use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;
use regex_syntax::hir::literal::{ExtractKind, Extractor};
use unicode_normalization::char::decompose_canonical;

use super::fold;

/// A sketch has at least so many bits, and at most so many.
const LEAST: usize = 256;
const MOST: usize = 1 << 20;

/// The hash of a triple or a character.
type Hash = u64;

/// The sketch of one text.
#[derive(Debug)]
pub(super) struct Sketch(Box<[u64]>);

/// What every match of a query needs: for each requirement at least one of its alternatives, and of an
/// alternative all hashes.
#[derive(Clone, Debug, Default)]
pub(super) struct Needs(Vec<Vec<Vec<Hash>>>);

/// How many bits sketch a text of so many bytes: about one a byte.
pub(super) fn bits_for(bytes: usize) -> usize {
    bytes.next_power_of_two().clamp(LEAST, MOST)
}

/// Calls `each` with the hashes in a text.
pub(super) fn each_hash(text: &str, mut each: impl FnMut(Hash)) {
    each_piece(text, |piece| match piece {
        Piece::Triple(hash) => each(hash),
        Piece::Character(character) => hash_of(character).into_iter().for_each(&mut each),
    });
}

/// The two bits of a hash among so many, a power of two.
pub(super) fn bits_of(hash: Hash, bits: usize) -> [usize; 2] {
    [hash >> 44, hash >> 24].map(|place| place as usize & (bits - 1))
}

impl Sketch {
    /// The sketch of a text.
    pub(super) fn of(text: &str) -> Self {
        let bits = bits_for(text.len());
        let mut words = vec![0; bits / 64];
        each_hash(text, |hash| bits_of(hash, bits).into_iter().for_each(|bit| words[bit / 64] |= 1 << (bit % 64)));
        Self(words.into())
    }

    /// Whether the text may hold a match.
    pub(super) fn may_hold(&self, needs: &Needs) -> bool {
        let has =
            |hash: &Hash| bits_of(*hash, self.0.len() * 64).iter().all(|bit| self.0[bit / 64] & 1 << (bit % 64) != 0);
        needs.requirements().all(|alternatives| alternatives.iter().any(|hashes| hashes.iter().all(has)))
    }
}

impl Needs {
    /// What every match of a literal query needs: `clusters` are its characters, each with the spellings that
    /// match it ([`super::literal`]).
    pub(super) fn of_literal(clusters: &[Vec<String>]) -> Self {
        let mut needs = Self::default();
        let mut run = Triples::default();
        for spellings in clusters {
            let mut characters = spellings.iter().map(|spelling| one_of(spelling).and_then(as_ascii));
            match characters.next().flatten() {
                Some(byte) if characters.all(|other| other == Some(byte)) => {
                    if let Some(hash) = run.push(byte) {
                        needs.0.push(vec![vec![hash]]);
                    }
                }
                _ => {
                    run = Triples::default();
                    needs.require_one_of(spellings);
                }
            }
        }
        needs
    }

    /// What every line that matches a pattern needs, as far as its beginning or its end say so.
    pub(super) fn of_pattern(pattern: &str, case_sensitive: bool) -> Self {
        let mut parser = ParserBuilder::new().case_insensitive(!case_sensitive).multi_line(true).utf8(false).build();
        let mut needs = Self::default();
        // What does not parse here is refused elsewhere.
        if let Ok(hir) = parser.parse(pattern) {
            needs.0.extend([ExtractKind::Prefix, ExtractKind::Suffix].into_iter().filter_map(|kind| ends(&hir, kind)));
        }
        needs
    }

    /// The requirements, each with its alternatives.
    pub(super) fn requirements(&self) -> impl Iterator<Item = &[Vec<Hash>]> {
        self.0.iter().map(Vec::as_slice)
    }

    /// Whether anything is needed at all.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Requires one of some spellings in any case, each by its first character that has a hash whatever its case.
    /// A spelling without any requires nothing.
    fn require_one_of(&mut self, spellings: &[String]) {
        let in_any_case = |character| fold::same_but_for_case(character).into_iter().map(hash_of).collect();
        let hashes_of = |spelling: &String| spelling.chars().find_map(in_any_case);
        if let Some(hashes) = spellings.iter().map(hashes_of).collect::<Option<Vec<Vec<Hash>>>>() {
            self.0.push(hashes.into_iter().flatten().map(|hash| vec![hash]).collect());
        }
    }
}

/// One of the texts that matches begin or end with; `None` when there are too many, or one says nothing.
fn ends(hir: &Hir, kind: ExtractKind) -> Option<Vec<Vec<Hash>>> {
    let literals = Extractor::new().kind(kind).extract(hir);
    let mut alternatives = Vec::new();
    for literal in literals.literals()? {
        // A literal may end within a character; what is whole of it says enough.
        let text = String::from_utf8_lossy(literal.as_bytes());
        let mut hashes = Vec::new();
        each_piece(&text, |piece| {
            if let Piece::Triple(hash) = piece {
                hashes.push(hash);
            }
        });
        if hashes.is_empty() {
            return None;
        }
        hashes.sort_unstable();
        hashes.dedup();
        alternatives.push(hashes);
    }
    // No literal at all: nothing matches. That is for the engine to say.
    if alternatives.is_empty() {
        return None;
    }
    alternatives.sort_unstable();
    alternatives.dedup();
    Some(alternatives)
}

/// The last two ASCII characters of a run without line breaks.
#[derive(Clone, Copy, Default)]
struct Triples {
    last: u32,
    length: u8,
}

impl Triples {
    /// The hash of the three characters that end with this one, in lower case.
    fn push(&mut self, byte: u8) -> Option<Hash> {
        if matches!(byte, b'\n' | b'\r') {
            *self = Self::default();
            return None;
        }
        self.last = (self.last << 8 | u32::from(byte.to_ascii_lowercase())) & 0xff_ffff;
        self.length = (self.length + 1).min(3);
        (self.length == 3).then(|| mix(self.last))
    }
}

/// What a sketch is made of.
enum Piece {
    /// The hash of three ASCII characters in a row.
    Triple(Hash),
    /// Any other character.
    Character(char),
}

fn each_piece(text: &str, mut each: impl FnMut(Piece)) {
    let mut run = Triples::default();
    for character in text.chars() {
        match as_ascii(character) {
            Some(byte) => run.push(byte).map(Piece::Triple).into_iter().for_each(&mut each),
            None => {
                run = Triples::default();
                each(Piece::Character(character));
            }
        }
    }
}

/// The ASCII character that a character is or, but for case, matches: these beyond ASCII fold to it or are the same.
fn as_ascii(character: char) -> Option<u8> {
    match character {
        '\u{17f}' => Some(b's'),
        '\u{212a}' => Some(b'k'),
        '\u{37e}' => Some(b';'),
        '\u{1fef}' => Some(b'`'),
        _ => u8::try_from(character).ok().filter(u8::is_ascii).map(|byte| byte.to_ascii_lowercase()),
    }
}

/// The only character of a text.
fn one_of(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}

/// The hash of a character beyond ASCII: of the first beyond ASCII that it decomposes to, so that composed and
/// decomposed spellings have it in common. `None` when there is none.
fn hash_of(character: char) -> Option<Hash> {
    let mut first = None;
    decompose_canonical(character, |part| first = first.or((!part.is_ascii()).then_some(part)));
    first.filter(|&part| as_ascii(part).is_none()).map(|part| mix(1 << 31 | u32::from(part)))
}

/// Spreads a number over the high bits.
fn mix(number: u32) -> Hash {
    u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use unicode_normalization::UnicodeNormalization;

    use super::super::finder::is_found_by_bytes;
    use super::super::literal::Literal;
    use super::super::pattern::Pattern;
    use super::*;

    const PIECES: &[&str] = &[
        "k",
        "K",
        "\u{212a}",
        "s",
        "S",
        "\u{17f}",
        "e",
        "E",
        "é",
        "É",
        "e\u{301}",
        "\u{301}",
        "東",
        "京",
        "м",
        "М",
        "с",
        "С",
        "й",
        "и\u{306}",
        "ß",
        "ẞ",
        "ς",
        "σ",
        "Σ",
        "가",
        "각",
        "\u{1100}\u{1161}",
        "Å",
        "\u{212b}",
        "\u{fa19}",
        "\u{795e}",
        "\u{2f801}",
        "\u{4e38}",
        "\u{958}",
        "\u{915}\u{93c}",
        "\u{37e}",
        ";",
        "a",
        "b",
        "ab",
        "cab",
        " ",
        ".",
        "\n",
        "\r\n",
        "\r",
    ];

    fn text(pieces: std::ops::Range<usize>) -> impl Strategy<Value = String> {
        proptest::collection::vec(proptest::sample::select(PIECES), pieces).prop_map(|pieces| pieces.concat())
    }

    /// The characters that have another spelling: in parts, in normal form, in a case of other length.
    static ODD: LazyLock<Vec<char>> = LazyLock::new(|| {
        let apart = |character: char| [character].into_iter().nfd();
        let is_odd =
            |&character: &char| apart(character).ne([character]) || fold::same_but_for_case(character).len() > 2;
        ('\0'..=char::MAX)
            .filter(is_odd)
            .flat_map(|character| [character].into_iter().chain(apart(character)))
            .collect()
    });

    fn odd_text(length: std::ops::Range<usize>) -> impl Strategy<Value = String> {
        let character = prop_oneof![2 => proptest::sample::select(&**ODD), 1 => proptest::char::range(' ', '~')];
        let forms: [fn(String) -> String; 4] =
            [|text| text, |text| text.nfc().collect(), |text| text.nfd().collect(), |text| text.to_uppercase()];
        (proptest::collection::vec(character, length), proptest::sample::select(forms.to_vec()))
            .prop_map(|(characters, form)| form(characters.into_iter().collect()))
    }

    /// Lines with the first match in each, by bytes as far as that can be had or by the engine alone.
    fn lines(literal: &Literal, text: &str, by_bytes: bool) -> Vec<(usize, usize, usize, usize)> {
        let mut found = Vec::new();
        literal.lines(text, by_bytes, &mut |line, at| found.push((line.start, line.end, at.start, at.end)));
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn no_shortcut_changes_what_a_literal_finds(
            query in text(1..6),
            before in text(0..40),
            after in text(0..40),
            case_sensitive: bool,
        ) {
            let literal = Literal::new(&query, case_sensitive).unwrap();
            for text in [format!("{before}{after}"), format!("{before}{query}{after}"), query.to_uppercase() + &before] {
                let found = lines(&literal, &text, false);
                prop_assert_eq!(lines(&literal, &text, is_found_by_bytes(&text)), &*found, "in {:?}", text);
                let is_passed_over = !Sketch::of(&text).may_hold(literal.needs());
                prop_assert!(found.is_empty() || !is_passed_over, "{:?} is passed over", text);
            }
        }

        #[test]
        fn no_shortcut_changes_what_is_found_of_odd_characters(
            (query, same) in odd_text(1..5).prop_flat_map(|query| {
                let forms: Vec<String> =
                    vec![query.nfc().collect(), query.nfd().collect(), query.to_lowercase(), query.clone()];
                (Just(query), proptest::sample::select(forms))
            }),
            before in odd_text(0..6),
            after in odd_text(0..6),
            case_sensitive: bool,
        ) {
            let literal = Literal::new(&query, case_sensitive).unwrap();
            let text = before + &same + &after;
            let found = lines(&literal, &text, false);
            prop_assert_eq!(lines(&literal, &text, is_found_by_bytes(&text)), &*found, "in {:?}", text);
            let is_passed_over = !Sketch::of(&text).may_hold(literal.needs());
            prop_assert!(found.is_empty() || !is_passed_over, "{:?} is passed over", text);
        }

        #[test]
        fn no_document_that_matches_a_pattern_is_passed_over(
            a in text(1..5),
            b in text(1..5),
            between in proptest::sample::select(&["", r"\w*", "+", ".?", "|", r"\b", "{2}"][..]),
            text in text(0..40),
            case_sensitive: bool,
        ) {
            let escaped = |text: &str| regex::escape(&text.replace(['\n', '\r'], " "));
            let written = format!("{}{between}{}", escaped(&a), escaped(&b));
            let Ok(pattern) = Pattern::new(&written, case_sensitive) else { return Ok(()) };
            for text in [format!("{text}{a}{b}"), format!("{a}{text}\n{b}"), text] {
                let mut holds = false;
                pattern.lines(&text, &mut |_, _| holds = true);
                let is_passed_over = !Sketch::of(&text).may_hold(pattern.needs());
                prop_assert!(!(holds && is_passed_over), "{} passes over {:?}", written, text);
            }
        }
    }

    #[test]
    fn most_documents_without_a_match_are_passed_over() {
        let words = ["daily", "orders", "customer", "ledger", "shipment", "forecast", "regional", "schema"];
        let text: String = (0..400).map(|n| format!("{} {} ", words[n % 8], words[n * 5 % 7])).collect();
        let sketch = Sketch::of(&text);
        let passes_over = |query: &str| {
            let literal = Literal::new(query, false).unwrap();
            !sketch.may_hold(literal.needs())
        };
        assert!(["invoice", "Überblick", "東京", "привет", "part key"].into_iter().all(passes_over));
        assert!(!words.into_iter().any(passes_over));
        let pattern = Pattern::new(r"(?:invoice|basket)s?\d", false).unwrap();
        assert!(!sketch.may_hold(pattern.needs()));
        assert!(Pattern::new(r"\w+", false).unwrap().needs().is_empty(), "says nothing of its ends");
    }
}
