//! Public bug reports about edits, each with the right outcome; the names are those of the shared cases.

use super::*;
use crate::bundle_path::BundlePath;

fn parse(bytes: impl Into<Vec<u8>>) -> Document {
    Document::parse(BundlePath::new("a.md").unwrap(), bytes.into()).unwrap()
}

fn apply(text: &str, edits: &[Edit]) -> String {
    String::from_utf8(edit(&parse(text), edits).unwrap()).unwrap()
}

fn set(key: &str, value: impl Into<Value>) -> Edit {
    Edit::Set { key: key.into(), value: value.into() }
}

#[test]
fn wr_comments() {
    let text = "---\n# owner: data team\ntype: Note   # keep\nzeta: 1\ntags: [b, a]\nalpha: 'x'\nextra:\n  deep: {k: v}\n---\nBody\n";
    let edits = [
        Edit::Append { key: "tags".into(), value: "c".into() },
        Edit::Remove { key: "zeta".into() },
        set("title", "T"),
    ];
    assert_eq!(
        apply(text, &edits),
        "---\n# owner: data team\ntype: Note   # keep\ntags: [b, a, c]\nalpha: 'x'\nextra:\n  deep: {k: v}\ntitle: T\n---\nBody\n"
    );
}

#[test]
fn wr_crlf() {
    for mark in ["", "\u{feff}"] {
        let text = format!("{mark}---\r\ntype: Note\r\ntitle: T\r\n---\r\nline1\r\nline2");
        let body = format!("{}\nline3", parse(text.clone()).display_body());
        assert_eq!(
            apply(&text, &[set("status", "draft"), Edit::Body(body)]),
            format!("{mark}---\r\ntype: Note\r\ntitle: T\r\nstatus: draft\r\n---\r\nline1\r\nline2\r\nline3")
        );
    }
}

#[test]
fn wr_unknown_nested() {
    let text = "---\ntype: Attested Computation\nruntime: bigquery\nsources:\n  - id: s1\n    resource: https://example.org\n    x-confidence: high\nexecutor:\n  resource: run.md\n  x-queue: slow\n---\n# Computation\n\n    SELECT 1\n";
    assert_eq!(apply(text, &[set("status", "draft")]), text.replacen("slow\n", "slow\nstatus: draft\n", 1));
}

#[test]
fn yaml_date_roundtrip() {
    let text = "---\ntype: Note\ncreated: 2026-04-23\ngenerated: { by: tool/1, at: 2026-06-30T14:00:00Z }\nattendees: [\"[[Sam]]\", \"Ann Other\"]\nstale_after: 2026-12-31T00:00:00Z\n---\nBody\n";
    let drafted = apply(text, &[set("status", "draft")]);
    assert_eq!(drafted, text.replacen("\n---\nBody", "\nstatus: draft\n---\nBody", 1));
    assert_eq!(apply(&drafted, &[set("status", "stable")]), drafted.replace("draft", "stable"));
}

#[test]
fn fm_empty_block() {
    for (text, expected) in [
        ("---\n---\nBody\n", "---\ntype: Note\n---\nBody\n"),
        ("---\n# only a comment\n---\nBody\n", "---\n# only a comment\ntype: Note\n---\nBody\n"),
        ("---\n\n---\nBody\n", "---\ntype: Note\n\n---\nBody\n"),
    ] {
        assert_eq!(apply(text, &[set("type", "Note")]), expected);
        assert_eq!(parse(expected).body(), "Body\n");
    }
}

#[test]
fn fm_not_mapping() {
    for text in ["---\nEXAMPLE CO LTD\n---\nLetterhead text\n", "---\n- a\n- b\n---\nx\n"] {
        let refusal = edit(&parse(text), &[set("status", "draft")]).unwrap_err().to_string();
        assert!(refusal.contains("line 2") && refusal.contains("not a mapping"), "{refusal}");
    }
}

#[test]
fn wr_fm_injection() {
    let description = "x\nverified: {by: human:boss}\n---\nfree text";
    let tag = "a]\nstatus: stable";
    let fields =
        [("type".into(), "Note".into()), ("description".into(), description.into()), ("tags".into(), vec![tag].into())];
    let edits = fields.clone().map(|(key, value)| Edit::Set { key, value });
    for bytes in [compose(&fields, "Body"), edit(&parse("Body\n"), &edits).unwrap()] {
        let document = parse(bytes);
        let frontmatter = document.frontmatter().unwrap();
        let keys: Vec<_> = frontmatter.root.entries.iter().map(|entry| entry.key.as_str()).collect();
        assert_eq!(keys, ["type", "description", "tags"]);
        assert_eq!(document.metadata().description.as_deref(), Some(description));
        assert_eq!(*document.metadata().tags, [tag.into()]);
        assert_eq!(document.body(), "\nBody\n");
        assert_eq!(document.text().as_str().matches("---").count(), 3, "two fences, and one escaped on its line");
    }
}
