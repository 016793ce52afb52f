//! Changes to a list item by item: what stays the same keeps its bytes, its comment and its place.

use super::{ObstacleKind, broken, ending, of_node, properties};
use crate::frontmatter::extent::{colon, end, indentation, is_flow, line_end, line_start};
use crate::frontmatter::print::{self, Long};
use crate::frontmatter::{Entry, Kind, Node, Style, Value};
use crate::splice::Splice;

/// A list in the text.
pub(super) struct List<'a> {
    text: &'a str,
    node: &'a Node,
    items: &'a [Node],
    /// The dash of each item of a block list; `None` for `[…]`.
    dashes: Option<Vec<usize>>,
    long: Long,
}

impl<'a> List<'a> {
    /// The list that an entry's value is; `None` when its dashes are not where they are looked for.
    pub(super) fn new(text: &'a str, entry: &'a Entry, items: &'a [Node], long: Long) -> Option<Self> {
        let dashes = if is_flow(text, &entry.value) { None } else { Some(dashes(text, entry, items)?) };
        Some(Self { text, node: &entry.value, items, dashes, long })
    }

    /// Makes the list one of these values: common beginnings and ends stay, items between are replaced in
    /// pairs, and the surplus is added or taken away behind them.
    pub(super) fn turn_into(&self, values: &[Value]) -> Result<Vec<Splice>, ObstacleKind> {
        let items = self.items;
        let most = items.len().min(values.len());
        let prefix = values.iter().zip(items).take_while(|(value, item)| value.reads_as(item)).count();
        let suffix = (values.iter().rev().zip(items.iter().rev()))
            .take(most - prefix)
            .take_while(|(value, item)| value.reads_as(item))
            .count();
        let old = prefix..items.len() - suffix;
        let new = &values[prefix..values.len() - suffix];
        if let Some(kind) = items[old.clone()].iter().find_map(properties) {
            return Err(kind);
        }
        let pairs = old.len().min(new.len());
        let mut splices: Vec<Splice> = (0..pairs).map(|n| self.replace(prefix + n, &new[n])).collect();
        splices.extend(if new.len() > pairs {
            self.insert(prefix + pairs, &new[pairs..])?
        } else {
            self.delete(prefix + pairs, old.end)
        });
        Ok(splices)
    }

    /// Adds values before the item at an index.
    pub(super) fn insert(&self, at: usize, values: &[Value]) -> Result<Vec<Splice>, ObstacleKind> {
        match &self.dashes {
            Some(dashes) => Ok(vec![self.insert_lines(dashes, at, values)]),
            None => self.insert_in_flow(at, values),
        }
    }

    fn replace(&self, at: usize, value: &Value) -> Splice {
        let old = &self.items[at];
        let Some(dashes) = &self.dashes else {
            return Splice { range: old.span.start..end(self.text, old), text: self.flow(value, Some(old)) };
        };
        let dash = dashes[at];
        match (value, &old.kind) {
            (Value::Text(text), Kind::Scalar(scalar))
                if !old.span.is_empty()
                    && !matches!(scalar.style, Style::Literal | Style::Folded)
                    && !self.long.is_literal(text) =>
            {
                Splice { range: old.span.clone(), text: self.spelled(text, Some(old), false) }
            }
            _ => {
                let range = line_start(self.text, dash)..self.item_end(dashes, at);
                let lines = print::item(value, indentation(self.text, dash), self.gap(dashes), self.long);
                Splice { range, text: broken(self.text, &lines, dash) }
            }
        }
    }

    fn delete(&self, from: usize, to: usize) -> Vec<Splice> {
        if from == to {
            return Vec::new();
        }
        match &self.dashes {
            Some(dashes) => (from..to)
                .map(|at| Splice::delete(line_start(self.text, dashes[at])..self.item_end(dashes, at)))
                .collect(),
            None => self.delete_in_flow(from, to),
        }
    }

    fn insert_lines(&self, dashes: &[usize], at: usize, values: &[Value]) -> Splice {
        let column = indentation(self.text, dashes[0]);
        let lines: Vec<String> = values
            .iter()
            .map(|value| match value {
                Value::Text(text) if !self.long.is_literal(text) => {
                    let blanks = " ".repeat(self.gap(dashes));
                    let spelled = self.spelled(text, self.items.last(), false);
                    format!("{}-{blanks}{spelled}", " ".repeat(column))
                }
                value => print::item(value, column, self.gap(dashes), self.long),
            })
            .collect();
        let place = match at.checked_sub(1) {
            Some(before) => self.item_end(dashes, before),
            None => line_start(self.text, dashes[0]),
        };
        Splice::insert(place, broken(self.text, &lines.join("\n"), dashes[0]))
    }

