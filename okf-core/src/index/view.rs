//! What the directories of one state of a bundle list.

use std::collections::{BTreeSet, HashMap};

use super::IndexDocument;
use crate::bundle::names::fold;
use crate::bundle::{Bundle, File};
use crate::document::{Document, Head};
use crate::link::{Origin, Resolution, Resolver, encode};
use crate::markdown::one_line;

/// The section of the directories.
pub(super) const SUBDIRECTORIES: &str = "Subdirectories";

/// The section of the concepts without a type.
const OTHER: &str = "Other";

/// Most titles that a directory's description names.
const NAMED: usize = 5;

/// An entry as generation writes it, all of it plain text on one line; sorted as it is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Item {
    pub(super) section: String,
    pub(super) title: String,
    /// Percent-encoded, relative to the directory.
    pub(super) link: String,
    /// Empty when there is none.
    pub(super) description: String,
}

/// Where an entry leads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    /// To the concept at a path.
    Concept(String),
    /// To a directory, or the index in it.
    Directory(String),
    /// To nothing in the bundle.
    Gone,
    /// Elsewhere: to a file, out of the bundle, or to what the bundle does not know.
    Other(Option<String>),
}

/// One state of a bundle, with what its directories say about themselves worked out once.
#[derive(Debug)]
pub(super) struct View<'a> {
    resolver: Resolver<'a>,
    descriptions: HashMap<String, String>,
}

impl<'a> View<'a> {
    pub(super) fn new(bundle: &'a Bundle) -> Self {
        Self { resolver: Resolver::new(bundle), descriptions: HashMap::new() }
    }

    pub(super) fn bundle(&self) -> &'a Bundle {
        self.resolver.bundle()
    }

    /// The entries that generation writes for a directory.
    pub(super) fn items(&mut self, directory: &str) -> BTreeSet<Item> {
        children(self.bundle(), directory).iter().filter_map(|child| self.item(child)).collect()
    }

    /// The entry of a concept or directory in the index beside it.
    pub(super) fn item(&mut self, target: &Target) -> Option<Item> {
        match target {
            Target::Concept(path) => Some(self.concept(path)),
            Target::Directory(path) => Some(self.directory(path)),
            Target::Gone | Target::Other(_) => None,
        }
    }

    /// The entry of a concept in its own directory's index; its name is all that is known of one that
    /// cannot be read.
    fn concept(&self, path: &str) -> Item {
        let document = self.readable(path);
        let metadata = document.map(|document| document.metadata());
        let text = |field: Option<&str>| Some(one_line(field?)).filter(|text| !text.is_empty());
        let name = file_name(path);
        let field = |read: fn(&crate::metadata::Metadata) -> Option<&str>| text(metadata.and_then(read));
        Item {
            section: field(|metadata| metadata.concept_type.as_deref()).unwrap_or_else(|| OTHER.to_owned()),
            title: field(|metadata| metadata.title.as_deref())
                .unwrap_or_else(|| one_line(name.strip_suffix(".md").unwrap_or(name))),
            link: encode(name),
            description: field(|metadata| metadata.description.as_deref()).unwrap_or_default(),
        }
    }

    /// The concept at a path, when its frontmatter reads.
    pub(super) fn readable(&self, path: &str) -> Option<&'a Document> {
        let document = self.bundle().document(path)?;
        document.error().is_none().then_some(document)
    }

    /// The entry of a directory in its parent's index.
    fn directory(&mut self, path: &str) -> Item {
        let name = file_name(path);
        Item {
            section: SUBDIRECTORIES.to_owned(),
            title: one_line(name),
            link: encode(name) + "/",
            description: self.description(path),
        }
    }

    /// What a directory says about itself in its parent's index: the description of the single entry of
    /// its index, else the titles of its entries. Without an index, or with one that lists nothing, the
    /// entries are those that generation would write.
    pub(super) fn description(&mut self, directory: &str) -> String {
        let bundle = self.bundle();
        // Nesting is the input's to choose: no recursion.
        let mut pending = vec![directory.to_owned()];
        while let Some(next) = pending.last().cloned() {
            if self.descriptions.contains_key(&next) {
                pending.pop();
                continue;
            }
            if let Some(told) = index_of(bundle, &next).and_then(summary_of_index) {
                self.descriptions.insert(next, told);
                continue;
            }
            let directories = children(bundle, &next).into_iter().filter_map(|child| match child {
                Target::Directory(path) => Some(path),
                _ => None,
            });
            let unknown: Vec<String> = directories.filter(|path| !self.descriptions.contains_key(path)).collect();
            if unknown.is_empty() {
                let told = summary_of_items(&self.items(&next));
                self.descriptions.insert(next, told.unwrap_or_default());
            } else {
                pending.extend(unknown);
            }
        }
        self.descriptions.get(directory).cloned().unwrap_or_default()
    }

    /// Takes note of the index that a directory is going to have.
    pub(super) fn set_index(&mut self, directory: &str, document: &Document) {
        let told = summary_of_index(document).or_else(|| summary_of_items(&self.items(directory)));
        self.descriptions.insert(directory.to_owned(), told.unwrap_or_default());
    }

    /// Where a link in the index of a directory leads.
    pub(super) fn target(&self, directory: &str, destination: &str) -> Target {
        let bundle = self.bundle();
        let Some(resolved) = self.resolver.resolve(&index_path(directory), Origin::Body, destination) else {
            return Target::Other(None);
        };
        match (resolved.resolution, resolved.path) {
            (Resolution::Concept, Some(path)) => Target::Concept(path),
            (Resolution::Asset, Some(path)) => match path.strip_suffix("/index.md") {
                Some(directory) => Target::Directory(directory.to_owned()),
                None => Target::Other(Some(path)),
            },
            (Resolution::Unresolved, Some(path)) => {
                // An index that is not there yet still means its directory.
                let directory = path.strip_suffix("/index.md").unwrap_or(&path);
                if bundle.has_directory(directory) {
                    Target::Directory(directory.to_owned())
                } else if may_exist(bundle, &path) {
                    Target::Other(Some(path))
                } else {
                    Target::Gone
                }
            }
            (_, path) => Target::Other(path),
        }
    }
}

