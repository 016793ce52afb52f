//! Placing new lines in a text whose other bytes stay.

use super::Structure;

/// The line break that a text uses: that of its first line; a line feed when it has but one line.
pub(crate) fn line_break(text: &str) -> &'static str {
    match text.find(['\n', '\r']) {
        Some(at) if text[at..].starts_with("\r\n") => "\r\n",
        Some(at) if text[at..].starts_with('\r') => "\r",
        _ => "\n",
    }
}

/// The start of the line that holds a byte offset.
pub(crate) fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind(['\n', '\r']).map_or(0, |at| at + 1)
}

/// The end of the last line of a stretch that is not blank, its break included; the stretch's start when
/// all are blank. The stretch ends where a line ends.
pub(crate) fn content_end(text: &str, stretch: std::ops::Range<usize>) -> usize {
    let content = text[stretch.clone()].trim_end();
    if content.is_empty() {
        return stretch.start;
    }
    let end = stretch.start + content.len();
    crate::text::lines(&text[end..]).next().map_or(end, |line| end + line.end)
}

/// The line feeds to put before a block so that a blank line parts it from what stands before the offset.
pub(crate) fn parting_before(text: &str, offset: usize) -> &'static str {
    let before = &text[..offset];
    if before.is_empty() {
        return "";
    }
    if !before.ends_with(['\n', '\r']) {
        return "\n\n";
    }
    let without_break = crate::text::without_break(before);
    if without_break[line_start(without_break, without_break.len())..].trim().is_empty() { "" } else { "\n" }
}

/// The line feed to put before a line when the one before the offset lacks its own.
pub(crate) fn break_before(text: &str, offset: usize) -> &'static str {
    if offset == 0 || text[..offset].ends_with(['\n', '\r']) { "" } else { "\n" }
}

/// The line feed to put behind a block so that a blank line parts it from what follows, if anything does.
pub(crate) fn parting_after(text: &str, offset: usize) -> &'static str {
    let next = crate::text::lines(&text[offset..]).next().map_or("", |line| &text[offset..][line]);
    if next.trim().is_empty() { "" } else { "\n" }
}

/// Where blocks can be added at the end of a body: its end, unless its last block never ends (a fence or
/// comment without a closing line), which would swallow them; then before that block.
pub(crate) fn appendable_end(body: &str, structure: &Structure) -> usize {
    let probe = format!("{body}\n\n# probe\n");
    if Structure::scan(&probe).headings.len() > structure.headings.len() {
        return body.len();
    }
    structure.blocks.last().map_or(body.len(), |block| line_start(body, block.span.start))
}
