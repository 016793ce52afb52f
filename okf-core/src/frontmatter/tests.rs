use super::*;
use crate::text::Position;

/// Parses a whole file's frontmatter.
fn parse(text: &str) -> Result<Frontmatter, FrontmatterError> {
    match fences(text) {
        Fences::Closed { yaml, .. } => Frontmatter::parse(text, yaml),
        other => panic!("no closed frontmatter in {text:?}: {other:?}"),
    }
}

fn parse_yaml(yaml: &str) -> Result<Frontmatter, FrontmatterError> {
    Frontmatter::parse(yaml, 0..yaml.len())
}

/// The tree as text: `{key: value, …}`, `[…]`, scalars with their type when it is not a string.
fn show(node: &Node) -> String {
    match &node.kind {
        Kind::Scalar(scalar) => match scalar.schema {
            Schema::Str => format!("{:?}", scalar.text),
            other => format!("{other:?}({})", scalar.text),
        },
        Kind::Sequence(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(", ")),
        Kind::Mapping(mapping) => show_mapping(mapping),
    }
}

fn show_mapping(mapping: &Mapping) -> String {
    let entries = mapping.entries.iter().map(|entry| format!("{}: {}", entry.key, show(&entry.value)));
    format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
}

#[test]
fn finds_the_fences() {
    let closed = |yaml: Range<usize>, body| Fences::Closed { yaml, body };
    let rows = [
        ("", Fences::Absent),
        ("text", Fences::Absent),
        ("\n---\ntype: a\n---\n", Fences::Absent),
        (" ---\n---\n", Fences::Absent),
        ("----\n---\n", Fences::Absent),
        ("--- # c\n---\n", Fences::Absent),
        ("\u{feff}---\n---\n", Fences::Absent),
        ("---", Fences::Unterminated),
        ("---\ntype: a\n", Fences::Unterminated),
        ("---\ntype: a\n ---\n", Fences::Unterminated),
        ("---\ntype: a\n----\n...\n", Fences::Unterminated),
        ("---\u{a0}\n---\n", Fences::Absent),
        ("---\n---", closed(4..4, 7)),
        ("---\n---\nBody\n", closed(4..4, 8)),
        ("---\na: 1\n---\nb\n---\n", closed(4..9, 13)),
        ("--- \t\r\na: 1\r\n---\t \r\nb", closed(7..13, 20)),
        ("---\ra: 1\r---\rb", closed(4..9, 13)),
        ("---\r\na: 1\n---\nb", closed(5..10, 14)),
        ("---\n --- \n---x\n---\n", closed(4..15, 19)),
    ];
    for (text, expected) in rows {
        assert_eq!(fences(text), expected, "{text:?}");
    }
}

