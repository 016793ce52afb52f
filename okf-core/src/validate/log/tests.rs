use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::bundle::Bundle;
use crate::finding::Severity;
use crate::validate::index::tests::check;
use crate::validate::{Options, validate};

#[test]
fn every_bad_date_heading_is_an_error() {
    let date = |line: u32| format!("log.md:{line} error okf/invalid-log-date");
    let datetime =
        "# Log\n\n## 2026-09-06T12:30:00\n* x\n\n## 2026-02-30\n* y\n\n## 2026-9-6\n* z\n\n## 20260906\n* w\n";
    check(&[("log.md", datetime)], &[&*date(3), &*date(6), &*date(9), &*date(12)]);
    let decorated =
        "# Log\n\n## [2026-07-14] lint | wiki\n* x\n\n## 2026-07-13 - Demo formats\n* y\n\n## 2026-07-12\n* z\n";
    check(&[("log.md", decorated)], &[&*date(3), &*date(6)]);
    check(&[("n/log.md", "# Log\r\r## 2026-7-1\r* x\r")], &["n/log.md:3 error okf/invalid-log-date"]);
}

#[test]
fn log_structure_is_advisory() {
    check(
        &[(
            "log.md",
            "---\ntype: Log\n---\n\n* loose\n\n## Notes\n\n## 2026-05-15\n\ntext\n\n## 2026-05-22\n\n### x\n\n## 2026-05-22\n1. b\n",
        )],
        &[
            "log.md:1 advisory okf/log-frontmatter",
            "log.md:5 advisory okf/log-entry-before-date",
            "log.md:5 advisory okf/missing-log-title",
            "log.md:7 advisory okf/log-prose",
            "log.md:13 advisory okf/empty-log-date",
            "log.md:13 advisory okf/log-not-newest-first",
        ],
    );
    check(&[("log.md", "")], &["log.md:1 advisory okf/missing-log-title"]);
}

/// Of the real bundles only `graphql` breaks a rule about indexes and logs: date headings that are instants.
#[test]
fn real_bundles_keep_the_rules_about_reserved_documents() {
    let shared = std::env::var_os("OKF_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let Ok(bundles) = std::fs::read_dir(shared.join("bundles")) else {
        return eprintln!("skipped: no bundles below {}", shared.display());
    };
    let mut seen = 0;
    for root in bundles.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        let bundle = Bundle::load(&root).unwrap();
        let report = validate(&bundle, Options { links: true });
        let reserved = |path: &str| path.ends_with("index.md") || path.ends_with("log.md");
        let errors: BTreeSet<_> = report
            .findings()
            .iter()
            .filter(|finding| finding.severity == Severity::Error)
            .filter(|finding| finding.location.as_ref().is_some_and(|location| reserved(&location.path)))
            .map(|finding| finding.id)
            .collect();
        let expected =
            if root.ends_with("graphql") { BTreeSet::from(["okf/invalid-log-date"]) } else { BTreeSet::new() };
        assert_eq!(errors, expected, "{}", root.display());
        seen += 1;
    }
    assert!(seen > 0);
}
