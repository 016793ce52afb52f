use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::finding::Severity;
use crate::finding::Verdict;

const NOTE: &str = "---\ntype: Note\n---\nBody.\n";

/// The IDs and paths of the findings about some files, in the order of the report.
fn found(files: &[(&str, &str)]) -> Vec<(&'static str, String)> {
    let bundle = Bundle::from_files(files.iter().copied()).expect("the paths are good");
    listed(&validate(&bundle, Options::default()))
}

fn listed(report: &Report) -> Vec<(&'static str, String)> {
    let place = |finding: &Finding| finding.location.as_ref().map_or(String::new(), |location| location.path.clone());
    report.findings().iter().map(|finding| (finding.id, place(finding))).collect()
}

fn expected(rows: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
    rows.iter().map(|(id, path)| (*id, (*path).to_owned())).collect()
}

#[test]
fn case_idx_empty_dir() {
    let parent = tempfile::tempdir().unwrap();
    let root = parent.path().join(".okf");
    fs::create_dir(&root).unwrap();
    assert_eq!(validate(&Bundle::load(&root).unwrap(), Options::default()), Report::default());
    fs::write(root.join("a.md"), NOTE).unwrap();
    fs::write(root.join("b.md"), "no block\n").unwrap();
    let bundle = Bundle::load(&root).unwrap();
    let report = validate(&bundle, Options::default());
    assert_eq!(bundle.concept_count(), 2);
    assert_eq!(listed(&report), expected(&[("okf/missing-frontmatter", "b.md")]));
    assert_eq!(report.verdict(false), Verdict::Fail);
}

#[test]
fn case_scope_symlink_farm() {
    let parent = tempfile::tempdir().unwrap();
    for directory in ["kb", "src1"] {
        fs::create_dir(parent.path().join(directory)).unwrap();
    }
    fs::write(parent.path().join("src1/a.md"), NOTE).unwrap();
    symlink("../src1", parent.path().join("kb/one")).unwrap();
    let report = validate(&Bundle::load(&parent.path().join("kb")).unwrap(), Options::default());
    assert_eq!(listed(&report), expected(&[("okf/skipped-symlink", "one")]));
    assert_eq!((report.verdict(false), report.verdict(true)), (Verdict::Pass, Verdict::Fail));
}

#[test]
fn case_scope_parts() {
    let files = [("part1/a.md", "---\ntype: Note\n---\n[b](/part2/b.md)\n")];
    assert_eq!(found(&files), expected(&[]));
}

#[test]
fn case_uni_case_collide() {
    let files = [("Orders.md", NOTE), ("orders.md", NOTE), ("x.md", NOTE)];
    assert_eq!(found(&files), expected(&[("okf/colliding-path", "orders.md")]));
}

#[test]
fn case_uni_nfd_both() {
    let files = [("se\u{f1}or.md", NOTE), ("sen\u{303}or.md", NOTE)];
    let portable = "okf/non-portable-concept-id";
    let rows = [(portable, "sen\u{303}or.md"), ("okf/colliding-path", "se\u{f1}or.md"), (portable, "se\u{f1}or.md")];
    assert_eq!(found(&files), expected(&rows));
}

#[test]
fn reserved_files_that_are_not_text_are_errors_too() {
    let files = [("index.md", b"\xff".to_vec()), ("log.md", b"# Log\n\xff".to_vec()), ("x.png", b"\xff".to_vec())];
    let report = validate(&Bundle::from_files(files).unwrap(), Options::default());
    assert_eq!(listed(&report), expected(&[("okf/invalid-utf8", "index.md"), ("okf/invalid-utf8", "log.md")]));
}

/// What [`validate`] finds of severity error, the slow way.
fn errors_among(bundle: &Bundle) -> Report {
    let report = validate(bundle, Options { links: true });
    Report::new(report.findings().iter().filter(|finding| finding.severity == Severity::Error).cloned().collect())
}

#[test]
fn the_errors_alone_are_those_of_the_whole_report() {
    let bad: [(&str, &[u8]); 15] = [
        ("index.md", b"---\nokf_version: 1\ntitle: x\n---\n# T\n\nprose\n"),
        ("sub/index.md", b"---\n---\n# T\n"),
        ("deep/index.md", b"---\na: [\n"),
        ("raw/index.md", b"\xff"),
        ("log.md", b"---\na: b\n---\n## 2026-13-01\n* x\n## 2026-01-01\n"),
        ("sub/log.md", b"---\na: [\n---\n# Log\n\n## 2026-1-1\n* x\n"),
        ("raw/log.md", b"# Log\n\xfe"),
        ("none.md", b"no frontmatter\n"),
        ("empty.md", b"---\ntype: [ ]\n---\n"),
        ("blank.md", b"---\ntype: '\xc2\xa0'\n---\n"),
        ("list.md", b"---\ntype: [a]\nstatus: x\n---\n"),
        ("null.md", b"---\nType: a\n---\n"),
        ("number.md", b"---\ntype: 42\n---\n"),
        ("broken.md", b"---\na: b: c\n---\n"),
        ("x.bin", b"\xff"),
    ];
    let bundle = Bundle::from_files(bad.map(|(path, bytes)| (path, bytes.to_vec()))).unwrap();
    let found = errors(&bundle);
    assert_eq!(found, errors_among(&bundle));
    assert_eq!(found.errors(), 13, "{:?}", listed(&found));
}

proptest::proptest! {
    #[test]
    fn the_errors_alone_never_differ(
        name in "(index|log|a|sub/index|sub/log|sub/a)",
        text in "(---\n)?(type: ?(~|''|\\[\\]|\\{\\}|x|' '|7)?\n|okf_version: 1\n|k: v\n|k: \\[\n){0,2}(---\n)?(# T\n|## 2026(-01-01)?\n|\\* x\n){0,3}",
    ) {
        let bundle = Bundle::from_files([(format!("{name}.md"), text)]).unwrap();
        proptest::prop_assert_eq!(errors(&bundle), errors_among(&bundle));
    }
}
