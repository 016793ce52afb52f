//! Japanese: what the syllables after Chinese characters make of them, and counted things.

use super::script::Script;

/// What the syllables behind a word say about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing: a particle or an auxiliary verb follows, the word is whole.
    Whole,
    /// The first syllable, of so many bytes, belongs to it: `手続き`.
    Syllable(usize),
    /// A verb or an adjective is inflected; without its ending it is no word.
    Inflected,
}

/// How particles and auxiliary verbs begin.
const AUXILIARIES: &[&str] = &[
    "は",
    "が",
    "を",
    "に",
    "の",
    "で",
    "と",
    "も",
    "へ",
    "や",
    "か",
    "な",
    "だ",
    "する",
    "すれ",
    "すべ",
    "して",
    "した",
    "しな",
    "しま",
    "しよ",
    "しう",
    "しつ",
    "しか",
    "され",
    "させ",
    "せず",
    "まで",
    "より",
    "また",
    "およ",
    "ごと",
    "ほか",
    "ください",
    "いたし",
    "いただ",
];

/// Syllables that end nouns: `支払い`, `見直し`, `手続き`.
const NOUN_SYLLABLES: &[char] = &['い', 'え', 'き', 'ぎ', 'け', 'げ', 'し', 'せ', 'ち', 'て', 'み', 'め', 'り', 'れ'];

/// Judges what stands behind a word of Chinese characters.
pub fn ending(after: &str) -> Ending {
    let kana = after.find(|c| Script::of(c) != Script::Hiragana).map_or(after, |end| &after[..end]);
    let is_whole = |text: &str| text.is_empty() || AUXILIARIES.iter().any(|auxiliary| text.starts_with(auxiliary));
    if is_whole(kana) {
        return Ending::Whole;
    }
    let Some(first) = kana.chars().next().filter(|c| NOUN_SYLLABLES.contains(c)) else { return Ending::Inflected };
    let rest = &kana[first.len_utf8()..];
    // With nothing behind it, it is as likely a verb that goes on: `付与し、`.
    let goes_on = first == 'し' && rest.is_empty();
    if is_whole(rest) && !goes_on { Ending::Syllable(first.len_utf8()) } else { Ending::Inflected }
}

const NUMERALS: &[char] = &['一', '二', '三', '四', '五', '六', '七', '八', '九', '十', '百', '千', '万', '两', '数'];

const COUNTERS: &[char] = &[
    '日', '月', '年', '回', '件', '名', '時', '分', '秒', '人', '度', '週', '円', '歳', '才', '階', '章', '条', '項',
    '個', '台', '枚', '冊', '点', '間', '内', '天', '次', '个',
];

/// Whether Chinese characters count something: `十日`, `週三日`, `三年間`.
pub fn is_quantity(run: &str) -> bool {
    let counted = run.trim_start_matches(['第', '週', '約', '毎', '每']);
    let unit = counted.trim_start_matches(NUMERALS);
    unit.len() < counted.len() && unit.chars().all(|c| COUNTERS.contains(&c))
}

/// Whether a run of Chinese characters is the rest of a count, as in `六か月後`.
pub fn ends_count(before: Option<char>, run: &str) -> bool {
    run.starts_with('月') && matches!(before, Some('か' | 'カ' | 'ヵ' | 'ヶ' | 'ケ'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_leave_a_word_whole() {
        for after in ["", "を提出", "する。", "について", "、解約", "API", "ください"] {
            assert_eq!(ending(after), Ending::Whole, "{after}");
        }
    }

    #[test]
    fn a_noun_keeps_its_syllable_and_a_verb_is_none() {
        for after in ["き", "きを", "しの"] {
            assert_eq!(ending(after), Ending::Syllable(3), "{after}");
        }
        for after in ["す。", "し、", "ける", "って", "し"] {
            assert_eq!(ending(after), Ending::Inflected, "{after}");
        }
    }

    #[test]
    fn counts_are_no_subjects() {
        assert!(["十日", "週三日", "三年間", "第二章", "百"].into_iter().all(is_quantity));
        assert!(!["四半期", "一般", "第三者", "日次", "週報"].into_iter().any(is_quantity));
        assert!(ends_count(Some('か'), "月後") && !ends_count(Some('の'), "月次"));
    }
}
