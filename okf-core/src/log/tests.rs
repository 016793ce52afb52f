use super::*;

#[test]
fn reads_title_days_and_entries() {
    let body = "# Log\n\nIntro line.\n\n## 2026-05-22\n* a\n  * nested\n* b\n\n### More\n\n1. c\n\n## 2026-05-15 ##\n\n```\n## 2099-01-01\n```\n\n2026-05-14\n---\n- d\n";
    let log = LogDocument::parse(body);
    assert_eq!(log.title, Some(0..6));
    let days: Vec<_> = log.days.iter().map(|day| (&*day.heading, day.entries.len(), day.is_empty)).collect();
    assert_eq!(days, [("2026-05-22", 3, false), ("2026-05-15", 0, false), ("2026-05-14", 1, false)]);
    assert!(log.days.iter().all(|day| day.date.is_some()));
    assert_eq!(
        &body[log.days[0].span.clone()],
        &body[body.find("## 2026-05-22").unwrap()..body.find("## 2026-05-15").unwrap()]
    );
    assert_eq!(log.prose.len(), 1, "the code");
    assert!(log.loose.is_empty());
}

#[test]
fn only_level_two_headings_with_a_year_are_dates() {
    let body = "# 2026-01-01\n\n* loose\n\n## Notes\n\n## Ticket 12345\n\n### 2026-01-02\n\n<div>\n## 2026-01-03\n</div>\n\n## In 2026\n";
    let log = LogDocument::parse(body);
    assert_eq!(log.title, Some(0..13));
    assert_eq!(log.loose.len(), 1);
    let days: Vec<_> = log.days.iter().map(|day| (&*day.heading, day.date, day.is_empty)).collect();
    assert_eq!(days, [("In 2026", None, true)]);
    let prose: Vec<_> = log.prose.iter().map(|span| body[span.clone()].trim()).collect();
    assert_eq!(prose, ["## Notes", "## Ticket 12345"]);
}

#[test]
fn dates_are_exact_and_real() {
    for good in ["2026-05-22", "2024-02-29", "0001-01-01", "9999-12-31"] {
        assert_eq!(date(good).map(|date| date.to_string()), Some(good.to_owned()));
    }
    for bad in [
        "2026-02-30",
        "2026-9-6",
        "20260906",
        "2026-09-06T12:30:00",
        "[2026-07-14]",
        "2026-07-13 - x",
        "2026-13-01",
        "2025-02-29",
        "2026-00-10",
        "+026-01-01",
        "2026-01-0١",
        "",
        " 2026-01-01",
    ] {
        assert_eq!(date(bad), None, "{bad}");
    }
}
