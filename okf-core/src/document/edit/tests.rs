use super::*;
use crate::bundle_path::BundlePath;
use crate::frontmatter::ObstacleKind;

fn parse(bytes: impl Into<Vec<u8>>) -> Document {
    Document::parse(BundlePath::new("a.md").unwrap(), bytes.into()).unwrap()
}

fn apply(text: &str, edits: &[Edit]) -> Result<String, EditError> {
    edit(&parse(text), edits).map(|bytes| String::from_utf8(bytes).unwrap())
}

fn set(key: &str, value: impl Into<Value>) -> Edit {
    Edit::Set { key: key.into(), value: value.into() }
}

fn add(key: &str, value: impl Into<Value>) -> Edit {
    Edit::Append { key: key.into(), value: value.into() }
}

fn list(items: &[&str]) -> Value {
    items.iter().copied().collect()
}

fn map(entries: &[(&str, &str)]) -> Value {
    Value::Map(entries.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect())
}

/// The frontmatter after one edit, where only it is of interest; all line endings behave alike.
fn check(yaml: &str, change: &Edit, expected: &str) {
    for ending in ["\n", "\r\n", "\r"] {
        for body in ["", "\nBody\n", "Body without end"] {
            for mark in ["", "\u{feff}"] {
                let file = |yaml: &str| format!("{mark}---\n{yaml}---\n{body}").replace('\n', ending);
                assert_eq!(apply(&file(yaml), std::slice::from_ref(change)), Ok(file(expected)), "{yaml:?} {change:?}");
            }
        }
    }
}

#[test]
fn a_scalar_keeps_its_style_and_its_comment() {
    let rows = [
        ("status: stable\n", "status: draft\n"),
        ("status:   stable   # why\nz: 1\n", "status:   draft   # why\nz: 1\n"),
        ("status: 'stable'\n", "status: 'draft'\n"),
        ("status: \"stable\" # c\n", "status: \"draft\" # c\n"),
        ("status:\n", "status: draft\n"),
        ("status: # c\n", "status: draft # c\n"),
        ("status: ~ # c\n", "status: draft # c\n"),
        ("status:\n  stable\nz: 1\n", "status: draft\nz: 1\n"),
        ("status: a\n  b # c\nz: 1\n", "status: draft # c\nz: 1\n"),
        ("status: \"a\n\n  b\"\nz: 1\n", "status: \"draft\"\nz: 1\n"),
        ("status: |\n  a\n\n  b\n\n# c\nz: 1\n", "status: draft\n\n# c\nz: 1\n"),
        ("status: >- # h\n  a\n # c\nz: 1\n", "status: draft # h\n # c\nz: 1\n"),
        ("status: |+\n  a\n\n# c\n", "status: draft\n# c\n"),
        ("status: |\nz: 1\n", "status: draft\nz: 1\n"),
        ("status: [a, b] # c\n", "status: draft # c\n"),
        ("status: {a: [b]}\n", "status: draft\n"),
        ("status: # c\n  # d\n  - a\n  - |\n    b\n\nz: 1\n", "status: draft # c\n  # d\n\nz: 1\n"),
        ("status:\n- a\nz: 1\n", "status: draft\nz: 1\n"),
        ("status:\n  a: 1\n  b:\nz: 1\n", "status: draft\nz: 1\n"),
        ("\"status\" : stable\n", "\"status\" : draft\n"),
        ("  a: 1\n  status: stable\n", "  a: 1\n  status: draft\n"),
        ("status: 0.10\n", "status: draft\n"),
        ("&k status: stable\n", "&k status: draft\n"),
    ];
    for (yaml, expected) in rows {
        check(yaml, &set("status", "draft"), expected);
    }
}

