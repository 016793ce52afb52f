//! What pulldown-cmark leaves in plain text: bare URLs (GFM's extended autolinks) and footnote
//! references without a definition.

use std::ops::Range;

/// The bare URLs in `run`, a stretch of plain text of `body`, as spans of the body.
///
/// Follows GFM: behind white space, `*`, `_`, `~`, `(` or a line's start; `http://`, `https://` or
/// `www.`; a domain; then anything up to white space or `<`, less trailing punctuation.
pub(super) fn bare_urls(body: &str, run: Range<usize>) -> Vec<Range<usize>> {
    let text = &body[..run.end];
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = run.start;
    while let Some(next) = memchr::memchr3(b'h', b'H', b'w', &bytes[at..]) {
        let start = at + next;
        at = start + 1;
        let opens = body[..start].chars().next_back().is_none_or(|c| c.is_whitespace() || "*_~(".contains(c));
        let Some((domain, short)) = opens.then(|| prefix(&bytes[start..])).flatten() else { continue };
        let domain_end = start + domain + domain_length(&text[start + domain..]);
        // Resuming behind the domain even after a failure keeps the scan linear.
        at = domain_end.max(at);
        if is_domain(&text[start + domain - if short { 0 } else { 4 }..domain_end], short) {
            let end = start + trimmed_length(&text[start..url_end(text, domain_end)]);
            at = end.max(at);
            found.push(start..end);
        }
    }
    found
}

/// The footnote references in `run`, a stretch of plain text of `body`, as spans of the body.
pub(super) fn undefined_footnotes(body: &str, run: Range<usize>) -> Vec<Range<usize>> {
    let bytes = body.as_bytes();
    // A backslash is in no run; one in front of the run escapes its first character.
    let escaped = run.start > 0 && bytes[run.start - 1] == b'\\';
    let mut at = run.start + usize::from(escaped);
    let mut found = Vec::new();
    while let Some(open) = memchr::memmem::find(&bytes[at.min(run.end)..run.end], b"[^") {
        let start = at + open;
        let label = start + 2;
        let stop = bytes[label..run.end]
            .iter()
            .position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'[' | b']'))
            .map_or(run.end, |length| label + length);
        if stop > label && bytes[..run.end].get(stop) == Some(&b']') {
            found.push(start..stop + 1);
        }
        at = stop;
    }
    found
}

/// The length of what introduces the domain, and whether a domain without a dot will do.
fn prefix(text: &[u8]) -> Option<(usize, bool)> {
    let starts_with =
        |prefix: &str| text.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix.as_bytes()));
    if starts_with("https://") {
        Some((8, true))
    } else if starts_with("http://") {
        Some((7, true))
    } else {
        text.starts_with(b"www.").then_some((4, false))
    }
}

fn domain_length(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || "-_.".contains(c))).unwrap_or(text.len())
}

/// Segments between dots, the last two without underscores. Renderers take `http://localhost` for a
/// URL, but want a dot behind `www`.
fn is_domain(domain: &str, short: bool) -> bool {
    let domain = domain.trim_end_matches('.');
    let mut segments = domain.rsplit('.');
    !domain.is_empty()
        && segments.by_ref().take(2).all(|s| !s.is_empty() && !s.contains('_'))
        && (short || domain.contains('.'))
}

fn url_end(text: &str, from: usize) -> usize {
    text[from..].find(|c: char| c.is_whitespace() || c == '<').map_or(text.len(), |length| from + length)
}

/// The length of a URL without the punctuation, closing parentheses and entity that only follow it.
fn trimmed_length(url: &str) -> usize {
    let bytes = url.as_bytes();
    let count = |wanted: u8| memchr::memchr_iter(wanted, bytes).count();
    let opened = count(b'(');
    let mut closed = count(b')');
    let mut end = bytes.len();
    while end > 0 {
        match bytes[end - 1] {
            b'?' | b'!' | b'.' | b',' | b':' | b'*' | b'_' | b'~' | b'\'' | b'"' => end -= 1,
            b')' if closed > opened => {
                closed -= 1;
                end -= 1;
            }
            b';' => {
                let name = bytes[..end - 1].iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
                let ampersand = (end - 1 - name).checked_sub(1).filter(|&at| name > 0 && bytes[at] == b'&');
                end = ampersand.unwrap_or(end - 1);
            }
            _ => break,
        }
    }
    end
}
