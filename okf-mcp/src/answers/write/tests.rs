//! A write in a build with a profile, by a server in this process.

use std::collections::BTreeMap;
use std::path::Path;

use okf_core::bundle::Bundle;
use okf_core::change::{Candidate, Derive, Fields, Judge};
use okf_core::disk::FileEdit;
use okf_core::finding::{Finding, Location, Report, Severity};
use serde_json::json;

use super::*;
use crate::answers::page::PAGE_BUDGET;
use crate::identity::BundleIdentity;
use crate::in_process::InProcess;
use crate::provider::{ProfileProvider, Provider, Registration, ToolProvider};
use crate::registry::Registry;
use crate::tool::{Effect, Tool, ToolSpec, object_schema};

/// Offers one tool: a new concept under an ID.
struct Writing;

impl ToolProvider for Writing {
    fn name(&self) -> &str {
        "writing"
    }

    fn tools(&self, _: &BundleIdentity) -> Vec<Tool> {
        let spec = ToolSpec {
            name: "create".to_owned(),
            title: "Create".to_owned(),
            description: "Creates.".to_owned(),
            input_schema: object_schema(json!({"id": {"type": "string", "description": "An ID."}}), &["id"]),
            effect: Effect::Write { destructive: false, idempotent: false },
            search_hint: None,
            always_load: false,
            max_result_chars: None,
        };
        let create = |context: &Context<'_>, arguments: crate::tool::Arguments| {
            let id = arguments.0["id"].as_str().unwrap_or_default().to_owned();
            let fields = Fields { concept_type: Some("Note".to_owned()), ..Fields::default() };
            write(context, Change::Create { id, fields })
        };
        vec![Tool::new(spec, create)]
    }
}

/// A profile whose hooks do what the ID of a concept in the bundle says.
struct Told;

fn holds(bundle: &Bundle, id: &str) -> bool {
    bundle.lookup(id).is_ok()
}

impl Judge for Told {
    fn name(&self) -> &str {
        "told"
    }

    fn judge(&self, bundle: &Bundle) -> Judgement {
        assert!(!holds(bundle, "judge-panics"), "told to");
        let finding = |n: usize| Finding {
            location: Some(Location { path: format!("{n}.md"), line: Some(1), column: None }),
            id: "told/many",
            message: "m".repeat(600),
            severity: Severity::Error,
        };
        let count = if holds(bundle, "many") { 1_000 } else { 0 };
        Report::new((0..count).map(finding).collect()).into()
    }
}

impl Derive for Told {
    fn name(&self) -> &str {
        "told"
    }

    fn derive(&self, candidate: &Candidate<'_>) -> Vec<FileEdit> {
        assert!(!holds(candidate.bundle, "derive-panics"), "told to");
        Vec::new()
    }
}

impl ProfileProvider for Told {
    fn release(&self) -> &str {
        "1"
    }

    fn judge(&self) -> &dyn Judge {
        self
    }

    fn derive(&self) -> Option<&dyn Derive> {
        Some(self)
    }
}

fn served(root: &Path) -> InProcess {
    std::fs::write(root.join("a.md"), "---\ntype: Note\n---\n").expect("a writable directory");
    let registrations = [
        Registration { crate_name: "tools", provider: Provider::Tools(&Writing) },
        Registration { crate_name: "house", provider: Provider::Profile(&Told) },
    ];
    let registry = Registry::from(&registrations).expect("two providers");
    InProcess::open(crate::Product { name: "test", version: "0" }, registry, root).expect("a server")
}

/// Every file with its bytes, but for the lock.
fn files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(root).expect("a directory").map(|entry| entry.expect("an entry").path());
    let file = |path: std::path::PathBuf| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        (name != ".okf.lock").then(|| (name, std::fs::read(&path).expect("a file")))
    };
    entries.filter_map(file).collect()
}

#[test]
fn a_hook_that_panics_refuses_the_write_by_name_and_leaves_server_and_bundle_as_they_were() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let server = served(directory.path());
    let create = |id: &str| server.call("create", json!({ "id": id }));
    // Before there is a lock file the change is tried out without one, and afterwards it is made under the lock.
    for id in ["first", "second"] {
        let before = files(directory.path());
        for panicking in ["judge-panics", "derive-panics"] {
            let error = create(panicking).expect_err("a hook panics");
            assert_eq!(error.message, "nothing was written: profile `told` (crate `house`) panicked: told to");
            assert_eq!((error.report, files(directory.path())), (None, before.clone()));
        }
        create(id).expect("the next call works");
    }
}

#[test]
fn a_refusal_for_many_reasons_is_a_page_of_them_with_their_number() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let error = served(directory.path()).call("create", json!({"id": "many"})).expect_err("the profile refuses");
    assert!(error.message.starts_with("refused, nothing was written: the bundle would hold 1000 errors"));
    assert!(error.message.len() < 1_000, "{}", error.message.len());
    let report = error.report.expect("a report");
    assert!(report.len() <= PAGE_BUDGET + 1_000, "{}", report.len());
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    let shown = report["profiles"][0]["report"]["findings"].as_array().expect("findings");
    assert!(shown.len() > 20 && shown.len() < 1_000, "{}", shown.len());
    assert_eq!((&report["findings_total"], &report["profiles"][0]["verdict"]), (&json!(1_000), &json!("fail")));
}
