//! Folding of words: case, accents, compatibility forms and light stems.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};
use unicode_normalization::char::{canonical_combining_class, decompose_compatible, is_combining_mark};

/// The characters that are one but for case, by Unicode's simple case folding, which is that of the engines.
pub(super) fn same_but_for_case(character: char) -> Vec<char> {
    let mut class = ClassUnicode::new([ClassUnicodeRange::new(character, character)]);
    class.case_fold_simple();
    class.iter().flat_map(|range| range.start()..=range.end()).collect()
}

/// Appends a character's fold to a word: compatibility-decomposed, without accents, lower case.
///
/// `É`, `é` and `e` + U+0301 fold to `e`; `ß` and `ẞ` to `ss`, `æ` to `ae`, `œ` to `oe`, `ø` to `o`,
/// `ł` to `l`, `đ` to `d`; Turkish `İ` and `ı` to `i`. Marks that tell letters apart (vowel signs, kana
/// voicing, nukta, virama) stay.
pub(super) fn push(word: &mut String, character: char) {
    if character.is_ascii() {
        word.push(character.to_ascii_lowercase());
        return;
    }
    decompose_compatible(character, |part| {
        if is_accent(part) || !is_word_character(part) {
            return;
        }
        for lower in part.to_lowercase() {
            match lower {
                'ß' => word.push_str("ss"),
                'æ' => word.push_str("ae"),
                'œ' => word.push_str("oe"),
                'ø' => word.push('o'),
                'ł' => word.push('l'),
                'đ' | 'ð' => word.push('d'),
                'þ' => word.push_str("th"),
                'ı' => word.push('i'),
                'ς' => word.push('σ'),
                _ if is_accent(lower) => {}
                _ => word.push(lower),
            }
        }
    });
}

/// Whether a character belongs to words.
pub(super) fn is_word_character(character: char) -> bool {
    if character.is_ascii() {
        return character.is_ascii_alphanumeric();
    }
    character.is_alphanumeric() || is_combining_mark(character)
}

/// Whether a script writes words without spaces between them, so that pairs of characters stand in
/// for words.
pub(super) fn is_unspaced(character: char) -> bool {
    matches!(u32::from(character),
        0x0E00..=0x0EFF      // Thai, Lao
        | 0x1000..=0x109F    // Myanmar
        | 0x1100..=0x11FF    // Hangul jamo
        | 0x1780..=0x17FF    // Khmer
        | 0x3005..=0x3007
        | 0x3041..=0x30FF    // kana
        | 0x3130..=0x318F
        | 0x31F0..=0x31FF
        | 0x3400..=0x4DBF    // Han
        | 0x4E00..=0x9FFF
        | 0xAC00..=0xD7AF    // Hangul syllables
        | 0xF900..=0xFAFF
        | 0xFF66..=0xFF9F    // half-width kana
        | 0x20000..=0x3FFFF)
}

/// Whether a mark is an accent, which folding drops: every reordering mark but nukta, kana voicing
/// and virama (combining classes 7 to 9).
fn is_accent(character: char) -> bool {
    !matches!(canonical_combining_class(character), 0 | 7..=9)
}

/// Cuts a folded word down to a stem that its common inflections share.
///
/// One rule set for every language in Latin letters, because a query does not say its language: it takes
/// off plural and genitive `s`, `es`, `ies`, English `ing` and `ed`, German `en`, a final `e`, and reads
/// `y` as `i`. Stems are compared and never shown. Words with digits or other scripts stay.
pub(super) fn stem(word: &mut String) {
    let ends = word.ends_with(['s', 'g', 'd', 'n', 'e', 'y']);
    if word.len() < 3 || !ends || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return;
    }
    strip_repeated(word, 's', 2);
    if strip_suffix(word, "ing", 3) || (!word.ends_with("eed") && strip_suffix(word, "ed", 3)) {
        undouble(word);
    } else {
        strip_suffix(word, "en", 4);
    }
    strip_suffix(word, "e", 3);
    strip_repeated(word, 's', 3);
    strip_suffix(word, "e", 3);
    if word.len() > 2 && word.ends_with('y') {
        word.pop();
        word.push('i');
    }
}

fn strip_repeated(word: &mut String, letter: char, least: usize) {
    while word.len() > least && word.ends_with(letter) {
        word.pop();
    }
}

fn strip_suffix(word: &mut String, suffix: &str, least: usize) -> bool {
    let Some(rest) = word.strip_suffix(suffix) else { return false };
    if rest.len() < least || !rest.contains(['a', 'e', 'i', 'o', 'u', 'y']) {
        return false;
    }
    let length = rest.len();
    word.truncate(length);
    true
}

/// `stopp` (from `stopped`) becomes `stop`; `ll` and `ss` are part of the word itself.
fn undouble(word: &mut String) {
    let bytes = word.as_bytes();
    if let [.., a, b] = bytes
        && a == b
        && !matches!(a, b'l' | b's' | b'e' | b'o')
    {
        word.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        let mut word = String::new();
        text.chars().for_each(|character| push(&mut word, character));
        word
    }

    fn stemmed(text: &str) -> String {
        let mut word = text.to_owned();
        stem(&mut word);
        word
    }

    #[test]
    fn case_and_accents_fold() {
        for (text, fold) in [
            ("Café", "cafe"),
            ("Cafe\u{301}", "cafe"),
            ("STRAẞE", "strasse"),
            ("straße", "strasse"),
            ("İstanbul", "istanbul"),
            ("ıspanak", "ispanak"),
            ("ﬁn", "fin"),
            ("Ａ１", "a1"),
            ("Tiếng", "tieng"),
            ("Łódź", "lodz"),
            ("ΛΌΓΟΣ", "λογοσ"),
            ("λόγος", "λογοσ"),
            ("が", "か\u{3099}"),
        ] {
            assert_eq!(folded(text), fold, "{text}");
        }
    }

    #[test]
    fn inflections_share_a_stem() {
        for forms in [
            &["join", "joins", "joined", "joining"][..],
            &["question", "questions"],
            &["query", "queries", "querys"],
            &["table", "tables"],
            &["address", "addres", "addresses"],
            &["class", "clas", "classes"],
            &["status", "statu"],
            &["stop", "stopped", "stopping"],
            &["klage", "klagen"],
            &["verwaltungsakt", "verwaltungsakts"],
        ] {
            for form in forms {
                assert_eq!(stemmed(form), stemmed(forms[0]), "{form}");
            }
        }
    }

    #[test]
    fn short_words_numbers_and_other_scripts_have_no_stem() {
        for word in ["is", "v2s", "2", "das\u{308}", "привет", "string"] {
            assert_eq!(stemmed(word), word);
        }
    }
}
