//! A regular expression, line by line, with grep's semantics.

use std::borrow::Cow;
use std::ops::Range;

use grep_matcher::{LineTerminator, Matcher as _};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkMatch};

use super::SearchError;
use super::sketch::Needs;
use crate::text::floor_char_boundary;

/// A compiled pattern may take this many bytes; so may the cache of its automaton.
const SIZE_LIMIT: usize = 4 << 20;

/// A regular expression made ready to search.
///
/// Lines end at LF, CRLF or CR; `^` and `$` are their ends. Time is linear in the text.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    matcher: RegexMatcher,
    /// Whether lines are searched one at a time. A Unicode word boundary makes the automaton give up at the
    /// first character beyond ASCII and hand the rest of the haystack to a far slower engine; so the haystack
    /// is then one line.
    alone: bool,
    needs: Needs,
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// It is no regular expression, or too large when compiled.
    pub(super) fn new(pattern: &str, case_sensitive: bool) -> Result<Self, SearchError> {
        // The matcher wraps the pattern in a group, in which `a)(b` would pass and columns would be off.
        regex::RegexBuilder::new(pattern)
            .case_insensitive(!case_sensitive)
            .size_limit(SIZE_LIMIT)
            .dfa_size_limit(SIZE_LIMIT)
            .build()
            .map_err(|error| explain(pattern, &error))?;
        let matcher = RegexMatcherBuilder::new()
            .case_insensitive(!case_sensitive)
            .multi_line(true)
            .line_terminator(Some(b'\n'))
            .crlf(true)
            .size_limit(SIZE_LIMIT)
            .dfa_size_limit(SIZE_LIMIT)
            .build(pattern)
            .map_err(|error| refuse(&error))?;
        Ok(Self { matcher, alone: has_word_boundary(pattern), needs: Needs::of_pattern(pattern, case_sensitive) })
    }

    /// What a document that holds a match cannot lack.
    pub(super) fn needs(&self) -> &Needs {
        &self.needs
    }

    /// Calls `each` with every matching line and the first match in it.
    pub(super) fn lines(&self, text: &str, each: &mut dyn FnMut(Range<usize>, Range<usize>)) {
        let mut report = |line: Range<usize>| {
            let content = crate::text::without_break(&text[line.clone()]);
            // `\A` matches at the start of the file alone, which a line on its own may not be.
            let found = self.find(content).unwrap_or(0..0);
            each(line.clone(), line.start + found.start..line.start + found.end);
        };
        if self.alone {
            for line in crate::text::lines(text) {
                let content = crate::text::without_break(&text[line.clone()]);
                if self.matcher.is_match(content.as_bytes()).unwrap_or(false) {
                    report(line);
                }
            }
            return;
        }
        let text = with_line_feeds(text);
        let mut sink = Lines(&mut report);
        let searched = searcher().search_slice(&self.matcher, text.as_bytes(), &mut sink);
        debug_assert!(searched.is_ok(), "neither the matcher nor the sink fails");
    }

    /// The first match in a line.
    pub(super) fn find(&self, line: &str) -> Option<Range<usize>> {
        let found = self.matcher.find(line.as_bytes()).ok().flatten()?;
        // An empty match of an ASCII boundary, as in `(?-u:\B)`, can lie inside a character.
        Some(floor_char_boundary(line, found.start())..floor_char_boundary(line, found.end()))
    }
}

fn searcher() -> Searcher {
    SearcherBuilder::new()
        .line_terminator(LineTerminator::crlf())
        .binary_detection(BinaryDetection::none())
        .line_number(false)
        .build()
}

/// The text with each lone CR as LF: of the same length, so that offsets hold.
fn with_line_feeds(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let lone = |at: usize| bytes.get(at + 1) != Some(&b'\n');
    if !memchr::memchr_iter(b'\r', bytes).any(lone) {
        return Cow::Borrowed(text);
    }
    let mut rest = text.chars().peekable();
    let mut fed = String::with_capacity(text.len());
    while let Some(character) = rest.next() {
        fed.push(if character == '\r' && rest.peek() != Some(&'\n') { '\n' } else { character });
    }
    Cow::Owned(fed)
}

struct Lines<'a>(&'a mut dyn FnMut(Range<usize>));

impl Sink for Lines<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        let mut start = usize::try_from(found.absolute_byte_offset()).map_err(std::io::Error::other)?;
        for line in found.lines() {
            (self.0)(start..start + line.len());
            start += line.len();
        }
        Ok(true)
    }
}

