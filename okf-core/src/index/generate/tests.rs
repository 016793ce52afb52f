use super::*;
use crate::index::IndexDocument;

fn bundle(files: &[(&str, &str)]) -> Bundle {
    Bundle::from_files(files.iter().copied()).expect("the paths are good")
}

/// Generates the index of a directory and compares; generating again from what was written gives the same.
fn check(files: &[(&str, &str)], directory: &str, expected: &str) {
    let text = generate(&bundle(files), directory);
    assert_eq!(text, expected, "{files:?}");
    let path = super::super::view::index_path(directory);
    let mut written: Vec<_> = files.iter().copied().filter(|(known, _)| *known != path).collect();
    written.push((&path, &text));
    assert_eq!(generate(&bundle(&written), directory), expected, "a second time");
}

#[test]
fn sections_and_entries_are_sorted() {
    check(
        &[
            ("z.md", "---\ntype: Table\ntitle: A\ndescription: first\n---\n"),
            ("y.md", "---\ntype: Table\ntitle: A\n---\n"),
            ("b.md", "---\ntype: Table\ntitle: a\n---\n"),
            ("untyped.md", "---\ntitle: '  '\n---\n"),
            ("s.md", "---\ntype: Subdirectories\n---\n"),
            ("sub/x.md", "---\ntype: Note\n---\n"),
            ("assets/pic.png", ""),
            ("logs/log.md", "# Log\n"),
            ("log.md", "# Log\n"),
        ],
        "",
        "# Other\n\n* [untyped](untyped.md)\n\n\
         # Subdirectories\n\n* [s](s.md)\n* [sub](sub/) - Contains 1 entry: x.\n\n\
         # Table\n\n* [A](y.md)\n* [A](z.md) - first\n* [a](b.md)\n",
    );
}

#[test]
fn titles_and_links_are_escaped_onto_one_line() {
    check(
        &[
            (
                "d/a (b) #1?.md",
                "---\ntype: 'C #'\ntitle: '[x](y) *b* <i>'\ndescription: \"one\\ntwo `c` &amp; www.x.org\"\n---\n",
            ),
            ("d/café_1%41.md", "---\ntype: \"*T*\\nU\"\n---\n"),
        ],
        "d",
        "# \\*T\\* U\n\n* [café_1%41](caf%C3%A9_1%2541.md)\n\n\
         # C \\#\n\n* [\\[x\\](y) \\*b\\* \\<i>](a%20%28b%29%20%231%3F.md) - one two \\`c\\` \\&amp; www\\.x.org\n",
    );
}

#[test]
fn what_cannot_be_read_is_listed_by_name() {
    let files: [(&str, &[u8]); 2] = [("broken.md", b"---\ntitle: [\n---\n"), ("latin.md", b"\xff")];
    let bundle = Bundle::from_files(files.map(|(path, bytes)| (path, bytes.to_vec()))).unwrap();
    assert_eq!(generate(&bundle, ""), "# Other\n\n* [broken](broken.md)\n* [latin](latin.md)\n");
}

#[test]
fn directories_are_described_by_their_index() {
    let note = "---\ntype: Note\n---\n";
    let rows = [
        (vec![("d/index.md", "# N\n\n* [A](a.md) - the *one*\n")], "the one"),
        (vec![("d/index.md", "# N\n\n* [A](a.md)\n")], "Contains 1 entry: A."),
        (
            vec![("d/index.md", "# N\n\n* [A](a.md) - x\n\n## M\n\n1. [no](n.md)\n* [B_c](b.md)\n")],
            "Contains 2 entries: A, B_c.",
        ),
        (
            vec![(
                "d/index.md",
                "* [1](a.md)\n* [2](a.md)\n* [3](a.md)\n* [4](a.md)\n* [5](a.md)\n* [6](a.md)\n* [7](a.md)\n",
            )],
            "Contains 7 entries: 1, 2, 3, 4, 5 and 2 more.",
        ),
        // Without entries in the index, and without an index: what generation would write.
        (vec![("d/index.md", "Nothing here.\n"), ("d/a.md", "---\ntype: Note\ndescription: alone\n---\n")], "alone"),
        (vec![("d/a.md", note), ("d/e/f/b.md", note)], "Contains 2 entries: a, e."),
        (vec![("d/e/f/b.md", "---\ntype: Note\ndescription: deep\n---\n")], "deep"),
    ];
    for (files, expected) in rows {
        let text = generate(&bundle(&files), "");
        assert_eq!(text, format!("# Subdirectories\n\n* [d](d/) - {}\n", escape(expected)), "{files:?}");
    }
    check(&[("d/index.md", "Nothing here.\n")], "", "# Subdirectories\n\n* [d](d/)\n");
}

#[test]
fn deep_nesting_is_no_trouble() {
    let path = format!("{}a.md", "d/".repeat(2_000));
    let bundle = bundle(&[(&path, "---\ntype: Note\ndescription: deep\n---\n")]);
    assert_eq!(generate(&bundle, ""), "# Subdirectories\n\n* [d](d/) - deep\n");
}

