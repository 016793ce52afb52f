//! Resolving link targets inside a bundle (spec §6, contract §7).

mod asked;
mod encode;
mod target;
#[cfg(test)]
mod tests;

use crate::bundle::names::fold;
use crate::bundle::{Bundle, File, FoldedPath};
use crate::bundle_path::BundlePath;
use crate::metadata::FieldOrigin;

pub(crate) use asked::NameKey;
pub use encode::encode;

/// Most near misses that a message names.
const NEAR_MISSES: usize = 3;

/// What a raw target turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The verdict.
    pub resolution: Resolution,
    /// The path inside the bundle, when one was worked out.
    pub path: Option<String>,
    /// The ID of the concept it leads to.
    pub concept: Option<String>,
}

/// The kinds of contract §7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resolution {
    /// A concept of the bundle.
    Concept,
    /// An index, a log or an asset of the bundle.
    Asset,
    /// A URL.
    External,
    /// A scope descriptor (spec §5.1).
    Descriptor,
    /// Nothing in the bundle.
    Unresolved,
    /// Climbs above the root or decodes to something that is no path.
    Invalid,
}

impl Resolution {
    /// Every kind.
    pub const ALL: [Self; 6] =
        [Self::Concept, Self::Asset, Self::External, Self::Descriptor, Self::Unresolved, Self::Invalid];

    /// The kind of that word on the wire.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == word)
    }

    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Concept => "resolved-concept",
            Self::Asset => "resolved-asset",
            Self::External => "external",
            Self::Descriptor => "descriptor",
            Self::Unresolved => "unresolved",
            Self::Invalid => "invalid",
        }
    }
}

/// Where a target was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// A link in a body.
    Body,
    /// `resource`
    Resource,
    /// `sources[].resource`
    Sources,
    /// `computation`
    Computation,
    /// `executor.resource`
    Executor,
    /// `attester.resource`
    Attester,
}

impl Origin {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Resource => "resource",
            Self::Sources => "sources.resource",
            Self::Computation => "computation",
            Self::Executor => "executor.resource",
            Self::Attester => "attester.resource",
        }
    }
}

impl From<FieldOrigin> for Origin {
    fn from(field: FieldOrigin) -> Self {
        match field {
            FieldOrigin::Resource => Self::Resource,
            FieldOrigin::Sources => Self::Sources,
            FieldOrigin::Computation => Self::Computation,
            FieldOrigin::Executor => Self::Executor,
            FieldOrigin::Attester => Self::Attester,
        }
    }
}

/// Resolves a target written in the document at `from` (a bundle path); `None` when it is no edge
/// (empty, or in a body only a query or fragment).
///
/// See [`Resolver`] for many targets of one bundle.
///
/// ```
/// use okf_core::bundle::Bundle;
/// use okf_core::link::{Origin, Resolution, resolve};
///
/// let bundle = Bundle::from_files([("tables/orders.md", "---\ntype: Table\n---\n")])?;
/// let found = resolve(&bundle, "metrics/churn.md", Origin::Body, "../tables/orders.md#columns").expect("an edge");
/// assert_eq!(found.concept.as_deref(), Some("tables/orders"));
/// let outside = resolve(&bundle, "metrics/churn.md", Origin::Body, "../../secret.md").expect("an edge");
/// assert_eq!(outside.resolution, Resolution::Invalid);
/// assert!(resolve(&bundle, "metrics/churn.md", Origin::Body, "#columns").is_none());
/// # Ok::<(), okf_core::bundle_path::PathError>(())
/// ```
#[must_use]
pub fn resolve(bundle: &Bundle, from: &str, origin: Origin, target: &str) -> Option<Resolved> {
    Resolver::new(bundle).resolve(from, origin, target)
}

/// Resolves the targets of one bundle.
///
/// Knows nothing but the names in the bundle: what lies outside is neither looked at nor told apart. Costs
/// nothing to make.
#[derive(Clone, Copy, Debug)]
pub struct Resolver<'a> {
    bundle: &'a Bundle,
}

impl<'a> Resolver<'a> {
    /// Prepares to resolve in a bundle.
    #[must_use]
    pub fn new(bundle: &'a Bundle) -> Self {
        Self { bundle }
    }