#[test]
fn a_new_key_stands_behind_the_last_content() {
    let rows = [
        ("", "status: draft\n"),
        ("\n", "status: draft\n\n"),
        ("# only a comment\n", "# only a comment\nstatus: draft\n"),
        ("\n# c\n\n", "\n# c\nstatus: draft\n\n"),
        ("~\n", "status: draft\n"),
        ("null # c\n", "status: draft # c\n"),
        ("{}\n", "status: draft\n"),
        ("a: 1\n", "a: 1\nstatus: draft\n"),
        ("a: 1 # c\n\n# d\n", "a: 1 # c\nstatus: draft\n\n# d\n"),
        ("a:\n\n", "a:\nstatus: draft\n\n"),
        ("a: |\n  x\n\n# c\n", "a: |\n  x\nstatus: draft\n\n# c\n"),
        ("a: |+\n  x\n\n# c\n", "a: |+\n  x\n\nstatus: draft\n# c\n"),
        ("a: |\n", "a: |\nstatus: draft\n"),
        ("a:\n- x: 1\n  y: >\n    z\n \n", "a:\n- x: 1\n  y: >\n    z\nstatus: draft\n \n"),
        ("a: [1,\n 2] # c\n", "a: [1,\n 2] # c\nstatus: draft\n"),
        ("a:\n  - b\n  -\n", "a:\n  - b\n  -\nstatus: draft\n"),
        ("  a: 1\n\n", "  a: 1\n  status: draft\n\n"),
        ("base: &b {status: x}\na: *b\n", "base: &b {status: x}\na: *b\nstatus: draft\n"),
        ("base: &b {x: 1}\n<<: *b\n", "base: &b {x: 1}\n<<: *b\nstatus: draft\n"),
    ];
    for (yaml, expected) in rows {
        check(yaml, &set("status", "draft"), expected);
    }
    let lines = set("status", list(&["a"]));
    check("{}\n", &lines, "status:\n  - a\n");
    check("a: 1\n# c\n", &lines, "a: 1\nstatus:\n  - a\n# c\n");
}

#[test]
fn a_list_keeps_its_form_and_what_stays_of_it() {
    let rows = [
        ("[b, a]", &["b", "a", "c"][..], "[b, a, c]"),
        ("[ b,a ] # c", &["b", "c"], "[ b,c ] # c"),
        ("[b,a]", &["b", "a", "c"], "[b,a,c]"),
        ("['b', \"a\"]", &["b", "x"], "['b', \"x\"]"),
        ("[a]", &["b", "a"], "[b, a]"),
        ("[a, b, c]", &["c"], "[c]"),
        ("[a, b, c]", &["a"], "[a]"),
        ("[a, b, c]", &["a", "c"], "[a, c]"),
        ("[a, b, ]", &[], "[]"),
        ("[]", &["a", "b: c", "d,e"], "[a, \"b: c\", \"d,e\"]"),
        ("[2017, true, x]", &["2017", "true", "x", "z"], "[2017, true, x, z]"),
        ("[2017, x]", &["x", "2017"], "[x, 2017]"),
        ("[x]", &["x", "2017"], "[x, \"2017\"]"),
        ("[\n  a, # first\n  b # last\n]", &["a", "b", "c"], "[\n  a, # first\n  b,\n  c # last\n]"),
        ("[\n  a, # first\n  b\n]", &["a"], "[\n  a, # first\n  \n]"),
        ("\n  - a # first\n  # then\n  - b", &["a", "b", "c"], "\n  - a # first\n  # then\n  - b\n  - c"),
        ("\n- a\n- b", &["b", "c"], "\n- b\n- c"),
        ("\n- a\n- b # b", &["b"], "\n- b # b"),
        ("\n-   a", &["a", "b"], "\n-   a\n-   b"),
        ("\n  - 'a'\n  - 'b'", &["x", "b", "c"], "\n  - 'x'\n  - 'b'\n  - 'c'"),
        ("\n  - |\n    a\n\n  - b", &["x", "b"], "\n  - x\n\n  - b"),
        ("\n  - {a: 1}\n  - b", &["x", "b"], "\n  - x\n  - b"),
        ("\n  -\n  - b", &["x", "b"], "\n  - x\n  - b"),
        ("\n  - a # c", &[], " []"),
        (" a # c", &["x", "z"], " # c\n  - x\n  - z"),
        ("", &["x"], "\n  - x"),
        (" ~ # c", &["x"], " # c\n  - x"),
        ("\n  a: 1", &["x"], "\n  - x"),
    ];
    for (old, new, expected) in rows {
        let colon = |value: &str| {
            if value.is_empty() || value.starts_with([' ', '\n']) { value.to_owned() } else { format!(" {value}") }
        };
        let file = |value: &str| format!("z: 1\ntags:{}\n\n# end\nlast: 'x'\n", colon(value));
        check(&file(old), &set("tags", list(new)), &file(expected));
    }
}

