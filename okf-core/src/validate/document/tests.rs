use std::sync::Arc;

use super::*;

/// The findings of one file as `line:column id: message`, in canonical order.
pub(super) fn findings(text: &str) -> Vec<String> {
    let path = BundlePath::new("a.md").unwrap();
    let content = match Document::parse(path.clone(), text.as_bytes().to_vec()) {
        Ok(document) => Content::Document(Arc::new(document)),
        Err(offset) => Content::NotUtf8 { offset },
    };
    let mut out = Vec::new();
    check_concept(&path, &content, &mut out);
    let report = crate::finding::Report::new(out);
    report
        .findings()
        .iter()
        .map(|finding| {
            let location = finding.location.as_ref().unwrap();
            assert_eq!(location.path, "a.md");
            let is_error = finding.severity == Severity::Error;
            let errors = ["okf/invalid-utf8", "okf/invalid-document", "okf/missing-frontmatter", "okf/missing-type"];
            assert_eq!(is_error, errors.contains(&finding.id), "{finding}");
            format!("{}:{} {}: {}", location.line.unwrap(), location.column.unwrap(), finding.id, finding.message)
        })
        .collect()
}

/// Each row is a file's text and what it is expected to be told, each by place, ID and a part of the message.
fn check(rows: &[(&str, &[(&str, &str)])]) {
    for (text, expected) in rows {
        let found = findings(text);
        let fits = found.len() == expected.len()
            && found.iter().zip(*expected).all(|(found, (head, part))| {
                found.strip_prefix(head).is_some_and(|message| message.starts_with(": ") && message.contains(part))
            });
        assert!(fits, "{text}\nfound: {found:#?}\nexpected: {expected:#?}");
    }
}

/// The same for a concept of type Note with more lines of frontmatter: the first of them is line 3.
fn check_lines(rows: &[(&str, &[(&str, &str)])]) {
    for (lines, expected) in rows {
        check(&[(&format!("---\ntype: Note\n{lines}\n---\nBody.\n"), expected)]);
    }
}

#[test]
fn files_that_do_not_read_give_one_error() {
    check(&[
        ("---\ntype: a\n---\n", &[]),
        ("", &[("1:1 okf/missing-frontmatter", "`type: …`")]),
        ("# Title\n", &[("1:1 okf/missing-frontmatter", "move a file that is no concept out of the bundle")]),
        ("\n\n---\ntype: a\n---\n", &[("1:1 okf/missing-frontmatter", "a blank line precedes")]),
        ("\u{feff}\u{feff}---\ntype: a\n---\n", &[("1:1 okf/missing-frontmatter", "two byte-order marks")]),
        (" ---\ntype: a\n---\n", &[("1:1 okf/missing-frontmatter", "indented")]),
        ("+++\ntype = 'a'\n+++\n", &[("1:1 okf/missing-frontmatter", "TOML")]),
        ("----\ntype: a\n----\n", &[("1:1 okf/missing-frontmatter", "three dashes")]),
        ("---\ntype: a\n", &[("1:1 okf/invalid-document", "not closed")]),
        ("---\ntags: x\ntype: a: b\n---\n", &[("3:8 okf/invalid-document", "quote a value that holds `: `")]),
        ("---\ntags: x\ntags: y\n---\n", &[("3:1 okf/invalid-document", "duplicate key `tags`")]),
    ]);
}

#[test]
fn bytes_that_are_no_text_are_an_error_with_their_offset() {
    let path = BundlePath::new("a.md").unwrap();
    let mut out = Vec::new();
    check_concept(&path, &Content::NotUtf8 { offset: 17 }, &mut out);
    check_concept(&path, &Content::Failed { message: "permission denied".into() }, &mut out);
    let shown: Vec<_> = out.iter().map(ToString::to_string).collect();
    assert!(shown[0].starts_with("a.md: error okf/invalid-utf8: ") && shown[0].contains("offset 17"), "{shown:?}");
    assert!(shown[1].starts_with("a.md: error okf/invalid-document: ") && shown[1].contains("permission denied"));
}

