use super::names::{fold, near_misses, tally};
use super::*;
use crate::bundle_path::PathError;

fn bundle(paths: &[&str]) -> Bundle {
    Bundle::from_files(paths.iter().map(|path| (*path, "---\ntype: Note\n---\nBody.\n"))).expect("the paths are good")
}

fn ids(bundle: &Bundle) -> Vec<&str> {
    bundle.documents().map(|document| document.id()).collect()
}

#[test]
fn roles_go_by_the_exact_name() {
    let rows = [
        ("a.md", Role::Concept),
        ("d/Index.md", Role::Concept),
        ("d/index.md", Role::Index),
        ("log.md", Role::Log),
        ("a.MD", Role::Asset),
        ("d/.md", Role::Asset),
        (".hidden.md", Role::Concept),
        ("a.markdown", Role::Asset),
    ];
    for (path, role) in rows {
        assert_eq!(Role::of(path), role, "{path}");
    }
}

#[test]
fn documents_come_by_id_and_not_by_path() {
    let bundle = bundle(&["a/b.md", "a-x.md", "a.md", "index.md", "a/index.md", "pic.png"]);
    assert_eq!(ids(&bundle), ["a", "a-x", "a/b"]);
    assert_eq!(bundle.concept_count(), 3);
    assert!(bundle.has_directory("a") && bundle.has_directory("") && !bundle.has_directory("b"));
}

#[test]
fn one_bad_file_is_listed_and_the_rest_is_served() {
    let files: [(&str, &[u8]); 4] = [
        ("good.md", b"---\ntype: Note\n---\n"),
        ("latin.md", b"caf\xe9"),
        ("broken.md", b"---\ntype: Note\ntitle: [\n---\n"),
        ("index.md", b"\xff"),
    ];
    let bundle = Bundle::from_files(files.map(|(path, bytes)| (path, bytes.to_vec()))).unwrap();
    let unreadable = bundle.unreadable();
    let listed: Vec<_> = unreadable.iter().map(|u| (u.path.as_str(), u.id.as_str())).collect();
    assert_eq!(listed, [("broken.md", "broken"), ("latin.md", "latin")]);
    assert_eq!(unreadable[1].message, "not UTF-8 at byte 3");
    let position = unreadable[0].message.split(": ").next().unwrap();
    assert!(position.split(':').all(|number| number.parse::<u32>().is_ok()), "{}", unreadable[0].message);
    assert_eq!(bundle.concepts().map(|document| document.id()).collect::<Vec<_>>(), ["good"]);
    assert_eq!(bundle.concept_count(), 3);
    assert!(bundle.lookup("broken").is_ok());
    assert!(matches!(bundle.lookup("latin"), Err(LookupError::Unreadable(_))));
}

#[test]
fn lookup_is_exact_and_explains_a_miss() {
    let bundle = bundle(&["tables/orders.md", "tables/customers.md", "both.md", "both.md.md", "Index.md", "v1.2.md"]);
    for id in ["tables/orders", "both", "both.md", "Index", "v1.2"] {
        assert_eq!(bundle.lookup(id).map(|document| document.id()), Ok(id));
    }
    let rows = [
        ("../secret", LookupError::Invalid(PathError::Segment)),
        ("alpha/../alpha", LookupError::Invalid(PathError::Segment)),
        ("/etc/hosts", LookupError::Invalid(PathError::NotRelative)),
        ("alpha\0", LookupError::Invalid(PathError::Control)),
        ("index", LookupError::Reserved),
        ("d/log", LookupError::Reserved),
        ("index.md", LookupError::Reserved),
        ("tables/orders.md", LookupError::Suffix("tables/orders".into())),
        ("tables/order", LookupError::NotFound(vec!["tables/orders".into()])),
        ("Tables/Orders", LookupError::NotFound(vec!["tables/orders".into()])),
        ("customers", LookupError::NotFound(vec!["tables/customers".into()])),
        ("%2e%2e/secret", LookupError::NotFound(vec![])),
    ];
    for (id, error) in rows {
        assert_eq!(bundle.lookup(id).map(|document| document.id()), Err(error), "{id}");
    }
}

#[test]
fn lookup_finds_the_other_normal_form_when_it_is_unique() {
    let decomposed = bundle(&["cafe\u{301}.md"]);
    assert_eq!(decomposed.lookup("caf\u{e9}").map(|d| d.id()), Ok("cafe\u{301}"));
    let both = bundle(&["se\u{f1}or.md", "sen\u{303}or.md"]);
    assert_eq!(both.lookup("se\u{f1}or").map(|d| d.id()), Ok("se\u{f1}or"));
    assert_eq!(both.lookup("sen\u{303}or").map(|d| d.id()), Ok("sen\u{303}or"));
    let ambiguous = bundle(&["\u{1e69}.md", "s\u{323}\u{307}.md"]);
    assert!(matches!(ambiguous.lookup("s\u{307}\u{323}"), Err(LookupError::NotFound(near)) if near.len() == 2));
}

#[test]
fn near_misses_are_few_and_best_first() {
    let names = ["a/orders", "b/orders", "ordres", "c/orders", "ORDERS", "unrelated"];
    assert_eq!(near_misses("orders", names.into_iter()), ["ORDERS", "ordres", "a/orders"]);
    assert_eq!(near_misses(&"x".repeat(100_000), names.into_iter()), Vec::<String>::new());
    assert_eq!(near_misses("metrcis/churn", ["metrics/churn"].into_iter()), ["metrics/churn"]);
}

#[test]
fn folding_meets_across_case_and_normal_form() {
    for (a, b) in [("Straße", "STRASSE"), ("ΟΔΟΣ", "οδος"), ("Cafe\u{301}", "CAFÉ"), ("ПРИВЕТ", "привет")]
    {
        assert_eq!(fold(a), fold(b));
    }
    assert_ne!(fold("ı"), fold("i"));
}

#[test]
fn areas_and_tallies_are_ordered_by_count_then_name() {
    let bundle = bundle(&["b/1.md", "a/1.md", "c/1.md", "c/x/2.md", "root.md", "c/index.md", "d/pic.png"]);
    assert_eq!(bundle.areas(), [("c".to_owned(), 2), ("a".to_owned(), 1), ("b".to_owned(), 1)]);
    assert_eq!(tally(["x", " y ", "y", ""].into_iter()), [("y".to_owned(), 2), ("x".to_owned(), 1)]);
}

#[test]
fn memory_bundles_refuse_bad_paths() {
    assert_eq!(Bundle::from_files([("a/../b.md", "")]).err(), Some(PathError::Segment));
}
