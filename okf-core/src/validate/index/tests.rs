use crate::bundle::Bundle;
use crate::validate::{Options, validate};

pub(in crate::validate) const NOTE: &str = "---\ntype: Note\n---\nBody.\n";

/// Checks the findings about indexes, logs and links, as `path:line id`, in canonical order.
pub(in crate::validate) fn check(files: &[(&str, &str)], expected: &[&str]) {
    let findings = findings(files, false);
    assert_eq!(findings.iter().map(|(place, _)| place.as_str()).collect::<Vec<_>>(), expected, "{files:?}");
}

/// `path:line severity id` and the message of each finding of this module's concern.
pub(in crate::validate) fn findings(files: &[(&str, &str)], links: bool) -> Vec<(String, String)> {
    let bundle = Bundle::from_files(files.iter().copied()).unwrap();
    let report = validate(&bundle, Options { links });
    let ours = |id: &str| ["index", "log", "okf-version", "reserved", "broken"].iter().any(|word| id.contains(word));
    report
        .findings()
        .iter()
        .filter(|finding| ours(finding.id))
        .map(|finding| {
            let location = finding.location.as_ref().unwrap();
            let line = location.line.map(|line| format!(":{line}")).unwrap_or_default();
            (format!("{}{line} {} {}", location.path, finding.severity.as_str(), finding.id), finding.message.clone())
        })
        .collect()
}

pub(in crate::validate) fn message(files: &[(&str, &str)], id: &str) -> String {
    let found = findings(files, true);
    let message = found.iter().find(|(place, _)| place.ends_with(id)).map(|(_, message)| message.clone());
    message.unwrap_or_else(|| panic!("no {id} in {found:?}"))
}

#[test]
fn a_good_bundle_has_no_findings() {
    check(
        &[
            (
                "index.md",
                "---\nokf_version: \"0.2\"\n---\n# Pages\n\n* [Alpha](alpha.md) - first page\n* [Sub](sub/) - more\n",
            ),
            ("alpha.md", NOTE),
            ("sub/index.md", "# Sub\n\n## Here\n\n* [A](a.md) - a\n"),
            ("sub/a.md", NOTE),
            ("log.md", "# Log\n\nIntro line.\n\n## 2026-05-22\n* a\n\n## 2026-05-15\n* b\n"),
        ],
        &[],
    );
}

#[test]
fn index_frontmatter_is_an_error_beyond_the_version_of_the_root() {
    let files = [
        ("index.md", "---\nokf_version: \"0.2\"\nconflict_with: main\nb: 1\n---\n# P\n\n* [S](sub/) - s\n"),
        ("sub/index.md", "---\ntitle: Sub\n---\n# Sub\n\n* [A](a.md) - a\n"),
        ("sub/a.md", NOTE),
    ];
    check(
        &files,
        &["index.md:3 error okf/invalid-index-frontmatter", "sub/index.md:2 error okf/invalid-index-frontmatter"],
    );
    assert!(message(&files, "okf/invalid-index-frontmatter").contains("`conflict_with`, `b`"));
    assert!(message(&files[1..], "okf/invalid-index-frontmatter").contains("`title`"));
    check(
        &[
            ("sub/index.md", "---\nokf_version: \"0.2\"\n---\n"),
            ("x/index.md", "---\n---\n"),
            ("index.md", "---\n---\n* [s](sub/) [x](x/)\n"),
        ],
        &[
            "index.md:3 advisory okf/index-entry-before-section",
            "sub/index.md:2 error okf/invalid-index-frontmatter",
            "x/index.md:1 error okf/invalid-index-frontmatter",
        ],
    );
}

#[test]
fn unreadable_frontmatter_of_a_reserved_document_is_an_error() {
    check(
        &[("index.md", "---\na: [\n---\n"), ("log.md", "---\na: 1\n")],
        &["index.md:2 error okf/invalid-reserved-document", "log.md:1 error okf/invalid-reserved-document"],
    );
}

#[test]
fn versions_are_shown_as_written() {
    let root = |version: &str| format!("---\nokf_version: {version}\n---\n# P\n\n* [A](a.md) - a\n");
    let unquoted = "index.md:2 advisory okf/unquoted-okf-version";
    let unsupported = "index.md:2 advisory okf/unsupported-okf-version";
    let rows: [(&str, &[&str]); 8] = [
        ("\"0.1\"", &[]),
        ("'0.2'", &[]),
        ("\"7.3\"", &[unsupported]),
        ("v0.2", &[unsupported]),
        ("0.2", &[unquoted]),
        ("0.10", &[unquoted, unsupported]),
        ("[0.2]", &[unquoted]),
        ("", &[unquoted]),
    ];
    for (version, expected) in rows {
        check(&[("index.md", &root(version)), ("a.md", NOTE)], expected);
    }
    let files = [("index.md", &*root("0.10")), ("a.md", NOTE)];
    assert!(message(&files, "okf/unquoted-okf-version").contains("`okf_version: 0.10`"));
    assert!(message(&files, "okf/unsupported-okf-version").contains("`0.10`"));
}

