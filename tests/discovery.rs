//! Which bundle is served: the closed rule.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::harness::{Run, Server, Tree, binary, initialize_params, okf, says};

const DECLARED: &str = "---\nokf_version: \"0.2\"\n---\n# Title\n";
const UNDECLARED: &str = "# Title\n";
const NOTE: &str = "---\ntype: Note\n---\nBody.\n";

/// Starts the server in a directory, shakes hands, and ends.
fn start(directory: &Path, arguments: &[&str]) -> Run {
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize_params("2025-06-18")});
    okf(&[&["mcp"], arguments].concat()).at(directory).stdin(format!("{hello}\n")).run()
}

#[track_caller]
fn serves(run: Run, root: PathBuf) {
    let run = run.exits(0);
    let root = root.canonicalize().expect("it exists").display().to_string();
    assert!(
        run.stderr.lines().any(|line| line.contains(&format!("concept(s) from {root}")) && {
            let after = line.split(&root).nth(1).unwrap_or("");
            after.is_empty() || after.starts_with(';') || after.starts_with(" (")
        }),
        "it serves something else than {root}: {}",
        run.stderr
    );
}

#[track_caller]
fn refuses(run: Run, names: &[&str]) -> String {
    let run = run.exits(2);
    assert_eq!(run.stdout, "", "nothing on stdout");
    says(&run.stderr, names);
    run.stderr
}

fn tree(files: &[(&str, &str)]) -> Tree {
    Tree::named("project", files)
}

#[test]
fn the_working_directory_when_it_is_a_bundle_root() {
    let declared = tree(&[("index.md", DECLARED), ("a.md", NOTE), ("kb/index.md", DECLARED)]);
    serves(start(declared.root(), &[]), declared.path("."));
    let undeclared = tree(&[("index.md", UNDECLARED), ("deep/er/a.md", NOTE)]);
    serves(start(undeclared.root(), &[]), undeclared.path("."));
    let empty = tree(&[("index.md", DECLARED)]);
    serves(start(empty.root(), &[]), empty.path("."));
}

#[test]
fn else_its_single_child_that_is_one() {
    let declared = tree(&[("README.md", "# Project\n"), ("src/x.md", "text"), ("kb/index.md", DECLARED)]);
    serves(start(declared.root(), &[]), declared.path("kb"));
    let undeclared = tree(&[("kb/index.md", UNDECLARED), ("kb/a.md", NOTE), ("notes/a.md", NOTE)]);
    serves(start(undeclared.root(), &[]), undeclared.path("kb"));
    let hidden = tree(&[("README.md", "# Project\n"), (".okf/index.md", DECLARED), (".okf/a.md", NOTE)]);
    serves(start(hidden.root(), &[]), hidden.path(".okf"));
}

#[test]
fn a_declared_child_stands_before_undeclared_ones() {
    let tree = tree(&[
        ("kb/index.md", DECLARED),
        ("notes/index.md", UNDECLARED),
        ("notes/a.md", NOTE),
        ("other/index.md", UNDECLARED),
        ("other/a.md", NOTE),
    ]);
    serves(start(tree.root(), &[]), tree.path("kb"));
}

#[test]
fn several_candidates_are_named() {
    let declared = tree(&[("kb/index.md", DECLARED), ("wiki/index.md", DECLARED), ("src/index.md", UNDECLARED)]);
    refuses(start(declared.root(), &[]), &["kb", "wiki"]);
    let undeclared =
        tree(&[("x1/index.md", UNDECLARED), ("x1/a.md", NOTE), ("x2/index.md", UNDECLARED), ("x2/a.md", NOTE)]);
    refuses(start(undeclared.root(), &[]), &["x1", "x2"]);
}

#[test]
fn none_is_said_in_one_line_with_what_to_do() {
    for files in [
        &[][..],
        &[("README.md", "# Project\n")],
        &[("a.md", NOTE), ("notes/b.md", NOTE)],
        &[("kb/deep/index.md", DECLARED)],
        &[("index.md", UNDECLARED), ("a.md", "no type of its own\n")],
    ] {
        let tree = tree(files);
        let said = refuses(start(tree.root(), &[]), &["okf"]);
        assert_eq!(said.trim_end().lines().count(), 1, "{said}");
    }
}

#[test]
fn dependencies_builds_and_links_are_no_children() {
    let tree = tree(&[
        ("node_modules/index.md", DECLARED),
        ("target/index.md", DECLARED),
        (".git/index.md", DECLARED),
        ("node_modules/kb/index.md", DECLARED),
    ]);
    tree.write("elsewhere/kb/index.md", DECLARED).link("linked", "elsewhere/kb");
    refuses(start(tree.root(), &[]), &["okf"]);
}

