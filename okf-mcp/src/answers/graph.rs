//! `query-graph`: the graph JSON of contract §7, and the drawings of `okf graph`.

use std::collections::BTreeMap;
use std::io::{self, Write};

use okf_core::graph::Selection;
use serde::{Serialize, Serializer};

use crate::tool::ToolError;

/// An answer above this many bytes is not sent unless all of it is asked for.
const WHOLE: usize = 60_000;

/// The published schema of the graph JSON.
pub const SCHEMA: &str = include_str!("graph.schema.json");

/// The graph as JSON: a closed contract, no other keys.
#[derive(Debug, Serialize)]
pub struct GraphAnswer<'a> {
    schema_version: &'static str,
    #[serde(serialize_with = "nodes")]
    nodes: &'a Selection<'a>,
    #[serde(serialize_with = "edges")]
    edges: &'a Selection<'a>,
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
    /// The JSON form of a part of the graph: written as it is gone over.
    #[must_use]
    pub fn of(graph: &'a Selection<'a>) -> Self {
        Self { schema_version: "1", nodes: graph, edges: graph }
    }
}

fn nodes<S: Serializer>(graph: &Selection<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(graph.nodes().map(|node| Node {
        id: node.id,
        path: node.path,
        concept_type: node.concept_type,
        title: node.title,
        status: node.status.as_str(),
        trust_tier: node.trust_tier.as_str(),
        stale_after: node.stale_after.map(|instant| instant.to_string()),
    }))
}

fn edges<S: Serializer>(graph: &Selection<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(graph.edges().map(|edge| EdgeJson {
        source: edge.source,
        raw_target: edge.raw_target,
        origin: edge.origin.as_str(),
        resolution: edge.resolution.as_str(),
        resolved_path: edge.resolved_path,
        target_concept: edge.target_concept,
    }))
}

/// The graph as compact JSON, unless it would flood a client.
///
/// # Errors
///
/// Above 60 kB without `full`: how many nodes and edges there are, per area and type, and how to narrow.
pub fn bounded(graph: &Selection<'_>, full: bool) -> Result<String, ToolError> {
    let mut sink = Sink { text: Vec::new(), limit: if full { usize::MAX } else { WHOLE } };
    match serde_json::to_writer(&mut sink, &GraphAnswer::of(graph)) {
        Ok(()) => Ok(String::from_utf8(sink.text).expect("JSON is UTF-8")),
        Err(_) => Err(ToolError::new(too_large(graph))),
    }
}

/// Takes so many bytes and fails on more, so that what will not be sent is not written either.
struct Sink {
    text: Vec<u8>,
    limit: usize,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.text.len() + bytes.len() > self.limit {
            return Err(io::ErrorKind::WriteZero.into());
        }
        self.text.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn too_large(graph: &Selection<'_>) -> String {
    let mut nodes = 0;
    let mut areas = Counts::default();
    let mut types = Counts::default();
    for node in graph.nodes() {
        nodes += 1;
        *areas.entry(node.id.split_once('/').map_or("(root)", |(area, _)| area)).or_default() += 1;
        *types.entry(node.concept_type).or_default() += 1;
    }
    let edges = graph.edges().count();
    format!(
        "the answer has {nodes} nodes and {edges} edges in more than {WHOLE} bytes, too much for a client; nodes per area: {}; \
         per type: {}; narrow it with `path_prefixes`, `types`, `resolutions`, or `concept` with `depth`, or ask for everything \
         with `full: true`",
        counted(areas),
        counted(types),
    )
}

type Counts<'a> = BTreeMap<&'a str, usize>;

/// `name 12, other 3`, largest first, at most 20 names.
fn counted(counts: Counts<'_>) -> String {
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
    let more = counts.len().saturating_sub(20);
    let mut parts: Vec<String> = counts
        .into_iter()
        .take(20)
        .map(|(name, count)| format!("`{}` {count}", super::page::shorten(name, 80)))
        .collect();
    if more > 0 {
        parts.push(format!("and {more} more"));
    }
    parts.join(", ")
}

/// The graph in Graphviz' language. Only resolved edges are drawn; titles cannot break out.
#[must_use]
pub fn dot(graph: &Selection<'_>) -> String {
    let mut out = String::from("digraph okf {\n  rankdir=LR;\n  node [shape=box];\n");
    for node in graph.nodes() {
        out.push_str(&format!("  {} [label={}];\n", dot_string(node.id), dot_string(node.title)));
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
pub fn mermaid(graph: &Selection<'_>) -> String {
    let mut out = String::from("flowchart LR\n");
    let names: BTreeMap<&str, String> =
        graph.nodes().enumerate().map(|(at, node)| (node.id, format!("n{at}"))).collect();
    for node in graph.nodes() {
        out.push_str(&format!("  {}[\"{}\"]\n", names[node.id], mermaid_text(node.title)));
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
fn concept_edges<'a>(graph: &Selection<'a>) -> Vec<(&'a str, &'a str)> {
    let mut pairs: Vec<_> = graph.edges().filter_map(|edge| Some((edge.source, edge.target_concept?))).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
