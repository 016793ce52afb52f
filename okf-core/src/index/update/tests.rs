use std::collections::BTreeMap;

use proptest::prelude::*;

use super::super::generate::generate;
use super::*;

const NOTE: &str = "---\ntype: Note\n---\n";

type Files = BTreeMap<String, String>;

fn files(files: &[(&str, &str)]) -> Files {
    files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
}

fn bundle(files: &Files) -> Bundle {
    Bundle::from_files(files.clone()).expect("the paths are good")
}

/// Runs once, checks that a second run changes nothing, and gives the files.
fn run(before: &Files, regenerate: bool) -> Files {
    let mut after = before.clone();
    let plan = plan(&bundle(before), regenerate);
    after.extend(plan.changes.into_iter().map(|(path, bytes)| (path.to_string(), string(bytes))));
    let again = super::plan(&bundle(&after), regenerate);
    let again: Vec<_> = again.changes.into_iter().map(|(path, bytes)| (path.to_string(), string(bytes))).collect();
    assert_eq!(again, [], "a second run changes nothing: {before:?}");
    after
}

fn string(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).expect("indexes are UTF-8")
}

fn text(files: &Files, path: &str) -> String {
    files[path].clone()
}

/// Updates the root index beside `a.md` and `b.md` (both `Note`, the latter described) and compares.
fn check(index: &str, expected: &str) {
    let b = "---\ntype: Note\ntitle: Bee\ndescription: buzz\n---\n";
    let before = files(&[("index.md", index), ("a.md", NOTE), ("b.md", b), ("pic.png", "")]);
    assert_eq!(text(&run(&before, false), "index.md"), expected, "{index:?}");
}

#[test]
fn what_generation_wrote_is_regenerated() {
    let mut before = run(&files(&[("a.md", NOTE), ("old.md", NOTE), ("d/x.md", NOTE), ("gone/y.md", NOTE)]), true);
    assert_eq!(text(&before, "d/index.md"), "# Note\n\n* [x](x.md)\n");
    for gone in ["old.md", "gone/y.md", "gone/index.md"] {
        before.remove(gone);
    }
    before.extend(files(&[("t.md", "---\ntype: Alpha\n---\n"), ("d/w.md", NOTE), ("e/z.md", NOTE)]));
    let after = run(&before, false);
    assert_eq!(after, run(&before, true), "on a generated index both are the same");
    assert_eq!(
        text(&after, "index.md"),
        "# Alpha\n\n* [t](t.md)\n\n# Note\n\n* [a](a.md)\n\n\
         # Subdirectories\n\n* [d](d/) - Contains 2 entries: w, x.\n* [e](e/) - Contains 1 entry: z.\n"
    );
}

#[test]
fn a_heading_above_nothing_but_gone_targets_is_somebodys() {
    let rows = [
        // All of it looks as generation would write it, and nothing tells that it did.
        (
            "# Note\n\n* [a](a.md)\n\n# Planned\n\n* [Pricing](pricing.md) - in May\n",
            "# Note\n\n* [a](a.md)\n\n# Planned\n\n",
        ),
        ("# Ideas\n\n* [x](x.md)\n\n# Note\n\n* [a](a.md)\n", "# Ideas\n\n\n# Note\n\n* [a](a.md)\n"),
        ("# Planned\n\n* [x](x.md)\n", "# Planned\n\n# Note\n\n* [a](a.md)\n"),
        // The heading is generation's own word, or stands above what it would write too.
        ("# Note\n\n* [a](a.md)\n\n# Subdirectories\n\n* [d](d/)\n", "# Note\n\n* [a](a.md)\n"),
        ("# Note\n\n* [a](a.md)\n* [b](b.md)\n", "# Note\n\n* [a](a.md)\n"),
    ];
    for (index, expected) in rows {
        let after = run(&files(&[("index.md", index), ("a.md", NOTE)]), false);
        assert_eq!(text(&after, "index.md"), expected, "{index:?}");
    }
    // Where the state before is known, it tells whose word the heading is.
    let index = "# Note\n\n* [a](a.md)\n\n# Planned\n\n* [x](x.md)\n";
    let mut before = files(&[("index.md", index), ("a.md", NOTE), ("x.md", "---\ntype: Planned\n---\n")]);
    let previous = bundle(&before);
    before.remove("x.md");
    assert_eq!(update(&bundle(&before), &previous, "").as_deref(), Some("# Note\n\n* [a](a.md)\n"));
}