#[test]
fn reads_yaml_by_the_core_schema() {
    let rows = [
        ("type: Note", r#"{type: "Note"}"#),
        ("a: NO\nb: on\nc: yes\nd: y", r#"{a: "NO", b: "on", c: "yes", d: "y"}"#),
        ("a: [true, True, TRUE, tRue]", r#"{a: [Bool(true), Bool(True), Bool(TRUE), "tRue"]}"#),
        ("a: [~, null, NULL, nUll, ]\nb:", r#"{a: [Null(~), Null(null), Null(NULL), "nUll"], b: Null()}"#),
        ("a: [0, -12, +3, 0o17, 0x1F, 010]", "{a: [Int(0), Int(-12), Int(+3), Int(0o17), Int(0x1F), Int(010)]}"),
        (
            "a: [0.10, 1e3, .5, 1., -.inf, .NaN]",
            "{a: [Float(0.10), Float(1e3), Float(.5), Float(1.), Float(-.inf), Float(.NaN)]}",
        ),
        ("a: [1_000, 0b1, 0o8, 1e, ., '1', \"~\"]", r#"{a: ["1_000", "0b1", "0o8", "1e", ".", "1", "~"]}"#),
        ("a: 2026-01-02\nb: 12:30:00", r#"{a: "2026-01-02", b: "12:30:00"}"#),
        ("a: 123456789012345678901234567890", "{a: Int(123456789012345678901234567890)}"),
        (
            "a: !!str 1\nb: !!int '2'\nc: !x 3\nd: !!int z\ne: !x [1]",
            r#"{a: "1", b: Int(2), c: "3", d: "z", e: [Int(1)]}"#,
        ),
        ("2024: a\ntrue: b\n~: c\n\"d e\": f", r#"{2024: "a", true: "b", ~: "c", d e: "f"}"#),
        ("a: |\n  x\n  y\n\nb: >-\n  x\n  y\n", r#"{a: "x\ny\n", b: "x y"}"#),
        ("a: \"\\u00e9\\n\\uD83D\\uDE00\"\nb: 'it''s'", r#"{a: "é\n😀", b: "it's"}"#),
        ("a: &x [1]\nb: *x\n<<: *x", "{a: [Int(1)], b: [Int(1)], <<: [Int(1)]}"),
        ("&k a: 1\nb: {*k : 2}", "{a: Int(1), b: {a: Int(2)}}"),
        ("s:\n- a\n- b: c\n  d: e\n", r#"{s: ["a", {b: "c", d: "e"}]}"#),
        ("%YAML 1.2\n--- # c\na: b\n...\n", r#"{a: "b"}"#),
        ("{a: b, c: {}}", r#"{a: "b", c: {}}"#),
        ("", "{}"),
        ("\n\n", "{}"),
        ("# only a comment\n", "{}"),
        ("~", "{}"),
        ("null\n", "{}"),
        ("{}", "{}"),
    ];
    for (yaml, expected) in rows {
        for ending in ["\n", "\r\n", "\r"] {
            let yaml = yaml.replace('\n', ending);
            let shown = parse_yaml(&yaml).map(|frontmatter| show_mapping(&frontmatter.root));
            assert_eq!(shown.as_deref(), Ok(expected), "{yaml:?}");
        }
    }
}

#[test]
fn spans_are_bytes_of_the_text() {
    let text = "---\né: &x \"q\"  # c\nlit: |- # a | b\n  one\n  two\nempty: # c\ns:\n  - é\n  - *x\n  - {a: [b, c]}\n\n# c\nz: ! t\n---\n";
    let frontmatter = parse(text).unwrap();
    assert_eq!(frontmatter.block, 4..text.len() - 4);
    let slice = |span: &Range<usize>| text[span.clone()].to_owned();
    let get = |key: &str| frontmatter.get(key).unwrap();
    assert_eq!(slice(&frontmatter.root.entries[0].key_span), "é");
    assert_eq!(slice(&get("é").span), "\"q\"");
    assert!(get("é").anchored);
    assert!(slice(&get("lit").span).starts_with("|- # a | b\n  one\n  two"));
    let empty = get("empty").span.clone();
    assert!(empty.is_empty() && text[..empty.start].ends_with("empty:"));
    let items = get("s").as_sequence().unwrap();
    assert_eq!(slice(&get("s").span), "- é\n  - *x\n  - {a: [b, c]}");
    assert_eq!(slice(&items[1].span), "*x");
    assert!(items[1].alias && !items[1].anchored);
    assert_eq!(items[1].as_text(), Some("q"));
    assert_eq!(slice(&items[2].span), "{a: [b, c]}");
    assert_eq!(slice(&items[2].as_mapping().unwrap().get("a").unwrap().span), "[b, c]");
    assert_eq!(slice(&get("z").span), "t");
}

/// Files whose frontmatter does not read: line, column, a part of the message, a part of the hint.
#[test]
fn says_what_is_wrong_where_and_what_helps() {
    let rows = [
        ("---\ntype: a\ntitle: b: c\n---\n", 3, 9, "`:` cannot stand here", "quote a value that holds `: `"),
        ("---\ntype: a\nno colon\nb: c\n---\n", 3, 1, "no `key: value`", "indent it"),
        ("---\nno colon\nb: c\n---\n", 3, 2, "`:` cannot stand here", "the line above"),
        ("---\ntype: a\ntype: b\n---\n", 3, 1, "duplicate key `type`", "line 2"),
        ("---\na: 1\n\"a\": 2\n---\n", 3, 1, "duplicate key `a`", "line 2"),
        ("---\na:\n  - {b: 1, c: 2, b: 3}\n---\n", 3, 18, "duplicate key `b`", "line 3"),
        ("---\r\na: 1\r\na: 2\r\n---\r\n", 3, 1, "duplicate key `a`", "line 2"),
        ("---\ra: 1\ra: 2\r---\r", 3, 1, "duplicate key `a`", "line 2"),
        ("---\ntype: note\ntitle: {{title}}\n---\n", 3, 9, "not a scalar", "quote a value that holds `{{`"),
        ("---\n? [a]\n: b\n---\n", 2, 3, "not a scalar", ""),
        ("---\na: &x [1]\n*x : 2\n---\n", 3, 1, "not a scalar", ""),
        ("---\nEXAMPLE CO LTD\n---\n", 2, 1, "a scalar, not a mapping", "`key: value`"),
        ("---\n- a\n- b\n---\n", 2, 1, "a list, not a mapping", "`key: value`"),
        ("---\na: 1\n--- b\n---\n", 3, 1, "second YAML document", "one mapping"),
        ("---\na: 1\n...\nb: 2\n---\n", 4, 1, "second YAML document", "one mapping"),
        ("---\na: *nope\n---\n", 2, 4, "no anchor", "starts with `*`"),
        ("---\na: &x [*x]\n---\n", 2, 8, "inside the node it refers to", ""),
        ("---\na: 1\n\tb: 2\n---\n", 3, 1, "a tab indents", "spaces"),
        ("---\na:\n\tb: 2\n---\n", 3, 1, "a tab indents", "spaces"),
        ("---\na: \"open\nb: c\n---\n", 2, 4, "quote is not closed", "close it"),
        ("---\na: @x\n---\n", 2, 4, "cannot start with `@`", "quote the value"),
        ("---\na: x\u{1}y\n---\n", 2, 4, "control character `\\u{1}`", ""),
        ("---\nk: v\u{0}w\n---\n", 2, 5, "control character `\\u{0}`", ""),
        ("---\na: 'it's'\n---\n", 2, 8, "single-quoted", "twice"),
        ("---\na: \"C:\\Users\"\n---\n", 2, 4, "quoted scalar", "single quotes"),
        ("---\na: [1, 2\nb: 3\n---\n", 3, 2, "`:` cannot stand here", "close the `[`"),
        ("---\na: [x] y\n---\n", 2, 8, "key was expected", "quote a value"),
        ("---\na: - b\n---\n", 2, 4, "block sequence", "lines below"),
        (
            "---\n<<<<<<< HEAD\ntype: Note\n=======\ntype: Page\n>>>>>>> other\n---\n",
            3,
            5,
            "",
            "line 2 is a merge-conflict marker",
        ),
        ("---\ntype: Note\nnote: |\n  x\n---- four dashes\nk: v\n---\n", 5, 1, "no `key: value`", ""),
        (
            "---\ntype: Note\ndescription: \"first\n---\nsecond\"\n---\n",
            3,
            14,
            "quote is not closed",
            "indented or as a folded block",
        ),
    ];
    for (text, line, column, message, hint) in rows {
        let error = parse(text).expect_err(text);
        assert_eq!((error.position.line, error.position.column), (line, column), "{text:?}: {error}");
        assert!(error.message.contains(message), "{text:?}: {error}");
        assert!(error.hint.as_deref().unwrap_or_default().contains(hint), "{text:?}: {error}");
    }
}

#[test]
fn an_unterminated_block_says_so_at_its_fence() {
    let rows = [("---\ntype: a\n", "put a line `---`"), ("---\ntype: a\n  ---\nb\n", "line 3 does not close it")];
    for (text, hint) in rows {
        let error = FrontmatterError::unterminated(text);
        assert_eq!(error.position, Position { line: 1, column: 1 });
        assert!(error.hint.as_deref().unwrap().contains(hint), "{error}");
    }
}

#[test]
fn messages_stay_short_and_on_one_line() {
    let key = format!("\"{}\\n\\e[31m\"", "k".repeat(3000));
    let hostile = [
        format!("---\n? {key}\n: 1\n? {key}\n: 2\n---\n"),
        format!("---\na: *{}\n---\n", "x".repeat(5000)),
        format!("---\n{}\n---\n", "x: ".repeat(5000)),
        "---\na: !\u{1b}[31m b\n---\n".to_owned(),
    ];
    for text in hostile {
        let error = parse(&text).expect_err(&text);
        let shown = error.to_string();
        assert!(shown.chars().count() < 300 && !shown.chars().any(char::is_control), "{shown:?}");
    }
}

#[test]
fn a_null_byte_never_cuts_a_block_short() {
    assert!(parse("---\ntype: a\n\u{0}\nb: c\n---\n").is_err());
}

#[test]
fn limits_hold_exactly() {
    let nested = |levels: usize| format!("k: {}{}", "[".repeat(levels - 1), "]".repeat(levels - 1));
    assert!(parse_yaml(&nested(100)).is_ok());
    assert!(parse_yaml(&nested(MAX_LEVELS)).is_ok());
    let error = parse_yaml(&nested(MAX_LEVELS + 1)).unwrap_err();
    assert!(error.message.contains("deeper than 200 levels"), "{error}");

    // The root, the key, the list and its items.
    let wide = |nodes: usize| format!("k: [{}]", "a,".repeat(nodes - 3));
    assert!(parse_yaml(&wide(MAX_NODES)).is_ok());
    let error = parse_yaml(&wide(MAX_NODES + 1)).unwrap_err();
    assert!(error.message.contains("more than 100000 nodes"), "{error}");

    let long = |bytes: usize| format!("---\nk: {}\n---\n", "x".repeat(bytes - 4));
    assert!(parse(&long(MAX_BYTES)).is_ok());
    let error = parse(&long(MAX_BYTES + 1)).unwrap_err();
    assert!(error.message.contains("4194305 bytes long"), "{error}");
}

#[test]
fn aliases_count_as_what_they_stand_for() {
    let levels: String = (1..9)
        .map(|level| format!("a{level}: &a{level} [{}]\n", vec![format!("*a{}", level - 1); 9].join(", ")))
        .collect();
    let error = parse_yaml(&format!("a0: &a0 [x,x,x,x,x,x,x,x,x]\n{levels}")).unwrap_err();
    assert!(error.message.contains("more than 100000 nodes"), "{error}");

    let wide = format!("base: &b [{}]\nall: [{}]", "1,".repeat(20), "*b, ".repeat(30_000));
    assert!(parse_yaml(&wide).unwrap_err().message.contains("more than 100000 nodes"));

    let long = format!("s: &s {}\nall: [{}]", "x".repeat(100_000), "*s, ".repeat(40_000));
    assert!(parse_yaml(&long).unwrap_err().message.contains("1048576 bytes"));

    let deep: String = (1..40).map(|level| format!("a{level}: &a{level} [[[[[[*a{}]]]]]]\n", level - 1)).collect();
    let error = parse_yaml(&format!("a0: &a0 x\n{deep}")).unwrap_err();
    assert!(error.message.contains("deeper than 200 levels"), "{error}");

    let modest = format!("base: &b {{x: 1}}\nall: [{}]", "*b, ".repeat(1000));
    assert_eq!(parse_yaml(&modest).unwrap().get("all").unwrap().as_sequence().unwrap().len(), 1000);
}

#[test]
fn hostile_shapes_are_errors() {
    let rows = [
        "[".repeat(100_000),
        "{".repeat(100_000),
        "{a: ".repeat(100_000),
        "- ".repeat(100_000),
        "? ".repeat(100_000),
        "a:\n".to_owned() + &(0..3000).map(|n| format!("{}a:\n", " ".repeat(n))).collect::<String>(),
        "!a ".repeat(100_000),
        "&a ".repeat(100_000),
        "*a ".repeat(100_000),
        "\"".repeat(100_001),
        "'".repeat(100_001),
        "[a]: ".repeat(100_000),
    ];
    for yaml in rows {
        assert!(parse_yaml(&yaml).is_err(), "{}", yaml.chars().take(20).collect::<String>());
    }
}

#[test]
fn salvages_top_level_lines() {
    let yaml = "type: Note\ntitle: \"A: b\": c\nname: 'q'\ntags: [a, b]\n  nested: x\n- item: y\n# c: d\nempty:\ntext: |\r\nurl: http://x\n: z\n";
    let expected = [("type", "Note"), ("title", "\"A: b\": c"), ("name", "q"), ("tags", "[a, b]"), ("url", "http://x")];
    assert_eq!(salvage(yaml), expected);
    assert_eq!(salvage(""), []);
}

mod properties {
    use super::*;
    use proptest::prelude::*;

    /// Every span lies on character boundaries, inside its parent's block.
    fn spans_hold(text: &str, node: &Node) {
        assert!(text.get(node.span.clone()).is_some(), "{:?} in {text:?}", node.span);
        if node.alias {
            return;
        }
        match &node.kind {
            Kind::Scalar(_) => {}
            Kind::Sequence(items) => items.iter().for_each(|item| spans_hold(text, item)),
            Kind::Mapping(mapping) => mapping.entries.iter().for_each(|entry| {
                assert!(text.get(entry.key_span.clone()).is_some());
                spans_hold(text, &entry.value);
            }),
        }
    }

    /// Whether our tree says what the oracle's value says.
    fn agrees(node: &Node, value: &serde_yaml::Value) -> bool {
        use serde_yaml::Value;
        match (&node.kind, value) {
            (Kind::Scalar(scalar), Value::Null) => scalar.schema == Schema::Null,
            (Kind::Scalar(scalar), Value::Bool(b)) => {
                scalar.schema == Schema::Bool && scalar.text.eq_ignore_ascii_case(&b.to_string())
            }
            (Kind::Scalar(scalar), Value::Number(_)) => matches!(scalar.schema, Schema::Int | Schema::Float),
            // The oracle reads some numbers as strings (`0o8` aside, `010` and `+.5` for instance).
            (Kind::Scalar(scalar), Value::String(text)) => *scalar.text == **text,
            (Kind::Sequence(items), Value::Sequence(values)) => {
                items.len() == values.len() && items.iter().zip(values).all(|(item, value)| agrees(item, value))
            }
            (Kind::Mapping(mapping), Value::Mapping(values)) => {
                mapping.entries.len() == values.len()
                    && mapping.entries.iter().zip(values).all(|(entry, (_, value))| agrees(&entry.value, value))
            }
            _ => false,
        }
    }

    fn yaml_like() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec![
            "a", "b: ", "c:\n", "- ", "  ", "\n", "\n", "[", "]", "{", "}", ", ", "\"", "'", "|\n", ">-\n", "&x ",
            "*x", "!t ", "# c", "? ", ": ", "é", "🚀", "---\n", "...\n", "\r\n", "\r", "\t", "~", "1", "1e3", "true",
            "%", "@", "\\", "\u{2028}", "\u{0}", "\u{feff}", "<<: ",
        ]);
        prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
    }

    fn plain_yaml() -> impl Strategy<Value = String> {
        let scalar = prop::sample::select(vec![
            "x",
            "yes",
            "NO",
            "true",
            "False",
            "null",
            "~",
            "1",
            "-3",
            "1.5",
            "1e3",
            "'q u'",
            "\"d\\tq\"",
            "two words",
            "é",
            "2026-01-02",
            "12:30",
            "a#b",
            "",
            "0x1F",
            ".inf",
            "[x, 1, ~]",
            "{k: v, l: [m]}",
            "|\n    lit\n    eral",
            ">\n    fol\n    ded",
            "\n    - p\n    - q",
            "\n    n: 1\n    o: two",
        ]);
        prop::collection::vec(scalar, 0..6).prop_map(|scalars| {
            scalars.iter().enumerate().map(|(index, scalar)| format!("key{index}: {scalar}\n")).collect()
        })
    }

    proptest! {
        #[test]
        fn parsing_never_panics(yaml in yaml_like(), any in any::<String>()) {
            for yaml in [&yaml, &any] {
                let text = format!("---\né\n---\n{yaml}");
                let start = text.len() - yaml.len();
                match Frontmatter::parse(&text, start..text.len()) {
                    Ok(frontmatter) => frontmatter.root.entries.iter().for_each(|entry| spans_hold(&text, &entry.value)),
                    Err(error) => prop_assert!(error.position.line >= 4),
                }
                let _ = (salvage(yaml), fences(yaml));
            }
        }

        #[test]
        fn agrees_with_another_parser_on_hostile_text(yaml in yaml_like()) {
            let ours = parse_yaml(&yaml);
            // Tags and documents of one scalar are read differently on purpose. U+2028 breaks lines in YAML 1.1.
            let is_known = yaml.contains("!t") || yaml.contains('\u{2028}');
            if let (Ok(ours), Ok(theirs @ serde_yaml::Value::Mapping(_)), false) = (&ours, serde_yaml::from_str(&yaml), is_known) {
                let root = Kind::Mapping(Arc::new(ours.root.clone()));
                prop_assert!(agrees(&Node { span: 0..0, kind: root, anchored: false, alias: false, tagged: false }, &theirs), "{ours:?} {theirs:?}");
            }
        }

        #[test]
        fn agrees_with_another_parser_on_plain_text(yaml in plain_yaml()) {
            let ours = parse_yaml(&yaml).expect("plain YAML reads");
            let theirs: serde_yaml::Value = serde_yaml::from_str(&yaml).expect("the oracle reads it too");
            let theirs = if theirs.is_null() { serde_yaml::Value::Mapping(Default::default()) } else { theirs };
            let root = Kind::Mapping(Arc::new(ours.root.clone()));
            prop_assert!(agrees(&Node { span: 0..0, kind: root, anchored: false, alias: false, tagged: false }, &theirs), "{ours:?} {theirs:?}");
        }
    }
}
