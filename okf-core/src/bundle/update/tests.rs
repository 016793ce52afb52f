use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::graph::{Direction, Graph};
use crate::validate::{self, Options};

fn edit(path: &str, text: &str) -> FileEdit {
    FileEdit { path: BundlePath::new(path).unwrap(), before: None, after: text.into() }
}

#[test]
fn an_overlay_shows_the_edits_and_shares_the_rest() {
    let bundle = Bundle::from_files([("a.md", "---\ntype: A\n---\n"), ("b.md", "---\ntype: B\n---\n")]).unwrap();
    assert_eq!((bundle.documents().len(), bundle.graph().nodes().len()), (2, 2));
    let overlaid = bundle.with_files(&[
        edit("a.md", "---\ntype: C\n---\n"),
        edit("x/y/z.md", "---\ntype: Z\n---\n"),
        edit("x/notes.txt", "asset"),
    ]);
    let types: Vec<_> = overlaid.concepts().filter_map(|concept| concept.metadata().concept_type.clone()).collect();
    assert_eq!(types, [Box::from("C"), "B".into(), "Z".into()]);
    assert!(overlaid.has_directory("x") && overlaid.has_directory("x/y"));
    assert!(matches!(overlaid.files()["x/notes.txt"], File::Asset));
    assert!(Arc::ptr_eq(overlaid.document("b.md").unwrap(), bundle.document("b.md").unwrap()));
    assert_eq!(bundle.files().len(), 2, "the bundle itself stays");
}

#[test]
fn of_two_edits_of_one_file_the_later_stays() {
    let bundle = Bundle::from_files([("a.md", "---\ntype: A\n---\n")]).unwrap();
    let _ = bundle.graph();
    let overlaid = bundle.with_files(&[edit("a.md", "---\ntype: B\n---\n"), edit("a.md", "---\ntype: C\n---\n")]);
    assert_eq!(overlaid.types(), [("C".to_owned(), 1)]);
    assert_eq!(overlaid.graph().node("a").unwrap().concept_type, "C");
}

#[test]
fn a_file_that_comes_or_goes_changes_what_other_files_links_mean() {
    let from = |target: &str| format!("---\ntype: Note\n---\n[x](<{target}>)\n");
    for (target, path) in [
        ("b.md", "n/b.md"),
        ("/n/b", "n/b.md"),
        ("d/", "n/d/index.md"),
        ("d", "n/d/index.md"),
        ("..", "index.md"),
        ("caf%C3%A9.md", "n/cafe\u{301}.md"),
        ("cafe\u{301}", "n/caf\u{e9}.md"),
        ("K.png", "n/\u{212a}.png"),
        ("d.md", "n/d.md/index.md"),
    ] {
        let without = Bundle::from_files([("n/a.md", from(target))]).unwrap();
        let resolution = |bundle: &Bundle| bundle.graph().outgoing("n/a").next().unwrap().resolution;
        let before = resolution(&without);
        let with = without.with_files(&[edit(path, "---\ntype: Note\n---\n")]);
        assert_ne!(resolution(&with), before, "{target} {path}");
        let gone = with.overlaid([(&BundlePath::new(path).unwrap(), None)]);
        assert_eq!(resolution(&gone), before, "{target} {path}");
    }
}

/// Names that mean one another: by normal form, case, suffix and index.
const NAMES: [&str; 14] = [
    "a",
    "a.md",
    "A.md",
    "b.md",
    "index.md",
    "log.md",
    "d",
    "x.md.md",
    "caf\u{e9}.md",
    "cafe\u{301}.md",
    "K.md",
    "\u{212a}.md",
    "p.png",
    "p",
];

const DIRECTORIES: [&str; 6] = ["", "d/", "d/a/", "D/", "caf\u{e9}/", "cafe\u{301}/"];

fn path() -> impl Strategy<Value = String> {
    (prop::sample::select(&DIRECTORIES[..]), prop::sample::select(&NAMES[..]))
        .prop_map(|(directory, name)| format!("{directory}{name}"))
}

/// A way to write a path: relative or from the root, without its ending, as a directory, percent-encoded.
fn target() -> impl Strategy<Value = String> {
    (path(), 0..8_u8).prop_map(|(path, way)| match way {
        0 => format!("/{path}"),
        1 => format!("../{path}"),
        2 => path.trim_end_matches(".md").to_owned(),
        3 => format!("/{}", path.trim_end_matches("index.md")),
        4 => crate::link::encode(&path),
        5 => format!("{path}/"),
        6 => format!("{path}#part"),
        _ => path,
    })
}

