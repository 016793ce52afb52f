//! One pass over the parser's events.

use std::borrow::Cow;
use std::mem;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};

use super::items::Items;
use super::plain::PlainText;
use super::{Block, BlockKind, Footnote, Heading, Link, Structure, autolink};

/// What a body is read as.
pub(super) fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

pub(super) fn scan(body: &str) -> Structure {
    let body = with_line_feeds(body);
    let mut scanner = Scanner { body: &body, ..Scanner::default() };
    for (event, span) in Parser::new_ext(&body, options()).into_offset_iter() {
        scanner.event(&event, span);
    }
    scanner.finish()
}

/// The body with lone carriage returns as line feeds: the parser ends most lines at either, but not
/// those of a fence. Offsets stay.
fn with_line_feeds(body: &str) -> Cow<'_, str> {
    let is_lone = |at: usize| body.as_bytes().get(at + 1) != Some(&b'\n');
    if !memchr::memchr_iter(b'\r', body.as_bytes()).any(is_lone) {
        return Cow::Borrowed(body);
    }
    body.char_indices().map(|(at, c)| if c == '\r' && is_lone(at) { '\n' } else { c }).collect::<String>().into()
}

#[derive(Default)]
struct Scanner<'a> {
    body: &'a str,
    headings: Vec<Heading>,
    blocks: Vec<Block>,
    links: Vec<Link>,
    references: Vec<Footnote>,
    definitions: Vec<Footnote>,
    /// Open blocks, and how many of them are neither a list nor an item.
    depth: usize,
    foreign: usize,
    items: Items,
    heading: Option<PlainText>,
    link: Option<PlainText>,
    images: usize,
    in_code: bool,
    /// Adjoining text events: the parser splits text at every character that might have meant something.
    run: Range<usize>,
}

