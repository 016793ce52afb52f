//! The structure of a Markdown body: CommonMark with tables, footnotes, strikethrough, task lists
//! and GFM's bare-URL autolinks.
//!
//! All spans are bytes in the body that was scanned, on character boundaries. LF, CRLF and lone CR
//! each end a line.

mod autolink;
mod escape;
mod insertion;
mod items;
mod plain;
mod scanner;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

pub(crate) use escape::unescape;
pub use escape::{escape, escape_heading, one_line};
pub(crate) use insertion::{
    appendable_end, break_before, content_end, line_break, line_start, parting_after, parting_before,
};
pub use plain::plain;

/// Headings, blocks, links and footnotes of a body, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    /// ATX and setext headings outside fences, HTML blocks, quotes, lists and footnotes.
    pub headings: Box<[Heading]>,
    /// The top-level blocks, headings included. Link reference definitions are in no block.
    pub blocks: Box<[Block]>,
    /// Links: inline, reference, URI autolinks (`<https://…>`), bare URLs. No images (but a link
    /// around one), no e-mail autolinks, no footnotes, nothing in code or raw HTML.
    pub links: Box<[Link]>,
    /// Footnote references `[^label]`, with or without definition.
    pub footnote_references: Box<[Footnote]>,
    /// Footnote definitions `[^label]: …`, wherever they stand.
    pub footnote_definitions: Box<[Footnote]>,
}

/// A heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text rendered plain (code spans and emphasis without their marks), on one line.
    pub text: Box<str>,
    /// The whole heading, its line break included.
    pub span: Range<usize>,
}

/// A top-level block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Its bytes; those of a list or footnote may run over the blank lines behind it.
    pub span: Range<usize>,
}

/// The kind of a top-level block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Index into [`Structure::headings`].
    Heading(usize),
    /// A list, bulleted or ordered.
    List {
        /// Whether it is numbered.
        ordered: bool,
        /// Its items; the items of a nested list follow the item that holds it.
        items: Box<[Item]>,
    },
    /// A fenced or indented code block.
    Code {
        /// Whether it is fenced.
        fenced: bool,
    },
    /// An HTML block.
    Html,
    /// A footnote definition.
    FootnoteDefinition,
    /// A thematic break.
    Rule,
    /// Paragraphs, quotes, tables.
    Prose,
}

/// A list item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The bytes of the item, nested lists included.
    pub span: Range<usize>,
    /// How many lists hold the list of the item: 0 at the top.
    pub depth: u32,
    /// Whether the item is numbered.
    pub ordered: bool,
    /// The link that the item starts with, when it does: index into [`Structure::links`].
    pub leading_link: Option<usize>,
    /// The bytes of the rest of the item's first paragraph: behind that link and the separator
    /// ` - `, ` – `, ` — ` or `:`; the whole paragraph without such a link. Markdown: see [`plain`].
    pub rest: Range<usize>,
}

/// A link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The destination after CommonMark's own decoding (entities, backslashes), not percent-decoded.
    pub destination: Box<str>,
    /// The label rendered plain.
    pub label: Box<str>,
    /// The whole link.
    pub span: Range<usize>,
}

/// A footnote label and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Footnote {
    /// The label without `[^` and `]`.
    pub label: Box<str>,
    /// The bytes of `[^label]`.
    pub span: Range<usize>,
}

impl Heading {
    /// What names the heading's section in answers: its text, of a long one the beginning and `…`.
    ///
    /// At most 200 characters: a paragraph above a `---` line is a heading too, however long it is.
    #[must_use]
    pub fn name(&self) -> Cow<'_, str> {
        const LONGEST: usize = 200;
        match self.text.char_indices().nth(LONGEST) {
            None => Cow::Borrowed(&self.text),
            Some(_) => self.text.chars().take(LONGEST - 1).chain(['…']).collect::<String>().into(),
        }
    }
}

impl Structure {
    /// Scans a body.
    ///
    /// Takes time and memory linear in the body, whatever it holds.
    #[must_use]
    pub fn scan(body: &str) -> Self {
        scanner::scan(body)
    }

    /// The index of the heading whose section holds a byte offset.
    #[must_use]
    pub fn section_at(&self, offset: usize) -> Option<usize> {
        section_at(&self.headings, offset)
    }

    /// The bytes of a heading's section: up to the next heading of the same or a higher level.
    #[must_use]
    pub fn subtree(&self, heading: usize, body_len: usize) -> Range<usize> {
        let this = &self.headings[heading];
        let end = self.headings[heading + 1..]
            .iter()
            .find(|next| next.level <= this.level)
            .map_or(body_len, |next| next.span.start);
        this.span.start..end
    }
}

/// The index of the heading whose section holds a byte offset.
pub(crate) fn section_at(headings: &[Heading], offset: usize) -> Option<usize> {
    headings.partition_point(|heading| heading.span.start <= offset).checked_sub(1)
}
