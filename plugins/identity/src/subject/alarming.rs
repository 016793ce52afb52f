//! Words that never stand in a served text, because they would pass for a claim about a tool.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words that claim what a tool does to a machine, or ask for what it must not know. Where they stand in a
/// description, scanners of tool lists raise an alarm, and clients may ask before every call. Other forms of
/// them are subjects like any other: `tokens`.
const ALARMING: &str = "\
    assert asserted asserting assertion assertions asserts bcc bearer chmod chown createobject \
    credential curl delete doas eval exec fetch gcloud hexdump http https killall lsof passwd password \
    pidof popen powershell remove root runuser secret sendmail setgid setuid shell smtp spawn ssh \
    subprocess sudo token truncate unlink upload uuencode vbscript webhook wget wipe wipefs wmic";

/// Words that make a secret of a `key`.
const KEY_KINDS: &str = "access api private";

/// The lengths of alarming words, in bytes: most words are passed over by it.
const LENGTHS: std::ops::RangeInclusive<usize> = 3..=12;

static SET: LazyLock<HashSet<&str>> = LazyLock::new(|| ALARMING.split(' ').collect());

/// Whether a term as written holds an alarming word.
pub fn is_alarming(words: &[&str]) -> bool {
    let mut before = "";
    words.iter().flat_map(|word| word.split(['-', '.'])).any(|part| {
        let is_key =
            part.eq_ignore_ascii_case("key") && KEY_KINDS.split(' ').any(|kind| before.eq_ignore_ascii_case(kind));
        before = part;
        is_key || (LENGTHS.contains(&part.len()) && SET.contains(&*part.to_ascii_lowercase()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_a_length_that_is_looked_up() {
        assert!(SET.iter().all(|word| LENGTHS.contains(&word.len()) && **word == word.to_ascii_lowercase()));
    }

    #[test]
    fn a_word_alarms_in_any_case_and_inside_a_name_but_not_in_another_form() {
        for words in [&["Token"][..], &["refresh", "token"], &["token-ring"], &["API", "key"], &["private-key"]] {
            assert!(is_alarming(words), "{words:?}");
        }
        for words in [&["Tokens"][..], &["primary", "key"], &["API", "keys"], &["reassert"], &[""]] {
            assert!(!is_alarming(words), "{words:?}");
        }
    }
}
