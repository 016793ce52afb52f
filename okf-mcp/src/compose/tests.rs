use serde_json::json;

use super::*;
use crate::identity::Sample;
use crate::provider::{IdentityProvider, Provider, Registration};
use crate::tool::Effect;

const PRODUCT: Product = Product { name: "okf", version: "1.2.3" };

/// An identity provider that says what its fields say, about every tool.
struct Speaker {
    name: &'static str,
    rank: i32,
    paragraph: String,
    texts: Vec<ToolText>,
}

impl IdentityProvider for Speaker {
    fn name(&self) -> &str {
        self.name
    }

    fn rank(&self) -> i32 {
        self.rank
    }

    fn instructions(&self, _: &BundleIdentity) -> Option<String> {
        Some(self.paragraph.clone())
    }

    fn augment(&self, _: &BundleIdentity, _: &[ToolSpec]) -> Vec<ToolText> {
        self.texts.clone()
    }
}

fn speaker(name: &'static str, rank: i32, paragraph: &str, texts: Vec<ToolText>) -> Registration {
    let speaker = Box::leak(Box::new(Speaker { name, rank, paragraph: paragraph.to_owned(), texts }));
    Registration { crate_name: "test", provider: Provider::Identity(speaker) }
}

fn clause(tool: &str, clause: &str) -> ToolText {
    ToolText { tool: tool.to_owned(), clause: Some(clause.to_owned()), ..ToolText::default() }
}

fn identity(root: &str) -> BundleIdentity {
    BundleIdentity {
        root: root.into(),
        title: "Sales".to_owned(),
        concept_count: 3,
        declared_version: None,
        areas: Vec::new(),
        types: Vec::new(),
        sample: Sample::default(),
    }
}

fn spec(name: &str, description: &str) -> ToolSpec {
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": { "id": { "type": "string", "description": "A concept ID." } },
    });
    ToolSpec {
        name: name.to_owned(),
        title: "Title".to_owned(),
        description: description.to_owned(),
        input_schema: schema.as_object().expect("an object").clone(),
        effect: Effect::Read,
        search_hint: None,
        always_load: false,
        max_result_chars: None,
    }
}

fn introduce(
    registry: &Registry,
    identity: &BundleIdentity,
    specs: &[ToolSpec],
) -> Result<Introduction, RegistryError> {
    let greeting = Greeting::compose(PRODUCT, registry, identity)?;
    Introduction::compose(Arc::new(greeting), registry, identity, specs)
}

fn compose(root: &str, specs: &[ToolSpec], registrations: &[Registration]) -> Introduction {
    let registry = Registry::from(registrations).expect("unique names");
    introduce(&registry, &identity(root), specs).expect("nobody panics")
}

#[test]
fn paragraphs_stand_in_rank_order_and_one_that_does_not_fit_is_left_out_whole() {
    let long = "é".repeat(1_000);
    let introduction = compose(
        "/srv/sales",
        &[],
        &[
            speaker("late", 200, "Last.", vec![]),
            speaker("long", 100, &long, vec![]),
            speaker("base", 0, "First.\n", vec![]),
            speaker("mute", 50, "  ", vec![]),
        ],
    );
    assert_eq!(introduction.greeting.instructions.as_deref(), Some("First.\n\nLast."));
    assert_eq!(introduction.left_out, ["the paragraph of `long` does not fit the instructions and is left out"],);
}

#[test]
fn the_first_paragraph_is_never_cut() {
    let long = "x".repeat(3_000);
    let introduction = compose("/srv", &[], &[speaker("base", 0, &long, vec![]), speaker("more", 1, "No.", vec![])]);
    assert_eq!(introduction.greeting.instructions, Some(long));
    assert_eq!(
        introduction.left_out,
        [
            "the paragraph of `more` does not fit the instructions and is left out",
            "the instructions take 3000 bytes, more than their 2000: the first paragraph, of `base`, is never cut",
        ]
    );
}

#[test]
fn a_long_root_widens_every_budget_by_its_excess() {
    let root = format!("/{}", "r".repeat(399));
    let introduction = compose(&root, &[spec("a", "A."), spec("b", "B.")], &[]);
    let widened = Budgets { instructions: 2_300, description: 1_200, list: 14_600 };
    assert_eq!(introduction.budgets, widened);
    let short = compose("/srv", &[spec("a", "A.")], &[]).budgets;
    assert_eq!(short, Budgets { instructions: 2_000, description: 900, list: 14_000 });
}

