//! What each change writes, and that nothing else changes.

use super::*;

/// The bundle that is left when the edits of a prepared change are made by hand.
fn written_by_hand(before: &[(&str, &str)], edits: &[FileEdit]) -> Bundle {
    let mut files: Vec<(String, Vec<u8>)> =
        before.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect();
    files.extend(edits.iter().map(|edit| (edit.path.as_str().to_owned(), edit.after.clone())));
    Bundle::from_files(files).expect("the paths are good")
}

#[test]
fn create_writes_a_canonical_document_and_logs_it() {
    let files = [("a.md", NOTE)];
    let fields = Fields {
        concept_type: Some("Metric".into()),
        title: Some("Churn".into()),
        description: Some("Customers lost: per month".into()),
        tags: Some(vec!["kpi".into(), "2017".into()]),
        body: Some("# Definition\n\nWho left.".into()),
    };
    let prepared = one(&bundle(&files), Change::Create { id: "metrics/churn".into(), fields });
    assert_eq!(prepared.changed_paths(), ["log.md", "metrics/churn.md"]);
    assert_eq!(
        text(&prepared, "metrics/churn.md"),
        "---\ntype: Metric\ntitle: Churn\ndescription: \"Customers lost: per month\"\ntags:\n  - kpi\n  - \"2017\"\n---\n\n\
         # Definition\n\nWho left.\n"
    );
    assert_eq!(text(&prepared, "log.md"), "# Log\n\n## 2026-06-15\n* **Created**: [Churn](/metrics/churn.md)\n");
    assert!(prepared.edits().iter().all(|edit| edit.before.is_none()), "both files are new");
    let by_hand = written_by_hand(&files, prepared.edits());
    assert_eq!(by_hand.files().keys().collect::<Vec<_>>(), prepared.candidate().files().keys().collect::<Vec<_>>());
    for path in ["metrics/churn.md", "log.md", "a.md"] {
        let revision = |bundle: &Bundle| bundle.document(path).unwrap().revision();
        assert_eq!(revision(&by_hand), revision(prepared.candidate()), "what was judged is what is written");
    }
}

#[test]
fn create_gets_an_entry_in_the_index_beside_it() {
    let index = "# Note\n\n* [A](a.md)\n";
    let files = [("a.md", NOTE), ("index.md", index), ("log.md", "# Log\n")];
    let prepared = one(&bundle(&files), create("b"));
    assert_eq!(prepared.changed_paths(), ["b.md", "index.md", "log.md"]);
    assert!(text(&prepared, "index.md").contains("(b.md)"));
    let before = |path: &str| prepared.edits().iter().find(|edit| edit.path.as_str() == path).unwrap().before;
    assert_eq!(before("index.md"), Some(Revision::of(index.as_bytes())));
    assert_eq!(before("b.md"), None);
}

#[test]
fn update_overlays_and_keeps_all_other_bytes() {
    let concept = "---\r\ntype: Note # kind\r\ntitle: 'Old'\r\nx: {a: 1}\r\n---\r\n\r\nBody.";
    let bundle = bundle(&[("a.md", concept), ("log.md", "# Log\n")]);
    let prepared = one(&bundle, update("a", titled("New")));
    assert_eq!(prepared.changed_paths(), ["a.md", "log.md"]);
    let written = text(&prepared, "a.md");
    let kept: Vec<_> = written.split_inclusive("\r\n").filter(|line| !line.starts_with("title:")).collect();
    assert_eq!(kept, ["---\r\n", "type: Note # kind\r\n", "x: {a: 1}\r\n", "---\r\n", "\r\n", "Body."]);
    assert_eq!(prepared.candidate().lookup("a").unwrap().metadata().title.as_deref(), Some("New"));
    assert!(text(&prepared, "log.md").contains("* **Updated**: [New](/a.md)\n"));
}

