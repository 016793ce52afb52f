//! Diagnostics: everything that is said besides the protocol goes to stderr, and only there.

use std::fmt;
use std::io::Write;

use tracing_subscriber::EnvFilter;

/// What is logged unless `RUST_LOG` says otherwise. rmcp reports every error answer as a warning,
/// which is the client's news and not ours.
const DEFAULT_FILTER: &str = "error";

/// Sends `tracing` events to stderr, filtered by the given `RUST_LOG` directives.
///
/// Directives that do not parse are reported and replaced by the default. A second call changes
/// nothing.
pub(crate) fn init(directives: Option<&str>) {
    let directives = directives.filter(|directives| !directives.trim().is_empty());
    let filter = directives.map_or_else(
        || EnvFilter::new(DEFAULT_FILTER),
        |directives| {
            EnvFilter::try_new(directives).unwrap_or_else(|error| {
                say(format_args!("ignored `RUST_LOG`: {error}"));
                EnvFilter::new(DEFAULT_FILTER)
            })
        },
    );
    // A subscriber that reports its own write errors would panic on a closed stderr.
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .log_internal_errors(false);
    // The only failure is a subscriber that is already installed, by an embedding program or a test.
    let _ = subscriber.try_init();
}

/// Writes one line to stderr. A stderr that nobody reads any more is no reason to fail.
pub(crate) fn say(line: fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
