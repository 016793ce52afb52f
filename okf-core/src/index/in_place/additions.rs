//! Where missing entries go in an index that people wrote.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::Page;
use crate::bundle::names::fold;
use crate::index::Section;
use crate::index::generate::{heading, line};
use crate::index::view::Item;
use crate::markdown::{
    BlockKind, appendable_end, break_before, content_end, line_start, parting_after, parting_before,
};
use crate::splice::Splice;

impl Page<'_> {
    /// Adds entries under the sections of their names, or else in new sections at the end.
    pub(super) fn additions(&self, missing: &BTreeSet<Item>) -> Vec<Splice> {
        let mut sections = BTreeMap::<&str, Vec<&Item>>::new();
        for item in missing {
            sections.entry(&item.section).or_default().push(item);
        }
        let mut splices = Vec::new();
        let mut new = Vec::new();
        for (name, items) in sections {
            match self.section(name) {
                Some(section) => splices.push(self.extend(section, &items)),
                None => new.push((name, items)),
            }
        }
        splices.extend(self.append(&new));
        splices
    }

    /// The section of a name, the title of the index aside; one that has entries where there are several.
    fn section(&self, name: &str) -> Option<&Section> {
        let title = self.index.title().map(|title| title.span.start);
        let sections = || self.index.sections.iter().filter(move |section| Some(section.span.start) != title);
        let folded = fold(name);
        let exact = |section: &&Section| *section.heading == *name;
        let alike = |section: &&Section| fold(&section.heading) == folded;
        let filled = |section: &&Section| !section.entries.is_empty();
        sections()
            .filter(exact)
            .find(filled)
            .or_else(|| sections().find(exact))
            .or_else(|| sections().filter(alike).find(filled))
            .or_else(|| sections().find(alike))
    }

    /// Adds entries to a section: behind its last one and in its manner, else behind what else it holds.
    fn extend(&self, section: &Section, items: &[&Item]) -> Splice {
        let body = self.body;
        if let Some(last) = self.last_item(section) {
            let at = content_end(body, last.span.clone());
            let line_start = line_start(body, last.span.start);
            let item = body[last.span.clone()].trim_start_matches(' ');
            let marker = last.span.end - item.len();
            let indent = &body[line_start..marker];
            let mark = item.chars().next().filter(|mark| matches!(mark, '*' | '-' | '+')).unwrap_or('*');
            let bullet = format!("{}{mark} ", if indent.trim().is_empty() { indent } else { "" });
            let gap = if last.is_apart { "\n" } else { "" };
            let block: String = items.iter().map(|item| format!("{gap}{}", line(&bullet, item))).collect();
            return self.at(at, &[break_before(body, at), &block]);
        }
        let stretch = section.heading_span.end..section.span.end;
        let end = content_end(body, stretch.clone());
        let at = if end > appendable_end(body, self.structure) { stretch.start } else { end };
        let block: String = items.iter().map(|item| line("* ", item)).collect();
        self.at(at, &[parting_before(body, at), &block, parting_after(body, at)])
    }

    /// The outer bullet that is a section's last entry or holds it.
    fn last_item(&self, section: &Section) -> Option<LastItem> {
        let last = section.entries.last()?.span.start;
        let items = self.structure.blocks.iter().find_map(|block| match &block.kind {
            BlockKind::List { ordered: false, items } if block.span.contains(&last) => Some(items),
            _ => None,
        })?;
        let outer: Vec<_> = items.iter().filter(|item| item.depth == 0).map(|item| item.span.clone()).collect();
        let at = outer.iter().position(|span| span.contains(&last))?;
        let before = at.checked_sub(1).and_then(|at| outer.get(at).cloned());
        let is_apart = |before| content_end(self.body, before) < line_start(self.body, outer[at].start);
        Some(LastItem { span: outer[at].clone(), is_apart: before.is_some_and(is_apart) })
    }

    /// Adds sections at the end of the body, at the level of those that list something.
    fn append(&self, sections: &[(&str, Vec<&Item>)]) -> Option<Splice> {
        if sections.is_empty() {
            return None;
        }
        let model = self.index.sections.iter().rev().find(|section| !section.entries.is_empty());
        let level = model.map_or(1, |section| section.level);
        let blocks: Vec<String> = sections
            .iter()
            .map(|(name, items)| {
                let entries: String = items.iter().map(|item| line("* ", item)).collect();
                format!("{}\n{entries}", heading(level, name))
            })
            .collect();
        let at = appendable_end(self.body, self.structure);
        let is_bare = self.body.trim().is_empty();
        let before = if is_bare { break_before(self.body, at) } else { parting_before(self.body, at) };
        Some(self.at(at, &[before, &blocks.join("\n"), parting_after(self.body, at)]))
    }

    fn at(&self, at: usize, parts: &[&str]) -> Splice {
        Splice::insert(at, parts.concat().replace('\n', self.line_break))
    }
}

/// A bullet, and whether a blank line parts it from the one before it.
struct LastItem {
    span: Range<usize>,
    is_apart: bool,
}
