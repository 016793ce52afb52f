//! What a client is told: the parts of all identity providers, composed within byte budgets.

mod list;
mod paragraphs;

use std::sync::Arc;

use serde::Serialize;

use crate::cli::Product;
use crate::identity::BundleIdentity;
use crate::provider::ToolText;
use crate::registry::{Registry, RegistryError, guarded, identity_panicked};
use crate::tool::ToolSpec;
use list::List;

/// Budget of the instructions, in bytes. Clients cut at 2 048 characters.
pub(crate) const INSTRUCTIONS_BYTES: usize = 2_000;

/// Budget of each tool's description, in bytes.
pub(crate) const DESCRIPTION_BYTES: usize = 900;

/// Budget of the whole `tools/list` result, in bytes of compact JSON.
pub(crate) const LIST_BYTES: usize = 14_000;

/// A root up to this length, in bytes, fits the budgets; what is longer is added to them.
const ROOT_BYTES: usize = 100;

/// What the list's result carries besides tools and `serverInfo`: cache hints, result type, keys.
const ENVELOPE_BYTES: usize = 200;

/// What a client is told first: who is speaking, and about what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Greeting {
    /// Who is speaking.
    pub(crate) server_info: ServerInfo,
    /// The paragraphs of the providers, if any says something.
    pub(crate) instructions: Option<String>,
    /// What was left out because it did not fit, one line each.
    left_out: Vec<String>,
}

/// Everything that a client is told about the server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Introduction {
    /// What is told first.
    pub(crate) greeting: Arc<Greeting>,
    /// The tools with their composed texts, by name.
    pub(crate) tools: Vec<ToolSpec>,
    /// What was left out because it did not fit, one line each; of the greeting too.
    pub(crate) left_out: Vec<String>,
    /// The budgets that were in force.
    pub(crate) budgets: Budgets,
}

/// The server's name with the identity of its bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct ServerInfo {
    /// The product's name.
    pub(crate) name: &'static str,
    /// The product's version.
    pub(crate) version: &'static str,
    /// The bundle's title.
    pub(crate) title: String,
    /// Title, number of concepts and root.
    pub(crate) description: String,
}

/// Byte budgets, widened for a long root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Budgets {
    /// Of the instructions.
    pub(crate) instructions: usize,
    /// Of each description.
    pub(crate) description: usize,
    /// Of the whole list.
    pub(crate) list: usize,
}

impl Budgets {
    fn new(identity: &BundleIdentity, tools: usize) -> Self {
        let excess = identity.shown_root().len().saturating_sub(ROOT_BYTES);
        Self {
            instructions: INSTRUCTIONS_BYTES + excess,
            description: DESCRIPTION_BYTES + excess,
            list: LIST_BYTES + excess * tools,
        }
    }
}

impl Greeting {
    /// Asks all identity providers for their paragraph and joins them in rank order.
    ///
    /// The first is never cut, but leaves room for the others; one that does not fit is left out whole.
    ///
    /// # Errors
    ///
    /// A provider that panics, with its crate.
    pub(crate) fn compose(
        product: Product,
        registry: &Registry,
        identity: &BundleIdentity,
    ) -> Result<Self, RegistryError> {
        let mut left_out = Vec::new();
        let budget = Budgets::new(identity, 0).instructions;
        let instructions = paragraphs::compose(registry, identity, budget, &mut left_out)?;
        Ok(Self { server_info: ServerInfo::new(product, identity), instructions, left_out })
    }
}

