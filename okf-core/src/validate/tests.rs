use std::fs;
use std::os::unix::fs::symlink;

use super::*;
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
