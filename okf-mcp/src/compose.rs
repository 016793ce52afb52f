//! What a client is told: the parts of all identity providers, composed within byte budgets.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;

use crate::cli::Product;
use crate::identity::BundleIdentity;
use crate::provider::ToolText;
use crate::registry::{Registry, RegistryError, guarded, identity_panicked};
use crate::tool::ToolSpec;

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
    /// The first is never cut; any other that does not fit is left out whole.
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
        let mut paragraphs = Vec::new();
        for &(crate_name, provider) in &registry.identity {
            let paragraph = guarded(|| provider.instructions(identity))
                .map_err(|panic| identity_panicked(crate_name, provider, &panic))?;
            paragraphs.extend(paragraph.map(|paragraph| (provider.name(), paragraph)));
        }
        let budget = Budgets::new(identity, 0).instructions;
        let instructions = join_paragraphs(&paragraphs, budget, &mut left_out);
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
        let envelope = json_bytes(&greeting.server_info) + ENVELOPE_BYTES;
        let mut list = List::new(specs, budgets, envelope, &mut left_out);
        for &(crate_name, provider) in &registry.identity {
            let augmented = guarded(|| provider.augment(identity, specs))
                .map_err(|panic| identity_panicked(crate_name, provider, &panic))?;
            for text in augmented {
                list.add(provider.name(), text);
            }
        }
        let tools = list.tools;
        Ok(Self { greeting, tools, left_out, budgets })
    }

    /// Size of the `tools/list` result in bytes, as budgeted.
    pub(crate) fn list_bytes(&self) -> usize {
        let tools: usize = self.tools.iter().map(|tool| json_bytes(&tool.to_json()) + 1).sum();
        tools + json_bytes(&self.greeting.server_info) + ENVELOPE_BYTES
    }
}

impl ServerInfo {
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

fn join_paragraphs(paragraphs: &[(&str, String)], budget: usize, left_out: &mut Vec<String>) -> Option<String> {
    let mut joined = String::new();
    for (provider, paragraph) in paragraphs {
        let paragraph = paragraph.trim();
        if paragraph.is_empty() {
            continue;
        }
        if joined.is_empty() {
            joined.push_str(paragraph);
        } else if joined.len() + 2 + paragraph.len() <= budget {
            joined.push_str("\n\n");
            joined.push_str(paragraph);
        } else {
            left_out.push(format!("the paragraph of `{provider}` does not fit the instructions and is left out"));
        }
    }
    Some(joined).filter(|joined| !joined.is_empty())
}

/// The list while parts are added to it.
struct List<'a> {
    tools: Vec<ToolSpec>,
    /// Which tools have got their first clause.
    introduced: Vec<bool>,
    bytes: usize,
    budgets: Budgets,
    left_out: &'a mut Vec<String>,
}

impl<'a> List<'a> {
    fn new(specs: &[ToolSpec], budgets: Budgets, envelope: usize, left_out: &'a mut Vec<String>) -> Self {
        let bytes = envelope + specs.iter().map(|spec| json_bytes(&spec.to_json()) + 1).sum::<usize>();
        Self { tools: specs.to_vec(), introduced: vec![false; specs.len()], bytes, budgets, left_out }
    }

    /// Adds a provider's texts for one tool; a tool that this build does not have is passed over.
    fn add(&mut self, provider: &str, text: ToolText) {
        let Some(at) = self.tools.iter().position(|tool| tool.name == text.tool) else { return };
        if let Some(clause) = text.clause.as_deref().map(str::trim).filter(|clause| !clause.is_empty()) {
            self.add_clause(provider, at, clause);
        }
        if let Some(hint) = text.search_hint {
            self.change(provider, at, "search hint", |tool| tool.search_hint = Some(hint));
        }
        for (argument, note) in text.argument_notes {
            self.change(provider, at, "argument note", |tool| append_note(tool, &argument, &note));
        }
    }

    fn add_clause(&mut self, provider: &str, at: usize, clause: &str) {
        let budget = self.budgets.description;
        let tool = &self.tools[at];
        if !self.introduced[at] {
            self.introduced[at] = true;
            let mut changed = tool.clone();
            let own = sentences_within(&tool.description, budget.saturating_sub(clause.len() + 1));
            if own.len() < tool.description.trim_end().len() {
                self.left_out.push(format!("the own description of tool `{}` is too long and is cut", tool.name));
            }
            changed.description = if own.is_empty() { clause.to_owned() } else { format!("{own}\n{clause}") };
            self.replace(at, changed);
        } else if tool.description.len() + 1 + clause.len() <= budget {
            self.change(provider, at, "clause", |tool| {
                tool.description.push('\n');
                tool.description.push_str(clause);
            });
        } else {
            self.leave_out(provider, at, "clause");
        }
    }

    /// Makes a change that fits the whole list, or none.
    fn change(&mut self, provider: &str, at: usize, part: &str, change: impl FnOnce(&mut ToolSpec)) {
        let mut changed = self.tools[at].clone();
        change(&mut changed);
        if self.bytes_with(at, &changed) <= self.budgets.list {
            self.replace(at, changed);
        } else {
            self.leave_out(provider, at, part);
        }
    }

    fn replace(&mut self, at: usize, changed: ToolSpec) {
        self.bytes = self.bytes_with(at, &changed);
        self.tools[at] = changed;
    }

    fn bytes_with(&self, at: usize, changed: &ToolSpec) -> usize {
        self.bytes - json_bytes(&self.tools[at].to_json()) + json_bytes(&changed.to_json())
    }

    fn leave_out(&mut self, provider: &str, at: usize, part: &str) {
        self.left_out
            .push(format!("a {part} of `{provider}` for tool `{}` does not fit and is left out", self.tools[at].name));
    }
}

fn append_note(tool: &mut ToolSpec, argument: &str, note: &str) {
    let property = tool.input_schema.get_mut("properties").and_then(|properties| properties.get_mut(argument));
    if let Some(Value::String(description)) = property.and_then(|property| property.get_mut("description")) {
        description.push(' ');
        description.push_str(note.trim());
    }
}

/// The beginning of a text, cut after a whole sentence, else at a character.
fn sentences_within(text: &str, bytes: usize) -> &str {
    let text = text.trim_end();
    if text.len() <= bytes {
        return text;
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let cut = &text[..end];
    let mut sentences =
        cut.match_indices(['.', '\n']).map(|(at, _)| at + 1).filter(|at| text[*at..].starts_with([' ', '\n']));
    cut[..sentences.next_back().unwrap_or(end)].trim_end()
}

fn json_bytes(value: &impl Serialize) -> usize {
    serde_json::to_string(value).expect("values made of strings, numbers and maps have a JSON form").len()
}

#[cfg(test)]
mod tests;
