//! The contract of an Attested Computation (spec §10).

use std::collections::HashMap;
use std::ops::Range;

use super::fields::{Field, check_optional_text, field, kind, present};
use super::recorder::Recorder;
use crate::document::Document;
use crate::frontmatter::{Frontmatter, Kind, Mapping, Node, Schema, excerpt};
use crate::markdown::{BlockKind, Structure};

const MISSING: &str = "okf/missing-computation";
const PARAMETERS: &str = "okf/invalid-computation-parameters";

/// Judges only concepts of that very type.
pub(super) fn check(document: &Document, frontmatter: &Frontmatter, recorder: &mut Recorder<'_>) {
    if document.metadata().concept_type.as_deref() != Some("Attested Computation") {
        return;
    }
    let root = &frontmatter.root;
    let type_at = frontmatter.get("type").map_or(0, |node| node.span.start);
    check_runtime(recorder, root, type_at);
    check_computation(recorder, root, &document.structure(), document.body(), document.body_start(), type_at);
    if let Some(parameters) = present(root, "parameters") {
        check_parameters(recorder, parameters);
    }
    if let Some(executor) = present(root, "executor") {
        check_party(recorder, "okf/invalid-executor", "executor", executor);
        let receipt = executor.as_mapping().and_then(|executor| present(executor, "receipt"));
        if let Some(receipt) = receipt.filter(|receipt| receipt.as_sequence().is_none()) {
            let message = format!("`executor.receipt` is {}, not a list of fields", kind(receipt));
            recorder.advise("okf/invalid-executor", receipt.span.start, message);
        }
    }
    if let Some(attester) = present(root, "attester") {
        check_party(recorder, "okf/invalid-attester", "attester", attester);
    }
}

fn check_runtime(recorder: &mut Recorder<'_>, root: &Mapping, type_at: usize) {
    const RUNTIME: &str = "okf/missing-computation-runtime";
    match field(root, "runtime") {
        Field::Text(..) => {}
        Field::Missing => {
            recorder.advise(RUNTIME, type_at, "`runtime` is missing: nothing says how to run the computation")
        }
        Field::Other(node) => {
            recorder.advise(RUNTIME, node.span.start, format!("`runtime` is {}, not a text", kind(node)));
        }
    }
}

/// Exactly one computation: a code block below `# Computation`, or a file (spec §10.3).
fn check_computation(
    recorder: &mut Recorder<'_>,
    root: &Mapping,
    structure: &Structure,
    body: &str,
    body_start: usize,
    type_at: usize,
) {
    const AMBIGUOUS: &str = "okf/ambiguous-computation";
    let blocks = inline_computations(structure, body.len());
    match (field(root, "computation"), blocks.as_slice()) {
        (Field::Text(node, _), [first, ..]) => {
            let line = recorder.line(body_start + first);
            let message = format!("`computation` names a file and line {line} holds the computation too; keep one");
            recorder.advise(AMBIGUOUS, node.span.start, message);
        }
        (Field::Other(node), []) => {
            recorder.advise(MISSING, node.span.start, format!("`computation` is {}, not a path", kind(node)));
        }
        (Field::Missing, []) => {
            let message = "there is no computation: add a code block below `# Computation`, or `computation: path`";
            recorder.advise(MISSING, type_at, message);
        }
        (_, [_, second, ..]) => {
            let message = format!("`# Computation` holds {} code blocks; which one is meant?", blocks.len());
            recorder.advise(AMBIGUOUS, body_start + second, message);
        }
        (Field::Text(..), []) | (_, [_]) => {}
    }
}

/// Where the code blocks below every heading `Computation` start in the body.
fn inline_computations(structure: &Structure, body_len: usize) -> Vec<usize> {
    let mut sections: Vec<Range<usize>> = Vec::new();
    for (index, heading) in structure.headings.iter().enumerate() {
        // A section inside the one before it is part of that one.
        let is_inside = sections.last().is_some_and(|section| heading.span.start < section.end);
        if !is_inside && heading.text.trim().eq_ignore_ascii_case("computation") {
            sections.push(structure.subtree(index, body_len));
        }
    }
    let is_below = |start: &usize| {
        let section = sections.partition_point(|section| section.end <= *start);
        sections.get(section).is_some_and(|section| section.contains(start))
    };
    let code = structure.blocks.iter().filter(|block| matches!(block.kind, BlockKind::Code { .. }));
    code.map(|block| block.span.start).filter(is_below).collect()
}

fn check_parameters(recorder: &mut Recorder<'_>, node: &Node) {
    let Some(parameters) = node.as_sequence() else {
        let message = format!("`parameters` is {}, not a list of `{{ name, type, required }}`", kind(node));
        return recorder.advise(PARAMETERS, node.span.start, message);
    };
    let mut first = HashMap::new();
    for (index, entry) in parameters.iter().enumerate() {
        let name = format!("parameters[{index}]");
        let Some(parameter) = entry.as_mapping() else {
            let message = format!("`{name}` is {}, not a mapping `{{ name, type, required }}`", kind(entry));
            recorder.advise(PARAMETERS, entry.span.start, message);
            continue;
        };
        for key in ["name", "type"] {
            if let Field::Missing = field(parameter, key) {
                recorder.advise(PARAMETERS, entry.span.start, format!("`{name}.{key}` is missing"));
            }
            check_optional_text(recorder, PARAMETERS, &name, parameter, key);
        }
        if let Field::Text(at, text) = field(parameter, "name") {
            let before = *first.entry(text).or_insert(index);
            if before != index {
                let message = format!("`{name}.name` is `{}`, as is that of `parameters[{before}]`", excerpt(text));
                recorder.advise(PARAMETERS, at.span.start, message);
            }
        }
        if let Some(required) = present(parameter, "required").filter(|required| !is_bool(required)) {
            let message = format!("`{name}.required` is {}, not `true` or `false`", kind(required));
            recorder.advise(PARAMETERS, required.span.start, message);
        }
    }
}

fn is_bool(node: &Node) -> bool {
    matches!(&node.kind, Kind::Scalar(scalar) if scalar.schema == Schema::Bool)
}

/// An executor or attester: a mapping with a `resource` (spec §10.2).
fn check_party(recorder: &mut Recorder<'_>, id: &'static str, name: &str, node: &Node) {
    let Some(party) = node.as_mapping() else {
        let message = format!("`{name}` is {}, not a mapping with a `resource`", kind(node));
        return recorder.advise(id, node.span.start, message);
    };
    match field(party, "resource") {
        Field::Text(..) => {}
        Field::Missing => recorder.advise(id, node.span.start, format!("`{name}.resource` is missing")),
        Field::Other(resource) => {
            let message = format!("`{name}.resource` is {}, not a path or URL", kind(resource));
            recorder.advise(id, resource.span.start, message);
        }
    }
}
