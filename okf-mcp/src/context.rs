//! What a handler may use.

use std::sync::{Arc, Mutex, PoisonError};

use okf_core::bundle::Bundle;
use okf_core::snapshot::Snapshot;
use okf_core::timestamp::Timestamp;

use crate::tool::ToolError;

/// Explicit, borrowed surroundings of one call.
#[non_exhaustive]
pub struct Context<'a> {
    /// The instant of the call.
    pub now: Timestamp,
    snapshot: &'a Snapshot,
    cancelled: &'a (dyn Fn() -> bool + Sync),
    seen: Mutex<Option<Arc<Bundle>>>,
}

impl<'a> Context<'a> {
    /// Surroundings for one call.
    #[must_use]
    pub fn new(now: Timestamp, snapshot: &'a Snapshot, cancelled: &'a (dyn Fn() -> bool + Sync)) -> Self {
        Self { now, snapshot, cancelled, seen: Mutex::new(None) }
    }

    /// The bundle as the disk is now.
    ///
    /// # Errors
    ///
    /// The bundle is gone or unreadable; a later call works when it has returned.
    pub fn bundle(&self) -> Result<Arc<Bundle>, ToolError> {
        let bundle =
            self.snapshot.current().map_err(|error| ToolError::new(format!("the bundle cannot be read: {error}")))?;
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&bundle));
        Ok(bundle)
    }

    /// Whether the client has cancelled the call; long work polls it.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        (self.cancelled)()
    }

    /// The flag itself, for functions of okf-core that poll it.
    pub fn cancelled(&self) -> &'a (dyn Fn() -> bool + Sync) {
        self.cancelled
    }

    /// The picture that the handler was given last, so that the server notices when the bundle has
    /// changed without looking at the disk again.
    pub(crate) fn into_seen(self) -> Option<Arc<Bundle>> {
        self.seen.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
