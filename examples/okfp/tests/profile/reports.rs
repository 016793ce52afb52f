//! Two reports, apart.

use std::path::{Path, PathBuf};

use okf_core::disk;
use okf_core::validate::{Options, validate};
use okf_mcp::answers::validate::ReportJson;
use okf_mcp_test::check::{array, column, keys, number, says};
use okf_mcp_test::{InProcess, Tree, json};
use serde_json::Value;

use crate::{okfp, sample};

fn judged(tree: &Tree) -> Value {
    okfp().run(&["validate", "--json", tree.shown()]).run().json()
}

/// The release that a declaration with another number names.
fn of_release(release: &str) -> Tree {
    let tree = sample();
    let profile = std::fs::read_to_string(tree.path("profile.md")).expect("it exists");
    tree.write("profile.md", profile.replace("1.0", release));
    tree
}

#[test]
fn the_sample_passes_and_rules_for_readers_are_unassessed() {
    let tree = sample();
    let run = okfp().run(&["validate", "--strict", "--links", tree.shown()]).run().exits(0);
    assert_eq!(
        run.stdout,
        "profile okfp 1.0: pass; not assessed: okfp/description-holds, okfp/one-subject, okfp/type-fits\n\
         OK: 5 concept(s) validated.\n"
    );
    let report = judged(&tree);
    assert_eq!(keys(&report), ["findings", "profiles"]);
    let [profile] = array(&report["profiles"]) else { panic!("one profile: {report}") };
    assert_eq!(keys(profile), ["name", "release", "report", "unassessed", "verdict"]);
    assert_eq!(
        (&profile["name"], &profile["release"], &profile["verdict"]),
        (&json!("okfp"), &json!("1.0"), &json!("pass"))
    );
    assert_eq!(okfp().serve(tree.root()).ask("validate", json!({}))["profiles"], report["profiles"]);
}

#[test]
fn errors_of_the_profile_fail_the_command_and_advisories_never_do() {
    let tree = sample();
    tree.write("metrics/crane-moves.md", "---\ntype: Metric\ntitle: T\ndescription: D.\nstatus: stable\n---\n");
    let run = okfp().run(&["validate", "--strict", tree.shown()]).run().exits(0);
    says(&run.stdout, &["metrics/crane-moves.md:1: advisory okfp/untagged: "]);
    tree.write("metrics/crane-moves.md", "---\ntype: Metric\ntitle: T\nstatus: stable\ntags: [x]\n---\n");
    let run = okfp().run(&["validate", tree.shown()]).run().exits(1);
    says(&run.stdout, &["metrics/crane-moves.md:1: error okfp/missing-description: ", "profile okfp 1.0: fail"]);
    assert!(!run.stdout.contains("OK:"), "{}", run.stdout);
    assert_eq!(
        run.stderr,
        format!("okfp: {} breaks profile `okfp` 1.0: 1 error(s), 0 advisory finding(s)\n", tree.shown())
    );
    let answer = okfp().serve(tree.root()).ask("validate", json!({"strict": true}));
    assert_eq!((&answer["exit_code"], &answer["totals"]["errors"]), (&json!(1), &json!(0)), "{answer}");
    assert_eq!(column(&answer["profiles"][0]["report"]["findings"], "id"), ["okfp/missing-description"]);
    assert_eq!(InProcess::serve(tree.root()).ask("validate", json!({}))["exit_code"], 0, "okf does not mind");
}

#[test]
fn a_prefix_narrows_both_reports_and_pages_go_on_from_one_to_the_other() {
    let tree = sample();
    for n in 0..150 {
        tree.write(&format!("bad/concept-{n:03}.md"), "---\ntags: x\n---\n");
    }
    let mut server = okfp().serve(tree.root());
    let pages = server.pages("validate", &json!({"prefix": "bad", "limit": 40}));
    let whole = judged(&tree);
    let in_area = |findings: &Value| {
        let all = array(findings).iter();
        all.filter(|finding| finding["location"]["path"].as_str().is_some_and(|path| path.starts_with("bad/"))).count()
    };
    let of = |page: &Value| number(&json!(array(&page["report"]["findings"]).len()));
    let spec: usize = pages.iter().map(of).sum();
    let profile: usize = pages.iter().map(|page| of(&page["profiles"][0])).sum();
    assert_eq!(spec, in_area(&whole["findings"]));
    assert_eq!(profile, in_area(&whole["profiles"][0]["report"]["findings"]));
    for page in &pages {
        assert!(page.to_string().len() <= 21_500, "{} bytes", page.to_string().len());
        assert_eq!((&page["profiles"][0]["verdict"], &page["totals"]), (&json!("blocked"), &pages[0]["totals"]));
    }
    assert_eq!(array(&server.ask("validate", json!({"limit": 1}))["profiles"]).len(), 1, "on every page");
}

#[test]
fn another_release_gets_no_verdict_and_the_exit_code_of_the_specification() {
    let tree = of_release("7.0");
    tree.write("Bad Name.md", "---\ntype: Fashion\n---\n");
    let run = okfp().run(&["validate", tree.shown()]).run().exits(0);
    says(
        &run.stdout,
        &[
            "advisory okfp/unsupported-release: the bundle follows release `7.0`",
            "profile okfp 1.0: unsupported-release",
        ],
    );
    let profile = judged(&tree)["profiles"][0].clone();
    assert_eq!(profile["verdict"], "unsupported-release");
    assert_eq!(array(&profile["unassessed"]).len(), 19);
    assert_eq!(column(&profile["report"]["findings"], "id"), ["okfp/unsupported-release"]);
}

