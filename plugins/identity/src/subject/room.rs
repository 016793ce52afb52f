//! How many bytes of words each tool holds.

use okf_mcp::identity::BundleIdentity;
use okf_mcp::tool::{Effect, ToolSpec};

use crate::clause::{ROOT_ALLOWANCE, SUBJECTS, root_excess, search_hint};

/// Bytes of one description (contract §9), beside the excess of a long root.
const DESCRIPTION: usize = 900;

/// Bytes of the whole `tools/list`, likewise.
const TOOLS_LIST: usize = 14_000;

/// Bytes of the list that are left to other providers.
const RESERVE: usize = 150;

/// Bytes that a result carries besides tools, title and root: keys, cache hints, `serverInfo`.
const ENVELOPE: usize = 350;

/// Most tools that carry words. More would thin the lists out.
const MOST_TOOLS: usize = 6;

/// Bytes of words that are worth a list. Where six lists would have less, there are fewer lists.
const ENOUGH: usize = 48;

/// Bytes of words in an argument's description.
const ARGUMENT: usize = 160;

/// Fewest bytes of a list: when there are few words, they still go to several tools, because
/// every tool is ranked alone and a short description ranks higher.
const FEWEST: usize = 320;

/// Bytes of words in a search hint.
pub const HINT: usize = 64;

/// Arguments that name a subject, the likeliest first. A tool with one of them is one that an agent
/// looks for when it works on the subject; its words may also stand at that argument.
const CARRIERS: &[&str] = &["query", "id", "concept"];

/// Room for words at one tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Index of the tool.
    pub tool: usize,
    /// Bytes of terms and separators in its description.
    pub description: usize,
    /// Bytes in the description of its argument.
    pub argument: usize,
}

/// Room at the tools that carry words: entry tools first, then those that read, then those that
/// write; among them the one that needs a query first.
///
/// `supply` is how many bytes all terms would take.
pub fn of(identity: &BundleIdentity, tools: &[ToolSpec], clause: &str, supply: usize) -> Vec<Room> {
    let mut order: Vec<usize> = (0..tools.len()).filter(|&at| carrier(&tools[at]).is_some()).collect();
    order.sort_by_key(|&at| (!tools[at].always_load, tools[at].effect != Effect::Read, !needs_query(&tools[at])));
    let excess = root_excess(identity);
    let fixed: usize = tools.iter().map(|tool| wire_size(identity, tool, clause)).sum();
    let envelope = ENVELOPE + 2 * json_size(&identity.title) + identity.shown_root().len().min(ROOT_ALLOWANCE);
    let left = |lists: usize| {
        let frames = lists * (HINT + 2 * SUBJECTS.len());
        TOOLS_LIST.saturating_sub(fixed + frames + envelope + RESERVE)
    };
    order.truncate(MOST_TOOLS);
    while order.len() > 1 && left(order.len()) < order.len() * ENOUGH {
        order.pop();
    }
    let lists = order.len().max(1);
    let mut left = left(lists);
    let fair = (supply / lists).max(FEWEST).min(left / lists);
    let mut rooms = Vec::with_capacity(order.len());
    for tool in order {
        let used = tools[tool].description.len() + 1 + clause.len() + SUBJECTS.len();
        let description = (DESCRIPTION + excess).saturating_sub(used).min(fair);
        left -= description;
        rooms.push(Room { tool, description, argument: 0 });
    }
    for room in &mut rooms {
        room.argument = (fair - room.description).min(ARGUMENT).min(left / lists);
    }
    rooms
}

fn needs_query(tool: &ToolSpec) -> bool {
    let required = tool.input_schema.get("required").and_then(|required| required.as_array());
    required.is_some_and(|required| required.iter().any(|name| name == CARRIERS[0]))
}

/// The argument whose description carries words: the one that names a subject.
pub fn carrier(tool: &ToolSpec) -> Option<&'static str> {
    let properties = tool.input_schema.get("properties")?;
    let is_text =
        |name: &str| properties.get(name).and_then(|property| property.get("type")).is_some_and(|t| t == "string");
    CARRIERS.iter().copied().find(|name| is_text(name))
}

/// Bytes of a text inside a JSON string.
fn json_size(text: &str) -> usize {
    serde_json::to_string(text).map_or(text.len(), |json| json.len() - 2)
}

/// Bytes of a tool in `tools/list` before any words, as if the root had the length that the budgets include.
fn wire_size(identity: &BundleIdentity, tool: &ToolSpec, clause: &str) -> usize {
    let introduced = ToolSpec {
        description: format!("{}\n{clause}", tool.description),
        search_hint: Some(search_hint(identity, tool, &[])),
        ..tool.clone()
    };
    let size = serde_json::to_string(&introduced.to_json()).map_or(0, |json| json.len() + 1);
    size - root_excess(identity).min(size)
}