#[test]
fn the_root_keeps_version_and_title() {
    let note = ("a.md", "---\ntype: Note\n---\n");
    let rows = [
        ("---\nokf_version: \"0.2\"\n---\n# Acme\n\nWords.\n", "---\nokf_version: \"0.2\"\n---\n\n# Acme\n\n"),
        ("---\nb: 1\nokf_version:   0.2 # as written\n---\n", "---\nokf_version:   0.2\n---\n\n"),
        // What would not read the same by itself is written as its value.
        ("---\nv: &v \"0.2\"\nokf_version: *v\n---\n", "---\nokf_version: \"0.2\"\n---\n\n"),
        ("---\n{okf_version:\n\"0.2\"}\n---\n", "---\nokf_version: \"0.2\"\n---\n\n"),
        ("---\n{\"okf_version\":'0.2'}\n---\n", "---\nokf_version: \"0.2\"\n---\n\n"),
        ("---\n? okf_version\n: 0.20\n---\n", "---\nokf_version: 0.20\n---\n\n"),
        ("---\nokf_version: &v !!str 0.2\n---\n", "---\nokf_version: \"0.2\"\n---\n\n"),
        ("---\nokf_version: >\n  0.2\n---\n", "---\nokf_version: \"0.2\\n\"\n---\n\n"),
        ("---\nokf_version:\n- [0.2,\n  a]\n---\n", "---\nokf_version:\n  - - 0.2\n    - a\n---\n\n"),
        ("---\nokf_version: '0.2'\n---\n", "---\nokf_version: '0.2'\n---\n\n"),
        ("Words\n\nThe *title*\n===\n\n* [A](a.md)\n", "The *title*\n===\n\n"),
        ("## Second\n\n# First\n", "# First\n\n"),
        ("# Notes\n\n* [A](a.md)\n", "# Notes\n\n"),
        // What generation would have written is no title.
        ("# Note\n\n* [A](a.md)\n", ""),
        ("# Subdirectories\n", ""),
        ("# Concepts\n\n* [A](a.md)\n", ""),
        ("---\nokf_version: [\n---\n# Kept\n", "# Kept\n\n"),
    ];
    for (index, kept) in rows {
        check(&[("index.md", index), note], "", &format!("{kept}# Note\n\n* [a](a.md)\n"));
    }
    check(&[("index.md", "# Note\n\n# Note\n\n* [A](a.md)\n"), note], "", "# Note\n\n# Note\n\n* [a](a.md)\n");
    check(&[("d/index.md", "---\nokf_version: x\n---\n# T\n"), ("d/a.md", note.1)], "d", "# Note\n\n* [a](a.md)\n");
    check(
        &[("index.md", "---\nokf_version: \"0.2\"\n---\n# Acme\n")],
        "",
        "---\nokf_version: \"0.2\"\n---\n\n# Acme\n",
    );
    check(&[], "", "");
}

#[test]
fn line_endings_and_the_mark_stay() {
    let index = "\u{feff}---\r\nokf_version: \"0.2\"\r\n---\r\n# Acme\r\nx\r\n";
    let expected = "\u{feff}---\r\nokf_version: \"0.2\"\r\n---\r\n\r\n# Acme\r\n\r\n# Note\r\n\r\n* [a](a.md)\r\n";
    check(&[("index.md", index), ("a.md", "---\ntype: Note\n---\n")], "", expected);
}

proptest::proptest! {
    #[test]
    fn entries_read_back_as_they_were_meant(
        title in "[ -~\t\n\u{a0}é🚀]{1,20}|[\\[\\]()*_`~<>&;#:/.!w^|\\\\a\n-]{1,20}",
        description in "[ -~\n]{0,20}|[\\[\\]()*_`~<>&;#:/.!w^|\\\\a\n-]{0,20}",
        section in "[ -~]{1,12}|[\\[\\]()*_`~<>#=a -]{1,12}",
        name in "[ -.0-\\[\\]-~é%]{1,12}",
    ) {
        let item = Item {
            section: one_line(&section),
            title: one_line(&title),
            link: crate::link::encode(&format!("{name}.md")),
            description: one_line(&description),
        };
        proptest::prop_assume!(!item.section.is_empty() && !item.title.is_empty());
        let other = Item { title: "~".into(), ..item.clone() };
        let frame = Frame { has_bom: false, line_break: "\n", version: None, title: None };
        let text = frame.around(&BTreeSet::from([item.clone(), other.clone()]));
        let index = IndexDocument::parse(&text);
        proptest::prop_assert!(index.prose.is_empty() && index.loose.is_empty() && index.malformed.is_empty(), "{}", text);
        proptest::prop_assert_eq!(index.sections.len(), 1, "{}", text);
        let read: BTreeSet<Item> = index.sections[0].entries.iter().map(|entry| Item {
            section: index.sections[0].heading.to_string(),
            title: entry.label.to_string(),
            link: entry.destination.to_string(),
            description: entry.description.to_string(),
        }).collect();
        proptest::prop_assert_eq!(read, BTreeSet::from([item, other]), "{}", text);
        let links = crate::markdown::Structure::scan(&text).links.len();
        proptest::prop_assert_eq!(links, index.entries().count(), "{}", text);
    }
}
