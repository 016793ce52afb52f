//! `validate`: reports and verdicts.

use std::collections::BTreeMap;

use okf_core::area::Area;
use okf_core::bundle::Bundle;
use okf_core::finding::{Finding, Report};
use okf_core::listing;
use serde::Serialize;

use super::findings::{Page, placed};
use super::page::Question;
use super::profile::ProfileJson;
use super::summary::Beside;
use crate::profiles::Judged;
use crate::tool::ToolError;

/// A report as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct ReportJson {
    /// The findings in canonical order.
    pub findings: Vec<FindingJson>,
}

/// A finding as JSON.
#[derive(Clone, Debug, Serialize)]
pub struct FindingJson {
    id: String,
    severity: &'static str,
    pub(super) message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<LocationJson>,
}

#[derive(Clone, Debug, Serialize)]
struct LocationJson {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
}

impl From<&Finding> for FindingJson {
    fn from(finding: &Finding) -> Self {
        Self {
            id: finding.id.to_string(),
            severity: finding.severity.as_str(),
            message: finding.message.clone(),
            location: finding.location.as_ref().map(|location| LocationJson {
                path: location.path.clone(),
                line: location.line,
                column: location.column,
            }),
        }
    }
}

impl From<&Report> for ReportJson {
    fn from(report: &Report) -> Self {
        Self { findings: report.findings().iter().map(FindingJson::from).collect() }
    }
}

/// How many findings there are, over all pages.
#[derive(Clone, Debug, Serialize)]
pub struct Totals {
    errors: usize,
    advisories: usize,
    by_id: BTreeMap<&'static str, usize>,
}

impl From<&Report> for Totals {
    fn from(report: &Report) -> Self {
        let mut by_id = BTreeMap::new();
        for finding in report.findings() {
            *by_id.entry(finding.id).or_default() += 1;
        }
        Self { errors: report.errors(), advisories: report.advisories(), by_id }
    }
}

/// A page of a judged report. Verdicts and totals are those of the whole bundle on every page; the findings
/// of profiles follow those of the specification.
#[derive(Debug, Serialize)]
pub struct ValidateAnswer {
    report: ReportJson,
    strict: bool,
    exit_code: u8,
    totals: Totals,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// Absent in a build without profiles.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    profiles: Vec<ProfileJson>,
    #[serde(flatten)]
    beside: Beside,
}

/// The exit code of a judged bundle: the specification's verdict, or the errors of a profile.
#[must_use]
pub fn exit_code(report: &Report, profiles: &[Judged], strict: bool) -> u8 {
    if profiles.iter().any(Judged::has_errors) { 1 } else { report.verdict(strict).exit_code() }
}

/// What a page of a report shows.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// Whether advisories fail the verdict.
    pub strict: bool,
    /// Only findings of this area; the verdict stays the bundle's.
    pub prefix: Option<&'a str>,
    /// At most so many findings.
    pub limit: usize,
    /// Where to go on.
    pub cursor: Option<&'a str>,
}

/// A page of a report.
///
/// # Errors
///
/// A cursor of another question.
pub fn validate(
    bundle: &Bundle,
    report: &Report,
    profiles: &[Judged],
    shown: Shown<'_>,
    question: Question,
) -> Result<ValidateAnswer, ToolError> {
    let area = shown.prefix.map(Area::new);
    let inside = |finding: &Finding| match (&area, &finding.location) {
        (None, _) => true,
        (Some(area), Some(location)) => area.contains(location.path.strip_suffix(".md").unwrap_or(&location.path)),
        (Some(area), None) => area.is_whole_bundle(),
    };
    let judgements = profiles.iter().map(|judged| &judged.judgement);
    let mut chosen = placed(report, judgements);
    chosen.retain(|(_, finding)| inside(finding));
    let start = question.offset(shown.cursor)?.min(chosen.len());
    let mut page = Page::fill(&chosen[start..], shown.limit);
    let end = start + page.len();
    let profile_page = |(at, Judged { name, release, judgement }): (usize, &Judged)| {
        ProfileJson::new(name, release, judgement, page.take(Some(at)))
    };
    let profiles_shown = profiles.iter().enumerate().map(profile_page).collect();
    let missing = area.filter(|_| chosen.is_empty()).and_then(|area| listing::require_area(bundle, &area).err());
    Ok(ValidateAnswer {
        strict: shown.strict,
        exit_code: exit_code(report, profiles, shown.strict),
        totals: Totals::from(report),
        next_cursor: (end < chosen.len()).then(|| question.cursor(&end.to_string())),
        report: ReportJson { findings: page.take(None) },
        message: missing.map(|missing| missing.to_string()),
        profiles: profiles_shown,
        beside: Beside::of(bundle),
    })
}
