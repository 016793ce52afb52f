//! A session from start to end: start-up, the run loop, every way to stop.

use std::fs::File;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use okf_core::snapshot::Snapshot;
use rmcp::ServiceExt;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use super::{Catalogue, OpenError, Server};
use crate::cli::Product;
use crate::clock::Clock;
use crate::identity::BundleIdentity;
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
    let stop = Stop::listen(&runtime).map_err(StartError::Io)?;
    // Here and not on a thread of the runtime: the heap of the main thread grows in larger steps, and a client waits.
    let catalogue = Catalogue::open(options.product, registry, options.root.clone(), options.read_only)
        .map_err(StartError::Catalogue)?;
    stop.has_begun.store(true, Ordering::Release);
    let start_line = Arc::new(StartLine::default());
    let ended = runtime.block_on(async {
        tokio::select! {
            ended = run(catalogue, options, input, output, &start_line) => ended,
            () = stop.asked.cancelled() => Ok(()),
        }
    });
    // Handlers that are still running end with the process.
    runtime.shutdown_background();
    start_line.say_at_the_end();
    ended
}

async fn run(
    (catalogue, identity): (Catalogue, BundleIdentity),
    options: Options,
    input: File,
    output: File,
    start_line: &Arc<StartLine>,
) -> Result<(), StartError> {
    let Options { product, clock, root, watch, read_only: _ } = options;
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

/// The signals that ask the process to stop.
struct Stop {
    asked: CancellationToken,
    /// Whether there is a session to end; before, the process may go at once.
    has_begun: Arc<AtomicBool>,
}

impl Stop {
    /// Listens from now on, before anything can take long.
    fn listen(runtime: &Runtime) -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let _context = runtime.enter();
        let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        let (asked, has_begun) = (CancellationToken::new(), Arc::new(AtomicBool::new(false)));
        let stop = Self { asked: asked.clone(), has_begun: Arc::clone(&has_begun) };
        runtime.spawn(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if !has_begun.load(Ordering::Acquire) {
                std::process::exit(0);
            }
            asked.cancel();
        });
        Ok(stop)
    }
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