impl Scanner<'_> {
    fn event(&mut self, event: &Event<'_>, span: Range<usize>) {
        for text in [&mut self.heading, &mut self.link].into_iter().flatten() {
            text.add(event);
        }
        if let Event::Text(_) = event {
            return self.extend_run(span);
        }
        self.flush_run();
        match event {
            Event::Start(Tag::Link { link_type, dest_url, .. }) => self.start_link(*link_type, dest_url, span),
            Event::Start(Tag::Emphasis | Tag::Strong | Tag::Strikethrough) => self.items.opening_mark(&span),
            Event::Start(Tag::Image { .. }) => {
                self.images += 1;
                self.items.inline(&span);
            }
            Event::Start(tag) => self.start_block(tag, span),
            Event::End(TagEnd::Link) => self.end_link(&span),
            Event::End(TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough) => self.items.closing_mark(&span),
            Event::End(TagEnd::Image) => self.images = self.images.saturating_sub(1),
            Event::End(tag) => self.end_block(*tag),
            Event::FootnoteReference(label) => {
                self.items.inline(&span);
                self.references.push(Footnote { label: label.as_ref().into(), span });
            }
            Event::Rule if self.depth == 0 => self.blocks.push(Block { kind: BlockKind::Rule, span }),
            Event::Rule => self.items.end_paragraph(),
            Event::Code(_) | Event::InlineHtml(_) => self.items.inline(&span),
            _ => {}
        }
    }

    fn start_block(&mut self, tag: &Tag<'_>, span: Range<usize>) {
        match tag {
            Tag::Paragraph => {}
            Tag::Item if self.foreign == 0 => self.items.start_item(span.clone()),
            _ => self.items.end_paragraph(),
        }
        match tag {
            Tag::List(first) if self.foreign == 0 => self.items.start_list(first.is_some()),
            Tag::CodeBlock(_) => self.in_code = true,
            Tag::FootnoteDefinition(label) => {
                let length = self.body[span.clone()].find("]:").map_or(span.len(), |at| at + 1);
                let span = span.start..span.start + length;
                self.definitions.push(Footnote { label: label.as_ref().into(), span });
            }
            _ => {}
        }
        if self.depth == 0 {
            let kind = self.top_level(tag, &span);
            self.blocks.push(Block { kind, span });
        }
        self.depth += 1;
        self.foreign += usize::from(!matches!(tag, Tag::List(_) | Tag::Item));
    }

    fn top_level(&mut self, tag: &Tag<'_>, span: &Range<usize>) -> BlockKind {
        match tag {
            Tag::Heading { level, .. } => {
                self.heading = Some(PlainText::default());
                self.headings.push(Heading { level: *level as u8, text: Box::default(), span: span.clone() });
                BlockKind::Heading(self.headings.len() - 1)
            }
            Tag::List(first) => BlockKind::List { ordered: first.is_some(), items: Box::default() },
            Tag::CodeBlock(kind) => BlockKind::Code { fenced: matches!(kind, CodeBlockKind::Fenced(_)) },
            Tag::HtmlBlock => BlockKind::Html,
            Tag::FootnoteDefinition(_) => BlockKind::FootnoteDefinition,
            _ => BlockKind::Prose,
        }
    }

    fn end_block(&mut self, tag: TagEnd) {
        self.depth = self.depth.saturating_sub(1);
        self.foreign = self.foreign.saturating_sub(usize::from(!matches!(tag, TagEnd::List(_) | TagEnd::Item)));
        match tag {
            TagEnd::Paragraph => self.items.end_paragraph(),
            TagEnd::CodeBlock => self.in_code = false,
            TagEnd::Heading(_) => {
                if let (Some(text), Some(heading)) = (self.heading.take(), self.headings.last_mut()) {
                    heading.text = text.finish();
                }
            }
            TagEnd::Item if self.foreign == 0 => self.items.end_item(self.body),
            TagEnd::List(_) if self.foreign == 0 => {
                let complete = self.items.end_list();
                if let (Some(found), Some(Block { kind: BlockKind::List { items, .. }, .. })) =
                    (complete, self.blocks.last_mut())
                {
                    *items = found;
                }
            }
            _ => {}
        }
    }

    fn start_link(&mut self, link_type: LinkType, destination: &str, span: Range<usize>) {
        if self.images > 0 || link_type == LinkType::Email {
            return self.items.inline(&span);
        }
        // The parser leaves the brackets of a collapsed reference out.
        let brackets = link_type == LinkType::Collapsed && self.body[span.end..].starts_with("[]");
        let span = span.start..span.end + if brackets { 2 } else { 0 };
        self.link = Some(PlainText::default());
        self.items.start_link(self.links.len(), &span);
        self.links.push(Link { destination: destination.into(), label: Box::default(), span });
    }

    fn end_link(&mut self, span: &Range<usize>) {
        match (self.link.take(), self.links.last_mut()) {
            (Some(text), Some(link)) => {
                link.label = text.finish();
                self.items.end_link(link.span.end);
            }
            _ => self.items.inline(span),
        }
    }

    fn extend_run(&mut self, span: Range<usize>) {
        if self.in_code {
            return;
        }
        if self.run.end != span.start {
            self.flush_run();
            self.run.start = span.start;
        }
        self.run.end = span.end;
    }

    fn flush_run(&mut self) {
        let mut run = mem::take(&mut self.run);
        if self.images == 0 {
            for span in autolink::undefined_footnotes(self.body, run.clone()) {
                let label = self.body[span.start + 2..span.end - 1].into();
                self.references.push(Footnote { label, span });
            }
        }
        if self.images == 0 && self.link.is_none() {
            for span in autolink::bare_urls(self.body, run.clone()) {
                self.text(run.start..span.start);
                run.start = span.end;
                self.bare_url(span);
            }
        }
        self.text(run);
    }

    fn bare_url(&mut self, span: Range<usize>) {
        let label = self.body[span.clone()].replace("&amp;", "&");
        let destination = if label.starts_with("www.") { format!("http://{label}") } else { label.clone() };
        self.items.start_link(self.links.len(), &span);
        self.items.end_link(span.end);
        self.links.push(Link { destination: destination.into(), label: label.into(), span });
    }

    fn text(&mut self, span: Range<usize>) {
        if !self.body[span.clone()].trim().is_empty() {
            self.items.inline(&span);
        }
    }

    fn finish(mut self) -> Structure {
        self.flush_run();
        Structure {
            headings: self.headings.into(),
            blocks: self.blocks.into(),
            links: self.links.into(),
            footnote_references: self.references.into(),
            footnote_definitions: self.definitions.into(),
        }
    }
}
