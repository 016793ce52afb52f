//! Reports from users of other tools, each as a small file with the right outcome; named by case.

use super::tests::findings;
use crate::bundle_path::BundlePath;
use crate::document::Document;

/// Rows of case, file and findings, each finding as `line id`.
fn check(rows: &[(&str, &str, &[&str])]) {
    for (case, text, expected) in rows {
        let found: Vec<String> = findings(text)
            .iter()
            .map(|finding| {
                let (place, rest) = finding.split_once(' ').expect("a place comes first");
                let line = place.split(':').next().unwrap_or_default();
                let id = rest.split(": ").next().unwrap_or_default();
                format!("{line} {id}")
            })
            .collect();
        assert_eq!(found, *expected, "{case}: {text:.200}");
    }
}

fn parse(text: &str) -> Document {
    Document::parse(BundlePath::new("a.md").unwrap(), text.into()).expect("the text is UTF-8")
}

#[test]
fn frontmatter_detection() {
    check(&[
        ("fm-body-rule", "---\ntype: Note\n---\nPart one\n\n---\n\nPart two\n\n---\n\ntype: not-me\n", &[]),
        (
            "fm-close-lookalike",
            "---\ntype: Note\nnote: |\n  x\n---- four dashes\nk: v\n---\nBody\n",
            &["5 okf/invalid-document"],
        ),
        (
            "fm-conflict-markers",
            "---\n<<<<<<< HEAD\ntype: Note\n=======\ntype: Page\n>>>>>>> other\n---\nBody\n",
            &["3 okf/invalid-document"],
        ),
        ("fm-conflict-markers", "---\ntype: Note\n---\n<<<<<<< HEAD\nleft\n=======\nright\n>>>>>>> other\n", &[]),
        ("fm-empty-block", "---\n---\nBody\n", &["1 okf/missing-type"]),
        ("fm-empty-block", "---\n# only a comment\n---\nBody\n", &["1 okf/missing-type"]),
        ("fm-empty-block", "---\n\n---\nBody\n", &["1 okf/missing-type"]),
        (
            "fm-fence-inside-quoted-scalar",
            "---\ntype: Note\ndescription: \"first\n---\nsecond\"\n---\nBody\n",
            &["3 okf/invalid-document"],
        ),
        ("fm-leading-blank", "\n---\ntype: Note\n---\nBody\n", &["1 okf/missing-frontmatter"]),
        ("fm-mixed-eol", "\u{feff}---\r\ntype: Note\r\ntitle: mixed\r\n---\nBody\n", &[]),
        ("fm-not-mapping", "---\nEXAMPLE CO LTD\n---\nLetterhead text\n", &["2 okf/invalid-document"]),
        ("fm-not-mapping", "---\n- a\n- b\n---\nx\n", &["2 okf/invalid-document"]),
        ("yaml-multidoc", "---\n---\ntype: Note\n---\nBody\n", &["1 okf/missing-type"]),
        (
            "yaml-template-braces",
            "---\ntype: note\ntitle: {{title}}\ncreated: {{date}}\n---\n# {{title}}\n",
            &["3 okf/invalid-document"],
        ),
    ]);
}

#[test]
fn scalars_and_timestamps() {
    check(&[
        ("yaml-norway", "---\ntype: NO\n---\nBody.\n", &[]),
        ("yaml-norway", "---\ntype: on\n---\nBody.\n", &[]),
        ("yaml-norway", "---\ntype: Note\ntitle: yes\ncountry: no\n---\nBody.\n", &[]),
        ("yaml-num-title", "---\ntype: Note\ntitle: 20240425\ntags: [2017, talk]\n---\nBody.\n", &[]),
        ("yaml-num-title", "---\ntype: Note\ntitle: 2026-01-02\n---\nBody.\n", &[]),
        ("yaml-num-title", "---\ntype: Note\ntitle: [a, b]\n---\nBody.\n", &[]),
        ("yaml-num-title", "---\ntype: Note\ntitle: 1e3\n---\nBody.\n", &[]),
        ("yaml-offset", "---\ntype: Note\ngenerated: { by: tool/1, at: 2026-01-31T16:40:39-0500 }\n---\n", &[]),
        ("yaml-offset", "---\ntype: Note\ngenerated: { by: tool/1, at: 2026-01-31t16:40:39-05:00 }\n---\n", &[]),
        (
            "yaml-offset",
            "---\ntype: Note\ngenerated: { by: tool/1, at: 2026-01-31 16:40:39 }\n---\n",
            &["3 okf/timestamp-without-offset"],
        ),
        (
            "yaml-offset",
            "---\ntype: Note\ngenerated: { by: tool/1, at: '2026-02-30T00:00:00Z' }\n---\n",
            &["3 okf/invalid-generated"],
        ),
        ("yaml-tags-scalar", "---\ntype: Table\ntags: orders, sales data, eu\n---\nBody.\n", &["3 okf/invalid-tags"]),
        ("yaml-tags-scalar", "---\ntype: Table\ntags: [orders, \"sales, data\"]\n---\nBody.\n", &[]),
        ("yaml-tags-scalar", "---\ntype: Table\ntags: [2017, true, ~]\n---\nBody.\n", &["3 okf/invalid-tags"]),
    ]);
    assert_eq!(parse("---\ntype: Note\ntitle: 1e3\n---\n").display_title(), "1e3");
}

