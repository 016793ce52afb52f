//! The index against texts, and one kept up to date against one built anew.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::bundle_path::BundlePath;
use crate::listing::Filter;
use crate::search::holders::{Holders, Wanted};
use crate::search::word_query::WordQuery;
use crate::search::{Mode, Scope, SearchRequest};

const SCOPES: [Scope; 3] = [Scope::All, Scope::Frontmatter, Scope::Body];
const QUERIES: [&str; 7] =
    ["red", "the red fox", "redFox", "fox red", "vote-type fox", "東京 red", "the of missing blue"];

fn document(id: &str, text: &str) -> Arc<Document> {
    let path = BundlePath::new(format!("{id}.md")).expect("a good path");
    Arc::new(Document::parse(path, text.into()).expect("UTF-8"))
}

/// Asks an index everything: ID, hits and score of each holder, by ID.
fn answers(index: &WordIndex) -> Vec<(String, usize, u64)> {
    let mut all = Vec::new();
    for query in QUERIES {
        for scope in SCOPES {
            let request = request(query, scope);
            let query = WordQuery::new(query).expect("a query");
            let holders = Holders::new(index, &query, &request, &|| false).expect("not cancelled");
            for wanted in [Wanted::All, Wanted::Any] {
                let found = holders.find(wanted).expect("not cancelled");
                let mut found: Vec<_> = found
                    .iter()
                    .map(|it| (it.document.id().to_owned(), it.hits, it.held.score(it.together, it.named).to_bits()))
                    .collect();
                found.sort();
                all.extend(found);
            }
        }
    }
    all
}

fn request(query: &str, scope: Scope) -> SearchRequest<'_> {
    SearchRequest {
        query,
        mode: Mode::Words,
        case_sensitive: false,
        filter: Filter::default(),
        scope,
        now: "2026-01-01T00:00:00Z".parse().expect("an instant"),
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "the",
        "red",
        "fox",
        "Foxes",
        "of",
        "redFox",
        "red_fox",
        "vote_type",
        "vote",
        "type",
        "東京都",
        "blue",
        "\n",
        "\n\n# ",
        "\r\n",
        "\r",
        ". ",
    ]);
    let line = || prop::collection::vec(words.clone(), 0..12).prop_map(|words| words.join(" "));
    let head = prop::option::of((line(), line(), any::<bool>()));
    (head, line(), line()).prop_map(|(head, first, second)| {
        let one_line = |text: String| text.replace(['\n', '\r', '#'], " ");
        let head = head.map_or(String::new(), |(title, tag, closed)| {
            let end = if closed { "---\n" } else { "" };
            format!("---\ntitle: {}\ntags: [\"{}\"]\n{end}", one_line(title), one_line(tag))
        });
        format!("{head}{first}\n{second}")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn lines_are_those_of_the_text(texts in prop::collection::vec(any_text(), 1..8)) {
        let documents: Vec<_> =
            texts.iter().enumerate().map(|(n, text)| document(&format!("red/n{n}"), text)).collect();
        let index = WordIndex::of(documents);
        for asked in QUERIES {
            for scope in SCOPES {
                let request = request(asked, scope);
                let query = WordQuery::new(asked).expect("a query");
                let holders = Holders::new(&index, &query, &request, &|| false).expect("not cancelled");
                for holder in holders.find(Wanted::Any).expect("not cancelled") {
                    let mut hits = 0;
                    let about = About::of(holder.document);
                    let worth = |text: &str| query.line(text, &holders.weights).map_or(0.0, |words| words.weight);
                    let mut best = worth(about.description);
                    query.lines(holder.document, scope, &holders.weights, &mut |_, words| {
                        hits += 1;
                        best = best.max(words.weight);
                    });
                    let title = worth(about.title).max(worth(holder.document.id()));
                    let together = (crate::search::ranking::TITLE * title + best) / holders.total_weight;
                    prop_assert_eq!((holder.hits, holder.together), (hits, together));
                }
            }
        }
    }

    #[test]
    fn kept_up_to_date_it_answers_as_one_built_anew(
        start in prop::collection::vec(any_text(), 0..20),
        updates in prop::collection::vec(prop::collection::btree_map(0..24_usize, prop::option::of(any_text()), 1..4), 0..12),
    ) {
        let mut documents: BTreeMap<String, Arc<Document>> = BTreeMap::new();
        for (n, text) in start.iter().enumerate() {
            let id = format!("n{n}");
            documents.insert(id.clone(), document(&id, text));
        }
        let mut index = WordIndex::of(documents.values().cloned().collect());
        for update in updates {
            let changes: Vec<(String, Option<Arc<Document>>)> = update
                .iter()
                .map(|(n, text)| (format!("n{n}"), text.as_ref().map(|text| document(&format!("n{n}"), text))))
                .collect();
            for (id, document) in &changes {
                match document {
                    Some(document) => documents.insert(id.clone(), document.clone()),
                    None => documents.remove(id),
                };
            }
            let named: Vec<(&str, Option<&Arc<Document>>)> =
                changes.iter().map(|(id, document)| (id.as_str(), document.as_ref())).collect();
            index = index.updated(&named).expect("few changes");
            let anew = WordIndex::of(documents.values().rev().cloned().collect());
            prop_assert_eq!(index.documents(), documents.len());
            prop_assert_eq!(index.length, anew.length);
            prop_assert_eq!(answers(&index), answers(&anew));
        }
    }
}

#[test]
fn segments_stay_few_and_full() {
    let mut index = WordIndex::of(Vec::new());
    for n in 0..100 {
        let id = format!("n{n}");
        index = index.updated(&[(&id, Some(&document(&id, "red fox")))]).expect("few changes");
    }
    assert!(index.parts.len() <= 100 / 2, "{} parts", index.parts.len());
    assert!(index.parts.iter().all(|part| part.count <= MERGED));
    for n in 0..100 {
        index = index.updated(&[(&format!("n{n}"), None)]).expect("few changes");
        assert!(index.parts.iter().all(|part| part.count * 2 >= part.segment.len()));
    }
    assert!(index.parts.is_empty() && index.length == 0);
}

#[test]
fn the_same_document_again_changes_nothing() {
    let known = document("a", "red");
    let index = WordIndex::of(vec![known.clone()]);
    let again = index.updated(&[("a", Some(&known)), ("absent", None)]).expect("few changes");
    assert!(Arc::ptr_eq(&index.parts[0].segment, &again.parts[0].segment));
    assert!(Arc::ptr_eq(&index.parts[0].living, &again.parts[0].living));
}

#[test]
fn many_changes_are_left_to_a_new_index() {
    let documents: Vec<_> = (0..8).map(|n| document(&format!("n{n}"), "red")).collect();
    let index = WordIndex::of(documents.clone());
    let changes: Vec<(&str, Option<&Arc<Document>>)> = documents.iter().map(|known| (known.id(), None)).collect();
    assert!(index.updated(&changes).is_none());
}
