//! Metadata that should be otherwise: advisories, never errors (contract §3, spec §5).

use super::{check, note};

#[test]
fn well_formed_families_are_silent() {
    note(
        "title: T\ndescription: D\ntags: [a, b c]\nstatus: draft\n\
         generated: {by: tool/1, at: 2026-06-30T14:00:00Z}\n\
         verified: [{by: human:ann, at: 2026-06-30t14:00:00.5+02:00}, {by: process:x, at: 2026-06-30 14:00:00+0200}]\n\
         stale_after: 2026-12-31\n\
         sources: [{id: s, resource: https://example.org, last_modified: 2026-01-01, usage_count: 5}]\n\
         usage_window: {from: 2026-06-01, to: 2026-06-30T00:00:00Z}",
    )
    .are(&[]);
    note("verified: {by: human:ann, at: 20260630T140000Z}\nstatus: \"\"\nstatus2: x").are(&[]);
}

#[test]
fn invalid_tags() {
    note("tags: orders, sales data, eu").are(&["a.md:3 okf/invalid-tags"]).conform();
    note("tags: {a: b}").are(&["a.md:3 okf/invalid-tags"]);
    note("tags: [a, [b], {c: d}]").hold("a.md:3 okf/invalid-tags").conform();
    note("tags: [orders, \"sales, data\"]").are(&[]);
    note("tags: []").are(&[]);
}

#[test]
fn invalid_sources() {
    note("sources: https://example.org").are(&["a.md:3 okf/invalid-sources"]).conform();
    note("sources: []").are(&[]);
}

#[test]
fn invalid_source() {
    note("sources:\n  - {id: s1, resource: https://example.org}\n  - {id: s2}\n  - text\n")
        .are(&["a.md:5 okf/invalid-source", "a.md:6 okf/invalid-source"])
        .conform()
        .advise("okf/invalid-source", &["resource"]);
    note("sources:\n  - {resource: all queries in project X}\n").are(&[]);
}

#[test]
fn duplicate_source_id() {
    note("sources:\n  - {id: s1, resource: https://a.example}\n  - {id: s1, resource: https://b.example}\n")
        .are(&["a.md:5 okf/duplicate-source-id"])
        .conform()
        .advise("okf/duplicate-source-id", &["s1"]);
    note("sources:\n  - {id: s1, resource: https://a.example}\n  - {id: s2, resource: https://b.example}\n").are(&[]);
}

#[test]
fn undefined_source_reference() {
    let text = |sources: &str| {
        format!("---\ntype: Note\n{sources}---\nFact.[^s1] Lost.[^zz]\n\nThird.[^s3]\n\n[^s1]: S\n[^zz]: Z\n")
    };
    check(&[("a.md", &text("sources: [{id: s1, resource: https://example.org}]\n"))])
        .are(&["a.md:5 okf/undefined-source-reference", "a.md:7 okf/undefined-source-reference"])
        .conform()
        .advise("okf/undefined-source-reference", &["zz"])
        .advise("okf/undefined-source-reference", &["s3"]);
    check(&[("a.md", &text(""))]).are(&[]);
    let code = "---\ntype: Note\nsources: [{id: s1, resource: https://example.org}]\n---\n`[^x]`\n\n```\n[^y]\n```\n";
    check(&[("a.md", code)]).are(&[]);
}

#[test]
fn invalid_usage_window() {
    note("usage_window: june").are(&["a.md:3 okf/invalid-usage-window"]).conform();
    note("usage_window: {from: soon, to: 2026-06-30T00:00:00Z}")
        .are(&["a.md:3 okf/invalid-usage-window"])
        .advise("okf/invalid-usage-window", &["usage_window.from"]);
    note("sources: [{resource: https://a.example, usage_window: 5}]").hold("a.md:3 okf/invalid-usage-window");
}

#[test]
fn invalid_generated() {
    note("generated: tool").are(&["a.md:3 okf/invalid-generated"]).conform();
    note("generated: {at: 2026-06-30T14:00:00Z}")
        .are(&["a.md:3 okf/invalid-generated"])
        .advise("okf/invalid-generated", &["generated.by"]);
    note("generated:\n  by: tool/1\n  at: '2026-02-30T00:00:00Z'")
        .are(&["a.md:5 okf/invalid-generated"])
        .advise("okf/invalid-generated", &["generated.at", "2026-02-30"]);
    note("generated: {by: tool/1}").are(&[]);
    note("generated: {by: tool/1, at: 2026-01-31T16:40:39-0500}").are(&[]);
}

#[test]
fn invalid_verified() {
    note("verified: true").hold("a.md:3 okf/invalid-verified").conform();
    note("verified:\n  - {at: 2026-06-25T09:00:00Z}\n  - nonsense\n")
        .hold("a.md:4 okf/invalid-verified")
        .hold("a.md:5 okf/invalid-verified")
        .conform();
    note("verified: {by: human:ann, at: yesterday}").hold("a.md:3 okf/invalid-verified").conform();
    note("verified: {by: human:ann, at: 2026-06-25T09:00:00Z}").are(&[]);
}

#[test]
fn invalid_status() {
    note("status: archived").are(&["a.md:3 okf/invalid-status"]).conform().advise("okf/invalid-status", &["archived"]);
    note("status: Draft").are(&["a.md:3 okf/invalid-status"]);
    note("status: [draft]").hold("a.md:3 okf/invalid-status").conform();
    for good in ["draft", "stable", "deprecated", "", "~"] {
        note(&format!("status: {good}")).are(&[]);
    }
}

#[test]
fn invalid_stale_after() {
    for bad in ["soon", "2026-02-30", "2026-13-01T00:00:00Z", "2026-01-01T25:00:00Z", "[2026-01-01]"] {
        note(&format!("stale_after: {bad}")).hold("a.md:3 okf/invalid-stale-after").conform();
    }
    for good in ["2026-09-23", "2026-09-23T00:00:00Z", "'2026-09-23T00:00:00.123+05:30'"] {
        note(&format!("stale_after: {good}")).are(&[]);
    }
}

#[test]
fn timestamp_without_offset() {
    note("generated: {by: tool/1, at: 2026-01-31 16:40:39}")
        .are(&["a.md:3 okf/timestamp-without-offset"])
        .conform()
        .advise("okf/timestamp-without-offset", &["generated.at"]);
    note("generated: {by: tool/1, at: 2026-01-31}").are(&["a.md:3 okf/timestamp-without-offset"]);
    note("stale_after: 2026-01-31T00:00:00").are(&["a.md:3 okf/timestamp-without-offset"]);
    note("verified: {by: human:ann, at: 2026-01-31T10:00:00}").are(&["a.md:3 okf/timestamp-without-offset"]);
}
