//! Stories of `search-concepts`.

use serde_json::{Value, json};

use crate::harness::{Server, Tree, array, column, concept, keys, never_says, number, says};

fn shop() -> Tree {
    Tree::bundle(&[
        ("a-body.md", "---\ntype: Note\n---\n\nThe word churn is only mentioned.\n"),
        ("b-heading.md", "---\ntype: Note\n---\n\n# About churn\n\nText.\n"),
        ("c-description.md", "---\ntype: Note\ndescription: All about churn.\n---\n\nText.\n"),
        ("d-title.md", "---\ntype: Metric\ntitle: Churn\n---\n\nText.\n"),
        ("z-other.md", "---\ntype: Note\ntags: [misc]\n---\n\nNothing here.\n"),
    ])
}

fn ids(answer: &Value) -> Vec<&str> {
    column(&answer["matches"], "id")
}

fn hit<'a>(found: &'a Value, needle: &str) -> &'a Value {
    array(&found["lines"])
        .iter()
        .find(|line| line["text"].as_str().is_some_and(|text| text.contains(needle)))
        .unwrap_or_else(|| panic!("no line with `{needle}` in {found}"))
}

#[test]
fn the_answer_has_these_keys_and_true_totals() {
    let tree = shop();
    let answer = Server::serve(tree.root()).ask("search-concepts", json!({"query": "churn"}));
    assert_eq!(keys(&answer), ["matches", "mode", "total_concepts", "total_hits"]);
    assert_eq!((&answer["mode"], &answer["total_concepts"]), (&json!("literal"), &json!(4)));
    let hits: usize = array(&answer["matches"]).iter().map(|found| number(&found["hits"])).sum();
    assert_eq!(number(&answer["total_hits"]), hits);
    let title = array(&answer["matches"]).iter().find(|found| found["id"] == "d-title").expect("it matches");
    assert_eq!(keys(title), ["hits", "id", "lines", "title", "type"]);
}

#[test]
fn ranks_title_over_description_over_heading_over_body() {
    let tree = shop();
    let answer = Server::serve(tree.root()).ask("search-concepts", json!({"query": "churn"}));
    assert_eq!(ids(&answer), ["d-title", "c-description", "b-heading", "a-body"]);
}

#[test]
fn ties_are_broken_by_id_and_deprecated_and_stale_concepts_rank_lower() {
    let body = "\n\nA zebra here.\n";
    let tree = Tree::bundle(&[
        ("a-stale.md", &format!("---\ntype: Note\nstale_after: 2026-01-01\n---{body}")),
        ("b-old.md", &format!("---\ntype: Note\nstatus: deprecated\n---{body}")),
        ("d.md", &format!("---\ntype: Note\n---{body}")),
        ("c.md", &format!("---\ntype: Note\n---{body}")),
    ]);
    let answer = Server::serve(tree.root()).ask("search-concepts", json!({"query": "zebra"}));
    let order = ids(&answer);
    assert_eq!(order[..2], ["c", "d"], "{order:?}");
    for found in &array(&answer["matches"])[2..] {
        let said = found.to_string();
        assert!(said.contains("deprecated") && said.contains("b-old") || said.contains("\"stale\":true"), "{said}");
    }
}

#[test]
fn rare_words_count_more() {
    let tree = Tree::bundle(&[("rare.md", "---\ntype: Note\n---\n\nquokka\n")]);
    for n in 0..20 {
        tree.write(&format!("common{n:02}.md"), "---\ntype: Note\n---\n\nreport report\n");
    }
    let answer = Server::serve(tree.root()).ask("search-concepts", json!({"query": "report quokka"}));
    assert_eq!(answer["mode"], "any", "no concept holds both");
    assert_eq!(ids(&answer)[0], "rare");
    assert_eq!(answer["total_concepts"], 21);
}

#[test]
fn case_matters_only_when_asked_beyond_ascii_too() {
    let tree = Tree::bundle(&[("a.md", "---\ntype: Note\n---\n\nÄRGER mit ΣΊΣΥΦΟΣ\n")]);
    let mut server = Server::serve(tree.root());
    let mut count = |arguments: Value| number(&server.ask("search-concepts", arguments)["total_concepts"]);
    assert_eq!(count(json!({"query": "ärger"})), 1);
    assert_eq!(count(json!({"query": "ärger", "case_sensitive": true})), 0);
    assert_eq!(count(json!({"query": "ÄRGER", "case_sensitive": true})), 1);
}