fn text() -> impl Strategy<Value = Vec<u8>> {
    let head = prop_oneof![
        6 => prop::sample::select(&["type: A", "type: ' B '", "type: 7", "title: x", "type: C\ntags: [t]"][..]),
        1 => Just("type: ["),
    ];
    let parsed = (head, prop::collection::vec(target(), 0..4), prop::collection::vec(target(), 0..3)).prop_map(
        |(head, links, sources)| {
            let sources: String = sources.iter().map(|source| format!("\n  - resource: \"{source}\"")).collect();
            let sources = if sources.is_empty() { sources } else { format!("\nsources:{sources}") };
            let links: String = links.iter().map(|link| format!("[l](<{link}>) ")).collect();
            format!("---\n{head}{sources}\n---\n{links}\n").into_bytes()
        },
    );
    prop_oneof![12 => parsed, 1 => Just(b"\xff".to_vec()), 1 => Just(b"no frontmatter".to_vec())]
}

type Step = Vec<(String, Option<Vec<u8>>)>;

fn step() -> impl Strategy<Value = Step> {
    prop::collection::vec((path(), prop_oneof![1 => Just(None), 2 => text().prop_map(Some)]), 1..4)
}

/// All that a bundle says, but for what takes the files themselves as an input.
fn assert_same(followed: &Bundle, fresh: &Bundle) {
    let files = |bundle: &Bundle| -> Vec<_> {
        bundle.files().iter().map(|(path, file)| (path.clone(), format!("{file:?}"))).collect()
    };
    assert_eq!(files(followed), files(fresh));
    let documents =
        |bundle: &Bundle| -> Vec<_> { bundle.documents().map(|document| document.id().to_owned()).collect() };
    assert_eq!(documents(followed), documents(fresh));
    assert!(followed.documents().map(|document| document.id()).is_sorted());
    assert_eq!(followed.document_slices().map(<[_]>::len).sum::<usize>(), fresh.documents().len());
    assert!(followed.directories().eq(fresh.directories()));
    assert_eq!(followed.concept_count(), fresh.concept_count());
    assert_eq!((followed.areas(), followed.types()), (fresh.areas(), fresh.types()));
    assert_eq!(followed.unreadable(), fresh.unreadable());
    assert_eq!(followed.census.areas, fresh.census.areas);
    assert_eq!(followed.census.composed, fresh.census.composed);
    assert_eq!(followed.folded(), fresh.folded());
    assert_eq!(validate::errors(followed), validate::errors(fresh));
    let options = Options { links: true };
    assert_eq!(validate::validate(followed, options), validate::validate(fresh, options));
    let built = Graph::build(fresh);
    assert_eq!(*followed.graph(), built);
    assert_eq!(followed.graph().edge_count(), built.edges().count());
    for node in built.nodes() {
        let leads_there: Vec<_> = built.edges().filter(|edge| edge.target_concept == Some(node.id)).collect();
        assert_eq!(followed.graph().incoming(node.id), leads_there, "{:?} {}", Direction::In, node.id);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_bundle_that_was_followed_is_a_bundle_that_was_built(steps in prop::collection::vec(step(), 1..12)) {
        let mut now = BTreeMap::<String, Vec<u8>>::new();
        let mut bundle = Bundle::default();
        for step in steps {
            // Worked out now, so that it is by difference afterwards.
            let _ = bundle.graph();
            bundle.folded();
            bundle.errors();
            let mut update = Update::default();
            for (path, bytes) in step.into_iter().collect::<BTreeMap<_, _>>() {
                let path = BundlePath::new(path).unwrap();
                let decode = |bytes: &Vec<u8>| File::new(Role::of(path.as_str()), || Content::decode(&path, bytes.clone()));
                update.files.push((path.clone(), bytes.as_ref().map(decode)));
                match bytes {
                    Some(bytes) => now.insert(path.as_str().to_owned(), bytes),
                    None => now.remove(path.as_str()),
                };
            }
            let fresh = Bundle::from_files(now.clone()).unwrap();
            let gone = bundle.directories().filter(|path| !fresh.has_directory(path));
            let come = fresh.directories().filter(|path| !bundle.has_directory(path));
            update.directories = gone.map(|path| (path.into(), false)).chain(come.map(|path| (path.into(), true))).collect();
            let next = bundle.updated(update);
            assert_same(&next, &fresh);
            bundle = next;
        }
    }
}
