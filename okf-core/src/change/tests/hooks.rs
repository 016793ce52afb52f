//! Two hooks of a build: what they see, and what they may do.

use std::sync::Mutex;

use super::*;
use crate::bundle_path::BundlePath;
use crate::finding::{Finding, Location, Report, Severity};

/// A hook that writes some files and remembers what it saw.
struct Writes {
    name: &'static str,
    edits: Vec<FileEdit>,
    saw: Mutex<Vec<String>>,
}

impl Writes {
    fn new(name: &'static str, edits: &[FileEdit]) -> Self {
        Self { name, edits: edits.to_vec(), saw: Mutex::default() }
    }
}

impl Derive for Writes {
    fn name(&self) -> &str {
        self.name
    }

    fn derive(&self, candidate: &Candidate<'_>) -> Vec<FileEdit> {
        let paths: Vec<_> = candidate.bundle.files().keys().map(BundlePath::as_str).collect();
        let written: Vec<_> = candidate.written.iter().map(ToString::to_string).collect();
        let saw = format!("{} | {} | {}", paths.join(" "), written.join(" "), candidate.previous.files().len());
        self.saw.lock().unwrap().push(saw);
        self.edits.clone()
    }
}

/// A judge to whom every concept of type `Bad` is an error, and each of type `Odd` an advisory.
struct Taste;

impl Judge for Taste {
    fn name(&self) -> &str {
        "taste"
    }

    fn judge(&self, bundle: &Bundle) -> Judgement {
        let findings = bundle.concepts().filter_map(|concept| {
            let severity = match concept.metadata().concept_type.as_deref()? {
                "Bad" => Severity::Error,
                "Odd" => Severity::Advisory,
                _ => return None,
            };
            let location = Location { path: concept.path().to_string(), line: Some(2), column: None };
            Some(Finding { location: Some(location), id: "taste/type", message: "no taste".into(), severity })
        });
        Report::new(findings.collect()).into()
    }
}

fn edit(path: &str, before: Option<Revision>, text: &str) -> FileEdit {
    FileEdit { path: BundlePath::new(path).unwrap(), before, after: text.into() }
}

fn with(files: &Bundle, hooks: &[&dyn Derive]) -> Result<Prepared, PrepareError> {
    prepare(files, &create("new").into(), TODAY, hooks, &[])
}

fn typed(id: &str, concept_type: &str) -> Change {
    let fields = Fields { concept_type: Some(concept_type.into()), ..Fields::default() };
    Change::Create { id: id.into(), fields }
}

#[test]
fn hooks_add_files_once_and_all_see_the_same_candidate() {
    let files = bundle(&[("a.md", NOTE)]);
    let second = Writes::new("b", &[edit("derived/two.json", None, "{}")]);
    let first = Writes::new(
        "a",
        &[edit("derived/one.md", None, NOTE), edit("a.md", Some(Revision::of(NOTE.as_bytes())), NOTE)],
    );
    let prepared = with(&files, &[&second, &first]).unwrap();
    assert_eq!(prepared.changed_paths(), ["derived/one.md", "derived/two.json", "log.md", "new.md"]);
    for hook in [&first, &second] {
        assert_eq!(*hook.saw.lock().unwrap(), ["a.md log.md new.md | new | 1"]);
    }
    assert!(prepared.candidate().lookup("derived/one").is_ok(), "the candidate that is judged holds them");
    assert!(prepared.edits().iter().all(|edit| edit.before.is_none()));
}

#[test]
fn a_change_that_comes_to_nothing_asks_no_hook() {
    let hook = Writes::new("a", &[edit("x.json", None, "{}")]);
    let set = ChangeSet::from(update("a", Fields::default()));
    let prepared = prepare(&bundle(&[("a.md", NOTE)]), &set, TODAY, &[&hook], &[]).unwrap();
    assert_eq!(prepared.changed_paths(), [""; 0]);
    assert!(hook.saw.lock().unwrap().is_empty());
}

