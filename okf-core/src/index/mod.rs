//! `index.md`: directory listings (spec §8, contract §6).

mod generate;
mod in_place;
#[cfg(test)]
pub(crate) mod tests;
mod update;
mod upkeep;
mod version;
mod view;

use std::ops::Range;

use crate::markdown::{BlockKind, Item, Structure, plain};

pub use generate::{GENERIC_HEADINGS, generate};
pub use update::{IndexPlan, plan, update};
pub use upkeep::upkeep;
pub use version::declare_version;

/// What an index lists, and where in its body. All spans are bytes of the body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexDocument {
    /// Entries that stand before any heading.
    pub loose: Vec<Entry>,
    /// The sections in order; every heading starts one.
    pub sections: Vec<Section>,
    /// What is neither heading nor entry: paragraphs, tables, code, list items without a link.
    pub prose: Vec<Range<usize>>,
    /// List items that look like an entry but hold no link, as in `* [A](my file.md)`.
    pub malformed: Vec<Range<usize>>,
}

/// A heading and what follows it up to the next heading of any level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The heading's text, rendered plain.
    pub heading: Box<str>,
    /// The heading's level, 1 to 6.
    pub level: u8,
    /// The heading itself, its line break included.
    pub heading_span: Range<usize>,
    /// The section, heading included.
    pub span: Range<usize>,
    /// Its entries in order, nested ones included.
    pub entries: Vec<Entry>,
}

/// A bullet that starts with a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The link's label, rendered plain.
    pub label: Box<str>,
    /// The link's destination as CommonMark decodes it, percent escapes still in it.
    pub destination: Box<str>,
    /// The text behind the link and its separator, rendered plain; empty when there is none.
    pub description: Box<str>,
    /// The whole item, what is nested in it included.
    pub span: Range<usize>,
    /// The link.
    pub link_span: Range<usize>,
    /// The description as written; empty, at its place, when there is none.
    pub description_span: Range<usize>,
}

impl IndexDocument {
    /// Reads the body of an index.
    #[must_use]
    pub fn parse(body: &str) -> Self {
        Self::read(body, &Structure::scan(body))
    }

    /// Reads the body of an index whose structure is known.
    #[must_use]
    pub fn read(body: &str, structure: &Structure) -> Self {
        let mut index = Self::default();
        for (at, heading) in structure.headings.iter().enumerate() {
            let end = structure.headings.get(at + 1).map_or(body.len(), |next| next.span.start);
            index.sections.push(Section {
                heading: heading.text.clone(),
                level: heading.level,
                heading_span: heading.span.clone(),
                span: heading.span.start..end,
                entries: Vec::new(),
            });
        }
        for block in &structure.blocks {
            match &block.kind {
                BlockKind::List { items, .. } => {
                    let section = structure.section_at(block.span.start);
                    items.iter().for_each(|item| index.add(body, structure, section, item));
                }
                BlockKind::Heading(_) | BlockKind::Rule => {}
                BlockKind::Html if is_comment(&body[block.span.clone()]) => {}
                _ => index.prose.push(block.span.clone()),
            }
        }
        index
    }

    /// The first heading, when it is the index's title rather than a section: it has no entries, and
    /// other headings follow.
    #[must_use]
    pub fn title(&self) -> Option<&Section> {
        let first = self.sections.first()?;
        (first.entries.is_empty() && self.sections.len() > 1).then_some(first)
    }

    /// Every entry, in order.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.loose.iter().chain(self.sections.iter().flat_map(|section| &section.entries))
    }

    fn add(&mut self, body: &str, structure: &Structure, section: Option<usize>, item: &Item) {
        let Some(link) = item.leading_link.filter(|_| !item.ordered).map(|at| &structure.links[at]) else {
            let looks_like_link = !item.ordered && is_malformed_link(&body[item.rest.clone()]);
            let kind = if looks_like_link { &mut self.malformed } else { &mut self.prose };
            return kind.push(item.span.clone());
        };
        let entries = match section {
            Some(section) => &mut self.sections[section].entries,
            None => &mut self.loose,
        };
        entries.push(Entry {
            label: link.label.clone(),
            destination: link.destination.clone(),
            description: plain(&body[item.rest.clone()]).into(),
            span: item.span.clone(),
            link_span: link.span.clone(),
            description_span: item.rest.clone(),
        });
    }
}

/// Whether an HTML block is a comment, which says nothing to a reader.
pub(crate) fn is_comment(html: &str) -> bool {
    let html = html.trim();
    html.starts_with("<!--") && html.ends_with("-->")
}

/// Whether text starts as an inline link would whose destination CommonMark does not take.
fn is_malformed_link(text: &str) -> bool {
    let destination = text.strip_prefix('[').and_then(|rest| rest.split_once("](")).map(|(_, destination)| destination);
    destination.is_some_and(|destination| destination.lines().next().is_some_and(|line| line.contains(')')))
}
