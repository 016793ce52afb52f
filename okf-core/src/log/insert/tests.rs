use jiff::civil::{Date, date as civil};
use proptest::prelude::*;

use super::*;
use crate::markdown::{one_line, plain};

fn entry(title: &str) -> LogEntry {
    let id = ConceptId::new("a b/churn").unwrap();
    LogEntry { action: Action::Created, title: title.to_owned(), id, detail: None }
}

/// The line of the entry that [`inserted`] adds.
const NEW: &str = "* **Created**: [New](/a%20b/churn.md)";

fn inserted(log: &str, day: Date) -> String {
    String::from_utf8(insert(Some(log.as_bytes()), day, &[entry("New")]).unwrap()).unwrap()
}

/// Inserts under 2026-06-15 and compares; `+` stands for the entry's line without its break.
fn check(log: &str, expected: &str) {
    let expected = expected.replace('+', NEW);
    assert_eq!(inserted(log, civil(2026, 6, 15)), expected, "{log:?}");
}

#[test]
fn an_absent_or_blank_log_gets_a_title() {
    let day = civil(2026, 6, 15);
    let expected = format!("# Log\n\n## 2026-06-15\n{NEW}\n");
    assert_eq!(insert(None, day, &[entry("New")]).unwrap(), expected.as_bytes());
    check("", "# Log\n\n## 2026-06-15\n+\n");
    check("\n \n", "\n \n# Log\n\n## 2026-06-15\n+\n");
    check("---\na: b\n---\n", "---\na: b\n---\n# Log\n\n## 2026-06-15\n+\n");
}

#[test]
fn the_case_about_order() {
    let log = "# Log\n\nIntro line.\n\n## 2026-05-22\n* a\n\n## 2026-05-15\n* b\n\n```\n## 2099-01-01\n```\n";
    let head = "# Log\n\nIntro line.\n\n";
    let rest = log.strip_prefix(head).unwrap();
    assert_eq!(inserted(log, civil(2026, 5, 22)), log.replace("05-22\n", &format!("05-22\n{NEW}\n")));
    assert_eq!(
        inserted(log, civil(2026, 5, 18)),
        log.replace("## 2026-05-15", &format!("## 2026-05-18\n{NEW}\n\n## 2026-05-15"))
    );
    assert_eq!(inserted(log, civil(2026, 6, 1)), format!("{head}## 2026-06-01\n{NEW}\n\n{rest}"));
    assert_eq!(inserted(log, civil(2026, 5, 1)), format!("{log}\n## 2026-05-01\n{NEW}\n"));
}

#[test]
fn entries_go_first_under_their_day() {
    let rows = [
        ("# L\n\n## 2026-06-15\n* a\n", "# L\n\n## 2026-06-15\n+\n* a\n"),
        ("# L\n\n## 2026-06-15\n\n- a\n", "# L\n\n## 2026-06-15\n\n+\n- a\n"),
        ("# L\n\n## 2026-06-15 ##\n  - a\n", "# L\n\n## 2026-06-15 ##\n  +\n  - a\n"),
        ("2026-06-15\n---\n* a\n", "2026-06-15\n---\n+\n* a\n"),
        ("## 2026-06-15\n3. c\n", "## 2026-06-15\n+\n\n3. c\n"),
        ("## 2026-06-15\n", "## 2026-06-15\n+\n"),
        ("## 2026-06-15", "## 2026-06-15\n+\n"),
        ("## 2026-06-15\n\n\n## 2026-06-14\n* a\n", "## 2026-06-15\n+\n\n\n## 2026-06-14\n* a\n"),
        ("## 2026-06-15\n## 2026-06-14\n* a\n", "## 2026-06-15\n+\n\n## 2026-06-14\n* a\n"),
        ("## 2026-06-15\nProse.\n\n    code\n", "## 2026-06-15\nProse.\n\n    code\n\n+\n"),
        ("## 2026-06-15\nProse.\n* a\n", "## 2026-06-15\nProse.\n+\n* a\n"),
        ("## 2026-06-15\n\n### Noon\n* a\n", "## 2026-06-15\n+\n\n### Noon\n* a\n"),
        ("## 2026-06-15\n```\nopen\n", "## 2026-06-15\n+\n\n```\nopen\n"),
        ("## 2026-06-15\n* a\n\n## 2026-06-15\n* b\n", "## 2026-06-15\n+\n* a\n\n## 2026-06-15\n* b\n"),
    ];
    for (log, expected) in rows {
        check(log, expected);
    }
}

