//! Choosing and ordering concepts for a listing (contract §9, `list-concepts`).

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use memchr::memmem::Finder;

use crate::area::Area;
use crate::bundle::{Bundle, File, names};
use crate::document::Document;
use crate::metadata::{Status, is_same_type};

/// Which concepts to list; the default lists all. Fields combine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only concepts of this area (contract §1); absent and the whole bundle are the same.
    pub area: Option<Area>,
    /// Only concepts of exactly this `type`, white space around it aside.
    pub concept_type: Option<String>,
    /// Only concepts with exactly this tag.
    pub tag: Option<String>,
    /// Only concepts in this lifecycle status.
    pub status: Option<Status>,
    /// Only concepts in which every white-space separated word occurs: in the ID, title, description,
    /// tags or type, whatever its case and normal form.
    pub query: Option<String>,
}

/// An area that holds no concept of the bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuchArea {
    /// The area as it was understood.
    pub area: String,
    /// Up to three areas that may have been meant.
    pub near: Vec<String>,
}

impl std::fmt::Display for NoSuchArea {
    /// Begins with `no such area`, the message of contract §1.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no such area: `{}`", self.area)?;
        for (n, area) in self.near.iter().enumerate() {
            write!(f, "{}`{area}`", if n == 0 { "; did you mean " } else { ", " })?;
        }
        if self.near.is_empty() { Ok(()) } else { f.write_str("?") }
    }
}

impl std::error::Error for NoSuchArea {}

/// The readable concepts that a filter lets through, by ID.
///
/// ```
/// use okf_core::area::Area;
/// use okf_core::bundle::Bundle;
/// use okf_core::listing::{Filter, select};
///
/// let note = "---\ntype: Note\ntags: [x]\n---\n";
/// let bundle = Bundle::from_files([("notes/a.md", note), ("notes-old/b.md", note)])?;
/// let filter = Filter { area: Some(Area::new("notes")), tag: Some("x".into()), ..Filter::default() };
/// let found = select(&bundle, &filter)?;
/// assert_eq!(found.iter().map(|document| document.id()).collect::<Vec<_>>(), ["notes/a"]);
/// let nowhere = Filter { area: Some(Area::new("note")), ..Filter::default() };
/// assert!(select(&bundle, &nowhere).unwrap_err().to_string().starts_with("no such area: `note`; did you mean"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// No concept, readable or not, lies in the area.
pub fn select<'a>(bundle: &'a Bundle, filter: &Filter) -> Result<Vec<&'a Document>, NoSuchArea> {
    if let Some(area) = &filter.area {
        require_area(bundle, area)?;
    }
    let mut matcher = Matcher::new(filter);
    Ok(bundle.concepts().map(AsRef::as_ref).filter(|document| matcher.matches(document)).collect())
}

/// Makes sure that an area holds a concept, readable or not.
///
/// # Errors
///
/// It holds none.
pub fn require_area(bundle: &Bundle, area: &Area) -> Result<(), NoSuchArea> {
    let concept = format!("{}.md", area.as_str());
    let below = format!("{}/", area.as_str());
    let mut files = bundle.files().iter_from(&below).take_while(|(path, _)| path.as_str().starts_with(&below));
    if area.is_whole_bundle()
        || matches!(bundle.files().get(&concept), Some(File::Concept(_)))
        || files.any(|(_, file)| matches!(file, File::Concept(_)))
    {
        return Ok(());
    }
    let areas: BTreeSet<&str> = ids(bundle).flat_map(|id| id.match_indices('/').map(|(at, _)| &id[..at])).collect();
    let near = names::near_misses(area.as_str(), areas.into_iter());
    Err(NoSuchArea { area: area.as_str().to_owned(), near })
}

/// A filter made ready to be asked many times.
#[derive(Debug)]
pub struct Matcher<'a> {
    filter: &'a Filter,
    words: Vec<Finder<'static>>,
    haystack: String,
}

impl<'a> Matcher<'a> {
    /// Makes a filter ready.
    #[must_use]
    pub fn new(filter: &'a Filter) -> Self {
        let query = filter.query.as_deref().unwrap_or("");
        let words = query.split_whitespace().map(|word| Finder::new(&names::fold(word)).into_owned()).collect();
        Self { filter, words, haystack: String::new() }
    }

    /// Whether the filter lets a concept through.
    pub fn matches(&mut self, document: &Document) -> bool {
        let Filter { area, concept_type, tag, status, .. } = self.filter;
        let metadata = document.metadata();
        area.as_ref().is_none_or(|area| area.contains(document.id()))
            && concept_type
                .as_deref()
                .is_none_or(|wanted| metadata.concept_type.as_deref().is_some_and(|given| is_same_type(given, wanted)))
            && tag.as_deref().is_none_or(|wanted| metadata.tags.iter().any(|given| **given == *wanted))
            && status.is_none_or(|wanted| metadata.status == wanted)
            && self.holds_every_word(document)
    }

    fn holds_every_word(&mut self, document: &Document) -> bool {
        if self.words.is_empty() {
            return true;
        }
        let metadata = document.metadata();
        let fields = [&metadata.title, &metadata.description, &metadata.concept_type].into_iter().flatten();
        let texts = std::iter::once(document.id()).chain(fields.map(AsRef::as_ref));
        self.haystack.clear();
        for text in texts.chain(metadata.tags.iter().map(AsRef::as_ref)) {
            names::fold_into(text, &mut self.haystack);
            // No word holds white space, so none is found across two fields.
            self.haystack.push('\n');
        }
        self.words.iter().all(|word| word.find(self.haystack.as_bytes()).is_some())
    }
}

fn ids(bundle: &Bundle) -> impl Iterator<Item = &str> {
    bundle.concept_paths().filter_map(|path| path.as_str().strip_suffix(".md"))
}
