//! Properties of edits over generated files and over public bundles.

use std::collections::BTreeMap;
use std::path::PathBuf;

use proptest::prelude::*;

use super::*;
use crate::bundle::Bundle;
use crate::bundle_path::BundlePath;
use crate::document::{FormatOptions, format};
use crate::frontmatter::extent::{entry_end, line_end, line_start};
use crate::frontmatter::{Key, second};

/// Values as they stand in files, what follows the key's colon; whether a comment may follow.
const LAYOUTS: [(&str, bool); 24] = [
    (" plain", true),
    ("   'sing''le'", true),
    (" \"dou\\\"ble\"", true),
    (" 0.10", true),
    (" 2026-04-23", true),
    ("", true),
    (" ~", true),
    (" [a, 'b', 3, \"d\"]", true),
    (" [ ]", true),
    (" [\n  a, # c\n  b\n]", true),
    (" [\n  a,\n  b, # c\n]", true),
    (" {a: 1, b: [c]}", true),
    (" two\n  lines", true),
    (" \"two\n  lines\"", true),
    ("\n  below", true),
    (" |\n  text\n\n  more # text", false),
    (" >- # header\n  text", false),
    (" |+\n  kept\n", false),
    ("\n  - a # c\n  # between\n  - b", true),
    ("\n- a\n-   b", true),
    ("\n  # above\n  - {x: 1}\n  - |\n    y\n", false),
    ("\n-\n- b:\n    c: d\n  e:", true),
    ("\n  k: v # n\n  # c\n  l:\n    - 1", true),
    ("\n  - 'a'\n  - - b\n    - c", true),
];

/// Values that may not be edited.
const HELD: [&str; 4] = [" &x held", "\n  - &x held", " !!str held", " !t [held]"];

const BETWEEN: [&str; 6] = ["", "", "\n", "# own\n", "  # indented\n", "\n# a\n\n"];

const KEYS: [&str; 9] = ["type", "status", "title", "description", "tags", "sources", "zeta", "x-y", "é"];

#[derive(Clone, Debug)]
struct Written {
    text: String,
    has_held: bool,
}

fn file() -> impl Strategy<Value = Written> {
    let entry = (0..LAYOUTS.len() + 1, 0..HELD.len(), any::<bool>(), 0..BETWEEN.len());
    let keys = proptest::sample::subsequence(KEYS.to_vec(), 0..KEYS.len()).prop_shuffle();
    let body = proptest::sample::select(vec!["", "\n", "\nBody\n", "Body", "\n# A\n\n---\n\ntext  \n\n"]);
    let ending = proptest::sample::select(vec!["\n", "\r\n", "\r"]);
    (keys, proptest::collection::vec(entry, KEYS.len()), any::<bool>(), body, ending, any::<bool>()).prop_map(
        |(keys, entries, is_indented, body, ending, has_mark)| {
            let mut yaml = String::new();
            let mut has_held = false;
            for (key, (layout, held, has_comment, between)) in keys.into_iter().zip(entries) {
                let (value, may_have_comment) = LAYOUTS.get(layout).copied().unwrap_or_else(|| (HELD[held], false));
                has_held |= layout == LAYOUTS.len();
                let comment = if has_comment && may_have_comment { "  # c" } else { "" };
                yaml += &format!("{}{key}:{value}{comment}\n", BETWEEN[between]);
            }
            if is_indented && !yaml.contains("|+") {
                yaml = yaml
                    .lines()
                    .map(|line| if line.is_empty() { "\n".into() } else { format!("  {line}\n") })
                    .collect();
            }
            let mark = if has_mark { "\u{feff}" } else { "" };
            Written { text: format!("{mark}---\n{yaml}---\n{body}").replace('\n', ending), has_held }
        },
    )
}

impl Edit {
    fn is_append(&self) -> bool {
        matches!(self, Self::Append { .. })
    }
}

