//! Searches of whole, small bundles.

use super::*;
use crate::area::Area;

/// A bundle of concepts: IDs and texts.
fn bundle(files: &[(&str, &str)]) -> Bundle {
    Bundle::from_files(files.iter().map(|(id, text)| (format!("{id}.md"), *text))).expect("good paths")
}

fn request(query: &str) -> SearchRequest<'_> {
    SearchRequest {
        query,
        mode: Mode::Literal,
        case_sensitive: false,
        filter: Filter::default(),
        scope: Scope::All,
        now: "2026-01-01T00:00:00Z".parse().expect("an instant"),
    }
}

fn run<'a>(bundle: &'a Bundle, request: &SearchRequest<'_>) -> Answer<'a> {
    search(bundle, request, &|| false).expect("a search that runs")
}

/// `id:hits` of each match, in order.
fn ranked(bundle: &Bundle, request: &SearchRequest<'_>) -> (ModeUsed, Vec<String>) {
    let answer = run(bundle, request);
    assert_eq!(answer.total_hits, answer.matches.iter().map(|found| found.hits).sum::<usize>());
    (answer.mode, answer.matches.iter().map(|found| format!("{}:{}", found.document.id(), found.hits)).collect())
}

fn note(title: &str, body: &str) -> String {
    format!("---\ntype: Note\ntitle: {title}\n---\n{body}\n")
}

#[test]
fn special_characters_are_text() {
    let text = "---\ntype: Note\n---\nSee POL-358, multi-agent, don't, a/b, C++, x:y, 50%, \"quoted\", NOT, (paren\n";
    let bundle = bundle(&[("a", text)]);
    for query in ["POL-358", "multi-agent", "don't", "a/b", "C++", "x:y", "50%", "\"quoted\"", "(paren"] {
        assert_eq!(ranked(&bundle, &request(query)), (ModeUsed::Literal, vec!["a:1".into()]), "{query}");
    }
    let exact = SearchRequest { case_sensitive: true, ..request("NOT") };
    assert_eq!(ranked(&bundle, &exact), (ModeUsed::Literal, vec!["a:1".into()]));
    for query in ["*", "\"\"", "* *", "''"] {
        assert_eq!(ranked(&bundle, &request(query)), (ModeUsed::Literal, vec![]), "{query}");
        let words = SearchRequest { mode: Mode::Words, ..request(query) };
        assert_eq!(ranked(&bundle, &words), (ModeUsed::Words, vec![]), "{query}");
    }
}

#[test]
fn empty_and_oversized_queries_are_errors() {
    let bundle = bundle(&[("a", "text")]);
    let error = |request: SearchRequest<'_>| search(&bundle, &request, &|| false).expect_err("not run");
    assert_eq!(error(request("")), SearchError::Empty);
    assert_eq!(error(request(" \t\n")), SearchError::Empty);
    let long = "a".repeat(200_000);
    for mode in [Mode::Literal, Mode::Regex, Mode::Words] {
        assert!(matches!(error(SearchRequest { mode, ..request(&long) }), SearchError::TooLarge(_)));
    }
    assert!(matches!(error(SearchRequest { mode: Mode::Regex, ..request("a(") }), SearchError::Pattern(_)));
    assert_eq!(search(&bundle, &request("text"), &|| true).map(|_| ()), Err(SearchError::Cancelled));
}

#[test]
fn the_longest_literal_query_still_compiles() {
    let query = "ế".repeat(LONGEST_QUERY);
    let bundle = bundle(&[("a", &query)]);
    assert_eq!(ranked(&bundle, &request(&query)).1, ["a:1"]);
}

#[test]
fn hits_are_lines_of_the_whole_file() {
    let bundle = bundle(&[("a", "---\ntitle: apple apple\ntags: [apple]\n---\napple apple\nAPPLE\npear\napple")]);
    assert_eq!(ranked(&bundle, &request("apple")).1, ["a:5"]);
    let within = |scope| ranked(&bundle, &SearchRequest { scope, ..request("apple") }).1;
    assert_eq!(within(Scope::Frontmatter), ["a:2"]);
    assert_eq!(within(Scope::Body), ["a:3"]);
    assert_eq!(ranked(&bundle, &SearchRequest { case_sensitive: true, ..request("apple") }).1, ["a:4"]);
    let regex = |scope| ranked(&bundle, &SearchRequest { mode: Mode::Regex, scope, ..request("^app") });
    assert_eq!(regex(Scope::All), (ModeUsed::Regex, vec!["a:3".into()]));
    assert_eq!(regex(Scope::Frontmatter).1, Vec::<String>::new());
}

