//! From parser events to a tree, within the limits of contract §2.
//!
//! Aliases share what they stand for and are never expanded; what an expansion would cost is known
//! from the size and height of each anchored node.

use std::ops::Range;
use std::sync::Arc;

use granit_parser::{Event, Options, Parser, ScalarStyle, Span, StructureStyle, Tag};

use super::error::{FrontmatterError, excerpt};
use super::schema;
use super::source::Source;
use super::{Entry, Kind, MAX_ALIAS_BYTES, MAX_BYTES, MAX_LEVELS, MAX_NODES, Mapping, Node, Scalar, Style};
use crate::text::position;

/// Parses the YAML at a place of a text.
pub(super) fn build(text: &str, yaml: Range<usize>) -> Result<Mapping, FrontmatterError> {
    if yaml.len() > MAX_BYTES {
        let message = format!("the frontmatter is {} bytes long; at most {MAX_BYTES} are read", yaml.len());
        return Err(FrontmatterError::beyond(text, yaml.start, message));
    }
    let block = &text[yaml.clone()];
    let mut builder = Builder::new(text, yaml.start);
    for event in Parser::new_from_str_with_options(block, options()) {
        match event {
            Ok((event, span)) => builder.event(event, span)?,
            Err(error) => return Err(FrontmatterError::from_scan(&error, text, yaml)),
        }
    }
    builder.finish()
}

fn options() -> Options {
    granit_parser::options! {
        emit_comments: false,
        // Our own limit of levels comes first; the parser's only bounds its look-ahead.
        flow_nesting_limit: 2 * MAX_LEVELS,
        block_nesting_limit: 2 * MAX_LEVELS,
    }
}

struct Builder<'a> {
    source: Source<'a>,
    /// The collections that are open, outermost first.
    open: Vec<Open>,
    /// What each anchor stands for, by the parser's number; `None` while the node is open.
    anchors: Vec<Option<Anchored>>,
    /// What was read so far, counting what aliases stand for.
    spent: Cost,
    /// Bytes of scalars that aliases stand for so far.
    alias_bytes: usize,
    /// Where the last event ended, in the text.
    last_end: usize,
    documents: usize,
    root: Option<Node>,
}

/// A collection whose end has not been seen.
struct Open {
    items: Items,
    anchor: usize,
    is_tagged: bool,
    start: usize,
    is_flow: bool,
    spent_before: Cost,
    /// Levels below this one.
    height: usize,
}

enum Items {
    Sequence(Vec<Node>),
    Mapping { entries: Vec<Entry>, key: Option<(Scalar, Range<usize>)> },
}

#[derive(Clone)]
struct Anchored {
    kind: Kind,
    cost: Cost,
    height: usize,
}

/// What it would take to write a node out in full.
#[derive(Clone, Copy, Default)]
struct Cost {
    nodes: usize,
    /// Bytes of its scalars.
    bytes: usize,
}

