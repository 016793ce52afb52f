//! The tools of other servers that a client may have besides ours.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::tool::ToolSpec;

/// Invented tools of invented servers, worded for this project: one for most things that public servers do.
const POOL: &str = include_str!("pool.json");

/// Characters of a description that clients keep.
const KEPT: usize = 2_048;

/// What a tool search reads of a tool.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Candidate {
    server: String,
    /// Its name.
    pub(super) name: String,
    title: String,
    description: String,
    /// Argument names and their descriptions.
    arguments: Map<String, Value>,
}

impl Candidate {
    /// A tool as a server lists it.
    pub(super) fn of(server: &str, tool: &ToolSpec) -> Self {
        let properties = tool.input_schema.get("properties").and_then(Value::as_object);
        let described = |(name, property): (&String, &Value)| (name.clone(), property["description"].clone());
        Self {
            server: server.to_owned(),
            name: tool.name.clone(),
            title: tool.title.clone(),
            description: tool.description.clone(),
            arguments: properties.into_iter().flatten().map(described).collect(),
        }
    }

    /// Its text: name, description, argument names and descriptions; server and title if they are read.
    pub(super) fn text(&self, titles: bool) -> String {
        let mut text = self.name.clone();
        let mut add = |part: &str| {
            text.push(' ');
            text.push_str(part);
        };
        if titles {
            add(&self.server);
            add(&self.title);
        }
        add(&self.description.chars().take(KEPT).collect::<String>());
        for (name, description) in &self.arguments {
            add(name);
            add(description.as_str().unwrap_or_default());
        }
        text
    }
}

/// The pool.
pub(super) fn read() -> Vec<Candidate> {
    serde_json::from_str(POOL).expect("the pool is part of the program and read by its tests")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_pool_is_one_of_many_servers_and_every_tool_is_described() {
        let pool = read();
        assert!((60..=120).contains(&pool.len()), "{}", pool.len());
        let servers: HashSet<_> = pool.iter().map(|tool| &tool.server).collect();
        let names: HashSet<_> = pool.iter().map(|tool| &tool.name).collect();
        assert!(servers.len() >= 30 && names.len() == pool.len(), "{} servers, {} names", servers.len(), names.len());
        for tool in &pool {
            let described = tool.arguments.values().all(|text| text.as_str().is_some_and(|text| text.len() > 3));
            assert!(tool.description.len() > 30 && !tool.arguments.is_empty() && described, "{tool:?}");
        }
    }
}
