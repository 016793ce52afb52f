use super::*;

fn read(yaml: &str) -> Metadata {
    Metadata::read(&Frontmatter::parse(yaml, 0..yaml.len()).expect(yaml))
}

#[test]
fn scalars_read_as_spelled_and_nothing_else_reads() {
    let rows = [
        ("type: Note", Some("Note")),
        ("type: 42", Some("42")),
        ("type: NO", Some("NO")),
        ("type: true", Some("true")),
        ("type: 1e3", Some("1e3")),
        ("type: ''", None),
        ("type: ~", None),
        ("type: [a]", None),
        ("type: {a: b}", None),
        ("Type: Note", None),
        ("", None),
    ];
    for (yaml, expected) in rows {
        assert_eq!(read(yaml).concept_type.as_deref(), expected, "{yaml}");
    }
    let titled = read("title: 2026-01-02\ndescription: 0.10");
    assert_eq!((titled.title.as_deref(), titled.description.as_deref()), (Some("2026-01-02"), Some("0.10")));
    assert_eq!(read("title: [a, b]\ndescription:").title, None);
}

#[test]
fn tags_are_never_split() {
    let rows: [(&str, &[&str]); 6] = [
        ("tags: [orders, \"sales, data\"]", &["orders", "sales, data"]),
        ("tags: orders, sales data, eu", &["orders, sales data, eu"]),
        ("tags: [2017, true, ~, [x], {y: z}, '']", &["2017", "true"]),
        ("tags: 7", &["7"]),
        ("tags: {a: b}", &[]),
        ("tags:", &[]),
    ];
    for (yaml, expected) in rows {
        let found = read(yaml).tags;
        assert_eq!(found.iter().map(|tag| &**tag).collect::<Vec<_>>(), expected, "{yaml}");
    }
}

#[test]
fn status_is_stable_unless_it_says_otherwise() {
    let rows = [
        ("", Status::Stable),
        ("status:", Status::Stable),
        ("status: ' '", Status::Stable),
        ("status: [draft]", Status::Stable),
        ("status: stable", Status::Stable),
        ("status: draft", Status::Draft),
        ("status: deprecated", Status::Deprecated),
        ("status: Draft", Status::Unknown),
        ("status: 1", Status::Unknown),
    ];
    for (yaml, expected) in rows {
        assert_eq!(read(yaml).status, expected, "{yaml}");
    }
}

#[test]
fn the_trust_tier_is_that_of_the_best_event() {
    use TrustTier::{HumanReviewed, MachineConfirmed, Unverified};
    let rows = [
        ("", Unverified),
        ("verified: { by: human:ann, at: 2026-06-25T09:00:00Z }", HumanReviewed),
        ("verified: [{ by: process:nightly }, { by: human:ann }]", HumanReviewed),
        ("verified: []", Unverified),
        ("verified: true", Unverified),
        ("verified: human:ann", Unverified),
        ("verified: [{ at: 2026-06-25T09:00:00Z }, nonsense]", Unverified),
        ("verified: [human:ann, { by: t/1 }]", MachineConfirmed),
        ("verified: { by: \"Human:ann\" }", MachineConfirmed),
        ("verified: { by: humanoid/1 }", MachineConfirmed),
        ("verified: { by: 'human:' }", MachineConfirmed),
        ("verified: { by: human:ann, at: never }", HumanReviewed),
        ("verified: { by: ' ' }", Unverified),
        ("verified: { by: [human:ann] }", Unverified),
    ];
    for (yaml, expected) in rows {
        assert_eq!(read(yaml).trust_tier, expected, "{yaml}");
    }
}

#[test]
fn timestamps_fall_back_to_v0_1_only_without_generated() {
    let rows = [
        ("timestamp: '2026-05-28T22:53:05+00:00'", Some("2026-05-28T22:53:05Z")),
        (
            "timestamp: 2026-01-01T00:00:00Z\ngenerated: { by: t/1, at: 2026-02-01T00:00:00Z }",
            Some("2026-02-01T00:00:00Z"),
        ),
        ("timestamp: 2026-01-01T00:00:00Z\ngenerated:", Some("2026-01-01T00:00:00Z")),
        ("timestamp: 2026-01-01T00:00:00Z\ngenerated: tool", None),
        ("generated: { at: 2026-02-30T00:00:00Z }", None),
        ("generated: { at: 2026-02-03 }", Some("2026-02-03T00:00:00Z")),
        ("", None),
    ];
    for (yaml, expected) in rows {
        assert_eq!(read(yaml).last_changed.map(|instant| instant.to_string()).as_deref(), expected, "{yaml}");
    }
    let verified = read(
        "verified: [{ by: a, at: 2026-06-25T09:00:00Z }, { by: human:b, at: 2026-06-24T09:00:00Z }, { by: c, at: x }]",
    );
    assert_eq!(verified.last_verified.unwrap().to_string(), "2026-06-25T09:00:00Z");
}

#[test]
fn a_concept_is_stale_from_its_instant_on() {
    let concept = read("stale_after: 2026-09-23");
    let at = |text: &str| timestamp::read(text).unwrap().instant;
    assert!(!concept.is_stale(at("2026-09-22T23:59:59.999Z")));
    assert!(concept.is_stale(at("2026-09-23T00:00:00Z")));
    assert!(!read("stale_after: soon").is_stale(Timestamp::MAX));
}

#[test]
fn path_fields_come_in_file_order_with_their_place() {
    let yaml = "executor: { resource: run.md }\nresource: https://x\nsources:\n  - resource: /a.md\n  - id: b\n  - resource: [c]\n  - d\n  - { resource: all queries }\ncomputation: lib/x.sql\nattester: { resource: '' }\nother: { resource: z }\n";
    let fields = read(yaml).path_fields;
    let found: Vec<_> = fields.iter().map(|field| (field.origin, &*field.value)).collect();
    let expected = [
        (FieldOrigin::Executor, "run.md"),
        (FieldOrigin::Resource, "https://x"),
        (FieldOrigin::Sources, "/a.md"),
        (FieldOrigin::Sources, "all queries"),
        (FieldOrigin::Computation, "lib/x.sql"),
    ];
    assert_eq!(found, expected);
    for field in &fields {
        assert!(yaml[field.offset as usize..].starts_with(&*field.value), "{field:?}");
    }
}