#[test]
fn empty_values_are_values() {
    let full = "---\ntype: Note\ntitle: T\ndescription: D\ntags: [x]\n---\n\nBody.\n";
    let fields = Fields {
        title: Some(String::new()),
        description: Some(String::new()),
        tags: Some(Vec::new()),
        body: Some(String::new()),
        ..Fields::default()
    };
    let prepared = one(&bundle(&[("a.md", full)]), update("a", fields.clone()));
    let concept = prepared.candidate().lookup("a").unwrap();
    let frontmatter = concept.frontmatter().unwrap();
    for key in ["title", "description"] {
        assert_eq!(frontmatter.get(key).unwrap().as_text(), Some(""), "{key}");
    }
    assert_eq!(frontmatter.get("tags").unwrap().as_sequence().map(<[_]>::len), Some(0));
    assert_eq!(concept.body().trim(), "");
    let again = one(prepared.candidate(), update("a", fields));
    assert_eq!(again.changed_paths(), [""; 0], "the same values twice");
}

#[test]
fn the_same_values_are_no_change() {
    let concept = "---\ntype: Note\ntitle: 42\ntags: [a, '2017', 2017]\n---\n\n# H\r\n\nBody\n";
    let files = bundle(&[("a.md", concept)]);
    let list = |tags: &[&str]| Some(tags.iter().map(|tag| (*tag).to_owned()).collect::<Vec<_>>());
    let same = [
        Fields::default(),
        titled("42"),
        Fields { concept_type: Some("Note".into()), tags: list(&["a", "2017", "2017"]), ..Fields::default() },
        Fields { body: Some("\n# H\r\n\nBody\n".into()), ..Fields::default() },
        Fields { body: Some("# H\n\nBody".into()), ..Fields::default() },
    ];
    for fields in same {
        let prepared = one(&files, update("a", fields.clone()));
        assert_eq!((prepared.changed_paths().len(), prepared.edits().len()), (0, 0), "{fields:?}");
    }
    let other = [
        titled("42.0"),
        Fields { tags: list(&["a", "2017"]), ..Fields::default() },
        Fields { tags: list(&["2017", "a", "2017"]), ..Fields::default() },
        Fields { body: Some("# H\n\nBody!".into()), ..Fields::default() },
    ];
    for fields in other {
        assert_eq!(one(&files, update("a", fields.clone())).changed_paths(), ["a.md", "log.md"], "{fields:?}");
    }
}

#[test]
fn link_appends_one_entry_in_the_form_of_the_document() {
    let concept = |frontmatter: &str, body: &str| format!("---\ntype: Note\n{frontmatter}---\n\n{body}\n");
    let entry = |resource: &str| format!("  - resource: {resource}\n    relationship: derived-from\n");
    for (sources, body, target, resource) in [
        ("", "", "x/b", "b.md"),
        ("", "", "a/b", "../a/b.md"),
        ("", "", "x/missing", "missing.md"),
        ("", "See [c](/x/c.md).", "x/b", "/x/b.md"),
        ("sources:\n  - resource: /x/c.md\n", "", "x/b", "/x/b.md"),
        ("sources:\n  - resource: c.md\n", "See [c](/x/c.md).", "x/b", "b.md"),
        ("sources:\n  - resource: https://example.org/\n", "", "x/b", "b.md"),
        ("sources:\n  - resource: https://example.org/\n", "See [c](/x/c.md).", "x/b", "/x/b.md"),
    ] {
        let source = concept(sources, body);
        let files = bundle(&[("x/s.md", &source), ("x/b.md", NOTE), ("x/c.md", NOTE), ("a/b.md", NOTE)]);
        let prepared = one(&files, link("x/s", target, "derived-from"));
        assert_eq!(prepared.changed_paths(), ["log.md", "x/s.md"]);
        let lead = if sources.is_empty() { "sources:\n" } else { sources };
        assert_eq!(text(&prepared, "x/s.md"), concept(&format!("{lead}{}", entry(resource)), body), "{source}");
        let again = one(prepared.candidate(), link("x/s", target, "derived-from"));
        assert_eq!(again.changed_paths(), [""; 0], "the same link twice");
        let other = one(prepared.candidate(), link("x/s", target, "contradicts"));
        assert_eq!(other.changed_paths(), ["log.md", "x/s.md"], "another relationship is another link");
    }
}

