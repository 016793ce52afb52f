use std::collections::BTreeMap;

use super::*;

type Files = BTreeMap<String, String>;

fn files(files: &[(&str, &str)]) -> Files {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

fn bundle(files: &Files) -> Bundle {
    Bundle::from_files(files.clone()).expect("the paths are good")
}

/// Writes concepts over a state and gives the indexes that change.
fn write(before: &[(&str, &str)], written: &[(&str, &str)]) -> Vec<(String, String)> {
    let before = files(before);
    let mut after = before.clone();
    after.extend(files(written));
    let ids: Vec<ConceptId> =
        written.iter().map(|(path, _)| ConceptId::of(&BundlePath::new(*path).unwrap()).unwrap()).collect();
    let changes = upkeep(&bundle(&after), &bundle(&before), &ids);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let changes: Vec<_> = changes.into_iter().map(|(path, bytes)| (path.to_string(), text(bytes))).collect();
    // Writing the same again changes nothing.
    after.extend(changes.iter().cloned());
    assert_eq!(upkeep(&bundle(&after), &bundle(&after), &ids), [], "{before:?}");
    changes
}

fn check(before: &[(&str, &str)], written: &[(&str, &str)], expected: &[(&str, &str)]) {
    let changes = write(before, written);
    let changes: Vec<_> = changes.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    assert_eq!(changes, expected, "{before:?} + {written:?}");
}

const NOTE: &str = "---\ntype: Note\n---\n";
const NEW: &str = "---\ntype: Note\ntitle: New\ndescription: words\n---\n";

#[test]
fn a_new_concept_is_listed_beside_it() {
    check(
        &[("index.md", "# Pages\n\n* [Alpha](alpha.md) - first page\n"), ("alpha.md", NOTE)],
        &[("new.md", NEW)],
        &[("index.md", "# Pages\n\n* [Alpha](alpha.md) - first page\n\n# Note\n\n* [New](new.md) - words\n")],
    );
    // A generated index keeps its order.
    check(
        &[
            ("d/index.md", "# Table\n\n* [z](z.md)\n"),
            ("d/z.md", "---\ntype: Table\n---\n"),
            ("index.md", "# X\n\n* [d](d/)\n"),
        ],
        &[("d/new.md", NEW)],
        &[("d/index.md", "# Note\n\n* [New](new.md) - words\n\n# Table\n\n* [z](z.md)\n")],
    );
    // What is listed already is not listed again.
    check(&[("index.md", "Soon: [new](new.md)\n")], &[("new.md", NEW)], &[]);
}

#[test]
fn only_the_concepts_written_are_looked_after() {
    let index = "# Note\n\n* [gone](gone.md)\n* [a](a.md)\n";
    check(
        &[("index.md", index), ("a.md", NOTE), ("unlisted.md", NOTE), ("d/x.md", NOTE)],
        &[("new.md", NEW)],
        &[("index.md", "# Note\n\n* [gone](gone.md)\n* [a](a.md)\n* [New](new.md) - words\n")],
    );
    let generated = "# Note\n\n* [a](a.md)\n* [gone](gone.md)\n";
    check(
        &[("index.md", generated), ("a.md", NOTE), ("unlisted.md", NOTE)],
        &[("new.md", NEW)],
        &[("index.md", "# Note\n\n* [New](new.md) - words\n* [a](a.md)\n* [gone](gone.md)\n")],
    );
}

#[test]
fn titles_descriptions_and_types_follow() {
    // In a generated index the entry moves to its new section.
    check(
        &[("index.md", "# Note\n\n* [a](a.md)\n* [b](b.md)\n"), ("a.md", NOTE), ("b.md", NOTE)],
        &[("a.md", "---\ntype: Table\ntitle: New\n---\n")],
        &[("index.md", "# Note\n\n* [b](b.md)\n\n# Table\n\n* [New](a.md)\n")],
    );
    // In one that people wrote it stays in its place, and their words with it.
    check(
        &[("index.md", "# Mine\n\n- [a](a.md): my words\n"), ("a.md", NOTE)],
        &[("a.md", "---\ntype: Table\ntitle: New\ndescription: its words\n---\n")],
        &[("index.md", "# Mine\n\n- [New](a.md): my words\n")],
    );
    // Indexes above are kept right too, where they list the concept.
    check(
        &[("index.md", "# Mine\n\n* [x](d/x.md)\n* [y](d/y.md)\n"), ("d/x.md", NOTE), ("d/y.md", NOTE)],
        &[("d/x.md", NEW)],
        &[("index.md", "# Mine\n\n* [New](d/x.md) - words\n* [y](d/y.md)\n")],
    );
}

#[test]
fn an_index_is_created_only_in_a_directory_that_the_write_makes() {
    let root = ("index.md", "# Acme\n\nWords.\n");
    check(
        &[root],
        &[("d/e/new.md", NEW)],
        &[
            ("d/e/index.md", "# Note\n\n* [New](new.md) - words\n"),
            ("d/index.md", "# Subdirectories\n\n* [e](e/) - words\n"),
            ("index.md", "# Acme\n\nWords.\n\n# Subdirectories\n\n* [d](d/) - words\n"),
        ],
    );
    check(&[root, ("d/old.md", NOTE)], &[("d/new.md", NEW)], &[]);
    check(&[root, ("d/old.md", NOTE)], &[("d/e/new.md", NEW)], &[]);
    check(&[("old.md", NOTE)], &[("new.md", NEW), ("d/new.md", NEW)], &[]);
    check(
        &[("d/index.md", "# X\n\nWords.\n")],
        &[("d/e/new.md", NEW)],
        &[
            ("d/e/index.md", "# Note\n\n* [New](new.md) - words\n"),
            ("d/index.md", "# X\n\nWords.\n\n# Subdirectories\n\n* [e](e/) - words\n"),
        ],
    );
    // Already listed: only the new index.
    check(
        &[("index.md", "# X\n\nSoon: [d](d/)\n")],
        &[("d/new.md", NEW)],
        &[("d/index.md", "# Note\n\n* [New](new.md) - words\n")],
    );
}

#[test]
fn what_cannot_be_read_stays() {
    let mut before = vec![("index.md", b"\xff".to_vec())];
    let previous = Bundle::from_files(before.clone()).unwrap();
    before.push(("new.md", NEW.as_bytes().to_vec()));
    before.push(("d/new.md", NEW.as_bytes().to_vec()));
    let candidate = Bundle::from_files(before).unwrap();
    let written = [ConceptId::new("new").unwrap(), ConceptId::new("d/new").unwrap()];
    assert_eq!(upkeep(&candidate, &previous, &written), []);
}

#[test]
fn no_text_of_a_concept_breaks_out() {
    let hostile = "---\ntype: \"# T\\n\\n* [x](y.md)\"\ntitle: \"a](evil.md)\\n# H\"\ndescription: \"b\\n* [c](d.md) <!-- `\"\n---\n";
    let changes = write(&[("index.md", "# X\n\nWords.\n")], &[("new.md", hostile)]);
    let index = crate::index::IndexDocument::parse(&changes[0].1);
    assert_eq!(index.sections.iter().map(|section| &*section.heading).collect::<Vec<_>>(), ["X", "# T * [x](y.md)"]);
    let entries: Vec<_> =
        index.entries().map(|entry| (&*entry.label, &*entry.destination, &*entry.description)).collect();
    assert_eq!(entries, [("a](evil.md) # H", "new.md", "b * [c](d.md) <!-- `")]);
}
