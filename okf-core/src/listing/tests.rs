use super::*;

fn bundle() -> Bundle {
    let concept = |fields: &str| format!("---\n{fields}\n---\nBody.\n");
    Bundle::from_files([
        ("guides/a.md", concept("type: Guide\ntitle: Cafe\u{301} ORDERS\ntags: [daily, Ops]")),
        ("guides/deep/b.md", concept("type: ' Note '\ndescription: Über die Straße")),
        ("guides-old/c.md", concept("type: Note\nstatus: deprecated")),
        ("guides.md", concept("type: Guide\nstatus: odd")),
        ("broken/d.md", concept("type: [")),
        ("index.md", "# T\n".to_owned()),
    ])
    .unwrap()
}

fn listed(filter: &Filter) -> Vec<String> {
    select(&bundle(), filter).unwrap().iter().map(|document| document.id().to_owned()).collect()
}

#[test]
fn everything_readable_in_the_order_of_ids() {
    assert_eq!(listed(&Filter::default()), ["guides", "guides-old/c", "guides/a", "guides/deep/b"]);
}

#[test]
fn areas_are_whole_segments_however_they_are_spelled() {
    for spelling in ["guides", "guides/", "./guides", "/guides", "guides/."] {
        let filter = Filter { area: Some(Area::new(spelling)), ..Filter::default() };
        assert_eq!(listed(&filter), ["guides", "guides/a", "guides/deep/b"], "{spelling}");
    }
    for spelling in ["", ".", "/", "./"] {
        let filter = Filter { area: Some(Area::new(spelling)), ..Filter::default() };
        assert_eq!(listed(&filter).len(), 4, "{spelling}");
    }
}

#[test]
fn an_area_without_concepts_is_said_so() {
    let rows: [(&str, &[&str]); 3] = [("GUIDES", &["guides"]), ("deep", &["guides/deep"]), ("nope", &[])];
    for (spelling, near) in rows {
        let filter = Filter { area: Some(Area::new(spelling)), ..Filter::default() };
        let none = select(&bundle(), &filter).unwrap_err();
        assert_eq!(none.near, near, "{spelling}");
        assert!(none.to_string().starts_with("no such area"), "{none}");
    }
    let unreadable_only = Filter { area: Some(Area::new("broken")), ..Filter::default() };
    assert!(listed(&unreadable_only).is_empty());
}

#[test]
fn fields_combine() {
    let row = |concept_type: Option<&str>, tag: Option<&str>, status| {
        let (concept_type, tag) = (concept_type.map(str::to_owned), tag.map(str::to_owned));
        listed(&Filter { concept_type, tag, status, ..Filter::default() })
    };
    assert_eq!(row(Some("Note"), None, None), ["guides-old/c", "guides/deep/b"]);
    assert_eq!(row(Some("Note"), None, Some(Status::Deprecated)), ["guides-old/c"]);
    assert_eq!(row(None, None, Some(Status::Unknown)), ["guides"]);
    assert_eq!(row(Some("Guide"), Some("Ops"), None), ["guides/a"]);
    assert!(row(None, Some("ops"), None).is_empty());
}

#[test]
fn every_word_of_a_query_must_occur_somewhere() {
    let rows: [(&str, &[&str]); 7] = [
        ("caf\u{e9}", &["guides/a"]),
        ("orders GUIDE ops", &["guides/a"]),
        ("STRASSE über", &["guides/deep/b"]),
        ("deep/b", &["guides/deep/b"]),
        ("daily nothing", &[]),
        ("dailyops", &[]),
        ("  ", &["guides", "guides-old/c", "guides/a", "guides/deep/b"]),
    ];
    for (query, ids) in rows {
        assert_eq!(listed(&Filter { query: Some(query.into()), ..Filter::default() }), ids, "{query}");
    }
}

#[test]
fn what_is_available_is_counted() {
    assert_eq!(bundle().types(), [("Guide".to_owned(), 2), ("Note".to_owned(), 2)]);
    let areas = [("guides".to_owned(), 2), ("broken".to_owned(), 1), ("guides-old".to_owned(), 1)];
    assert_eq!(bundle().areas(), areas);
}