#[test]
fn the_profile_is_blocked_while_the_specification_is_broken() {
    let tree = sample();
    tree.write("metrics/crane-moves.md", "no frontmatter\n");
    let run = okfp().run(&["validate", tree.shown()]).run().exits(1);
    says(&run.stdout, &["error okf/missing-frontmatter", "profile okfp 1.0: blocked"]);
    assert_eq!(run.stderr.lines().count(), 1, "{}", run.stderr);
    let rules = okfp().serve(tree.root()).ask("profile-rules", json!({}));
    let states = column(&rules["rules"], "state");
    assert!(!states.contains(&"kept"), "silence is no praise: {rules}");
}

#[test]
fn the_rules_are_told_with_their_force_and_state() {
    let tree = sample();
    tree.write("metrics/crane-moves.md", "---\ntype: Metric\ntitle: T\nstatus: stable\n---\n");
    let mut server = okfp().serve(tree.root());
    let answer = server.ask("profile-rules", json!({}));
    assert_eq!(
        (&answer["profile"], &answer["release"], &answer["verdict"]),
        (&json!("okfp"), &json!("1.0"), &json!("fail"))
    );
    let state = |id: &str| {
        let rule = array(&answer["rules"]).iter().find(|rule| rule["id"] == id).expect("it is listed").clone();
        (rule["force"].clone(), rule["state"].clone(), rule["findings"].clone())
    };
    assert_eq!(state("okfp/missing-description"), (json!("must"), json!("broken"), json!(1)));
    assert_eq!(state("okfp/untagged"), (json!("should"), json!("broken"), json!(1)));
    assert_eq!(state("okfp/missing-title"), (json!("must"), json!("kept"), Value::Null));
    assert_eq!(state("okfp/type-fits"), (json!("judgement"), json!("unassessed"), Value::Null));
    let judgement = server.ask("profile-rules", json!({"force": "judgement"}));
    assert_eq!(column(&judgement["rules"], "id"), ["okfp/one-subject", "okfp/description-holds", "okfp/type-fits"]);
    says(&server.refused("profile-rules", json!({"force": "may"})), &["#/force: must be one of `must`"]);
}

/// Bundles of every kind.
fn bundles() -> Vec<Tree> {
    let broken = Tree::bundle(&[
        ("a.md", "---\ntype: [x\n---\n"),
        ("b.md", "text"),
        ("c/d.md", "---\ntype: ''\n---\n[x](gone.md)\n"),
        ("log.md", "# Log\n\n## 2026-02-30\n* x\n"),
        ("c/index.md", "---\na: b\n---\n"),
    ]);
    broken.write("raw.md", b"\xff").write("Über uns.md", "---\nType: Note\n---\n").link("link.md", "a.md");
    vec![
        sample(),
        of_release("2.0"),
        broken,
        Tree::new(&[]),
        Tree::new(&[("a.md", "---\ntype: Note\nstatus: x\n---\n")]),
    ]
}

/// The shared bundles that nobody here wrote; none where there is no shared data.
fn public_bundles() -> Vec<PathBuf> {
    let shared = std::env::var_os("OKF_SHARED")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")), PathBuf::from);
    let Ok(entries) = std::fs::read_dir(shared.join("bundles")) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("it can be listed").path());
    paths.filter(|path| path.is_dir()).collect()
}

/// Asks command and tool of both builds.
#[track_caller]
fn assert_reports_agree(root: &Path) {
    let shown = root.to_str().expect("a readable path");
    let (bundle, _) = disk::load(root).expect("it can be read");
    for links in [false, true] {
        let expected =
            serde_json::to_value(ReportJson::from(&validate(&bundle, Options { links }))).expect("it has a JSON form");
        let options: &[&str] = if links { &["--links"] } else { &[] };
        let report = okfp().run(&[&["validate", "--json", shown], options].concat()).run().json();
        assert_eq!(report["findings"], expected["findings"], "{shown}");
        let arguments = json!({"links": links, "limit": 1000});
        let mine = of_spec(&okfp().serve(root).pages("validate", &arguments));
        assert_eq!(mine, of_spec(&okf_pages(root, &arguments)), "{shown}");
    }
}

/// What pages say for the specification: its findings on all of them, and the totals, which are on each.
fn of_spec(pages: &[Value]) -> (Vec<Value>, Value) {
    let findings = pages.iter().flat_map(|page| array(&page["report"]["findings"]).to_vec()).collect();
    (findings, pages[0]["totals"].clone())
}

/// Every page of `validate` in a build with okf's plugins and no profile.
fn okf_pages(root: &Path, arguments: &Value) -> Vec<Value> {
    let okf = InProcess::serve(root);
    let mut pages = vec![okf.ask("validate", arguments.clone())];
    while let Some(cursor) = pages.last().and_then(|page| page.get("next_cursor")).cloned() {
        let mut arguments = arguments.clone();
        arguments["cursor"] = cursor;
        pages.push(okf.ask("validate", arguments));
    }
    assert!(pages.iter().all(|page| page.get("profiles").is_none()), "okf has no profile");
    pages
}

#[test]
fn the_report_of_the_specification_is_that_of_okf() {
    for tree in bundles() {
        assert_reports_agree(tree.root());
        assert!(!tree.path(".okf.lock").exists(), "reports write nothing");
    }
}

#[test]
fn the_report_of_the_specification_is_that_of_okf_for_every_public_bundle() {
    let roots = public_bundles();
    if roots.is_empty() {
        eprintln!("skipped: the public bundles need the shared data (set OKF_SHARED)");
        return;
    }
    assert!(roots.len() >= 12, "{roots:?}");
    roots.iter().for_each(|root| assert_reports_agree(root));
}
