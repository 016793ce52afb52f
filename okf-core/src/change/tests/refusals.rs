//! Changes that cannot be made, and candidates that are refused.

use super::*;

#[test]
fn a_new_concept_replaces_nothing() {
    let files = bundle(&[
        ("a.md", NOTE),
        ("Index.md", NOTE),
        ("dir/b.md", NOTE),
        ("x.md/inside.md", NOTE),
        ("asset", ""),
        ("sen\u{303}or.md", NOTE),
        ("raw.md", "\u{feff}"),
        ("Stra\u{df}e.md", NOTE),
    ]);
    for (id, says) in [
        ("", "non-empty and relative"),
        ("/abs", "non-empty and relative"),
        ("../x", "segments"),
        ("a//b", "segments"),
        ("a\\b", "separators"),
        ("a\0", "control"),
        ("a\u{85}", "control"),
        ("a.md", "no `.md` suffix: use `a`"),
        ("new.md", "no `.md` suffix: use `new`"),
        ("index", "reserved"),
        ("Index", "reserved"),
        ("sub/LOG", "reserved"),
        ("sub/log", "reserved"),
        ("a", "`a.md` exists already"),
        ("A", "collides with `a.md`"),
        ("dir/B", "collides with `dir/b.md`"),
        ("DIR/new", "collides with `dir`"),
        ("se\u{f1}or", "collides with `sen\u{303}or.md`"),
        ("STRASSE", "collides with `Stra\u{df}e.md`"),
        ("x", "`x.md` is a directory"),
        ("a.md/b", "`a.md` is a file"),
        ("asset/b", "`asset` is a file"),
        ("Asset/b", "collides with `asset`"),
        (".hidden/a", "`.hidden`"),
        ("dir/.git/a", "`dir/.git`"),
        (&"n".repeat(253), "longer than a file name"),
        (&["d"; 65].join("/"), "too long for a new concept: it has 65 segments (at most 64)"),
        (&vec!["n".repeat(100); 11].join("/"), "too long for a new concept: it has 1110 bytes (at most 1024)"),
    ] {
        let (subject, message) = reason(&files, create(id));
        assert_eq!(subject, Subject::Concept);
        assert!(message.contains(says), "{id:?}: {message}");
        let is_about_length = ["longer than", "too long"].iter().any(|words| says.contains(words));
        assert!(!is_about_length || ChangeSet::from(create(id)).check().is_err(), "told without a bundle: {id:?}");
    }
    for id in [
        "index/a",
        "indexes",
        "v1.2",
        "set up guide",
        "dir.md.x/a",
        "\u{6570}\u{636e} \u{1f680}",
        ".dot",
        &["d"; 64].join("/"),
    ] {
        assert!(one(&files, create(id)).changed_paths().contains(&format!("{id}.md")), "{id}");
    }
}

#[test]
fn a_deep_concept_that_exists_is_edited() {
    let id = ["d"; 100].join("/");
    let files = bundle(&[(&format!("{id}.md"), NOTE)]);
    assert_eq!(one(&files, update(&id, titled("T"))).changed_paths(), [&format!("{id}.md"), "log.md"]);
}

#[test]
fn nothing_is_written_through_a_link() {
    let directory = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("victim.md"), NOTE).unwrap();
    std::fs::write(directory.path().join("a.md"), NOTE).unwrap();
    for (name, target) in [("dir", outside.path().to_owned()), ("file.md", outside.path().join("victim.md"))] {
        std::os::unix::fs::symlink(target, directory.path().join(name)).unwrap();
    }
    let files = Bundle::load(directory.path()).unwrap();
    for (change, link) in [
        (create("dir/new"), "`dir`"),
        (create("file"), "`file.md`"),
        (create("DIR/new"), "`dir`"),
        (update("dir/victim", titled("T")), "`dir`"),
        (update("dir/file.md/victim", titled("T")), "`dir`"),
        (deprecate("file", None), "`file.md`"),
    ] {
        let (_, message) = reason(&files, change);
        assert!(
            message.contains(link) && (message.contains("symbolic link") || message.contains("collides")),
            "{message}"
        );
    }
    std::os::unix::fs::symlink(outside.path().join("victim.md"), directory.path().join("log.md")).unwrap();
    let (_, message) = reason(&Bundle::load(directory.path()).unwrap(), create("b"));
    assert!(message.contains("`log.md` is a symbolic link"), "{message}");
}

