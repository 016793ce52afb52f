//! The command line.

mod describe;
mod discover;
mod failure;
mod format;
mod graph;
mod index;
mod init;
mod list;
mod mcp;
mod output;
mod providers;
mod search;
mod show;
mod validate;
mod write;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::clock::Clock;
pub(crate) use failure::Failure;
use output::Output;

/// The product that a binary is: what it calls itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Product {
    /// Name of the binary and of the server (`okf`).
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// Reads, checks, edits and serves Open Knowledge Format bundles.
#[derive(Debug, Parser)]
#[command(arg_required_else_help = true, propagate_version = true)]
struct Arguments {
    /// Run as if started in DIR; an empty one changes nothing
    #[arg(short = 'C', value_name = "DIR", global = true, value_parser = directory())]
    directory: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

/// One variant and one file per subcommand; `okf_mcp::cli::<name>::run` does the work.
#[derive(Debug, Subcommand)]
enum Command {
    /// Judge whether a bundle conforms to the Open Knowledge Format
    Validate(validate::Args),
    /// Bring concepts into canonical form
    Format(format::Args),
    /// Bring the indexes of a bundle up to date
    Index(index::Args),
    /// Start a new bundle
    Init(init::Args),
    /// Print what the concepts of a bundle say about one another
    Graph(graph::Args),
    /// Find text in the concepts of a bundle
    Search(search::Args),
    /// List the concepts of a bundle
    List(list::Args),
    /// Show one concept of a bundle
    Show(show::Args),
    /// Tell whether an agent's tool search would find a bundle for a question, and by which words
    Discover(discover::Args),
    /// List the providers of this build and the tools that they offer
    Providers(providers::Args),
    /// Serve a bundle to agents over MCP (stdio)
    Mcp(mcp::McpArguments),
}

/// What every command gets besides its own arguments: all that comes from the process, read once.
#[derive(Debug)]
pub(crate) struct Invocation {
    /// Who is running.
    pub(crate) product: Product,
    /// Where to run: `-C`, else the working directory.
    pub(crate) directory: PathBuf,
    /// The clock, pinned by `OKF_NOW`.
    pub(crate) clock: Clock,
    /// Whether a server may watch directories: unless `OKF_NO_WATCH` says otherwise.
    pub(crate) watch: bool,
    /// Directives for diagnostics, from `RUST_LOG`.
    pub(crate) log: Option<String>,
}

/// Runs the command line of a product with the providers linked into the binary.
///
/// Exit codes: 0 fine, 1 a check failed, 2 bad invocation, I/O or no bundle (contract §5).
#[must_use]
pub fn run(product: Product) -> ExitCode {
    let parsed = command(product).try_get_matches().and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version go to stdout with 0, everything else to stderr with 2; a reader that
            // has gone is no failure.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let outcome =
        Invocation::new(product, arguments.directory).and_then(|invocation| dispatch(arguments.command, &invocation));
    outcome.unwrap_or_else(|failure| failure.end(product.name))
}

/// The definition under the product's name.
fn command(product: Product) -> clap::Command {
    Arguments::command().name(product.name).bin_name(product.name).version(product.version)
}

fn dispatch(command: Command, invocation: &Invocation) -> Result<ExitCode, Failure> {
    match command {
        Command::Validate(arguments) => validate::run(&arguments, invocation),
        Command::Format(arguments) => format::run(&arguments, invocation),
        Command::Index(arguments) => index::run(&arguments, invocation),
        Command::Init(arguments) => init::run(&arguments, invocation),
        Command::Graph(arguments) => graph::run(&arguments, invocation),
        Command::Search(arguments) => search::run(&arguments, invocation),
        Command::List(arguments) => list::run(&arguments, invocation),
        Command::Show(arguments) => show::run(&arguments, invocation),
        Command::Discover(arguments) => discover::run(&arguments, invocation),
        Command::Providers(arguments) => providers::run(&arguments, invocation),
        Command::Mcp(arguments) => mcp::run(arguments, invocation),
    }
}

/// Reads a directory as git's `-C` does, so that a registration line may pass a variable that is unset.
fn directory() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

impl Invocation {
    fn new(product: Product, directory: Option<PathBuf>) -> Result<Self, Failure> {
        let working = std::env::current_dir();
        let directory = match (directory, working) {
            (Some(given), Ok(working)) => working.join(given),
            (Some(given), Err(_)) => given,
            (None, Ok(working)) => working,
            (None, Err(error)) => return Err(Failure::new(format!("no working directory: {error}"))),
        };
        let clock = Clock::from_spelling(std::env::var("OKF_NOW").ok().as_deref())
            .map_err(|error| Failure::new(format!("`OKF_NOW` is no RFC 3339 instant: {error}")))?;
        let watch = std::env::var_os("OKF_NO_WATCH").is_none_or(|value| value.is_empty() || value == "0");
        Ok(Self { product, directory, clock, watch, log: std::env::var("RUST_LOG").ok() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRODUCT: Product = Product { name: "okfp", version: "1.2.3" };

    fn parse(arguments: &[&str]) -> Result<Arguments, clap::Error> {
        let arguments = std::iter::once("okfp").chain(arguments.iter().copied());
        command(PRODUCT).try_get_matches_from(arguments).and_then(|matches| Arguments::from_arg_matches(&matches))
    }

    #[test]
    fn the_definition_is_sound() {
        command(PRODUCT).debug_assert();
    }

    #[test]
    fn help_and_version_speak_of_the_product() {
        let help = parse(&["--help"]).expect_err("help is printed").to_string();
        assert!(help.contains("Usage: okfp "), "{help}");
        assert_eq!(parse(&["--version"]).expect_err("the version is printed").to_string(), "okfp 1.2.3\n");
    }

    #[test]
    fn the_directory_may_stand_before_or_after_the_subcommand() {
        for arguments in [["-C", "d", "mcp"], ["mcp", "-C", "d"]] {
            let parsed = parse(&arguments).expect("a good invocation");
            assert_eq!(parsed.directory, Some(PathBuf::from("d")), "{arguments:?}");
        }
    }

    #[test]
    fn an_empty_directory_is_the_working_directory() {
        assert_eq!(parse(&["-C", "", "mcp"]).expect("a good invocation").directory, Some(PathBuf::new()));
    }

    #[test]
    fn bad_invocations_exit_with_2() {
        for arguments in [&["no-such-command"][..], &["mcp", "--no-such-option"], &["mcp", "a", "b"], &[]] {
            assert_eq!(parse(arguments).expect_err("a bad invocation").exit_code(), 2, "{arguments:?}");
        }
    }
}
