//! The identity of the served bundle: what can be told without a full load (contract §9).

pub(crate) mod head;
mod neutral;
mod plain;
mod sample;
#[cfg(test)]
mod tests;
pub(crate) mod title;

use std::path::{Path, PathBuf};

use okf_core::bundle::names;
use okf_core::bundle_path::BundlePath;
use okf_core::disk::{Directory, DiskError, Surveyor};

pub use neutral::neutralise;
pub use sample::Sample;
use title::RootIndex;

/// What the server knows about the bundle it serves. Title, areas and types are reduced to one
/// harmless line each; the root is shown whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleIdentity {
    /// The resolved absolute root.
    pub root: PathBuf,
    /// The title, neutralised.
    pub title: String,
    /// Number of concepts, exact.
    pub concept_count: usize,
    /// `okf_version` of the root index as written, neutralised.
    pub declared_version: Option<String>,
    /// Areas (first segments of concept paths) with exact counts, largest first; neutralised.
    pub areas: Vec<Count>,
    /// Types with their counts in the sample, largest first; neutralised.
    pub types: Vec<Count>,
    /// The heads of a fixed, even sample of at most 256 concepts, by path.
    pub sample: Sample,
}

/// A name and how often it occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The name.
    pub name: String,
    /// How often.
    pub count: usize,
}

/// What the first 4 KiB of a concept's file say, as read: data, not yet neutralised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConceptHead {
    /// Concept ID.
    pub id: String,
    /// `type`
    pub concept_type: Option<String>,
    /// `title`
    pub title: Option<String>,
    /// `description`
    pub description: Option<String>,
    /// `tags`
    pub tags: Vec<String>,
    /// Headings of the body's beginning.
    pub headings: Vec<String>,
}

impl BundleIdentity {
    /// Reads the identity of the bundle at a resolved root: a walk, the root index, the sample.
    ///
    /// ```
    /// # let directory = tempfile::tempdir()?;
    /// # let root = directory.path().canonicalize()?;
    /// std::fs::write(root.join("index.md"), "---\nokf_version: \"0.2\"\n---\n\n# Acme Knowledge\n")?;
    /// std::fs::write(root.join("a.md"), "---\ntype: Note\n---\n")?;
    /// let identity = okf_mcp::identity::BundleIdentity::read(&root)?;
    /// assert_eq!((identity.title.as_str(), identity.concept_count), ("Acme Knowledge", 1));
    /// assert_eq!(identity.types[0].name, "Note");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The root cannot be read.
    pub fn read(root: &Path) -> Result<Self, DiskError> {
        Self::read_again(root, &mut Surveyor::default())
    }

    /// The same, with the walk at the cost of the directories when their names are those of the last time.
    pub(crate) fn read_again(root: &Path, surveyor: &mut Surveyor) -> Result<Self, DiskError> {
        let directory = Directory::open(root)?;
        let survey = surveyor.survey(root)?;
        let index = RootIndex::read(&directory);
        let sample = Sample::read(&directory, &survey.concepts);
        let types = names::tally(sample.types().iter().map(String::as_str));
        Ok(Self {
            root: root.to_owned(),
            title: title::title(root, &directory, index.as_ref()),
            concept_count: survey.concepts.len() + survey.invalid_concepts,
            declared_version: index.and_then(|index| index.declared_version()).map(|version| neutralise(&version)),
            areas: neutral_counts(names::areas(survey.concepts.iter().map(BundlePath::as_str))),
            types: neutral_counts(types),
            sample,
        })
    }

    /// The root as shown to clients: control and bidirectional characters escaped.
    #[must_use]
    pub fn shown_root(&self) -> String {
        okf_core::finding::Escaped(&self.root.to_string_lossy()).to_string()
    }
}

/// Neutralises names; those that become the same are counted together, those that vanish are left out.
fn neutral_counts(counts: Vec<(String, usize)>) -> Vec<Count> {
    let mut neutral: Vec<Count> = Vec::with_capacity(counts.len());
    let mut places = std::collections::HashMap::new();
    for (name, count) in counts {
        let name = neutralise(&name);
        if name.is_empty() {
            continue;
        }
        let at = *places.entry(name.clone()).or_insert(neutral.len());
        match neutral.get_mut(at) {
            Some(known) => known.count += count,
            None => neutral.push(Count { name, count }),
        }
    }
    neutral.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.name.cmp(&b.name)));
    neutral
}
