//! `okf index` and `okf init`.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::harness::{Server, Tree, concept, never_says, note_skipped, okf, says, shared};

/// Every file below a directory, with its bytes.
fn contents(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut pending = vec![root.to_owned()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory).expect("it is a directory") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                pending.push(path);
            } else {
                let name = path.strip_prefix(root).expect("below it").to_str().expect("UTF-8").to_owned();
                found.insert(name, fs::read(&path).expect("it can be read"));
            }
        }
    }
    found
}

/// The same, without what belongs to no bundle.
fn bundle(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = contents(root);
    found.remove(".okf.lock");
    assert!(found.keys().all(|name| !name.starts_with(".okf-stage")), "nothing is left behind");
    found
}

fn copied(root: &Path) -> Tree {
    let tree = Tree::new(&[]);
    for (name, bytes) in contents(root) {
        tree.write(&name, bytes);
    }
    tree
}

#[test]
fn indexes_are_created_updated_and_then_left_alone() {
    let tree = Tree::bundle(&[
        ("a.md", &concept("type: Note\ntitle: Alpha\ndescription: First.", "x")),
        ("d/b.md", &concept("type: Note", "x")),
    ]);
    let check = okf(&["index", "--check", tree.shown()]).run().exits(1);
    assert_eq!(check.stdout, "d/index.md\nindex.md\n");
    says(&check.stderr, &["okf: 2 index(es) out of date"]);
    assert!(!tree.path("d/index.md").exists() && !tree.path(".okf.lock").exists(), "a check changes nothing");
    let run = okf(&["index", tree.shown()]).run().exits(0);
    assert_eq!(run.stdout, "created d/index.md\nupdated index.md\n");
    assert_eq!(
        fs::read_to_string(tree.path("index.md")).unwrap(),
        "---\nokf_version: \"0.2\"\n---\n\n# Acme Knowledge\n\n# Note\n\n* [Alpha](a.md) - First.\n\n\
         # Subdirectories\n\n* [d](d/) - Contains 1 entry: b.\n"
    );
    okf(&["validate", "--strict", "--links", tree.shown()]).run().exits(0);
    let before = bundle(tree.root());
    for arguments in
        [&["index", tree.shown()][..], &["index", "--check", tree.shown()], &["index", "--regenerate", tree.shown()]]
    {
        let run = okf(arguments).run().exits(0);
        assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""), "{arguments:?}");
    }
    assert_eq!(bundle(tree.root()), before);
}

#[test]
fn peoples_words_stay_unless_regeneration_is_asked_for() {
    let index = "# Mine\r\n\r\nWords.\r\n\r\n* [My A](a.md): my words\r\n* [Gone](gone.md)\r\n";
    let tree = Tree::new(&[("a.md", &concept("type: Note", "x")), ("b.md", &concept("type: Note", "x"))]);
    tree.write("index.md", index);
    okf(&["index", tree.shown()]).run().exits(0);
    let kept = index.replace("* [Gone](gone.md)\r\n", "");
    let text = || fs::read_to_string(tree.path("index.md")).unwrap();
    assert_eq!(text(), format!("{kept}\r\n# Note\r\n\r\n* [b](b.md)\r\n"));
    assert_eq!(okf(&["index", "--check", tree.shown()]).run().exits(0).stdout, "");
    let check = okf(&["index", "--check", "--regenerate", tree.shown()]).run().exits(1);
    assert_eq!(check.stdout, "index.md\n");
    okf(&["index", "--regenerate"]).at(tree.root()).run().exits(0);
    assert_eq!(text(), "# Mine\r\n\r\n# Note\r\n\r\n* [a](a.md)\r\n* [b](b.md)\r\n");
}

#[test]
fn a_heading_of_things_to_come_survives() {
    let index = "---\nokf_version: \"0.2\"\n---\n\n# Note\n\n* [a](a.md)\n\n# Planned\n\n* [Pricing](pricing.md)\n";
    let tree = Tree::new(&[("index.md", index), ("a.md", &concept("type: Note", "x"))]);
    okf(&["index", tree.shown()]).run().exits(0);
    let kept = index.replace("* [Pricing](pricing.md)\n", "");
    assert_eq!(fs::read_to_string(tree.path("index.md")).unwrap(), kept);
    okf(&["index", "--check", tree.shown()]).run().exits(0);
}