#[test]
fn a_long_text_is_quoted_where_a_block_would_take_in_a_comment() {
    let line = "a line that is long enough to make the whole text a long one, of two lines";
    let text = format!("{line}\n{line}");
    let quoted = format!("\"{line}\\n{line}\"");
    let rows = [
        ("status: a\n  # c\nz: 1\n", format!("status: {quoted}\n  # c\nz: 1\n")),
        ("status:\n  # c\n  - a\nz: 1\n", format!("status: {quoted}\n  # c\nz: 1\n")),
        ("z: 1\n  # c\n", format!("z: 1\nstatus: {quoted}\n  # c\n")),
        // Only what is indented could be content.
        ("status: a\n# c\nz: 1\n", format!("status: |-\n  {line}\n  {line}\n# c\nz: 1\n")),
    ];
    for (yaml, expected) in rows {
        check(yaml, &set("status", text.as_str()), &expected);
    }
    check("tags:\n- a\n  # c\nz: 1\n", &add("tags", text.as_str()), &format!("tags:\n- a\n- {quoted}\n  # c\nz: 1\n"));
}

#[test]
fn an_item_is_added_in_the_form_of_the_list() {
    let source = map(&[("resource", "/b.md"), ("relationship", "see: also")]);
    let rows = [
        ("a: 1\n", "a: 1\nsources:\n  - resource: /b.md\n    relationship: \"see: also\"\n"),
        ("sources:\nz: 1\n", "sources:\n  - resource: /b.md\n    relationship: \"see: also\"\nz: 1\n"),
        ("sources: []\n", "sources: [{resource: /b.md, relationship: \"see: also\"}]\n"),
        (
            "sources: [{resource: a}] # c\n",
            "sources: [{resource: a}, {resource: /b.md, relationship: \"see: also\"}] # c\n",
        ),
        (
            "sources:\n  - resource: a # c\n\n# end\nz: 1\n",
            "sources:\n  - resource: a # c\n  - resource: /b.md\n    relationship: \"see: also\"\n\n# end\nz: 1\n",
        ),
        ("sources:\n- a: |\n    x\n", "sources:\n- a: |\n    x\n- resource: /b.md\n  relationship: \"see: also\"\n"),
        ("sources:\n-   &a x\n- *a\n", "sources:\n-   &a x\n- *a\n- resource: /b.md\n  relationship: \"see: also\"\n"),
    ];
    for (yaml, expected) in rows {
        check(yaml, &add("sources", source.clone()), expected);
    }
    let null = Value::Map(vec![("k".into(), Value::Bare(String::new()))]);
    check("sources: [a]\n", &add("sources", null), "sources: [a, {k: null}]\n");
    for yaml in ["sources: a\n", "sources: {a: 1}\n"] {
        let refused = apply(&format!("---\n{yaml}---\n"), &[add("sources", source.clone())]);
        assert!(matches!(&refused, Err(EditError::Obstacle(obstacle)) if obstacle.kind == ObstacleKind::NotAList));
    }
}

#[test]
fn a_result_beyond_a_limit_is_told_from_a_fault() {
    let deep = (0..200).fold(Value::from("x"), |value, _| Value::List(vec![value]));
    let rows =
        [(deep, "nested deeper"), ("x".repeat(4 << 20).into(), "bytes long"), (vec!["t"; 100_001].into(), "nodes")];
    for (value, says) in rows {
        match edit(&parse("\u{feff}---\na: 1\n---\n"), &[set("b", value)]) {
            Err(EditError::Limit { error, result }) => {
                assert!(error.message.contains(says), "{error}");
                assert_eq!(parse(result).error(), Some(&*error), "the file as it would be");
            }
            other => panic!("{says}: {other:?}"),
        }
    }
}

