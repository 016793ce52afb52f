//! Collecting the findings of one document.

use crate::document::Document;
use crate::finding::{Finding, Location, Severity};
use crate::text::{Position, Positions};

/// Takes findings by byte offset in the document's text and places them by line and column.
///
/// Linear in the text for each run of ascending offsets, so a file full of faults stays cheap.
pub(super) struct Recorder<'a> {
    document: &'a Document,
    positions: Positions<'a>,
    out: &'a mut Vec<Finding>,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(document: &'a Document, out: &'a mut Vec<Finding>) -> Self {
        Self { document, positions: Positions::new(document.text().as_str()), out }
    }

    /// An error at a byte offset in the text.
    pub(super) fn error(&mut self, id: &'static str, offset: usize, message: impl Into<String>) {
        let position = self.positions.at(offset);
        self.push(Severity::Error, id, position, message.into());
    }

    /// An error at a known position.
    pub(super) fn error_at(&mut self, id: &'static str, position: Position, message: impl Into<String>) {
        self.push(Severity::Error, id, position, message.into());
    }

    /// An advisory at a byte offset in the text.
    pub(super) fn advise(&mut self, id: &'static str, offset: usize, message: impl Into<String>) {
        let position = self.positions.at(offset);
        self.push(Severity::Advisory, id, position, message.into());
    }

    /// The line of a byte offset, to mention in a message.
    pub(super) fn line(&mut self, offset: usize) -> u32 {
        self.positions.at(offset).line
    }

    fn push(&mut self, severity: Severity, id: &'static str, position: Position, message: String) {
        let path = self.document.path().as_str().into();
        let location = Location { path, line: Some(position.line), column: Some(position.column) };
        self.out.push(Finding { location: Some(location), id, message, severity });
    }
}
