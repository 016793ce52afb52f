//! What the build offers and tells.

use okf_mcp_test::check::{array, column, says};
use okf_mcp_test::{InProcess, Tree, json};

use crate::{OKF, okfp, sample};

#[test]
fn it_serves_the_tools_of_okf_and_one_of_its_own() {
    let mut expected = [&OKF[..], &["profile-rules"]].concat();
    expected.sort_unstable();
    assert_eq!(okfp().serve(sample().root()).tool_names(), expected);
    assert_eq!(InProcess::serve(sample().root()).tool_names(), OKF, "without its link line");
}

#[test]
fn the_commands_are_those_of_okf_under_another_name() {
    let run = okfp().run(&["--version"]).run().exits(0);
    assert_eq!(run.stdout, format!("okfp {}\n", env!("CARGO_PKG_VERSION")));
    let tree = sample();
    let listed = okfp().run(&["list", tree.shown()]).run().exits(0).stdout;
    says(&listed, &["metrics/crane-moves: Crane moves (Metric)"]);
    let mut server = okfp().spawn(tree.root());
    assert_eq!(server.initialize("2025-11-25")["serverInfo"]["name"], "okfp");
    says(&server.close().stderr, &["okfp mcp: serving 5 concept(s) from"]);
}

#[test]
fn providers_lists_kinds_crates_ranks_and_tools_in_order() {
    let nowhere = Tree::new(&[]);
    let listing = okfp().run(&["providers", "--output", "json"]).at(nowhere.root()).run().exits(0).json();
    let rows: Vec<String> = array(&listing["providers"])
        .iter()
        .map(|row| format!("{} {} {}", row["kind"], row["name"], row["crate"]).replace('"', ""))
        .collect();
    let expected = [
        "identity identity okf-plugin-identity",
        "identity okfp okfp",
        "profile okfp okfp",
        "tools okfp okfp",
        "tools read okf-plugin-read",
        "tools search okf-plugin-search",
        "tools write okf-plugin-write",
    ];
    assert_eq!(rows, expected);
    assert_eq!((&listing["providers"][1]["rank"], &listing["providers"][2]["release"]), (&json!(100), &json!("1.0")));
    assert_eq!(listing["providers"][3]["tools"], json!(["profile-rules"]));
    assert_eq!(json!(column(&listing["tools"], "name")), json!(okfp().serve(sample().root()).tool_names()));
    let text = okfp().run(&["providers", sample().shown()]).run().exits(0).stdout;
    says(&text, &["profile   okfp      okfp                 release 1.0\n", "tools as listed: create-concept, "]);
}

#[test]
fn the_base_identity_comes_first_and_the_profile_behind_it() {
    let tree = sample();
    let mut server = okfp().spawn(tree.root());
    let told = server.initialize("2025-11-25");
    let instructions = told["instructions"].as_str().expect("text");
    assert!(instructions.starts_with("This server knows the knowledge bundle \"Harbour Handbook\""), "{instructions}");
    let last = instructions.rsplit("\n\n").next().expect("a paragraph");
    says(last, &["Profile okfp 1.0", "types", "title", "description", "profile-rules"]);
    for tool in server.tools() {
        let writes = tool["annotations"]["readOnlyHint"] == false;
        let description = tool["description"].as_str().expect("text");
        assert_eq!(description.contains("profile okfp 1.0 is kept"), writes, "{description}");
        says(description, &["Harbour Handbook", tree.shown()]);
    }
}

#[test]
fn budgets_hold_and_room_is_left_for_the_profile_however_much_there_is_to_say() {
    let tree = sample();
    let words = ["harbour", "vessel", "pilotage", "mooring", "quay", "stevedore", "bollard", "dredging", "fairway"];
    for n in 0..300 {
        let (a, b, c) = (words[n % 9], words[n / 9 % 9], words[n / 81 % 9]);
        let text = format!(
            "---\ntype: {a} {b} type\ntitle: {a}{n} {b} {c}\ndescription: {b}{c} {a}{c}{n}.\ntags: [{a}{b}{c}]\n---\n"
        );
        tree.write(&format!("area-{a}-{b}-{c}/{n}.md"), text);
    }
    let mut server = okfp().spawn(tree.root());
    let told = server.initialize("2025-11-25");
    let instructions = told["instructions"].as_str().expect("text");
    let excess = tree.shown().len().saturating_sub(100);
    assert!((1_900..=2_000 + excess).contains(&instructions.len()), "{} bytes", instructions.len());
    says(instructions, &["Areas", "Profile okfp 1.0"]);
    let tools = server.tools();
    let list = json!({ "tools": tools }).to_string();
    assert!(list.len() <= 14_000 + tools.len() * excess, "{} bytes", list.len());
    let told = tools.iter().filter(|tool| tool["description"].to_string().contains("profile okfp 1.0 is kept")).count();
    assert_eq!(told, 4);
    let stderr = server.close().stderr;
    assert!(!stderr.contains("left out"), "{stderr}");
}

#[test]
fn what_does_not_fit_is_left_out_whole_and_logged() {
    // A title of 80 characters of four bytes: the base identity alone fills the list of ten tools.
    let title = "𠀋𠂢𠂤𠆢𠈓𠌫𠎁𠍱𠏹𠑊𠔉𠗖𠘨𠝏𠠇𠠺".repeat(5);
    let tree = Tree::new(&[("index.md", &format!("---\nokf_version: \"0.2\"\n---\n# {title}\n"))]);
    let mut server = okfp().spawn(tree.root());
    let told = server.initialize("2025-11-25");
    let instructions = told["instructions"].as_str().expect("text");
    assert!(
        instructions.len() <= 2_000 && instructions.ends_with("Call profile-rules for all rules."),
        "{instructions}"
    );
    let tools = server.tools();
    assert!(json!({ "tools": tools }).to_string().len() <= 14_000);
    for tool in tools {
        let description = tool["description"].as_str().expect("text");
        assert!(description.contains(&title) && !description.contains("profile okfp 1.0 is kept"), "{description}");
    }
    let stderr = server.close().stderr;
    says(&stderr, &["okfp mcp: a clause of `okfp` for tool `create-concept` does not fit and is left out\n"]);
}
