//! Reading the beginning of a concept's file leniently: it may be cut anywhere.

use okf_core::frontmatter::{Fences, Frontmatter, fences, salvage};
use okf_core::markdown::Structure;
use okf_core::metadata::Metadata;
use okf_core::text::Text;

use super::{ConceptHead, plain};

/// Bytes of a file that are looked at.
pub(crate) const HEAD_LIMIT: usize = 4096;

/// What the first bytes of a concept's file say. What is not UTF-8 says nothing.
pub(crate) fn read(id: &str, bytes: Vec<u8>) -> ConceptHead {
    let mut head = ConceptHead { id: id.to_owned(), ..ConceptHead::default() };
    let Some(text) = decode(bytes) else { return head };
    let text = text.as_str();
    let body = match fences(text) {
        Fences::Absent => text,
        Fences::Closed { yaml, body } => {
            head.take_fields(text, yaml);
            &text[body..]
        }
        Fences::Unterminated => {
            let whole_lines = |text: &str| text.rfind(['\n', '\r']).map_or(0, |at| at + 1);
            let start = text.find(['\n', '\r']).map_or(text.len(), |at| at + 1);
            head.take_fields(text, start..whole_lines(text).max(start));
            ""
        }
    };
    head.headings = headings(body);
    head
}

/// The `type` of a head when it is written so plainly that no parser is needed. `None` says nothing about it.
pub(super) fn plain_type(bytes: &[u8]) -> Option<&str> {
    let rest = bytes.strip_prefix(b"---\n")?;
    let block = &rest[..memchr::memmem::find(rest, b"\n---\n")? + 1];
    plain::concept_type(std::str::from_utf8(block).ok()?)
}

/// The headings of a body's beginning as plain text.
///
/// Only the lines that look like headings are parsed as Markdown: parsing the whole costs ten times as much,
/// and a client is waiting for 256 of these. Setext headings are left out.
fn headings(body: &str) -> Vec<String> {
    let mut fence = None;
    let mut lines = String::new();
    for line in body.lines() {
        let trimmed = line.trim_start_matches(' ');
        let marker = ["```", "~~~"].into_iter().find(|marker| trimmed.starts_with(marker));
        match (fence, marker) {
            (None, Some(marker)) => fence = Some(marker),
            (Some(open), Some(marker)) if open == marker => fence = None,
            (None, None) if trimmed.starts_with('#') && line.len() - trimmed.len() < 4 => {
                lines.push_str(line);
                lines.push('\n');
            }
            _ => {}
        }
    }
    Structure::scan(&lines).headings.into_iter().map(|heading| heading.text.to_string()).collect()
}

impl ConceptHead {
    fn take_fields(&mut self, text: &str, yaml: std::ops::Range<usize>) {
        let given = |value: &str| Some(value.trim().to_owned()).filter(|value| !value.is_empty());
        if let Some(plain) = plain::read(&text[yaml.clone()]) {
            self.concept_type = plain.concept_type.and_then(given);
            self.title = plain.title.and_then(given);
            self.description = plain.description.and_then(given);
            self.tags = plain.tags.into_iter().filter_map(given).collect();
            return;
        }
        if let Ok(frontmatter) = Frontmatter::parse(text, yaml.clone()) {
            let metadata = Metadata::read(&frontmatter);
            self.concept_type = metadata.concept_type.as_deref().and_then(given);
            self.title = metadata.title.as_deref().and_then(given);
            self.description = metadata.description.as_deref().and_then(given);
            self.tags = metadata.tags.iter().filter_map(|tag| given(tag)).collect();
            return;
        }
        for (key, value) in salvage(&text[yaml]) {
            match key {
                "type" => self.concept_type = given(value),
                "title" => self.title = given(value),
                "description" => self.description = given(value),
                _ => {}
            }
        }
    }
}

/// Decodes a head; a character that its end cuts in two is dropped.
fn decode(mut bytes: Vec<u8>) -> Option<Text> {
    if let Err(error) = std::str::from_utf8(&bytes) {
        let cut = error.error_len().is_none() && bytes.len() == HEAD_LIMIT;
        if !cut {
            return None;
        }
        bytes.truncate(error.valid_up_to());
    }
    Text::decode(bytes).ok()
}