/// Strings, many of which mean something to YAML or Markdown.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z ]{0,12}",
        "[-?:,\\[\\]{}#&*!|>'\"%@` a-z0-9.~\\n\\r\\t\u{85}\u{2028}\u{feff}\\\\]{0,20}",
        "[0-9_.:eExobTZ+-]{1,8}",
        "([a-z: #-]{0,30}\\n){0,6}[a-z]{0,40}",
        any::<String>(),
        proptest::sample::select(vec!["yes", "Null", "---", "...", "<<", "=", "key: v", "- a", "# c", "x\n---\ny: z"])
            .prop_map(str::to_owned),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => text().prop_map(Value::Text),
        1 => proptest::sample::select(vec!["", "0.10", "1e3", "true", "~", "0x1F", "no number"]).prop_map(|text| Value::Bare(text.to_owned())),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            proptest::collection::btree_map("[a-z]{1,6}|[a-z: #]{1,6}|[0-9.ex]{1,4}", (any::<bool>(), inner), 0..4)
                .prop_map(|entries| Value::Map(entries.into_iter().map(keyed).collect())),
        ]
    })
}

/// An entry whose key is a string or, where it looks like one, a number.
fn keyed((key, (is_bare, value)): (String, (bool, Value))) -> (Key, Value) {
    (if is_bare { Key::Bare(key) } else { Key::Text(key) }, value)
}

fn parse(bytes: Vec<u8>) -> Document {
    Document::parse(BundlePath::new("a.md").unwrap(), bytes).unwrap()
}

/// Bytes of the lines of a key; where it would be inserted when it is absent.
fn key_lines<'a>(
    document: &'a Document,
    frontmatter: &'a Frontmatter,
    key: &str,
) -> Option<(&'a str, &'a str, &'a str)> {
    let text = document.text().as_str();
    let entry = frontmatter.root.entry(key)?;
    let start = line_start(text, entry.key_span.start);
    let end = line_end(text, entry_end(text, entry));
    Some((&text[..start], &text[start..end], &text[end..]))
}

