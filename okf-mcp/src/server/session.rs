//! A session from start to end: start-up, the run loop, every way to stop.

use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use okf_core::snapshot::Snapshot;
use rmcp::ServiceExt;
use tokio::runtime::Builder;
use tokio::sync::oneshot;

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
    let start_line = Arc::new(StartLine::default());
    let (product, root, read_only) = (options.product, options.root.clone(), options.read_only);
    let (opening, opened) = oneshot::channel();
    let of_session = Arc::clone(&start_line);
    let session = std::thread::Builder::new()
        .name("okf-session".to_owned())
        .spawn(move || hold(opened, options, &of_session))
        .map_err(StartError::Io)?;
    // On the main thread, whose heap grows in larger steps than that of another: a client waits for this.
    // A session that has ended already has its own reason.
    let _ = opening.send(Catalogue::open(product, registry, root, read_only));
    let ended = session.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    start_line.say_at_the_end();
    ended
}

/// What the session is about, once it is known.
type Opened = Result<(Catalogue, BundleIdentity), OpenError>;

/// Holds a session on this thread, which is for all that only waits and passes on; whatever takes time runs in
/// threads of its own.
fn hold(opened: oneshot::Receiver<Opened>, options: Options, start_line: &Arc<StartLine>) -> Result<(), StartError> {
    let runtime = Builder::new_current_thread().enable_all().build().map_err(StartError::Io)?;
    let ended = runtime.block_on(async {
        let mut signalled = std::pin::pin!(signals().map_err(StartError::Io)?);
        let (input, output) = wire::claim().map_err(StartError::Io)?;
        // The first message is read while the bundle is being opened.
        let wire = Wire::new(input, output, format!("{} mcp", options.product.name));
        let opened = tokio::select! {
            opened = opened => opened.map_err(|gone| StartError::Io(std::io::Error::other(gone)))?,
            // Nothing has begun, and nobody can tell how long the opening will take.
            () = &mut signalled => std::process::exit(0),
        };
        tokio::select! {
            ended = run(opened.map_err(StartError::Catalogue)?, options, wire, start_line) => ended,
            () = &mut signalled => Ok(()),
        }
    });
    // Handlers that are still running end with the process, and so does a read that waits for a terminal.
    runtime.shutdown_background();
    ended
}

async fn run(
    (catalogue, identity): (Catalogue, BundleIdentity),
    options: Options,
    wire: Wire,
    start_line: &Arc<StartLine>,
) -> Result<(), StartError> {
    let Options { product, clock, root, watch, read_only: _ } = options;
    start_line.expect(product, identity.concept_count, identity.shown_root());
    let snapshot = Arc::new(if watch { Snapshot::new(&root) } else { Snapshot::unwatched(&root) });
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