#[test]
fn index_structure_is_reported_once_with_first_line_and_count() {
    let files = [
        (
            "index.md",
            "* [A](a.md)\n* [A](a.md)\n\n# One\n\n# Two\n\nprose\n\n1. one\n2. two\n\n# Three\n\n* [A](a.md)\n* [B](my file.md)\n* [C](a_(b).md)\n* [D](<d e.md>)\n",
        ),
        ("a.md", NOTE),
        ("a_(b).md", NOTE),
        ("d e.md", NOTE),
        ("pic/x.png", ""),
    ];
    check(
        &files,
        &[
            "index.md:1 advisory okf/index-entry-before-section",
            "index.md:6 advisory okf/empty-index-section",
            "index.md:8 advisory okf/index-prose",
            "index.md:16 advisory okf/non-portable-index-link",
        ],
    );
    assert!(message(&files, "okf/index-entry-before-section").contains("2 times"));
    assert!(message(&files, "okf/index-prose").contains("3 times"));
    assert!(message(&files, "okf/non-portable-index-link").contains("2 times"));
    assert!(!message(&files, "okf/empty-index-section").contains("times"));
}

#[test]
fn a_first_heading_is_the_title_only_when_others_follow() {
    let empty = "index.md:1 advisory okf/empty-index-section";
    check(&[("index.md", "# P\n")], &[empty]);
    check(&[("index.md", "# P\n\n## A\n\n* [a](a.md)\n"), ("a.md", NOTE)], &[]);
    check(&[("index.md", "P\n===\n\n## A\n\n### B ###\n\n* [a](a.md)\n"), ("a.md", NOTE)], &[]);
    check(
        &[("index.md", "# P\n\n* [a](a.md)\n\n## A\n\n```\n# no\n```\n\n## B\n"), ("a.md", NOTE)],
        &["index.md:5 advisory okf/empty-index-section", "index.md:7 advisory okf/index-prose"],
    );
    check(
        &[("index.md", "# P\n\n## A\n\n| [a](a.md) |\n|--|\n"), ("a.md", NOTE)],
        &["index.md:5 advisory okf/index-prose"],
    );
}

#[test]
fn entries_point_at_something_in_the_bundle() {
    let files = [
        (
            "n/index.md",
            "# P\n\n* [1](gone.md)\n* [2](A.md)\n* [3](../../out.md)\n* [4]()\n* [5](sub/)\n* [6](sub)\n* [7](img/)\n* [8](https://example.org)\n* [9](a.md#x)\n* [10](/n/a)\n* [11](#here)\n",
        ),
        ("n/a.md", NOTE),
        ("n/sub/b.md", NOTE),
        ("n/img/p.png", ""),
    ];
    let broken = |line: u32| format!("n/index.md:{line} advisory okf/broken-index-entry");
    let expected: Vec<_> = (3..=6).map(broken).collect();
    check(&files, &expected.iter().map(String::as_str).collect::<Vec<_>>());
    let found = findings(&files, true);
    assert_eq!(found.len(), 4, "the same with links: {found:?}");
    assert!(found[1].1.ends_with("did you mean `n/a.md`?"), "{found:?}");
}

#[test]
fn an_index_lists_what_is_beside_it() {
    let files = [
        ("index.md", "# [A](a.md)\n\nSee [b](b.md).\n\n| x |\n|---|\n| [c](c) |\n\n1. [D](d/)\n2. [E](e/x.md)\n"),
        ("a.md", NOTE),
        ("b.md", NOTE),
        ("c.md", NOTE),
        ("d/x.md", NOTE),
        ("e/x.md", NOTE),
        ("img/p.png", ""),
        ("notes.txt", ""),
        ("log.md", "# L\n"),
    ];
    check(&files, &["index.md:3 advisory okf/index-prose"]);
    let more: Vec<_> =
        files.iter().copied().chain([("f/deep/x.md", NOTE), ("g.md", NOTE), ("e-x/index.md", "")]).collect();
    check(&more, &["index.md advisory okf/missing-index-entries", "index.md:3 advisory okf/index-prose"]);
    assert_eq!(message(&more, "okf/missing-index-entries"), "does not list 3 entries beside it: `e-x/`, `f/`, `g.md`");
    let many: Vec<_> = (0..7).map(|at| format!("c{at}.md")).collect();
    let many: Vec<_> = many.iter().map(|path| (&**path, NOTE)).chain([("index.md", "")]).collect();
    assert!(message(&many, "okf/missing-index-entries").ends_with("`c4.md` and 2 more"));
    check(&[("index.md", "# P\n\n* [C](cafe\u{301}.md) - composed\n"), ("caf\u{e9}.md", NOTE)], &[]);
}