#[test]
fn a_hook_may_go_on_from_the_index_and_log_of_the_write() {
    let files = bundle(&[("log.md", "# Log\n"), ("a.md", NOTE)]);
    let logged = one(&files, create("new"));
    let log = text(&logged, "log.md");
    let hook = Writes::new("a", &[edit("log.md", Some(Revision::of(log.as_bytes())), "# Log\n\nReplaced.\n")]);
    let prepared = with(&files, &[&hook]).unwrap();
    assert_eq!(text(&prepared, "log.md"), "# Log\n\nReplaced.\n");
    let edit = prepared.edits().iter().find(|edit| edit.path.as_str() == "log.md").unwrap();
    assert_eq!(edit.before, Some(Revision::of(b"# Log\n")), "what is on disk, not what the hook saw");
}

#[test]
fn a_hook_that_breaks_the_rules_is_named() {
    let files = bundle(&[("a.md", NOTE), ("pic.png", "")]);
    let known = Some(Revision::of(NOTE.as_bytes()));
    let x = edit("x.json", None, "1");
    for (edits_a, edits_b, says) in [
        (vec![x.clone()], vec![x.clone()], "hooks `a` and `b` both edit `x.json`"),
        (vec![x.clone(), x.clone()], vec![], "hook `a` edits `x.json` twice"),
        (vec![], vec![edit("new.md", None, NOTE)], "hook `b` edits `new.md` as it is not"),
        (vec![edit("a.md", None, "x")], vec![], "hook `a` edits `a.md` as it is not"),
        (vec![edit("y.md", known, "x")], vec![], "hook `a` edits `y.md` as it is not"),
        (vec![edit("pic.png", None, "x")], vec![], "hook `a` edits `pic.png` as it is not"),
        (vec![edit(".git/config", None, "x")], vec![], "hook `a` edits `.git/config`, which is no part of the bundle"),
        (vec![edit("d/.okf-stage/x", None, "x")], vec![], "hook `a` edits `d/.okf-stage/x`, which is no part"),
        (vec![edit(".okf.lock", None, "x")], vec![], "hook `a` edits `.okf.lock`, which is no part"),
    ] {
        let (b, a) = (Writes::new("b", &edits_b), Writes::new("a", &edits_a));
        match with(&files, &[&b, &a]) {
            Err(PrepareError::Hook(error)) => assert!(error.to_string().starts_with(says), "{error}"),
            other => panic!("{says}: {other:?}"),
        }
    }
    let asset = edit("pic.png", known, "pixels");
    let prepared = with(&files, &[&Writes::new("a", std::slice::from_ref(&asset))]).unwrap();
    assert!(prepared.edits().contains(&asset), "a hook may know the content of an asset");
}

