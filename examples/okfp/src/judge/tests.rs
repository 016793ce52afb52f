//! One small bundle per rule.

use okf_core::change::ProfileVerdict;

use super::*;

const PROFILE: &str = "---\ntype: Profile\ntitle: P\ndescription: D.\nstatus: stable\ntags: [x]\n---\n\n```yaml\nprofile_release: \"1.0\"\nokf_version: \"0.2\"\n```\n";
const TYPES: &str = "---\ntype: Type Registry\ntitle: T\ndescription: D.\nstatus: stable\ntags: [x]\n---\n\n```yaml\ntypes:\n  Metric: A number.\n  Rite: What is done.\n  Profile: The profile.\n  Type Registry: This.\n```\n";
const METRIC: &str = "---\ntype: Metric\ntitle: A\ndescription: D.\nstatus: stable\ntags: [x]\n---\n";
const INDEX: &str = "---\nokf_version: \"0.2\"\n---\n# All\n* [P](profile.md)\n* [T](types.md)\n* [A](a.md)\n";

/// A bundle that keeps every rule but for these files.
fn judged(files: &[(&str, &str)]) -> Judgement {
    let good = [("profile.md", PROFILE), ("types.md", TYPES), ("a.md", METRIC), ("index.md", INDEX)];
    let kept = good.into_iter().filter(|(path, _)| !files.iter().any(|(other, _)| other == path));
    let all: Vec<_> = kept.chain(files.iter().copied().filter(|(_, text)| *text != "absent")).collect();
    Profile.judge(&Bundle::from_files(all).expect("the paths are good"))
}

fn found(judgement: &Judgement) -> Vec<String> {
    let told = |finding: &Finding| {
        let location = finding.location.as_ref().expect("every finding has a place");
        format!("{}:{} {}", location.path, location.line.expect("and a line"), finding.id)
    };
    judgement.report().findings().iter().map(told).collect()
}

#[test]
fn a_bundle_that_keeps_every_rule_passes() {
    let judgement = judged(&[]);
    assert_eq!(found(&judgement), [""; 0]);
    assert_eq!(judgement.verdict(), ProfileVerdict::Pass);
    assert_eq!(judgement.unassessed(), ["okfp/description-holds", "okfp/one-subject", "okfp/type-fits"]);
}

#[test]
fn every_rule_is_broken_by_one_bundle_alone() {
    let metric = |from: &str, to: &str| METRIC.replace(from, to);
    let long = format!("title: {}", "t".repeat(61));
    let longer = format!("description: {}", "d".repeat(161));
    let extra = INDEX.to_owned() + "* [gone](gone.md)\n";
    let twice = INDEX.to_owned() + "* [A again](./a.md)\n";
    let table: &[(&str, &str, &[&str])] = &[
        ("a.md", &metric("title: A", "title: ' '"), &["a.md:3 okfp/missing-title"]),
        ("a.md", &metric("description: D.\n", ""), &["a.md:1 okfp/missing-description"]),
        ("a.md", &metric("status: stable\n", ""), &["a.md:1 okfp/missing-status"]),
        ("a.md", &metric("type: Metric", "type: Rite"), &["a.md:2 okfp/non-standard-type"]),
        ("a.md", &metric("type: Metric", "type: Fashion"), &["a.md:2 okfp/unregistered-type"]),
        ("a.md", &metric("tags:", "owner: me\ntags:"), &["a.md:6 okfp/unknown-key"]),
        ("a.md", &metric("[x]", "[metric]"), &["a.md:6 okfp/repeating-tag"]),
        ("a.md", &metric("[x]", "[y, Stable]"), &["a.md:6 okfp/repeating-tag"]),
        ("a.md", &metric("tags: [x]\n", ""), &["a.md:1 okfp/untagged"]),
        ("a.md", &metric("title: A", &long), &["a.md:3 okfp/long-title"]),
        ("a.md", &metric("description: D.", &longer), &["a.md:4 okfp/long-description"]),
        ("index.md", "absent", &["index.md:1 okfp/missing-index"]),
        ("index.md", &INDEX.replace("* [A](a.md)\n", ""), &["index.md:1 okfp/index-differs"]),
        ("index.md", &extra, &["index.md:1 okfp/index-differs"]),
        ("index.md", &twice, &["index.md:1 okfp/index-differs"]),
        (
            "log.md",
            "# Log\n\n## 2026-01-01\n* **Created**: x\n* plain\n1. __Bold__ y\n",
            &["log.md:5 okfp/log-entry-not-bold"],
        ),
        ("profile.md", &PROFILE.replace("profile_release", "release"), &["profile.md:10 okfp/invalid-profile"]),
        ("profile.md", &PROFILE.replace("okf_version", "version"), &["profile.md:10 okfp/invalid-profile"]),
        ("profile.md", &PROFILE.replace("\"0.2\"", "\"0.1\""), &["profile.md:10 okfp/invalid-profile"]),
        ("profile.md", &PROFILE.replace("```yaml", "```toml"), &["profile.md:1 okfp/invalid-profile"]),
        ("types.md", &TYPES.replace("types:", "kinds:"), &["types.md:10 okfp/invalid-types"]),
        ("types.md", &TYPES.replace("A number.", "\"\""), &["types.md:10 okfp/invalid-types"]),
        ("types.md", &TYPES.replace("  Rite: What is done.", "  Rite: [: x"), &["types.md:13 okfp/invalid-types"]),
    ];
    for (path, text, expected) in table {
        assert_eq!(found(&judged(&[(path, text)])), *expected, "{path}: {text}");
    }
    let broken: Vec<&str> = table
        .iter()
        .flat_map(|(.., expected)| expected.iter())
        .map(|told| told.rsplit_once(' ').expect("an ID").1)
        .collect();
    for rule in RULES.iter().filter(|rule| rule.force != Force::Judgement && rule.id != rules::NOT_KEBAB_CASE) {
        assert!(broken.contains(&rule.id), "no bundle breaks `{}`", rule.id);
    }
}

