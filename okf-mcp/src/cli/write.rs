//! What the commands that write share.

use std::path::Path;

use okf_core::bundle::Bundle;
use okf_core::bundle_path::BundlePath;
use okf_core::disk::{CommitError, FileEdit, FreshError, LockError, PATIENCE, WriteLock};

use super::{Failure, Invocation};

impl Invocation {
    /// Locks a bundle for writing, and says what was done about an interrupted write.
    pub(super) fn lock(&self, root: &Path) -> Result<WriteLock, Failure> {
        let lock = WriteLock::acquire(root, PATIENCE)?;
        if let Some(recovery) = lock.recovery() {
            self.warn(&recovery.to_string());
        }
        Ok(lock)
    }
}

/// The edits that give files of a bundle new contents.
pub(super) fn edits(bundle: &Bundle, files: Vec<(BundlePath, Vec<u8>)>) -> Vec<FileEdit> {
    let edit = |(path, after): (BundlePath, Vec<u8>)| {
        let before = bundle.document(path.as_str()).map(|document| document.revision());
        FileEdit { path, before, after }
    };
    files.into_iter().map(edit).collect()
}

impl From<LockError> for Failure {
    fn from(error: LockError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<CommitError> for Failure {
    fn from(error: CommitError) -> Self {
        Self::new(error.to_string())
    }
}

impl From<FreshError> for Failure {
    fn from(error: FreshError) -> Self {
        let hint = matches!(error, FreshError::NotEmpty { .. }).then(|| "name a new or an empty directory".to_owned());
        Self { hint, ..Self::new(error.to_string()) }
    }
}