/// The path of a directory's index.
pub(super) fn index_path(directory: &str) -> String {
    if directory.is_empty() { "index.md".to_owned() } else { format!("{directory}/index.md") }
}

/// The directory that holds a path; `""` is the root.
pub(super) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// The index of a directory, when it was decoded and its body is known.
pub(super) fn index_of<'a>(bundle: &'a Bundle, directory: &str) -> Option<&'a Document> {
    let document = bundle.document(&index_path(directory))?;
    (!matches!(document.head(), Head::Broken { yaml: None, .. })).then_some(document)
}

/// Whether a description is one that generation writes for a directory of several entries or of one
/// without description.
pub(super) fn is_summary(text: &str) -> bool {
    let counted = text.strip_prefix("Contains ").and_then(|rest| rest.split_once(' '));
    counted.is_some_and(|(count, rest)| {
        count.bytes().all(|byte| byte.is_ascii_digit())
            && (rest.starts_with("entry: ") || rest.starts_with("entries: "))
            && rest.ends_with('.')
    })
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// What the entries of an index say about its directory; `None` when there are none.
fn summary_of_index(document: &Document) -> Option<String> {
    let index = IndexDocument::read(document.body(), &document.structure());
    summary(index.entries().map(|entry| (&*entry.label, &*entry.description)))
}

fn summary_of_items(items: &BTreeSet<Item>) -> Option<String> {
    summary(items.iter().map(|item| (item.title.as_str(), item.description.as_str())))
}

/// What entries, each a title and a description, say about their directory; `None` when there are none.
fn summary<'a>(entries: impl Iterator<Item = (&'a str, &'a str)>) -> Option<String> {
    let entries: Vec<_> = entries.collect();
    match entries.as_slice() {
        [] => None,
        [(_, description)] if !description.is_empty() => Some((*description).to_owned()),
        [(title, _)] => Some(format!("Contains 1 entry: {title}.")),
        _ => {
            let titles: Vec<_> = entries.iter().take(NAMED).map(|(title, _)| *title).collect();
            let more = match entries.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            Some(format!("Contains {} entries: {}{more}.", entries.len(), titles.join(", ")))
        }
    }
}

/// What a directory's index lists: the concepts in it, and the directories in it that hold a concept or an
/// index at any depth.
pub(super) fn children(bundle: &Bundle, directory: &str) -> Vec<Target> {
    let mut children = Vec::new();
    visit(bundle, directory, |path, file, below| match (file, below) {
        (File::Concept(_), None) => {
            children.push(Target::Concept(path.to_owned()));
            false
        }
        (File::Concept(_) | File::Index(_), Some(child)) => {
            children.push(Target::Directory(child.to_owned()));
            true
        }
        _ => false,
    });
    children
}

/// The file or directory in a directory whose name is another but for case and normal form.
pub(super) fn namesake<'a>(bundle: &'a Bundle, directory: &str, path: &str) -> Option<&'a str> {
    let folded = fold(path);
    let mut found = None;
    visit(bundle, directory, |file, _, below| {
        let name = below.unwrap_or(file);
        if fold(name) == folded {
            found = Some(name);
        }
        below.is_some()
    });
    found
}

/// Visits the files of a directory and below it, by path, each with the directory in the directory that
/// holds it, if any; the visitor says whether to go on behind that one.
fn visit<'a>(bundle: &'a Bundle, directory: &str, mut visitor: impl FnMut(&'a str, &'a File, Option<&'a str>) -> bool) {
    let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
    let mut next = Some(prefix.clone());
    while let Some(from) = next.take() {
        for (path, file) in bundle.files().iter_from(&from) {
            let path = path.as_str();
            let Some(rest) = path.strip_prefix(&prefix) else { return };
            let child = rest.find('/').map(|end| &path[..prefix.len() + end]);
            if visitor(path, file, child)
                && let Some(child) = child
            {
                // `0` follows `/`: behind everything in that directory.
                next = Some(format!("{child}0"));
                break;
            }
        }
    }
}

/// Whether something may be at a path that the bundle does not show: behind a link, in a directory that is
/// hidden or could not be listed.
fn may_exist(bundle: &Bundle, path: &str) -> bool {
    let is_at_or_below =
        |place: &str| path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    path.split('/').any(|segment| segment.starts_with('.'))
        || bundle.skipped_links().iter().any(|link| is_at_or_below(link))
        || bundle.unlisted_directories().iter().any(|directory| is_at_or_below(&directory.shown))
}
