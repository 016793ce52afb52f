//! The Open Knowledge Format: everything that can be known about a bundle without a protocol.
//!
//! Reads documents, judges conformance, resolves links and finds text. Knows nothing about MCP,
//! JSON, clocks or the environment; the one place that touches the file system is [`disk`].

pub mod area;
pub mod bundle;
pub mod bundle_path;
pub mod change;
pub mod concept_id;
pub mod disk;
pub mod document;
pub mod finding;
pub mod frontmatter;
pub mod graph;
pub mod index;
pub mod link;
pub mod listing;
pub mod log;
pub mod markdown;
pub mod metadata;
mod parallel;
pub mod search;
pub mod snapshot;
mod splice;
pub mod text;
pub mod timestamp;
pub mod validate;
