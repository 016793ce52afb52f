//! A page of findings, those of the specification and behind them those of profiles.

use std::collections::BTreeMap;

use okf_core::change::Judgement;
use okf_core::finding::{Finding, Report};
use serde::Serialize;

use super::page::{PAGE_BUDGET, fill, shorten};
use super::validate::FindingJson;

/// Messages are shortened to this many characters over MCP.
pub(super) const MESSAGE: usize = 500;

/// Whose a finding is: a profile by its place in the list, or `None` for the specification.
pub(super) type Whose = Option<usize>;

/// All findings in the order in which pages tell them.
pub(super) fn placed<'a>(spec: &'a Report, profiles: impl Iterator<Item = &'a Judgement>) -> Vec<(Whose, &'a Finding)> {
    let reports = profiles.enumerate().map(|(at, judgement)| (Some(at), judgement.report()));
    std::iter::once((None, spec))
        .chain(reports)
        .flat_map(|(whose, report)| report.findings().iter().map(move |finding| (whose, finding)))
        .collect()
}

/// The findings on a page, by whose they are.
pub(super) struct Page {
    len: usize,
    findings: BTreeMap<Whose, Vec<FindingJson>>,
}

impl Page {
    /// As many findings as a page holds, and at most `limit`.
    pub(super) fn fill(placed: &[(Whose, &Finding)], limit: usize) -> Self {
        let page = fill(placed, limit, PAGE_BUDGET, |&(whose, finding)| {
            let mut finding = FindingJson::from(finding);
            finding.message = shorten(&finding.message, MESSAGE);
            OnPage { whose, finding }
        });
        let len = page.len();
        let mut findings = BTreeMap::<Whose, Vec<FindingJson>>::new();
        for OnPage { whose, finding } in page {
            findings.entry(whose).or_default().push(finding);
        }
        Self { len, findings }
    }

    /// How many findings it holds in all.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Takes those of one report; none the second time.
    pub(super) fn take(&mut self, whose: Whose) -> Vec<FindingJson> {
        self.findings.remove(&whose).unwrap_or_default()
    }
}

#[derive(Serialize)]
struct OnPage {
    #[serde(skip)]
    whose: Whose,
    #[serde(flatten)]
    finding: FindingJson,
}
