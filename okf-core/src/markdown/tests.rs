use proptest::prelude::*;

use super::*;

fn headings(body: &str) -> Vec<(u8, String)> {
    Structure::scan(body).headings.iter().map(|h| (h.level, h.text.to_string())).collect()
}

fn destinations(body: &str) -> Vec<String> {
    Structure::scan(body).links.iter().map(|link| link.destination.to_string()).collect()
}

/// Span, leading destination and rest of each item, in order.
fn items(body: &str) -> Vec<(Option<String>, String)> {
    let structure = Structure::scan(body);
    let mut found = Vec::new();
    for block in &structure.blocks {
        if let BlockKind::List { items, .. } = &block.kind {
            for item in items {
                let link = item.leading_link.map(|at| structure.links[at].destination.to_string());
                found.push((link, body[item.rest.clone()].to_owned()));
            }
        }
    }
    found
}

fn footnotes(found: &[Footnote]) -> Vec<&str> {
    found.iter().map(|footnote| &*footnote.label).collect()
}

#[test]
fn headings_are_atx_closed_atx_and_setext_at_the_top_level() {
    let body = "# One `two` *three*\n\n## Closed ##\n\nSet\next\n===\n\n#\n\n> # quoted\n\n- # listed\n\n<div>\n# html\n</div>\n\n```\n# fenced\n```\n\n    # indented\n\n[^1]:\n    # footnote\n";
    assert_eq!(
        headings(body),
        [(1, "One two three".into()), (2, "Closed".into()), (1, "Set ext".into()), (1, String::new())]
    );
}

#[test]
fn every_line_ending_reads_the_same() {
    let body = "# a\n\n```\n# no\n```\n\n* [A](a.md) - x\n* y\n\n[z](z.md)\n";
    let expected = Structure::scan(body);
    assert_eq!(Structure::scan(&body.replace('\n', "\r")), expected);
    let crlf = body.replace('\n', "\r\n");
    assert_eq!(headings(&crlf), headings(body));
    assert_eq!(destinations(&crlf), destinations(body));
    assert_eq!(items(&crlf), items(body));
    assert_eq!(&crlf[Structure::scan(&crlf).links[1].span.clone()], "[z](z.md)");
}

#[test]
fn links_are_inline_reference_and_autolinks() {
    let body = "[1](<./bla je.md>) [2](b&amp;c%20d\\_e.md 'T') [r][] [R] [t][r] <https://e.org/x> [4](bla je.md) [m](mailto:a@b.c) [](empty.md) [5]() [6](<>)\n\n[r]: /r.md\n";
    assert_eq!(
        destinations(body),
        [
            "./bla je.md",
            "b&c%20d_e.md",
            "/r.md",
            "/r.md",
            "/r.md",
            "https://e.org/x",
            "mailto:a@b.c",
            "empty.md",
            "",
            ""
        ]
    );
    let structure = Structure::scan(body);
    assert_eq!(&body[structure.links[2].span.clone()], "[r][]");
    assert_eq!(&*structure.links[4].label, "t");
}

#[test]
fn images_are_no_links_but_a_link_around_one_is() {
    assert_eq!(destinations("![i](p.png) [![logo *x*](p.png)](home.md) ![a [b](c.md)](d.png)\n"), ["home.md"]);
    assert_eq!(&*Structure::scan("[![logo *x*](p.png)](home.md)").links[0].label, "logo x");
}

#[test]
fn code_html_math_and_escapes_hold_no_links() {
    let body = "`[b](b.md)`\n\n```\n[b](b.md)\n```\n\n~~~~\n[b](b.md)\n```\n[b](b.md)\n~~~~\n\n    [b](b.md)\n\n<!-- [b](b.md) -->\n\n\\[b](b.md)\n\n<a href=\"b.md\">b</a> <a@b.org>\n";
    assert_eq!(destinations(body), Vec::<String>::new());
}

#[test]
fn brackets_checkboxes_and_wiki_links_are_no_links() {
    let body = "She said [winning] it.[1][2]\n\n- [ ] todo\n- [x] done\n\n[ and ] [[b]] [[b|Bee]] ![[b]] [[b](b.md)]\n";
    assert_eq!(destinations(body), ["b.md"]);
}

