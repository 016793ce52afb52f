//! The gate that every write passes, and its refusal rule (contract §8).

use std::collections::{BTreeSet, HashMap};

use super::error::{PrepareError, Refusal};
use super::hooks::{self, Judge};
use super::judgement::Judgement;
use crate::bundle::Bundle;
use crate::bundle_path::BundlePath;
use crate::finding::{Finding, Report, Severity};
use crate::validate;

/// What is said of a candidate that may be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// Errors of the specification that were there before and do not stand in the way.
    pub preexisting: Report,
    /// What each judge makes of the candidate, in the order of names.
    pub judgements: Vec<(String, Judgement)>,
}

/// Judges a candidate by the specification and by judges, whatever led to it.
///
/// `named` are the concepts that the write is about: an error in one of them refuses, old or new. A judge's
/// errors refuse by the same rule, and so does a judge that could judge the bundle before and cannot judge the
/// candidate.
///
/// # Errors
///
/// The candidate is refused with its reports, or a judge is at fault.
pub fn gate(
    previous: &Bundle,
    candidate: &Bundle,
    named: &BTreeSet<BundlePath>,
    judges: &[&dyn Judge],
) -> Result<Passed, PrepareError> {
    let spec = sift(&validate::errors(candidate), &validate::errors(previous), named);
    let mut judges = judges.to_vec();
    judges.sort_by(|a, b| a.name().cmp(b.name()));
    let mut judgements = Vec::new();
    let mut refusing = Vec::new();
    for judge in judges {
        let judgement = hooks::judge(judge, candidate)?;
        if judgement.report().errors() > 0 || !judgement.verdict().is_judged() {
            let before = hooks::judge(judge, previous)?;
            let blocking = sift(judgement.report(), before.report(), named).blocking;
            let is_lost = before.verdict().is_judged() && !judgement.verdict().is_judged();
            if blocking.errors() > 0 || is_lost {
                refusing.push((judge.name().to_owned(), judgement.clone().with_report(blocking)));
            }
        }
        judgements.push((judge.name().to_owned(), judgement));
    }
    if spec.blocking.errors() > 0 || !refusing.is_empty() {
        return Err(PrepareError::Refused(Refusal { spec: spec.blocking, judges: refusing }));
    }
    Ok(Passed { preexisting: spec.preexisting, judgements })
}

/// The errors of a candidate, parted.
#[derive(Debug, Default, PartialEq, Eq)]
struct Sifted {
    /// Those that refuse the write.
    blocking: Report,
    /// Those that were there before, elsewhere.
    preexisting: Report,
}

/// Parts the errors of a candidate: one in a concept that the changes name refuses the write, and so does
/// one that was not there before. Advisories count for nothing.
///
/// An error is the same one when file, finding and message agree; its line may have moved with the text
/// that a write put above it. Of several alike, as many as there were before are old.
fn sift(candidate: &Report, previous: &Report, named: &BTreeSet<BundlePath>) -> Sifted {
    let mut known = HashMap::<_, usize>::new();
    for error in errors(previous) {
        *known.entry(key(error)).or_default() += 1;
    }
    let (preexisting, blocking): (Vec<&Finding>, _) = errors(candidate).partition(|error| {
        let (path, _, _) = key(error);
        let is_old = known.get_mut(&key(error)).is_some_and(|left| std::mem::replace(left, left.saturating_sub(1)) > 0);
        is_old && !path.is_some_and(|path| named.contains(path))
    });
    let report = |findings: Vec<&Finding>| Report::new(findings.into_iter().cloned().collect());
    Sifted { blocking: report(blocking), preexisting: report(preexisting) }
}

fn errors(report: &Report) -> impl Iterator<Item = &Finding> {
    report.findings().iter().filter(|finding| finding.severity == Severity::Error)
}

/// What makes an error the same one wherever it stands in its file.
fn key(error: &Finding) -> (Option<&str>, &'static str, &str) {
    (error.location.as_ref().map(|location| location.path.as_str()), error.id, &error.message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Location;

    fn report(rows: &[(&str, u32, &str)]) -> Report {
        let finding = |(path, line, message): &(&str, u32, &str)| Finding {
            location: Some(Location { path: (*path).to_owned(), line: Some(*line), column: None }),
            id: "t/x",
            message: (*message).to_owned(),
            severity: if message.starts_with("adv") { Severity::Advisory } else { Severity::Error },
        };
        Report::new(rows.iter().map(finding).collect())
    }

    #[test]
    fn old_errors_elsewhere_do_not_refuse() {
        type Rows<'a> = &'a [(&'a str, u32, &'a str)];
        let rows: [(Rows<'_>, Rows<'_>, Rows<'_>, Rows<'_>); 7] = [
            (&[], &[("a.md", 1, "adv")], &[], &[]),
            (&[("b.md", 1, "e")], &[("b.md", 1, "e")], &[], &[("b.md", 1, "e")]),
            (&[("b.md", 1, "e")], &[("b.md", 9, "e")], &[], &[("b.md", 9, "e")]),
            (&[("a.md", 1, "e")], &[("a.md", 1, "e")], &[("a.md", 1, "e")], &[]),
            (&[("b.md", 1, "e")], &[("c.md", 1, "e")], &[("c.md", 1, "e")], &[]),
            (&[("b.md", 1, "e")], &[("b.md", 1, "f")], &[("b.md", 1, "f")], &[]),
            (&[("b.md", 1, "e")], &[("b.md", 1, "e"), ("b.md", 5, "e")], &[("b.md", 5, "e")], &[("b.md", 1, "e")]),
        ];
        let named = BTreeSet::from([BundlePath::new("a.md").unwrap()]);
        for (previous, candidate, blocking, preexisting) in rows {
            let sifted = sift(&report(candidate), &report(previous), &named);
            let expected = Sifted { blocking: report(blocking), preexisting: report(preexisting) };
            assert_eq!(sifted, expected, "{previous:?} -> {candidate:?}");
        }
    }
}
