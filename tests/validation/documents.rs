//! Documents and their frontmatter (contract §2, spec §4 and §11).

use super::{check, judge};
use crate::harness::Tree;

fn one(text: &str) -> super::Findings {
    check(&[("a.md", text)])
}

#[test]
fn a_type_is_all_that_is_needed() {
    one("---\ntype: Note\n---\n").are(&[]);
    one("---\ntype: Note\n---").are(&[]);
    one("--- \t\ntype: Note\n---  \nBody").are(&[]);
    one("\u{feff}---\r\ntype: Note\r\ntitle: mixed\r\n---\nBody\n").are(&[]);
    one("---\rtype: Note\r---\rBody\r").are(&[]);
    one("---\ntype: Note\n---\nPart one\n\n---\n\nPart two\n\n---\n\ntype: not-me\n").are(&[]);
    one("---\ntype: Note\nanything: {goes: [here, 1, ~]}\n---\n").are(&[]);
    one("---\ntype: Note\n2024: a key\n---\n").are(&[]);
}

#[test]
fn invalid_utf8() {
    let tree = Tree::new(&[("good.md", "---\ntype: Note\n---\n")]);
    tree.write("a.md", b"---\ntype: Note\n---\n\xff").write("pic.bin", [0xff]).write("sub/index.md", b"# \xc3\x28");
    judge(&tree)
        .are(&["a.md okf/invalid-utf8", "sub/index.md okf/invalid-utf8"])
        .error("okf/invalid-utf8", &["19"])
        .error("okf/invalid-utf8", &["2"]);
}

#[test]
fn invalid_document_unterminated() {
    for text in ["---", "---\n", "---\ntype: Note\n", "---\ntype: Note\n ---\nBody\n", "---\ntype: Note\n--- x\n"] {
        let findings = one(text);
        findings.are(&["a.md okf/invalid-document"]);
        assert!(findings.0[0].line.is_some(), "{findings:?}");
    }
    one("---\ntype: |\n  a\n  ---\n  b\n---\n").are(&[]);
}

#[test]
fn invalid_document_not_a_mapping() {
    one("---\nEXAMPLE CO LTD\n---\nx\n")
        .are(&["a.md:2 okf/invalid-document"])
        .error("okf/invalid-document", &["mapping"]);
    one("---\n- a\n- b\n---\nx\n").are(&["a.md:2 okf/invalid-document"]).error("okf/invalid-document", &["mapping"]);
}

#[test]
fn invalid_document_duplicate_and_odd_keys() {
    one("---\ntype: A\ntype: B\n---\n").are(&["a.md:3 okf/invalid-document"]).error("okf/invalid-document", &["type"]);
    one("---\ntype: A\nx:\n  k: 1\n  k: 2\n---\n").are(&["a.md:5 okf/invalid-document"]);
    one("---\ntype: A\n[a, b]: c\n---\n").are(&["a.md:3 okf/invalid-document"]);
    one("---\ntype: A\nx: {{a: b}: c}\n---\n").are(&["a.md:3 okf/invalid-document"]);
}

#[test]
fn invalid_document_names_the_line_of_the_file_and_helps() {
    one("---\ntype: Note\ntitle: a: b\n---\n")
        .are(&["a.md:3 okf/invalid-document"])
        .error("okf/invalid-document", &["quot"]);
    one("---\r\ntype: Note\r\ntitle: a: b\r\n---\r\n").are(&["a.md:3 okf/invalid-document"]);
    one("---\ntype: Note\nx:\n\ty: 1\n---\n")
        .are(&["a.md okf/invalid-document"])
        .error("okf/invalid-document", &["tab"]);
    one("---\n<<<<<<< HEAD\ntype: Note\n=======\ntype: Page\n>>>>>>> other\n---\n")
        .are(&["a.md okf/invalid-document"])
        .error("okf/invalid-document", &["merge"]);
    one("---\ntype: Note\ntitle: {{title}}\ncreated: {{date}}\n---\n")
        .are(&["a.md:3 okf/invalid-document"])
        .error("okf/invalid-document", &["{{"]);
    one("---\ntype: Note\ndescription: \"first\n---\nsecond\"\n---\nBody\n").are(&["a.md okf/invalid-document"]);
    one("---\ntype: Note\nnote: |\n  x\n---- four dashes\nk: v\n---\nBody\n").are(&["a.md:5 okf/invalid-document"]);
    one("---\ntype: Note\nk: *nowhere\n---\n").are(&["a.md:3 okf/invalid-document"]);
    one("---\ntype: Note\n---\n<<<<<<< HEAD\nleft\n=======\nright\n>>>>>>> other\n").are(&[]);
}

#[test]
fn missing_frontmatter() {
    one("no block\n").are(&["a.md okf/missing-frontmatter"]).error("okf/missing-frontmatter", &["type"]);
    one("").are(&["a.md okf/missing-frontmatter"]);
    one("\n---\ntype: Note\n---\nBody\n")
        .are(&["a.md okf/missing-frontmatter"])
        .error("okf/missing-frontmatter", &["blank"]);
    one(" ---\ntype: Note\n---\n").are(&["a.md okf/missing-frontmatter"]);
    one("----\ntype: Note\n----\n").are(&["a.md okf/missing-frontmatter"]);
}

#[test]
fn missing_type() {
    for text in [
        "---\n---\nBody\n",
        "---\n# only a comment\n---\n",
        "---\n\n---\n",
        "---\n---\ntype: Note\n---\n",
        "---\n~\n---\n",
    ] {
        one(text).are(&["a.md okf/missing-type"]);
    }
    for value in ["", " ~", " null", " \"\"", " \"  \"", " []", " {}"] {
        one(&format!("---\ntitle: T\ntype:{value}\n---\n")).are(&["a.md:3 okf/missing-type"]);
    }
    one("---\nType: Note\n---\n").are(&["a.md okf/missing-type"]).error("okf/missing-type", &["`Type`"]);
}

#[test]
fn type_not_string() {
    for value in ["42", "0.10", "true", "[a]", "{a: b}"] {
        one(&format!("---\ntitle: T\ntype: {value}\n---\n")).are(&["a.md:3 okf/type-not-string"]).conform();
    }
    for value in ["yes", "NO", "on", "2026-01-01", "\"42\"", "y"] {
        one(&format!("---\ntype: {value}\n---\n")).are(&[]);
    }
}