#[test]
fn what_does_not_exist_or_read_is_not_edited() {
    let bytes: [(&str, &[u8]); 4] = [
        ("orders.md", NOTE.as_bytes()),
        ("broken.md", b"---\na: b: c\n---\n"),
        ("raw.md", b"\xff"),
        ("index.md", b"# T\n"),
    ];
    let files = Bundle::from_files(bytes.map(|(path, bytes)| (path, bytes.to_vec()))).unwrap();
    let changes: [fn(&str) -> Change; 3] =
        [|id| update(id, titled("T")), |id| deprecate(id, None), |id| link(id, "orders", "r")];
    for change in changes {
        for (id, says) in [
            ("order", "does not exist; did you mean `orders`?"),
            ("orders.md", "use `orders`"),
            ("index", "reserved"),
            ("INDEX", "reserved"),
            ("../x", "segments"),
            ("broken", "cannot be read"),
            ("raw", "cannot be read: not UTF-8"),
            // It would take minutes to look at each of the directories by its path.
            (&["n"; 200_000].join("/"), "does not exist"),
        ] {
            let (subject, message) = reason(&files, change(id));
            assert_ne!(subject, Subject::Target);
            assert!(message.contains(says), "{id}: {message}");
        }
    }
}

#[test]
fn a_target_is_an_id_and_may_be_missing_or_unreadable() {
    let files = Bundle::from_files([
        ("a.md", NOTE.as_bytes().to_vec()),
        ("Index.md", NOTE.into()),
        ("raw.md", b"\xff".to_vec()),
        ("cafe\u{301}.md", NOTE.into()),
    ])
    .unwrap();
    for id in ["a.md", "b.md", "index", "x/log", "LOG", "../x", ""] {
        let (subject, message) = reason(&files, link("a", id, "r"));
        assert_eq!(subject, Subject::Target, "{id}: {message}");
    }
    for (id, path) in [
        ("a", "a.md"),
        ("missing", "missing.md"),
        ("raw", "raw.md"),
        ("Index", "Index.md"),
        ("caf\u{e9}", "cafe\u{301}.md"),
    ] {
        let prepared = one(&files, link("a", id, "r"));
        assert!(text(&prepared, "a.md").contains(path), "{id}");
    }
}

#[test]
fn a_relationship_is_not_blank() {
    let files = bundle(&[("a.md", NOTE), ("b.md", NOTE)]);
    for blank in ["", " \t", "\u{3000}"] {
        let (subject, message) = reason(&files, link("a", "b", blank));
        assert_eq!(subject, Subject::Source);
        assert!(message.contains("cannot be blank"), "{message}");
        assert!(ChangeSet::from(link("a", "b", blank)).check().is_err(), "{blank:?}");
    }
}

#[test]
fn a_revision_that_is_not_expected_is_told() {
    let files = bundle(&[("a.md", NOTE), ("b.md", NOTE)]);
    let current = Revision::of(NOTE.as_bytes()).to_string();
    let expecting = |revision: &str| {
        let expected_revision = Some(revision.to_owned());
        [
            Change::Update { id: "a".into(), fields: titled("T"), expected_revision: expected_revision.clone() },
            Change::Deprecate { id: "a".into(), note: None, expected_revision: expected_revision.clone() },
            Change::Link { source: "a".into(), target: "b".into(), relationship: "r".into(), expected_revision },
        ]
    };
    for change in expecting("0123") {
        let (_, message) = reason(&files, change);
        assert!(message.contains(&current), "{message}");
    }
    for change in expecting(&current) {
        assert_eq!(one(&files, change).changed_paths(), ["a.md", "log.md"]);
    }
    let set = ChangeSet { changes: expecting(&current).into() };
    let prepared = prepare(&files, &set, TODAY, &[], &[]).unwrap();
    assert_eq!(prepared.changed_paths(), ["a.md", "log.md"], "what the caller saw is the bundle before the set");
}

