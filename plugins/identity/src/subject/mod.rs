//! Subject words: terms of what the bundle is about, shared out over the tools (contract §9,
//! *Descriptions*).
//!
//! [`words`] cuts text, [`corpus`] turns the sample into questions and terms ([`vocabulary`],
//! [`draft`]), [`room`] says how much fits and [`cover`] chooses. The method and its numbers: decision *Subject words*.

use okf_mcp::identity::{BundleIdentity, ConceptHead};
use okf_mcp::tool::ToolSpec;

mod alarming;
mod background;
mod corpus;
mod cover;
mod draft;
mod japanese;
mod language;
mod room;
mod script;
mod vocabulary;
mod words;

pub use background::commonness;
use corpus::Corpus;
pub use room::{HINT, carrier};

/// Bytes of the list in the instructions.
const INSTRUCTIONS_ROOM: usize = 400;

/// Concepts that the overview reads: the words of most concepts show in fewer.
const OVERVIEW_SAMPLE: usize = 24;

/// A chosen term, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The term as shown.
    pub term: String,
    /// Number of concepts in the sample that use it.
    pub count: u32,
    /// How common its rarest word is in tool descriptions at large: 0 rare to 5 everywhere.
    pub class: u8,
    /// The tool that carries it.
    pub tool: String,
}

/// The terms of one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// Those in its description, the most telling first.
    pub description: Vec<Chosen>,
    /// Those in the description of its argument [`carrier`].
    pub argument: Vec<Chosen>,
}

/// Shares the terms out over the tools, in the order of the tools. `clause` is what each
/// description carries besides.
pub fn share(identity: &BundleIdentity, tools: &[ToolSpec], clause: &str) -> Vec<Share> {
    let mut known: Vec<&str> = vec![&identity.title];
    known.extend(tools.iter().flat_map(|tool| [tool.name.as_str(), &tool.description]));
    let corpus = Corpus::read(&identity.sample.iter().collect::<Vec<_>>(), &known);
    let rooms = room::of(identity, tools, clause, corpus.supply());
    let lists: Vec<usize> = rooms.iter().map(|room| room.description + room.argument).collect();
    let mut shares = vec![Share::default(); tools.len()];
    let mut left = rooms.clone();
    for pick in cover::choose(&corpus, &lists) {
        let (left, share) = (&mut left[pick.list], &mut shares[rooms[pick.list].tool]);
        let term = &corpus.terms[pick.term];
        let chosen = Chosen {
            term: term.surface.clone(),
            count: term.concepts,
            class: term.stems.iter().map(|id| corpus.stems[*id as usize].class).min().unwrap_or(background::RARE),
            tool: tools[rooms[pick.list].tool].name.clone(),
        };
        if left.description >= term.cost() {
            left.description -= term.cost();
            share.description.push(chosen);
        } else if left.argument >= term.cost() {
            left.argument -= term.cost();
            share.argument.push(chosen);
        }
    }
    shares
}

/// The most telling terms of the bundle as a whole, in at most `room` bytes of a list.
pub fn overview(identity: &BundleIdentity, room: usize) -> Vec<String> {
    let sample: Vec<&ConceptHead> = identity.sample.spread(OVERVIEW_SAMPLE).collect();
    let corpus = Corpus::read(&sample, &[&identity.title]);
    let picks = cover::choose(&corpus, &[room.min(INSTRUCTIONS_ROOM)]);
    picks.into_iter().map(|pick| corpus.terms[pick.term].surface.clone()).collect()
}

#[cfg(test)]
mod tests;
