//! Turning byte offsets of a document into locations.

use crate::document::Document;
use crate::finding::{Finding, Location, Severity};
use crate::text::{Position, Positions};

/// Locates offsets of one document; linear altogether while they ascend.
pub(super) struct Places<'a> {
    document: &'a Document,
    positions: Positions<'a>,
}

impl<'a> Places<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        Self { document, positions: Positions::new(document.text().as_str()) }
    }

    /// An error at a byte offset of the text.
    pub(super) fn error(&mut self, id: &'static str, offset: usize, message: String) -> Finding {
        self.finding(Severity::Error, id, offset, message)
    }

    /// An advisory at a byte offset of the text.
    pub(super) fn advisory(&mut self, id: &'static str, offset: usize, message: String) -> Finding {
        self.finding(Severity::Advisory, id, offset, message)
    }

    /// An advisory about several places: it stands at the first of them and tells how many there are.
    pub(super) fn advisory_once(&mut self, id: &'static str, offsets: &[usize], message: &str) -> Option<Finding> {
        let first = *offsets.iter().min()?;
        let count = match offsets.len() {
            1 => String::new(),
            several => format!(" ({several} times, first here)"),
        };
        Some(self.advisory(id, first, format!("{message}{count}")))
    }

    /// Why the frontmatter of a reserved document cannot be read, when it cannot.
    pub(super) fn reserved_head(&self) -> Option<Finding> {
        let error = self.document.error()?;
        let hint = error.hint.as_ref().map(|hint| format!("; {hint}")).unwrap_or_default();
        let message = format!("{}{hint}", error.message);
        Some(self.located(Severity::Error, "okf/invalid-reserved-document", error.position, message))
    }

    fn finding(&mut self, severity: Severity, id: &'static str, offset: usize, message: String) -> Finding {
        let position = self.positions.at(offset);
        self.located(severity, id, position, message)
    }

    fn located(&self, severity: Severity, id: &'static str, position: Position, message: String) -> Finding {
        let path = self.document.path().as_str().to_owned();
        let location = Some(Location { path, line: Some(position.line), column: Some(position.column) });
        Finding { location, id, message, severity }
    }
}
