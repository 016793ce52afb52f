//! Generating an index (contract §6).

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use super::view::{Item, Target, View, index_of};
use super::{IndexDocument, Section};
use crate::bundle::Bundle;
use crate::document::Document;
use crate::frontmatter::edit::properties;
use crate::frontmatter::print::{self, Long};
use crate::frontmatter::{Entry, Frontmatter, Key, Value};
use crate::markdown::{escape, escape_heading, line_break, one_line};

/// Headings of a root index that say nothing about the bundle, and so are no title of it (contract §9).
pub const GENERIC_HEADINGS: [&str; 7] =
    ["Subdirectories", "Concepts", "Files", "Directories", "Contents", "Index", "Other"];

/// The index of a directory as it is generated: the text of the whole file.
///
/// Sections by type (`Other` when absent) and `Subdirectories`, sorted; in them the entries sorted by title
/// then link. An existing index gives its line endings and byte-order mark, the one at the root its
/// `okf_version` and its title heading too. The same bundle gives the same text, and a bundle that holds
/// the text gives it again.
///
/// ```
/// use okf_core::bundle::Bundle;
///
/// let concept = "---\ntype: Note\ntitle: First steps\ndescription: Start here.\n---\n";
/// let bundle = Bundle::from_files([("a b.md", concept), ("deep/c.md", "---\ntype: Note\n---\n")])?;
/// assert_eq!(
///     okf_core::index::generate(&bundle, ""),
///     "# Note\n\n* [First steps](a%20b.md) - Start here.\n\n# Subdirectories\n\n\
///      * [deep](deep/) - Contains 1 entry: c.\n"
/// );
/// # Ok::<(), okf_core::bundle_path::PathError>(())
/// ```
#[must_use]
pub fn generate(bundle: &Bundle, directory: &str) -> String {
    generated(&mut View::new(bundle), directory)
}

pub(super) fn generated(view: &mut View<'_>, directory: &str) -> String {
    let items = view.items(directory);
    Frame::of(view, directory).around(&items)
}

/// What generation keeps of an index.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    has_bom: bool,
    line_break: &'static str,
    /// What the root's frontmatter says of the version: the lines between the fences.
    version: Option<String>,
    /// The root's title heading as it is written.
    title: Option<String>,
}

impl Frame {
    /// The frame of the index that a directory has.
    pub(super) fn of(view: &View<'_>, directory: &str) -> Self {
        let none = Self { has_bom: false, line_break: "\n", version: None, title: None };
        let Some(document) = index_of(view.bundle(), directory) else { return none };
        let text = document.text();
        let frame = Self { has_bom: text.has_bom(), line_break: line_break(text.as_str()), ..none };
        if !directory.is_empty() {
            return frame;
        }
        Self { version: version(document), title: title(view, document), ..frame }
    }

    /// The frame without the title.
    pub(super) fn untitled(self) -> Self {
        Self { title: None, ..self }
    }

    /// The text of the file with these entries.
    pub(super) fn around(&self, items: &BTreeSet<Item>) -> String {
        let mut text = String::new();
        if let Some(version) = &self.version {
            text.push_str(&format!("---\n{version}\n---\n"));
        }
        if let Some(title) = &self.title {
            open_block(&mut text);
            text.push_str(title);
            text.push('\n');
        }
        let mut section = None;
        for item in items {
            if section != Some(&item.section) {
                section = Some(&item.section);
                open_block(&mut text);
                text.push_str(&heading(1, &item.section));
                text.push('\n');
            }
            text.push_str(&line("* ", item));
        }
        if self.line_break != "\n" {
            text = text.replace('\n', self.line_break);
        }
        if self.has_bom {
            text.insert(0, '\u{feff}');
        }
        text
    }
}

/// The line of an entry, behind its indentation and bullet.
pub(super) fn line(bullet: &str, item: &Item) -> String {
    let Item { title, link, description, .. } = item;
    let separator = if description.is_empty() { "" } else { " - " };
    format!("{bullet}[{}]({link}){separator}{}\n", escape(title), escape(description))
}

/// The line of a section's heading.
pub(super) fn heading(level: u8, section: &str) -> String {
    format!("{} {}\n", "#".repeat(usize::from(level.clamp(1, 6))), escape_heading(section))
}

fn open_block(text: &mut String) {
    if !text.is_empty() {
        text.push('\n');
    }
}

/// The key `okf_version` and its value: as they are written where they read the same by themselves, else in
/// canonical form. What they stand in, be it `{…}` or beside the anchor of an alias, is not kept.
fn version(document: &Document) -> Option<String> {
    let frontmatter = document.frontmatter()?;
    let entry = frontmatter.root.entries.iter().find(|entry| entry.key == "okf_version")?;
    let written = document.text().as_str().get(entry.key_span.start..entry.value.span.end)?;
    Some(if stands_alone(written, entry) {
        written.to_owned()
    } else {
        print::entry(&entry.into(), &Value::from(&entry.value), 0, Long::Literal)
    })
}

/// Whether a line says by itself what an entry says.
fn stands_alone(line: &str, entry: &Entry) -> bool {
    let has_properties = entry.value.alias || properties(&entry.value).is_some();
    if has_properties || line.contains(['\n', '\r']) {
        return false;
    }
    let alone = Frontmatter::parse(line, 0..line.len());
    alone.is_ok_and(|alone| match alone.root.entries.as_slice() {
        [read] => Key::from(read) == Key::from(entry) && Value::from(&read.value) == Value::from(&entry.value),
        _ => false,
    })
}

/// The first heading of level one, unless generation would have written it: it is the bundle's title.
fn title(view: &View<'_>, document: &Document) -> Option<String> {
    let index = IndexDocument::read(document.body(), &document.structure());
    let first = index.sections.iter().find(|section| section.level == 1)?;
    let is_title =
        !first.heading.is_empty() && !GENERIC_HEADINGS.contains(&&*first.heading) && !is_of_type(view, first);
    is_title.then(|| with_line_feeds(document.body()[first.heading_span.clone()].trim_end()))
}

/// Whether all entries directly below a heading are concepts of the type that it names, those aside whose
/// target is gone.
fn is_of_type(view: &View<'_>, section: &Section) -> bool {
    let names = |destination: &str| match view.target("", destination) {
        Target::Concept(path) => {
            let concept_type = view.readable(&path).and_then(|document| document.metadata().concept_type.as_deref());
            concept_type.is_some_and(|found| one_line(found) == *section.heading)
        }
        target => target == Target::Gone,
    };
    !section.entries.is_empty() && section.entries.iter().all(|entry| names(&entry.destination))
}

fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}
