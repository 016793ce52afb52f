//! Findings, reports and verdicts (contract §5).

use std::fmt;

/// One observation about a bundle.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Where; `None` when it is about the bundle as a whole.
    pub location: Option<Location>,
    /// Stable identifier such as `okf/missing-type`, or a profile's own namespace.
    pub id: &'static str,
    /// What it says, with a hint where one helps.
    pub message: String,
    /// Error (a MUST of the spec) or advisory.
    pub severity: Severity,
}

/// A place in a bundle; lines and columns are 1-based and count in the file, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// Path of the file, as shown to people.
    pub path: String,
    /// 1-based line.
    pub line: Option<u32>,
    /// 1-based column in characters.
    pub column: Option<u32>,
}

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A MUST of spec §11 is broken.
    Error,
    /// Everything else.
    Advisory,
}

impl Severity {
    /// `error` or `advisory`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Advisory => "advisory",
        }
    }
}

/// All findings of one judgement, in canonical order: path, line, column, id, message.
///
/// ```
/// use okf_core::finding::{Finding, Location, Report, Severity, Verdict};
///
/// let location = Some(Location { path: "a.md".into(), line: Some(2), column: None });
/// let message = "`status` is `x`".to_owned();
/// let report = Report::new(vec![Finding { location, id: "okf/invalid-status", message, severity: Severity::Advisory }]);
/// assert_eq!(report.findings()[0].to_string(), "a.md:2: advisory okf/invalid-status: `status` is `x`");
/// assert_eq!((report.verdict(false), report.verdict(true)), (Verdict::Pass, Verdict::Fail));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    findings: Vec<Finding>,
}

impl Report {
    /// Puts findings into canonical order.
    #[must_use]
    pub fn new(mut findings: Vec<Finding>) -> Self {
        findings.sort();
        findings.dedup();
        Self { findings }
    }

    /// The findings in canonical order.
    #[must_use]
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// Number of errors.
    #[must_use]
    pub fn errors(&self) -> usize {
        self.findings.iter().filter(|f| f.severity == Severity::Error).count()
    }

    /// Number of advisories.
    #[must_use]
    pub fn advisories(&self) -> usize {
        self.findings.len() - self.errors()
    }

    /// The verdict under a strictness: advisories fail only a strict judgement.
    #[must_use]
    pub fn verdict(&self, strict: bool) -> Verdict {
        if self.errors() > 0 || (strict && !self.findings.is_empty()) { Verdict::Fail } else { Verdict::Pass }
    }
}

/// Whether a report passes; the exit code is 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing that counts.
    Pass,
    /// Errors, or advisories under a strict judgement.
    Fail,
}

impl Verdict {
    /// The process exit code of contract §5.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Pass => 0,
            Self::Fail => 1,
        }
    }
}

impl fmt::Display for Finding {
    /// `path:line:column: severity id: message`, control characters escaped as `\u{1b}`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = &self.location {
            write!(f, "{}", Escaped(&location.path))?;
            if let Some(line) = location.line {
                write!(f, ":{line}")?;
                if let Some(column) = location.column {
                    write!(f, ":{column}")?;
                }
            }
            f.write_str(": ")?;
        }
        write!(f, "{} {}: {}", self.severity.as_str(), self.id, Escaped(&self.message))
    }
}

/// Displays text with control and bidirectional-formatting characters escaped as `\u{1b}`.
pub struct Escaped<'a>(pub &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            if c.is_control() || is_bidi_control(c) || matches!(c, '\u{2028}' | '\u{2029}') {
                write!(f, "\\u{{{:x}}}", u32::from(c))?;
            } else {
                write!(f, "{c}")?;
            }
        }
        Ok(())
    }
}

/// Whether a character reorders the text around it on a terminal or in a prompt.
#[must_use]
pub fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
