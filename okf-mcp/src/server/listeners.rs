//! Who is told that the list of tools has changed, in both protocol eras.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::service::{Peer, SubscriptionSink};

/// A client that does not take a notice within this time goes without it.
const PATIENCE: Duration = Duration::from_secs(5);

/// The receivers of change notices.
#[derive(Default)]
pub(super) struct Listeners {
    peer: Mutex<Option<Peer<RoleServer>>>,
    sinks: Mutex<Vec<SubscriptionSink>>,
}

impl Listeners {
    /// A client that has initialized a session hears of every change.
    pub(super) fn session(&self, peer: Peer<RoleServer>) {
        *self.peer.lock().unwrap_or_else(PoisonError::into_inner) = Some(peer);
    }

    /// A stateless client hears of changes while its subscription lasts.
    pub(super) fn subscribe(&self, sink: SubscriptionSink) {
        self.sinks.lock().unwrap_or_else(PoisonError::into_inner).push(sink);
    }

    /// Ends a subscription.
    pub(super) fn unsubscribe(&self, sink: &SubscriptionSink) {
        self.sinks.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| other.id() != sink.id());
    }

    /// Sends `notifications/tools/list_changed`. Never awaited on the way to an answer: after the
    /// end of input a notification is not taken any more.
    pub(super) async fn announce(&self) {
        let peer = self.peer.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let sinks = self.sinks.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let announcing = async {
            // Whoever has gone needs no notice.
            if let Some(peer) = peer {
                let _ = peer.notify_tool_list_changed().await;
            }
            for sink in sinks {
                let _ = sink.notify_tool_list_changed().await;
            }
        };
        let _ = tokio::time::timeout(PATIENCE, announcing).await;
    }
}
