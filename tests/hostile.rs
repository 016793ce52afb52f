//! Inputs made to hurt: each becomes a finding, never a crash, and its neighbours are served.

use serde_json::json;

use crate::harness::{Server, Tree, array, column, okf};

const NOTE: &str = "---\ntype: Note\n---\nBody.\n";

/// Judges a tree that holds one hostile `bad.md` beside a good concept; returns the IDs of findings about it.
#[track_caller]
fn findings_about_bad(content: &[u8]) -> Vec<String> {
    let tree = Tree::new(&[("good.md", NOTE)]);
    tree.write("bad.md", content);
    let run = okf(&["validate", "--json", tree.shown()]).run();
    assert!(run.code == 0 || run.code == 1, "{}", run.stderr);
    let report = run.json();
    array(&report["findings"])
        .iter()
        .map(|finding| {
            assert_eq!(finding["location"]["path"], "bad.md", "{finding}");
            assert!(finding["message"].as_str().is_some_and(|message| message.len() < 2_000), "a flood");
            finding["id"].as_str().expect("an ID").to_owned()
        })
        .collect()
}

#[track_caller]
fn is_refused(content: impl AsRef<[u8]>) {
    assert_eq!(findings_about_bad(content.as_ref()), ["okf/invalid-document"]);
}

#[track_caller]
fn is_fine(content: impl AsRef<[u8]>) {
    assert_eq!(findings_about_bad(content.as_ref()), [""; 0]);
}

fn frontmatter(lines: &str) -> String {
    format!("---\ntype: Note\n{lines}\n---\nBody.\n")
}

#[test]
fn alias_bombs() {
    let mut laughs = "a: &a [x,x,x,x,x,x,x,x,x,x]\n".to_owned();
    for (name, before) in "bcdefghijk".chars().zip("abcdefghij".chars()) {
        let aliases = vec![format!("*{before}"); 10].join(",");
        laughs.push_str(&format!("{name}: &{name} [{aliases}]\n"));
    }
    is_refused(frontmatter(&laughs));
    is_refused(frontmatter(&format!("b: &b [1,2,3,4,5,6,7,8,9,10]\nall: [{}*b]", "*b, ".repeat(30_000))));
    is_refused(frontmatter(&format!("b: &b {{k: v, l: w}}\nall:\n{}", "  - *b\n".repeat(60_000))));
}

#[test]
fn depth() {
    is_refused(frontmatter(&format!("k: {}", "[".repeat(100_000))));
    is_refused(frontmatter(&format!("k: {}{}", "[".repeat(20_000), "]".repeat(20_000))));
    is_refused(frontmatter(&format!("k: {}", "{a: ".repeat(100_000))));
    is_refused(frontmatter(&format!("k:\n  {}x", "- ".repeat(100_000))));
    is_refused(frontmatter(&format!("? {}x", "? ".repeat(100_000))));
    is_refused(frontmatter(&(0..2_000).map(|n| format!("{}k:", " ".repeat(n))).collect::<Vec<_>>().join("\n")));
    is_fine(frontmatter(&format!("k: {}{}", "[".repeat(100), "]".repeat(100))));
}

#[test]
fn size() {
    is_refused(format!("---\ntype: Note\n{}", "k: v\n".repeat(400_000)));
    is_refused(frontmatter(&format!("k: {}", "x".repeat(4 * 1024 * 1024))));
    is_refused(frontmatter(&format!("k: [{}]", "1,".repeat(100_001))));
    is_fine(frontmatter(&format!("k: {}", "x".repeat(1024 * 1024))));
    is_fine(frontmatter(&format!("k: [{}]", "1,".repeat(50_000))));
}

#[test]
fn bodies_of_every_shape() {
    let body = |text: String| format!("---\ntype: Note\n---\n{text}\n");
    for text in [
        "[".repeat(50_000),
        "![[](".repeat(20_000),
        "> ".repeat(20_000),
        "* ".repeat(20_000),
        "`".repeat(100_000),
        "_*".repeat(50_000),
        "[a](".repeat(20_000),
        "[^x]".repeat(20_000),
        "|-".repeat(50_000),
        "<".repeat(50_000),
        "\0".repeat(1_000),
        "\u{feff}\u{202e}\u{2028}".repeat(1_000),
        "\r".repeat(50_000),
    ] {
        is_fine(body(text));
    }
}

