//! Scripts without spaces between words, and the particles of Korean.

use std::collections::HashSet;

use okf_mcp::identity::ConceptHead;

/// How a character takes part in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Script {
    /// Words stand between spaces: Latin, Cyrillic, Arabic, Devanagari and most others.
    Spaced,
    /// Chinese characters.
    Han,
    /// Japanese endings and particles; words written in it alone are left out.
    Hiragana,
    /// Japanese loan words.
    Katakana,
    /// Korean, spaced, with particles at the end.
    Hangul,
    /// Thai, Lao, Khmer, Burmese: spaces stand between phrases only.
    Unspaced,
}

impl Script {
    /// The script of a letter.
    pub fn of(c: char) -> Self {
        match c {
            '\u{3041}'..='\u{309f}' => Self::Hiragana,
            '\u{30a0}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' => Self::Katakana,
            '々'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}' => Self::Han,
            '\u{ac00}'..='\u{d7a3}' | '\u{1100}'..='\u{11ff}' => Self::Hangul,
            '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' => Self::Unspaced,
            _ => Self::Spaced,
        }
    }

    /// Whether neighbouring words are written without a space, so that they make no phrase.
    pub fn joins_without_space(self) -> bool {
        !matches!(self, Self::Spaced | Self::Hangul)
    }
}

/// Chinese characters that nearly always stand between words.
const BETWEEN_WORDS: &[char] = &[
    '的', '了', '和', '与', '與', '及', '或', '是', '被', '把', '其', '并', '並', '该', '該', '这', '這', '那', '于',
    '於', '之',
];

/// Longest run of Chinese characters that passes for one word.
const LONGEST_WORD: usize = 6;

/// Longest run of a title that is taken for a word elsewhere: most words have two to four characters.
const LONGEST_LEARNED: usize = 4;

/// Words of Chinese characters that the bundle itself writes apart: its tags, types and short titles.
///
/// Stands in for a dictionary, which would weigh megabytes: a bundle names what it is about.
#[derive(Debug, Default)]
pub struct Lexicon(HashSet<String>);

impl Lexicon {
    /// Learns from tags and types first, then from titles cut by what is known already.
    pub fn learn(sample: &[&ConceptHead]) -> Self {
        let mut lexicon = Self::default();
        let names = sample.iter().flat_map(|head| head.tags.iter().chain(&head.concept_type));
        let named: Vec<&str> = names.flat_map(|name| han_runs(name)).filter(|run| is_word(run, LONGEST_WORD)).collect();
        lexicon.0.extend(named.into_iter().map(str::to_owned));
        let titles = sample.iter().filter_map(|head| head.title.as_deref()).flat_map(han_runs);
        let learned = titles.flat_map(|run| lexicon.parts(run)).map(|part| part.text);
        let learned: Vec<&str> = learned.filter(|run| is_word(run, LONGEST_LEARNED)).collect();
        lexicon.0.extend(learned.into_iter().map(str::to_owned));
        lexicon
    }

    /// Cuts a run of Chinese characters into words: the known ones, and what stands alone between
    /// characters that separate words. What is left beside a known word may be half a word and is
    /// dropped.
    pub fn cut<'t>(&self, run: &'t str) -> impl Iterator<Item = &'t str> + use<'t> {
        self.parts(run).into_iter().filter(|part| !part.beside_known).map(|part| part.text)
    }

    /// Cuts a run at the longest known words, then at characters that separate words.
    fn parts<'t>(&self, run: &'t str) -> Vec<Part<'t>> {
        let starts: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
        let last = starts.len() - 1;
        let slice = |from: usize, to: usize| &run[starts[from]..starts[to]];
        let mut parts = Vec::new();
        let (mut rest, mut at, mut after_known) = (0, 0, false);
        while at < last {
            let known = (2..=LONGEST_WORD.min(last - at)).rev().find(|length| self.0.contains(slice(at, at + length)));
            if known.is_some() || slice(at, at + 1).starts_with(BETWEEN_WORDS) {
                parts.push(Part { text: slice(rest, at), beside_known: after_known || known.is_some() });
                let end = at + known.unwrap_or(1);
                if known.is_some() {
                    parts.push(Part { text: slice(at, end), beside_known: false });
                }
                (rest, at, after_known) = (end, end, known.is_some());
            } else {
                at += 1;
            }
        }
        parts.push(Part { text: slice(rest, last), beside_known: after_known });
        parts.retain(|part| is_word(part.text, LONGEST_WORD));
        parts
    }
}

/// A piece of a run of Chinese characters.
struct Part<'t> {
    text: &'t str,
    /// Whether it is what a known word left over.
    beside_known: bool,
}

fn is_word(run: &str, longest: usize) -> bool {
    (2..=longest).contains(&run.chars().count())
}

fn han_runs(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| Script::of(c) != Script::Han).filter(|run| !run.is_empty())
}

/// Particles at the end of a Korean word, longest first.
const PARTICLES: &[&str] = &[
    "에서는",
    "으로는",
    "에서",
    "으로",
    "에게",
    "까지",
    "부터",
    "처럼",
    "보다",
    "하고",
    "은",
    "는",
    "을",
    "를",
    "의",
    "에",
    "와",
    "과",
    "로",
    "이",
    "가",
    "도",
];

/// A Korean word without its particle, when two syllables remain.
pub fn without_particle(word: &str) -> &str {
    PARTICLES
        .iter()
        .filter_map(|particle| word.strip_suffix(particle))
        .find(|rest| rest.chars().count() >= 2)
        .unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lexicon(words: &[&str]) -> Lexicon {
        let tags = words.iter().map(|&word| word.to_owned()).collect();
        Lexicon::learn(&[&ConceptHead { tags, ..ConceptHead::default() }])
    }

    fn cut(lexicon: &Lexicon, run: &str) -> Vec<String> {
        lexicon.cut(run).map(str::to_owned).collect()
    }

    #[test]
    fn chinese_is_cut_by_the_bundles_own_words() {
        let lexicon = lexicon(&["客户", "以太坊"]);
        assert_eq!(cut(&lexicon, "客户的计算"), ["客户", "计算"]);
        assert_eq!(cut(&lexicon, "以太坊与共识机制"), ["以太坊", "共识机制"]);
        assert_eq!(cut(&lexicon, "取消客户的订阅"), ["客户", "订阅"], "what is left may be half a word");
    }

    #[test]
    fn titles_teach_what_tags_leave_over() {
        let title =
            ConceptHead {
                title: Some("客户流失率".into()), tags: vec!["客户".into()], ..ConceptHead::default()
            };
        assert_eq!(cut(&Lexicon::learn(&[&title]), "每月流失率高"), ["流失率"]);
    }

    #[test]
    fn a_clause_without_a_known_word_is_no_word() {
        assert!(Lexicon::default().cut("本条目说明如何计算每月收入").next().is_none());
    }

    #[test]
    fn korean_words_lose_their_particle_when_a_word_remains() {
        assert_eq!(without_particle("매출을"), "매출");
        assert_eq!(without_particle("고객에서는"), "고객");
        assert_eq!(without_particle("나는"), "나는");
    }
}
