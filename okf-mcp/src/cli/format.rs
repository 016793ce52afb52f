//! `okf format`.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use okf_core::bundle::{Bundle, Role};
use okf_core::bundle_path::BundlePath;
use okf_core::disk::{Directory, EntryKind, FileEdit, WriteLock};
use okf_core::document::{Document, EditError, FormatOptions, Revision, format};
use okf_core::finding::Escaped;

use super::write::refusal;
use super::{Failure, Invocation};
use crate::discovery;
use crate::registry::Registry;

/// Bring concepts into canonical form
///
/// Keys are put in order and values in block style; comments stay. What cannot be kept in that form, such as
/// anchors, tags and merge keys, leaves its file alone and is reported; so is a file that may not be written.
/// Indexes and logs are not touched.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Write nothing; list the files that are not in canonical form and exit with 1 when there are any
    #[arg(long)]
    check: bool,
    /// Turn the `timestamp` of OKF v0.1 into `generated`
    #[arg(long)]
    migrate_timestamps: bool,
    /// A file or a bundle; without it, the bundle found from the working directory
    #[arg(value_name = "FILE|BUNDLE")]
    target: Option<PathBuf>,
}

/// What is to be formatted.
enum Target {
    /// All concepts of the bundle at a root.
    Bundle(PathBuf),
    /// One file of the bundle at a root.
    File { root: PathBuf, path: BundlePath },
}

/// What came of the files.
#[derive(Default)]
struct Outcome {
    edits: Vec<FileEdit>,
    /// Path and reason of the files that cannot be read.
    unreadable: Vec<(String, String)>,
    /// Path and reason of the files that canonical form would take something from.
    left_alone: Vec<(String, String)>,
    /// Path and reason of the files that may not be written.
    unwritable: Vec<(String, String)>,
}

pub(super) fn run(args: &Args, invocation: &Invocation) -> Result<ExitCode, Failure> {
    let profiles = Registry::linked()?.profiles;
    let target = Target::find(args.target.as_deref(), invocation)?;
    let options = FormatOptions { migrate_timestamps: args.migrate_timestamps };
    let mut outcome = target.format(options, |root| invocation.load(Some(root)))?;
    if !args.check && !outcome.edits.is_empty() {
        let mut lock = invocation.lock(target.root())?;
        // What was read without the lock may have changed since.
        outcome = target.format(options, |_| Ok(lock.bundle()?))?;
        outcome.set_unwritable_aside(&lock);
        if !profiles.is_empty()
            && let Some(refusal) = refusal(&profiles, &lock.bundle()?, &outcome.edits)?
        {
            invocation.report_refusal(&refusal);
            return Ok(ExitCode::from(1));
        }
        lock.commit(&outcome.edits)?;
    }
    print(&outcome, args.check, invocation)
}

/// The files that change on stdout, one a line; what was left alone, and why, on stderr.
fn print(outcome: &Outcome, is_check: bool, invocation: &Invocation) -> Result<ExitCode, Failure> {
    let mut out = io::stdout().lock();
    for edit in &outcome.edits {
        writeln!(out, "{}", Escaped(edit.path.as_str()))?;
    }
    out.flush()?;
    for (path, reason) in outcome.unreadable.iter().chain(&outcome.left_alone).chain(&outcome.unwritable) {
        invocation.warn(&format!("left alone: {}: {}", Escaped(path), Escaped(reason)));
    }
    let (unreadable, unwritable) = (outcome.unreadable.len(), outcome.unwritable.len());
    let stale = if is_check { outcome.edits.len() } else { 0 };
    let counted = [
        (stale, "not in canonical form"),
        (unreadable, "that cannot be formatted"),
        (unwritable, "that cannot be written"),
    ];
    let parts = counted.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} file(s) {what}"));
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    invocation.warn(&parts.join(", "));
    Ok(ExitCode::from(1))
}