#[test]
fn a_concept_needs_a_type() {
    check(&[
        ("---\n---\nBody\n", &[("1:1 okf/missing-type", "`type` is missing")]),
        ("---\n# only a comment\n---\nBody\n", &[("1:1 okf/missing-type", "`type` is missing")]),
        ("---\n\n---\nBody\n", &[("1:1 okf/missing-type", "`type` is missing")]),
        ("---\n---\ntype: Note\n---\nBody\n", &[("1:1 okf/missing-type", "`type` is missing")]),
        ("---\ntype:\n---\n", &[("2:6 okf/missing-type", "empty")]),
        ("---\ntype: ~\n---\n", &[("2:7 okf/missing-type", "empty")]),
        ("---\ntype: ' '\n---\n", &[("2:7 okf/missing-type", "empty")]),
        ("---\ntype: []\n---\n", &[("2:7 okf/missing-type", "empty")]),
        ("---\ntype: {}\n---\n", &[("2:7 okf/missing-type", "empty")]),
        ("---\ntitle: x\nType: Note\n---\n", &[("3:1 okf/missing-type", "rename `Type`")]),
        ("---\nTYPE: Note\n---\n", &[("2:1 okf/missing-type", "rename `TYPE`")]),
        ("---\ntype: 42\n---\n", &[("2:7 okf/type-not-string", "a number, read as the text `42`")]),
        ("---\ntype: true\n---\n", &[("2:7 okf/type-not-string", "a boolean")]),
        ("---\ntype: [a]\n---\n", &[("2:7 okf/type-not-string", "a list")]),
        ("---\ntype: {a: b}\n---\n", &[("2:7 okf/type-not-string", "a mapping")]),
        ("---\ntype: NO\n---\n", &[]),
        ("---\ntype: on\n---\n", &[]),
        ("---\ntype: '42'\n---\n", &[]),
    ]);
}

#[test]
fn tags_are_a_list_of_texts() {
    check_lines(&[
        ("tags: [orders, \"sales, data\", 2017, true]", &[]),
        ("tags:", &[]),
        ("tags: []", &[]),
        ("tags: orders, sales data, eu", &[("3:7 okf/invalid-tags", "the one tag `orders, sales data, eu`")]),
        ("tags: {a: b}", &[("3:7 okf/invalid-tags", "a mapping")]),
        (
            "tags: [a, ~, [b], {c: d}, ' ']",
            &[
                ("3:11 okf/invalid-tags", "`tags[1]` is null"),
                ("3:14 okf/invalid-tags", "`tags[2]` is a list"),
                ("3:19 okf/invalid-tags", "`tags[3]` is a mapping"),
                ("3:27 okf/invalid-tags", "`tags[4]` is blank"),
            ],
        ),
    ]);
}

#[test]
fn generated_names_an_actor_and_a_time() {
    const BAD: &str = "okf/invalid-generated";
    let at = |column: u32| format!("3:{column} {BAD}");
    check_lines(&[
        ("generated: { by: tool/1, at: 2026-06-30T14:00:00Z }", &[]),
        ("generated: { by: tool/1 }", &[]),
        ("generated: { by: tool/1, at: 2026-01-31T16:40:39-0500 }", &[]),
        ("generated: { by: tool/1, at: 2026-01-31t16:40:39-05:00 }", &[]),
        (
            "generated: { by: tool/1, at: 2026-01-31 16:40:39 }",
            &[("3:30 okf/timestamp-without-offset", "`generated.at`")],
        ),
        ("generated: { by: tool/1, at: 2026-01-31 }", &[("3:30 okf/timestamp-without-offset", "a date alone")]),
        (
            "generated: { by: tool/1, at: '2026-02-30T00:00:00Z' }",
            &[(&at(30), "`generated.at` is `2026-02-30T00:00:00Z`")],
        ),
        ("generated: { by: tool/1, at: [x] }", &[(&at(30), "`generated.at` is a list")]),
        ("generated: tool", &[(&at(12), "a string, not a mapping")]),
        ("generated: [tool]", &[(&at(12), "a list, not a mapping")]),
        ("generated: { at: 2026-06-30T14:00:00Z }", &[(&at(12), "`generated.by` is missing")]),
        ("generated: { by: ' ' }", &[(&at(12), "`generated.by` is missing")]),
        ("generated: { by: [a] }", &[(&at(18), "`generated.by` is a list")]),
        ("generated: { by: 'human:' }", &[(&at(18), "names nobody")]),
        ("generated: { by: HUMAN:ann }", &[(&at(18), "lower case")]),
        ("generated:", &[]),
        ("timestamp: '2026-05-28T22:53:05+00:00'", &[]),
        ("timestamp: 2026-05-28", &[("3:12 okf/timestamp-without-offset", "`timestamp`")]),
        ("timestamp: yesterday", &[(&at(12), "`timestamp` is `yesterday`")]),
        ("timestamp: yesterday\ngenerated: { by: t/1, at: 2026-02-01T00:00:00Z }", &[]),
    ]);
}

