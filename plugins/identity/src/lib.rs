//! The built-in identity: tells a client which bundle is served, what it is about and which tool to
//! reach for (contract §9, *Identity*, *Instructions*, *Descriptions*).
//!
//! Goes through the seam like any other provider; a build that wants another introduction leaves
//! out the link line. Knows nothing about protocols, tools' handlers or the file system.

use okf_mcp::identity::BundleIdentity;
use okf_mcp::provider::{IdentityProvider, ToolText};
use okf_mcp::tool::ToolSpec;

mod clause;
mod instructions;
mod subject;

pub use subject::Chosen;
use subject::Share;

/// The provider behind the built-in instructions, identity clauses and subject words.
pub struct Identity;

okf_mcp::register_identity_provider!(Identity);

impl IdentityProvider for Identity {
    fn name(&self) -> &str {
        "identity"
    }

    fn rank(&self) -> i32 {
        0
    }

    fn instructions(&self, identity: &BundleIdentity) -> Option<String> {
        Some(instructions::compose(identity))
    }

    fn instructions_within(&self, identity: &BundleIdentity, bytes: usize) -> Option<String> {
        Some(instructions::compose_within(identity, bytes))
    }

    fn augment(&self, identity: &BundleIdentity, tools: &[ToolSpec]) -> Vec<ToolText> {
        let clause = clause::compose(identity);
        let shares = subject::share(identity, tools, &clause);
        tools.iter().zip(&shares).map(|(tool, share)| tool_text(identity, tool, &clause, share)).collect()
    }

    fn explain(&self, identity: &BundleIdentity, tools: &[ToolSpec]) -> Option<String> {
        let chosen = explain(identity, tools);
        let sample = identity.sample.len();
        let mut text = format!(
            "{} subject words from {sample} concepts; each with the number of those that use it, and how common its \
             rarest word is in tool descriptions at large:",
            chosen.len()
        );
        for Chosen { term, count, class, tool } in chosen {
            text.push_str(&format!("\n{tool}: {term} ({count}, {})", subject::commonness(class)));
        }
        Some(text)
    }
}

/// The words chosen for each tool, in the order shown, and why.
#[must_use]
pub fn explain(identity: &BundleIdentity, tools: &[ToolSpec]) -> Vec<Chosen> {
    let shares = subject::share(identity, tools, &clause::compose(identity));
    shares.into_iter().flat_map(|share| share.description.into_iter().chain(share.argument)).collect()
}

fn tool_text(identity: &BundleIdentity, tool: &ToolSpec, clause: &str, share: &Share) -> ToolText {
    let words = share.description.iter().map(|chosen| chosen.term.as_str());
    let note = clause::listed(share.argument.iter().map(|chosen| chosen.term.as_str()));
    let argument_notes = subject::carrier(tool).zip(note).map(|(argument, note)| (argument.to_owned(), note));
    ToolText {
        tool: tool.name.clone(),
        search_hint: Some(clause::search_hint(identity, tool, &hint_words(share))),
        clause: Some(clause::with_words(clause, words)),
        argument_notes: argument_notes.into_iter().collect(),
    }
}

/// The first few words of a tool, as many as a hint holds.
fn hint_words(share: &Share) -> Vec<&str> {
    let mut left = subject::HINT;
    let words = share.description.iter().map(|chosen| chosen.term.as_str());
    words
        .take(5)
        .take_while(|word| {
            let fits = left > word.len() + 2;
            left = left.saturating_sub(word.len() + 2);
            fits
        })
        .collect()
}
