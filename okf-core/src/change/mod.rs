//! Changes: describe, prepare, commit (contract §8). The one way in which a bundle is written.
//!
//! A [`ChangeSet`] says what is wanted. [`prepare`] works out every byte of the outcome in memory, index
//! and log included, lets hooks add files and judges the whole. The [`Prepared`] candidate can be looked at;
//! [`Prepared::commit`] writes exactly its bytes, or nothing. Only committing touches the disk.

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
pub use error::{ChangeError, HookError, PrepareError, Reason, Refusal, Subject};
pub use hooks::{Candidate, Derive, Judge, judge};
pub use judgement::{Judgement, ProfileVerdict};
pub use place::check_id;
pub use prepare::{Prepared, prepare};
