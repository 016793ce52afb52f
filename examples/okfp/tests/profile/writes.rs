//! Two gates on one candidate.

use okf_mcp_test::check::{array, column, keys, says};
use okf_mcp_test::{InProcess, Server, Tree, json};
use serde_json::Value;

use crate::{files, okfp, sample};

/// A write that is refused: no byte changes. Gives message and reports.
#[track_caller]
fn refused(tree: &Tree, tool: &str, arguments: Value) -> (String, Value) {
    let before = files(tree.root());
    let answer = okfp().serve(tree.root()).call(tool, arguments);
    assert!(answer.is_error, "{:?}", answer.blocks);
    assert_eq!(files(tree.root()), before);
    let [message, reports] = &answer.blocks[..] else { panic!("no report: {:?}", answer.blocks) };
    (message.clone(), serde_json::from_str(reports).expect("the reports are JSON"))
}

fn text(tree: &Tree, path: &str) -> String {
    std::fs::read_to_string(tree.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[test]
fn a_conformant_write_that_breaks_the_profile_is_refused_here_and_accepted_by_okf() {
    let (mine, theirs) = (sample(), sample());
    let arguments = json!({"id": "metrics/delay", "type": "Metric", "title": "Delay"});
    let (message, reports) = refused(&mine, "create-concept", arguments.clone());
    says(&message, &["refused, nothing was written", "okfp/missing-description"]);
    assert_eq!(keys(&reports), ["findings", "profiles"]);
    assert_eq!(reports["findings"], json!([]), "the specification has nothing against it");
    let [profile] = array(&reports["profiles"]) else { panic!("one profile: {reports}") };
    assert_eq!(
        (&profile["name"], &profile["release"], &profile["verdict"]),
        (&json!("okfp"), &json!("1.0"), &json!("fail"))
    );
    assert_eq!(column(&profile["report"]["findings"], "id"), ["okfp/missing-description"], "errors alone refuse");
    let answer = InProcess::serve(theirs.root()).ask("create-concept", arguments);
    assert_eq!(answer["changed_paths"], json!(["log.md", "metrics/delay.md", "metrics/index.md"]));
}

#[test]
fn a_write_that_breaks_both_gets_both_reports() {
    let (message, reports) = refused(&sample(), "create-concept", json!({"id": "metrics/Delay", "type": " "}));
    assert_eq!(column(&reports["findings"], "id"), ["okf/missing-type"]);
    let profile = &reports["profiles"][0];
    let expected = ["okfp/missing-description", "okfp/missing-title", "okfp/not-kebab-case"];
    assert_eq!(column(&profile["report"]["findings"], "id"), expected);
    assert_eq!(profile["verdict"], "blocked", "there is no verdict on what breaks the specification");
    says(&message, &["4 errors"]);
}

#[test]
fn every_write_tool_passes_the_gate() {
    let tree = sample();
    let (_, reports) = refused(&tree, "update-concept", json!({"id": "metrics/crane-moves", "tags": ["Metric"]}));
    assert_eq!(column(&reports["profiles"][0]["report"]["findings"], "id"), ["okfp/repeating-tag"]);
    tree.write("metrics/crane-moves.md", "---\ntype: Metric\nstatus: stable\ntags: [x]\ntitle: T\n---\n");
    refused(&tree, "link-concepts", json!({"source": "metrics/crane-moves", "target": "types", "relationship": "r"}));
    refused(&tree, "deprecate-concept", json!({"id": "metrics/crane-moves"}));
    let fixed =
        okfp().serve(tree.root()).ask("update-concept", json!({"id": "metrics/crane-moves", "description": "D."}));
    assert_eq!(fixed["changed_paths"][0], "index.md", "{fixed}");
    okfp().run(&["validate", "--strict", tree.shown()]).run().exits(0);
}

#[test]
fn old_errors_elsewhere_do_not_block() {
    let tree = sample();
    tree.write("metrics/old.md", "---\ntype: Metric\nstatus: stable\n---\n").write("bare.md", "no frontmatter\n");
    let arguments =
        json!({"id": "metrics/delay", "type": "Metric", "title": "Delay", "description": "D.", "tags": ["x"]});
    okfp().serve(tree.root()).ask("create-concept", arguments);
    // Even where the verdict is blocked, what the write itself breaks is seen.
    refused(&tree, "create-concept", json!({"id": "metrics/next", "type": "Metric", "title": "Next"}));
}

/// A concept three directories deep, each of which the index above describes by the one below.
fn deep() -> Tree {
    let tree = sample();
    tree.write("metrics/index.md", "# By hand\n\nOld words.\n");
    tree
}

const DEEP: &str = r#"{"id": "playbooks/on-call/night/fog", "type": "Playbook", "title": "Fog", "description": "What to do in fog.", "tags": ["weather"]}"#;

fn write_deep(server: &mut Server) -> bool {
    !server.call("create-concept", serde_json::from_str(DEEP).expect("it is JSON")).is_error
}

#[test]
fn the_projection_is_regenerated_and_a_missing_status_is_added() {
    let tree = deep();
    let answer = okfp().serve(tree.root()).ask("create-concept", serde_json::from_str(DEEP).expect("it is JSON"));
    let expected = [
        "index.md",
        "log.md",
        "metrics/index.md",
        "playbooks/index.md",
        "playbooks/on-call/index.md",
        "playbooks/on-call/night/fog.md",
        "playbooks/on-call/night/index.md",
    ];
    assert_eq!(answer["changed_paths"], json!(expected));
    assert!(text(&tree, "metrics/index.md").starts_with("# Metric\n\n* [Berth occupancy](berth-occupancy.md) - "));
    says(&text(&tree, "playbooks/on-call/index.md"), &["* [night](night/) - What to do in fog.\n"]);
    says(&text(&tree, "playbooks/on-call/night/fog.md"), &["\nstatus: draft\n"]);
    okfp().run(&["validate", "--strict", tree.shown()]).run().exits(0);
    okfp().run(&["index", "--check", tree.shown()]).run().exits(0);
    tree.write("metrics/crane-moves.md", "---\ntype: Metric\ntitle: Crane moves\ndescription: D.\ntags: [x]\n---\n");
    okfp().serve(tree.root()).ask("update-concept", json!({"id": "metrics/crane-moves", "title": "Moves"}));
    says(&text(&tree, "metrics/crane-moves.md"), &["status: stable\n"]);
}

#[test]
fn a_write_of_many_indexes_commits_all_files_or_none() {
    let done = deep();
    assert!(write_deep(&mut okfp().serve(done.root())));
    let (old, new) = (files(deep().root()), files(done.root()));
    let (mut step, mut failures) = (1, 0);
    loop {
        let tree = deep();
        let mut command = okfp().command();
        command.args(["mcp", tree.shown()]).env("OKF_FAIL_AT_STEP", step.to_string());
        let mut server = Server::start(command);
        server.initialize("2025-06-18");
        let succeeded = write_deep(&mut server);
        drop(server);
        let now = files(tree.root());
        assert!(now == old || now == new, "step {step}: a mix: {:?}", now.keys());
        assert!(!succeeded || now == new, "step {step}: said to be written");
        if succeeded && failures > 0 && step > 40 {
            break;
        }
        failures += usize::from(!succeeded);
        step += 1;
        assert!(step < 400, "the steps of a commit do not end");
    }
    assert!(failures > 20, "{failures} of {step} steps failed the write");
}

#[test]
fn a_bundle_that_is_not_judged_is_written_as_okf_would_and_cannot_be_led_there() {
    let tree = sample();
    let body = text(&tree, "profile.md").split_once("\n---\n\n").expect("a body").1.replace("1.0", "2.0");
    let (message, reports) = refused(&tree, "update-concept", json!({"id": "profile", "body": body}));
    says(&message, &["could no longer judge the bundle", "unsupported-release"]);
    assert_eq!(reports["profiles"][0]["verdict"], "unsupported-release");

    let profile = text(&tree, "profile.md").replace("1.0", "2.0");
    tree.write("profile.md", profile).write("metrics/index.md", "# By hand\n\n* [Moves](crane-moves.md)\n");
    let answer = okfp().serve(tree.root()).ask("create-concept", json!({"id": "metrics/delay", "type": "Fashion"}));
    assert!(array(&answer["changed_paths"]).contains(&json!("metrics/delay.md")));
    assert!(text(&tree, "metrics/index.md").starts_with("# By hand\n\n* [Moves](crane-moves.md)\n"));
    assert_eq!(text(&tree, "metrics/delay.md"), "---\ntype: Fashion\n---\n");
}

#[test]
fn a_bundle_takes_the_profile_on_step_by_step() {
    let tree = Tree::bundle(&[("a.md", "---\ntype: Metric\n---\n")]);
    let mut server = okfp().serve(tree.root());
    let declaration = "```yaml\nprofile_release: \"1.0\"\nokf_version: \"0.2\"\n```\n";
    let types = "```yaml\ntypes:\n  Profile: The declaration.\n  Type Registry: This.\n  Metric: A number.\n```\n";
    server.ask(
        "create-concept",
        json!({"id": "types", "type": "Type Registry", "title": "Types", "description": "D.", "body": types}),
    );
    server.ask(
        "create-concept",
        json!({"id": "profile", "type": "Profile", "title": "Profile", "description": "D.", "body": declaration}),
    );
    server.ask("update-concept", json!({"id": "a", "title": "A", "description": "D."}));
    server.ask("update-concept", json!({"id": "types", "title": "All types"}));
    let profile = server.ask("validate", json!({}))["profiles"][0].clone();
    assert_eq!(profile["verdict"], "pass", "{profile}");
}

#[test]
fn read_only_leaves_the_writing_tools_out_and_the_profile_in() {
    let tree = sample();
    let mut command = okfp().command();
    command.args(["mcp", "--read-only", tree.shown()]);
    let mut server = Server::start(command);
    server.initialize("2025-06-18");
    let reading = ["list-concepts", "lookup-concept", "profile-rules", "query-graph", "search-concepts", "validate"];
    assert_eq!(server.tool_names(), reading);
}
