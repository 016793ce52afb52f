//! Why a frontmatter cannot be read, in words that help.

use std::fmt;
use std::ops::Range;

use granit_parser::{ErrorKind, ScanError};

use super::MAX_LEVELS;
use crate::text::{Position, floor_char_boundary, lines, position, without_break};

/// Why a frontmatter cannot be read; becomes `okf/invalid-document`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrontmatterError {
    /// The place in the file.
    pub position: Position,
    /// What is wrong: short and on one line, whatever the file holds.
    pub message: String,
    /// What helps, when something is known to.
    pub hint: Option<String>,
    /// Whether it is not the YAML that is wrong, but there is more of it than is read (contract §2).
    pub is_limit: bool,
}

impl fmt::Display for FrontmatterError {
    /// `message; hint`, without the place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for FrontmatterError {}

impl FrontmatterError {
    /// An opening fence that nothing closes, placed at the fence.
    #[must_use]
    pub fn unterminated(text: &str) -> Self {
        let error = Self::at(text, 0, "the frontmatter is not closed");
        let mut lookalike = lines(text).enumerate().skip(1).filter(|(_, line)| is_lookalike(&text[line.clone()]));
        match lookalike.next() {
            Some((index, _)) => error.with_hint(format!(
                "line {} does not close it: the closing line is exactly `---`, at the start of the line",
                index + 1
            )),
            None => error.with_hint("put a line `---` after the last key"),
        }
    }

    pub(super) fn at(text: &str, offset: usize, message: impl Into<String>) -> Self {
        Self { position: position(text, offset), message: message.into(), hint: None, is_limit: false }
    }

    /// There is more of something than is read.
    pub(super) fn beyond(text: &str, offset: usize, message: impl Into<String>) -> Self {
        Self { is_limit: true, ..Self::at(text, offset, message) }
    }

    pub(super) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(super) fn too_deep(text: &str, offset: usize) -> Self {
        Self::beyond(text, offset, format!("the frontmatter is nested deeper than {MAX_LEVELS} levels"))
    }

    /// The parser's error in the words of this crate, at its place in the file.
    pub(super) fn from_scan(error: &ScanError, text: &str, yaml: Range<usize>) -> Self {
        let offset = yaml.start + error.marker().byte_offset().unwrap_or(0);
        let offset = floor_char_boundary(text, offset.min(yaml.end));
        let offset = place(error.kind(), text, offset, &yaml);
        if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
            return Self::too_deep(text, offset);
        }
        let mut result = Self::at(text, offset, message(error));
        result.hint = conflict_marker(text, &yaml).or_else(|| hint(error.kind(), text, offset, &yaml));
        result
    }
}

/// At most 40 characters of a text that a file brought in, on one line, controls escaped.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut characters = text.chars();
    let head: String = characters.by_ref().take(LONGEST).collect();
    let more = if characters.next().is_some() { "…" } else { "" };
    format!("{}{more}", crate::finding::Escaped(&head))
}

fn message(error: &ScanError) -> String {
    match error.kind() {
        ErrorKind::MappingValueNotAllowed | ErrorKind::InvalidColonPlacement => {
            "a `:` cannot stand here: it would start a second value".into()
        }
        ErrorKind::UnclosedQuotedScalar => "the quote is not closed".into(),
        ErrorKind::UnknownAnchor => "the alias refers to no anchor".into(),
        ErrorKind::SimpleKeyExpected => "the line is no `key: value`".into(),
        ErrorKind::ExpectedBlockMappingKey => "a key was expected here".into(),
        ErrorKind::UnexpectedCharacter { character } if character.is_control() => {
            format!("the control character `{}` is not allowed in YAML", excerpt(&character.to_string()))
        }
        ErrorKind::UnexpectedCharacter { character } => {
            format!("a value cannot start with `{}`", excerpt(&character.to_string()))
        }
        ErrorKind::TabInPlainScalar
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabNotAllowed => "a tab indents the line".into(),
        ErrorKind::UndeclaredTagHandle => "the tag's handle is not declared".into(),
        _ => excerpt_long(&error.info()),
    }
}

/// The parser's own words: static text, cut and escaped all the same.
fn excerpt_long(text: &str) -> String {
    let short: String = text.chars().take(160).collect();
    crate::finding::Escaped(short.trim_end_matches('.')).to_string()
}

