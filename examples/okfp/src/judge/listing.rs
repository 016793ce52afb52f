//! The rules about indexes: one in every directory that is not empty, and exact.

use std::collections::{BTreeMap, BTreeSet};

use okf_core::bundle::{Bundle, File};
use okf_core::document::Document;
use okf_core::index::IndexDocument;
use okf_core::link::{Origin, Resolution, Resolver};

use super::Findings;
use crate::rules;

/// Most names in a message.
const NAMED: usize = 5;

/// Checks every directory that holds a concept or an index at any depth.
pub(super) fn check(bundle: &Bundle, findings: &mut Findings) {
    let resolver = Resolver::new(bundle);
    for (directory, wanted) in contents(bundle) {
        let path = if directory.is_empty() { "index.md".to_owned() } else { format!("{directory}/index.md") };
        let Some(document) = bundle.document(&path) else {
            // One that is there and cannot be read is the specification's to report.
            if !bundle.files().contains_key(path.as_str()) {
                let message = "the directory has no index: `okfp index` makes it, and so does a write where \
                               `profile.md` declares the profile";
                findings.add(rules::MISSING_INDEX, &path, 1, message.to_owned());
            }
            continue;
        };
        if let Some(message) = difference(&wanted, &listed(&resolver, document)) {
            findings.add(rules::INDEX_DIFFERS, &path, 1, message);
        }
    }
}

/// What the index of each directory has to list: paths of concepts, and of directories with a `/`.
fn contents(bundle: &Bundle) -> BTreeMap<&str, BTreeSet<String>> {
    let mut contents = BTreeMap::<&str, BTreeSet<String>>::new();
    for (path, file) in bundle.files().iter() {
        let path = path.as_str();
        let mut directory = parent(path);
        match file {
            File::Concept(_) => {
                contents.entry(directory).or_default().insert(path.to_owned());
            }
            File::Index(_) => {
                contents.entry(directory).or_default();
            }
            File::Log(_) | File::Asset => continue,
        }
        while !directory.is_empty() {
            let above = parent(directory);
            contents.entry(above).or_default().insert(format!("{directory}/"));
            directory = above;
        }
    }
    contents
}

/// What an index lists, in the same form; what leads nowhere as it is written.
fn listed(resolver: &Resolver<'_>, document: &Document) -> Vec<String> {
    let index = IndexDocument::read(document.body(), &document.structure());
    let mut listed: Vec<String> = index.entries().map(|entry| target(resolver, document, &entry.destination)).collect();
    listed.sort_unstable();
    listed
}

fn target(resolver: &Resolver<'_>, document: &Document, destination: &str) -> String {
    let resolved = resolver.resolve(document.path().as_str(), Origin::Body, destination);
    match resolved.and_then(|resolved| Some((resolved.resolution, resolved.path?))) {
        Some((Resolution::Concept, path)) => path,
        Some((_, path)) if path.ends_with("/index.md") => format!("{}/", parent(&path)),
        Some((_, path)) if !path.is_empty() && resolver.bundle().has_directory(path.trim_end_matches('/')) => {
            format!("{}/", path.trim_end_matches('/'))
        }
        _ => destination.to_owned(),
    }
}

/// How a sorted list differs from what is wanted; `None` when it does not.
fn difference(wanted: &BTreeSet<String>, listed: &[String]) -> Option<String> {
    let missing: Vec<&str> =
        wanted.iter().filter(|name| listed.binary_search(name).is_err()).map(String::as_str).collect();
    let is_twice = |at: usize| at > 0 && listed[at - 1] == listed[at];
    let surplus = listed.iter().enumerate().filter(|(at, name)| !wanted.contains(*name) || is_twice(*at));
    let surplus: Vec<&str> = surplus.map(|(_, name)| name.as_str()).collect();
    let said = [("does not list", missing), ("should not list, or not twice,", surplus)];
    let said: Vec<String> = said
        .iter()
        .filter(|(_, names)| !names.is_empty())
        .map(|(verb, names)| format!("{verb} {}", shown(names)))
        .collect();
    (!said.is_empty()).then(|| format!("the index {}; `okfp index --regenerate` puts it right", said.join(" and ")))
}

fn shown(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(NAMED);
    if more == 0 { shown.join(", ") } else { format!("{} and {more} more", shown.join(", ")) }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}