#[test]
fn a_version_is_declared_once() {
    let text = |tree: &Tree| fs::read_to_string(tree.path("index.md")).unwrap();
    let rows = [
        (None, "---\nokf_version: \"0.2\"\n---\n\n# Note\n\n* [a](a.md)\n"),
        (Some("# T\n\n* [A](a.md)\n"), "---\nokf_version: \"0.2\"\n---\n\n# T\n\n* [A](a.md)\n"),
        (
            Some("---\nokf_version: '0.1' # old\n---\n# T\n\n* [A](a.md)\n"),
            "---\nokf_version: '0.2' # old\n---\n# T\n\n* [A](a.md)\n",
        ),
        (Some("---\n---\n# T\n\n* [A](a.md)\n"), "---\nokf_version: \"0.2\"\n---\n# T\n\n* [A](a.md)\n"),
    ];
    for (before, after) in rows {
        let tree = Tree::new(&[("a.md", &concept("type: Note", "x"))]);
        before.map(|index| tree.write("index.md", index));
        let declare = ["index", "--declare-version", "0.2", tree.shown()];
        okf(&["index", "--check", "--declare-version", "0.2", tree.shown()]).run().exits(1);
        okf(&declare).run().exits(0);
        assert_eq!(text(&tree), after, "{before:?}");
        assert_eq!(okf(&declare).run().exits(0).stdout, "", "{before:?}");
    }
    let tree = Tree::new(&[("index.md", "---\na: [\n---\n"), ("a.md", &concept("type: Note", "x"))]);
    let run = okf(&["index", "--declare-version", "0.2", tree.shown()]).run().exits(2);
    says(&run.stderr, &["okf: `index.md` cannot declare a version"]);
    okf(&["index", "--declare-version", "7", tree.shown()]).run().exits(2);
}

#[test]
fn a_declared_version_is_still_readable_after_regeneration() {
    for head in ["v: &v \"0.2\"\nokf_version: *v", "{okf_version:\n\"0.2\"}", "? okf_version\n: \"0.2\""] {
        let tree = Tree::new(&[("a.md", &concept("type: Note", "x"))]);
        tree.write("index.md", format!("---\n{head}\n---\n\n# Acme\n"));
        okf(&["index", "--regenerate", tree.shown()]).run().exits(0);
        let text = fs::read_to_string(tree.path("index.md")).unwrap();
        assert_eq!(text, "---\nokf_version: \"0.2\"\n---\n\n# Acme\n\n# Note\n\n* [a](a.md)\n", "{head}");
        okf(&["validate", "--strict", tree.shown()]).run().exits(0);
    }
}

#[test]
fn what_cannot_be_updated_is_named_and_the_rest_is_done() {
    let tree = Tree::bundle(&[("d/a.md", &concept("type: Note", "x")), ("e/a.md", &concept("type: Note", "x"))]);
    tree.write("d/index.md", b"\xff\xfe").link("e/index.md", "../d/index.md");
    for arguments in
        [&["index", tree.shown()][..], &["index", "--check", tree.shown()], &["index", "--regenerate", tree.shown()]]
    {
        let run = okf(arguments).run().exits(1);
        says(
            &run.stderr,
            &[
                "`d/index.md` is left as it is: it is not UTF-8 at byte 0",
                "`e/index.md` is left as it is: a symbolic link",
            ],
        );
    }
    assert_eq!(fs::read(tree.path("d/index.md")).unwrap(), b"\xff\xfe");
    says(&fs::read_to_string(tree.path("index.md")).unwrap(), &["* [d](d/)", "* [e](e/)"]);
}

