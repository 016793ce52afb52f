//! The large shared test data, which lives beside the repository.

use std::path::PathBuf;

/// A file or directory of the shared data; `None` when it is not there.
pub fn shared(path: &str) -> Option<PathBuf> {
    let base = std::env::var_os("OKF_SHARED")
        .map_or_else(|| PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")), PathBuf::from);
    let path = base.join(path);
    path.exists().then_some(path)
}

/// Says on standard error that a story was left out.
pub fn note_skipped(story: &str) {
    eprintln!("skipped: {story} needs the shared data (set OKF_SHARED)");
}
