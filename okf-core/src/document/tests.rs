use super::*;

fn parse(text: &str) -> Document {
    Document::parse(BundlePath::new("notes/a.md").unwrap(), text.as_bytes().to_vec()).unwrap()
}

#[test]
fn splits_head_and_body() {
    let long = format!("---\ntype: Note\n{}", "k: v\n".repeat(400_000));
    let rows = [
        ("", "", None, false),
        ("text\n---\nx", "text\n---\nx", None, false),
        ("---\ntype: Note\n---\nBody\n", "Body\n", Some("Note"), false),
        (
            "---\ntype: Note\n---\nPart one\n\n---\n\ntype: not-me\n",
            "Part one\n\n---\n\ntype: not-me\n",
            Some("Note"),
            false,
        ),
        ("---\n---\nBody\n", "Body\n", None, false),
        ("---\n# only a comment\n---\nBody\n", "Body\n", None, false),
        ("---\n\n---\nBody\n", "Body\n", None, false),
        ("---\n---\ntype: Note\n---\nBody\n", "type: Note\n---\nBody\n", None, false),
        ("---\ntype: Note\n---", "", Some("Note"), false),
        ("---\ra: 1\rtype: x\r---\rBody\r", "Body\r", Some("x"), false),
        ("---\ntype: Note\nBody\n", "", None, true),
        (&long, "", None, true),
        ("---\ntype: a: b\n---\nBody\n", "Body\n", None, true),
        ("---\ntype: Note\nd: \"first\n---\nsecond\"\n---\nBody\n", "second\"\n---\nBody\n", None, true),
    ];
    for (text, body, concept_type, is_broken) in rows {
        let document = parse(text);
        assert_eq!(document.body(), body, "{text:.80}");
        assert_eq!(document.metadata().concept_type.as_deref(), concept_type, "{text:.80}");
        assert_eq!(document.error().is_some(), is_broken, "{text:.80}");
        assert_eq!(document.frontmatter().is_some(), matches!(document.head(), Head::Parsed(_)), "{text:.80}");
    }
}

#[test]
fn a_mark_and_mixed_line_endings_read_all_the_same() {
    let document = parse("\u{feff}---\r\ntype: Note\r\ntitle: mixed\r\n---\nBody\n");
    assert!(document.text().has_bom());
    assert_eq!(document.metadata().concept_type.as_deref(), Some("Note"));
    assert_eq!(document.display_title(), "mixed");
    assert_eq!(document.body(), "Body\n");
}

#[test]
fn the_revision_covers_every_byte_of_the_file() {
    let plain = parse("---\ntype: a\n---\n");
    let marked = parse("\u{feff}---\ntype: a\n---\n");
    assert_eq!(plain.text().as_str(), marked.text().as_str());
    assert_ne!(plain.revision(), marked.revision());
    assert_eq!(marked.revision(), Revision::of("\u{feff}---\ntype: a\n---\n".as_bytes()));
}

#[test]
fn bytes_that_are_not_utf8_are_refused_with_their_offset() {
    let path = BundlePath::new("a.md").unwrap();
    assert_eq!(Document::parse(path, b"---\ntype: \xe9\n---\n".to_vec()).err(), Some(10));
}

#[test]
fn one_blank_line_is_dropped_for_display() {
    let rows = [
        ("---\n---\n\n# T\n", "# T\n"),
        ("---\n---\n\n\n# T\n", "\n# T\n"),
        ("---\n---\n \t\r\n# T\n", "# T\n"),
        ("---\n---\n  # T\n", "  # T\n"),
        ("---\n---\n\r\rT", "\rT"),
        ("---\n---\n", ""),
        ("---\n---\n\n", ""),
    ];
    for (text, shown) in rows {
        assert_eq!(parse(text).display_body(), shown, "{text:?}");
    }
}

#[test]
fn a_title_falls_back_to_the_name() {
    assert_eq!(parse("---\ntitle: 20240425\n---\n").display_title(), "20240425");
    assert_eq!(parse("---\ntitle: [a, b]\n---\n").display_title(), "a");
    assert_eq!(parse("---\ntitle: ' '\n---\n").display_title(), "a");
    assert_eq!(parse("---\ntitle: x: y\n---\n").display_title(), "a");
    assert_eq!(parse("---\n---\n").id(), "notes/a");
}

