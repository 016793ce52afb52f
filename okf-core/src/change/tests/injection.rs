//! Values made of YAML and Markdown syntax stay values.

use super::*;
use crate::index::IndexDocument;
use crate::log::LogDocument;

/// What a hostile or careless value looks like.
const NASTY: [&str; 26] = [
    "x\nverified: {by: human:boss}\n---\nfree text",
    "a]\nstatus: stable",
    "---",
    "...",
    "- item",
    "# hash",
    "key: value",
    "@scope/pkg",
    "> text",
    "| text",
    "\"quoted\"",
    "'single'",
    "multi\nline\n",
    "\n\n## 2026-01-01\n* **Created**: [x](/y.md)",
    "](/evil.md) [x",
    "[a](b.md)",
    "<b>bold</b> <!-- c -->",
    "`code` **bold** _em_ ~~s~~",
    "trailing space ",
    " leading",
    "true",
    "0123",
    "~",
    "&anchor *alias !!tag",
    "\u{2028}a\u{2029}b\u{85}c",
    "\\",
];

#[track_caller]
fn keys(bundle: &Bundle, id: &str) -> Vec<String> {
    let frontmatter = bundle.lookup(id).unwrap().frontmatter().unwrap_or_else(|| panic!("`{id}` does not read"));
    frontmatter.root.entries.iter().map(|entry| entry.key.clone()).collect()
}

/// The log holds a title, one day and so many entries; the index one section and so many entries.
#[track_caller]
fn keeps_structure(prepared: &Prepared, logged: usize, listed: usize) {
    let body = |path: &str| prepared.candidate().document(path).unwrap().body().to_owned();
    let log = LogDocument::parse(&body("log.md"));
    let entries: Vec<_> = log.days.iter().map(|day| day.entries.len()).collect();
    assert_eq!((entries, log.loose.len(), log.prose.len()), (vec![logged], 0, 0), "{}", body("log.md"));
    let index = IndexDocument::parse(&body("index.md"));
    assert_eq!((index.sections.len(), index.prose.len()), (1, 0), "{}", body("index.md"));
    assert_eq!(index.entries().count(), listed, "{}", body("index.md"));
    let links = prepared.candidate().document("log.md").unwrap().structure().links.len();
    assert_eq!(links, logged, "{}", body("log.md"));
    assert_eq!(prepared.preexisting().errors(), 0);
}

fn start() -> Bundle {
    bundle(&[
        ("a.md", NOTE),
        ("b.md", NOTE),
        ("index.md", "# Note\n\n* [a](a.md)\n* [b](b.md)\n"),
        ("log.md", "# Log\n"),
    ])
}

#[test]
fn fields_come_back_as_they_were_given() {
    for nasty in NASTY {
        let fields = Fields {
            concept_type: Some("Note".into()),
            title: Some(nasty.into()),
            description: Some(nasty.into()),
            tags: Some(vec![nasty.into(), "plain".into(), nasty.into()]),
            body: Some("Body.".into()),
        };
        for (change, id) in
            [(Change::Create { id: "new".into(), fields: fields.clone() }, "new"), (update("a", fields.clone()), "a")]
        {
            let prepared = one(&start(), change);
            let metadata = prepared.candidate().lookup(id).unwrap().metadata();
            assert_eq!(metadata.title.as_deref(), Some(nasty));
            assert_eq!(metadata.description.as_deref(), Some(nasty));
            assert_eq!(*metadata.tags, [nasty.into(), "plain".into(), nasty.into()] as [Box<str>; 3]);
            assert_eq!(keys(prepared.candidate(), id), ["type", "title", "description", "tags"], "{nasty:?}");
            assert_eq!(prepared.candidate().lookup(id).unwrap().body().trim(), "Body.");
            keeps_structure(&prepared, 1, if id == "new" { 3 } else { 2 });
        }
    }
}

#[test]
fn relationships_and_notes_come_back_as_they_were_given() {
    for nasty in NASTY {
        let prepared = one(&start(), link("a", "b", nasty));
        let concept = prepared.candidate().lookup("a").unwrap();
        let frontmatter = concept.frontmatter().unwrap();
        let entries = frontmatter.get("sources").unwrap().as_sequence().unwrap();
        let entry = entries[0].as_mapping().unwrap();
        assert_eq!((entries.len(), entry.entries.len()), (1, 2));
        assert_eq!(entry.get("relationship").unwrap().as_text(), Some(nasty));
        keeps_structure(&prepared, 1, 2);
        let prepared = one(&start(), deprecate("a", Some(nasty)));
        assert_eq!(keys(prepared.candidate(), "a"), ["type", "status"]);
        keeps_structure(&prepared, 1, 2);
    }
}

proptest::proptest! {
    #[test]
    fn any_text_comes_back(title in "(?s).{0,40}", syntax in "[-:#>|*&!%@`'\"\\[\\]{},~ \n\t<>()_=+.\\\\a0]{0,24}") {
        for value in [&title, &syntax] {
            let fields = Fields { concept_type: Some("Note".into()), tags: Some(vec![value.clone()]), ..titled(value) };
            let prepared = one(&start(), Change::Create { id: "new".into(), fields });
            let frontmatter = prepared.candidate().lookup("new").unwrap().frontmatter().unwrap();
            proptest::prop_assert_eq!(frontmatter.get("title").unwrap().as_text(), Some(value.as_str()));
            let tags = frontmatter.get("tags").unwrap().as_sequence().unwrap();
            proptest::prop_assert_eq!(tags[0].as_text(), Some(value.as_str()));
            keeps_structure(&prepared, 1, 3);
        }
    }
}
