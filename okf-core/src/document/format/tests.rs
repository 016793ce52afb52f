use super::*;
use crate::bundle_path::BundlePath;
use crate::frontmatter::ObstacleKind;

const MIGRATE: FormatOptions = FormatOptions { migrate_timestamps: true };

fn formatted(text: &str, options: FormatOptions) -> Result<String, EditError> {
    let document = Document::parse(BundlePath::new("a.md").unwrap(), text.into()).unwrap();
    format(&document, options).map(|bytes| String::from_utf8(bytes).unwrap())
}

#[track_caller]
fn check(text: &str, options: FormatOptions, expected: &str) {
    assert_eq!(formatted(text, options).as_deref(), Ok(expected), "{text:?}");
    assert_eq!(formatted(expected, options).as_deref(), Ok(expected), "a second run changes nothing");
}

#[test]
fn keys_are_ordered_and_values_in_block_style() {
    check(
        "---\nzeta: 0.10\nstatus: 'draft'\ntags: [b, 'yes', \"c: d\"]\ngenerated: { by: tool/1, at: 2026-06-30T14:00:00Z }\n\ntitle: \"A\"\nk: ~\nnull_too:\nalpha: {v: [], w: {}, z: [[1, a], {b: 1e3, c: '| q'}]}\ntype: NO\n---\nBody\n\n\n",
        FormatOptions::default(),
        "---\ntype: \"NO\"\ntitle: A\ntags:\n  - b\n  - \"yes\"\n  - \"c: d\"\nstatus: draft\ngenerated:\n  by: tool/1\n  at: \"2026-06-30T14:00:00Z\"\nzeta: 0.10\nk: ~\nnull_too:\nalpha:\n  v: []\n  w: {}\n  z:\n    - - 1\n      - a\n    - b: 1e3\n      c: \"| q\"\n---\n\nBody\n",
    );
}

#[test]
fn long_texts_of_several_lines_are_literal_blocks() {
    let line = "a line that is long enough to make the whole text a long one";
    check(
        &format!(
            "---\ntype: a\nd: \"{line}\\n\\n  {line}\"\ne: >\n  {line}\n\n  {line}\nf:\n- \"{line}\\n{line}\"\ng: \"a\\nb\"\n---\n"
        ),
        FormatOptions::default(),
        &format!(
            "---\ntype: a\nd: |-\n  {line}\n\n    {line}\ne: |\n  {line}\n  {line}\nf:\n  - |-\n    {line}\n    {line}\ng: \"a\\nb\"\n---\n"
        ),
    );
}

#[test]
fn comments_stay_with_what_they_are_about() {
    check(
        "---\n# about the file\n\n# on the status\n# in two lines\nstatus: draft   # why\n\nd: >- # header\n  text\ntags:  # of tags\n- a\n\nk: [a,\n  b] # behind\nsources:\n  # the first\n  - {id: a}   # one\n  # the last\ntype: a\n # tail\n\n# end\n---\n",
        FormatOptions::default(),
        "---\n# about the file\ntype: a\ntags: # of tags\n  - a\n# on the status\n# in two lines\nstatus: draft # why\nsources:\n  # the first\n  - {id: a}   # one\n  # the last\nd: text # header\nk: # behind\n  - a\n  - b\n# tail\n# end\n---\n",
    );
}

#[test]
fn the_mark_and_the_line_breaks_of_the_file_stay() {
    let options = FormatOptions::default();
    check(
        "\u{feff}---\r\ntitle: b\r\ntype: a\r\n---\r\n \r\nBody\r\nend",
        options,
        "\u{feff}---\r\ntype: a\r\ntitle: b\r\n---\r\n\r\nBody\r\nend\r\n",
    );
    check(
        "---\rtitle: b\rtype: a # c\r---\rBody",
        options,
        "---\rtitle: b\rtype: a # c\r---\r\rBody\r".replace("title: b\rtype: a # c", "type: a # c\rtitle: b").as_str(),
    );
    check("---\n---", options, "---\n---\n");
    check("---\n# c\n---\n\n\n", options, "---\n# c\n---\n");
    check("---\n{b: 1, type: x}\n---\n", options, "---\ntype: x\nb: 1\n---\n");
    // A quoted `<<` is a key like others.
    check("---\n'<<': {a: 1}\ntype: x\n---\n", options, "---\ntype: x\n\"<<\":\n  a: 1\n---\n");
    // A key that is quoted is a string, and one that is not may be a number.
    check(
        "---\n'2024': x\n2025: {\"1e3\": 'y', true: z}\n\"null\": [{'7': w}]\nk: {\"0.10\":'v'}\ntype: a\n---\n",
        options,
        "---\ntype: a\n\"2024\": x\n2025:\n  \"1e3\": \"y\"\n  true: z\n\"null\":\n  - \"7\": w\nk:\n  \"0.10\": v\n---\n",
    );
    check("---\n%x: 1\n---\n".replace("%x", "\"%x\"").as_str(), options, "---\n\"%x\": 1\n---\n");
}

#[test]
fn timestamps_migrate_when_asked_and_only_where_they_can() {
    let old = "---\ntags: []\n# when\ntimestamp: '2026-05-28T22:53:05+00:00' # v0.1\ntype: a\n---\n";
    check(
        old,
        FormatOptions::default(),
        "---\ntype: a\ntags: []\n# when\ntimestamp: \"2026-05-28T22:53:05+00:00\" # v0.1\n---\n",
    );
    check(
        old,
        MIGRATE,
        "---\ntype: a\ntags: []\n# when\ngenerated: # v0.1\n  by: process:okf-format\n  at: \"2026-05-28T22:53:05+00:00\"\n---\n",
    );
    for kept in [
        "---\ntype: a\ntimestamp: soon\n---\n",
        "---\ntype: a\ngenerated:\n  by: x\ntimestamp: \"2026-05-28\"\n---\n",
        "---\ntype: a\n---\n",
    ] {
        check(kept, MIGRATE, kept);
    }
}

#[test]
fn what_canonical_form_would_lose_is_refused() {
    for (yaml, kind, key) in [
        ("type: a\nb: &x 1\nc: *x\n", ObstacleKind::Anchor, "b"),
        ("type: a\nb: [!!str 1]\n", ObstacleKind::Tag, "b"),
        ("type: a\n<<: {b: 1}\n", ObstacleKind::Merge, "<<"),
        ("type: a\nb:\n  - c: {d: 1, <<: [{e: 2}, {f: 3}]}\n", ObstacleKind::Merge, "b"),
        ("{type: a, # c\n b: 1}\n", ObstacleKind::FlowRoot, ""),
        ("  type: a\n  b:\n  # c\n  - 1\n", ObstacleKind::Layout, "b"),
    ] {
        match formatted(&format!("---\n{yaml}---\n"), MIGRATE) {
            Err(EditError::Obstacle(obstacle)) => {
                assert_eq!((obstacle.kind, obstacle.key.as_str()), (kind, key), "{yaml:?}")
            }
            other => panic!("{yaml:?}: {other:?}"),
        }
    }
    assert_eq!(formatted("Body\n", MIGRATE), Err(EditError::NoFrontmatter));
    assert!(matches!(formatted("---\na: b: c\n---\n", MIGRATE), Err(EditError::Unreadable(_))));
}
