//! Rendering inline Markdown as plain text on one line.

use pulldown_cmark::{Event, Parser};

use super::scanner::options;

/// Renders a piece of inline Markdown as plain text on one line.
///
/// Marks of emphasis, code and links go, their text stays; raw HTML goes; runs of white space become
/// one space.
///
/// ```
/// assert_eq!(okf_core::markdown::plain("# of *open* `orders`, [see](a.md)"), "# of open orders, see");
/// ```
#[must_use]
pub fn plain(markdown: &str) -> String {
    // Behind a full stop nothing can start a block, and emphasis opens as it does at a line's start.
    let guarded = format!(".{markdown}");
    let mut text = PlainText::default();
    for event in Parser::new_ext(&guarded, options()) {
        text.add(&event);
    }
    let rendered = text.finish();
    rendered.strip_prefix('.').unwrap_or(&rendered).trim_start().to_owned()
}

/// Collects the text of events.
#[derive(Default)]
pub(super) struct PlainText(String);

impl PlainText {
    pub(super) fn add(&mut self, event: &Event<'_>) {
        match event {
            Event::Text(text) | Event::Code(text) => self.0.push_str(text),
            Event::FootnoteReference(label) => {
                self.0.push_str("[^");
                self.0.push_str(label);
                self.0.push(']');
            }
            Event::SoftBreak | Event::HardBreak => self.0.push(' '),
            _ => {}
        }
    }

    /// The text so far, with runs of white space as one space.
    pub(super) fn finish(&self) -> Box<str> {
        let mut line = String::with_capacity(self.0.len());
        for word in self.0.split_whitespace() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        line.into_boxed_str()
    }
}