#[test]
fn the_index_of_a_root_is_its_own_regular_file() {
    let tree = tree(&[("elsewhere/deep/index.md", DECLARED), ("kb/a.md", NOTE)]);
    tree.link("kb/index.md", "../elsewhere/deep/index.md");
    refuses(start(tree.root(), &[]), &["okf"]);
    tree.directory("odd/index.md");
    refuses(start(tree.root(), &[]), &["okf"]);
}

#[test]
fn an_area_inside_a_bundle_is_no_bundle() {
    let tree = tree(&[
        ("index.md", DECLARED),
        ("metrics/index.md", "# Metrics\n"),
        ("metrics/a.md", NOTE),
        ("metrics/sub/index.md", "# Sub\n"),
        ("metrics/sub/b.md", NOTE),
    ]);
    refuses(start(&tree.path("metrics"), &[]), &["okf"]);
}

#[test]
fn a_project_with_a_documentation_site_is_no_bundle() {
    let page = "---\ntitle: A page\n---\n\nText.\n";
    let project = tree(&[
        ("README.md", "# Project\n"),
        ("docs/index.md", "---\ntitle: Docs\n---\n\n# Docs\n"),
        ("docs/guide.md", page),
        ("node_modules/pkg/index.md", DECLARED),
        ("node_modules/pkg/a.md", NOTE),
        (".okf/index.md", DECLARED),
        (".okf/a.md", NOTE),
    ]);
    serves(start(project.root(), &[]), project.path(".okf"));
    let site =
        tree(&[("index.md", "# Site\n"), ("guide.md", page), ("node_modules/p/a.md", NOTE), (".cache/a.md", NOTE)]);
    refuses(start(site.root(), &[]), &["okf"]);
    let around = tree(&[("index.md", "# Site\n"), ("guide.md", page), ("kb/index.md", DECLARED), ("kb/a.md", NOTE)]);
    serves(start(around.root(), &[]), around.path("kb"));
}

#[test]
fn nothing_is_searched_upwards() {
    let tree = tree(&[("index.md", DECLARED), ("a.md", NOTE)]);
    tree.directory("src/deep");
    refuses(start(&tree.path("src/deep"), &[]), &["okf"]);
}

#[test]
fn the_file_system_root_is_answered_without_a_crawl() {
    let run = start(Path::new("/"), &[]);
    assert!(run.code == 2 && run.stdout.is_empty(), "{run:?}");
}

#[test]
fn a_directory_to_start_in_can_be_given() {
    let tree = tree(&[("one/kb/index.md", DECLARED), ("two/index.md", DECLARED), ("two/sub/index.md", UNDECLARED)]);
    serves(start(tree.root(), &["-C", "one"]), tree.path("one/kb"));
    serves(start(Path::new("/"), &["-C", tree.path("two").to_str().expect("UTF-8")]), tree.path("two"));
    serves(start(tree.root(), &["-C", "two", "sub"]), tree.path("two/sub"));
    refuses(start(tree.root(), &["-C", "gone"]), &["gone"]);
    let before = okf(&["-C", "two", "list"]).at(tree.root()).run();
    assert_eq!(before.code, 0, "it may stand before the command: {}", before.stderr);
}

#[test]
fn the_path_of_a_bundle_is_taken_as_it_is() {
    let tree = tree(&[("My Vault/a.md", NOTE), ("My Vault/index.md", "# V\n"), ("file.md", NOTE), (".okf/a.md", NOTE)]);
    tree.directory("empty").link("link", "My Vault");
    serves(start(tree.root(), &["My Vault"]), tree.path("My Vault"));
    serves(start(tree.root(), &["My Vault/"]), tree.path("My Vault"));
    serves(start(tree.root(), &["./My Vault/."]), tree.path("My Vault"));
    serves(start(tree.root(), &["link"]), tree.path("My Vault"));
    serves(start(tree.root(), &[".okf"]), tree.path(".okf"));
    serves(start(tree.root(), &["empty"]), tree.path("empty"));
    for bad in ["gone", "~/vault", "file.md"] {
        refuses(start(tree.root(), &[bad]), &[bad]);
    }
}

#[test]
fn every_command_follows_the_same_rule() {
    let one = tree(&[("kb/index.md", DECLARED), ("kb/alpha.md", NOTE)]);
    let two = tree(&[("kb/index.md", DECLARED), ("wiki/index.md", DECLARED)]);
    for arguments in
        [&["validate"][..], &["list"], &["graph", "--output", "json"], &["search", "Body"], &["show", "alpha"]]
    {
        okf(arguments).at(one.root()).run().exits(0);
        refuses(okf(arguments).at(two.root()).run(), &["kb", "wiki"]);
    }
}

#[test]
fn one_registration_serves_every_project() {
    let tree = tree(&[("kb/index.md", DECLARED), ("kb/alpha.md", NOTE)]);
    let mut command = binary();
    command.arg("mcp").current_dir(tree.root());
    let mut server = Server::start(command);
    server.initialize("2025-06-18");
    assert_eq!(server.ask("list-concepts", json!({}))["total"], 1);
}
