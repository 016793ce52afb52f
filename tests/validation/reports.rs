//! The command `validate`: texts, totals and exit codes.

use crate::harness::{Run, Tree, array, never_says, okf, says};

const NOTE: &str = "---\ntype: Note\n---\n";

fn good() -> Tree {
    Tree::new(&[("a.md", NOTE), ("b.md", NOTE)])
}

fn advised() -> Tree {
    Tree::new(&[("a.md", "---\ntype: Note\nstatus: archived\n---\n\n[gone](gone.md)\n")])
}

fn wrong() -> Tree {
    Tree::new(&[("a.md", "---\ntitle: T\ntype:\n---\n"), ("b.md", NOTE)])
}

fn validate(tree: &Tree, options: &[&str]) -> Run {
    okf(&[&["validate"], options, &[tree.shown()]].concat()).run()
}

fn last_line(run: &Run) -> &str {
    run.stdout.trim_end().lines().last().unwrap_or_default()
}

#[test]
fn a_conformant_bundle_ends_with_ok() {
    let run = validate(&good(), &[]).exits(0);
    assert_eq!(run.stdout, "OK: 2 concept(s) validated.\n");
    assert_eq!(run.stderr, "");
}

#[test]
fn advisories_come_before_the_ok() {
    let run = validate(&advised(), &[]).exits(0);
    says(&run.stdout, &["a.md:3", "advisory okf/invalid-status: "]);
    assert_eq!(last_line(&run), "OK: 1 concept(s) validated.");
}

#[test]
fn errors_exit_with_one_and_one_line_on_stderr() {
    let run = validate(&wrong(), &[]).exits(1);
    let line = run.stdout.lines().find(|line| line.contains("okf/missing-type")).expect("it is reported");
    assert!(line.starts_with("a.md:3:"), "{line}");
    says(line, &[": error okf/missing-type: "]);
    never_says(&run.stdout, &["OK:"]);
    assert_eq!(run.stderr.trim_end().lines().count(), 1, "{}", run.stderr);
    assert!(run.stderr.starts_with("okf: "), "{}", run.stderr);
}

#[test]
fn strict_counts_advisories_and_links_only_with_links() {
    let tree = advised();
    for strict in ["--strict", "--warnings-as-errors"] {
        let run = validate(&tree, &[strict]).exits(1);
        assert_eq!(run.stderr.trim_end().lines().count(), 1, "{}", run.stderr);
        validate(&good(), &[strict]).exits(0);
    }
    let linked = Tree::new(&[("a.md", "---\ntype: Note\n---\n[gone](gone.md)\n")]);
    validate(&linked, &[]).exits(0);
    validate(&linked, &["--strict"]).exits(0);
    validate(&linked, &["--links"]).exits(0);
    validate(&linked, &["--strict", "--links"]).exits(1);
}

#[test]
fn json_is_one_document_with_the_same_verdict() {
    for (tree, code) in [(good(), 0), (advised(), 0), (wrong(), 1)] {
        for json in [&["--json"][..], &["--output", "json"]] {
            let report = validate(&tree, json).exits(code).json();
            assert!(report["findings"].is_array());
        }
        validate(&tree, &[]).exits(code);
    }
    assert_eq!(validate(&good(), &["--json"]).json(), serde_json::json!({"findings": []}));
}

#[test]
fn nothing_to_validate_is_said_loudly() {
    let tree = Tree::new(&[]);
    let run = validate(&tree, &[]).exits(0);
    assert_eq!(last_line(&run), format!("OK: 0 concepts found in {}", tree.shown()));
    assert!(!run.stderr.trim().is_empty(), "a warning");
}

#[test]
fn a_bad_invocation_exits_with_two() {
    let tree = good();
    let two = okf(&["validate", tree.shown(), tree.shown()]).run().exits(2);
    assert_eq!(two.stdout, "");
    for bad in [&["validate", "gone"][..], &["validate", "a.md"], &["validate", "--nope", "."], &["nope"]] {
        let run = okf(bad).at(tree.root()).run().exits(2);
        assert_eq!(run.stdout, "", "{bad:?}");
        assert!(!run.stderr.is_empty(), "{bad:?}");
    }
    says(&okf(&["validate", "gone"]).at(tree.root()).run().stderr, &["okf: ", "gone"]);
}

#[test]
fn repeats_of_one_finding_are_grouped_past_twenty() {
    let tree = Tree::new(&[("z.md", "---\ntype: Note\nstatus: archived\n---\n")]);
    for n in 0..30 {
        tree.write(&format!("c{n:02}.md"), "no frontmatter\n");
    }
    let run = validate(&tree, &[]).exits(1);
    let told = run.stdout.lines().filter(|line| line.contains("error okf/missing-frontmatter: ")).count();
    assert_eq!(told, 20, "{}", run.stdout);
    says(&run.stdout, &["10", "okf/invalid-status"]);
    says(last_line(&run), &["30", "1"]);
    let all = validate(&tree, &["--json"]).exits(1).json();
    assert_eq!(array(&all["findings"]).len(), 31, "JSON is never grouped");
    tree.remove("c00.md");
    for n in 1..10 {
        tree.remove(&format!("c{n:02}.md"));
    }
    let run = validate(&tree, &[]).exits(1);
    assert_eq!(run.stdout.matches("error okf/missing-frontmatter: ").count(), 20, "twenty are not past twenty");
}

#[test]
fn control_characters_are_escaped_in_text() {
    let tree = Tree::new(&[("a.md", "---\ntype: Note\nstatus: \"\\e[31mred\\u202e\"\n---\n")]);
    tree.write("b\u{1b}[2J.md", NOTE);
    let run = validate(&tree, &[]);
    never_says(&run.stdout, &["\u{1b}", "\u{202e}"]);
    says(&run.stdout, &["\\u{1b}"]);
}

#[test]
fn output_is_plain_when_nobody_watches() {
    never_says(&validate(&wrong(), &[]).stdout, &["\u{1b}["]);
    let tree = wrong();
    let run = okf(&["validate", tree.shown()]).env("TERM", "xterm-256color").run();
    never_says(&format!("{}{}", run.stdout, run.stderr), &["\u{1b}["]);
}

#[test]
fn a_dot_in_the_name_of_the_root_hides_nothing() {
    let tree = Tree::new(&[(".okf/a.md", NOTE), (".okf/b.md", "no block\n")]);
    let run = okf(&["validate", ".okf"]).at(tree.root()).run().exits(1);
    says(&run.stdout, &["b.md", "okf/missing-frontmatter"]);
}

#[test]
fn the_root_may_be_a_link() {
    let tree = Tree::new(&[("real/a.md", NOTE)]);
    tree.link("link", "real");
    let run = okf(&["validate", "link"]).at(tree.root()).run().exits(0);
    assert_eq!(last_line(&run), "OK: 1 concept(s) validated.");
}

#[test]
fn an_unreadable_directory_is_said_and_not_skipped() {
    // Root may read anything, so the story is told only where permissions hold.
    let tree = good();
    tree.write("closed/c.md", NOTE);
    let closed = tree.path("closed");
    let permissions = |mode| std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(&closed, permissions(0o000)).expect("it is ours");
    let holds = std::fs::read_dir(&closed).is_err();
    let run = validate(&tree, &[]);
    std::fs::set_permissions(&closed, permissions(0o755)).expect("it is ours");
    if holds {
        says(&format!("{}{}", run.stdout, run.stderr), &["closed"]);
    }
}
