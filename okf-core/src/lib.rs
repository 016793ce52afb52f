//! The Open Knowledge Format: everything that can be known about a bundle without a protocol.
//!
//! Reads documents, judges conformance, resolves links and finds text. Knows nothing about MCP,
//! JSON, clocks or the environment; the one place that touches the file system is [`disk`].
//!
//! ```
//! use okf_core::bundle::Bundle;
//! use okf_core::validate::{Options, validate};
//!
//! // From memory here; `disk::load` reads a directory.
//! let bundle = Bundle::from_files([
//!     ("orders.md", "---\ntype: Table\ntitle: Orders\n---\n\nSee [churn](churn.md).\n"),
//!     ("churn.md", "---\ntitle: Churn\n---\n"),
//! ])?;
//! let orders = bundle.lookup("orders").expect("it exists");
//! assert_eq!(orders.display_title(), "Orders");
//! assert_eq!(bundle.graph().outgoing("orders").len(), 1, "it links to `churn`");
//!
//! let report = validate(&bundle, Options::default());
//! assert_eq!((report.errors(), report.findings()[0].id), (1, "okf/missing-type"));
//! # Ok::<(), okf_core::bundle_path::PathError>(())
//! ```

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
mod table;
pub mod text;
pub mod timestamp;
pub mod validate;