#[test]
fn bare_urls_follow_gfm() {
    let rows: [(&str, &[&str]); 13] = [
        ("see https://example.org/a_b_c.", &["https://example.org/a_b_c"]),
        ("(https://example.org/a_(b)) and HTTP://e.org!", &["https://example.org/a_(b)", "HTTP://e.org"]),
        ("www.example.org/x?y=1&amp;z=2 www. www.a_b", &["http://www.example.org/x?y=1&z=2"]),
        ("**https://e.org/** x", &["https://e.org/"]),
        ("xhttps://e.org /www.e.org", &[]),
        ("https://e.org/&copy; https://e.org/a;b;", &["https://e.org/", "https://e.org/a;b"]),
        ("http://localhost:8080/x, https:// https://.", &["http://localhost:8080/x"]),
        ("https://a.org<br>https://b.org", &["https://a.org"]),
        ("[https://a.org](b.md) `https://c.org`", &["b.md"]),
        ("<https://a.org> <x y=\"https://b.org\">", &["https://a.org"]),
        ("![https://a.org](b.png)", &[]),
        (
            "| https://a.org | b |\n|-|-|\n| *https://b.org* | www.c.org |",
            &["https://a.org", "https://b.org", "http://www.c.org"],
        ),
        ("    https://a.org", &[]),
    ];
    for (body, expected) in rows {
        assert_eq!(destinations(body), expected, "{body}");
    }
}

#[test]
fn footnotes_are_found_with_and_without_definition() {
    let body = "Claim.[^s1] Lost.[^nope] `[^code]` \\[^escaped] \\\\[^real] [^link](u) [^a b] [^] *[^em]*[^x][^y]: z\n\n> [^quoted]: q\n\n[^s1]: Export [^in]\n[^S2]: two\n\n    [^s1] still\n";
    let structure = Structure::scan(body);
    assert_eq!(footnotes(&structure.footnote_references), ["s1", "nope", "real", "em", "x", "y", "in", "s1"]);
    assert_eq!(footnotes(&structure.footnote_definitions), ["quoted", "s1", "S2"]);
    for footnote in structure.footnote_references.iter().chain(&structure.footnote_definitions) {
        assert_eq!(&body[footnote.span.clone()], format!("[^{}]", footnote.label));
    }
    assert_eq!(destinations(body), ["u"]);
}

#[test]
fn items_know_their_leading_link_and_the_text_behind_it() {
    let rows: [(&str, Option<&str>, &str); 14] = [
        ("* [A](a.md) - one *two*\n", Some("a.md"), "one *two*"),
        ("- [A](a.md) – one\n", Some("a.md"), "one"),
        ("+ [A](a.md) — one\n", Some("a.md"), "one"),
        ("* [A](a.md): one\n", Some("a.md"), "one"),
        ("* [A](a.md)\n", Some("a.md"), ""),
        ("* [A](a.md) one\n  two\n", Some("a.md"), "one\n  two"),
        ("* [A](a.md) -5 degrees\n", Some("a.md"), "-5 degrees"),
        ("* **[A](<a b.md>)**: one\n", Some("a b.md"), "one"),
        ("* [ ] [A](a.md) - one\n", Some("a.md"), "one"),
        ("* <https://e.org> - one\n", Some("https://e.org"), "one"),
        ("* https://e.org/x - one\n", Some("https://e.org/x"), "one"),
        ("* **Created**: [A](a.md)\n", None, "**Created**: [A](a.md)"),
        ("* [A](a.md) - one\n\n  two\n", Some("a.md"), "one"),
        ("* `x`\n\n  > [A](a.md)\n", None, "`x`"),
    ];
    for (body, link, rest) in rows {
        assert_eq!(items(body), [(link.map(str::to_owned), rest.to_owned())], "{body}");
    }
    assert_eq!(
        items("*\n* > [A](a.md)\n* ```\n  x\n  ```\n")
            .iter()
            .filter(|(link, rest)| link.is_some() || !rest.is_empty())
            .count(),
        0
    );
}

#[test]
fn nested_items_follow_their_parent() {
    let body = "* [A](a/) - one\n  1. [B](a/b.md) - two\n     > * [no](no.md)\n  2. x\n* [C](c.md)\n";
    let structure = Structure::scan(body);
    let BlockKind::List { ordered: false, items: found } = &structure.blocks[0].kind else { panic!("no list") };
    let shape: Vec<_> = found.iter().map(|item| (item.depth, item.ordered)).collect();
    assert_eq!(shape, [(0, false), (1, true), (1, true), (0, false)]);
    assert_eq!(items(body)[1], (Some("a/b.md".into()), "two".into()));
    assert_eq!(found[0].span, 0..body.find("* [C]").unwrap());
}

#[test]
fn blocks_name_their_kind() {
    let body = "# h\n\npara\n\n* a\n\n1. b\n\n```\nc\n```\n\n    d\n\n<div>\n\n---\n\n> q\n\n| a |\n|-|\n\n[r]: /u\n\n[^f]: g\n";
    let kinds: Vec<_> = Structure::scan(body)
        .blocks
        .iter()
        .map(|block| match &block.kind {
            BlockKind::Heading(at) => format!("heading {at}"),
            BlockKind::List { ordered, items } => format!("list {ordered} {}", items.len()),
            BlockKind::Code { fenced } => format!("code {fenced}"),
            other => format!("{other:?}"),
        })
        .collect();
    let expected = [
        "heading 0",
        "Prose",
        "list false 1",
        "list true 1",
        "code true",
        "code false",
        "Html",
        "Rule",
        "Prose",
        "Prose",
        "FootnoteDefinition",
    ];
    assert_eq!(kinds, expected);
}