#[test]
fn an_error_in_a_named_concept_refuses() {
    let files = bundle(&[("untyped.md", "---\ntitle: T\n---\n"), ("bare.md", "No frontmatter.\n"), ("a.md", NOTE)]);
    let blank = Fields { concept_type: Some(" ".into()), ..Fields::default() };
    for (change, id) in [
        (Change::Create { id: "new".into(), fields: Fields::default() }, "okf/missing-type"),
        (Change::Create { id: "new".into(), fields: blank.clone() }, "okf/missing-type"),
        (update("a", blank), "okf/missing-type"),
        (update("untyped", titled("U")), "okf/missing-type"),
        (update("untyped", titled("T")), "okf/missing-type"),
        (deprecate("untyped", None), "okf/missing-type"),
        (link("untyped", "a", "r"), "okf/missing-type"),
        (update("bare", Fields { body: Some("Text".into()), ..Fields::default() }), "okf/missing-frontmatter"),
    ] {
        match try_one(&files, change.clone()) {
            Err(PrepareError::Refused(refusal)) => {
                let found: Vec<_> = refusal.spec.findings().iter().map(|finding| finding.id).collect();
                assert_eq!(found, [id], "{change:?}");
                assert!(refusal.to_string().contains(id), "{refusal}");
            }
            other => panic!("{change:?}: {other:?}"),
        }
    }
    let cured = Fields { concept_type: Some("Note".into()), ..Fields::default() };
    assert_eq!(one(&files, update("untyped", cured)).changed_paths(), ["log.md", "untyped.md"]);
}

#[test]
fn a_frontmatter_beyond_a_limit_refuses() {
    let files = bundle(&[("a.md", NOTE), ("b.md", NOTE)]);
    let tagged = Fields { tags: Some(vec!["t".into(); 100_001]), ..Fields::default() };
    for change in [update("a", tagged), update("a", titled(&"x".repeat(4 << 20))), link("a", "b", &"r".repeat(4 << 20))]
    {
        match try_one(&files, change) {
            Err(PrepareError::Refused(refusal)) => {
                let [finding] = refusal.spec.findings() else { panic!("{refusal}") };
                let path = finding.location.as_ref().map(|location| location.path.as_str());
                assert_eq!((finding.id, path), ("okf/invalid-document", Some("a.md")));
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn old_errors_elsewhere_are_listed_and_do_not_refuse() {
    let files = bundle(&[
        ("index.md", "---\nokf_version: \"0.2\"\ntitle: no\n---\n\n# T\n\n* [A](a.md)\n"),
        ("log.md", "# Log\n\n## 2026-9-6\n* x\n\n## 2026-01-01\n* y\n"),
        ("sub/log.md", "# Log\n\n## yesterday 2026\n* x\n"),
        ("broken.md", "---\na: b: c\n---\n"),
        ("bare.md", "text\n"),
        ("a.md", NOTE),
    ]);
    let old = ["okf/missing-frontmatter", "okf/invalid-document", "okf/invalid-index-frontmatter"];
    let old = [&old[..], &["okf/invalid-log-date"; 2]].concat();
    for change in [create("new"), update("a", titled("T")), link("a", "broken", "r"), deprecate("a", None)] {
        let prepared = one(&files, change.clone());
        let found: Vec<_> = prepared.preexisting().findings().iter().map(|finding| finding.id).collect();
        assert_eq!(found, old, "{change:?}");
        assert!(prepared.changed_paths().contains(&"log.md".to_owned()));
    }
    let unchanged = one(&files, update("a", Fields::default()));
    assert_eq!(unchanged.preexisting().errors(), old.len(), "a change that comes to nothing tells them too");
}

#[test]
fn a_log_is_not_made_beside_one_that_differs_by_case() {
    for other in ["LOG.md", "Log.md", "lOg.md/inside.md"] {
        let files = bundle(&[("a.md", NOTE), (other, NOTE)]);
        for change in [create("b"), update("a", titled("T")), deprecate("a", None)] {
            let (_, message) = reason(&files, change);
            let name = format!("`{}`", other.split('/').next().unwrap());
            assert!(message.contains("`log.md` would collide with") && message.contains(&name), "{message}");
        }
        let files = bundle(&[("a.md", NOTE), (other, NOTE), ("log.md", "# Log\n")]);
        assert!(one(&files, create("b")).changed_paths().contains(&"log.md".to_owned()), "one that is there is kept");
    }
}

#[test]
fn a_log_that_is_no_text_refuses_every_write() {
    let files = Bundle::from_files([("a.md", NOTE.as_bytes().to_vec()), ("log.md", b"# Log\n\xff".to_vec())]).unwrap();
    for change in [create("b"), update("a", titled("T"))] {
        let (_, message) = reason(&files, change);
        assert!(message.contains("not UTF-8"), "{message}");
    }
    assert_eq!(one(&files, update("a", Fields::default())).changed_paths(), [""; 0]);
}