#[test]
fn verified_is_one_event_or_a_list() {
    const BAD: &str = "okf/invalid-verified";
    let at = |column: u32| format!("3:{column} {BAD}");
    check_lines(&[
        ("verified: { by: human:ann, at: 2026-06-25T09:00:00Z }", &[]),
        (
            "verified: [{ by: process:nightly, at: 2026-06-25T09:00:00Z }, { by: human:ann, at: 2026-06-24T09:00:00Z }]",
            &[],
        ),
        ("verified:", &[]),
        ("verified: []", &[(&at(11), "an empty list")]),
        ("verified: true", &[(&at(11), "a boolean")]),
        (
            "verified: [{ at: 2026-06-25T09:00:00Z }, nonsense]",
            &[(&at(12), "`verified[0].by` is missing"), (&at(42), "`verified[1]` is a string")],
        ),
        (
            "verified: { by: \"Human:ann\" }",
            &[
                (&at(11), "`verified.at` is missing"),
                (&at(17), "`verified.by` is `Human:ann`: the prefix `human:` is lower case"),
            ],
        ),
        ("verified: { by: humanoid/1, at: 2026-06-25T09:00:00Z }", &[]),
        ("verified: { by: 'human: ', at: 2026-06-25T09:00:00Z }", &[(&at(17), "names nobody")]),
        ("verified: [{ by: a, at: soon }]", &[(&at(25), "`verified[0].at` is `soon`")]),
        ("verified: { by: a, at: 2026-06-25 }", &[("3:24 okf/timestamp-without-offset", "`verified.at`")]),
    ]);
}

#[test]
fn lifecycle_fields_hold_known_values() {
    check_lines(&[
        ("status: draft", &[]),
        ("status: ''", &[]),
        ("status:", &[]),
        ("status: Draft", &[("3:9 okf/invalid-status", "write `draft`")]),
        ("status: done", &[("3:9 okf/invalid-status", "write `draft`, `stable` or `deprecated`")]),
        ("status: [draft]", &[("3:9 okf/invalid-status", "a list")]),
        ("stale_after: 2026-09-23T00:00:00Z", &[]),
        ("stale_after: 2026-09-23", &[]),
        ("stale_after: 9999-12-31T00:00:00Z", &[]),
        ("stale_after: 2026-09-23T00:00:00", &[("3:14 okf/timestamp-without-offset", "`stale_after`")]),
        ("stale_after: 2026-09-31", &[("3:14 okf/invalid-stale-after", "`2026-09-31`")]),
        ("stale_after: 90d", &[("3:14 okf/invalid-stale-after", "`90d`")]),
        ("stale_after: {a: b}", &[("3:14 okf/invalid-stale-after", "a mapping")]),
    ]);
}

#[test]
fn sources_are_a_list_of_mappings() {
    check_lines(&[
        ("sources:", &[]),
        ("sources: []", &[]),
        ("sources: https://x", &[("3:10 okf/invalid-sources", "a string, not a list")]),
        ("sources: { resource: x }", &[("3:10 okf/invalid-sources", "a mapping, not a list")]),
        ("usage_window: { from: 2026-06-01, to: 2026-06-30T00:00:00Z }", &[]),
        ("usage_window: june", &[("3:15 okf/invalid-usage-window", "a string, not a mapping")]),
        ("usage_window: { from: 2026-06-01 }", &[("3:15 okf/invalid-usage-window", "`usage_window.to` is missing")]),
        ("usage_window: { from: 2026-06-02, to: 2026-06-01 }", &[("3:15 okf/invalid-usage-window", "later than")]),
        (
            "usage_window: { from: x, to: 2026-06-01T10:00:00 }",
            &[
                ("3:23 okf/invalid-usage-window", "`usage_window.from` is `x`"),
                ("3:30 okf/timestamp-without-offset", "`usage_window.to`"),
            ],
        ),
    ]);
}