#[test]
fn a_directory_that_described_its_only_entry_is_still_generated() {
    let mut before = run(&files(&[("d/x.md", "---\ntype: Note\ndescription: alone\n---\n")]), true);
    before.extend(files(&[("d/w.md", NOTE)]));
    // The directory's own index is brought up to date first, as a write does.
    let nested = update(&bundle(&before), &bundle(&before), "d").expect("an entry is missing");
    before.insert("d/index.md".to_owned(), nested);
    let after = run(&before, false);
    assert_eq!(text(&after, "index.md"), "# Subdirectories\n\n* [d](d/) - Contains 2 entries: w, x.\n");
}

#[test]
fn the_state_before_tells_what_was_generated() {
    let before = files(&[("a.md", "---\ntype: Note\ntitle: Old\ndescription: old words\n---\n")]);
    let index = generate(&bundle(&before), "");
    let after = files(&[("index.md", &index), ("a.md", "---\ntype: Table\ntitle: New\ndescription: new words\n---\n")]);
    let previous = files(&[("index.md", &index), ("a.md", &before["a.md"])]);
    let updated = update(&bundle(&after), &bundle(&previous), "");
    assert_eq!(updated.as_deref(), Some("# Table\n\n* [New](a.md) - new words\n"));
    assert_eq!(update(&bundle(&after), &bundle(&after), ""), None, "without it, the words may be anybody's");
}

#[test]
fn peoples_words_stay() {
    let rows = [
        // Missing entries go under the matching section, behind the last entry and in its manner.
        (
            "# T\n\nProse.\n\n## Note\n\n- [A!](a.md): mine\n\ntail\n",
            "# T\n\nProse.\n\n## Note\n\n- [A!](a.md): mine\n- [Bee](b.md) - buzz\n\ntail\n",
        ),
        (
            "# note\n\n  + [A](./a.md)\n\n  + [web](https://x.org)\n\n# X\n",
            "# note\n\n  + [A](./a.md)\n\n  + [web](https://x.org)\n\n  + [Bee](b.md) - buzz\n\n# X\n",
        ),
        (
            "# Note\n* [A](a.md)\n  * nested\n\n  more\n# X\n",
            "# Note\n* [A](a.md)\n  * nested\n\n  more\n* [Bee](b.md) - buzz\n# X\n",
        ),
        ("# T\n# Note\n\nWords.\n# X\ny\n", "# T\n# Note\n\nWords.\n\n* [Bee](b.md) - buzz\n* [a](a.md)\n\n# X\ny\n"),
        ("# X\n\n# Note", "# X\n\n# Note\n\n* [Bee](b.md) - buzz\n* [a](a.md)\n"),
        ("# Note\n\n1. [A](a.md)\n", "# Note\n\n1. [A](a.md)\n\n* [Bee](b.md) - buzz\n"),
        ("Note\n====\n* [A](a.md)", "Note\n====\n* [A](a.md)\n* [Bee](b.md) - buzz\n"),
        // New sections go to the end, at the level of those that list something.
        ("# T\n\n## Mine\n\n* [A](a.md)", "# T\n\n## Mine\n\n* [A](a.md)\n\n## Note\n\n* [Bee](b.md) - buzz\n"),
        ("# Mine\n* [A](a.md)\n\n```\nopen\n", "# Mine\n* [A](a.md)\n\n# Note\n\n* [Bee](b.md) - buzz\n\n```\nopen\n"),
        ("words\n", "words\n\n# Note\n\n* [Bee](b.md) - buzz\n* [a](a.md)\n"),
        // The title is no section, even when it is called like one.
        ("# Note\n\n## X\n\n* [A](a.md)\n", "# Note\n\n## X\n\n* [A](a.md)\n\n## Note\n\n* [Bee](b.md) - buzz\n"),
        // A link anywhere lists.
        ("| [A](a.md) |\n|---|\n\nSee [bee](b.md#x).\n", "| [A](a.md) |\n|---|\n\nSee [bee](b.md#x).\n"),
        (
            "# [A](/a.md)\n\n1. <b.md>\n2. [B][b]\n\n[b]: <b.md>\n",
            "# [A](/a.md)\n\n1. <b.md>\n2. [B][b]\n\n[b]: <b.md>\n",
        ),
        // Code lists nothing.
        (
            "# X\n\n* [A](a.md)\n\n`[b](b.md)`\n",
            "# X\n\n* [A](a.md)\n\n`[b](b.md)`\n\n# Note\n\n* [Bee](b.md) - buzz\n",
        ),
        // Own labels and descriptions stay, missing ones are not filled in.
        ("# Note\n\n* [Mine](b.md)\n* [Other](a.md) - words\n", "# Note\n\n* [Mine](b.md)\n* [Other](a.md) - words\n"),
        (
            "\u{feff}# Mine\r\n\r\n* [A](a.md)\r\n",
            "\u{feff}# Mine\r\n\r\n* [A](a.md)\r\n\r\n# Note\r\n\r\n* [Bee](b.md) - buzz\r\n",
        ),
    ];
    for (index, expected) in rows {
        check(index, expected);
    }
}