#[test]
fn composed_and_decomposed_forms_match_each_other() {
    let tree = Tree::bundle(&[
        ("a.md", "---\ntype: Note\n---\n\ncaf\u{e9} one\n"),
        ("b.md", "---\ntype: Note\n---\n\ncafe\u{301} two\n"),
    ]);
    let mut server = Server::serve(tree.root());
    for query in ["caf\u{e9}", "cafe\u{301}", "CAF\u{c9}"] {
        let answer = server.ask("search-concepts", json!({"query": query}));
        assert_eq!((&answer["mode"], ids(&answer)), (&json!("literal"), vec!["a", "b"]), "{query}");
    }
}

#[test]
fn several_words_without_a_literal_match_are_words_and_then_any() {
    let tree = Tree::bundle(&[
        ("both.md", "---\ntype: Note\n---\n\nThe résumé of a quarterly\n\nreport\n"),
        ("one.md", "---\ntype: Note\n---\n\nA report\n"),
    ]);
    let mut server = Server::serve(tree.root());
    let mut ask = |query: &str| {
        let answer = server.ask("search-concepts", json!({"query": query}));
        (answer["mode"].as_str().expect("it says").to_owned(), ids(&answer).join(" "))
    };
    assert_eq!(ask("report quarterly"), ("words".to_owned(), "both".to_owned()));
    assert_eq!(ask("report resume"), ("words".to_owned(), "both".to_owned()), "accents are folded");
    assert_eq!(ask("report resume giraffe"), ("any".to_owned(), "both one".to_owned()), "best coverage first");
    assert_eq!(ask("A report"), ("literal".to_owned(), "one".to_owned()));
}

#[test]
fn a_regex_is_linear_bounded_and_says_where_it_is_wrong() {
    let tree = shop();
    tree.write("redos.md", concept("type: Note", &format!("{}!", "a".repeat(5_000))));
    let mut server = Server::serve(tree.root());
    let answer = server.ask("search-concepts", json!({"query": "(?i)^#.*ch[u]rn$", "mode": "regex"}));
    assert_eq!((&answer["mode"], ids(&answer)), (&json!("regex"), vec!["b-heading"]));
    assert_eq!(server.ask("search-concepts", json!({"query": "(a+)+$", "mode": "regex"}))["mode"], "regex");
    for pattern in ["ch(urn", "ab[cd"] {
        let message = server.refused("search-concepts", json!({"query": pattern, "mode": "regex"}));
        // A number or a caret: it points at the third character.
        assert!(message.contains('3') || message.lines().any(|line| line.trim() == "^"), "{message}");
    }
    server.refused("search-concepts", json!({"query": "(?:x{1000}){1000}", "mode": "regex"}));
    server.refused("search-concepts", json!({"query": "(".repeat(200_000), "mode": "regex"}));
}

#[test]
fn questions_that_are_made_to_take_long_are_answered_or_refused() {
    let tree = shop();
    let line = "a".repeat(1 << 20);
    tree.write("line.md", concept("type: Note", &line));
    tree.write("many.md", concept("type: Note", &"ab é x\n".repeat(100_000)));
    let mut server = Server::serve(tree.root());
    for pattern in [
        "(a*)*b",
        "(a|a)*b",
        "(a|aa)+$",
        "(.*)(.*)(.*)(.*)x$",
        "a{0,900}b",
        r"(\pL|\pN){40}z",
        r"\b\w+\b.*\b\w+\b!",
        "(?:a?){200}a{200}!",
        "()*|(x*)*",
        "[^b]*b",
    ] {
        let answer = server.ask("search-concepts", json!({"query": pattern, "mode": "regex"}));
        assert!(answer["total_hits"].is_u64(), "{pattern}: {answer}");
    }
    for (query, mode) in [
        ("a".repeat(2_000), "literal"),
        (format!("{}b", "a".repeat(1_999)), "literal"),
        ("é".repeat(1_000), "literal"),
        ("e\u{301}\u{323}\u{302}\u{304}".repeat(400), "literal"),
        ((0..128).map(|n| format!("w{n} ")).collect(), "words"),
    ] {
        let answer = server.ask("search-concepts", json!({"query": query, "mode": mode}));
        assert!(answer["total_hits"].is_u64(), "{query}: {answer}");
    }
    for (query, mode) in [(r"\pL{500}{500}", "regex"), (r"(?i)(\w{50}){50}", "regex")] {
        says(&server.refused("search-concepts", json!({"query": query, "mode": mode})), &["too large"]);
    }
    says(&server.refused("search-concepts", json!({"query": "a".repeat(2_001)})), &["2001", "2000"]);
    let words: String = (0..400).map(|n| format!("w{n} ")).collect();
    says(&server.refused("search-concepts", json!({"query": words, "mode": "words"})), &["at most 128"]);
}