impl Target {
    fn find(given: Option<&Path>, invocation: &Invocation) -> Result<Self, Failure> {
        let Some(given) = given.filter(|given| !invocation.directory.join(given).is_dir()) else {
            return Ok(Self::Bundle(discovery::find(&invocation.directory, given)?));
        };
        let shown = Escaped(&given.to_string_lossy()).to_string();
        let path = invocation.directory.join(given);
        let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(Failure::new(format!("`{shown}` is no file")));
        };
        let directory = okf_core::disk::resolve_root(directory)?;
        match Directory::open(&directory)?.entry_kind(name) {
            Some(EntryKind::File) => {}
            None => return Err(Failure::new(format!("`{shown}` does not exist"))),
            Some(_) => return Err(Failure::new(format!("`{shown}` is no regular file"))),
        }
        let root = root_above(&directory);
        let path = directory.join(name);
        let path = path.strip_prefix(&root).ok().and_then(Path::to_str).unwrap_or_default();
        let path = BundlePath::new(path).map_err(|error| Failure::new(format!("`{shown}`: a path {error}")))?;
        match Role::of(path.as_str()) {
            Role::Concept => Ok(Self::File { root, path }),
            Role::Asset => Err(Failure::new(format!("`{shown}` is not Markdown")).with_hint("its name ends in `.md`")),
            Role::Index | Role::Log => Err(Failure::new(format!("`{shown}` is a reserved file, not a concept"))
                .with_hint("`index` keeps indexes up to date")),
        }
    }

    fn root(&self) -> &Path {
        match self {
            Self::Bundle(root) | Self::File { root, .. } => root,
        }
    }

    fn format(
        &self,
        options: FormatOptions,
        load: impl FnOnce(&Path) -> Result<Bundle, Failure>,
    ) -> Result<Outcome, Failure> {
        let mut outcome = Outcome::default();
        match self {
            Self::Bundle(root) => {
                let bundle = load(root)?;
                for path in bundle.concept_paths() {
                    if let Some(document) = bundle.document(path.as_str()) {
                        outcome.add(document, options);
                    }
                }
                let is_document = |path: &str| bundle.document(path).is_some();
                for file in bundle.unreadable().into_iter().filter(|file| !is_document(&file.path)) {
                    outcome.unreadable.push((file.path, file.message));
                }
            }
            Self::File { root, path } => {
                let bytes = Directory::open(root)?.head(Path::new(path.as_str()), usize::MAX);
                let Some(bytes) = bytes else {
                    return Err(Failure::new(format!("cannot read `{}`", Escaped(path.as_str()))));
                };
                match Document::parse(path.clone(), bytes) {
                    Ok(document) => outcome.add(&document, options),
                    Err(at) => {
                        outcome.unreadable.push((path.as_str().to_owned(), format!("not UTF-8 at byte {at}")));
                    }
                }
            }
        }
        Ok(outcome)
    }
}

impl Outcome {
    /// Takes out the edits of files that may not be written, so that they do not keep the others from being made.
    fn set_unwritable_aside(&mut self, lock: &WriteLock) {
        self.edits.retain(|edit| match lock.unwritable(&edit.path) {
            None => true,
            Some(reason) => {
                self.unwritable.push((edit.path.as_str().to_owned(), reason.to_string()));
                false
            }
        });
    }

    fn add(&mut self, document: &Document, options: FormatOptions) {
        let path = document.path();
        let with_reason = |error: EditError| (path.as_str().to_owned(), error.to_string());
        match format(document, options) {
            Ok(after) => {
                let edit = FileEdit { path: path.clone(), before: Some(document.revision()), after };
                if Revision::of(&edit.after) != document.revision() {
                    self.edits.push(edit);
                }
            }
            Err(error @ (EditError::Unreadable(_) | EditError::NoFrontmatter)) => {
                self.unreadable.push(with_reason(error));
            }
            Err(error) => self.left_alone.push(with_reason(error)),
        }
    }
}

/// The root of the bundle that a directory lies in: the nearest one that is a bundle root or has been
/// written to; without any, the directory itself.
fn root_above(directory: &Path) -> PathBuf {
    let is_root = |directory: &&Path| {
        let was_written_to = Directory::open(directory)
            .is_ok_and(|here| here.entry_kind(OsStr::new(".okf.lock")) == Some(EntryKind::File));
        was_written_to || discovery::is_bundle_root(directory)
    };
    directory.ancestors().find(is_root).unwrap_or(directory).to_owned()
}
