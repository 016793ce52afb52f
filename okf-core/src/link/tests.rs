use super::*;

fn bundle(paths: &[&str]) -> Bundle {
    Bundle::from_files(paths.iter().map(|path| (*path, ""))).unwrap()
}

/// `resolution path concept` of a body target written in `n/a.md`.
fn body(bundle: &Bundle, target: &str) -> String {
    show(resolve(bundle, "n/a.md", Origin::Body, target))
}

fn show(resolved: Option<Resolved>) -> String {
    let Some(resolved) = resolved else { return "none".to_owned() };
    let words = [Some(resolved.resolution.as_str().to_owned()), resolved.path, resolved.concept];
    words.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

#[test]
fn body_targets_resolve_by_the_contract() {
    let files = [
        "a.md",
        "index.md",
        "log.md",
        "n/a.md",
        "n/bla je.md",
        "n/v1.2.md",
        "n/my.file.md",
        "n/v1.md",
        "n/pic.png",
        "n/100%.md",
        "d/index.md",
        "d.md",
        "e/x.md",
        "e.md",
        "f/x.md",
        "šumnik.md",
        "n/Makefile",
        "n/sub/index.md",
        "n/.hidden.md",
        "n/q.md",
    ];
    let bundle = bundle(&files);
    let rows = [
        ("./bla je.md", "resolved-concept n/bla je.md n/bla je"),
        ("/n/bla%20je.md#ha", "resolved-concept n/bla je.md n/bla je"),
        ("/šumnik.md", "resolved-concept šumnik.md šumnik"),
        ("/%C5%A1umnik.md", "resolved-concept šumnik.md šumnik"),
        ("v1.2.md", "resolved-concept n/v1.2.md n/v1.2"),
        ("v1.2", "unresolved n/v1.2"),
        ("my.file.md", "resolved-concept n/my.file.md n/my.file"),
        ("v1", "resolved-concept n/v1.md n/v1"),
        (".hidden", "resolved-concept n/.hidden.md n/.hidden"),
        ("v1/", "unresolved n/v1"),
        ("v1.md/", "unresolved n/v1.md"),
        ("q.md?raw=1", "resolved-concept n/q.md n/q"),
        ("q.md#a?b", "resolved-concept n/q.md n/q"),
        ("../x/../a.md", "resolved-concept a.md a"),
        (".././/n//q.md", "resolved-concept n/q.md n/q"),
        ("pic.png", "resolved-asset n/pic.png"),
        ("Makefile", "resolved-asset n/Makefile"),
        ("100%.md", "resolved-concept n/100%.md n/100%"),
        ("%zz%4", "unresolved n/%zz%4"),
        ("%ff.md", "unresolved n/%ff.md"),
        ("%+1.md", "unresolved n/%+1.md"),
        ("/", "resolved-asset index.md"),
        ("..", "resolved-asset index.md"),
        ("/log.md", "resolved-asset log.md"),
        ("/log", "unresolved log"),
        ("sub", "resolved-asset n/sub/index.md"),
        ("sub/", "resolved-asset n/sub/index.md"),
        ("sub/.", "resolved-asset n/sub/index.md"),
        ("sub/index", "unresolved n/sub/index"),
        ("/d", "resolved-asset d/index.md"),
        ("/e", "resolved-concept e.md e"),
        ("/e/", "unresolved e"),
        ("/f", "unresolved f"),
        (".", "unresolved n"),
        ("gone.md", "unresolved n/gone.md"),
        ("Q.md", "unresolved n/Q.md"),
        ("~/x.md", "unresolved n/~/x.md"),
        ("C:/docs/x.md", "unresolved n/C:/docs/x.md"),
        ("C:\\docs\\x.md", "invalid"),
        ("../../etc/passwd", "invalid"),
        ("/../a.md", "invalid"),
        ("%2e%2e/%2E%2e/a.md", "invalid"),
        ("..%2f..%2fa.md", "invalid"),
        ("a%5Cb.md", "invalid"),
        ("a%00.md", "invalid"),
        ("a\u{7f}.md", "invalid"),
        ("mailto:a@example.org", "external"),
        ("//example.org/x", "external"),
        ("data:text/plain,hi", "external"),
        ("C:x.md", "external"),
        ("https://example.org", "external"),
        ("", "none"),
        (" ", "none"),
        ("#ha", "none"),
        ("?x", "none"),
    ];
    for (target, expected) in rows {
        assert_eq!(body(&bundle, target), expected, "{target}");
    }
}

#[test]
fn what_lies_outside_is_never_told_apart() {
    let bundle = bundle(&["kb/a.md", "outside.md"]);
    for target in ["../../outside.md", "../../gone.md", "/../outside.md", "../../../etc/passwd"] {
        assert_eq!(show(resolve(&bundle, "kb/a.md", Origin::Resource, target)), "invalid");
    }
}

#[test]
fn sources_may_be_scope_descriptors() {
    let bundle = bundle(&["a.md", "n/a.md", "n/queries in x.md", "n/orders.md"]);
    let rows = [
        ("all queries in project X", "descriptor"),
        ("Dashboards: all in project X", "descriptor"),
        ("`orders`", "descriptor"),
        ("channel", "descriptor"),
        ("#channel", "descriptor"),
        ("../../all of it", "descriptor"),
        ("orders", "resolved-concept n/orders.md n/orders"),
        ("queries in x.md", "resolved-concept n/queries in x.md n/queries in x"),
        ("references/missing.md", "unresolved n/references/missing.md"),
        ("dashboards/exec-revenue", "unresolved n/dashboards/exec-revenue"),
        ("report.pdf", "unresolved n/report.pdf"),
        (".config", "unresolved n/.config"),
        ("../../x.md", "invalid"),
        ("../x/../a.md", "resolved-concept a.md a"),
        ("https://example.org/x", "external"),
    ];
    for (target, expected) in rows {
        assert_eq!(show(resolve(&bundle, "n/a.md", Origin::Sources, target)), expected, "{target}");
    }
    assert_eq!(show(resolve(&bundle, "n/a.md", Origin::Resource, "channel")), "unresolved n/channel");
    assert_eq!(show(resolve(&bundle, "n/a.md", Origin::Computation, "#sql")), "resolved-concept n/a.md n/a");
}

#[test]
fn a_miss_is_tried_in_the_other_normal_form() {
    let composed = "caf\u{e9}";
    let decomposed = "cafe\u{301}";
    for (stored, written) in [(composed, decomposed), (decomposed, composed)] {
        let bundle = bundle(&[&format!("{stored}.md"), &format!("{stored}/index.md"), "\u{212a}.md"]);
        let expected = format!("resolved-concept {stored}.md {stored}");
        assert_eq!(body(&bundle, &format!("/{written}.md")), expected);
        assert_eq!(body(&bundle, &format!("/{written}/")), format!("resolved-asset {stored}/index.md"));
        assert_eq!(body(&bundle, "/K.md"), "resolved-concept \u{212a}.md \u{212a}");
    }
    let both = bundle(&[&format!("{composed}.md"), &format!("{decomposed}.md")]);
    for name in [composed, decomposed] {
        assert_eq!(body(&both, &format!("/{name}.md")), format!("resolved-concept {name}.md {name}"));
    }
}
