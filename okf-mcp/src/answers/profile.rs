//! What profiles say, beside the report of the specification (contract §5).

use okf_core::change::Judgement;
use okf_core::finding::Finding;
use serde::Serialize;

use super::validate::{FindingJson, ReportJson};
use crate::profiles::Judged;

/// One profile's judgement as JSON: `{"name","release","report":{"findings":[…]},"verdict","unassessed":[…]}`.
#[derive(Clone, Debug, Serialize)]
pub struct ProfileJson {
    /// Its name.
    pub name: String,
    /// The release that the build knows.
    pub release: String,
    /// Its findings.
    pub report: ReportJson,
    /// `pass`, `fail`, `blocked` or `unsupported-release`.
    pub verdict: &'static str,
    /// The rules that were not assessed, by ID.
    pub unassessed: Vec<&'static str>,
}

impl ProfileJson {
    /// A judgement with all of its findings.
    #[must_use]
    pub fn new(name: &str, release: &str, judgement: &Judgement) -> Self {
        Self::with(name, release, judgement, judgement.report().findings().iter().map(FindingJson::from).collect())
    }

    /// A judgement with those of its findings that a page shows.
    pub(super) fn with(name: &str, release: &str, judgement: &Judgement, findings: Vec<FindingJson>) -> Self {
        Self {
            name: name.to_owned(),
            release: release.to_owned(),
            report: ReportJson { findings },
            verdict: judgement.verdict().as_str(),
            unassessed: judgement.unassessed().to_vec(),
        }
    }
}

impl From<&Judged> for ProfileJson {
    fn from(judged: &Judged) -> Self {
        Self::new(judged.name, judged.release, &judged.judgement)
    }
}

/// The findings of every profile, each with the profile's place in the list.
pub(super) fn findings(profiles: &[Judged]) -> impl Iterator<Item = (usize, &Finding)> {
    profiles
        .iter()
        .enumerate()
        .flat_map(|(at, judged)| judged.judgement.report().findings().iter().map(move |finding| (at, finding)))
}
