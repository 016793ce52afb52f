//! A session from start to end: start-up, the run loop, every way to stop.

use std::fs::File;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use okf_core::snapshot::Snapshot;
use rmcp::ServiceExt;
use tokio::runtime::Builder;

use super::{Catalogue, OpenError, Server};
use crate::cli::Product;
use crate::clock::Clock;
use crate::logging::say;
use crate::registry::Registry;
use crate::wire::{self, Ends, Wire};

/// How long running calls may go on after the end of input: time enough to answer what was asked
/// just before, and the process is gone within a second (contract §9).
const GRACE: Duration = Duration::from_millis(800);
/// How long the end of a short session waits for the tools to be composed, and for the load to be told about.
const LOAD_GRACE: Duration = Duration::from_millis(150);

/// What to serve, and how.
pub(crate) struct Options {
    /// Who serves.
    pub(crate) product: Product,
    /// The clock.
    pub(crate) clock: Clock,
    /// The resolved root.
    pub(crate) root: PathBuf,
    /// Whether tools that write are left out.
    pub(crate) read_only: bool,
    /// Whether the directories of the bundle may be watched.
    pub(crate) watch: bool,
}

/// Why a session could not start.
#[derive(Debug)]
pub(crate) enum StartError {
    /// The bundle or the providers.
    Catalogue(OpenError),
    /// The process's own resources.
    Io(std::io::Error),
}

/// Serves a bundle over the process's stdio until the client leaves or a signal comes.
///
/// # Errors
///
/// The session could not start; once it runs, every end is a good one.
pub(crate) fn serve(registry: Registry, options: Options) -> Result<(), StartError> {
    let (input, output) = wire::claim().map_err(StartError::Io)?;
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().map_err(StartError::Io)?;
    let start_line = Arc::new(StartLine::default());
    let ended = runtime.block_on(async {
        let signalled = signals().map_err(StartError::Io)?;
        tokio::select! {
            ended = run(registry, options, input, output, &start_line) => ended,
            () = signalled => Ok(()),
        }
    });
    // Handlers that are still running end with the process.
    runtime.shutdown_background();
    start_line.say_at_the_end();
    ended
}

async fn run(
    registry: Registry,
    options: Options,
    input: File,
    output: File,
    start_line: &Arc<StartLine>,
) -> Result<(), StartError> {
    let Options { product, clock, root, read_only, watch } = options;
    let opening = {
        let root = root.clone();
        tokio::task::spawn_blocking(move || Catalogue::open(product, registry, root, read_only))
    };
    let (catalogue, identity) = match opening.await {
        Ok(opened) => opened.map_err(StartError::Catalogue)?,
        Err(panicked) => return Err(StartError::Io(std::io::Error::other(panicked))),
    };
    start_line.expect(product, identity.concept_count, identity.shown_root());
    let snapshot = Arc::new(if watch { Snapshot::new(&root) } else { Snapshot::unwatched(&root) });
    let wire = Wire::new(input, output, format!("{} mcp", product.name));
    let ends = wire.ends();
    let server = Server::new(catalogue, Arc::clone(&snapshot), clock, ends.input.clone());
    tokio::spawn(server.clone().follow_bundle());
    let behind = tokio::spawn(work_behind(server.clone(), snapshot, Arc::clone(start_line)));
    tokio::select! {
        () = speak(server.clone(), wire, &ends) => {}
        () = ends.output.cancelled() => {}
        () = async { ends.input.cancelled().await; tokio::time::sleep(GRACE).await } => {}
    }
    // A session may be over before it is known whether the providers make a server.
    let _ = tokio::time::timeout(LOAD_GRACE, behind).await;
    match server.shared.broken.get() {
        Some(error) => Err(StartError::Catalogue(OpenError::Registry(error.clone()))),
        None => Ok(()),
    }
}

/// What a client need not wait for: composing the texts of the tools, then loading the bundle.
async fn work_behind(server: Server, snapshot: Arc<Snapshot>, start_line: Arc<StartLine>) {
    server.greeted().await;
    // An error ends the session by itself.
    let _ = server.offer().await;
    load_behind(snapshot, start_line);
}

/// Speaks with the client until the input ends and everything asked is answered.
pub(super) async fn speak(server: Server, wire: Wire, ends: &Ends) {
    // The handshake only fails when the client has gone before it was complete.
    match server.serve(wire).await {
        Ok(running) => drop(running.waiting().await),
        Err(error) => tracing::info!(%error, "the session ended before the handshake"),
    }
    ends.drained.cancelled().await;
}

/// Completes when the process is asked to stop. Registered before anything can take long.
fn signals() -> std::io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}

/// Loads the bundle while the first requests are answered from its identity.
fn load_behind(snapshot: Arc<Snapshot>, start_line: Arc<StartLine>) {
    std::thread::spawn(move || {
        // A bundle that has gone meanwhile is reported by the calls.
        if let Ok(bundle) = snapshot.current() {
            start_line.say(Some((bundle.concept_count(), bundle.unreadable().len())));
        }
        start_line.load_ended();
    });
}

/// The line on stderr that says what is served: said once, after the load or at the end.
#[derive(Default)]
struct StartLine {
    expected: OnceLock<(Product, usize, String)>,
    said: OnceLock<()>,
    load_ended: Mutex<bool>,
    end_of_load: Condvar,
}

impl StartLine {
    fn expect(&self, product: Product, concepts: usize, root: String) {
        // A process has one session.
        let _ = self.expected.set((product, concepts, root));
    }

    fn say(&self, loaded: Option<(usize, usize)>) {
        let Some((product, concepts, root)) = self.expected.get() else { return };
        self.said.get_or_init(|| {
            let (concepts, unreadable) = loaded.unwrap_or((*concepts, 0));
            let suffix = if unreadable > 0 { format!("; {unreadable} unreadable file(s)") } else { String::new() };
            say(format_args!("{} mcp: serving {concepts} concept(s) from {root}{suffix}", product.name));
        });
    }

    fn load_ended(&self) {
        *self.load_ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.end_of_load.notify_all();
    }

    /// Says it at the latest now: a session may end before the bundle is loaded.
    fn say_at_the_end(&self) {
        if self.expected.get().is_some() {
            let ended = self.load_ended.lock().unwrap_or_else(PoisonError::into_inner);
            drop(self.end_of_load.wait_timeout_while(ended, LOAD_GRACE, |ended| !*ended));
        }
        self.say(None);
    }
}

#[cfg(test)]
mod tests;
