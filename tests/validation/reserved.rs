//! `index.md` and `log.md` (contract §5 and §6, spec §8 and §9).

use super::{Findings, check};

const NOTE: (&str, &str) = ("a.md", "---\ntype: Note\n---\n");

fn index(text: &str) -> Findings {
    check(&[NOTE, ("index.md", text)])
}

fn log(text: &str) -> Findings {
    check(&[("log.md", text)])
}

#[test]
fn a_plain_index_is_silent() {
    index("# Notes\n\n* [A](a.md) - x\n").are(&[]);
    index("---\nokf_version: \"0.2\"\n---\n\n# Knowledge\n\n## Notes\n\n- [A](./a.md): x\n").are(&[]);
    index("Notes\n=====\n\n+ [A](<a.md>) — x\n").are(&[]);
    check(&[
        ("d/a.md", NOTE.1),
        ("index.md", "# Subdirectories\n\n* [d](d/) - x\n"),
        ("d/index.md", "# N #\n\n* [A](a.md)\n"),
    ])
    .are(&[]);
}

#[test]
fn invalid_reserved_document() {
    index("---\nokf_version: [\n---\n# N\n\n* [A](a.md)\n")
        .hold("index.md okf/invalid-reserved-document")
        .error("okf/invalid-reserved-document", &[]);
    log("---\nx: y: z\n---\n# Log\n").hold("log.md:2 okf/invalid-reserved-document");
    log("---\nx: y\n").hold("log.md okf/invalid-reserved-document");
}

#[test]
fn invalid_index_frontmatter() {
    let findings = check(&[
        ("index.md", "---\nokf_version: \"0.2\"\nconflict_with: main\n---\n# P\n\n* [S](sub/) - s\n"),
        ("sub/index.md", "---\ntitle: Sub\n---\n# Sub\n\n* [A](a.md) - a\n"),
        ("sub/a.md", NOTE.1),
    ]);
    findings
        .are(&["index.md okf/invalid-index-frontmatter", "sub/index.md okf/invalid-index-frontmatter"])
        .error("okf/invalid-index-frontmatter", &["conflict_with"])
        .error("okf/invalid-index-frontmatter", &["title"]);
    check(&[("sub/index.md", "---\nokf_version: \"0.2\"\n---\n# Sub\n\n* [A](a.md)\n"), ("sub/a.md", NOTE.1)])
        .are(&["sub/index.md okf/invalid-index-frontmatter"]);
}

#[test]
fn okf_version() {
    let declared = |version: &str| index(&format!("---\nokf_version: {version}\n---\n# N\n\n* [A](a.md)\n"));
    declared("\"0.1\"").are(&[]);
    declared("'0.2'").are(&[]);
    declared("\"7.3\"")
        .are(&["index.md:2 okf/unsupported-okf-version"])
        .conform()
        .advise("okf/unsupported-okf-version", &["7.3"]);
    declared("0.2").are(&["index.md:2 okf/unquoted-okf-version"]).conform();
    declared("0.10")
        .hold("index.md:2 okf/unquoted-okf-version")
        .conform()
        .advise("okf/unquoted-okf-version", &["0.10"]);
}

#[test]
fn index_structure() {
    index("# T\n\n# Empty\n\n# Notes\n\n* [A](a.md)\n").are(&["index.md:3 okf/empty-index-section"]).conform();
    index("# Title\n\n# Notes\n\n* [A](a.md)\n").lack("okf/empty-index-section");
    index("* [A](a.md)\n").hold("index.md:1 okf/index-entry-before-section").conform();
    index("# Notes\n\nSome prose.\n\n* [A](a.md)\n").are(&["index.md:3 okf/index-prose"]).conform();
    index("# Notes\n").hold("index.md okf/missing-index-entries").conform();
    index("# Notes\n\n* [A](a.md)\n* [B C](b c.md)\n").hold("index.md:4 okf/non-portable-index-link").conform();
    check(&[("a b.md", NOTE.1), ("index.md", "# Notes\n\n* [A](<a b.md>)\n* [A](a%20b.md)\n")])
        .lack("okf/non-portable-index-link")
        .lack("okf/broken-index-entry");
    index("```\n* [A](gone.md)\n```\n\n# Notes\n\n* [A](a.md)\n").lack("okf/broken-index-entry");
}

