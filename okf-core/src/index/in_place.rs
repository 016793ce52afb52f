//! Editing an index that people wrote: what they wrote stays byte for byte.

mod additions;

use std::collections::BTreeSet;
use std::ops::Range;

use super::update::in_directory;
use super::view::{Item, Target, View, children, is_summary};
use super::{Entry, IndexDocument};
use crate::document::Document;
use crate::frontmatter::{Fences, fences};
use crate::markdown::{Heading, Structure, content_end, escape, line_break, line_start, one_line, plain, unescape};
use crate::splice::{Splice, spliced};

/// Which entries are brought up to date.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scope<'a> {
    /// All of them; those whose target is gone are dropped.
    All,
    /// Those that lead to one of these; nothing is dropped.
    Only(&'a BTreeSet<Target>),
}

impl Scope<'_> {
    fn contains(self, target: &Target) -> bool {
        match self {
            Self::All => true,
            Self::Only(targets) => targets.contains(target),
        }
    }
}

/// Whether a text would be read as beginning with a frontmatter: a rule that lost what stood above it.
fn opens_like_frontmatter(text: &str) -> bool {
    fences(text) != Fences::Absent
}

/// The text of the whole file after the edits; `None` when there are none.
pub(super) fn edit(
    old: &mut View<'_>,
    new: &mut View<'_>,
    document: &Document,
    index: &IndexDocument,
    directory: &str,
    scope: Scope<'_>,
) -> Option<String> {
    let (body, text) = (document.body(), document.text().as_str());
    let line_break = line_break(if body.contains(['\n', '\r']) { body } else { text });
    let structure = document.structure();
    let page = Page { body, structure: &structure, index, line_break };
    let revised = page.revised(old, new, directory, scope);
    let structure = revised.as_deref().map(Structure::scan);
    let body = revised.as_deref().unwrap_or(page.body);
    let structure = structure.as_ref().unwrap_or(page.structure);
    let page = Page { body, structure, index: &IndexDocument::read(body, structure), line_break };
    let additions = page.additions(&missing(new, structure, directory, scope));
    if revised.is_none() && additions.is_empty() {
        return None;
    }
    let head = &text[..document.body_start()];
    // The closing fence may be the last line of the file, without a break of its own.
    let parting = if head.is_empty() || head.ends_with(['\n', '\r']) { "" } else { line_break };
    Some([document.text().mark(), head, parting, &edited(page.body, additions)].concat())
}

/// What is known of a target in one state; `None` when it is not there or cannot be read.
fn told(view: &mut View<'_>, target: &Target) -> Option<Item> {
    match target {
        Target::Concept(path) => view.readable(path).and_then(|_| view.item(target)),
        Target::Directory(path) if path.is_empty() || !view.bundle().has_directory(path) => None,
        _ => view.item(target),
    }
}

/// The entries that the index lacks, sorted. A link anywhere lists what it leads to, and a directory is
/// listed by a link to anything below it.
fn missing(new: &mut View<'_>, structure: &Structure, directory: &str, scope: Scope<'_>) -> BTreeSet<Item> {
    let links = structure.links.iter();
    let listed: BTreeSet<String> = links
        .filter_map(|link| match new.target(directory, &link.destination) {
            Target::Concept(path) | Target::Directory(path) | Target::Other(Some(path)) => Some(path),
            Target::Gone | Target::Other(None) => None,
        })
        .collect();
    let is_listed = |target: &Target| match target {
        Target::Concept(path) => listed.contains(path),
        Target::Directory(path) => {
            let below = format!("{path}/");
            listed.contains(path) || listed.range(below.clone()..).next().is_some_and(|path| path.starts_with(&below))
        }
        Target::Gone | Target::Other(_) => true,
    };
    let wanted: Vec<Target> = match scope {
        Scope::All => children(new.bundle(), directory),
        Scope::Only(targets) => in_directory(targets, directory).cloned().collect(),
    };
    wanted.iter().filter(|target| !is_listed(target)).filter_map(|target| new.item(target)).collect()
}

/// The body with splices made that may come in any order; what goes in at one place keeps its own.
fn edited(body: &str, mut splices: Vec<Splice>) -> String {
    splices.sort_by_key(|splice| splice.range.start);
    spliced(body, &splices)
}

/// An entry's link as the text of its label.
fn unlinked(entry: &Entry) -> Splice {
    Splice { range: entry.link_span.clone(), text: escape(&entry.label) }
}

/// The body of an index and how it is read.
struct Page<'a> {
    body: &'a str,
    structure: &'a Structure,
    index: &'a IndexDocument,
    /// How new lines end.
    line_break: &'static str,
}