#[test]
fn plain_renders_inline_markdown_only() {
    let rows = [
        ("# of `x`\n  *y* _z_ ~~w~~", "# of x y z w"),
        ("- a &amp; b\\_c", "- a & b_c"),
        ("1. [see **b**](c.md) ![alt](d.png)<br>", "1. see b alt"),
        ("", ""),
        (". dot", ". dot"),
    ];
    for (markdown, expected) in rows {
        assert_eq!(plain(markdown), expected, "{markdown}");
    }
}

#[test]
fn sections_nest_by_level() {
    let body = "intro\n# a\n## b\nx\n## c\n# d\n";
    let structure = Structure::scan(body);
    assert_eq!(structure.section_at(0), None);
    assert_eq!(structure.section_at(body.find('x').unwrap()), Some(1));
    assert_eq!(&body[structure.subtree(0, body.len())], "# a\n## b\nx\n## c\n");
    assert_eq!(&body[structure.subtree(3, body.len())], "# d\n");
}

#[test]
fn hostile_nesting_is_read_without_recursion() {
    for piece in [
        ">",
        "> ",
        "- ",
        "* a\n",
        "[",
        "![",
        "*a ",
        "[^",
        "[^a]",
        "[a](",
        "www.",
        "www._",
        "https://",
        "<",
        "`",
        "\0",
        "\r",
        "(https://e.org/",
    ] {
        let body = piece.repeat(20_000);
        check_spans(&body);
    }
    check_spans(&format!("{}[a](b.md){}", "[".repeat(20_000), "]".repeat(20_000)));
    check_spans(&format!("https://e.org/{}", "(".repeat(10_000) + &")".repeat(20_000)));
}

/// Spans lie on character boundaries, inside the body, and in order.
fn check_spans(body: &str) {
    fn all(body: &str, spans: impl Iterator<Item = Range<usize>>) {
        let mut last = 0;
        for span in spans {
            assert!(body.get(span.clone()).is_some(), "{span:?} in {body:?}");
            assert!(span.start >= last, "{span:?} comes late in {body:?}");
            last = span.start;
        }
    }
    let structure = Structure::scan(body);
    all(body, structure.headings.iter().map(|h| h.span.clone()));
    all(body, structure.blocks.iter().map(|b| b.span.clone()));
    all(body, structure.links.iter().map(|l| l.span.clone()));
    all(body, structure.footnote_references.iter().map(|f| f.span.clone()));
    all(body, structure.footnote_definitions.iter().map(|f| f.span.clone()));
    for block in &structure.blocks {
        if let BlockKind::List { items, .. } = &block.kind {
            all(body, items.iter().map(|item| item.span.clone()));
            for item in items {
                assert!(body.get(item.rest.clone()).is_some(), "{item:?} in {body:?}");
                assert!(item.span.start <= item.rest.start && item.rest.end <= item.span.end, "{item:?} in {body:?}");
                assert!(item.leading_link.is_none_or(|at| item.span.start <= structure.links[at].span.start));
            }
        }
    }
}

fn markdown() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "\n",
        "\n\n",
        "\r",
        "\r\n",
        " ",
        "    ",
        "# ",
        "## ",
        "* ",
        "- ",
        "1. ",
        "> ",
        "```\n",
        "===\n",
        "---\n",
        "|",
        "|-|-|\n",
        "[",
        "]",
        "(",
        ")",
        "[^",
        "[^x]",
        "[^x]: ",
        "[a](b.md)",
        "[r]",
        "[r][]",
        "[r]: /u\n",
        "![",
        "<",
        ">",
        "<div>\n",
        "<!--",
        "-->",
        "**",
        "*",
        "_",
        "~~",
        "`",
        "\\",
        "&amp;",
        ":",
        " - ",
        " — ",
        "https://e.org",
        "www.é.org",
        "<a@b.c>",
        "é",
        "数据",
        "🚀",
        "\0",
        "\u{3000}",
        "a",
        "[ ] ",
    ]);
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn scan_never_panics_and_its_spans_are_valid(body in markdown()) {
        check_spans(&body);
    }

    #[test]
    fn any_text_scans(body in "\\PC*") {
        check_spans(&body);
    }

    #[test]
    fn escapes_are_undone(text in prop_oneof![markdown(), any::<String>()]) {
        prop_assert_eq!(unescape(&escape(&text)), one_line(&text));
    }

    #[test]
    fn plain_is_one_line(text in markdown()) {
        prop_assert!(!plain(&text).contains(['\n', '\r']));
    }
}