#[test]
fn a_hit_names_its_line_and_the_section_that_lookup_takes() {
    let text = "---\ntype: Note\n---\n\n# Alpha\n\nfirst\n\n## Beta\n\nbefore\nneedle here\nafter\n";
    let tree = Tree::bundle(&[("a.md", text)]);
    let mut server = Server::serve(tree.root());
    let answer = server.ask("search-concepts", json!({"query": "needle"}));
    let found = &answer["matches"][0];
    let line = hit(found, "needle");
    assert_eq!((&line["line"], &line["text"]), (&json!(12), &json!("needle here")), "lines of the file");
    let section = line["section"].as_str().expect("it is in a section");
    says(section, &["Beta"]);
    let text = server.ask("lookup-concept", json!({"id": "a", "section": section}));
    says(text["markdown"].as_str().expect("text"), &["needle here"]);
    never_says(text["markdown"].as_str().expect("text"), &["first"]);
}

#[test]
fn every_section_that_a_hit_names_is_one_that_lookup_takes() {
    let long = "a paragraph above dashes is a heading ".repeat(4_000);
    let tree = Tree::bundle(&[
        ("hash.md", "---\ntype: Note\n---\n\n# Top\n\n## #1 priority\n\nneedle one\n"),
        ("long.md", &format!("---\ntype: Note\n---\n\n{long}\n---\n\nneedle two\n")),
    ]);
    let mut server = Server::serve(tree.root());
    let answer = server.call("search-concepts", json!({"query": "needle"}));
    assert!(answer.size() < 2_000, "{} bytes", answer.size());
    for found in array(&answer.json()["matches"]) {
        let line = hit(found, "needle");
        let part = json!({"id": found["id"], "section": line["section"], "full": true});
        let section = server.ask("lookup-concept", part);
        says(section["markdown"].as_str().expect("text"), &[line["text"].as_str().expect("text")]);
    }
}

#[test]
fn a_pattern_that_matches_inside_a_character_is_answered() {
    let tree = Tree::bundle(&[("a.md", "---\ntype: Note\n---\naé\n")]);
    let answer = Server::serve(tree.root()).ask("search-concepts", json!({"query": "(?-u:\\B)", "mode": "regex"}));
    assert_eq!(answer["total_concepts"], 1, "{answer}");
}

#[test]
fn context_is_as_wide_as_asked() {
    let tree = Tree::bundle(&[("a.md", "---\ntype: Note\n---\n\none\ntwo\nthree\nneedle\nfive\nsix\nseven\n")]);
    let mut server = Server::serve(tree.root());
    let mut lines = |arguments: Value| {
        let answer = server.ask("search-concepts", arguments);
        array(&answer["matches"][0]["lines"]).iter().map(|line| number(&line["line"])).collect::<Vec<_>>()
    };
    assert_eq!(lines(json!({"query": "needle", "context": 0})), [8]);
    assert_eq!(lines(json!({"query": "needle"})), [7, 8, 9]);
    assert_eq!(lines(json!({"query": "needle", "context": 3})), [5, 6, 7, 8, 9, 10, 11]);
}

#[test]
fn a_long_line_is_cut_around_the_hit_at_character_boundaries() {
    let line = format!("{}needle{}", "ü".repeat(100_000), "→".repeat(100_000));
    let tree = Tree::bundle(&[("a.md", &concept("type: Note", &line))]);
    let answer = Server::serve(tree.root()).call("search-concepts", json!({"query": "needle"}));
    let found = answer.json();
    let text = hit(&found["matches"][0], "needle")["text"].as_str().expect("text").to_owned();
    assert!(text.chars().count() <= 240, "{} characters", text.chars().count());
    says(&text, &["üneedle→"]);
    assert!(answer.size() < 2_000, "{} bytes", answer.size());
}

