//! `okf init`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use okf_core::bundle::Bundle;
use okf_core::bundle_path::BundlePath;
use okf_core::concept_id::ConceptId;
use okf_core::disk::make_root;
use okf_core::document::compose;
use okf_core::finding::Escaped;
use okf_core::index::generate;
use okf_core::log::{Action, LogEntry, insert};
use okf_core::markdown::escape_heading;
use okf_core::timestamp::day;

use super::write::edits;
use super::{Failure, Invocation};
use crate::identity::title::directory_name;

/// The first concept.
const FIRST: &str = "getting-started";
const TITLE: &str = "Getting started";
const DESCRIPTION: &str = "How this bundle is laid out, and how to keep it right.";
const BODY: &str = include_str!("init/getting_started.md");

/// Start a new bundle
///
/// Writes an index that declares the version of the format, a first concept and a log.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A new or an empty directory [default: the working directory]
    // Not `directory`, which is the name of `-C`.
    #[arg(value_name = "DIR")]
    place: Option<PathBuf>,
}

pub(super) fn run(args: &Args, invocation: &Invocation) -> Result<ExitCode, Failure> {
    let directory = match &args.place {
        Some(place) => invocation.directory.join(place),
        None => invocation.directory.clone(),
    };
    let root = make_root(&directory)?;
    let mut lock = invocation.lock(&root)?;
    let files = files(&directory_name(&root), invocation);
    let bundle = lock.bundle()?;
    lock.commit(&edits(&bundle, files.clone()))?;
    let mut out = io::stdout().lock();
    writeln!(out, "started a bundle in {}", Escaped(&root.to_string_lossy()))?;
    for (path, _) in &files {
        writeln!(out, "created {path}")?;
    }
    writeln!(
        out,
        "commands that write keep `.okf.lock` there, and `.okf-stage/` while they work; \
         to keep both out of version control, add these lines to .gitignore:\n.okf.lock\n.okf-stage/"
    )?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// The files of a new bundle, by path.
fn files(title: &str, invocation: &Invocation) -> Vec<(BundlePath, Vec<u8>)> {
    let id = ConceptId::new(FIRST).expect("it obeys the rules of concept IDs");
    let fields = [("type", "Guide"), ("title", TITLE), ("description", DESCRIPTION)];
    let concept = compose(
        &fields.map(|(key, value)| (key.to_owned(), value.into())),
        &BODY.replace("{product}", invocation.product.name),
    );
    let entry = LogEntry { action: Action::Created, title: TITLE.to_owned(), id: id.clone(), detail: None };
    let log = insert(None, day(invocation.clock.now()), &[entry]).expect("there is no log that could be unreadable");
    let frame = format!("---\nokf_version: \"0.2\"\n---\n\n# {}\n", escape_heading(title));
    let bundle =
        Bundle::from_files([(id.path().to_string(), concept.clone()), ("index.md".to_owned(), frame.into_bytes())]);
    let index = generate(&bundle.expect("the paths obey the rules"), "");
    let path = |path: &str| BundlePath::new(path).expect("it obeys the path rules");
    vec![(id.path(), concept), (path("index.md"), index.into_bytes()), (path("log.md"), log)]
}