    /// The bundle.
    #[must_use]
    pub fn bundle(&self) -> &'a Bundle {
        self.bundle
    }

    /// Resolves a target written in the document at `from` (a bundle path).
    ///
    /// A body target is a destination as CommonMark decodes it, percent escapes still in it. `None`
    /// when the target is no edge: blank, or in a body only a query or fragment. Elsewhere a query or
    /// fragment alone means the document itself, but in `sources` a scope (`#channel`).
    #[must_use]
    pub fn resolve(&self, from: &str, origin: Origin, target: &str) -> Option<Resolved> {
        self.locate(from, origin, target).map(Resolved::from)
    }

    /// The same, with a path of the bundle as the bundle holds it.
    pub(crate) fn locate(&self, from: &str, origin: Origin, target: &str) -> Option<Located<'a>> {
        if target.trim().is_empty() {
            return None;
        }
        if target::is_external(target) {
            return Some(Located::bare(Resolution::External));
        }
        let path = target.split(['?', '#']).next().unwrap_or_default();
        let located = match path {
            "" if origin == Origin::Body => return None,
            "" if origin == Origin::Sources => return Some(Located::bare(Resolution::Descriptor)),
            "" => self.find(from.to_owned(), false),
            path => match target::normalise(from, path) {
                Some((path, is_directory)) => self.find(path, is_directory),
                None => Located::bare(Resolution::Invalid),
            },
        };
        let is_hit = matches!(located.resolution, Resolution::Concept | Resolution::Asset);
        if origin == Origin::Sources && !is_hit && target::is_descriptor(target, path) {
            return Some(Located::bare(Resolution::Descriptor));
        }
        Some(located)
    }

    /// What is wrong with a target and what it was resolved to, as the end of a sentence; `None` when
    /// nothing is. An existing directory is never wrong.
    #[must_use]
    pub fn trouble(&self, target: &str, resolved: &Resolved) -> Option<String> {
        match resolved.resolution {
            Resolution::Invalid => Some("leads out of the bundle or is no path".to_owned()),
            Resolution::Unresolved => {
                let path = resolved.path.as_deref().unwrap_or_default();
                let names = if self.bundle.has_directory(path) { return None } else { self.guesses(target, path) };
                let hint =
                    if names.is_empty() { String::new() } else { format!("; did you mean {}?", names.join(", ")) };
                Some(format!("leads to nothing in the bundle{hint}"))
            }
            Resolution::Concept | Resolution::Asset | Resolution::External | Resolution::Descriptor => None,
        }
    }

    /// What a target that leads nowhere may mean: the same path from the root, else a path that differs
    /// by case and normal form alone. In backticks.
    fn guesses(&self, target: &str, path: &str) -> Vec<String> {
        let from_root = Some(target).filter(|target| !target.starts_with('/')).and_then(|target| {
            let (path, is_directory) = target::normalise("", target.split(['?', '#']).next()?)?;
            Some(self.find(path, is_directory).place)
        });
        match from_root {
            Some(Place::File(path)) => vec![format!("`/{path}`")],
            _ => self.near_misses(path).into_iter().map(|path| format!("`{path}`")).collect(),
        }
    }

    /// The paths that differ from a path, or from it with `.md`, by case and normal form alone.
    fn near_misses(&self, path: &str) -> Vec<&'a str> {
        let same = |wanted: &str| -> Vec<&'a str> {
            let same = self.bundle.folded().get(wanted).filter(|known| !known.is_directory);
            same.map(FoldedPath::as_str).take(NEAR_MISSES).collect()
        };
        let wanted = fold(path);
        let found = same(&wanted);
        if found.is_empty() { same(&(wanted + ".md")) } else { found }
    }

    /// Finds a normalised path: as it is, else in another Unicode normal form.
    fn find(&self, path: String, is_directory: bool) -> Located<'a> {
        let exact = |path: &str| self.bundle.files().get_key_value(path);
        let hit =
            hit(&path, is_directory, exact).or_else(|| hit(&path, is_directory, |path| self.bundle.equivalent(path)));
        match hit {
            Some((path, File::Concept(_))) => Located { resolution: Resolution::Concept, place: Place::File(path) },
            Some((path, _)) => Located { resolution: Resolution::Asset, place: Place::File(path) },
            None if path.is_empty() => Located::bare(Resolution::Unresolved),
            None => Located { resolution: Resolution::Unresolved, place: Place::Nothing(path) },
        }
    }
}

/// What a raw target turned out to be, in terms of the bundle.
#[derive(Debug)]
pub(crate) struct Located<'a> {
    pub(crate) resolution: Resolution,
    pub(crate) place: Place<'a>,
}

/// Where a target leads.
#[derive(Debug)]
pub(crate) enum Place<'a> {
    /// Nowhere in the bundle, or to its root, which has no path.
    Unnamed,
    /// To a file.
    File(&'a BundlePath),
    /// To this path, at which there is nothing.
    Nothing(String),
}

impl Located<'_> {
    fn bare(resolution: Resolution) -> Self {
        Self { resolution, place: Place::Unnamed }
    }
}

impl From<Located<'_>> for Resolved {
    fn from(located: Located<'_>) -> Self {
        let path = match located.place {
            Place::Unnamed => None,
            Place::File(path) => Some(path.as_str().to_owned()),
            Place::Nothing(path) => Some(path),
        };
        let concept = path.as_deref().filter(|_| located.resolution == Resolution::Concept);
        let concept = concept.and_then(|path| path.strip_suffix(".md")).map(str::to_owned);
        Self { resolution: located.resolution, path, concept }
    }
}

type Entry<'a> = (&'a BundlePath, &'a File);

/// Tries what a path can stand for: a file, a directory with an index, a concept without its suffix.
fn hit<'a>(path: &str, is_directory: bool, get: impl Fn(&str) -> Option<Entry<'a>>) -> Option<Entry<'a>> {
    let file = if is_directory { None } else { get(path) };
    let index = || if path.is_empty() { get("index.md") } else { get(&format!("{path}/index.md")) };
    let concept = || {
        let fits = !is_directory && !target::has_extension(path);
        let found = if fits { get(&format!("{path}.md")) } else { None };
        found.filter(|(_, file)| matches!(file, File::Concept(_)))
    };
    file.or_else(index).or_else(concept)
}
