//! Who is admitted, and what profiles are asked.

use okf_core::bundle::Bundle;
use okf_core::change::{Candidate, Derive, Judge, Judgement};
use okf_core::disk::FileEdit;
use okf_core::finding::{Finding, Report, Severity};

use super::*;
use crate::provider::ProfileProvider;

/// A profile under a name whose release and derive hook are made up by a table.
struct Convention {
    name: &'static str,
    release: fn() -> &'static str,
    hook: Option<&'static dyn Derive>,
}

impl Judge for Convention {
    fn name(&self) -> &str {
        self.name
    }

    fn judge(&self, bundle: &Bundle) -> Judgement {
        assert!(bundle.concept_count() > 0, "nothing to judge");
        let finding =
            Finding { location: None, id: "house/rule", message: "m".to_owned(), severity: Severity::Advisory };
        Report::new(vec![finding]).into()
    }
}

impl ProfileProvider for Convention {
    fn release(&self) -> &str {
        (self.release)()
    }

    fn judge(&self) -> &dyn Judge {
        self
    }

    fn derive(&self) -> Option<&dyn Derive> {
        self.hook.map(|hook| hook as &dyn Derive)
    }
}

struct Nothing(&'static str);

impl Derive for Nothing {
    fn name(&self) -> &str {
        self.0
    }

    fn derive(&self, _: &Candidate<'_>) -> Vec<FileEdit> {
        Vec::new()
    }
}

fn profile_from(crate_name: &'static str, provider: &'static dyn ProfileProvider) -> Registration {
    Registration { crate_name, provider: Provider::Profile(provider) }
}

fn fails(registrations: &[Registration]) -> String {
    Registry::from(registrations).err().expect("a start-up error").to_string()
}

#[test]
fn profiles_come_by_name_and_are_asked_in_that_order() {
    static B: Convention = Convention { name: "house", release: || "2", hook: Some(&Nothing("house")) };
    static A: Convention = Convention { name: "garden", release: || "1", hook: None };
    let bundle = Bundle::from_files([("a.md", "---\ntype: Note\n---\n")]).expect("a good path");
    let profiles = Registry::from(&[profile_from("x", &B)]).expect("one profile").profiles;
    let judged = profiles.judge(&bundle).expect("it judges");
    assert_eq!((judged[0].name, judged[0].release, judged[0].has_errors()), ("house", "2", false));
    assert_eq!((profiles.judges().len(), profiles.derives().len()), (1, 1));
    let both = Registry::from(&[profile_from("x", &B), profile_from("y", &A)]).expect("two profiles").profiles;
    assert_eq!(both.iter().map(|(crate_name, _)| crate_name).collect::<Vec<_>>(), ["y", "x"]);
    assert_eq!((both.release("house"), both.release("okf")), (Some("2"), None));
    let foreign = both.judge(&bundle).expect_err("`garden` speaks for `house`").to_string();
    assert_eq!(
        foreign,
        "profile `garden` (crate `y`): hook `garden` reports `house/rule`, which is not in its namespace"
    );
    let empty = Bundle::from_files([] as [(&str, &str); 0]).expect("no path");
    let panicked = profiles.judge(&empty).expect_err("it panics").to_string();
    assert_eq!(panicked, "profile `house` (crate `x`) panicked: nothing to judge");
}

#[test]
fn profiles_that_do_not_fit_stop_the_start() {
    static HOUSE: Convention = Convention { name: "house", release: || "1", hook: None };
    static OKF: Convention = Convention { name: "okf", release: || "1", hook: None };
    static SHOUTS: Convention = Convention { name: "House", release: || "1", hook: None };
    static UNDATED: Convention = Convention { name: "house", release: || " ", hook: None };
    static PANICS: Convention = Convention { name: "house", release: || panic!("no release"), hook: None };
    static MASKED: Convention = Convention { name: "house", release: || "1", hook: Some(&Nothing("garden")) };
    let twice = fails(&[profile_from("zebra", &HOUSE), profile_from("ant", &HOUSE)]);
    assert!(
        twice.starts_with("two profiles are named `house`: one from crate `ant`, one from crate `zebra`"),
        "{twice}"
    );
    for (profile, expected) in [
        (&OKF, "profile `okf` (crate `x`): its name, the namespace of its findings, must be"),
        (&SHOUTS, "profile `House` (crate `x`): its name"),
        (&UNDATED, "profile `house` (crate `x`): its release must be one line of text"),
        (&PANICS, "profile `house` (crate `x`) panicked: no release"),
        (&MASKED, "profile `house` (crate `x`): its hook is named `garden`"),
    ] {
        let message = fails(&[profile_from("x", profile)]);
        assert!(message.starts_with(expected), "expected {expected:?}, got {message:?}");
    }
}

/// An identity provider that panics at what it is told to.
struct Fragile(&'static str);

impl IdentityProvider for Fragile {
    fn name(&self) -> &str {
        assert!(self.0 != "name", "no name");
        "fragile"
    }

    fn rank(&self) -> i32 {
        assert!(self.0 != "rank", "no rank");
        1
    }
}

#[test]
fn a_provider_that_cannot_say_who_it_is_stops_the_start() {
    static NAMELESS: Fragile = Fragile("name");
    static RANKLESS: Fragile = Fragile("rank");
    static EMPTY: Named = Named(" ", 0);
    for (provider, expected) in [
        (
            identity_from("x", &NAMELESS),
            "the name of a provider of crate `x` (identity provider) cannot be had, it panicked: no name",
        ),
        (identity_from("x", &RANKLESS), "identity provider `fragile` (crate `x`) panicked: no rank"),
        (identity_from("x", &EMPTY), "identity provider ` ` (crate `x`): its name is empty"),
    ] {
        assert_eq!(fails(&[provider]), expected);
    }
}

#[test]
fn a_tool_that_is_no_good_is_named_with_its_provider_and_crate() {
    static SHOUTING: Offering = Offering("bad", || vec![tool("SHOUT")]);
    static SILENT: Offering = Offering("bad", || {
        let mut silent = tool("silent");
        silent.spec.description = " ".to_owned();
        vec![silent]
    });
    static OPEN: Offering = Offering("bad", || {
        let mut open = tool("open");
        open.spec.input_schema.remove("additionalProperties");
        vec![open]
    });
    for (provider, expected) in [
        (&SHOUTING, "tool `SHOUT` of provider `bad` (crate `x`): its name must be"),
        (&SILENT, "tool `silent` of provider `bad` (crate `x`): its description is empty"),
        (&OPEN, "tool `open` of provider `bad` (crate `x`): input schema: `#` must be closed"),
    ] {
        let message = tools_of(&[tools_from("x", provider)]).err().expect("a start-up error");
        assert!(message.starts_with(expected), "{message}");
    }
}