#[test]
fn new_lines_end_as_those_of_the_file() {
    let head = "---\nokf_version: \"0.2\"\nx: 1\n---\n";
    for ending in ["\r\n", "\r"] {
        for body in ["", "Words", "# Note"] {
            let expected = match body {
                "" => "# Note\n\n* [Bee](b.md) - buzz\n* [a](a.md)\n",
                "Words" => "Words\n\n# Note\n\n* [Bee](b.md) - buzz\n* [a](a.md)\n",
                _ => "# Note\n\n* [Bee](b.md) - buzz\n* [a](a.md)\n",
            };
            let file = |body: &str| format!("{head}{body}").replace('\n', ending);
            check(&file(body), &file(expected));
        }
    }
    // A closing fence may be the last line.
    check("---\nx: 1\n---", "---\nx: 1\n---\n# Note\n\n* [Bee](b.md) - buzz\n* [a](a.md)\n");
    // A body with breaks of its own goes on with them.
    check(
        "---\r\nx: 1\r\n---\r\nWords\n",
        "---\r\nx: 1\r\n---\r\nWords\n\n# Note\n\n* [Bee](b.md) - buzz\n* [a](a.md)\n",
    );
}

#[test]
fn entries_whose_target_is_gone_are_dropped() {
    let listed = "* [A](a.md)\n* [B](b.md)\n";
    let rows = [
        ("* [Gone](gone.md) - x\n  wrapped\n", ""),
        ("* [Gone](gone.md)\n  * [Too](too.md) - y\n", ""),
        // What it holds besides stays, and so does its label.
        ("* [Gone *x*](gone.md) - y\n  * kept\n", "* Gone x - y\n  * kept\n"),
        ("* [Gone](gone.md)\n\n  kept\n", "* Gone\n\n  kept\n"),
        ("* [Gone](gone.md)\n  * [Too](too.md)\n  * kept\n", "* Gone\n  * kept\n"),
        ("* [Gone](gone.md) - see [b](b.md)\n", "* Gone - see [b](b.md)\n"),
        ("* [Gone](gone.md)\n  * [Too](too.md)\n    * [Three](three.md)\n  * [Four](four.md) - x\n\n", "\n"),
        ("* * [Gone](gone.md)\n", "* * Gone\n"),
        // Outside of entries, beyond the bundle and in hidden places nothing is known to be gone.
        ("See [gone](gone.md).\n", "See [gone](gone.md).\n"),
        ("* [Out](../out.md)\n* [Web](https://x.org)\n", "* [Out](../out.md)\n* [Web](https://x.org)\n"),
        ("* [H](.hidden/x.md)\n* [P](pic.png)\n* [#](#x)\n", "* [H](.hidden/x.md)\n* [P](pic.png)\n* [#](#x)\n"),
    ];
    for (before, after) in rows {
        check(&format!("# X\n\nWords.\n\n{listed}{before}"), &format!("# X\n\nWords.\n\n{listed}{after}"));
    }
    // Without its line the paragraph would become a heading.
    check(
        &format!("# X\n\n{listed}\nWords\n* [Gone](gone.md)\n---\n"),
        &format!("# X\n\n{listed}\nWords\n* Gone\n---\n"),
    );
}

