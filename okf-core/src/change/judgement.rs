//! What a profile makes of a bundle.

use std::fmt;

use crate::finding::Report;

/// A profile's own findings and what they come to, beside the report of the specification and never in it.
///
/// ```
/// use okf_core::change::{Judgement, ProfileVerdict};
/// use okf_core::finding::Report;
///
/// let judgement = Judgement::of(Report::default()).leaving(vec!["house/tells-the-truth"]);
/// assert_eq!(judgement.verdict(), ProfileVerdict::Pass);
/// assert_eq!(judgement.blocked().verdict().as_str(), "blocked");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    report: Report,
    verdict: ProfileVerdict,
    unassessed: Vec<&'static str>,
}

/// What a judgement comes to: a closed set, so that every client can tell all of it apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ProfileVerdict {
    /// Every rule that was assessed is kept; advisories do not count.
    Pass,
    /// A rule is broken.
    Fail,
    /// Errors of the specification stand in the way. What was found holds; what was not is no praise.
    Blocked,
    /// The bundle follows another release of the profile, which this build does not know.
    UnsupportedRelease,
}

impl ProfileVerdict {
    /// The word on the wire: `pass`, `fail`, `blocked` or `unsupported-release`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Blocked => "blocked",
            Self::UnsupportedRelease => "unsupported-release",
        }
    }

    /// Whether the bundle was judged: it passes or fails.
    #[must_use]
    pub fn is_judged(self) -> bool {
        matches!(self, Self::Pass | Self::Fail)
    }
}

impl fmt::Display for ProfileVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Judgement {
    /// A bundle that was judged: it fails by errors, and passes without.
    #[must_use]
    pub fn of(report: Report) -> Self {
        let verdict = if report.errors() > 0 { ProfileVerdict::Fail } else { ProfileVerdict::Pass };
        Self { report, verdict, unassessed: Vec::new() }
    }

    /// A bundle of a release that the profile does not know; the report says which.
    #[must_use]
    pub fn unsupported_release(report: Report) -> Self {
        Self { report, verdict: ProfileVerdict::UnsupportedRelease, unassessed: Vec::new() }
    }

    /// The same findings without a verdict: errors of the specification stand in the way of one.
    #[must_use]
    pub fn blocked(self) -> Self {
        Self { verdict: ProfileVerdict::Blocked, ..self }
    }

    /// The same with the rules that were not assessed, by ID: those that need judgement, or more.
    #[must_use]
    pub fn leaving(self, unassessed: Vec<&'static str>) -> Self {
        Self { unassessed, ..self }
    }

    /// The findings.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// What they come to.
    #[must_use]
    pub fn verdict(&self) -> ProfileVerdict {
        self.verdict
    }

    /// The rules that were not assessed, by ID.
    #[must_use]
    pub fn unassessed(&self) -> &[&'static str] {
        &self.unassessed
    }

    /// The same with other findings, whatever it comes to.
    pub(super) fn with_report(self, report: Report) -> Self {
        Self { report, ..self }
    }
}

impl From<Report> for Judgement {
    fn from(report: Report) -> Self {
        Self::of(report)
    }
}