impl<'a> Builder<'a> {
    fn new(text: &'a str, base: usize) -> Self {
        Self {
            source: Source { text, base },
            open: Vec::new(),
            anchors: Vec::new(),
            spent: Cost::default(),
            alias_bytes: 0,
            last_end: base,
            documents: 0,
            root: None,
        }
    }

    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), FrontmatterError> {
        let span = self.source.range(&span);
        let end = span.end;
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    let error =
                        FrontmatterError::at(self.source.text, span.start, "a second YAML document starts here");
                    return Err(error.with_hint("a frontmatter is one mapping: remove the separator"));
                }
            }
            Event::Scalar(text, style, anchor, tag) => self.scalar(&text, style, anchor, tag.as_deref(), span)?,
            Event::SequenceStart(style, anchor, tag) => {
                self.begin(Items::Sequence(Vec::new()), style, anchor, tag.is_some(), span.start)?;
            }
            Event::MappingStart(style, anchor, tag) => {
                let items = Items::Mapping { entries: Vec::new(), key: None };
                self.begin(items, style, anchor, tag.is_some(), span.start)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span.end)?,
            Event::Alias(id) => self.alias(id, span)?,
            _ => {}
        }
        self.last_end = self.last_end.max(end);
        Ok(())
    }

    fn finish(self) -> Result<Mapping, FrontmatterError> {
        match self.root {
            None => Ok(Mapping::default()),
            Some(root) if root.is_null() => Ok(Mapping::default()),
            Some(Node { kind: Kind::Mapping(mapping), .. }) => {
                // An anchor on the root may hold a second reference; the tree is then copied shallowly.
                Ok(Arc::try_unwrap(mapping).unwrap_or_else(|shared| (*shared).clone()))
            }
            Some(root) => {
                let found = match root.kind {
                    Kind::Sequence(_) => "a list",
                    _ => "a scalar",
                };
                let message = format!("the frontmatter is {found}, not a mapping");
                Err(FrontmatterError::at(self.source.text, root.span.start, message)
                    .with_hint("write `key: value` lines"))
            }
        }
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        span: Range<usize>,
    ) -> Result<(), FrontmatterError> {
        let style = match style {
            ScalarStyle::SingleQuoted => Style::SingleQuoted,
            ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
            ScalarStyle::Literal => Style::Literal,
            ScalarStyle::Folded => Style::Folded,
            _ => Style::Plain,
        };
        // The parser spells an absent value `~`.
        let text = if style == Style::Plain && span.is_empty() { "" } else { text };
        let span = match style {
            Style::Literal | Style::Folded => self.source.block_scalar(self.last_end, span),
            Style::Plain if span.is_empty() && !self.expects_key() => self.source.absent_value(span.start),
            _ => span,
        };
        let cost = Cost { nodes: 1, bytes: text.len() };
        self.spend(cost, span.start)?;
        let kind = Kind::Scalar(Scalar { text: text.into(), style, schema: schema::resolve(text, style, tag) });
        self.remember(anchor, || Anchored { kind: kind.clone(), cost, height: 0 });
        self.place(Node { span, kind, anchored: anchor != 0, alias: false, tagged: tag.is_some() }, 0)
    }

    fn alias(&mut self, id: usize, span: Range<usize>) -> Result<(), FrontmatterError> {
        let Some(Some(Anchored { kind, cost, height })) = self.anchors.get(id).cloned() else {
            return Err(FrontmatterError::at(
                self.source.text,
                span.start,
                "the alias stands inside the node it refers to",
            ));
        };
        self.spend(cost, span.start)?;
        self.alias_bytes += cost.bytes;
        if self.alias_bytes > MAX_ALIAS_BYTES {
            let message = format!("aliases stand for more than {MAX_ALIAS_BYTES} bytes of text");
            return Err(FrontmatterError::beyond(self.source.text, span.start, message));
        }
        if self.open.len() + height > MAX_LEVELS {
            return Err(FrontmatterError::too_deep(self.source.text, span.start));
        }
        self.place(Node { span, kind, anchored: false, alias: true, tagged: false }, height)
    }

    fn begin(
        &mut self,
        items: Items,
        style: StructureStyle,
        anchor: usize,
        is_tagged: bool,
        start: usize,
    ) -> Result<(), FrontmatterError> {
        if self.expects_key() {
            return Err(self.key_not_scalar(start));
        }
        if self.open.len() >= MAX_LEVELS {
            return Err(FrontmatterError::too_deep(self.source.text, start));
        }
        let spent_before = self.spent;
        self.spend(Cost { nodes: 1, bytes: 0 }, start)?;
        if anchor != 0 {
            self.slot(anchor).take();
        }
        let is_flow = style == StructureStyle::Flow;
        self.open.push(Open { items, anchor, is_tagged, start, is_flow, spent_before, height: 0 });
        Ok(())
    }

    fn end(&mut self, end: usize) -> Result<(), FrontmatterError> {
        let open = self.open.pop().expect("the parser closes only what it opened");
        let (kind, last) = match open.items {
            Items::Sequence(items) => {
                let last = items.last().map(|item| item.span.end);
                (Kind::Sequence(Arc::new(items)), last)
            }
            Items::Mapping { entries, .. } => {
                if let Some((again, first)) = duplicate(&entries) {
                    let message = format!("duplicate key `{}`", excerpt(&entries[again].key));
                    let line = position(self.source.text, entries[first].key_span.start).line;
                    let error = FrontmatterError::at(self.source.text, entries[again].key_span.start, message);
                    return Err(error.with_hint(format!("it first stands on line {line}")));
                }
                let last = entries.last().map(|entry| entry.value.span.end);
                (Kind::Mapping(Arc::new(Mapping { entries })), last)
            }
        };
        // A block collection ends with its last item; the parser reports where the next thing starts.
        let end = if open.is_flow { end } else { last.unwrap_or(open.start) };
        let height = open.height + 1;
        let cost = Cost {
            nodes: self.spent.nodes - open.spent_before.nodes,
            bytes: self.spent.bytes - open.spent_before.bytes,
        };
        self.remember(open.anchor, || Anchored { kind: kind.clone(), cost, height });
        let (anchored, tagged) = (open.anchor != 0, open.is_tagged);
        self.place(Node { span: open.start..end.max(open.start), kind, anchored, alias: false, tagged }, height)
    }

    /// Puts a finished node where it belongs.
    fn place(&mut self, node: Node, height: usize) -> Result<(), FrontmatterError> {
        if self.expects_key() && !matches!(node.kind, Kind::Scalar(_)) {
            return Err(self.key_not_scalar(node.span.start));
        }
        let Some(parent) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        parent.height = parent.height.max(height);
        match &mut parent.items {
            Items::Sequence(items) => items.push(node),
            Items::Mapping { entries, key } => match (key.take(), node) {
                (Some((key, key_span)), value) => {
                    entries.push(Entry { key: key.text.as_ref().into(), key_span, key_style: key.style, value });
                }
                (None, Node { kind: Kind::Scalar(scalar), span, .. }) => *key = Some((scalar, span)),
                (None, _) => unreachable!("a key that is no scalar was refused above"),
            },
        }
        Ok(())
    }

    fn expects_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { items: Items::Mapping { key: None, .. }, .. }))
    }

    fn spend(&mut self, cost: Cost, offset: usize) -> Result<(), FrontmatterError> {
        self.spent.nodes += cost.nodes;
        self.spent.bytes += cost.bytes;
        if self.spent.nodes > MAX_NODES {
            let message = format!("the frontmatter has more than {MAX_NODES} nodes, counting what aliases stand for");
            return Err(FrontmatterError::beyond(self.source.text, offset, message));
        }
        Ok(())
    }

    fn remember(&mut self, anchor: usize, node: impl FnOnce() -> Anchored) {
        if anchor != 0 {
            *self.slot(anchor) = Some(node());
        }
    }

    fn slot(&mut self, anchor: usize) -> &mut Option<Anchored> {
        if self.anchors.len() <= anchor {
            self.anchors.resize_with(anchor + 1, || None);
        }
        &mut self.anchors[anchor]
    }

    fn key_not_scalar(&self, offset: usize) -> FrontmatterError {
        let error = FrontmatterError::at(self.source.text, offset, "a key is a list or a mapping, not a scalar");
        if self.source.text[..offset].ends_with('{') || self.source.text[offset..].starts_with("{{") {
            return error.with_hint("quote a value that holds `{{`");
        }
        error
    }
}

/// The first entry, in file order, whose key stood before, and the entry that had it first.
fn duplicate(entries: &[Entry]) -> Option<(usize, usize)> {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by(|&a, &b| entries[a].key.cmp(&entries[b].key));
    // The sort is stable, so equal keys stand in file order.
    order.windows(2).filter(|pair| entries[pair[0]].key == entries[pair[1]].key).map(|pair| (pair[1], pair[0])).min()
}
