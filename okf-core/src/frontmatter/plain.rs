//! Which strings may stand without quotes: those that readers of YAML 1.1 and of YAML 1.2 take for the
//! same string.

use std::sync::LazyLock;

use regex::Regex;

use super::Schema;
use super::schema::of_plain;

/// What a reader of YAML 1.1 takes for something else than a string (the type repository of yaml.org,
/// slightly widened where readers differ).
static OTHER_TYPE_IN_1_1: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x) ^(?:
            (?i: y | yes | n | no | on | off | true | false | null ) | ~
          | [-+]? 0b [01_]+
          | [-+]? 0[xX] [0-9a-fA-F_]+
          | [-+]? 0[oO] [0-7_]+
          | [-+]? [0-9] [0-9_]* (?: : [0-9]+ )* (?: \. [0-9_]* )?
          | [-+]? (?: [0-9] [0-9_]* )? \. [0-9._]* (?: [eE] [-+]? [0-9]+ )?
          | [-+]? [0-9] [0-9_]* [eE] [-+]? [0-9]+
          | [-+]? \. (?i: inf ) | \. (?i: nan )
          | [0-9]{4} - [0-9]{1,2} - [0-9]{1,2} (?: (?: [Tt] | [\ \t]+ ) [0-9:.]+ [\ \t]* (?: [Zz] | [-+] [0-9:]+ )? )?
          | = | <<
        )$",
    )
    .expect("the pattern is well formed")
});

/// Whether a string can be written without quotes.
///
/// In flow style (`[…]`, `{…}`) the characters that structure it need quotes too.
pub(crate) fn is_plain(text: &str, in_flow: bool) -> bool {
    let Some(first) = text.chars().next() else { return false };
    // Some of these may start a plain scalar when no blank follows; quotes spare the reader the rule.
    if "-?:,[]{}#&*!|>'\"%@`".contains(first) || text.starts_with("...") {
        return false;
    }
    is_one_line(text)
        && !text.contains('\t')
        && !text.starts_with(char::is_whitespace)
        && !text.ends_with(char::is_whitespace)
        && !text.contains(": ")
        && !text.ends_with(':')
        && !text.contains(" #")
        && !(in_flow && text.contains([',', '[', ']', '{', '}', ':', '#']))
        && of_plain(text) == Schema::Str
        && !OTHER_TYPE_IN_1_1.is_match(text)
}

/// Whether a string can stand on one line as it is, in single quotes at the least.
pub(crate) fn is_one_line(text: &str) -> bool {
    text.chars().all(|c| c == '\t' || is_printable(c))
}

/// Whether a character is shown by an editor and is neither a line break nor a blank other than the space,
/// to any reader: NEL and the separators U+2028 and U+2029 break lines in YAML 1.1.
pub(crate) fn is_printable(c: char) -> bool {
    !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}