#[test]
fn paths_are_kebab_case() {
    for (id, is_good) in [
        ("two-words", true),
        ("b2/c-3", true),
        ("Upper", false),
        ("a_b", false),
        ("a--b", false),
        ("b/-c", false),
        ("v1.2", false),
        ("ü", false),
    ] {
        let directory = id.rsplit_once('/').map(|(directory, _)| directory);
        let entry = directory.map_or_else(|| format!("{id}.md"), |directory| format!("{directory}/"));
        let index = format!("{INDEX}* [B]({entry})\n");
        let name = id.rsplit('/').next().expect("a name");
        let inner = (format!("{}/index.md", directory.unwrap_or("none")), format!("# All\n* [B]({name}.md)\n"));
        let path = format!("{id}.md");
        let mut files = vec![("index.md", index.as_str()), (path.as_str(), METRIC)];
        if directory.is_some() {
            files.push((&inner.0, &inner.1));
        }
        let expected = if is_good { vec![] } else { vec![format!("{path}:1 okfp/not-kebab-case")] };
        assert_eq!(found(&judged(&files)), expected, "{id}");
    }
}

#[test]
fn without_a_registry_types_are_not_guessed_at() {
    let judgement = judged(&[("types.md", "absent"), ("index.md", &INDEX.replace("* [T](types.md)\n", ""))]);
    assert_eq!(found(&judgement), ["types.md:1 okfp/invalid-types"]);
    assert!(judgement.unassessed().contains(&rules::UNREGISTERED_TYPE));
    assert_eq!(judgement.verdict(), ProfileVerdict::Fail);
}

#[test]
fn another_release_is_not_judged() {
    let judgement = judged(&[("profile.md", &PROFILE.replace("1.0", "2.0")), ("a.md", "---\ntype: Fashion\n---\n")]);
    assert_eq!(found(&judgement), ["profile.md:10 okfp/unsupported-release"]);
    assert_eq!((judgement.verdict(), judgement.report().errors()), (ProfileVerdict::UnsupportedRelease, 0));
    assert_eq!(judgement.unassessed().len(), RULES.len());
}

#[test]
fn a_declaration_reads_the_same_whatever_its_fence_and_line_endings() {
    for fence in ["```yaml title=\"declaration\"", "``` YAML", "~~~~yml"] {
        let closing = fence.trim_end_matches(|c| c != '`' && c != '~');
        let fenced = |text: &str| text.replace("```yaml", fence).replace("\n```\n", &format!("\n{closing}\n"));
        assert_eq!(
            found(&judged(&[("profile.md", &fenced(PROFILE)), ("types.md", &fenced(TYPES))])),
            [""; 0],
            "{fence}"
        );
    }
    let other = PROFILE.replace("1.0", "2.0");
    for end in ["\n", "\r\n", "\r"] {
        let ended = |text: &str| text.replace('\n', end);
        let good = judged(&[("profile.md", &ended(PROFILE)), ("types.md", &ended(TYPES))]);
        assert_eq!(found(&good), [""; 0], "{end:?}");
        let told = found(&judged(&[("profile.md", &ended(&other))]));
        assert_eq!(told, ["profile.md:10 okfp/unsupported-release"], "{end:?}");
    }
}

#[test]
fn errors_of_the_specification_block_the_verdict_and_what_was_found_holds() {
    let judgement = judged(&[("a.md", "no frontmatter"), ("log.md", "# Log\n* plain\n")]);
    assert_eq!(judgement.verdict(), ProfileVerdict::Blocked);
    assert_eq!(found(&judgement), ["log.md:2 okfp/log-entry-not-bold"]);
}

#[test]
fn the_readme_tells_every_rule_with_its_force() {
    let readme = include_str!("../../README.md");
    let rows: Vec<(&str, &str)> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("| `okfp/"))
        .map(|row| row.split_once("` | ").expect("a row"))
        .collect();
    assert_eq!(rows.len(), RULES.len());
    for (rule, (id, rest)) in RULES.iter().zip(rows) {
        assert_eq!(
            (rule.id, rule.force.as_str()),
            (format!("okfp/{id}").as_str(), rest.split(" | ").next().expect("a force"))
        );
    }
}
