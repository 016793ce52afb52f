//! `okf mcp`: serve a bundle, or show what a client would be told.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::{Failure, Invocation, describe};
use crate::registry::Registry;
use crate::server::{Catalogue, Options, serve};
use crate::{discovery, logging};

/// Arguments of `okf mcp`.
#[derive(Debug, Args)]
pub(super) struct McpArguments {
    /// Leave out every tool that writes
    #[arg(long)]
    read_only: bool,
    /// Print what a client would be told, and exit
    #[arg(long)]
    describe: bool,
    /// The bundle's root directory [default: the bundle in or directly below the working directory]
    bundle: Option<PathBuf>,
}

/// Serves until the client leaves. Nothing but the protocol reaches stdout.
pub(super) fn run(arguments: McpArguments, invocation: &Invocation) -> Result<ExitCode, Failure> {
    logging::init(invocation.log.as_deref());
    let root = discovery::find(&invocation.directory, arguments.bundle.as_deref())?;
    let registry = Registry::linked()?;
    let product = invocation.product;
    if arguments.describe {
        let (catalogue, identity) = Catalogue::open(product, registry, root, arguments.read_only)?;
        describe::print(&catalogue.offer()?.current(), &catalogue.explain(&identity)?)
            .map_err(|error| Failure::new(format!("cannot write to stdout: {error}")))?;
    } else {
        let Invocation { clock, watch, .. } = *invocation;
        let options = Options { product, clock, root, read_only: arguments.read_only, watch };
        serve(registry, options)?;
    }
    Ok(ExitCode::SUCCESS)
}
