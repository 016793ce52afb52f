//! Every finding, and what comes close to it without being one (contract §5).

mod computations;
mod documents;
mod metadata;
mod paths_and_links;
mod reports;
mod reserved;

use std::fmt;

use serde_json::Value;

use crate::harness::{Tree, array, okf};

/// A finding as the command line reports it.
struct Finding {
    id: String,
    error: bool,
    path: String,
    line: Option<u64>,
    message: String,
}

/// All findings of one bundle.
struct Findings(Vec<Finding>);

impl fmt::Debug for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for finding in &self.0 {
            let severity = if finding.error { "error" } else { "advisory" };
            writeln!(f, "{}:{:?}: {severity} {}: {}", finding.path, finding.line, finding.id, finding.message)?;
        }
        Ok(())
    }
}

/// Judges a tree.
fn judge(tree: &Tree) -> Findings {
    judge_with(tree, &[])
}

fn judge_with(tree: &Tree, options: &[&str]) -> Findings {
    let run = okf(&[&["validate", "--output", "json"], options, &[tree.shown()]].concat()).run();
    assert!(run.code < 2, "{run:?}");
    let report = run.json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let findings = array(&report["findings"]).iter().map(|finding| Finding {
        id: text(&finding["id"]),
        error: finding["severity"] == "error",
        path: text(&finding["location"]["path"]),
        line: finding["location"]["line"].as_u64(),
        message: text(&finding["message"]),
    });
    let findings = Findings(findings.collect());
    assert_eq!(run.code == 1, findings.0.iter().any(|finding| finding.error), "{findings:?}");
    findings
}

/// Judges files.
fn check(files: &[(&str, &str)]) -> Findings {
    judge(&Tree::new(files))
}

/// Judges one concept with these frontmatter lines below its type.
fn note(frontmatter: &str) -> Findings {
    check(&[("a.md", &format!("---\ntype: Note\n{frontmatter}\n---\n\nBody.\n"))])
}

impl Findings {
    /// Fails unless exactly these are reported: `path:line id`, or `path id` where the line is open.
    #[track_caller]
    fn are(&self, expected: &[&str]) -> &Self {
        assert_eq!(self.0.len(), expected.len(), "expected {expected:#?}, found\n{self:?}");
        for wanted in expected {
            self.hold(wanted);
        }
        self
    }

    /// Fails unless this one is reported.
    #[track_caller]
    fn hold(&self, wanted: &str) -> &Self {
        let found = self.0.iter().any(|finding| {
            let place = finding.line.map_or_else(|| finding.path.clone(), |line| format!("{}:{line}", finding.path));
            format!("{place} {}", finding.id) == wanted || format!("{} {}", finding.path, finding.id) == wanted
        });
        assert!(found, "`{wanted}` is not among\n{self:?}");
        self
    }

    /// Fails when this ID is reported.
    #[track_caller]
    fn lack(&self, id: &str) -> &Self {
        assert!(self.0.iter().all(|finding| finding.id != id), "`{id}` does not belong among\n{self:?}");
        self
    }

    /// Fails when anything is reported as an error.
    #[track_caller]
    fn conform(&self) -> &Self {
        assert!(self.0.iter().all(|finding| !finding.error), "{self:?}");
        self
    }

    /// Fails unless a finding with this ID is an error whose message holds these parts.
    #[track_caller]
    fn error(&self, id: &str, parts: &[&str]) -> &Self {
        self.speak(id, true, parts)
    }

    /// Fails unless a finding with this ID is an advisory whose message holds these parts.
    #[track_caller]
    fn advise(&self, id: &str, parts: &[&str]) -> &Self {
        self.speak(id, false, parts)
    }

    #[track_caller]
    fn speak(&self, id: &str, error: bool, parts: &[&str]) -> &Self {
        let spoken = self.0.iter().any(|finding| {
            finding.id == id && finding.error == error && parts.iter().all(|part| finding.message.contains(part))
        });
        assert!(spoken, "no `{id}` (error: {error}) that says {parts:?} among\n{self:?}");
        self
    }
}