#[test]
fn an_error_that_a_hook_brings_in_refuses() {
    let hook = Writes::new("a", &[edit("sub/log.md", None, "# Log\n\n## 2026-13-01\n* x\n")]);
    match with(&bundle(&[("a.md", NOTE)]), &[&hook]) {
        Err(PrepareError::Refused(refusal)) => assert_eq!(refusal.spec.findings()[0].id, "okf/invalid-log-date"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_judge_refuses_by_the_same_rule_apart_from_the_specification() {
    let files = bundle(&[("old.md", "---\ntype: Bad\n---\n"), ("a.md", NOTE)]);
    let judged = |change: Change| prepare(&files, &change.into(), TODAY, &[], &[&Taste]);
    let refused = |change: Change| match judged(change) {
        Err(PrepareError::Refused(refusal)) => refusal,
        other => panic!("{other:?}"),
    };
    let refusal = refused(typed("new", "Bad"));
    assert_eq!(refusal.spec, Report::default());
    let [(name, judgement)] = &refusal.judges[..] else { panic!("{refusal:?}") };
    let report = judgement.report();
    let place = |finding: &Finding| finding.location.as_ref().map(|location| location.path.clone());
    assert_eq!((name.as_str(), report.findings().len()), ("taste", 1));
    assert_eq!(place(&report.findings()[0]).as_deref(), Some("new.md"), "the old error is not why");
    assert_eq!(refused(update("old", titled("T"))).judges.len(), 1, "an old error in a named concept");
    let prepared = judged(typed("new", "Odd")).unwrap();
    let [(name, judgement)] = prepared.judgements() else { panic!("{prepared:?}") };
    let counts = (judgement.report().errors(), judgement.report().advisories());
    assert_eq!((name.as_str(), counts), ("taste", (1, 1)), "the overlaid candidate is judged");
    assert_eq!(judgement.verdict(), ProfileVerdict::Fail);
    assert_eq!(prepared.preexisting(), &Report::default(), "the specification's alone");
}

#[test]
fn a_hook_may_complete_a_concept_of_the_write() {
    let files = bundle(&[("a.md", NOTE)]);
    let created = one(&files, create("new"));
    let before = Revision::of(text(&created, "new.md").as_bytes());
    let hook = Writes::new("a", &[edit("new.md", Some(before), "---\ntype: Note\nstatus: draft\n---\n")]);
    let prepared = with(&files, &[&hook]).unwrap();
    assert_eq!(text(&prepared, "new.md"), "---\ntype: Note\nstatus: draft\n---\n");
    let edit = prepared.edits().iter().find(|edit| edit.path.as_str() == "new.md").unwrap();
    assert_eq!(edit.before, None, "there is nothing on disk yet");
}

/// A judge that says the same of every bundle that holds a file, and passes any other.
struct Says(&'static str, Judgement);

impl Judge for Says {
    fn name(&self) -> &str {
        "says"
    }

    fn judge(&self, bundle: &Bundle) -> Judgement {
        let holds = bundle.document(self.0).is_some();
        if holds { self.1.clone() } else { Judgement::of(Report::default()) }
    }
}

#[test]
fn a_write_may_not_take_the_verdict_away() {
    let unknown = Judgement::unsupported_release(Report::default());
    let files = bundle(&[("a.md", NOTE)]);
    let prepared = |judge: &Says| prepare(&files, &create("new").into(), TODAY, &[], &[judge]);
    match prepared(&Says("new.md", unknown.clone())) {
        Err(PrepareError::Refused(refusal)) => {
            assert_eq!(refusal.to_string(), "`says` could no longer judge the bundle: unsupported-release");
            assert_eq!(refusal.judges, [("says".to_owned(), unknown.clone())]);
        }
        other => panic!("{other:?}"),
    }
    let judgements = prepared(&Says("a.md", unknown.clone())).unwrap().judgements().to_vec();
    assert_eq!(judgements, [("says".to_owned(), unknown)], "what was not judged before does not block");
}

#[test]
fn a_judge_speaks_in_its_own_namespace() {
    for id in ["okf/missing-type", "says", "saysmore/x"] {
        let finding = Finding { location: None, id, message: "m".into(), severity: Severity::Advisory };
        let judge = Says("new.md", Report::new(vec![finding]).into());
        match prepare(&bundle(&[("a.md", NOTE)]), &create("new").into(), TODAY, &[], &[&judge]) {
            Err(PrepareError::Hook(error)) => {
                assert_eq!(error.to_string(), format!("hook `says` reports `{id}`, which is not in its namespace"));
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Hooks that panic, each in its own way.
struct Panics;

impl Derive for Panics {
    fn name(&self) -> &str {
        "panics"
    }

    fn derive(&self, candidate: &Candidate<'_>) -> Vec<FileEdit> {
        panic!("no files for {}", candidate.written[0])
    }
}

impl Judge for Panics {
    fn name(&self) -> &str {
        "panics"
    }

    fn judge(&self, _: &Bundle) -> Judgement {
        std::panic::panic_any(7)
    }
}

#[test]
fn a_hook_that_panics_is_an_error_with_its_name() {
    let files = bundle(&[("a.md", NOTE)]);
    let prepared = |derive: &[&dyn Derive], judges: &[&dyn Judge]| {
        prepare(&files, &create("new").into(), TODAY, derive, judges).unwrap_err().to_string()
    };
    assert_eq!(prepared(&[&Panics], &[]), "hook `panics` panicked: no files for new");
    assert_eq!(prepared(&[], &[&Panics]), "hook `panics` panicked: without a message");
    assert_eq!(judge(&Panics, &files).unwrap_err().hook(), "panics");
}