impl Page<'_> {
    /// The body with entries refreshed and dropped; `None` when none is.
    fn revised(&self, old: &mut View<'_>, new: &mut View<'_>, directory: &str, scope: Scope<'_>) -> Option<String> {
        let mut refreshed = Vec::new();
        let mut gone = Vec::new();
        for entry in self.index.entries() {
            let target = new.target(directory, &entry.destination);
            if matches!((scope, &target), (Scope::All, Target::Gone)) {
                gone.push(entry);
            } else if scope.contains(&target)
                && let (Some(before), Some(after)) = (told(old, &target), told(new, &target))
            {
                refreshed.extend(self.refresh(entry, &target, &before, &after));
            }
        }
        // Nothing that is refreshed lies in lines that are taken out: those hold nothing else.
        let without = |removals| edited(self.body, [refreshed.clone(), removals].concat());
        // Taking a line out can make its neighbours mean something else; then its link alone goes.
        let revised = Some(without(self.removals(&gone)))
            .filter(|revised| gone.is_empty() || (self.keeps_headings(revised) && !opens_like_frontmatter(revised)))
            .unwrap_or_else(|| without(gone.iter().map(|entry| unlinked(entry)).collect()));
        (revised != self.body).then_some(revised)
    }

    /// Refreshes a label and description that still equal what they were before.
    fn refresh(&self, entry: &Entry, target: &Target, before: &Item, after: &Item) -> Vec<Splice> {
        let mut splices = Vec::new();
        if before.title != after.title
            && let Some(range) = self.label(entry).filter(|range| says(&self.body[range.clone()], &before.title))
        {
            splices.push(Splice { range, text: escape(&after.title) });
        }
        let is_generated = matches!(target, Target::Directory(_)) && is_summary(&entry.description);
        let written = &self.body[entry.description_span.clone()];
        let equals_before = before.description != after.description && says(written, &before.description);
        // Something stands there that does not show, such as a comment.
        let is_hidden = entry.description.is_empty() && !entry.description_span.is_empty();
        if (equals_before || is_generated) && !is_hidden && *entry.description != after.description {
            splices.push(self.describe(entry, &after.description));
        }
        splices
    }

    /// The bytes of an entry's label, when its link is an inline one.
    fn label(&self, entry: &Entry) -> Option<Range<usize>> {
        let link = &self.body[entry.link_span.clone()];
        let label = &link[..link.rfind("](")?].strip_prefix('[')?;
        let start = entry.link_span.start + 1;
        (plain(label) == *entry.label).then(|| start..start + label.len())
    }

    fn describe(&self, entry: &Entry, description: &str) -> Splice {
        let at = entry.description_span.clone();
        let text = escape(description);
        if at.is_empty() {
            return Splice { range: at, text: format!(" - {text}") };
        }
        if !text.is_empty() {
            return Splice { range: at, text };
        }
        // The separator goes too.
        let before = self.body[entry.link_span.end..at.start].trim_end();
        let before = before.strip_suffix(['-', '–', '—', ':']).unwrap_or(before).trim_end();
        Splice { range: entry.link_span.end + before.len()..at.end, text }
    }

    /// Takes entries out: whole lines where they hold nothing else, otherwise the link alone.
    fn removals(&self, gone: &[&Entry]) -> Vec<Splice> {
        let mut removals: Vec<Splice> = Vec::new();
        // From the last: what is nested in an entry comes behind it, and may go with it.
        for entry in gone.iter().rev() {
            let Range { start, end } =
                line_start(self.body, entry.span.start)..content_end(self.body, entry.span.clone());
            let is_blank = |from: usize, to: usize| self.body.get(from..to).is_some_and(|text| text.trim().is_empty());
            let described = entry.link_span.end..entry.description_span.end.max(entry.link_span.end);
            // A link in the description is somebody's, and may be what lists its target.
            let mut is_alone = is_blank(start, entry.span.start) && !self.holds_link(&described);
            let mut rest = described.end;
            for nested in removals.iter().rev().take_while(|nested| nested.range.start < end) {
                is_alone &= nested.text.is_empty() && is_blank(rest, nested.range.start);
                rest = nested.range.end;
            }
            if is_alone && is_blank(rest, end) {
                while removals.pop_if(|nested| nested.range.start < end).is_some() {}
                removals.push(Splice::delete(start..end));
            } else {
                removals.push(unlinked(entry));
            }
        }
        removals
    }

    fn holds_link(&self, stretch: &Range<usize>) -> bool {
        let links = &self.structure.links;
        let next = links.partition_point(|link| link.span.start < stretch.start);
        links.get(next).is_some_and(|link| link.span.start < stretch.end)
    }

    /// Whether the headings of an edited body are those of this one.
    fn keeps_headings(&self, edited: &str) -> bool {
        let after = Structure::scan(edited).headings;
        let told = |headings: &[Heading]| -> Vec<_> {
            headings.iter().map(|heading| (heading.level, heading.text.clone())).collect()
        };
        told(&after) == told(&self.structure.headings)
    }
}

/// Whether a text is written in an index as a field's text is, with escapes or without. One that only renders
/// alike, as code or through an image, is somebody's.
fn says(written: &str, field: &str) -> bool {
    let written = one_line(written);
    written == field || unescape(&written) == field
}
