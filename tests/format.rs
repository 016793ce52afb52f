//! `okf format`.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use crate::harness::{Tree, never_says, okf, says};

const LOOSE: &str = "---\nstatus: draft # why\ntags: [b, 'yes']\ntype: Note\n---\nBody\n\n";
const CANONICAL: &str = "---\ntype: Note\ntags:\n  - b\n  - \"yes\"\nstatus: draft # why\n---\n\nBody\n";

fn read(tree: &Tree, path: &str) -> String {
    fs::read_to_string(tree.path(path)).expect("the file is there")
}

#[test]
fn a_bundle_is_brought_into_canonical_form_once() {
    let tree = Tree::bundle(&[
        ("a.md", LOOSE),
        ("notes/b.md", CANONICAL),
        ("notes/c.md", LOOSE),
        ("notes/log.md", "# Log\n\n\n"),
    ]);
    let index = read(&tree, "index.md");
    let check = okf(&["format", "--check"]).at(tree.root()).run().exits(1);
    assert_eq!(check.stdout, "a.md\nnotes/c.md\n");
    says(&check.stderr, &["okf: 2 file(s) not in canonical form"]);
    assert_eq!(read(&tree, "a.md"), LOOSE, "a check writes nothing");
    assert!(!tree.path(".okf.lock").exists(), "nor does it make a lock file");
    assert_eq!(okf(&["format"]).at(tree.root()).run().exits(0).stdout, "a.md\nnotes/c.md\n");
    for path in ["a.md", "notes/b.md", "notes/c.md"] {
        assert_eq!(read(&tree, path), CANONICAL, "{path}");
    }
    assert_eq!((read(&tree, "index.md"), read(&tree, "notes/log.md")), (index, "# Log\n\n\n".to_owned()));
    assert_eq!(okf(&["format"]).at(tree.root()).run().exits(0).stdout, "");
    assert_eq!(okf(&["format", "--check"]).at(tree.root()).run().exits(0).stdout, "");
}

#[test]
fn where_nothing_is_to_be_written_no_lock_is_made() {
    let tree = Tree::bundle(&[("a.md", CANONICAL), ("b.md", "---\ntype: Note\nb: &x 1\n---\n")]);
    okf(&["format"]).at(tree.root()).run().exits(0);
    okf(&["format", "a.md"]).at(tree.root()).run().exits(0);
    let alone = Tree::new(&[("a.md", CANONICAL), ("b.md", "no frontmatter\n")]);
    for (file, code) in [("a.md", 0), ("b.md", 1)] {
        okf(&["format", file]).at(alone.root()).run().exits(code);
    }
    for tree in [&tree, &alone] {
        assert!(!tree.path(".okf.lock").exists());
    }
}

#[test]
fn a_read_only_file_is_reported_and_the_others_are_written() {
    let tree = Tree::bundle(&[("a.md", LOOSE), ("b.md", LOOSE), ("c.md", LOOSE)]);
    fs::set_permissions(tree.path("b.md"), Permissions::from_mode(0o444)).expect("it is ours");
    let run = okf(&["format"]).at(tree.root()).run().exits(1);
    assert_eq!(run.stdout, "a.md\nc.md\n");
    says(&run.stderr, &["okf: left alone: b.md: the file is read-only\n", "okf: 1 file(s) that cannot be written\n"]);
    for (path, text) in [("a.md", CANONICAL), ("b.md", LOOSE), ("c.md", CANONICAL)] {
        assert_eq!(read(&tree, path), text, "{path}");
    }
    let run = okf(&["format", "b.md"]).at(tree.root()).run().exits(1);
    says(&run.stderr, &["b.md: the file is read-only"]);
    assert_eq!(okf(&["format", "--check"]).at(tree.root()).run().exits(1).stdout, "b.md\n");
}