    fn insert_in_flow(&self, at: usize, values: &[Value]) -> Result<Vec<Splice>, ObstacleKind> {
        let spelled = values.iter().map(|value| self.flow(value, self.items.last()));
        let Some(first) = self.items.first() else {
            let inner = self.node.span.start + 1..self.node.span.end - 1;
            if self.text[inner.clone()].contains('#') {
                return Err(ObstacleKind::Layout);
            }
            return Ok(vec![Splice { range: inner, text: spelled.collect::<Vec<_>>().join(", ") }]);
        };
        let separator = self.separator();
        match at.checked_sub(1) {
            Some(before) => {
                let text = spelled.map(|item| format!("{separator}{item}")).collect();
                Ok(vec![Splice::insert(end(self.text, &self.items[before]), text)])
            }
            // An anchor or a tag would go over to the new item.
            None if !first.alias && of_node(first).is_some() => Err(ObstacleKind::Layout),
            None => {
                let text = spelled.map(|item| format!("{item}{separator}")).collect();
                Ok(vec![Splice::insert(first.span.start, text)])
            }
        }
    }

    fn delete_in_flow(&self, from: usize, to: usize) -> Vec<Splice> {
        let (text, items) = (self.text, self.items);
        let whole = match (from.checked_sub(1), items.get(to)) {
            (_, Some(next)) if of_node(next).is_none() || next.alias => items[from].span.start..next.span.start,
            (Some(before), None) => end(text, &items[before])..end(text, &items[to - 1]),
            (None, None) => self.node.span.start + 1..self.node.span.end - 1,
            (_, Some(_)) => 0..0,
        };
        if !whole.is_empty() && !text[whole.clone()].contains('#') {
            return vec![Splice::delete(whole)];
        }
        // Between comments: each item goes with the comma behind it.
        let one = |item: &Node| {
            let behind = end(text, item);
            let rest = text[behind..].trim_start();
            let comma = text.len() - rest.len() + 1;
            Splice::delete(item.span.start..if rest.starts_with(',') { comma } else { behind })
        };
        items[from..to].iter().map(one).collect()
    }

    /// What stands between two items, as it does in this list.
    fn separator(&self) -> String {
        let text = self.text;
        let start = self.items[0].span.start;
        let opening = self.node.span.start;
        if line_start(text, start) > opening && text[line_start(text, start)..start].trim().is_empty() {
            return format!(",{}{}", ending(text, start), " ".repeat(indentation(text, start)));
        }
        match self.items {
            [first, second, ..] if text[end(text, first)..second.span.start] == *"," => ",".to_owned(),
            _ => ", ".to_owned(),
        }
    }

    /// Behind the last line of an item of a block list.
    fn item_end(&self, dashes: &[usize], at: usize) -> usize {
        line_end(self.text, end(self.text, &self.items[at]).max(dashes[at] + 1))
    }

    /// How many blanks stand between a dash and its item.
    fn gap(&self, dashes: &[usize]) -> usize {
        let between = self.text.get(dashes[0] + 1..self.items[0].span.start).unwrap_or_default();
        if between.is_empty() || between.len() > 8 || between.contains(|c| c != ' ') { 1 } else { between.len() }
    }

    fn flow(&self, value: &Value, like: Option<&Node>) -> String {
        match value {
            Value::Text(text) => self.spelled(text, like, true),
            value => print::flow(value),
        }
    }

    /// A text as another item of the list already spells it, else in the style of its neighbour.
    fn spelled(&self, text: &str, like: Option<&Node>, in_flow: bool) -> String {
        let style_of = |node: &Node| match &node.kind {
            Kind::Scalar(scalar) if of_node(node).is_none() => Some(scalar.style),
            _ => None,
        };
        let value = Value::from(text);
        let again = self.items.iter().find(|item| {
            style_of(item) == Some(Style::Plain)
                && value.reads_as(item)
                && !self.text[item.span.clone()].contains(['\n', '\r'])
        });
        match again {
            Some(item) => self.text[item.span.clone()].to_owned(),
            None => print::scalar(text, like.and_then(style_of).unwrap_or(Style::Plain), in_flow),
        }
    }
}

/// Where the dashes of a block list stand: each is the first thing on its line.
fn dashes(text: &str, entry: &Entry, items: &[Node]) -> Option<Vec<usize>> {
    let mut from = colon(text, entry)?;
    items
        .iter()
        .map(|item| {
            let dash = next_content(text, from);
            let is_first = line_start(text, dash) + indentation(text, dash) == dash;
            from = end(text, item).max(dash + 1);
            (is_first && text[dash..].starts_with('-')).then_some(dash)
        })
        .collect()
}

/// The next place that holds neither a blank nor a line break nor a comment.
fn next_content(text: &str, from: usize) -> usize {
    let mut at = from;
    loop {
        let rest = text[at..].trim_start_matches([' ', '\t', '\n', '\r']);
        at = text.len() - rest.len();
        if !rest.starts_with('#') {
            return at;
        }
        at = line_end(text, at);
    }
}