impl Introduction {
    /// Asks all identity providers for their texts about the tools and composes them, in rank order.
    ///
    /// The first part of each description is never cut: a tool's own words give way instead, by whole
    /// sentences. Any other part that does not fit is left out whole.
    ///
    /// # Errors
    ///
    /// A provider that panics, with its crate.
    pub(crate) fn compose(
        greeting: Arc<Greeting>,
        registry: &Registry,
        identity: &BundleIdentity,
        specs: &[ToolSpec],
    ) -> Result<Self, RegistryError> {
        let budgets = Budgets::new(identity, specs.len());
        let mut left_out = greeting.left_out.clone();
        let envelope = greeting.server_info.envelope();
        let augmented = augment(registry, identity, specs, budgets, envelope)?;
        let mut list = List::new(specs, budgets, envelope, &mut left_out);
        list.make_room(augmented.iter().flat_map(|augmented| &augmented.texts));
        for Augmented { provider, texts, .. } in augmented {
            texts.into_iter().for_each(|text| list.add(provider, text));
        }
        list.tell_excess();
        let tools = list.tools;
        Ok(Self { greeting, tools, left_out, budgets })
    }

    /// Size of the `tools/list` result in bytes, as budgeted.
    pub(crate) fn list_bytes(&self) -> usize {
        let tools: usize = self.tools.iter().map(|tool| json_bytes(&tool.to_json()) + 1).sum();
        tools + self.greeting.server_info.envelope()
    }
}

/// What one identity provider adds to the tools, and what it was shown.
struct Augmented {
    provider: &'static str,
    /// The specs as it saw them: with the parts of the providers behind it.
    seen: Vec<ToolSpec>,
    texts: Vec<ToolText>,
}

/// Asks the identity providers for their texts; in rank order.
///
/// The last is asked first, and every other one sees what those behind it say as far as that fits: who
/// shares the room that is left out over words thereby leaves theirs.
fn augment(
    registry: &Registry,
    identity: &BundleIdentity,
    specs: &[ToolSpec],
    budgets: Budgets,
    envelope: usize,
) -> Result<Vec<Augmented>, RegistryError> {
    let mut augmented = Vec::new();
    let mut seen = specs.to_vec();
    for (rank, &(crate_name, provider)) in registry.identity.iter().enumerate().rev() {
        let texts = guarded(|| provider.augment(identity, &seen))
            .map_err(|panic| identity_panicked(crate_name, provider, &panic))?;
        // Nobody stands before the first, so nobody is shown what it says.
        let shown =
            if rank == 0 { Vec::new() } else { List::preview(&seen, budgets, envelope, provider.name(), &texts) };
        augmented.push(Augmented { provider: provider.name(), seen: std::mem::replace(&mut seen, shown), texts });
    }
    augmented.reverse();
    Ok(augmented)
}

/// What the identity providers say about their texts, by provider, in rank order.
///
/// # Errors
///
/// A provider that panics, with its crate.
pub(crate) fn explain(
    greeting: &Greeting,
    registry: &Registry,
    identity: &BundleIdentity,
    specs: &[ToolSpec],
) -> Result<Vec<(String, String)>, RegistryError> {
    let budgets = Budgets::new(identity, specs.len());
    let augmented = augment(registry, identity, specs, budgets, greeting.server_info.envelope())?;
    let mut explanations = Vec::new();
    for (&(crate_name, provider), Augmented { seen, .. }) in registry.identity.iter().zip(augmented) {
        let explanation = guarded(|| provider.explain(identity, &seen))
            .map_err(|panic| identity_panicked(crate_name, provider, &panic))?;
        explanations.extend(explanation.map(|explanation| (provider.name().to_owned(), explanation)));
    }
    Ok(explanations)
}

impl ServerInfo {
    /// Bytes of a `tools/list` result beside the tools.
    fn envelope(&self) -> usize {
        json_bytes(self) + ENVELOPE_BYTES
    }

    fn new(product: Product, identity: &BundleIdentity) -> Self {
        let noun = if identity.concept_count == 1 { "concept" } else { "concepts" };
        Self {
            name: product.name,
            version: product.version,
            title: identity.title.clone(),
            description: format!(
                "Knowledge bundle \"{}\": {} {noun} at {}",
                identity.title,
                identity.concept_count,
                identity.shown_root()
            ),
        }
    }
}

fn json_bytes(value: &impl Serialize) -> usize {
    serde_json::to_string(value).expect("values made of strings, numbers and maps have a JSON form").len()
}

#[cfg(test)]
mod tests;
