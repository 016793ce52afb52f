use super::*;
use crate::graph::{Direction::*, Neighbourhood};

fn bundle(files: &[(&str, &str)]) -> Bundle {
    Bundle::from_files(files.iter().copied()).unwrap()
}

/// `source -> raw_target` and where it leads, one per edge.
fn edges<'a>(edges: impl Iterator<Item = Edge<'a>>) -> Vec<String> {
    let show = |edge: Edge<'_>| {
        let to = edge.target_concept.unwrap_or(edge.resolution.as_str());
        format!("{} {} {} -> {to}", edge.source, edge.origin.as_str(), edge.raw_target)
    };
    edges.map(show).collect()
}

fn ids<'a>(nodes: impl Iterator<Item = GraphNode<'a>>) -> Vec<&'a str> {
    nodes.map(|node| node.id).collect()
}

const SMALL: &[(&str, &str)] = &[
    ("index.md", "# P\n\n* [A](a.md)\n"),
    (
        "a.md",
        "---\ntype: Note\ntitle: The A\nresource: https://example.org\nsources: [{ resource: b.md }, { resource: all of it }]\n---\n[z](b.md) [y](b.md) [b](/b.md) [i](index.md) [g](gone.md) [x](bad.md) ![p](p.png) [](#here)\n",
    ),
    ("b.md", "---\ntype: Metric\nstatus: draft\ncomputation: ../q.sql\n---\n[c](n/c.md)\n"),
    ("bad.md", "---\ntype: [\n---\n[a](a.md)\n"),
    ("n/c.md", "---\ntype: Note\n---\n[a](../a.md) [self](c.md)\n"),
    ("q.sql", ""),
];

#[test]
fn builds_nodes_and_edges_in_order_without_duplicates() {
    let bundle = bundle(SMALL);
    let graph = Graph::build(&bundle);
    assert_eq!(ids(graph.nodes()), ["a", "b", "n/c"]);
    let a = graph.node("a").unwrap();
    assert_eq!((a.title, a.concept_type, a.path, a.status), ("The A", "Note", "a.md", Status::Stable));
    assert_eq!((graph.node("n/c").unwrap().title, graph.node("b").unwrap().status), ("c", Status::Draft));
    assert_eq!(
        edges(graph.edges()),
        [
            "a body /b.md -> b",
            "a body b.md -> b",
            "a body bad.md -> bad",
            "a body gone.md -> unresolved",
            "a body index.md -> resolved-asset",
            "a resource https://example.org -> external",
            "a sources.resource all of it -> descriptor",
            "a sources.resource b.md -> b",
            "b body n/c.md -> n/c",
            "b computation ../q.sql -> invalid",
            "n/c body ../a.md -> a",
            "n/c body c.md -> n/c",
        ]
    );
}

#[test]
fn nodes_are_ordered_by_id_rather_than_path() {
    let note = "---\ntype: Note\n---\n[a](/a.md)\n";
    let graph = Graph::build(&bundle(&[("a-b.md", note), ("a.md", note), ("a/c.md", note)]));
    assert_eq!(ids(graph.nodes()), ["a", "a-b", "a/c"]);
    assert!(graph.edges().is_sorted());
    assert_eq!(graph.incoming("a").len(), 3);
    assert_eq!(graph.outgoing("a-b").len(), 1);
    assert_eq!(graph.outgoing("a/").len() + graph.incoming("").len(), 0);
}

