//! Which tools come from which link line, and `okf providers`, which tells.

use std::collections::BTreeSet;

use okf_mcp::identity::BundleIdentity;
use okf_mcp::inventory;
use okf_mcp::provider::Registration;
use okf_mcp::registry::Registry;
use serde_json::json;

use crate::harness::{TOOLS, Tree, array, okf, says};

// The link lines of `src/main.rs`.
use okf_plugin_identity as _;
use okf_plugin_read as _;
use okf_plugin_search as _;
use okf_plugin_write as _;

/// The tools of a build that links these crates of the four.
fn tools(linked: impl Fn(&str) -> bool) -> Vec<String> {
    let tree = Tree::bundle(&[("a.md", "---\ntype: Note\n---\n")]);
    let identity = BundleIdentity::read(tree.root()).expect("it can be read");
    let registrations = inventory::iter::<Registration>().filter(|registration| linked(registration.crate_name));
    let set = Registry::from(registrations).and_then(|registry| registry.tool_set(&identity)).expect("a sound build");
    set.specs().into_iter().map(|spec| spec.name).collect()
}

#[test]
fn removing_a_link_line_removes_exactly_its_tools() {
    assert_eq!(tools(|_| true), TOOLS);
    for (line, removed) in [
        ("okf-plugin-identity", &[][..]),
        ("okf-plugin-read", &["list-concepts", "lookup-concept", "query-graph", "validate"]),
        ("okf-plugin-search", &["search-concepts"]),
        ("okf-plugin-write", &["create-concept", "deprecate-concept", "link-concepts", "update-concept"]),
    ] {
        let left = tools(|name| name != line);
        let expected: Vec<&str> = TOOLS.into_iter().filter(|tool| !removed.contains(tool)).collect();
        assert_eq!(left, expected, "without `{line}`");
    }
}

#[test]
fn every_link_line_of_the_binary_registers_something() {
    let crates: BTreeSet<&str> =
        inventory::iter::<Registration>().map(|registration| registration.crate_name).collect();
    let lines =
        include_str!("../src/main.rs").lines().filter_map(|line| line.strip_prefix("use ")?.strip_suffix(" as _;"));
    assert_eq!(lines.map(|name| name.replace('_', "-")).collect::<Vec<_>>(), Vec::from_iter(crates));
}

#[test]
fn the_command_lists_what_is_linked_with_tools_in_order() {
    let nowhere = Tree::new(&[]);
    let listing = okf(&["providers", "--output", "json"]).at(nowhere.root()).run().exits(0).json();
    let row = |kind: &str, name: &str, extra: (&str, serde_json::Value)| json!({"kind": kind, "name": name, "crate": format!("okf-plugin-{name}"), extra.0: extra.1});
    let expected = json!([
        row("identity", "identity", ("rank", json!(0))),
        row("tools", "read", ("tools", json!(["list-concepts", "lookup-concept", "query-graph", "validate"]))),
        row("tools", "search", ("tools", json!(["search-concepts"]))),
        row(
            "tools",
            "write",
            ("tools", json!(["create-concept", "deprecate-concept", "link-concepts", "update-concept"]))
        ),
    ]);
    assert_eq!(listing["providers"], expected);
    let tools = array(&listing["tools"]);
    assert_eq!(tools.iter().map(|tool| tool["name"].clone()).collect::<Vec<_>>(), TOOLS);
    assert_eq!(tools[6], json!({"name": "search-concepts", "provider": "search", "crate": "okf-plugin-search"}));
}

#[test]
fn the_listing_for_people_says_the_same() {
    let tree = Tree::bundle(&[("a.md", "---\ntype: Note\n---\n")]);
    let text = okf(&["providers", tree.shown()]).run().exits(0).stdout;
    assert_eq!(text.lines().next(), Some("identity  identity  okf-plugin-identity  rank 0"));
    says(&text, &["tools     search    okf-plugin-search    search-concepts\n"]);
    assert_eq!(text.lines().last(), Some(format!("tools as listed: {}", TOOLS.join(", ")).as_str()));
    okf(&["providers", "no-such-directory"]).run().exits(2);
}