#[test]
fn filters_choose_where_to_look() {
    let tree = Tree::bundle(&[
        ("notes/a.md", "---\ntype: Note\ntags: [red, apple]\n---\n\nplain\n"),
        ("tables/b.md", "---\ntype: Table\ntags: [red]\n---\n\napple\n"),
    ]);
    let mut server = Server::serve(tree.root());
    let mut found = |arguments: Value| ids(&server.ask("search-concepts", arguments)).join(" ");
    assert_eq!(found(json!({"query": "apple", "in": "frontmatter"})), "notes/a");
    assert_eq!(found(json!({"query": "apple", "in": "body"})), "tables/b");
    assert_eq!(found(json!({"query": "apple", "prefix": "/tables/"})), "tables/b");
    assert_eq!(found(json!({"query": "apple", "type": "Note"})), "notes/a");
    assert_eq!(found(json!({"query": "apple", "tag": "apple"})), "notes/a");
    let nowhere = server.ask("search-concepts", json!({"query": "apple", "prefix": "tabels"}));
    says(nowhere["message"].as_str().expect("it says why"), &["no such area", "tables"]);
}

#[test]
fn every_tool_understands_a_type_in_the_same_way() {
    let tree = Tree::bundle(&[("a.md", "---\ntype: \" Note \"\n---\nfox\n"), ("b.md", "---\ntype: Note\n---\nfox\n")]);
    let mut server = Server::serve(tree.root());
    assert_eq!(server.ask("list-concepts", json!({"type": "Note"}))["total"], 2);
    assert_eq!(server.ask("search-concepts", json!({"query": "fox", "type": "Note"}))["total_concepts"], 2);
    assert_eq!(column(&server.ask("query-graph", json!({"types": ["Note"]}))["nodes"], "id"), ["a", "b"]);
}

#[test]
fn nothing_found_says_what_there_is() {
    let tree = shop();
    let answer = Server::serve(tree.root()).ask("search-concepts", json!({"query": "xylophone"}));
    assert_eq!((&answer["total_concepts"], &answer["total_hits"]), (&json!(0), &json!(0)));
    says(&answer["available_types"].to_string(), &["Note", "Metric"]);
    assert!(answer.get("available_areas").is_some());
}

#[test]
fn special_characters_are_only_characters() {
    let tree = Tree::bundle(&[(
        "a.md",
        "---\ntype: Note\n---\nSee POL-358, multi-agent, don't, a/b, C++, x:y, 50%, \"quoted\", NOT, (paren\n",
    )]);
    let mut server = Server::serve(tree.root());
    for query in ["POL-358", "multi-agent", "don't", "a/b", "C++", "x:y", "50%", "\"quoted\"", "NOT", "(paren", "'"] {
        assert_eq!(ids(&server.ask("search-concepts", json!({"query": query}))), ["a"], "{query}");
    }
    assert_eq!(server.ask("search-concepts", json!({"query": "*"}))["total_concepts"], 0);
    for nothing in ["", "   "] {
        server.refused("search-concepts", json!({"query": nothing}));
    }
}

#[test]
fn pages_are_small_stable_and_complete() {
    let tree = Tree::bundle(&[]);
    let body = "the user asks and the user gets what every user wants\n".repeat(380);
    for n in 0..60 {
        tree.write(&format!("c{n:03}.md"), concept("type: Note", &body));
    }
    let mut server = Server::serve(tree.root());
    let first = server.call("search-concepts", json!({"query": "user"}));
    assert!(first.size() <= 21_000, "{} bytes", first.size());
    for arguments in
        [json!({"query": "user"}), json!({"query": "user", "limit": 7}), json!({"query": "user", "limit": 100})]
    {
        let pages = server.pages("search-concepts", &arguments);
        let mut seen: Vec<&str> = pages.iter().flat_map(ids).collect();
        assert_eq!(seen.len(), 60, "{arguments}");
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 60, "{arguments}: nothing twice");
        for page in &pages {
            assert!(page.to_string().len() <= 21_000);
            assert_eq!((&page["total_concepts"], &page["total_hits"]), (&json!(60), &pages[0]["total_hits"]));
        }
    }
    assert_eq!(first.json()["matches"][0]["hits"], 380);
    server.refused("search-concepts", json!({"query": "user", "cursor": "nonsense"}));
}

#[test]
fn unreadable_concepts_do_not_stop_a_search() {
    let tree = shop();
    tree.write("broken.md", "---\ntype: {\n---\nchurn\n").write("bytes.md", b"churn \xff");
    let answer = Server::serve(tree.root()).ask("search-concepts", json!({"query": "churn"}));
    assert!(ids(&answer).contains(&"d-title"));
    assert_eq!(column(&answer["unreadable"], "id"), ["broken", "bytes"]);
}
