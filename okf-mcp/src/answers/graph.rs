//! `query-graph`: the graph JSON of contract §7, and the drawings of `okf graph`.

use std::collections::BTreeMap;

use okf_core::graph::{Graph, GraphNode};
use serde::Serialize;

use crate::tool::ToolError;

/// An answer above this many bytes is not sent unless all of it is asked for.
const WHOLE: usize = 60_000;

/// The published schema of the graph JSON.
pub const SCHEMA: &str = include_str!("graph.schema.json");

/// The graph as JSON: a closed contract, no other keys.
#[derive(Debug, Serialize)]
pub struct GraphAnswer<'a> {
    schema_version: &'static str,
    nodes: Vec<Node<'a>>,
    edges: Vec<EdgeJson<'a>>,
}

#[derive(Debug, Serialize)]
struct Node<'a> {
    id: &'a str,
    path: &'a str,
    #[serde(rename = "type")]
    concept_type: &'a str,
    title: &'a str,
    status: &'static str,
    trust_tier: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    stale_after: Option<String>,
}

#[derive(Debug, Serialize)]
struct EdgeJson<'a> {
    source: &'a str,
    raw_target: &'a str,
    origin: &'static str,
    resolution: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved_path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target_concept: Option<&'a str>,
}

impl<'a> GraphAnswer<'a> {
    /// The JSON form of a graph.
    #[must_use]
    pub fn of(graph: &'a Graph) -> Self {
        let nodes = graph.nodes.iter().map(|node| Node {
            id: &node.id,
            path: &node.path,
            concept_type: &node.concept_type,
            title: &node.title,
            status: node.status.as_str(),
            trust_tier: node.trust_tier.as_str(),
            stale_after: node.stale_after.map(|instant| instant.to_string()),
        });
        let edges = graph.edges.iter().map(|edge| EdgeJson {
            source: &edge.source,
            raw_target: &edge.raw_target,
            origin: edge.origin.as_str(),
            resolution: edge.resolution.as_str(),
            resolved_path: edge.resolved_path.as_deref(),
            target_concept: edge.target_concept.as_deref(),
        });
        Self { schema_version: "1", nodes: nodes.collect(), edges: edges.collect() }
    }
}

/// The graph as compact JSON, unless it would flood a client.
///
/// # Errors
///
/// Above 60 kB without `full`: how many nodes and edges there are, per area and type, and how to narrow.
pub fn bounded(graph: &Graph, full: bool) -> Result<String, ToolError> {
    let text = serde_json::to_string(&GraphAnswer::of(graph)).expect("the graph answer has only string keys");
    if full || text.len() <= WHOLE { Ok(text) } else { Err(ToolError::new(too_large(graph, text.len()))) }
}

fn too_large(graph: &Graph, bytes: usize) -> String {
    let area = |node: &GraphNode| node.id.split_once('/').map_or("(root)", |(area, _)| area).to_owned();
    format!(
        "the answer has {} nodes and {} edges in {bytes} bytes, more than a client takes; nodes per area: {}; per type: {}; \
         narrow it with `path_prefixes`, `types`, `resolutions`, or `concept` with `depth`, or ask for everything with `full: true`",
        graph.nodes.len(),
        graph.edges.len(),
        counted(graph.nodes.iter().map(area)),
        counted(graph.nodes.iter().map(|node| node.concept_type.to_string())),
    )
}

/// `name 12, other 3`, largest first, at most 20 names.
fn counted(names: impl Iterator<Item = String>) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let more = counts.len().saturating_sub(20);
    let mut parts: Vec<String> = counts
        .into_iter()
        .take(20)
        .map(|(name, count)| format!("`{}` {count}", super::page::shorten(&name, 80)))
        .collect();
    if more > 0 {
        parts.push(format!("and {more} more"));
    }
    parts.join(", ")
}

/// The graph in Graphviz' language. Only resolved edges are drawn; titles cannot break out.
#[must_use]
pub fn dot(graph: &Graph) -> String {
    let mut out = String::from("digraph okf {\n  rankdir=LR;\n  node [shape=box];\n");
    for node in &graph.nodes {
        out.push_str(&format!("  {} [label={}];\n", dot_string(&node.id), dot_string(&node.title)));
    }
    for (source, target) in concept_edges(graph) {
        out.push_str(&format!("  {} -> {};\n", dot_string(source), dot_string(target)));
    }
    out.push_str("}\n");
    out
}

fn dot_string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The graph as a Mermaid flowchart. Only resolved edges are drawn; titles cannot break out.
#[must_use]
pub fn mermaid(graph: &Graph) -> String {
    let mut out = String::from("flowchart LR\n");
    let names: BTreeMap<&str, String> =
        graph.nodes.iter().enumerate().map(|(at, node)| (&*node.id, format!("n{at}"))).collect();
    for node in &graph.nodes {
        out.push_str(&format!("  {}[\"{}\"]\n", names[&*node.id], mermaid_text(&node.title)));
    }
    for (source, target) in concept_edges(graph) {
        if let (Some(source), Some(target)) = (names.get(source), names.get(target)) {
            out.push_str(&format!("  {source} --> {target}\n"));
        }
    }
    out
}

/// Everything but letters, digits, spaces and a few harmless marks as Mermaid's numeric entities.
fn mermaid_text(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            c if c.is_alphanumeric() || matches!(c, ' ' | '.' | ',' | '-' | '_' | '/' | '(' | ')') => out.push(c),
            c if c.is_control() => out.push(' '),
            c => out.push_str(&format!("#{};", u32::from(c))),
        }
    }
    out
}

/// The distinct pairs of concepts that an edge joins, in order.
fn concept_edges(graph: &Graph) -> Vec<(&str, &str)> {
    let mut pairs: Vec<(&str, &str)> = graph
        .edges
        .iter()
        .filter_map(|edge| edge.target_concept.as_deref().map(|target| (&*edge.source, target)))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