#[test]
fn a_new_day_goes_before_the_first_older_one() {
    let rows = [
        ("# L\n## 2026-06-14\n* a\n", "# L\n\n## 2026-06-15\n+\n\n## 2026-06-14\n* a\n"),
        ("# L\n\n## 2026-06-14\n\n* a\n", "# L\n\n## 2026-06-15\n\n+\n\n## 2026-06-14\n\n* a\n"),
        ("2026-06-14\n---\n", "## 2026-06-15\n+\n\n2026-06-14\n---\n"),
        // Oldest first, as some logs are.
        (
            "## 2026-06-10\n* a\n\n## 2026-06-20\n* b\n",
            "## 2026-06-15\n+\n\n## 2026-06-10\n* a\n\n## 2026-06-20\n* b\n",
        ),
        // A decorated heading is an error and still tells its day.
        (
            "## [2026-06-14] lint\n* a\n\n## 2026-06-10\n* b\n",
            "## 2026-06-15\n+\n\n## [2026-06-14] lint\n* a\n\n## 2026-06-10\n* b\n",
        ),
        ("# L\n\n## 2026-06-16T10:00:00Z\n* a\n", "# L\n\n## 2026-06-16T10:00:00Z\n* a\n\n## 2026-06-15\n+\n"),
        // None is older.
        ("## 2026-06-20\n* a", "## 2026-06-20\n* a\n\n## 2026-06-15\n+\n"),
        ("## 2026-06-20\n* a\n\n# Old\n\nx\n", "## 2026-06-20\n* a\n\n## 2026-06-15\n+\n\n# Old\n\nx\n"),
        ("## 2026-06-20\n* a\n\n~~~\nopen", "## 2026-06-20\n* a\n\n## 2026-06-15\n+\n\n~~~\nopen"),
        ("## 2026-06-20\n* a\n\n<!-- open\n", "## 2026-06-20\n* a\n\n## 2026-06-15\n+\n\n<!-- open\n"),
    ];
    for (log, expected) in rows {
        check(log, expected);
    }
}

#[test]
fn without_days_the_title_and_introduction_come_first() {
    let rows = [
        ("# L", "# L\n\n## 2026-06-15\n+\n"),
        ("# L\n\nIntro.\n", "# L\n\nIntro.\n\n## 2026-06-15\n+\n"),
        ("Only prose.\n", "Only prose.\n\n## 2026-06-15\n+\n"),
        ("# L\n\nIntro.\n\n## Notes\n\nx\n", "# L\n\nIntro.\n\n## 2026-06-15\n+\n\n## Notes\n\nx\n"),
        // Undated entries do not become today's.
        ("# L\n\n* undated\n", "# L\n\n* undated\n\n## 2026-06-15\n+\n"),
        ("# L\n\n```\n## 2026-06-14\n```\n", "# L\n\n```\n## 2026-06-14\n```\n\n## 2026-06-15\n+\n"),
        ("---\ntitle: never ends\n", "---\ntitle: never ends\n\n## 2026-06-15\n+\n"),
    ];
    for (log, expected) in rows {
        check(log, expected);
    }
}

#[test]
fn line_endings_and_the_mark_stay() {
    check(
        "\u{feff}# L\r\n\r\n## 2026-06-14\r\n* a",
        "\u{feff}# L\r\n\r\n## 2026-06-15\r\n+\r\n\r\n## 2026-06-14\r\n* a",
    );
    check("# L\r\r## 2026-06-15\r* a\r", "# L\r\r## 2026-06-15\r+\r* a\r");
}

#[test]
fn several_entries_keep_their_order() {
    let id = |id: &str| ConceptId::new(id).unwrap();
    let entries = [
        LogEntry { action: Action::Linked, title: "A".into(), id: id("a"), detail: Some("joins\nB".into()) },
        LogEntry { action: Action::Deprecated, title: " ".into(), id: id("x/b_c"), detail: Some("  ".into()) },
    ];
    let log = insert(Some(b"## 2026-06-15\n* old\n"), civil(2026, 6, 15), &entries).unwrap();
    let expected = "## 2026-06-15\n* **Linked**: [A](/a.md) - joins B\n* **Deprecated**: [b_c](/x/b_c.md)\n* old\n";
    assert_eq!(String::from_utf8(log).unwrap(), expected);
    assert_eq!(insert(Some(b"x"), civil(2026, 6, 15), &[]).unwrap(), b"x");
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    let error = insert(Some(b"# Log\n\xff"), civil(2026, 6, 15), &[entry("x")]).unwrap_err();
    assert_eq!(error, LogError::NotUtf8 { offset: 6 });
    assert!(error.to_string().contains("not UTF-8 at byte 6"));
}

