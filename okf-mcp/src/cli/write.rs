//! What the commands that write share.

use std::collections::BTreeSet;
use std::path::Path;

use okf_core::bundle::Bundle;
use okf_core::bundle_path::BundlePath;
use okf_core::change::{PrepareError, Refusal, gate};
use okf_core::disk::{CommitError, FileEdit, FreshError, LockError, PATIENCE, WriteLock};

use super::{Failure, Invocation};
use crate::profiles::Profiles;

impl Invocation {
    /// Locks a bundle for writing, and says what was done about an interrupted write.
    pub(super) fn lock(&self, root: &Path) -> Result<WriteLock, Failure> {
        let lock = WriteLock::acquire(root, PATIENCE)?;
        if let Some(recovery) = lock.recovery() {
            self.warn(&recovery.to_string());
        }
        Ok(lock)
    }

    /// Says why edits are refused, each finding on a line, and what that comes to on the last.
    pub(super) fn report_refusal(&self, refusal: &Refusal) {
        let judged = refusal.judges.iter().flat_map(|(_, judgement)| judgement.report().findings());
        for finding in refusal.spec.findings().iter().chain(judged) {
            self.warn(&finding.to_string());
        }
        self.warn(&format!("refused, nothing was written: {refusal}"));
    }
}

/// Whether edits pass the gates of the specification and of every profile; what refuses them otherwise.
///
/// The candidate is read from the bytes that would be written. What is wrong already does not stand in the way.
///
/// # Errors
///
/// A profile at fault.
pub(super) fn refusal(profiles: &Profiles, bundle: &Bundle, edits: &[FileEdit]) -> Result<Option<Refusal>, Failure> {
    if edits.is_empty() {
        return Ok(None);
    }
    let candidate = bundle.with_files(edits);
    let at_fault = |fault: &dyn std::fmt::Display| Failure::new(format!("nothing was written: {fault}"));
    match gate(bundle, &candidate, &BTreeSet::new(), &profiles.judges()) {
        Ok(_) => Ok(None),
        Err(PrepareError::Refused(refusal)) => Ok(Some(refusal)),
        Err(PrepareError::Hook(fault)) => Err(at_fault(&profiles.at_fault(&fault))),
        Err(error @ PrepareError::Change(_)) => Err(at_fault(&error)),
    }
}

/// The edits that give files of a bundle new contents.
pub(super) fn edits(bundle: &Bundle, files: Vec<(BundlePath, Vec<u8>)>) -> Vec<FileEdit> {
    let edit = |(path, after): (BundlePath, Vec<u8>)| {
        let before = bundle.document(path.as_str()).map(|document| document.revision());
        FileEdit { path, before, after }
    };
    files.into_iter().map(edit).collect()
}

impl From<LockError> for Failure {
    fn from(error: LockError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<CommitError> for Failure {
    fn from(error: CommitError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<FreshError> for Failure {
    fn from(error: FreshError) -> Self {
        let hint = matches!(error, FreshError::NotEmpty { .. }).then(|| "name a new or an empty directory".to_owned());
        Self { hint, ..Self::new(error.to_string()) }
    }
}

#[cfg(test)]
mod tests {
    use okf_core::change::{Judge, Judgement};
    use okf_core::finding::{Finding, Report, Severity};

    use super::*;
    use crate::provider::{ProfileProvider, Provider, Registration};
    use crate::registry::Registry;

    /// A profile that wants every concept to end with a blank line, which canonical form takes away.
    struct Airy;

    impl Judge for Airy {
        fn name(&self) -> &str {
            "airy"
        }

        fn judge(&self, bundle: &Bundle) -> Judgement {
            let dense = bundle.concepts().filter(|concept| !concept.body().ends_with("\n\n"));
            let finding = |path: &str| Finding {
                location: None,
                id: "airy/dense",
                message: path.to_owned(),
                severity: Severity::Error,
            };
            Report::new(dense.map(|concept| finding(concept.path().as_str())).collect()).into()
        }
    }

    impl ProfileProvider for Airy {
        fn release(&self) -> &str {
            "1"
        }

        fn judge(&self) -> &dyn Judge {
            self
        }
    }

    fn edit(path: &str, after: &str) -> FileEdit {
        FileEdit { path: BundlePath::new(path).expect("a good path"), before: None, after: after.into() }
    }

    #[test]
    fn edits_pass_the_gate_of_a_profile() {
        let registration = Registration { crate_name: "test", provider: Provider::Profile(&Airy) };
        let profiles = Registry::from(&[registration]).expect("one profile").profiles;
        let (airy, dense) = ("---\ntype: Note\n---\n\nText.\n\n", "---\ntype: Note\n---\n\nText.\n");
        let bundle = Bundle::from_files([("airy.md", airy), ("dense.md", dense)]).expect("good paths");
        let refused = refusal(&profiles, &bundle, &[edit("airy.md", dense)]).expect("the profile is sound");
        let refused = refused.expect("it breaks the profile");
        assert_eq!((refused.judges[0].0.as_str(), refused.judges[0].1.report().errors()), ("airy", 1));
        let passed = refusal(&profiles, &bundle, &[edit("dense.md", "---\ntype: Other\n---\n")]);
        assert_eq!(passed, Ok(None), "what was wrong before does not stand in the way");
        let without = refusal(&Profiles::default(), &bundle, &[edit("airy.md", dense)]);
        assert_eq!(without, Ok(None), "a build without profiles has no such gate");
    }

    #[test]
    fn edits_pass_the_gate_of_the_specification() {
        let broken = "---\nokf_version: *v\n---\n";
        let bundle = Bundle::from_files([("d/index.md", broken), ("index.md", "# T\n")]).expect("good paths");
        let refused = refusal(&Profiles::default(), &bundle, &[edit("index.md", broken)]).expect("nothing is at fault");
        let refused = refused.expect("it would not read");
        let found: Vec<_> = refused.spec.findings().iter().map(ToString::to_string).collect();
        assert!(found.len() == 1 && found[0].contains("index.md") && !found[0].contains("d/"), "{found:?}");
        let passed = refusal(&Profiles::default(), &bundle, &[edit("index.md", "# U\n")]);
        assert_eq!(passed, Ok(None), "what was wrong before does not stand in the way");
    }
}
