//! Writing plain text as inline Markdown.

/// Puts a text on one line: runs of white space become one space, other control characters go.
///
/// ```
/// assert_eq!(okf_core::markdown::one_line(" a\n\tb\u{0}c "), "a bc");
/// ```
#[must_use]
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        let start = line.len();
        if start > 0 {
            line.push(' ');
        }
        let before = line.len();
        line.extend(word.chars().filter(|c| !c.is_control()));
        if line.len() == before {
            line.truncate(start);
        }
    }
    line
}

/// Writes a text as inline Markdown on one line that reads back as [`one_line`] of it: no emphasis, code,
/// link, footnote, HTML or entity comes out of it.
///
/// Escapes only what would mean something, so that ordinary titles stay as they are. The result is for a
/// place behind other text of its line, such as a link's label or a description.
///
/// ```
/// use okf_core::markdown::{escape, plain};
///
/// assert_eq!(escape("snake_case & [b](c.md)"), r"snake_case & \[b\](c.md)");
/// assert_eq!(plain(&escape("*a* <b> `c`\n# d")), "*a* <b> `c` # d");
/// ```
#[must_use]
pub fn escape(text: &str) -> String {
    let line = one_line(text);
    let mut escaped = String::with_capacity(line.len() + 8);
    let strikes = line.matches('~').count() > 1;
    let mut before = None;
    for (at, c) in line.char_indices() {
        let rest = &line[at + c.len_utf8()..];
        let after = rest.chars().next();
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let has_meaning = match c {
            '\\' | '`' | '*' | '[' | ']' => true,
            '_' => !(is_word(before) && is_word(after)),
            '~' => strikes,
            '<' => after.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')),
            '&' => after.is_some_and(|c| c.is_ascii_alphabetic() || c == '#') && rest.contains(';'),
            // Bare URLs are links too.
            ':' => rest.starts_with("//"),
            '.' => line.as_bytes()[..at].ends_with(b"www"),
            _ => false,
        };
        if has_meaning {
            escaped.push('\\');
        }
        escaped.push(c);
        before = Some(c);
    }
    escaped
}

/// Takes away the backslashes that keep a character from meaning something; undoes [`escape`].
pub(crate) fn unescape(markdown: &str) -> String {
    let mut text = String::with_capacity(markdown.len());
    let mut characters = markdown.chars().peekable();
    while let Some(c) = characters.next() {
        match characters.next_if(|next| c == '\\' && next.is_ascii_punctuation()) {
            Some(escaped) => text.push(escaped),
            None => text.push(c),
        }
    }
    text
}

/// Writes a text as the content of an ATX heading; see [`escape`].
#[must_use]
pub fn escape_heading(text: &str) -> String {
    let mut escaped = escape(text);
    // A run of `#` at the end would close the heading.
    if escaped.ends_with('#') {
        let run = escaped.trim_end_matches('#').len();
        escaped.insert(run, '\\');
    }
    escaped
}