#[test]
fn labels_and_descriptions_follow_where_they_were_the_concepts() {
    let before = "---\ntype: Note\ntitle: Old *x*\ndescription: old `words`\n---\n";
    let after = "---\ntype: Note\ntitle: New_\ndescription: new\n---\n";
    let bare = "---\ntype: Note\ntitle: New_\n---\n";
    let rows = [
        (before, after, "[Old \\*x\\*](a.md) - old `words`", "[New\\_](a.md) - new"),
        (before, after, "[Old *x*](a.md): old\n  words, mine", "[New\\_](a.md): old\n  words, mine"),
        (before, after, "[Mine](a.md) – old \\`words\\`", "[Mine](a.md) – new"),
        (before, after, "**[Old *x*](a.md)** — old\n  `words`", "**[New\\_](a.md)** — new"),
        (before, after, "[Old\n  \\*x\\*](a.md)", "[New\\_](a.md)"),
        // What only renders like them is somebody's.
        (before, after, "[Old x](a.md) - old words", "[Old x](a.md) - old words"),
        (NOTE, after, "[![a](a.png)](a.md)", "[![a](a.png)](a.md) - new"),
        (NOTE, after, "[`a`](a.md)", "[`a`](a.md) - new"),
        (NOTE, after, "[*a*](a.md)", "[*a*](a.md) - new"),
        (before, after, "[Mine](a.md) - old `words` <!-- why -->", "[Mine](a.md) - old `words` <!-- why -->"),
        (before, after, "[Mine](a.md) - old ![`words`](w.png)", "[Mine](a.md) - old ![`words`](w.png)"),
        (before, after, "[Old x][r] - mine", "[Old x][r] - mine"),
        (before, bare, "[Mine](a.md)  —  old `words`", "[Mine](a.md)"),
        (NOTE, after, "[a](a.md)", "[New\\_](a.md) - new"),
        (NOTE, after, "[a](<a.md>) ", "[New\\_](<a.md>) - new "),
        (NOTE, after, "[Mine](a.md) <!-- x -->", "[Mine](a.md) <!-- x -->"),
        // An unreadable concept says nothing.
        (before, "---\ntitle: [\n---\n", "[Old x](a.md) - old words", "[Old x](a.md) - old words"),
    ];
    for (old, new, entry, expected) in rows {
        let index = |entry: &str| format!("# Mine\n\nWords.\n\n* {entry}\n\n[r]: a.md\n");
        let files = |concept: &str| bundle(&files(&[("index.md", &index(entry)), ("a.md", concept)]));
        let updated = update(&files(new), &files(old), "").unwrap_or_else(|| index(entry));
        assert_eq!(updated, index(expected), "{entry}");
    }
}