#[test]
fn bytes() {
    assert_eq!(findings_about_bad(b"---\ntype: Note\n---\n\xff"), ["okf/invalid-utf8"]);
    assert_eq!(findings_about_bad(b"\xff\xfe-\0-\0-\0"), ["okf/invalid-utf8"]);
    assert_eq!(findings_about_bad(b"\xed\xa0\x80"), ["okf/invalid-utf8"]);
    assert_eq!(findings_about_bad(&[0; 4096]), ["okf/missing-frontmatter"]);
    is_refused("---\ntype: a\0b\n---\n");
    is_refused("---\ntype: \"\\ud800\"\n---\n");
}

#[test]
fn tags_anchors_and_directives() {
    for lines in [
        "k: !!python/object:os.system x",
        "%YAML 9.9",
        "k: !<tag:x> v",
        "k: &a",
        "<<: *a",
        "<<: {a: b}",
        "...",
        "k: @x",
    ] {
        let findings = findings_about_bad(frontmatter(lines).as_bytes());
        assert!(findings.is_empty() || findings == ["okf/invalid-document"], "{lines}: {findings:?}");
    }
}

#[test]
fn links_in_circles_and_odd_files() {
    let tree = Tree::bundle(&[("good.md", NOTE)]);
    tree.link("self.md", "self.md").link("dir/up", "..").link("root", "/").link("x/y", "../x").directory("folder.md");
    let name = std::ffi::CString::new(tree.path("pipe.md").to_str().expect("UTF-8")).expect("no NUL");
    rustix::fs::mknodat(rustix::fs::CWD, &name, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0).expect("a pipe");
    let run = okf(&["validate", "--json", tree.shown()]).run();
    assert!(run.code < 2, "{}", run.stderr);
    let mut server = Server::serve(tree.root());
    let answer = server.ask("list-concepts", json!({}));
    assert_eq!(answer["concepts"][0]["id"], "good", "nothing blocks on the pipe: {answer}");
}

#[test]
fn names_that_are_not_text() {
    use std::os::unix::ffi::OsStrExt;
    let tree = Tree::bundle(&[("good.md", NOTE)]);
    std::fs::write(tree.root().join(std::ffi::OsStr::from_bytes(b"b\xffd.md")), NOTE).expect("Linux takes any name");
    let report = okf(&["validate", "--json", tree.shown()]).run().exits(0).json();
    assert!(report.to_string().contains("okf/invalid-path"), "{report}");
    let answer = Server::serve(tree.root()).ask("list-concepts", json!({}));
    assert_eq!((&answer["total"], array(&answer["unreadable"]).len()), (&json!(1), 1));
}

#[test]
fn all_of_it_at_once_is_served() {
    let tree = Tree::bundle(&[("good.md", NOTE)]);
    tree.write("deep.md", frontmatter(&format!("k: {}", "[".repeat(100_000))))
        .write("list.md", frontmatter(&format!("k:\n  {}x", "- ".repeat(100_000))))
        .write("open.md", format!("---\n{}", "k: v\n".repeat(400_000)))
        .write("nul.md", [0; 100])
        .write("bytes.md", [0xff])
        .write("long.md", format!("---\ntype: Note\n---\n{}\n", "x".repeat(5_000_000)))
        .write("sub/index.md", format!("{}\n", "[".repeat(50_000)))
        .write("sub/log.md", "## ".repeat(50_000));
    let mut server = Server::serve(tree.root());
    let listed = server.ask("list-concepts", json!({}));
    assert_eq!(column(&listed["concepts"], "id"), ["good", "long", "nul"], "a concept without frontmatter is text");
    for (tool, arguments) in [
        ("search-concepts", json!({"query": "Body"})),
        ("search-concepts", json!({"query": "x"})),
        ("lookup-concept", json!({"id": "long"})),
        ("query-graph", json!({})),
        ("validate", json!({"links": true})),
    ] {
        let answer = server.call(tool, arguments);
        assert!(!answer.is_error && answer.size() < 60_000, "{tool}: {} bytes", answer.size());
    }
}