/// Lines that logs are made of, good and bad.
fn log_text() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => (1..29u8).prop_map(|day| format!("## 2026-06-{day:02}")),
        3 => Just("* entry".to_owned()),
        2 => Just(String::new()),
        1 => prop::sample::select(vec![
            "# Log", "prose", "  - indented", "```", "~~~", "<!--", "-->", "### Sub", "---", "1. one", "3. three",
            "    code", "> quote", "## Notes", "## [2026-06-03] x", "  * nested", "<div>", "| a |", "|---|", "[a]: b.md",
        ])
        .prop_map(str::to_owned),
    ];
    let breaks = prop::sample::select(vec!["\n", "\r\n", "\r"]);
    (prop::collection::vec(line, 0..14), breaks, any::<bool>(), any::<bool>()).prop_map(|(lines, eol, ends, mark)| {
        let mut text = if mark { "\u{feff}".to_owned() } else { String::new() };
        text.push_str(&lines.join(eol));
        if ends {
            text.push_str(eol);
        }
        text
    })
}

/// What a log says, apart from where: its headings, and its days with their number of entries.
/// Headings with their levels, and links with their places in the order of the text.
type Shape = (Vec<(u8, Box<str>)>, Vec<(Box<str>, usize)>);

fn shape(log: &str) -> Shape {
    let log = log.trim_start_matches('\u{feff}');
    let body = if let Fences::Closed { body, .. } = fences(log) { &log[body..] } else { log };
    let structure = Structure::scan(body);
    let headings = structure.headings.iter().map(|heading| (heading.level, heading.text.clone())).collect();
    let days = LogDocument::read(body, &structure).days;
    (headings, days.into_iter().map(|day| (day.heading, day.entries.len())).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_log_only_grows_and_keeps_its_shape(log in log_text(), day in 1..29i8) {
        let day = civil(2026, 6, day);
        let after = inserted(&log, day);
        // One stretch is new: all other bytes are there before and behind it.
        let prefix = log.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
        let longest_rest = log.len() - prefix;
        let suffix = log.bytes().rev().zip(after.bytes().rev()).take_while(|(a, b)| a == b).count();
        prop_assert!(suffix >= longest_rest, "{log:?} -> {after:?}");
        let (headings, days) = shape(&log);
        let (headings_after, days_after) = shape(&after);
        let name: Box<str> = day.to_string().into();
        let known = days.iter().position(|(heading, _)| *heading == name);
        let at = days_after.iter().position(|(heading, _)| *heading == name);
        let at = at.expect("the day is there");
        let mut expected = days.clone();
        if known.is_none() {
            prop_assert_eq!(days_after[at].1, 1, "{:?} -> {:?}", log, after);
            expected.insert(at, (name.clone(), 1));
        } else {
            expected[at].1 += 1;
        }
        prop_assert_eq!(&days_after, &expected, "{:?} -> {:?}", log, after);
        let titled = log.trim_start_matches('\u{feff}').trim().is_empty();
        let new_headings = usize::from(known.is_none()) + usize::from(titled);
        prop_assert_eq!(headings_after.len(), headings.len() + new_headings, "{:?} -> {:?}", log, after);
        // A log that was in order stays so.
        let in_order = |days: &[(Box<str>, usize)]| {
            let dates: Vec<Date> = days.iter().filter_map(|(heading, _)| date(heading)).collect();
            dates.is_sorted_by(|a, b| a >= b)
        };
        let is_clean = days.iter().all(|(heading, _)| date(heading).is_some());
        prop_assert!(!(is_clean && in_order(&days)) || in_order(&days_after), "{:?} -> {:?}", log, after);
    }

    #[test]
    fn nothing_breaks_out_of_an_entry(title in "[ -~\n\r\t\u{85}é🚀]{0,24}|[\\[\\]()*_`~<>&;#:/.!w\\\\a\n-]{0,24}", detail in "[ -~\n]{0,24}|[\\[\\]()*_`~<>&;#:/.!w^\\\\a\n-]{0,24}") {
        let entry = LogEntry { action: Action::Linked, title, id: ConceptId::new("a/b").unwrap(), detail: Some(detail) };
        let log = insert(Some(b"## 2026-06-15\n* old\n"), civil(2026, 6, 15), std::slice::from_ref(&entry)).unwrap();
        let log = String::from_utf8(log).unwrap();
        let structure = Structure::scan(&log);
        prop_assert_eq!(structure.headings.len(), 1);
        prop_assert_eq!(structure.links.len(), 1, "{}", log);
        prop_assert_eq!(&*structure.links[0].destination, "/a/b.md");
        prop_assert!(structure.footnote_references.is_empty(), "{}", log);
        let title = Some(one_line(&entry.title)).filter(|title| !title.is_empty()).unwrap_or("b".to_owned());
        prop_assert_eq!(&*structure.links[0].label, title.as_str());
        let days = LogDocument::read(&log, &structure).days;
        prop_assert_eq!(days[0].entries.len(), 2);
        let line = plain(log[days[0].entries[0].clone()].trim_start_matches("* "));
        let detail = one_line(entry.detail.as_deref().unwrap_or_default());
        let expected = if detail.is_empty() { format!("Linked: {title}") } else { format!("Linked: {title} - {detail}") };
        prop_assert_eq!(line, expected);
    }
}