/// Where to point: a tab is reported by the parser at the value before it.
fn place(kind: &ErrorKind, text: &str, offset: usize, yaml: &Range<usize>) -> usize {
    if !matches!(kind, ErrorKind::TabInPlainScalar | ErrorKind::TabInBlockIndentation | ErrorKind::TabInIndentation) {
        return offset;
    }
    let start = line_start(text, offset).max(yaml.start);
    lines(&text[start..yaml.end])
        .find_map(|line| {
            let line = start + line.start..start + line.end;
            let indent = text[line.clone()].find(|c| c != ' ')?;
            text[line.start + indent..].starts_with('\t').then_some(line.start + indent)
        })
        .unwrap_or(offset)
}

fn hint(kind: &ErrorKind, text: &str, offset: usize, yaml: &Range<usize>) -> Option<String> {
    let line_start = line_start(text, offset).max(yaml.start);
    let line = text[line_start..yaml.end].split(['\n', '\r']).next().unwrap_or_default();
    let fixed = match kind {
        ErrorKind::TabInPlainScalar
        | ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabNotAllowed
        | ErrorKind::TabAtBlockScalarStart => "indent with spaces",
        _ if line.contains("{{") => "quote a value that holds `{{`",
        ErrorKind::MappingValueNotAllowed => {
            let before = &text[line_start..offset];
            if before.contains(": ") {
                "quote a value that holds `: `"
            } else {
                "check the indentation, and the line above for a missing `:`"
            }
        }
        ErrorKind::UnclosedQuotedScalar if text[offset..yaml.end].contains(['\n', '\r']) => {
            "close it; a text that itself holds a `---` line is written indented or as a folded block (`>`)"
        }
        ErrorKind::UnclosedQuotedScalar => "close it on the same line",
        ErrorKind::InvalidTrailingSingleQuotedScalar => "write a quote inside single quotes twice: `''`",
        ErrorKind::InvalidTrailingDoubleQuotedScalar => "write a quote inside double quotes as `\\\"`",
        ErrorKind::UnknownQuotedScalarEscape | ErrorKind::InvalidQuotedScalarHexEscape => {
            "a backslash stands for itself only in single quotes"
        }
        ErrorKind::UnexpectedCharacter { character } if !character.is_control() => "quote the value",
        ErrorKind::UnknownAnchor | ErrorKind::MissingAnchorOrAliasName => "quote a value that starts with `*` or `&`",
        ErrorKind::SimpleKeyExpected => "indent it when it belongs to the value above",
        ErrorKind::ExpectedBlockMappingKey if line.trim_start().starts_with('-') => {
            "align the items of a list with one another"
        }
        ErrorKind::ExpectedBlockMappingKey => "check the indentation, and quote a value that goes on after `]` or `}`",
        ErrorKind::InvalidColonPlacement
        | ErrorKind::UnclosedFlowCollection { .. }
        | ErrorKind::UnexpectedEofFlowSequence
        | ErrorKind::UnexpectedEofFlowMapping
        | ErrorKind::ExpectedFlowSequenceSeparator
        | ErrorKind::ExpectedFlowMappingSeparator => "close the `[` or `{`, or quote a value that starts with one",
        ErrorKind::BlockSequenceEntryNotAllowed => "put the list on the lines below its key",
        _ => return None,
    };
    Some(fixed.into())
}

/// The start of the line that holds an offset.
fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind(['\n', '\r']).map_or(0, |at| at + 1)
}

/// A hint when version control left its conflict markers in the block.
fn conflict_marker(text: &str, yaml: &Range<usize>) -> Option<String> {
    let block = &text[yaml.clone()];
    let marker = lines(block).find(|line| is_conflict_marker(without_break(&block[line.clone()])))?;
    let line = position(text, yaml.start + marker.start).line;
    Some(format!("line {line} is a merge-conflict marker: resolve the conflict"))
}

fn is_conflict_marker(line: &str) -> bool {
    line == "======="
        || ["<<<<<<<", ">>>>>>>", "|||||||"]
            .iter()
            .any(|mark| line.strip_prefix(mark).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
}

/// Whether a line may have been meant to close a frontmatter.
fn is_lookalike(line: &str) -> bool {
    matches!(without_break(line).trim(), "---" | "..." | "--" | "----" | "-----" | "—" | "+++")
}
