//! Following the items of a list through the events: their leading link, and the text behind it.

use std::mem;
use std::ops::Range;

use super::Item;

/// The items of the top-level list that is open.
#[derive(Default)]
pub(super) struct Items {
    items: Vec<Item>,
    open: Vec<OpenItem>,
    /// Whether each open list is numbered, outermost first.
    lists: Vec<bool>,
}

struct OpenItem {
    index: usize,
    progress: Progress,
}

/// How far an item's first paragraph has been read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    /// Nothing but marks so far, the first of them here.
    Before(Option<usize>),
    /// Inside the leading link.
    Link,
    /// Behind the leading link, with nothing but closing marks since.
    AfterLink,
    /// In the text.
    Rest,
    /// The paragraph is over.
    Done,
}

impl Items {
    pub(super) fn start_list(&mut self, ordered: bool) {
        self.lists.push(ordered);
    }

    /// Ends a list, and gives its items when it was the outermost.
    pub(super) fn end_list(&mut self) -> Option<Box<[Item]>> {
        self.lists.pop();
        self.lists.is_empty().then(|| mem::take(&mut self.items).into_boxed_slice())
    }

    pub(super) fn start_item(&mut self, span: Range<usize>) {
        self.open.push(OpenItem { index: self.items.len(), progress: Progress::Before(None) });
        self.items.push(Item {
            rest: span.end..span.end,
            span,
            depth: u32::try_from(self.lists.len().saturating_sub(1)).unwrap_or(u32::MAX),
            ordered: self.lists.last().copied().unwrap_or(false),
            leading_link: None,
        });
    }

    /// Ends an item and cuts the separator off the text behind its leading link.
    pub(super) fn end_item(&mut self, body: &str) {
        let Some(open) = self.open.pop() else { return };
        let item = &mut self.items[open.index];
        let whole = body[item.rest.clone()].trim_end();
        let end = item.rest.start + whole.len();
        let text = if item.leading_link.is_some() { without_separator(whole) } else { whole.trim_start() };
        item.rest = end - text.len()..end;
    }

    /// A paragraph ends, or a block of another kind starts.
    pub(super) fn end_paragraph(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.progress = Progress::Done;
        }
    }

    /// A link starts that will be recorded under an index.
    pub(super) fn start_link(&mut self, index: usize, span: &Range<usize>) {
        if let Some(OpenItem { index: item, progress: progress @ Progress::Before(_) }) = self.open.last_mut() {
            *progress = Progress::Link;
            self.items[*item].leading_link = Some(index);
            self.items[*item].rest = span.end..span.end;
        } else {
            self.inline(span);
        }
    }

    pub(super) fn end_link(&mut self, end: usize) {
        match self.open.last_mut() {
            Some(OpenItem { progress: progress @ Progress::Link, .. }) => *progress = Progress::AfterLink,
            _ => self.extend(end),
        }
    }

    /// An opening mark of emphasis: it may stand before a leading link.
    pub(super) fn opening_mark(&mut self, span: &Range<usize>) {
        match self.open.last_mut() {
            Some(OpenItem { progress: Progress::Before(first), .. }) => *first = first.or(Some(span.start)),
            _ => self.inline(span),
        }
    }

    /// A closing mark of emphasis: it may stand between a leading link and its separator.
    pub(super) fn closing_mark(&mut self, span: &Range<usize>) {
        match self.open.last() {
            Some(OpenItem { index, progress: Progress::AfterLink }) => self.items[*index].rest = span.end..span.end,
            _ => self.extend(span.end),
        }
    }

    /// Anything else inside a paragraph.
    pub(super) fn inline(&mut self, span: &Range<usize>) {
        let Some(OpenItem { index, progress }) = self.open.last_mut() else { return };
        match *progress {
            Progress::Before(first) => {
                self.items[*index].rest = first.unwrap_or(span.start)..span.end;
                *progress = Progress::Rest;
            }
            Progress::AfterLink => *progress = Progress::Rest,
            Progress::Link | Progress::Rest | Progress::Done => {}
        }
        self.extend(span.end);
    }

    fn extend(&mut self, end: usize) {
        if let Some(OpenItem { index, progress: Progress::Rest }) = self.open.last() {
            let rest = &mut self.items[*index].rest;
            rest.end = rest.end.max(end);
        }
    }
}

/// The text behind a link without what separates the two.
fn without_separator(text: &str) -> &str {
    let text = text.trim_start();
    match text.strip_prefix(['-', '–', '—', ':']) {
        Some(rest) if rest.is_empty() || rest.starts_with(char::is_whitespace) => rest.trim_start(),
        _ => text,
    }
}
