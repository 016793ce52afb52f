//! The write tools: what they return, refusals and tool errors (contract §8, §9).

use okf_core::change::{Change, ChangeError, ChangeSet, Judgement, PrepareError, Reason, Refusal, Subject, prepare};
use okf_core::timestamp::day;
use serde::Serialize;

use super::findings::{MESSAGE, Page, placed};
use super::lookup::not_served;
use super::page::shorten;
use super::profile::ProfileJson;
use super::validate::{FindingJson, ReportJson};
use crate::context::Context;
use crate::profiles::Profiles;
use crate::tool::{ToolError, ToolOutput};

/// An answer lists at most this many errors that were there before.
const PREEXISTING: usize = 50;

/// What a write did.
#[derive(Debug, Serialize)]
pub struct WriteAnswer {
    /// The files written, sorted; empty when everything already was as wanted.
    pub changed_paths: Vec<String>,
    /// The revision of the concept now.
    pub revision: String,
    /// Errors that were there before, elsewhere, and did not stand in the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub preexisting: Vec<FindingJson>,
    /// How many there are, when not all are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preexisting_total: Option<usize>,
}

/// Makes one change, under the exclusive lock from load to commit, past the gates of the specification and
/// of every profile. A change whose IDs are wrong by themselves fails before there is a lock.
///
/// # Errors
///
/// A change that cannot be made, a refusal with its report, a bundle that cannot be locked, read or
/// written.
pub fn write(context: &Context<'_>, change: Change) -> Result<ToolOutput, ToolError> {
    let id = change.id().to_owned();
    let set = ChangeSet::from(change);
    set.check().map_err(|error| impossible(&set, &error))?;
    let date = day(context.now);
    let profiles = context.profiles();
    let (derives, judges) = (profiles.derives(), profiles.judges());
    let written = context.write(|bundle| {
        prepare(bundle, &set, date, &derives, &judges).map_err(|error| not_prepared(&set, error, profiles))
    })?;
    let document = written.bundle.lookup(&id).map_err(|error| not_served(&id, error))?;
    let errors = written.preexisting.findings();
    ToolOutput::json(&WriteAnswer {
        changed_paths: written.changed_paths,
        revision: document.revision().to_string(),
        preexisting: errors.iter().take(PREEXISTING).map(FindingJson::from).collect(),
        preexisting_total: (errors.len() > PREEXISTING).then_some(errors.len()),
    })
}

fn not_prepared(set: &ChangeSet, error: PrepareError, profiles: &Profiles) -> ToolError {
    match error {
        PrepareError::Change(error) => impossible(set, &error),
        PrepareError::Refused(refusal) => refused(&refusal, profiles),
        PrepareError::Hook(fault) => ToolError::new(format!("nothing was written: {}", profiles.at_fault(&fault))),
    }
}

/// A change that describes no state of the bundle, as an error about the argument at fault.
fn impossible(set: &ChangeSet, error: &ChangeError) -> ToolError {
    let argument = match (error.subject, &error.reason) {
        (_, Reason::Stale { .. }) => "expected_revision",
        (_, Reason::BlankRelationship) => "relationship",
        (_, Reason::Log(_) | Reason::SourcesNoList | Reason::Edit(_)) => "",
        (Subject::Concept, _) => "id",
        (Subject::Source, _) => "source",
        (Subject::Target, _) => "target",
    };
    let hint = match (&error.reason, set.changes.get(error.change)) {
        (Reason::Exists(_), _) => "; change it with `update-concept`",
        (Reason::Missing(near), Some(_)) if near.is_empty() => "; find it with `list-concepts` or `search-concepts`",
        _ => "",
    };
    let lead = if argument.is_empty() { String::new() } else { format!("#/{argument}: ") };
    ToolError::new(format!("{lead}{error}{hint}"))
}

/// A refusal with its report: that of the specification, and beside it those of the profiles that refuse.
///
/// `{"findings":[…],"profiles"?:[{"name","release","report","verdict","unassessed"}],"findings_total"?}`, each
/// with the errors that refuse the write and nothing else: as many as a page holds, those of the specification
/// first, and how many there are when that is not all.
fn refused(refusal: &Refusal, profiles: &Profiles) -> ToolError {
    #[derive(Serialize)]
    struct Reports {
        #[serde(flatten)]
        spec: ReportJson,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        profiles: Vec<ProfileJson>,
        #[serde(skip_serializing_if = "Option::is_none")]
        findings_total: Option<usize>,
    }
    let all = placed(&refusal.spec, refusal.judges.iter().map(|(_, judgement)| judgement));
    let mut page = Page::fill(&all, usize::MAX);
    let profile = |(at, (name, judgement)): (usize, &(String, Judgement))| {
        let release = profiles.release(name).unwrap_or_default();
        ProfileJson::new(name, release, judgement, page.take(Some(at)))
    };
    let profiles = refusal.judges.iter().enumerate().map(profile).collect();
    let reports = Reports {
        profiles,
        spec: ReportJson { findings: page.take(None) },
        findings_total: (page.len() < all.len()).then_some(all.len()),
    };
    ToolError {
        message: shorten(&format!("refused, nothing was written: {refusal}"), MESSAGE),
        report: ToolOutput::json(&reports).ok().and_then(|output| output.blocks.into_iter().next()),
    }
}

#[cfg(test)]
mod tests;
