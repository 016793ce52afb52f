//! `okf index`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use okf_core::bundle::{Bundle, File};
use okf_core::bundle_path::BundlePath;
use okf_core::document::Revision;
use okf_core::finding::Escaped;
use okf_core::index::{IndexPlan, declare_version, plan};

use super::write::{edits, refusal};
use super::{Failure, Invocation};
use crate::registry::Registry;

/// Bring the indexes of a bundle up to date
///
/// An index that was generated is generated anew. In any other, entries that are missing are added and those
/// whose target is gone are dropped; everything else stays as people wrote it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Change nothing; list the indexes that are out of date, and exit with 1 when there are any
    #[arg(long)]
    check: bool,
    /// Generate every index anew, whatever people wrote in it
    #[arg(long)]
    regenerate: bool,
    /// Declare this version of the format in the root index
    #[arg(long, value_name = "VERSION", value_parser = ["0.1", "0.2"])]
    declare_version: Option<String>,
    /// The bundle; without it, the one found from the working directory
    bundle: Option<PathBuf>,
}

pub(super) fn run(args: &Args, invocation: &Invocation) -> Result<ExitCode, Failure> {
    let profiles = Registry::linked()?.profiles;
    let bundle = invocation.load(args.bundle.as_deref())?;
    let mut plan = args.plan(&bundle)?;
    let mut is_new: Vec<bool> = Vec::new();
    if !args.check && !plan.changes.is_empty() {
        let mut lock = invocation.lock(bundle.root())?;
        // What was read without the lock may have changed since.
        let bundle = lock.bundle()?;
        plan = args.plan(&bundle)?;
        let edits = edits(&bundle, plan.changes.clone());
        if let Some(refusal) = refusal(&profiles, &bundle, &edits)? {
            invocation.report_refusal(&refusal);
            return Ok(ExitCode::from(1));
        }
        is_new = edits.iter().map(|edit| edit.before.is_none()).collect();
        lock.commit(&edits)?;
    }
    let mut out = io::stdout().lock();
    for (at, (path, _)) in plan.changes.iter().enumerate() {
        let done = match is_new.get(at) {
            None => "",
            Some(true) => "created ",
            Some(false) => "updated ",
        };
        writeln!(out, "{done}{}", Escaped(path.as_str()))?;
    }
    out.flush()?;
    for (path, reason) in &plan.left_alone {
        invocation.warn(&format!("`{}` is left as it is: {}", Escaped(path), Escaped(reason)));
    }
    if args.check && !plan.changes.is_empty() {
        invocation.warn(&format!("{} index(es) out of date; run `index` without `--check`", plan.changes.len()));
    }
    let failed = !plan.left_alone.is_empty() || args.check && !plan.changes.is_empty();
    Ok(ExitCode::from(u8::from(failed)))
}

impl Args {
    /// The files that a run changes.
    fn plan(&self, bundle: &Bundle) -> Result<IndexPlan, Failure> {
        let Some(version) = &self.declare_version else { return Ok(plan(bundle, self.regenerate)) };
        let root = BundlePath::new("index.md").expect("it obeys the path rules");
        let document = bundle.document(root.as_str()).map(AsRef::as_ref);
        if document.is_none() && matches!(bundle.files().get(&root), Some(File::Index(_))) {
            return Err(Failure::new("`index.md` cannot declare a version: it cannot be read; see `validate`"));
        }
        let declared = declare_version(document, version)
            .map_err(|error| Failure::new(format!("`index.md` cannot declare a version: {error}")))?;
        let declared = edits(bundle, vec![(root, declared)]);
        let mut plan = plan(&bundle.with_files(&declared), self.regenerate);
        for edit in declared {
            let is_same = bundle
                .document(edit.path.as_str())
                .is_some_and(|document| document.revision() == Revision::of(&edit.after));
            if !is_same && !plan.changes.iter().any(|(path, _)| *path == edit.path) {
                plan.changes.push((edit.path, edit.after));
            }
        }
        plan.changes.sort();
        Ok(plan)
    }
}
