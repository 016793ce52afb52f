//! Stories told to the real binary, one module per tool family (docs: house style, Tests).

mod harness;

mod budgets;
mod handshake;
mod identity;
mod injection;
mod introduced;
mod link_lines;
mod streams;
mod tool_list;
mod wire;

mod arguments;
mod list_concepts;
mod lookup_concept;
mod query_graph;
mod search_concepts;
mod validate_tool;
mod writes;

mod discover_command;
mod discovery;
mod format;
mod freshness;
mod registration;

mod cli;
mod index_command;
mod validation;

mod cases;
mod hostile;
mod real_bundles;
mod served;
