//! One concept in a line, and what every read tool carries beside its answer.

use okf_core::area::Area;
use okf_core::bundle::{Bundle, Unreadable};
use okf_core::document::Document;
use okf_core::listing;
use okf_core::timestamp::Timestamp;
use serde::Serialize;

use super::page::shorten;

/// Metadata meant as one line is shortened to this many characters in answers.
const LINE: usize = 300;
/// An answer names at most this many unreadable files.
const UNREADABLE: usize = 50;

/// A concept as listings show it.
#[derive(Clone, Debug, Serialize)]
pub struct ConceptSummary {
    /// Concept ID.
    pub id: String,
    /// `type`, when there is one.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub concept_type: Option<String>,
    /// `title`, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// `description`, when there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `draft`, `stable`, `deprecated` or `unknown`.
    pub status: &'static str,
    /// `unverified`, `machine-confirmed` or `human-reviewed`.
    pub trust_tier: &'static str,
    /// Present and true when the concept is stale.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stale: bool,
}

impl ConceptSummary {
    /// Sums up a concept at an instant.
    #[must_use]
    pub fn of(document: &Document, now: Timestamp) -> Self {
        let metadata = document.metadata();
        let line = |text: &Option<Box<str>>| text.as_deref().map(|text| shorten(text, LINE));
        Self {
            id: document.id().to_owned(),
            concept_type: line(&metadata.concept_type),
            title: line(&metadata.title),
            description: line(&metadata.description),
            status: metadata.status.as_str(),
            trust_tier: metadata.trust_tier.as_str(),
            stale: metadata.is_stale(now),
        }
    }
}

/// What stands beside an answer: files that could not be served in full (contract §4).
#[derive(Clone, Debug, Default, Serialize)]
pub struct Beside {
    /// The first of them, by path.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<UnreadableFile>,
    /// How many there are, when not all are named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable_total: Option<usize>,
}

/// A file that could not be served in full.
#[derive(Clone, Debug, Serialize)]
pub struct UnreadableFile {
    /// Its path.
    pub path: String,
    /// Its concept ID.
    pub id: String,
    /// Why.
    pub message: String,
}

impl From<&Unreadable> for UnreadableFile {
    fn from(file: &Unreadable) -> Self {
        Self { path: file.path.clone(), id: file.id.clone(), message: shorten(&file.message, LINE) }
    }
}

impl Beside {
    /// What stands beside an answer about a bundle.
    #[must_use]
    pub fn of(bundle: &Bundle) -> Self {
        let all = bundle.unreadable();
        let named: Vec<_> = all.iter().take(UNREADABLE).map(UnreadableFile::from).collect();
        Self { unreadable_total: (named.len() < all.len()).then_some(all.len()), unreadable: named }
    }
}

/// What an empty answer from a bundle that is not empty offers instead.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Instead {
    /// Why it is empty, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The types there are, largest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub available_types: Option<Vec<Available>>,
    /// The areas there are, largest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub available_areas: Option<Vec<Available>>,
}

/// A name and how many concepts have it.
#[derive(Clone, Debug, Serialize)]
pub struct Available {
    /// The type or area.
    pub name: String,
    /// Number of concepts.
    pub count: usize,
}

impl Instead {
    /// What to offer when a question about this area was answered by nothing.
    #[must_use]
    pub fn of(bundle: &Bundle, area: Option<&Area>) -> Self {
        if bundle.concept_count() == 0 {
            return Self { message: Some("the bundle holds no concepts".to_owned()), ..Self::default() };
        }
        let named = |counts: Vec<(String, usize)>| {
            Some(
                counts
                    .into_iter()
                    .take(UNREADABLE)
                    .map(|(name, count)| Available { name: shorten(&name, LINE), count })
                    .collect(),
            )
        };
        Self {
            message: area.and_then(|area| listing::require_area(bundle, area).err()).map(|missing| missing.to_string()),
            available_types: named(bundle.types()),
            available_areas: named(bundle.areas()),
        }
    }
}

/// Names in backticks, joined by commas.
#[must_use]
pub fn quoted(names: &[String]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
