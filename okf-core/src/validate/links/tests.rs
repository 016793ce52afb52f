use crate::bundle::Bundle;
use crate::validate::index::tests::{NOTE, findings, message};
use crate::validate::{Options, validate};

#[test]
fn broken_links_are_reported_only_when_asked_for() {
    let files = [
        (
            "n/a.md",
            "---\ntype: Note\nresource: ../gone.csv\nsources: [{ resource: all queries in project X }, { resource: references/missing.md }, { resource: ../x/../n/a.md }]\n---\n[x](../../etc/passwd)\n[d](sub) é [g](A.md) [e](https://example.org) [](#x) ![i](no.png)\n",
        ),
        ("n/sub/b.md", "---\ntype: Note\n---\n[a](/n/a.md)\n"),
        ("bad.md", "---\n[\n---\n[x](gone.md)\n"),
        ("index.md", "# P\n\nSee [x](gone.md).\n\n* [n](n/) - [y](gone2.md)\n* [b](bad.md)\n* [z](gone3.md)\n"),
        ("log.md", "# L\n\n## 2026-01-01\n\n* [x](gone.md)\n"),
    ];
    let links = |found: Vec<(String, String)>| {
        found.into_iter().filter(|(place, _)| place.contains("broken")).map(|(place, _)| place).collect::<Vec<_>>()
    };
    assert_eq!(links(findings(&files, false)), ["index.md:7 advisory okf/broken-index-entry"]);
    assert_eq!(
        links(findings(&files, true)),
        [
            "index.md:3 advisory okf/broken-link",
            "index.md:5 advisory okf/broken-link",
            "index.md:7 advisory okf/broken-index-entry",
            "log.md:5 advisory okf/broken-link",
            "n/a.md:3 advisory okf/broken-link",
            "n/a.md:4 advisory okf/broken-link",
            "n/a.md:6 advisory okf/broken-link",
            "n/a.md:7 advisory okf/broken-link",
        ]
    );
}

#[test]
fn a_broken_link_names_the_path_it_may_mean() {
    let files =
        [("Orders.md", NOTE), ("orders.md", NOTE), ("x.md", "---\ntype: Note\n---\né [o](ORDERS.md) [p](/ORDERS)\n")];
    let bundle = Bundle::from_files(files).unwrap();
    let report = validate(&bundle, Options { links: true });
    let shown: Vec<_> =
        report.findings().iter().filter(|finding| finding.id == "okf/broken-link").map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "x.md:4:3: advisory okf/broken-link: the link `ORDERS.md` leads to nothing in the bundle; did you mean `Orders.md`, `orders.md`?",
            "x.md:4:18: advisory okf/broken-link: the link `/ORDERS` leads to nothing in the bundle; did you mean `Orders.md`, `orders.md`?",
        ]
    );
    let outside = [("kb/a.md", "---\ntype: Note\n---\n[y](../../outside.md)\n"), ("outside.md", NOTE)];
    assert_eq!(
        message(&outside, "okf/broken-link"),
        "the link `../../outside.md` leads out of the bundle or is no path"
    );
}

#[test]
fn a_path_from_the_root_without_its_slash_is_recognised() {
    let files = [
        ("metrics/a.md", "---\ntype: Note\nsources: [{ resource: policies/b.md }]\n---\nx\n"),
        ("policies/b.md", NOTE),
    ];
    assert_eq!(
        message(&files, "okf/broken-link"),
        "`sources.resource: policies/b.md` leads to nothing in the bundle; did you mean `/policies/b.md`?"
    );
}
