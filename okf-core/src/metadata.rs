//! What a concept says about itself: the frontmatter read tolerantly (contract §3).

#[cfg(test)]
mod tests;

use crate::frontmatter::{Frontmatter, Mapping, Node};
use crate::timestamp::{self, Timestamp};

/// The managed fields of a concept, read tolerantly: absent where unusable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// `type`, as spelled.
    pub concept_type: Option<Box<str>>,
    /// `title`, as spelled.
    pub title: Option<Box<str>>,
    /// `description`, as spelled.
    pub description: Option<Box<str>>,
    /// `tags`: scalar items as spelled.
    pub tags: Box<[Box<str>]>,
    /// `status`.
    pub status: Status,
    /// The tier derived from `verified` (spec §5.3).
    pub trust_tier: TrustTier,
    /// `stale_after`.
    pub stale_after: Option<Timestamp>,
    /// `generated.at`, else the v0.1 `timestamp`.
    pub last_changed: Option<Timestamp>,
    /// The latest readable `verified[].at`.
    pub last_verified: Option<Timestamp>,
    /// The path-valued fields (spec §6.2), in file order.
    pub path_fields: Box<[PathField]>,
}

/// A field that names a path or URI.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathField {
    /// Which field.
    pub origin: FieldOrigin,
    /// The value as spelled.
    pub value: Box<str>,
    /// Byte offset of the value in the text.
    pub offset: u32,
}

/// Which path-valued field (spec §6.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FieldOrigin {
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

/// Lifecycle status (spec §5.4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// `draft`
    Draft,
    /// `stable`, absent or blank.
    #[default]
    Stable,
    /// `deprecated`
    Deprecated,
    /// Anything else.
    Unknown,
}

/// Trust tier (spec §5.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TrustTier {
    /// No event counts.
    #[default]
    Unverified,
    /// Events by agents or processes only.
    MachineConfirmed,
    /// An event by `human:<id>`.
    HumanReviewed,
}

impl Status {
    /// The status of that word on the wire.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        [Self::Draft, Self::Stable, Self::Deprecated, Self::Unknown].into_iter().find(|status| status.as_str() == word)
    }

    /// Reads a value: blank is `stable`, an unknown word is [`Status::Unknown`]; case matters.
    #[must_use]
    pub fn read(text: &str) -> Self {
        match text {
            "draft" => Self::Draft,
            "deprecated" => Self::Deprecated,
            "stable" => Self::Stable,
            _ if is_blank(text) => Self::Stable,
            _ => Self::Unknown,
        }
    }

    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Stable => "stable",
            Self::Deprecated => "deprecated",
            Self::Unknown => "unknown",
        }
    }
}

impl TrustTier {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unverified => "unverified",
            Self::MachineConfirmed => "machine-confirmed",
            Self::HumanReviewed => "human-reviewed",
        }
    }
}

impl Metadata {
    /// Reads the managed fields; nothing here is ever an error.
    #[must_use]
    pub fn read(frontmatter: &Frontmatter) -> Self {
        let text = |key| frontmatter.get(key).and_then(Node::as_text);
        let generated = frontmatter.get("generated").filter(|node| !node.is_null());
        let last_changed = match generated {
            Some(generated) => generated.as_mapping().and_then(|mapping| mapping.get("at")),
            None => frontmatter.get("timestamp"),
        };
        let events = frontmatter.get("verified").map(verification_events).unwrap_or_default();
        Self {
            concept_type: text("type").filter(|text| !is_blank(text)).map(Into::into),
            title: text("title").map(Into::into),
            description: text("description").map(Into::into),
            tags: frontmatter.get("tags").map(tags).unwrap_or_default(),
            status: text("status").map(Status::read).unwrap_or_default(),
            trust_tier: events.iter().map(|event| tier(event)).max().unwrap_or_default(),
            stale_after: frontmatter.get("stale_after").and_then(instant),
            last_changed: last_changed.and_then(instant),
            last_verified: events.iter().filter_map(|event| event.get("at").and_then(instant)).max(),
            path_fields: path_fields(frontmatter),
        }
    }

    /// Whether the concept is stale: `now >= stale_after` (spec §5.5).
    #[must_use]
    pub fn is_stale(&self, now: Timestamp) -> bool {
        self.stale_after.is_some_and(|instant| now >= instant)
    }
}

/// Whether two spellings name one type: white space around them aside, exactly.
#[must_use]
pub fn is_same_type(a: &str, b: &str) -> bool {
    a.trim() == b.trim()
}

/// The `<id>` of a `human:<id>` actor (spec §7); the prefix is case-sensitive.
pub(crate) fn human_id(actor: &str) -> Option<&str> {
    actor.strip_prefix("human:").map(str::trim).filter(|id| !id.is_empty())
}

/// The entries of `verified`, a bare mapping being one (spec §5.2).
fn verification_events(verified: &Node) -> Vec<&Mapping> {
    match (verified.as_mapping(), verified.as_sequence()) {
        (Some(mapping), _) => vec![mapping],
        (None, Some(items)) => items.iter().filter_map(Node::as_mapping).collect(),
        (None, None) => Vec::new(),
    }
}

/// The tier that one event gives; without a `by` it does not count.
fn tier(event: &Mapping) -> TrustTier {
    match event.get("by").and_then(Node::as_text).filter(|by| !is_blank(by)) {
        None => TrustTier::Unverified,
        Some(by) if human_id(by).is_some() => TrustTier::HumanReviewed,
        Some(_) => TrustTier::MachineConfirmed,
    }
}

fn instant(node: &Node) -> Option<Timestamp> {
    node.as_text().and_then(timestamp::read).map(|reading| reading.instant)
}

/// A list's scalars as spelled; a scalar is one tag. Blank ones name nothing and are left out.
fn tags(node: &Node) -> Box<[Box<str>]> {
    let items = node.as_sequence().unwrap_or(std::slice::from_ref(node));
    items.iter().filter_map(Node::as_text).filter(|tag| !is_blank(tag)).map(Into::into).collect()
}

/// The fields of spec §6.2 that hold text, in file order.
fn path_fields(frontmatter: &Frontmatter) -> Box<[PathField]> {
    let mut fields = Vec::new();
    let mut add = |origin, node: Option<&Node>| {
        let Some((node, value)) = node.and_then(|node| node.as_text().map(|value| (node, value))) else { return };
        if !is_blank(value) {
            let offset = u32::try_from(node.span.start).unwrap_or(u32::MAX);
            fields.push(PathField { origin, value: value.into(), offset });
        }
    };
    for entry in &frontmatter.root.entries {
        match entry.key.as_str() {
            "resource" => add(FieldOrigin::Resource, Some(&entry.value)),
            "computation" => add(FieldOrigin::Computation, Some(&entry.value)),
            "executor" => add(FieldOrigin::Executor, resource(&entry.value)),
            "attester" => add(FieldOrigin::Attester, resource(&entry.value)),
            "sources" => {
                for source in entry.value.as_sequence().unwrap_or_default() {
                    add(FieldOrigin::Sources, resource(source));
                }
            }
            _ => {}
        }
    }
    fields.into()
}

fn resource(node: &Node) -> Option<&Node> {
    node.as_mapping()?.get("resource")
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
