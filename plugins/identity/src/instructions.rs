//! The paragraph for `initialize` and `server/discover`.

use okf_mcp::identity::{BundleIdentity, Count};

use crate::clause::{SUBJECTS, listed, quoted, root_excess};
use crate::subject::overview;

/// Bytes of the whole paragraph, beside the excess of a long root (contract §9).
const BUDGET: usize = 2_000;

/// Bytes that areas leave to types, where there are that many.
const TYPES_ROOM: usize = 240;

/// The habits, one sentence each. Tool names are the fixed ones of contract §9: a provider's
/// instructions are asked for before there is a tool list, and a build that replaces a tool keeps
/// its name.
const HABITS: &str = "\
To see what there is, list-concepts enumerates with type, title, description and status, by area, type, tag or \
status. \
To find text, search-concepts ranks concepts and shows the lines with their section, always as the files are now. \
To read, lookup-concept returns a concept, its outline or one section, with its status and trust tier. \
To follow relationships, query-graph gives links and backlinks resolved, which no text search can. \
To reproduce the CI gate, validate gives the findings and exit code of `okf validate`. \
To change a concept, tools that write, where offered, keep index and log current and every other byte as it is. \
Reading or grepping files is just as good for one known path, for files that are not Markdown, and for history.";

/// Introduces the bundle: what it is, the tools to call, then areas and types as room allows.
///
/// At most 2 000 bytes plus the root's excess beyond 100 bytes. The first 512 characters stand on
/// their own: some clients show no more.
pub fn compose(identity: &BundleIdentity) -> String {
    compose_within(identity, BUDGET + root_excess(identity))
}

/// The same within a number of bytes. Opening and habits are never cut.
pub fn compose_within(identity: &BundleIdentity, budget: usize) -> String {
    let mut text = format!("{}\n\n{HABITS}", opening(identity));
    let for_types = TYPES_ROOM.min(identity.types.iter().map(|count| count.name.len() + 8).sum());
    push_counts(&mut text, budget.saturating_sub(for_types), "Areas (values for prefix)", &identity.areas);
    push_counts(&mut text, budget, types_label(identity), &identity.types);
    let room = budget.saturating_sub(text.len() + SUBJECTS.len());
    let words = overview(identity, room);
    if let Some(list) = listed(words.iter().map(String::as_str)) {
        text.push('\n');
        text.push_str(&list);
    }
    text
}

/// What must be known when nothing else is read. Without title and root at most 330 characters.
fn opening(identity: &BundleIdentity) -> String {
    let count = identity.concept_count;
    let noun = if count == 1 { "concept" } else { "concepts" };
    format!(
        "This server knows the knowledge bundle {} at {}: {count} {noun} in Markdown. For anything it may cover, call \
         search-concepts (find text), list-concepts (enumerate), lookup-concept (read one), query-graph (follow \
         relationships) or validate (check conformance) rather than reading or grepping its files.",
        quoted(&identity.title),
        identity.shown_root(),
    )
}

/// Types are counted in the sample; says so when the sample is not the whole.
fn types_label(identity: &BundleIdentity) -> &'static str {
    if identity.sample.len() < identity.concept_count { "Types (counted in a sample)" } else { "Types" }
}

/// Appends `Label: a (3), b (2).` with as many entries, largest first, as the budget holds.
fn push_counts(text: &mut String, budget: usize, label: &str, counts: &[Count]) {
    const MORE: &str = " and more";
    let mut line = String::new();
    for (at, count) in counts.iter().enumerate() {
        let lead = if at == 0 { format!("\n{label}: ") } else { ", ".to_owned() };
        let entry = format!("{lead}{} ({})", shown(&count.name), count.count);
        let reserve = if at + 1 == counts.len() { 1 } else { MORE.len() + 1 };
        if text.len() + line.len() + entry.len() + reserve > budget {
            if at > 0 {
                line.push_str(MORE);
            }
            break;
        }
        line.push_str(&entry);
    }
    if !line.is_empty() {
        text.push_str(&line);
        text.push('.');
    }
}

/// A plain name as it is; one with spaces or punctuation in quotes, so that it stays one value.
fn shown(name: &str) -> String {
    let plain = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
    if plain { name.to_owned() } else { quoted(name) }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use okf_mcp::identity::Sample;

    use super::*;

    fn identity(title: &str, root: &str, areas: usize) -> BundleIdentity {
        let count = |n: usize| Count { name: format!("area-{n:03}-{}", "x".repeat(n % 40)), count: 1_000 - n };
        BundleIdentity {
            root: PathBuf::from(root),
            title: title.into(),
            concept_count: 123_456,
            declared_version: Some("0.2".into()),
            areas: (0..areas).map(count).collect(),
            types: (0..areas).map(count).collect(),
            sample: Sample::default(),
        }
    }

    #[test]
    fn the_first_512_characters_stand_alone_with_the_longest_title() {
        let title = "𝒳".repeat(80);
        let root = format!("/{}", "r".repeat(99));
        let text = compose(&identity(&title, &root, 200));
        let head: String = text.chars().take(512).collect();
        for needed in [
            title.as_str(),
            &root,
            "123456 concepts",
            "search-concepts",
            "list-concepts",
            "lookup-concept",
            "query-graph",
            "validate",
            "rather than reading or grepping its files.",
        ] {
            assert!(head.contains(needed), "{needed} is missing in: {head}");
        }
        assert!(text.len() <= BUDGET, "{}", text.len());
    }

    #[test]
    fn a_long_root_raises_the_budget_by_its_excess_only() {
        let root = format!("/{}", "r".repeat(3_999));
        let text = compose(&identity("Sales", &root, 500));
        assert!(text.contains(&root));
        assert!(text.len() <= BUDGET + 3_900, "{}", text.len());
    }

    #[test]
    fn areas_and_types_follow_as_room_allows() {
        let mut small = identity("Sales", "/srv/sales", 0);
        small.areas = vec![Count { name: "tables".into(), count: 3 }];
        small.types = vec![Count { name: "BigQuery Table".into(), count: 3 }];
        let text = compose(&small);
        assert!(
            text.ends_with(
                "\nAreas (values for prefix): tables (3).\nTypes (counted in a sample): \"BigQuery Table\" (3)."
            ),
            "{text}"
        );
        let large = compose(&identity("Sales", "/srv/sales", 500));
        assert_eq!(large.matches(" and more.").count(), 2, "areas leave room for types: {large}");
    }

    #[test]
    fn a_value_cannot_close_its_quotes() {
        let text = compose(&identity("a\" now do\nthis", "/srv/a", 0));
        assert!(text.contains("\"a' now do this\""), "{text}");
    }

    #[test]
    fn one_concept_is_singular() {
        let mut one = identity("Sales", "/srv/sales", 0);
        one.concept_count = 1;
        assert!(compose(&one).contains(": 1 concept in Markdown."));
    }
}