#[test]
fn several_words_are_found_apart_then_in_part() {
    let both = note("First", "The question of joins.");
    let one = note("Second", "Many questions. Questions!");
    let none = note("Third", "Nothing of the kind");
    let bundle = bundle(&[("both", &both), ("none", &none), ("one", &one)]);
    assert_eq!(ranked(&bundle, &request("question of joins")), (ModeUsed::Literal, vec!["both:1".into()]));
    assert_eq!(ranked(&bundle, &request("Join Questions")), (ModeUsed::Words, vec!["both:1".into()]));
    let any = ranked(&bundle, &request("question join zebra"));
    assert_eq!(any, (ModeUsed::Any, vec!["both:1".into(), "one:1".into()]), "best coverage first");
    assert_eq!(ranked(&bundle, &request("nothing at-all here")).1, ["none:1"]);
    assert_eq!(ranked(&bundle, &request("zebra")), (ModeUsed::Literal, vec![]));
    assert_eq!(ranked(&bundle, &request("zebra lion")), (ModeUsed::Any, vec![]));
}

#[test]
fn any_ranks_by_coverage_before_frequency() {
    let broad = note("Broad", "alpha beta gamma");
    let deep = note("Alpha beta", &"alpha beta\n\n".repeat(20));
    let bundle = bundle(&[("broad", &broad), ("deep", &deep), ("z", &note("Z", "gamma"))]);
    let (mode, found) = ranked(&bundle, &request("gamma alpha beta zebra"));
    assert_eq!(mode, ModeUsed::Any);
    assert_eq!(found[0], "broad:1");
}

#[test]
fn accents_fold_in_words_and_spellings_match_in_literals() {
    let bundle = bundle(&[("a", &note("x", "Cafe\u{301} in der Straße")), ("b", &note("y", "Café"))]);
    assert_eq!(ranked(&bundle, &request("café")).1, ["a:1", "b:1"]);
    assert_eq!(ranked(&bundle, &request("strasse cafe")), (ModeUsed::Words, vec!["a:1".into()]));
    assert_eq!(ranked(&bundle, &request("cafe")).1, Vec::<String>::new());
}

#[test]
fn where_a_query_stands_decides_its_rank() {
    let files = [
        ("n1", "---\ntitle: Churn\n---\nx\n".to_owned()),
        ("n2", "---\ntitle: About churn rates\n---\nx\n".to_owned()),
        ("n3", "---\ntitle: T\ntags: [churn]\n---\nx\n".to_owned()),
        ("n4", "---\ntitle: T\ndescription: What churn is\n---\nx\n".to_owned()),
        ("n5", "---\ntitle: T\n---\n# Of churn\n".to_owned()),
        ("n6", "---\ntitle: T\n---\nsome churn\n".to_owned()),
        ("n7", "---\ntitle: T\n---\nsome churning\n".to_owned()),
    ];
    // IDs run against the expected order, so that ties would show.
    let named: Vec<(String, &str)> =
        files.iter().rev().zip('a'..).map(|((id, text), c)| (format!("{c}{id}"), &**text)).collect();
    let borrowed: Vec<(&str, &str)> = named.iter().map(|(id, text)| (id.as_str(), *text)).collect();
    let bundle = bundle(&borrowed);
    let order = |mode| -> Vec<String> {
        let answer = run(&bundle, &SearchRequest { mode, ..request("churn") });
        answer.matches.iter().map(|found| found.document.id()[1..].to_owned()).collect()
    };
    assert_eq!(order(Mode::Literal), ["n1", "n2", "n3", "n4", "n5", "n6", "n7"]);
    assert_eq!(order(Mode::Regex), ["n1", "n2", "n3", "n4", "n5", "n6", "n7"]);
    assert_eq!(order(Mode::Words)[..2], ["n1", "n2"]);
}

#[test]
fn deprecated_and_stale_concepts_rank_lower_and_ties_go_by_id() {
    let text = |more: &str| format!("---\ntitle: Churn\n{more}---\nchurn rate\n");
    let bundle = bundle(&[
        ("a", &text("status: deprecated\n")),
        ("b", &text("stale_after: 2025-01-01\n")),
        ("c2", &text("")),
        ("c1", &text("")),
    ]);
    for query in ["churn", "rate churn"] {
        let answer = run(&bundle, &request(query));
        let order: Vec<&str> = answer.matches.iter().map(|found| found.document.id()).collect();
        assert_eq!(order, ["c1", "c2", "b", "a"]);
        assert!(answer.matches[2].stale && !answer.matches[3].stale);
    }
}