#[test]
fn directories_are_listed_and_described() {
    let index = |entry: &str| format!("# Mine\n\nWords.\n\n{entry}");
    let rows = [
        ("* [d](d/) - Contains 9 entries: a, b.\n", "* [d](d/) - Contains 2 entries: x, y.\n"),
        ("* [d](d/index.md) - my words\n", "* [d](d/index.md) - my words\n"),
        ("* [deep](d/x.md)\n", "* [deep](d/x.md)\n"),
        ("* [d](d)\n* [w](.)\n", "* [d](d)\n* [w](.)\n"),
        ("", "# Subdirectories\n\n* [d](d/) - Contains 2 entries: x, y.\n"),
    ];
    for (entry, expected) in rows {
        let after = run(&files(&[("index.md", &index(entry)), ("d/x.md", NOTE), ("d/y.md", NOTE)]), false);
        assert_eq!(text(&after, "index.md"), index(expected), "{entry}");
        assert_eq!(text(&after, "d/index.md"), "# Note\n\n* [x](x.md)\n* [y](y.md)\n");
    }
}

#[test]
fn the_case_about_normal_forms() {
    let index = "# P\n\n* [C](caf\u{e9}.md) - composed link\n";
    let before = files(&[("index.md", index), ("cafe\u{301}.md", "---\ntype: Note\ntitle: Café\n---\nBody.\n")]);
    assert_eq!(run(&before, false), before);
    let regenerated = run(&before, true);
    assert_eq!(text(&regenerated, "index.md"), "# P\n\n# Note\n\n* [Café](cafe%CC%81.md)\n");
    assert_eq!(regenerated.len(), 2);
}

#[test]
fn what_cannot_be_edited_is_left_alone() {
    let before: [(&str, &[u8]); 7] = [
        ("a/index.md", b"\xff"),
        ("a/x.md", NOTE.as_bytes()),
        ("b/index.md", b"---\nnever: ends\n"),
        ("b/x.md", NOTE.as_bytes()),
        ("c/Index.md", NOTE.as_bytes()),
        ("e/index.md", b"---\nx: [\n---\n# Mine\n"),
        ("e/x.md", NOTE.as_bytes()),
    ];
    let bundle = Bundle::from_files(before.map(|(path, bytes)| (path, bytes.to_vec()))).unwrap();
    let left = |regenerate| {
        let plan = plan(&bundle, regenerate);
        let changed: Vec<_> = plan.changes.iter().map(|(path, _)| path.to_string()).collect();
        (changed, plan.left_alone.into_iter().map(|(path, why)| format!("{path}: {why}")).collect::<Vec<_>>())
    };
    let always = [
        "a/index.md: it is not UTF-8 at byte 0",
        "b/index.md: its frontmatter never ends",
        "c/index.md: `c/Index.md` is in the way",
    ];
    let (changed, alone) = left(false);
    assert_eq!(changed, ["e/index.md", "index.md"]);
    assert_eq!(alone, always);
    let (changed, alone) = left(true);
    assert_eq!(changed, ["index.md"]);
    assert_eq!(alone[..3], always);
    assert_eq!(alone[3], "e/index.md: its frontmatter cannot be read");
}

