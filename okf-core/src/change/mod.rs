//! Changes: describe, prepare, commit (contract §8). The one way in which a bundle is written.
//!
//! A [`ChangeSet`] says what is wanted. [`prepare`] works out every byte of the outcome in memory, index
//! and log included, lets hooks add files and judges the whole. The [`Prepared`] candidate can be looked at;
//! [`Prepared::commit`] writes exactly its bytes, or nothing. Only committing touches the disk.
//!
//! ```
//! use okf_core::change::{Change, ChangeSet, Fields, prepare};
//! use okf_core::disk::{PATIENCE, WriteLock};
//!
//! # let directory = tempfile::tempdir()?;
//! # let root = directory.path();
//! # std::fs::write(root.join("index.md"), "---\nokf_version: \"0.2\"\n---\n")?;
//! let fields = Fields { concept_type: Some("Metric".into()), title: Some("Churn".into()), ..Fields::default() };
//! let set = ChangeSet::from(Change::Create { id: "churn".into(), fields });
//!
//! let mut lock = WriteLock::acquire(root, PATIENCE)?;
//! let prepared = prepare(&lock.bundle()?, &set, jiff::civil::date(2026, 6, 15), &[], &[])?;
//! assert_eq!(prepared.changed_paths(), ["churn.md", "index.md", "log.md"]);
//! assert!(!root.join("churn.md").exists(), "nothing is written yet");
//!
//! let bundle = prepared.commit(&mut lock)?;
//! assert_eq!(std::fs::read_to_string(root.join("churn.md"))?, "---\ntype: Metric\ntitle: Churn\n---\n");
//! assert_eq!(bundle.concept_count(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod describe;
mod error;
mod gate;
mod hooks;
mod judgement;
mod link;
mod place;
mod plan;
mod prepare;
#[cfg(test)]
mod tests;

pub use describe::{Change, ChangeSet, Fields};
pub use error::{ChangeError, HookError, LogObstacle, PrepareError, Reason, Refusal, Subject};
pub use gate::{Passed, gate};
pub use hooks::{Candidate, Derive, Judge, judge};
pub use judgement::{Judgement, ProfileVerdict};
pub use place::check_id;
pub use prepare::{Prepared, prepare};