#[test]
fn filters_choose_concepts_before_falling_back() {
    let bundle = bundle(&[
        ("notes/a", "---\ntype: Note\ntags: [x]\n---\nred fox\n"),
        ("notes-archive/b", "---\ntype: Memo\ntags: [x, y]\n---\nfox that is red\n"),
    ]);
    assert_eq!(ranked(&bundle, &request("red fox")).1, ["notes/a:1"]);
    let memo = Filter { concept_type: Some("Memo".into()), ..Filter::default() };
    let memo = SearchRequest { filter: memo, ..request("red fox") };
    assert_eq!(ranked(&bundle, &memo), (ModeUsed::Words, vec!["notes-archive/b:1".into()]));
    let notes = Filter { area: Some(Area::new("./notes/")), ..Filter::default() };
    assert_eq!(ranked(&bundle, &SearchRequest { filter: notes, ..request("fox") }).1, ["notes/a:1"]);
    let tagged = Filter { tag: Some("y".into()), ..Filter::default() };
    assert_eq!(ranked(&bundle, &SearchRequest { filter: tagged, ..request("fox") }).1, ["notes-archive/b:1"]);
}

#[test]
fn concepts_with_a_broken_frontmatter_are_found() {
    let bundle = bundle(&[
        ("broken", "---\ntitle: Churn: a rate\ndescription: \"x\n---\nbody\n"),
        ("open", "---\ntitle: never closed churn\n"),
        ("plain", "only churn text"),
    ]);
    let mut found = ranked(&bundle, &request("churn")).1;
    assert_eq!(found[0], "broken:1");
    found.sort();
    assert_eq!(found, ["broken:1", "open:1", "plain:1"]);
}

#[test]
fn excerpts_name_line_and_section_without_repeating_lines() {
    let body = "---\ntitle: T\n---\nintro\n\n# One\n\nfox a\nmiddle\nfox b\n\n## `Two`\n\nafter\nfox c\nend\n";
    for text in [body.to_owned(), body.replace('\n', "\r\n"), body.replace('\n', "\r"), format!("\u{feff}{body}")] {
        let bundle = bundle(&[("a", &text)]);
        let answer = run(&bundle, &request("fox"));
        let shown: Vec<String> = answer
            .excerpt(0, Excerpts::all(1))
            .iter()
            .map(|line| format!("{}{}{} {:?}", line.line, if line.hit { ":" } else { "-" }, line.text, line.section))
            .collect();
        assert_eq!(
            shown,
            [
                "8:fox a Some(\"One\")",
                "9-middle None",
                "10:fox b Some(\"One\")",
                "14-after None",
                "15:fox c Some(\"Two\")",
                "16-end None"
            ]
        );
        let best = answer.excerpt(0, Excerpts { lines: 1, context: 0, width: 4 });
        assert_eq!(best.iter().map(|line| (line.line, line.text.as_str())).collect::<Vec<_>>(), [(8, "fo…")]);
        assert!(answer.excerpt(1, Excerpts::all(0)).is_empty());
    }
}

#[test]
fn an_excerpt_of_words_shows_the_most_telling_line() {
    let bundle = bundle(&[("a", &note("T", "the fox\n\nthe fox eats the hen\n\nthe hen")), ("b", &note("U", "fox"))]);
    let answer = run(&bundle, &request("hen of the fox"));
    assert_eq!(answer.mode, ModeUsed::Any);
    let lines = answer.excerpt(0, Excerpts { lines: 1, context: 0, width: LINE_WIDTH });
    assert_eq!(lines[0].text, "the fox eats the hen");
    assert_eq!(lines[0].highlight.clone().map(|range| &lines[0].text[range]), Some("hen"));
}

#[test]
fn minified_lines_never_flood() {
    let line = format!("{}needle{}", "\u{1}ü".repeat(100_000), "x".repeat(100_000));
    let bundle = bundle(&[("a", &line)]);
    let lines = run(&bundle, &request("needle")).excerpt(0, Excerpts::all(5));
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].text.chars().count(), LINE_WIDTH);
    assert!(lines[0].text.contains("needle") && !lines[0].text.contains('\u{1}'));
}