#[test]
fn positions_in_the_body_count_in_the_file() {
    let document = parse("---\ntype: a\n---\nü x\n");
    let offset = document.body().find('x').unwrap();
    assert_eq!(document.body_position(offset), Position { line: 4, column: 3 });
}

#[test]
fn reads_the_citations_of_v0_1() {
    let list = "# A\n\n[no](x.md)\n\n# Citations\n\n- https://wiki.acme/a\n- [B](https://b)\n\n[1] [C](/c.md)\n\n# Later\n\n[no](y.md)\n";
    let cited = |text: &str| -> Vec<(String, String)> {
        parse(text).citations().into_iter().map(|citation| (citation.label, citation.url)).collect()
    };
    let expected = [("", "https://wiki.acme/a"), ("B", "https://b"), ("C", "/c.md")];
    let expected: Vec<_> = expected.iter().map(|(label, url)| ((*label).to_owned(), (*url).to_owned())).collect();
    assert_eq!(cited(&format!("---\ntype: a\n---\n{list}")), expected);
    assert_eq!(cited(&format!("---\ntype: a\nsources:\n---\n{list}")), expected);
    assert_eq!(cited(list), expected);
    assert_eq!(cited(&format!("---\ntype: a\nsources: []\n---\n{list}")), []);
}

/// Real bundles, when they are at hand: `OKF_SHARED`, else `shared` beside the workspace.
#[test]
fn real_bundles_read_as_their_keepers_say() {
    let workspace = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let shared = std::env::var("OKF_SHARED").unwrap_or_else(|_| format!("{workspace}/../shared"));
    let bundles = std::path::Path::new(&shared).join("bundles");
    if !bundles.is_dir() {
        eprintln!("skipped: no bundles at {}", bundles.display());
        return;
    }
    let rows = [
        ("google-ga4", 9, 0),
        ("google-stackoverflow", 26, 0),
        ("google-crypto-bitcoin", 9, 0),
        ("google-acme-retail", 9, 0),
        ("crossplane-v2", 94, 0),
        ("okf-gem-core", 34, 0),
        ("copperbox-okf", 35, 0),
        ("js-ecosystem", 90, 0),
        ("deutsches-recht", 202, 7),
        ("blockchain", 45, 11),
        ("okq-docs", 52, 5),
        ("graphql", 25, 0),
    ];
    for (bundle, concepts, broken) in rows {
        let mut documents = Vec::new();
        read_concepts(&bundles.join(bundle), &mut documents);
        assert_eq!(documents.len(), concepts, "{bundle}");
        let errors: Vec<_> = documents.iter().filter_map(Document::error).collect();
        assert_eq!(errors.len(), broken, "{bundle}: {errors:#?}");
        assert!(errors.iter().all(|error| error.hint.is_some()), "{bundle}: {errors:#?}");
    }
}

fn read_concepts(directory: &std::path::Path, documents: &mut Vec<Document>) {
    for entry in std::fs::read_dir(directory).expect("a bundle's directory can be listed") {
        let entry = entry.expect("its entries too");
        let name = entry.file_name().into_string().expect("names are UTF-8");
        let path = entry.path();
        if path.is_dir() && !name.starts_with('.') {
            read_concepts(&path, documents);
        } else if name.ends_with(".md") && !matches!(name.as_str(), "index.md" | "log.md") {
            let bytes = std::fs::read(&path).expect("the file can be read");
            documents.push(Document::parse(BundlePath::new(name).unwrap(), bytes).expect("the file is UTF-8"));
        }
    }
}

proptest::proptest! {
    #[test]
    fn reading_never_panics_and_loses_no_byte(text in "(---\\s*\n)?([a-z\u{e9}]{0,3}:? ?[\\[{\"'|>&*#-]?\r?\n?){0,8}(\n---\n)?.{0,20}") {
        let document = parse(&text);
        proptest::prop_assert!(text.ends_with(document.body()));
        proptest::prop_assert!(document.body().ends_with(document.display_body()));
        proptest::prop_assert_eq!(document.text().as_str(), text.strip_prefix('\u{feff}').unwrap_or(&text));
        if matches!(document.head(), Head::Absent) {
            proptest::prop_assert_eq!(document.body(), document.text().as_str());
        }
        let _ = document.citations();
    }
}