/// Indexes as people write them, good and bad, beside concepts `a` to `d` of two types.
fn human_index() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "# Note",
        "## Table",
        "# Mine",
        "",
        "",
        "* [A](a.md)",
        "* [A](a.md) - words",
        "- [gone](gone.md) - x",
        "  * [gone too](no.md)",
        "* [e](e/) - Contains 1 entry: z.",
        "prose",
        "prose [b](b.md)",
        "1. [B](b.md)",
        "```",
        "<!-- x -->",
        "---",
        "    code",
        "  continued",
        "* plain",
        "> quote",
        "* * [gone](x.md)",
        "| a |",
        "|---|",
        "===",
        "<!--",
        "* [gone\\*](gone.md)",
        "+ [C](c.md): text",
        "<div>",
        "[r]: a.md",
        "* [ref][r]",
        "# Subdirectories",
    ]);
    let breaks = prop::sample::select(vec!["\n", "\r\n", "\r"]);
    (prop::collection::vec(line, 0..14), breaks, any::<bool>())
        .prop_map(|(lines, eol, ends)| lines.join(eol) + if ends { eol } else { "" })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn updates_list_everything_and_settle(index in human_index()) {
        let table = "---\ntype: Table\ntitle: '*D*'\ndescription: d\n---\n";
        let before = files(&[("index.md", &index), ("a.md", NOTE), ("b.md", NOTE), ("d.md", table), ("e/z.md", NOTE), ("c.md", NOTE)]);
        // Settling is checked by the run.
        let after = run(&before, false);
        let bundle = bundle(&after);
        let report = crate::validate::validate(&bundle, crate::validate::Options::default());
        let listed = report.findings().iter().all(|finding| finding.id != "okf/missing-index-entries");
        prop_assert!(listed, "{:?} -> {:?}", index, text(&after, "index.md"));
        // Entries that lead nowhere are gone.
        let document = bundle.document("index.md").unwrap();
        let read = IndexDocument::read(document.body(), &document.structure());
        prop_assert!(read.entries().all(|entry| !entry.destination.contains("gone")), "{:?} -> {:?}", index, text(&after, "index.md"));
        // Every other line is still there, in its order.
        let updated = text(&after, "index.md");
        let mut rest = updated.as_str();
        for line in index.split(['\n', '\r']).filter(|line| !["gone", "no.md", "x.md", "Contains"].iter().any(|word| line.contains(word))) {
            // A continuation may belong to an entry that is dropped.
            if matches!(line.trim(), "" | "continued" | "prose" | "plain" | "| a |" | "|---|" | "===" | "code" | "[r]: a.md" | "prose [b](b.md)" | "<div>") {
                continue;
            }
            let at = rest.find(line);
            prop_assert!(at.is_some(), "{:?} is lost: {:?} -> {:?}", line, index, updated);
            rest = &rest[at.unwrap() + line.len()..];
        }
    }
}

/// The files of a real bundle: those whose content counts with their bytes.
fn real(root: &std::path::Path) -> Files {
    let bundle = Bundle::load(root).expect("it is a directory");
    let bytes = |path: &BundlePath, file: &File| match file {
        File::Asset => String::new(),
        _ => std::fs::read_to_string(root.join(path.as_str())).expect("it is UTF-8"),
    };
    bundle.files().iter().map(|(path, file)| (path.to_string(), bytes(path, file))).collect()
}

#[test]
fn real_bundles_keep_every_human_byte() {
    let base = std::env::var_os("OKF_SHARED")
        .map_or_else(|| concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared").into(), std::path::PathBuf::from);
    let Ok(bundles) = std::fs::read_dir(base.join("bundles")) else {
        eprintln!("skipped: the real bundles need the shared data (set OKF_SHARED)");
        return;
    };
    let mut seen = 0;
    for root in bundles.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        seen += 1;
        let before = real(&root);
        let after = run(&before, false);
        let known = bundle(&before);
        let view = View::new(&known);
        for (path, updated) in &after {
            let Some(original) = before.get(path) else { continue };
            // Lines are added and otherwise stay, but those of entries whose target is gone.
            let mut rest = updated.lines();
            let lost: Vec<&str> = original
                .lines()
                .filter(|line| !rest.clone().any(|other| other == *line) || !rest.by_ref().any(|other| other == *line))
                .collect();
            for line in &lost {
                let index = IndexDocument::parse(line);
                let entry = index.entries().next().unwrap_or_else(|| panic!("{path} lost {line:?}"));
                let target = view.target(parent(path), &entry.destination);
                let is_generated = matches!(target, Target::Directory(_)) && is_summary(&entry.description);
                assert!(target == Target::Gone || is_generated, "{path} lost {line:?}");
            }
            if !lost.is_empty() {
                eprintln!("{}/{path}: {} entries whose target is gone", root.display(), lost.len());
            }
        }
        let generated = run(&before, true);
        assert_eq!(run(&generated, false), generated, "{}", root.display());
        let errors = |files: &Files| {
            let report = crate::validate::validate(&bundle(files), crate::validate::Options::default());
            report.findings().iter().filter(|finding| finding.severity == crate::finding::Severity::Error).count()
        };
        assert!(errors(&after) <= errors(&before) && errors(&generated) <= errors(&before), "{}", root.display());
    }
    assert!(seen > 0);
}