#[test]
fn each_bad_source_is_named() {
    check_lines(&[
        (
            "sources: [{ id: s1, resource: https://x, usage_count: 5000, last_modified: 2026-05-30 }, { resource: all of it }]",
            &[],
        ),
        (
            "sources: [{ id: s1, resource: a }, { id: s2 }, { id: s1, resource: /b.md }, c, { resource: [d] }]",
            &[
                ("3:36 okf/invalid-source", "`sources[1].resource` is missing"),
                ("3:54 okf/duplicate-source-id", "`sources[2].id` is `s1`, as is that of `sources[0]`"),
                ("3:77 okf/invalid-source", "`sources[3]` is a string"),
                ("3:92 okf/invalid-source", "`sources[4].resource` is a list"),
            ],
        ),
        (
            "sources:\n  - resource: a\n    id: [x]\n    usage_count: -1\n    last_modified: never\n    usage_window: {}",
            &[
                ("5:9 okf/invalid-source", "`sources[0].id` is a list"),
                ("6:18 okf/invalid-source", "`sources[0].usage_count`"),
                ("7:20 okf/invalid-source", "`sources[0].last_modified` is `never`"),
                ("8:19 okf/invalid-usage-window", "`sources[0].usage_window.from` is missing"),
                ("8:19 okf/invalid-usage-window", "`sources[0].usage_window.to` is missing"),
            ],
        ),
    ]);
}

#[test]
fn footnotes_of_a_document_with_sources_name_them() {
    const BAD: &str = "okf/undefined-source-reference";
    let sources = "---\ntype: Note\nsources: [{ id: s1, resource: https://example.org }]\n---\n";
    check(&[
        ("---\ntype: Note\n---\nFact.[^zz]\n\n[^zz]: Z\n", &[]),
        ("---\ntype: Note\nsources: []\n---\nFact.[^zz]\n\n[^zz]: Z\n", &[]),
        (&format!("{sources}Fact.[^s1]\n\n[^s1]: S\n"), &[]),
        (&format!("{sources}Fact.[^s1]\n"), &[]),
        (
            &format!(
                "{sources}Fact.[^s1] Other.[^zz] Third.[^s3] Again.[^s3]\n\n[^s1]: S\n[^zz]: Z\n[^un]: used nowhere\n"
            ),
            &[
                (&format!("5:18 {BAD}"), "`[^zz]` matches no `sources[].id`; it has footnote text"),
                (&format!("5:30 {BAD}"), "`[^s3]` matches no `sources[].id`; it has no footnote text either"),
                (&format!("9:1 {BAD}"), "`[^un]`"),
            ],
        ),
    ]);
}

#[test]
fn an_attested_computation_keeps_its_contract() {
    let head = "---\ntype: Attested Computation\n";
    let good = format!("{head}runtime: bigquery\n");
    check(&[
        ("---\ntype: Metric\nruntime: []\nparameters: x\nexecutor: y\n---\n", &[]),
        (
            &format!("{head}---\nno fence\n"),
            &[
                ("2:7 okf/missing-computation", "code block"),
                ("2:7 okf/missing-computation-runtime", "`runtime` is missing"),
            ],
        ),
        (&format!("{good}---\n# Computation\n\n    SELECT 1\n"), &[]),
        (&format!("{good}computation: lib/x.sql\n---\nText.\n"), &[]),
        (&format!("{good}---\n# Other\n\n```\nx\n```\n"), &[("2:7 okf/missing-computation", "no computation")]),
        (
            &format!("{good}---\n# Computation\n\n```sql\nSELECT 1\n```\n\n```sql\nSELECT 2\n```\n"),
            &[("11:1 okf/ambiguous-computation", "2 code blocks")],
        ),
        (&format!("{good}---\n## Computation\n\n### SQL\n\n```\n1\n```\n"), &[]),
        (
            &format!("{good}---\n# Computation\n\n```\n1\n```\n\n# Other\n\n# Computation\n\n```\n2\n```\n"),
            &[("15:1 okf/ambiguous-computation", "2 code blocks")],
        ),
        (&format!("{good}---\n# Computation\n\n```\n1\n```\n\n# Examples\n\n```\n2\n```\n"), &[]),
        (
            &format!("{good}computation: lib/x.sql\n---\n# Computation\n\n    SELECT 1\n"),
            &[("4:14 okf/ambiguous-computation", "line 8")],
        ),
        (
            &format!("{head}runtime: [a]\ncomputation: {{a: b}}\n---\n"),
            &[
                ("3:10 okf/missing-computation-runtime", "a list"),
                ("4:14 okf/missing-computation", "a mapping, not a path"),
            ],
        ),
    ]);
}