/// Whether a pattern may hold a word boundary (`\b`, `\B`, `\<`, `\>`, `\b{start}`). An escaped backslash
/// before such a letter counts too, which costs speed only.
fn has_word_boundary(pattern: &str) -> bool {
    pattern.as_bytes().windows(2).any(|pair| pair[0] == b'\\' && matches!(pair[1], b'b' | b'B' | b'<' | b'>'))
}

/// Says why the matcher refuses what is a regular expression.
fn refuse(error: &grep_regex::Error) -> SearchError {
    match error.kind() {
        grep_regex::ErrorKind::NotAllowed(literal) => SearchError::Pattern(format!(
            "{literal} cannot match: patterns are matched line by line; use mode `literal` for text across lines"
        )),
        // Nothing else is left but size: the matcher adds little to a pattern near the limit.
        _ => too_large(),
    }
}

fn too_large() -> SearchError {
    SearchError::TooLarge(format!(
        "the pattern is too large: compiled it would take more than {} MiB; use smaller repetitions",
        SIZE_LIMIT >> 20
    ))
}

/// Says what is wrong with a pattern and where, on one line.
fn explain(pattern: &str, error: &regex::Error) -> SearchError {
    if matches!(error, regex::Error::CompiledTooBig(_)) {
        return too_large();
    }
    let message = error.to_string();
    let reason = message.lines().last().unwrap_or_default();
    let reason = reason.strip_prefix("error: ").unwrap_or(reason);
    SearchError::Pattern(match error_column(&message) {
        Some(column) => {
            let from = column.saturating_sub(20);
            let around: String = pattern.chars().skip(from).take(40).collect();
            format!("{reason}: at character {column} of the pattern, in `{around}`")
        }
        None => reason.to_owned(),
    })
}

/// The 1-based character of the pattern under the first caret of the parser's display: the pattern
/// indented by four blanks, carets on the next line.
fn error_column(message: &str) -> Option<usize> {
    message.lines().find_map(|line| {
        let carets = line.strip_prefix("    ")?;
        let blanks = carets.chars().take_while(|&character| character == ' ').count();
        (carets.chars().nth(blanks) == Some('^') && carets.chars().all(|c| c == ' ' || c == '^')).then_some(blanks + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pattern: &str, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        Pattern::new(pattern, true)
            .expect("compiles")
            .lines(text, &mut |line, at| found.push(format!("{}@{at:?}", text[line].escape_debug())));
        found
    }

    fn error(pattern: &str) -> SearchError {
        Pattern::new(pattern, true).expect_err("no pattern")
    }

    #[test]
    fn anchors_hold_at_every_kind_of_line_break() {
        for text in ["one\ntwo\nthree", "one\r\ntwo\r\nthree", "one\rtwo\rthree"] {
            assert_eq!(lines("^two$", text).len(), 1, "{text:?}");
            assert_eq!(lines(r"o\b$", text).len(), 1, "{text:?}");
            assert_eq!(lines("e$", text).len(), 2, "{text:?}");
        }
        assert_eq!(lines("w", "one\rtwo\r"), [r"two\r@5..6"]);
    }

    #[test]
    fn word_boundaries_know_letters_beyond_ascii() {
        assert_eq!(lines(r"\bber\b", "über\nBär ber\n"), [r"Bär ber\n@11..14"]);
    }

    #[test]
    fn a_match_never_splits_a_character() {
        assert_eq!(lines(r"(?-u:\B)", "aé\n"), [r"aé\n@1..1"]);
    }

    #[test]
    fn an_invalid_pattern_says_where() {
        assert_eq!(
            error("a(b"),
            SearchError::Pattern("unclosed group: at character 2 of the pattern, in `a(b`".into())
        );
        let SearchError::Pattern(message) = error("é[z-a]") else { panic!("not a pattern error") };
        assert!(message.contains("at character 3"), "{message}");
        assert!(matches!(error(r"a\nb"), SearchError::Pattern(message) if message.contains("line by line")));
        assert_eq!(
            error("a)(b"),
            SearchError::Pattern("unopened group: at character 2 of the pattern, in `a)(b`".into())
        );
        assert!(matches!(error("(?x)a\n(b"), SearchError::Pattern(_)));
    }

    #[test]
    fn a_huge_pattern_is_refused() {
        assert!(matches!(error("(?:x{1000}){1000}"), SearchError::TooLarge(_)));
        assert!(matches!(error(&"(".repeat(900)), SearchError::Pattern(_)));
    }

    #[test]
    fn nested_repetition_is_linear() {
        let text = format!("{}!\n", "a".repeat(100_000));
        assert_eq!(lines("(a+)+$", &text).len(), 0);
        assert_eq!(lines(r"(a+)+\b!$", &text).len(), 1);
    }
}