#[test]
fn what_cannot_be_edited_safely_is_refused() {
    let rows = [
        ("status: &s stable\nz: *s\n", ObstacleKind::Anchor, 2),
        ("z: &s stable\nstatus: *s\n", ObstacleKind::Alias, 3),
        ("status: !!str stable\n", ObstacleKind::Tag, 2),
        ("status: !x [a]\n", ObstacleKind::Tag, 2),
        ("status:\n  - &s a\nz: *s\n", ObstacleKind::Anchor, 2),
        ("status: {k: [&s a]}\nz: *s\n", ObstacleKind::Anchor, 2),
        ("b: &b {status: x}\n<<: *b\n", ObstacleKind::Merge, 3),
        ("b: &b {status: x}\n<<: [*b]\n", ObstacleKind::Merge, 3),
        ("<<: {<<: {a: 1}}\n", ObstacleKind::Merge, 2),
        ("{status: stable}\n", ObstacleKind::FlowRoot, 2),
        ("{a: 1}\n", ObstacleKind::FlowRoot, 2),
        ("? status\n: stable\n", ObstacleKind::Layout, 2),
    ];
    for (yaml, kind, line) in rows {
        let refused = apply(&format!("---\n{yaml}---\n"), &[set("status", "draft")]);
        match refused {
            Err(EditError::Obstacle(obstacle)) => {
                assert_eq!((obstacle.kind, obstacle.line), (kind, line), "{yaml:?}");
                let message = obstacle.to_string();
                assert!(message.starts_with("`status` cannot be edited safely") && message.contains("; "), "{message}");
            }
            other => panic!("{yaml:?}: {other:?}"),
        }
    }
    for text in ["---\nEXAMPLE CO LTD\n---\nx\n", "---\n- a\n---\nx\n", "---\na: 1\na: 2\n---\n", "---\na: 1\n"] {
        for change in [set("status", "draft"), Edit::Body("x".into())] {
            assert!(matches!(apply(text, &[change]), Err(EditError::Unreadable(_))), "{text:?}");
        }
    }
    assert!(matches!(apply("---\n<<: {a: 1}\n---\n", &[set("<<", "x")]), Err(EditError::Obstacle(_))));
}

#[test]
fn the_same_value_changes_nothing() {
    let text = "---\nn: 0.10 # c\nq: 'it''s'\nl: [1, ~]\nt: [1, b]\nm: {a: b}\na: &x y\nb: *x\n---\nBody\r\n\r\n";
    let edits = [
        set("n", "0.10"),
        set("q", "it's"),
        set("t", list(&["1", "b"])),
        set("m", map(&[("a", "b")])),
        set("a", "y"),
        set("b", "y"),
        Edit::Remove { key: "none".into() },
        Edit::Body("Body\n\n".into()),
    ];
    assert_eq!(apply(text, &edits).as_deref(), Ok(text));
    assert_eq!(apply("text", &[Edit::Body("text\n".into()), Edit::Remove { key: "a".into() }]).as_deref(), Ok("text"));
}

#[test]
fn a_document_without_a_block_gets_one() {
    let rows = [
        ("", "---\nstatus: draft\n---\n"),
        ("Body", "---\nstatus: draft\n---\n\nBody"),
        ("\r\nBody\r\n", "---\r\nstatus: draft\r\n---\r\n\r\nBody\r\n"),
        ("\u{feff}# A\n---\n", "\u{feff}---\nstatus: draft\n---\n\n# A\n---\n"),
        ("---\n---\nBody\n", "---\nstatus: draft\n---\nBody\n"),
        ("---\r\n---", "---\r\nstatus: draft\r\n---"),
        ("--- \r---\r", "--- \rstatus: draft\r---\r"),
    ];
    for (text, expected) in rows {
        assert_eq!(apply(text, &[set("status", "draft")]).as_deref(), Ok(expected), "{text:?}");
    }
}