/// Asserts that two versions of a file differ in the lines of one key at most.
fn assert_touches_only(before: &Document, after: &Document, key: &str) {
    assert_eq!(before.text().has_bom(), after.text().has_bom());
    let (Some(old), Some(new)) = (before.frontmatter(), after.frontmatter()) else { panic!("both have a frontmatter") };
    match (key_lines(before, &old, key), key_lines(after, &new, key)) {
        (None, None) => assert_eq!(before.text(), after.text()),
        (Some((above, _, below)), None) => assert_eq!(after.text().as_str(), format!("{above}{below}")),
        (None, Some((above, lines, below))) => {
            let joined = format!("{above}{below}");
            // A root of `{}` or null gives its place to the key.
            let text = before.text().as_str();
            assert!(joined == text || old.root.entries.is_empty() && text.len() < joined.len() + 8, "{lines}");
        }
        (Some((above, lines, below)), Some((above_now, lines_now, below_now))) => {
            assert_eq!(above, above_now);
            let between = below_now.strip_suffix(below).expect("what follows the key stays");
            // Comments between a key and the list below it may outlive the list.
            for line in between.lines() {
                assert!(
                    line.trim_start().starts_with('#') && lines.contains(line),
                    "{lines:?} became {lines_now:?} {between:?}"
                );
            }
        }
    }
    assert_eq!(before.body(), after.body());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn an_edit_touches_the_lines_of_its_key_alone(
        file in file(),
        key in proptest::sample::select(vec!["status", "title", "description", "tags", "sources"]),
        value in prop_oneof![
            text().prop_map(Value::Text),
            proptest::collection::vec(prop_oneof![text(), "[abd3]"], 0..4).prop_map(Value::from),
            value(),
        ],
    ) {
        let before = parse(file.text.clone().into());
        prop_assert!(before.error().is_none(), "{:?}: {:?}", file.text, before.error());
        let key = || key.to_owned();
        for change in [
            Edit::Set { key: key(), value: value.clone() },
            Edit::Append { key: key(), value: value.clone() },
            Edit::Remove { key: key() },
        ] {
            match edit(&before, std::slice::from_ref(&change)) {
                Ok(bytes) => {
                    let after = parse(bytes);
                    assert_touches_only(&before, &after, &key());
                    let frontmatter = after.frontmatter().unwrap();
                    match (&change, frontmatter.get(&key())) {
                        (Edit::Set { value, .. }, Some(node)) => {
                            prop_assert!(value.reads_as(node), "{:?}", after.text());
                            let again = edit(&after, std::slice::from_ref(&change));
                            prop_assert_eq!(again.unwrap(), file_bytes(&after, after.text().as_str()));
                        }
                        (Edit::Append { value, .. }, Some(node)) => prop_assert!(value.is(node.as_sequence().unwrap().last().unwrap())),
                        (Edit::Remove { .. }, node) => prop_assert!(node.is_none()),
                        other => prop_assert!(false, "{:?}", other),
                    }
                }
                Err(EditError::Obstacle(obstacle)) => {
                    use crate::frontmatter::ObstacleKind::*;
                    match obstacle.kind {
                        Anchor | Alias | Tag => prop_assert!(file.has_held),
                        NotAList => prop_assert!(change.is_append()),
                        // A comment inside `[ ]`, which no generated file has.
                        Merge | FlowRoot | Layout => prop_assert!(false, "{obstacle}"),
                    }
                }
                // Without the key, what follows it would become content of the block scalar before it.
                Err(EditError::Check { .. })
                    if matches!(change, Edit::Remove { .. }) && file.text.contains(['|', '>']) => {}
                Err(other) => prop_assert!(false, "{other}: {change:?} {:?}", file.text),
            }
        }
    }

    #[test]
    fn a_body_edit_keeps_the_head(file in file(), body in text()) {
        let before = parse(file.text.into());
        let after = parse(edit(&before, &[Edit::Body(body.clone())]).unwrap());
        prop_assert_eq!(before.head(), after.head());
        let lf = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
        let (expected, shown) = (lf(&body), lf(after.display_body()));
        prop_assert_eq!(expected.strip_suffix('\n').unwrap_or(&expected), shown.strip_suffix('\n').unwrap_or(&shown));
    }

    #[test]
    fn canonical_form_says_the_same_and_is_stable(file in file(), migrate_timestamps in any::<bool>()) {
        let options = FormatOptions { migrate_timestamps };
        match format(&parse(file.text.clone().into()), options) {
            Ok(bytes) => prop_assert_eq!(&format(&parse(bytes.clone()), options).unwrap(), &bytes),
            Err(EditError::Obstacle(obstacle)) => {
                use crate::frontmatter::ObstacleKind::*;
                match obstacle.kind {
                    Anchor | Tag => prop_assert!(file.has_held),
                    Layout => prop_assert!(file.text.contains(" # ")),
                    _ => prop_assert!(false, "{obstacle}"),
                }
            }
            Err(other) => prop_assert!(false, "{other}: {:?}", file.text),
        }
    }

    #[test]
    fn what_is_printed_is_read_back(values in proptest::collection::btree_map("[a-z: #'\"]{1,8}|[0-9.e]{1,4}", value(), 0..4), body in text()) {
        let fields: Vec<(String, Value)> = values.into_iter().collect();
        let document = parse(compose(&fields, &body));
        prop_assert!(document.error().is_none(), "{}: {:?}", document.text().as_str(), document.error());
        let frontmatter = document.frontmatter().unwrap();
        prop_assert_eq!(frontmatter.root.entries.len(), fields.len());
        let theirs = second::read(document.text().as_str(), &frontmatter);
        prop_assert!(theirs.is_some(), "{}", document.text().as_str());
        for (entry, (_, theirs)) in frontmatter.root.entries.iter().zip(theirs.unwrap()) {
            let value = &fields.iter().find(|(key, _)| *key == entry.key).unwrap().1;
            prop_assert!(value.is(&entry.value), "{value:?} {}", document.text().as_str());
            prop_assert!(second::agrees(&entry.value, &theirs), "{value:?} {}", document.text().as_str());
        }
        let again = format(&document, FormatOptions::default()).unwrap();
        prop_assert_eq!(String::from_utf8(again).unwrap(), document.text().as_str());
        let body = body.replace("\r\n", "\n").replace('\r', "\n");
        prop_assert_eq!(document.display_body().trim_end_matches('\n'), body.trim_end_matches('\n'));
        for (_, value) in &fields {
            let text = format!("k: {}\n", print::flow(value));
            let frontmatter = Frontmatter::parse(&text, 0..text.len());
            let node = frontmatter.as_ref().ok().and_then(|frontmatter| frontmatter.get("k"));
            prop_assert!(node.is_some_and(|node| with_null_spelled(value).is(node)), "{text}");
        }
    }
}

