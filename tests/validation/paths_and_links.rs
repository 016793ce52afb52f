//! Paths, links and what the walk leaves out (contract §1, §4).

use super::{check, judge, judge_with};
use crate::harness::{Tree, column, okf};

const NOTE: &str = "---\ntype: Note\n---\n";

#[test]
fn invalid_path() {
    let tree = Tree::new(&[("a.md", NOTE)]);
    tree.write("b\\c.md", NOTE).write("line\nbreak.md", NOTE).write("pic\\ture.png", "x");
    let findings = judge(&tree);
    findings.conform().advise("okf/invalid-path", &[]).lack("okf/missing-frontmatter");
    let invalid = findings.0.iter().filter(|finding| finding.id == "okf/invalid-path").count();
    assert!(invalid >= 2, "{findings:?}");
}

#[test]
fn non_portable_concept_id() {
    for name in ["my note", "café", "-x", "a+b", ".hidden", "con", "nul.txt", "🚀"] {
        check(&[(&format!("{name}.md"), NOTE)]).are(&[&format!("{name}.md okf/non-portable-concept-id")]).conform();
    }
    for name in ["v1.2", "a-b_c.d", "_x", "9", "deep/er/x", "console"] {
        check(&[(&format!("{name}.md"), NOTE)]).are(&[]);
    }
    for path in ["my dir/x.md", "trailing./x.md", "space /x.md", "aux/x.md"] {
        check(&[(path, NOTE)]).are(&[&format!("{path} okf/non-portable-concept-id")]).conform();
    }
}

#[test]
fn colliding_path() {
    check(&[("Orders.md", NOTE), ("orders.md", NOTE)]).conform().advise("okf/colliding-path", &["rders.md"]);
    check(&[("se\u{f1}or.md", NOTE), ("sen\u{303}or.md", NOTE)]).conform().advise("okf/colliding-path", &[]);
    check(&[("A/x.md", NOTE), ("a/y.md", NOTE)]).conform();
    check(&[("a.md", NOTE), ("b/a.md", NOTE)]).are(&[]);
}

#[test]
fn skipped_symlink() {
    let tree = Tree::new(&[("kb/a.md", NOTE), ("secret.md", "no frontmatter\n"), ("other/x.md", "no frontmatter\n")]);
    tree.link("kb/ext.md", "../secret.md").link("kb/dir", "../other").link("kb/gone", "nowhere").link("kb/loop", ".");
    let run = okf(&["validate", "kb", "--output", "json"]).at(tree.root()).run().exits(0);
    let report = run.json();
    let skipped = column(&report["findings"], "id").iter().filter(|id| **id == "okf/skipped-symlink").count();
    assert_eq!(skipped, 4, "{report}");
    assert!(!run.stdout.contains("missing-frontmatter"), "nothing is read through a link");
}

#[test]
fn hidden_directories_and_other_files_are_not_judged() {
    let files = [("a.md", NOTE), (".git/x.md", "x"), (".okf-stage/y.md", "y"), ("README.MD", "x"), ("x.txt", "x")];
    check(&files).are(&[]);
    check(&[("d/.obsidian/x.md", "x"), ("a.md", NOTE)]).are(&[]);
}

#[test]
fn broken_link_only_when_asked() {
    let body = "[gone](gone.md) [out](../../x.md) [dir](dir/) [ok](b.md#x) [web](https://example.org) `[c](c.md)`\n";
    let tree = Tree::new(&[("a.md", &format!("{NOTE}\n{body}")), ("b.md", NOTE), ("dir/c.md", NOTE)]);
    judge(&tree).are(&[]);
    judge_with(&tree, &["--links"])
        .are(&["a.md:5 okf/broken-link", "a.md:5 okf/broken-link"])
        .conform()
        .advise("okf/broken-link", &["gone.md"])
        .advise("okf/broken-link", &["../../x.md"]);
}

#[test]
fn broken_path_valued_fields_are_broken_links() {
    let tree = Tree::new(&[(
        "a.md",
        "---\ntype: Note\nresource: gone.md\nsources:\n  - {resource: all queries in X}\n  - {resource: ref/gone.md}\n---\n",
    )]);
    judge_with(&tree, &["--links"]).are(&["a.md:3 okf/broken-link", "a.md:6 okf/broken-link"]).conform();
}