#[test]
fn parameters_executor_and_attester_have_their_shapes() {
    let lines =
        |lines: &str| format!("---\ntype: Attested Computation\nruntime: r\ncomputation: c.sql\n{lines}\n---\n");
    const PARAMETERS: &str = "okf/invalid-computation-parameters";
    let at = |column: u32| format!("5:{column} {PARAMETERS}");
    check(&[
        (&lines("parameters: [{ name: year, type: integer, required: true }, { name: x, type: y }]"), &[]),
        (&lines("parameters: []\nexecutor: { resource: a.md, receipt: [b] }\nattester: { resource: c.py }"), &[]),
        (&lines("parameters: { name: year }"), &[(&at(13), "a mapping, not a list")]),
        (
            &lines("parameters: [year, { type: [t] }, { name: a, type: b, required: yes }, { name: a, type: c }]"),
            &[
                (&at(14), "`parameters[0]` is a string"),
                (&at(20), "`parameters[1].name` is missing"),
                (&at(28), "`parameters[1].type` is a list"),
                (&at(65), "`parameters[2].required` is a string"),
                (&at(80), "`parameters[3].name` is `a`, as is that of `parameters[2]`"),
            ],
        ),
        (&lines("executor: run.md"), &[("5:11 okf/invalid-executor", "a string, not a mapping")]),
        (
            &lines("executor: { receipt: x, resource: y }"),
            &[("5:22 okf/invalid-executor", "`executor.receipt` is a string")],
        ),
        (&lines("executor: { receipt: [x] }"), &[("5:11 okf/invalid-executor", "`executor.resource` is missing")]),
        (&lines("attester: [a]"), &[("5:11 okf/invalid-attester", "a list, not a mapping")]),
        (&lines("attester: { resource: {} }"), &[("5:23 okf/invalid-attester", "`attester.resource` is a mapping")]),
    ]);
}

#[test]
fn every_fault_of_a_long_file_is_found() {
    let mut text = String::from("---\ntype: Note\ntags:\n");
    text.push_str(&"  - ~\n".repeat(40_000));
    text.push_str("---\n");
    assert_eq!(findings(&text).len(), 40_000);
}

proptest::proptest! {
    #[test]
    fn judging_never_panics_and_places_findings_in_the_file(
        lines in proptest::collection::vec(line(), 0..12),
        body in "[#`^:\\[\\] a1\n\u{e9}\u{1f680}-]{0,60}",
    ) {
        let text = format!("---\n{}---\n# Computation\n{body}", lines.concat());
        let last = text.split('\n').count();
        for finding in findings(&text) {
            let line: usize = finding.split(':').next().unwrap().parse().unwrap();
            proptest::prop_assert!((1..=last).contains(&line), "{finding}");
        }
    }
}

/// A line of frontmatter: some managed key with some value of a wrong or right shape.
fn line() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let key = prop::sample::select(vec![
        "type",
        "Type",
        "tags",
        "status",
        "generated",
        "timestamp",
        "verified",
        "stale_after",
        "sources",
        "usage_window",
        "runtime",
        "parameters",
        "computation",
        "executor",
        "attester",
        "\u{e9}",
    ]);
    let value = prop::sample::select(vec![
        "",
        "~",
        "Attested Computation",
        "[]",
        "{}",
        "[~, a, [b], {c: d}]",
        "{ by: 'human:', at: 2026-01-01 }",
        "[{ by: Human:x }, { at: 1 }]",
        "[{ id: a, resource: b }, { id: a }]",
        "{ resource: [a], from: x, to: ~ }",
        "2026-02-30",
        "\"\\u00e9\\n\\e\"",
        "|\n  text",
        "&x [1]",
        "*x",
    ]);
    (key, value).prop_map(|(key, value)| format!("{key}: {value}\n"))
}