#[test]
fn version_two_families() {
    check(&[
        (
            "v2-attested",
            "---\ntype: Attested Computation\n---\nno fence\n",
            &["2 okf/missing-computation", "2 okf/missing-computation-runtime"],
        ),
        (
            "v2-attested",
            "---\ntype: Attested Computation\nruntime: bigquery\n---\n# Computation\n\n```sql\nSELECT 1\n```\n\n```sql\nSELECT 2\n```\n",
            &["11 okf/ambiguous-computation"],
        ),
        (
            "v2-attested",
            "---\ntype: Attested Computation\nruntime: bigquery\ncomputation: lib/x.sql\n---\n# Computation\n\n    SELECT 1\n",
            &["4 okf/ambiguous-computation"],
        ),
        ("v2-legacy", "---\ntype: Note\ntimestamp: '2026-05-28T22:53:05+00:00'\n---\nBody.\n", &[]),
        (
            "v2-legacy",
            "---\ntype: Note\ntimestamp: 2026-01-01T00:00:00Z\ngenerated: { by: t/1, at: 2026-02-01T00:00:00Z }\n---\n",
            &[],
        ),
        ("v2-legacy", "---\ntype: Note\ngenerated: tool\n---\nBody.\n", &["3 okf/invalid-generated"]),
        (
            "v2-sources",
            "---\ntype: Note\nsources: [{ id: s1, resource: https://example.org }, { id: s2 }, { id: s1, resource: /b.md }]\n---\nFact.[^s1] Other.[^zz] Third.[^s3]\n\n[^s1]: S\n[^zz]: Z\n",
            &[
                "3 okf/invalid-source",
                "3 okf/duplicate-source-id",
                "5 okf/undefined-source-reference",
                "5 okf/undefined-source-reference",
            ],
        ),
        ("v2-verified", "---\ntype: Note\nverified: []\n---\n", &["3 okf/invalid-verified"]),
        ("v2-verified", "---\ntype: Note\nverified: true\n---\n", &["3 okf/invalid-verified"]),
        (
            "v2-verified",
            "---\ntype: Note\nverified: [{ at: 2026-06-25T09:00:00Z }, nonsense]\n---\n",
            &["3 okf/invalid-verified", "3 okf/invalid-verified"],
        ),
        (
            "v2-verified",
            "---\ntype: Note\nverified: { by: \"Human:ann\" }\n---\n",
            &["3 okf/invalid-verified", "3 okf/invalid-verified"],
        ),
    ]);
}

#[test]
fn big_and_hostile_inputs() {
    let only = format!("---\ntype: Note\n{}", "k: v\n".repeat(400_000));
    let line = format!("---\ntype: Note\n---\n{}\n", "x".repeat(3_000_000));
    let title = format!("---\ntype: Note\ntitle: {}\n---\nx\n", "y".repeat(2_000_000));
    let wide = format!(
        "---\ntype: Note\nbase: &b [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]\nall: [{}*b]\n---\nx\n",
        "*b, ".repeat(30_000)
    );
    let deep = format!("---\ntype: Note\nk: {}{}\n---\nx\n", "[".repeat(20_000), "]".repeat(20_000));
    let hundred = format!("---\ntype: Note\nk: {}{}\n---\nx\n", "[".repeat(100), "]".repeat(100));
    check(&[
        ("big-fm-only", &only, &["1 okf/invalid-document"]),
        ("big-line", &line, &[]),
        ("big-line", &title, &[]),
        ("yaml-alias-wide", &wide, &["4 okf/invalid-document"]),
        ("yaml-deep", &deep, &["3 okf/invalid-document"]),
        ("yaml-deep", &hundred, &[]),
    ]);
}