#[test]
fn clauses_follow_the_own_words_in_rank_order_within_the_budget() {
    let registrations = [
        speaker("words", 50, "", vec![clause("a", &"w".repeat(880)), clause("b", "More.")]),
        speaker("base", 0, "", vec![clause("a", "Sales at /srv."), clause("b", "Sales at /srv.")]),
    ];
    let introduction = compose("/srv", &[spec("a", "Lists."), spec("b", "Reads.")], &registrations);
    let descriptions: Vec<&str> = introduction.tools.iter().map(|tool| tool.description.as_str()).collect();
    assert_eq!(descriptions, ["Lists.\nSales at /srv.", "Reads.\nSales at /srv.\nMore."]);
    assert_eq!(introduction.left_out, ["a clause of `words` for tool `a` does not fit and is left out"]);
}

#[test]
fn own_words_give_way_to_the_identity_by_whole_sentences() {
    let own = format!("Finds text. {} Never reached.", "🙂".repeat(150));
    let base = format!("Identity {}", "🙂".repeat(100));
    let introduction = compose("/srv", &[spec("a", &own)], &[speaker("base", 0, "", vec![clause("a", &base)])]);
    assert_eq!(introduction.tools[0].description, format!("Finds text.\n{base}"));
    assert!(introduction.left_out[0].contains("own description of tool `a`"), "{:?}", introduction.left_out);
}

#[test]
fn every_description_and_the_list_keep_their_budgets_with_four_byte_text() {
    let specs: Vec<ToolSpec> = (0..20).map(|n| spec(&format!("tool-{n:02}"), &"Own words. ".repeat(20))).collect();
    let texts = |text: &str| specs.iter().map(|spec| clause(&spec.name, &text.repeat(40))).collect::<Vec<_>>();
    let registrations = [
        speaker("base", 0, "", texts("𝕬")),
        speaker("words", 10, "", texts("🙂")),
        speaker("more", 20, "", texts("é")),
    ];
    let introduction = compose("/srv", &specs, &registrations);
    assert!(introduction.list_bytes() <= LIST_BYTES, "{}", introduction.list_bytes());
    let served = json!({ "tools": introduction.tools.iter().map(ToolSpec::to_json).collect::<Vec<_>>() });
    assert!(served.to_string().len() <= LIST_BYTES);
    for tool in &introduction.tools {
        assert!(tool.description.len() <= DESCRIPTION_BYTES, "{}", tool.description.len());
        assert!(tool.description.contains('𝕬'), "the first clause is never left out");
    }
    assert!(introduction.tools[0].description.contains('🙂'), "what fits is kept");
    assert!(!introduction.left_out.is_empty());
    assert_eq!(introduction, compose("/srv", &specs, &registrations), "the same every time");
}

#[test]
fn a_first_clause_beyond_its_budget_is_told() {
    let texts = vec![clause("a", &"x".repeat(1_000))];
    let introduction = compose("/srv", &[spec("a", "Does it.")], &[speaker("base", 0, "", texts)]);
    assert_eq!(introduction.tools[0].description.len(), 1_000);
    assert_eq!(
        introduction.left_out,
        [
            "the own description of tool `a` is too long and is cut",
            "the description of tool `a` takes 1000 bytes, more than its 900: the first clause is never cut",
        ]
    );
}

#[test]
fn a_list_that_nothing_can_shorten_is_told_with_its_longest_tools() {
    let specs: Vec<ToolSpec> = (0..20)
        .map(|n| {
            let mut long = spec(&format!("tool-{n:02}"), "Does it.");
            long.input_schema["properties"]["id"]["description"] = json!("x".repeat(600 + 10 * n));
            long
        })
        .collect();
    let introduction = compose("/srv", &specs, &[]);
    let bytes = introduction.list_bytes();
    assert!(bytes > LIST_BYTES, "{bytes}");
    let expected = format!(
        "the list of tools takes {bytes} bytes, more than its 14000, and nothing more can be cut; \
         the longest are `tool-19`, `tool-18`, `tool-17`"
    );
    assert_eq!(introduction.left_out, [expected]);
}

#[test]
fn hints_are_replaced_and_notes_appended() {
    let text = ToolText {
        tool: "a".to_owned(),
        clause: None,
        search_hint: Some("sales tables".to_owned()),
        argument_notes: vec![
            ("id".to_owned(), "Such as `tables/orders`.".to_owned()),
            ("no".to_owned(), "x".to_owned()),
        ],
    };
    let elsewhere = clause("not-in-this-build", "x");
    let introduction = compose("/srv", &[spec("a", "A.")], &[speaker("base", 0, "", vec![text, elsewhere])]);
    let served = introduction.tools[0].to_json();
    assert_eq!(served["_meta"], json!({ "anthropic/searchHint": "sales tables" }));
    assert_eq!(
        served["inputSchema"]["properties"],
        json!({ "id": { "type": "string", "description": "A concept ID. Such as `tables/orders`." } }),
    );
    assert_eq!(introduction.left_out, Vec::<String>::new());
}

#[test]
fn the_server_says_whose_bundle_it_serves() {
    let info = compose("/srv/sales", &[], &[]).greeting.server_info.clone();
    assert_eq!((info.name, info.version, info.title.as_str()), ("okf", "1.2.3", "Sales"));
    assert_eq!(info.description, "Knowledge bundle \"Sales\": 3 concepts at /srv/sales");
}