/// The value as flow style has to spell it: nothing at all is `null`.
fn with_null_spelled(value: &Value) -> Value {
    match value {
        Value::Bare(text) if text.is_empty() => Value::Bare("null".to_owned()),
        Value::List(items) => Value::List(items.iter().map(with_null_spelled).collect()),
        Value::Map(entries) => {
            Value::Map(entries.iter().map(|(key, value)| (key.clone(), with_null_spelled(value))).collect())
        }
        value => value.clone(),
    }
}

/// The public bundles, when they are at hand: `OKF_SHARED`, else `shared` beside the workspace.
fn bundles() -> Vec<Bundle> {
    let shared = std::env::var_os("OKF_SHARED")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared")), PathBuf::from);
    let Ok(entries) = std::fs::read_dir(shared.join("bundles")) else {
        eprintln!("skipped: edits of public bundles need the shared data (set OKF_SHARED)");
        return Vec::new();
    };
    let mut roots: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
    roots.sort();
    roots.iter().map(|root| Bundle::load(root).unwrap()).collect()
}

#[test]
fn every_concept_of_the_public_bundles_is_edited_or_refused_with_a_reason() {
    let values: [(&str, [Value; 2]); 4] = [
        ("status", ["draft".into(), "deprecated".into()]),
        ("title", ["A new title".into(), "key: value # \"quoted\"".into()]),
        ("description", ["One line.".into(), "Several lines\nof text: with `code`\n\n- and a list\n".repeat(4).into()]),
        ("tags", [vec!["one", "two: three"].into(), vec!["two: three", "four", "2024"].into()]),
    ];
    let mut refused: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let mut made = 0;
    for bundle in bundles() {
        for document in bundle.documents() {
            for (key, [first, second]) in &values {
                let change = |value: &Value| [Edit::Set { key: (*key).to_owned(), value: value.clone() }];
                let once = match edit(document, &change(first)) {
                    Ok(bytes) => parse(bytes),
                    Err(error) => {
                        let id = format!("{}: {}", bundle.root().file_name().unwrap().display(), document.id());
                        refused.entry(id).or_insert_with(|| (0, error.to_string())).0 += 1;
                        continue;
                    }
                };
                let twice = parse(edit(&once, &change(second)).unwrap());
                match document.frontmatter() {
                    Some(_) => assert_touches_only(document, &once, key),
                    None => assert!(once.text().as_str().ends_with(document.text().as_str()), "{}", document.id()),
                }
                assert_touches_only(&once, &twice, key);
                assert!(first.reads_as(once.frontmatter().unwrap().get(key).unwrap()), "{}", document.id());
                assert!(second.reads_as(twice.frontmatter().unwrap().get(key).unwrap()), "{}", document.id());
                assert_eq!(edit(&twice, &change(second)).unwrap(), file_bytes(&twice, twice.text().as_str()));
                made += 2;
            }
        }
    }
    for (id, (edits, reason)) in &refused {
        eprintln!("refused {edits} edits of {id}: {reason}");
    }
    eprintln!("{made} edits made, {} files refused", refused.len());
    let all_unreadable = refused.values().all(|(edits, reason)| *edits == 4 && reason.contains("cannot be read"));
    assert!(all_unreadable, "only what does not parse is refused: {refused:#?}");
}

#[test]
fn every_concept_of_the_public_bundles_has_a_canonical_form() {
    let mut refused = Vec::new();
    for bundle in bundles() {
        for document in bundle.concepts().filter(|document| document.frontmatter().is_some()) {
            match format(document, FormatOptions { migrate_timestamps: true }) {
                Ok(bytes) => {
                    let again = format(&parse(bytes.clone()), FormatOptions::default());
                    assert_eq!(again.as_ref(), Ok(&bytes), "{}", document.id());
                }
                Err(error) => refused.push(format!("{}: {error}", document.id())),
            }
        }
    }
    assert!(refused.is_empty(), "{refused:#?}");
}