#[test]
fn a_link_is_known_however_its_target_is_written() {
    for resource in ["/x/b.md", "b.md", "./b.md", "../x/b.md", "b", "/x/b", "b.md#part", "'%62.md'"] {
        let source = format!("---\ntype: Note\nsources: [{{relationship: r, resource: {resource}}}]\n---\n");
        let files = bundle(&[("x/s.md", &source), ("x/b.md", NOTE)]);
        assert_eq!(one(&files, link("x/s", "x/b", "r")).changed_paths(), [""; 0], "{resource}");
    }
}

#[test]
fn link_tells_the_relationship_in_the_log() {
    let prepared = one(&bundle(&[("a.md", NOTE), ("b.md", NOTE)]), link("a", "b", "derived-from"));
    let log = text(&prepared, "log.md");
    assert!(log.contains("* **Linked**: [a](/a.md) - derived-from b\n"), "{log}");
}

#[test]
fn sources_that_are_no_list_are_no_place_for_a_link() {
    for sources in ["a.md", "{resource: a.md}", "42"] {
        let source = format!("---\ntype: Note\nsources: {sources}\n---\n");
        let files = bundle(&[("s.md", &source), ("b.md", NOTE)]);
        let (subject, message) = reason(&files, link("s", "b", "r"));
        assert_eq!(subject, Subject::Source);
        assert!(message.contains("no list"), "{message}");
    }
    for sources in ["", "~", "[]"] {
        let source = format!("---\ntype: Note\nsources: {sources}\n---\n");
        let prepared = one(&bundle(&[("s.md", &source), ("b.md", NOTE)]), link("s", "b", "r"));
        let concept = prepared.candidate().lookup("s").unwrap();
        assert_eq!(concept.metadata().path_fields.len(), 1, "`{sources}`");
    }
}

#[test]
fn deprecate_sets_the_status_and_tells_why_in_the_log_alone() {
    let files = bundle(&[("a.md", NOTE)]);
    let prepared = one(&files, deprecate("a", Some("use [b](b.md)\n# instead")));
    assert_eq!(text(&prepared, "a.md"), "---\ntype: Note\nstatus: deprecated\n---\n\nBody.\n");
    let log = text(&prepared, "log.md");
    assert_eq!(log.lines().count(), 4, "{log}");
    assert!(log.lines().any(|line| line.starts_with("* **Deprecated**: [a](/a.md) - use ")), "{log}");
    assert_eq!(one(prepared.candidate(), deprecate("a", Some("again"))).changed_paths(), [""; 0]);
    assert!(!text(&one(&files, deprecate("a", Some(" "))), "log.md").contains(" - "));
}

#[test]
fn a_later_change_of_a_set_sees_the_earlier_ones() {
    let set = ChangeSet { changes: vec![create("x/new"), link("a", "x/new", "r"), update("x/new", titled("New"))] };
    let prepared = prepare(&bundle(&[("a.md", NOTE)]), &set, TODAY, &[], &[]).unwrap();
    assert_eq!(prepared.changed_paths(), ["a.md", "log.md", "x/new.md"]);
    assert_eq!(prepared.candidate().graph().outgoing("a").len(), 1);
    assert_eq!(text(&prepared, "log.md").matches("* **").count(), 3);
    assert!(text(&prepared, "x/new.md").contains("title: New"));
}

#[test]
fn an_empty_set_changes_nothing() {
    let prepared = prepare(&bundle(&[("a.md", NOTE)]), &ChangeSet::default(), TODAY, &[], &[]).unwrap();
    assert_eq!(prepared.edits(), []);
    assert_eq!(prepared.candidate().files().len(), 1);
}

#[test]
fn a_concept_is_found_in_either_normal_form() {
    let files = bundle(&[("cafe\u{301}.md", NOTE)]);
    assert_eq!(one(&files, update("caf\u{e9}", titled("T"))).changed_paths(), ["cafe\u{301}.md", "log.md"]);
}