#[test]
fn a_panicking_identity_provider_is_named_with_its_crate() {
    struct Bad;
    impl IdentityProvider for Bad {
        fn name(&self) -> &str {
            "bad"
        }
        fn instructions(&self, _: &BundleIdentity) -> Option<String> {
            panic!("no words")
        }
    }
    let registrations = [Registration { crate_name: "bad-crate", provider: Provider::Identity(&Bad) }];
    let registry = Registry::from(&registrations).expect("one name");
    let error = introduce(&registry, &identity("/srv"), &[]).expect_err("a panic");
    assert_eq!(error.0, "identity provider `bad` (crate `bad-crate`) panicked: no words");
}

/// A first provider that fills all room that it is told of or can see.
struct Greedy;

impl IdentityProvider for Greedy {
    fn name(&self) -> &str {
        "greedy"
    }

    fn rank(&self) -> i32 {
        0
    }

    fn instructions(&self, identity: &BundleIdentity) -> Option<String> {
        self.instructions_within(identity, INSTRUCTIONS_BYTES)
    }

    fn instructions_within(&self, _: &BundleIdentity, bytes: usize) -> Option<String> {
        Some("x".repeat(bytes.max(500)))
    }

    fn augment(&self, _: &BundleIdentity, tools: &[ToolSpec]) -> Vec<ToolText> {
        let fill = |tool: &ToolSpec| clause(&tool.name, &"x".repeat(DESCRIPTION_BYTES - tool.description.len() - 1));
        tools.iter().map(fill).collect()
    }

    fn explain(&self, _: &BundleIdentity, tools: &[ToolSpec]) -> Option<String> {
        Some(tools[0].description.clone())
    }
}

#[test]
fn who_fills_the_room_that_is_left_leaves_it_to_those_behind() {
    let greedy = Registration { crate_name: "test", provider: Provider::Identity(&Greedy) };
    let house = speaker("house", 100, "House rules.", vec![clause("a", "Within the house.")]);
    let registrations = [greedy, house];
    let introduction = compose("/srv", &[spec("a", "Does a.")], &registrations);
    let instructions = introduction.greeting.instructions.as_deref().expect("both speak");
    assert!(instructions.starts_with('x') && instructions.ends_with("x\n\nHouse rules."), "{instructions}");
    assert_eq!(instructions.len(), INSTRUCTIONS_BYTES);
    let description = &introduction.tools[0].description;
    assert!(description.starts_with("Does a.\nxxx") && description.ends_with("x\nWithin the house."), "{description}");
    assert_eq!(description.len(), DESCRIPTION_BYTES);
    assert!(introduction.left_out.is_empty(), "{:?}", introduction.left_out);
    let registry = Registry::from(&registrations).expect("unique names");
    let explained =
        explain(&introduction.greeting, &registry, &identity("/srv"), &[spec("a", "Does a.")]).expect("nobody panics");
    assert_eq!(explained, [("greedy".to_owned(), "Does a.\nWithin the house.".to_owned())], "as it saw them");
}

#[test]
fn room_for_a_paragraph_that_does_not_fit_goes_back_to_the_first() {
    let greedy = Registration { crate_name: "test", provider: Provider::Identity(&Greedy) };
    let registrations =
        [greedy, speaker("long", 50, &"y".repeat(1_900), vec![]), speaker("house", 100, "Short.", vec![])];
    let introduction = compose("/srv", &[], &registrations);
    let instructions = introduction.greeting.instructions.as_deref().expect("two speak");
    assert!(instructions.ends_with("x\n\nShort.") && !instructions.contains('y'), "{instructions}");
    assert_eq!((instructions.len(), introduction.left_out.len()), (INSTRUCTIONS_BYTES, 1));
}

#[test]
fn own_words_give_way_when_first_clauses_fill_the_list() {
    let own = format!("Does it. {} More.", "Word ".repeat(60).trim_end());
    let specs: Vec<ToolSpec> = (0..14).map(|n| spec(&format!("tool-{n:02}"), &own)).collect();
    let texts = specs.iter().map(|spec| clause(&spec.name, &"x".repeat(550))).collect();
    let introduction = compose("/srv", &specs, &[speaker("base", 0, "Base.", texts)]);
    assert!(introduction.list_bytes() <= LIST_BYTES, "{} bytes", introduction.list_bytes());
    for tool in &introduction.tools {
        let (own, first) = tool.description.split_once('\n').expect("two lines");
        assert!(own.starts_with("Does it.") && own.ends_with('.') && first.len() == 550, "{}", tool.description);
    }
    assert!(
        introduction.left_out.iter().any(|line| line == "the own description of tool `tool-13` is too long and is cut")
    );
}