#[test]
fn structure_is_said_once_a_file_with_first_line_and_count() {
    let findings = index("# Notes\n\nOne.\n\n* [A](a.md)\n\nTwo.\n\nThree.\n");
    findings.are(&["index.md:3 okf/index-prose"]).advise("okf/index-prose", &["3"]);
}

#[test]
fn broken_index_entry() {
    index("# Notes\n\n* [A](a.md)\n* [Gone](gone.md) - x\n* [Nowhere](nowhere/)\n")
        .are(&["index.md:4 okf/broken-index-entry", "index.md:5 okf/broken-index-entry"])
        .conform()
        .advise("okf/broken-index-entry", &["gone.md"]);
    let files = [("index.md", "# D\n\n* [d](d/) - no index in there\n"), ("d/a.md", NOTE.1)];
    check(&files).lack("okf/broken-index-entry");
}

#[test]
fn a_plain_log_is_silent() {
    log("# Log\n\n## 2026-05-22\n* **Update**: x\n\n## 2026-05-15\n* y\n").are(&[]);
    log("# Log\n\n2026-05-22\n----------\n\n- x\n").are(&[]);
    log("# Log\n\n## 2026-05-22 ##\n\n* x\n\n```\n## 2099-99-99\n```\n").lack("okf/invalid-log-date");
}

#[test]
fn invalid_log_date() {
    log("# Log\n\n## 2026-09-06T12:30:00\n* x\n\n## 2026-02-30\n* y\n\n## 2026-9-6\n* z\n\n## 20260906\n* w\n")
        .hold("log.md:3 okf/invalid-log-date")
        .hold("log.md:6 okf/invalid-log-date")
        .hold("log.md:9 okf/invalid-log-date")
        .hold("log.md:12 okf/invalid-log-date")
        .error("okf/invalid-log-date", &["2026-02-30"]);
    log("# Log\n\n## [2026-07-14] lint | wiki\n* x\n\n## 2026-07-13 - Demo formats\n* y\n\n## 2026-07-12\n* z\n")
        .are(&["log.md:3 okf/invalid-log-date", "log.md:6 okf/invalid-log-date"]);
    log("# Log\n\n### 2026-9-6\n* x\n").lack("okf/invalid-log-date");
    log("# 2026 in review\n\n## 2026-07-12\n* z\n").lack("okf/invalid-log-date");
    log("# Log\n\n## 2024-02-29\n* x\n").are(&[]);
    check(&[("deep/er/log.md", "# Log\n\n## May 2026\n* x\n")]).are(&["deep/er/log.md:3 okf/invalid-log-date"]);
}

#[test]
fn log_structure() {
    log("## 2026-05-22\n* x\n").are(&["log.md okf/missing-log-title"]).conform();
    log("# Log\n\n## 2026-05-22\n\n## 2026-05-15\n* y\n").are(&["log.md:3 okf/empty-log-date"]).conform();
    log("# Log\n\n## 2026-05-15\n* y\n\n## 2026-05-22\n* x\n").are(&["log.md:6 okf/log-not-newest-first"]).conform();
    log("# Log\n\n* early\n\n## 2026-05-22\n* x\n").are(&["log.md:3 okf/log-entry-before-date"]).conform();
    log("---\ntitle: Log\n---\n# Log\n\n## 2026-05-22\n* x\n").are(&["log.md okf/log-frontmatter"]).conform();
    log("# Log\n\n## 2026-05-22\n* x\n\n## Notes\n* y\n").hold("log.md:6 okf/log-prose").conform();
}