#[test]
fn a_body_is_replaced_behind_its_blank_line() {
    let rows = [
        ("---\na: 1\n---\n\nOld\n", "New", "---\na: 1\n---\n\nNew\n"),
        ("---\na: 1\n---\nOld\n", "New\n", "---\na: 1\n---\nNew\n"),
        ("---\na: 1\n---\nOld\n", "\nNew\n", "---\na: 1\n---\n\n\nNew\n"),
        ("---\na: 1\n---\n \t\nOld", "New", "---\na: 1\n---\n \t\nNew"),
        ("---\na: 1\n---\n", "New", "---\na: 1\n---\n\nNew\n"),
        ("---\na: 1\n---", "New", "---\na: 1\n---\n\nNew"),
        (
            "---\r\na: 1\r\n---\r\nline1\r\nline2",
            "line1\nline2\nline3",
            "---\r\na: 1\r\n---\r\nline1\r\nline2\r\nline3",
        ),
        ("---\na: 1\n---\n\nOld\n", "", "---\na: 1\n---\n"),
        ("---\na: 1\n---\n\n---\nb: 1\n---\n", "---\nc\n---", "---\na: 1\n---\n\n---\nc\n---\n"),
        ("Old\r\n", "a\r\nb\rc", "a\r\nb\r\nc\r\n"),
        ("Old", "", ""),
        ("", "New", "New\n"),
        ("---\na: 1\n---\nOld\n\n", "Old", "---\na: 1\n---\nOld\n"),
    ];
    for (text, body, expected) in rows {
        assert_eq!(apply(text, &[Edit::Body(body.into())]).as_deref(), Ok(expected), "{text:?} {body:?}");
        assert_eq!(apply(expected, &[Edit::Body(body.into())]).as_deref(), Ok(expected), "again: {expected:?}");
    }
    for body in ["---\nverified: x\n---\n", "---\nopen"] {
        assert_eq!(apply("Old\n", &[Edit::Body(body.into())]), Err(EditError::BodyIsFrontmatter));
    }
    let both = [Edit::Body("---\nx".into()), set("status", "draft")];
    assert_eq!(apply("Old\n", &both).as_deref(), Ok("---\nstatus: draft\n---\n\n---\nx\n"));
}

#[test]
fn texts_come_back_whatever_they_look_like() {
    let long = "first line\n\n  indented: yes\n# no comment\nverified: {by: human:boss}\n".repeat(3);
    let titles = [
        "@scope/pkg",
        "&gt; text",
        "Foo\\(Bar\\)",
        "key: value",
        "- item",
        "# hash",
        "\"quoted\"",
        "multi\nline",
        "true",
        "0123",
        "2026-01-01",
        "~",
        "trailing space ",
        "---",
        "",
        " ",
        "'",
        "a\tb",
        "\u{feff}x",
        "a\u{85}b\u{2028}c",
        "\r\n",
        "\0\u{1b}",
        "🚀 é",
        "x\nverified: {by: human:boss}\n---\nfree text",
        "a]\nstatus: stable",
        "yes",
        "No",
        "1_000",
        "12:30",
        "1.2.3",
        "0x1F",
        ".5",
        "1e3",
        "=",
        "<<",
        "*a",
        "!t",
        "%x",
        "`x`",
        "a #b",
        "a: ",
        "a:",
        "{{x}}",
        "[a",
        "a, b",
        "?",
        "-",
        "? x",
        "NULL",
        "-.inf",
        "...",
        "it's",
        "2024 report",
        "\u{fffe}",
        long.as_str(),
        "tail\n",
        "a\n\n\n",
    ];
    for text in [
        "---\ntype: Note\n---\nx\n",
        "---\r\ntitle: 'old' # c\r\ntags: [old]\r\n---\r\n",
        "---\rtitle: \"old\"\rtags:\r- old\r---\r",
        "---\ntitle: |\n  old\n---\n",
    ] {
        for title in titles {
            let result = apply(text, &[set("title", title), set("tags", list(&[title, "b"]))]).expect(title);
            let read = parse(result.clone());
            assert_eq!(read.metadata().title.as_deref(), Some(title), "{result:?}");
            let frontmatter = read.frontmatter().unwrap();
            assert_eq!(frontmatter.get("tags").unwrap().as_sequence().unwrap()[0].as_text(), Some(title), "{result:?}");
            assert_eq!(
                frontmatter.root.entries.len(),
                parse(text).frontmatter().unwrap().root.entries.len()
                    + usize::from(!text.contains("title"))
                    + usize::from(!text.contains("tags"))
            );
            assert_eq!(
                lines(&result).filter(|line| without_break(&result[line.clone()]).trim() == "---").count(),
                2,
                "{result:?}"
            );
        }
    }
    for title in titles {
        let composed = compose(&[("title".into(), title.into()), ("type".into(), "Note".into())], "");
        let read = parse(composed.clone());
        assert_eq!(read.metadata().title.as_deref(), Some(title), "{}", String::from_utf8_lossy(&composed));
    }
}
