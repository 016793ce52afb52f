//! `okf providers`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use serde::Serialize;

use super::output::print_json;
use super::{Failure, Invocation, Output};
use crate::discovery::{self, DiscoveryError};
use crate::identity::{BundleIdentity, Sample};
use crate::registry::{Registry, ToolSet};

/// List the providers of this build and the tools that they offer
///
/// Providers come in the order in which they are asked, tools in the order of `tools/list`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// How to print the list
    #[arg(long, value_enum, default_value_t)]
    output: Output,
    /// The bundle that tools are offered for; without it, the one found from the working directory, if any
    bundle: Option<PathBuf>,
}

/// The providers of a build, and the tools in the order of `tools/list`.
#[derive(Serialize)]
struct Listing {
    providers: Vec<Row>,
    tools: Vec<ToolRow>,
}

/// A provider.
#[derive(Default, Serialize)]
struct Row {
    /// `identity`, `profile` or `tools`.
    kind: &'static str,
    name: &'static str,
    #[serde(rename = "crate")]
    crate_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rank: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    release: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<String>>,
}

/// A tool and where it comes from.
#[derive(Serialize)]
struct ToolRow {
    name: String,
    provider: &'static str,
    #[serde(rename = "crate")]
    crate_name: &'static str,
}

pub(super) fn run(args: &Args, invocation: &Invocation) -> Result<ExitCode, Failure> {
    let registry = Registry::linked()?;
    let identity = args.identity(invocation)?;
    let listing = Listing::new(&registry, &registry.tool_set(&identity)?);
    let mut out = io::stdout().lock();
    match args.output {
        Output::Json => print_json(&mut out, &listing)?,
        Output::Text => listing.print(&mut out)?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

impl Args {
    /// The identity of the bundle that tools are offered for; that of an empty one where there is none, for
    /// what is linked does not depend on it.
    fn identity(&self, invocation: &Invocation) -> Result<BundleIdentity, Failure> {
        match discovery::find(&invocation.directory, self.bundle.as_deref()) {
            Ok(root) => Ok(BundleIdentity::read(&root)?),
            Err(DiscoveryError::None { directory }) => Ok(BundleIdentity {
                root: directory,
                title: String::new(),
                concept_count: 0,
                declared_version: None,
                areas: Vec::new(),
                types: Vec::new(),
                sample: Sample::default(),
            }),
            Err(error) => Err(error.into()),
        }
    }
}

impl Listing {
    fn new(registry: &Registry, tools: &ToolSet) -> Self {
        let identity = registry.identity.iter().map(|&(crate_name, provider)| Row {
            kind: "identity",
            name: provider.name(),
            crate_name,
            rank: Some(provider.rank()),
            ..Row::default()
        });
        let profiles = registry.profiles.iter().map(|(crate_name, profile)| Row {
            kind: "profile",
            name: profile.name(),
            crate_name,
            release: Some(profile.release()),
            ..Row::default()
        });
        let offered = |provider: &str| {
            let own = tools.offers().iter().filter(|offer| offer.provider == provider);
            Some(own.map(|offer| offer.tool.spec.name.clone()).collect())
        };
        let offering = registry.tools.iter().map(|&(crate_name, provider)| Row {
            kind: "tools",
            name: provider.name(),
            crate_name,
            tools: offered(provider.name()),
            ..Row::default()
        });
        let tool = |offer: &crate::registry::Offer| ToolRow {
            name: offer.tool.spec.name.clone(),
            provider: offer.provider,
            crate_name: offer.crate_name,
        };
        Self {
            providers: identity.chain(profiles).chain(offering).collect(),
            tools: tools.offers().iter().map(tool).collect(),
        }
    }

    fn print(&self, out: &mut impl Write) -> io::Result<()> {
        let width = |text: fn(&Row) -> &str| self.providers.iter().map(|row| text(row).len()).max().unwrap_or_default();
        let (names, crates) = (width(|row| row.name), width(|row| row.crate_name));
        for row in &self.providers {
            let offer = match (row.rank, row.release, &row.tools) {
                (Some(rank), ..) => format!("rank {rank}"),
                (_, Some(release), _) => format!("release {release}"),
                (.., Some(tools)) if tools.is_empty() => "no tools".to_owned(),
                (.., Some(tools)) => tools.join(", "),
                (None, None, None) => String::new(),
            };
            writeln!(out, "{:<8}  {:<names$}  {:<crates$}  {offer}", row.kind, row.name, row.crate_name)?;
        }
        let tools: Vec<&str> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
        writeln!(out, "\ntools as listed: {}", if tools.is_empty() { "none".to_owned() } else { tools.join(", ") })
    }
}