#[test]
fn types_and_prefixes_choose_nodes_and_edges_follow() {
    let graph = Graph::build(&bundle(SMALL));
    let everything = GraphQuery::default();
    assert!(graph.select(&everything).nodes().eq(graph.nodes()) && graph.select(&everything).edges().eq(graph.edges()));
    let query = GraphQuery { types: vec!["Note".into()], ..GraphQuery::default() };
    let notes = graph.select(&query);
    assert_eq!(ids(notes.nodes()), ["a", "n/c"]);
    assert_eq!(
        edges(notes.edges()),
        [
            "a body gone.md -> unresolved",
            "a body index.md -> resolved-asset",
            "a resource https://example.org -> external",
            "a sources.resource all of it -> descriptor",
            "n/c body ../a.md -> a",
            "n/c body c.md -> n/c",
        ]
    );
    let query = GraphQuery { path_prefixes: vec!["./n/".into()], ..GraphQuery::default() };
    let area = graph.select(&query);
    assert_eq!((ids(area.nodes()), edges(area.edges())), (vec!["n/c"], vec!["n/c body c.md -> n/c".to_owned()]));
    let prefixes = vec!["a".into(), "bad".into()];
    let resolutions = vec![Resolution::Concept];
    let query = GraphQuery { path_prefixes: prefixes, resolutions, ..GraphQuery::default() };
    let unreadable = graph.select(&query);
    assert_eq!(
        (ids(unreadable.nodes()), edges(unreadable.edges())),
        (vec!["a"], vec!["a body bad.md -> bad".to_owned()])
    );
    let query = GraphQuery { types: vec!["note".into()], ..GraphQuery::default() };
    let nothing = graph.select(&query);
    assert_eq!((nothing.nodes().count(), nothing.edges().count()), (0, 0));
}

#[test]
fn resolutions_choose_edges_only() {
    let graph = Graph::build(&bundle(SMALL));
    let resolutions = vec![Resolution::Unresolved, Resolution::Invalid];
    let query = GraphQuery { resolutions, ..GraphQuery::default() };
    let broken = graph.select(&query);
    assert_eq!(ids(broken.nodes()), ["a", "b", "n/c"]);
    assert_eq!(edges(broken.edges()), ["a body gone.md -> unresolved", "b computation ../q.sql -> invalid"]);
}

fn around(graph: &Graph, concept: &str, direction: Direction, depth: u8) -> (Vec<String>, usize) {
    let neighbourhood = Some(Neighbourhood { concept: concept.into(), direction, depth });
    let query = GraphQuery { neighbourhood, ..GraphQuery::default() };
    let part = graph.select(&query);
    assert!(part.edges().is_sorted());
    (part.nodes().map(|node| node.id.to_owned()).collect(), part.edges().count())
}

#[test]
fn a_neighbourhood_follows_edges_in_its_direction() {
    let note = |links: &str| format!("---\ntype: Note\n---\n{links}\n");
    let files: Vec<(String, String)> = (0..8)
        .map(|at| (format!("c{at}.md"), note(&format!("[next](c{}.md) [x](https://example.org)", at + 1))))
        .chain([("hub.md".into(), note("[c0](c0.md) [c3](c3.md)"))])
        .collect();
    let graph = Graph::build(&Bundle::from_files(files).unwrap());
    let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(around(&graph, "c3", Out, 1), (named(&["c3", "c4"]), 2));
    assert_eq!(around(&graph, "c3", Out, 2), (named(&["c3", "c4", "c5"]), 4));
    assert_eq!(around(&graph, "c3", In, 1), (named(&["c2", "c3", "hub"]), 2));
    assert_eq!(around(&graph, "c3", Both, 1), (named(&["c2", "c3", "c4", "hub"]), 4));
    assert_eq!(around(&graph, "c0", In, 5), (named(&["c0", "hub"]), 1));
    assert_eq!(around(&graph, "c0", Out, 9).0.len(), 6, "five edges far at most");
    assert_eq!(around(&graph, "c7", Out, 1), (named(&["c7"]), 2), "the last link leads nowhere");
    assert_eq!(around(&graph, "gone", Both, 5), (Vec::new(), 0));
}

#[test]
fn cycles_and_self_links_end() {
    let graph = Graph::build(&bundle(SMALL));
    assert_eq!(around(&graph, "n/c", Both, 5).0, ["a", "b", "n/c"]);
    assert_eq!(around(&graph, "bad", In, 1), (vec!["a".to_owned()], 1));
}