#[test]
fn a_file_is_written_under_the_lock_of_its_bundle() {
    let tree = Tree::bundle(&[("notes/a.md", LOOSE), ("notes/b.md", LOOSE)]);
    let run = okf(&["format", "a.md"]).at(&tree.path("notes")).run().exits(0);
    assert_eq!(run.stdout, "notes/a.md\n");
    assert_eq!((read(&tree, "notes/a.md").as_str(), read(&tree, "notes/b.md").as_str()), (CANONICAL, LOOSE));
    assert!(tree.path(".okf.lock").exists() && !tree.path("notes/.okf.lock").exists());
    assert_eq!(okf(&["format", "--check", "notes/b.md"]).at(tree.root()).run().exits(1).stdout, "notes/b.md\n");
    let alone = Tree::new(&[("a.md", LOOSE)]);
    okf(&["format", alone.path("a.md").to_str().expect("it is UTF-8")]).at(tree.root()).run().exits(0);
    assert_eq!(read(&alone, "a.md"), CANONICAL);
}

#[test]
fn what_cannot_be_kept_is_left_alone_and_reported() {
    let anchored = "---\ntype: Note\nb: &x 1\nc: *x\n---\n";
    let merged = "---\ntype: Note\n<<: {b: 1}\n---\n";
    let tree = Tree::bundle(&[("a.md", anchored), ("b.md", LOOSE), ("m.md", merged)]);
    let run = okf(&["format"]).at(tree.root()).run().exits(0);
    assert_eq!(run.stdout, "b.md\n");
    says(&run.stderr, &["okf: left alone: a.md: `b` cannot be edited safely", "anchor", "line 3"]);
    says(&run.stderr, &["okf: left alone: m.md: `<<` cannot be edited safely", "merge key", "line 3"]);
    assert_eq!((read(&tree, "a.md").as_str(), read(&tree, "m.md").as_str()), (anchored, merged));
    okf(&["format", "--check"]).at(tree.root()).run().exits(0);
    tree.write("broken.md", "---\na: b: c\n---\n")
        .write("none.md", "Body\n")
        .write("latin.md", b"---\ntype: \xff\n---\n");
    for arguments in [&["format"][..], &["format", "--check"]] {
        let run = okf(arguments).at(tree.root()).run().exits(1);
        says(
            &run.stderr,
            &[
                "broken.md: ",
                "none.md: there is no frontmatter",
                "latin.md: not UTF-8 at byte 10",
                "okf: 3 file(s) that cannot be formatted",
            ],
        );
        never_says(&run.stderr, &["b.md: the frontmatter is"]);
    }
    says(&okf(&["format", "latin.md"]).at(tree.root()).run().exits(1).stderr, &["latin.md: not UTF-8 at byte 10\n"]);
    assert_eq!(read(&tree, "none.md"), "Body\n");
}

#[test]
fn timestamps_of_v0_1_become_generated_when_asked() {
    let tree = Tree::bundle(&[("a.md", "---\ntype: Note\ntimestamp: \"2026-05-28T22:53:05+00:00\"\n---\n")]);
    assert_eq!(okf(&["format"]).at(tree.root()).run().exits(0).stdout, "");
    assert_eq!(okf(&["format", "--check", "--migrate-timestamps"]).at(tree.root()).run().exits(1).stdout, "a.md\n");
    okf(&["format", "--migrate-timestamps"]).at(tree.root()).run().exits(0);
    assert_eq!(
        read(&tree, "a.md"),
        "---\ntype: Note\ngenerated:\n  by: process:okf-format\n  at: \"2026-05-28T22:53:05+00:00\"\n---\n"
    );
}

#[test]
fn what_is_no_concept_is_a_bad_invocation() {
    let tree = Tree::bundle(&[("a.txt", "x"), ("b.md", LOOSE)]);
    tree.link("link.md", "b.md");
    for target in ["missing.md", "a.txt", "index.md", "link.md"] {
        let run = okf(&["format", target]).at(tree.root()).run().exits(2);
        assert_eq!(run.stdout, "", "{target}");
        says(&run.stderr, &["okf: ", target]);
    }
    assert_eq!(read(&tree, "b.md"), LOOSE);
}
