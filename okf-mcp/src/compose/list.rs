//! The list of tools while the parts of providers are added to it.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use super::{Budgets, json_bytes};
use crate::provider::ToolText;
use crate::tool::ToolSpec;

/// The list while parts are added to it.
pub(super) struct List<'a> {
    pub(super) tools: Vec<ToolSpec>,
    /// Which tools have got their first clause.
    introduced: Vec<bool>,
    bytes: usize,
    budgets: Budgets,
    left_out: &'a mut Vec<String>,
}

impl<'a> List<'a> {
    pub(super) fn new(specs: &[ToolSpec], budgets: Budgets, envelope: usize, left_out: &'a mut Vec<String>) -> Self {
        let bytes = envelope + specs.iter().map(|spec| json_bytes(&spec.to_json()) + 1).sum::<usize>();
        Self { tools: specs.to_vec(), introduced: vec![false; specs.len()], bytes, budgets, left_out }
    }

    /// The list with the texts of one provider whose parts come behind those of others.
    pub(super) fn preview(
        specs: &[ToolSpec],
        budgets: Budgets,
        envelope: usize,
        provider: &str,
        texts: &[ToolText],
    ) -> Vec<ToolSpec> {
        let mut left_out = Vec::new();
        let mut list = List::new(specs, budgets, envelope, &mut left_out);
        list.introduced = vec![true; specs.len()];
        texts.iter().for_each(|text| list.add(provider, text.clone()));
        list.tools
    }

    /// Shortens the tools' own descriptions, the longest first and by whole sentences, until the list holds the
    /// first clauses, which are never cut.
    pub(super) fn make_room<'t>(&mut self, texts: impl Iterator<Item = &'t ToolText>) {
        let mut clauses = HashMap::<&str, usize>::new();
        for text in texts {
            let clause = text.clause.as_deref().map(str::trim).filter(|clause| !clause.is_empty());
            if let Some(clause) = clause.filter(|_| self.tools.iter().any(|tool| tool.name == text.tool)) {
                clauses.entry(&text.tool).or_insert_with(|| json_bytes(&clause));
            }
        }
        let clauses: usize = clauses.values().sum();
        let mut cut = BTreeSet::new();
        while self.bytes + clauses > self.budgets.list {
            let shorter = |at: usize| {
                let own = self.tools[at].description.trim_end();
                Some(sentences_within(own, own.len() - 1)).filter(|shorter| shorter.ends_with(['.', ':', '!', '?']))
            };
            let candidates = (0..self.tools.len()).filter_map(|at| Some((at, shorter(at)?.to_owned())));
            let Some((at, own)) = candidates.max_by_key(|(at, _)| self.tools[*at].description.len()) else { break };
            self.replace(at, ToolSpec { description: own, ..self.tools[at].clone() });
            cut.insert(self.tools[at].name.clone());
        }
        self.left_out.extend(cut.iter().map(|name| own_is_cut(name)));
    }

    /// Adds a provider's texts for one tool; a tool that this build does not have is passed over.
    pub(super) fn add(&mut self, provider: &str, text: ToolText) {
        let Some(at) = self.tools.iter().position(|tool| tool.name == text.tool) else { return };
        if let Some(clause) = text.clause.as_deref().map(str::trim).filter(|clause| !clause.is_empty()) {
            self.add_clause(provider, at, clause);
        }
        if let Some(hint) = text.search_hint {
            self.change(provider, at, "search hint", |tool| tool.search_hint = Some(hint));
        }
        for (argument, note) in text.argument_notes {
            self.change(provider, at, "note", |tool| append_note(tool, &argument, &note));
        }
    }

    /// Says what breaks a budget though nothing more can be cut: it is served whole all the same.
    pub(super) fn tell_excess(&mut self) {
        let Budgets { description, list, .. } = self.budgets;
        for tool in self.tools.iter().filter(|tool| tool.description.len() > description) {
            let (name, bytes) = (&tool.name, tool.description.len());
            self.left_out.push(format!(
                "the description of tool `{name}` takes {bytes} bytes, more than its {description}: the first clause \
                 is never cut"
            ));
        }
        if self.bytes > list {
            let mut longest: Vec<&ToolSpec> = self.tools.iter().collect();
            longest.sort_by_key(|tool| std::cmp::Reverse(json_bytes(&tool.to_json())));
            let names: Vec<String> = longest.iter().take(3).map(|tool| format!("`{}`", tool.name)).collect();
            self.left_out.push(format!(
                "the list of tools takes {} bytes, more than its {list}, and nothing more can be cut; the longest \
                 are {}",
                self.bytes,
                names.join(", ")
            ));
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
                self.left_out.push(own_is_cut(&tool.name));
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

fn own_is_cut(tool: &str) -> String {
    format!("the own description of tool `{tool}` is too long and is cut")
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