#[test]
fn modes_are_kept() {
    let tree = Tree::bundle(&[("a.md", &concept("type: Note", "x"))]);
    fs::set_permissions(tree.path("index.md"), fs::Permissions::from_mode(0o640)).unwrap();
    okf(&["index", tree.shown()]).run().exits(0);
    assert_eq!(fs::metadata(tree.path("index.md")).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn real_bundles_settle_and_checks_agree() {
    let Some(directory) = shared("bundles") else { return note_skipped("indexing") };
    for entry in fs::read_dir(directory).expect("it is a directory") {
        let root = entry.expect("it can be listed").path();
        if !root.is_dir() {
            continue;
        }
        for mode in [&[][..], &["--regenerate"]] {
            let tree = copied(&root);
            let index = |more: &[&str]| okf(&[&["index", tree.shown()], mode, more].concat()).run();
            let before = bundle(tree.root());
            let check = index(&["--check"]);
            let told: Vec<&str> = check.stdout.lines().collect();
            assert_eq!(check.code, i32::from(!told.is_empty()), "{}: {}", root.display(), check.stderr);
            index(&[]).exits(0);
            let after = bundle(tree.root());
            let changed: Vec<&str> = after
                .iter()
                .filter(|(name, bytes)| before.get(*name) != Some(bytes))
                .map(|(name, _)| name.as_str())
                .collect();
            assert_eq!(changed, told, "{}: a check tells what a run changes", root.display());
            index(&["--check"]).exits(0);
            index(&[]).exits(0);
            assert_eq!(bundle(tree.root()), after, "{}: a second run changes nothing", root.display());
        }
    }
}

#[test]
fn a_new_bundle_is_conformant_and_complete() {
    let tree = Tree::new(&[]);
    let run = okf(&["init", "team knowledge/new"]).at(tree.root()).run().exits(0);
    says(
        &run.stdout,
        &["created getting-started.md", "created index.md", "created log.md", ".okf.lock\n", ".okf-stage/\n"],
    );
    let root = tree.path("team knowledge/new");
    let shown = root.to_str().unwrap();
    assert_eq!(bundle(&root).into_keys().collect::<Vec<_>>(), ["getting-started.md", "index.md", "log.md"]);
    let text = |name: &str| fs::read_to_string(root.join(name)).unwrap();
    assert_eq!(
        text("index.md"),
        "---\nokf_version: \"0.2\"\n---\n\n# new\n\n# Guide\n\n\
         * [Getting started](getting-started.md) - How this bundle is laid out, and how to keep it right.\n"
    );
    assert_eq!(text("log.md"), "# Log\n\n## 2026-06-15\n* **Created**: [Getting started](/getting-started.md)\n");
    says(&text("getting-started.md"), &["okf validate", ".gitignore"]);
    never_says(&text("getting-started.md"), &["{product}"]);
    let validated = okf(&["validate", "--strict", "--links", shown]).run().exits(0);
    assert_eq!(validated.stdout, "OK: 1 concept(s) validated.\n");
    okf(&["index", "--check", shown]).run().exits(0);
    assert_eq!(Server::serve(&root).ask("list-concepts", serde_json::json!({}))["total"], 1);
}

#[test]
fn the_working_directory_and_vague_names() {
    let tree = Tree::named("docs", &[]);
    okf(&["-C", tree.shown(), "init"]).run().exits(0);
    let parent = tree.root().parent().and_then(Path::file_name).expect("it lies in a temporary directory");
    let title = format!("# {}/docs\n", parent.to_str().expect("UTF-8"));
    says(&fs::read_to_string(tree.path("index.md")).unwrap(), &[&title]);
    okf(&["validate", "--strict", "--links"]).at(tree.root()).run().exits(0);
}

#[test]
fn only_an_empty_directory_becomes_a_bundle() {
    let tree = Tree::new(&[("full/.hidden", ""), ("file", "x")]);
    tree.directory("once");
    let run = okf(&["init", "full"]).at(tree.root()).run().exits(2);
    says(&run.stderr, &["okf: `", "is not empty: it holds `.hidden`", "hint: "]);
    assert_eq!(contents(&tree.path("full")).len(), 1);
    let run = okf(&["init", "file"]).at(tree.root()).run().exits(2);
    says(&run.stderr, &["is not a directory"]);
    okf(&["init", "once"]).at(tree.root()).run().exits(0);
    let before = contents(&tree.path("once"));
    okf(&["init", "once"]).at(tree.root()).run().exits(2);
    assert_eq!(contents(&tree.path("once")), before);
    // What an interrupted first write leaves is in nobody's way.
    tree.write("again/.okf.lock", "").directory("again/.okf-stage");
    okf(&["init", "again"]).at(tree.root()).run().exits(0);
}
