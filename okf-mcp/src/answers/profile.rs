//! What profiles say, beside the report of the specification (contract §5).

use okf_core::change::Judgement;
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
    /// A judgement with those of its findings that are shown.
    pub(super) fn new(name: &str, release: &str, judgement: &Judgement, findings: Vec<FindingJson>) -> Self {
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
    fn from(Judged { name, release, judgement }: &Judged) -> Self {
        Self::new(name, release, judgement, ReportJson::from(judgement.report()).findings)
    }
}
