//! `generated`, `verified` and the v0.1 `timestamp` (spec §5.2, §13.1).

use super::fields::{Dates, Field, check_actor, check_timestamp, field, kind, present};
use super::recorder::Recorder;
use crate::frontmatter::{Frontmatter, Mapping, Node};

const GENERATED: &str = "okf/invalid-generated";
const VERIFIED: &str = "okf/invalid-verified";

pub(super) fn check(frontmatter: &Frontmatter, recorder: &mut Recorder<'_>) {
    match present(&frontmatter.root, "generated") {
        Some(generated) => check_generated(recorder, generated),
        // The fallback of v0.1 is judged where it is read.
        None => {
            if let Some(node) = present(&frontmatter.root, "timestamp") {
                check_timestamp(recorder, GENERATED, "timestamp", node, Dates::Incomplete);
            }
        }
    }
    if let Some(verified) = present(&frontmatter.root, "verified") {
        check_verified(recorder, verified);
    }
}

fn check_generated(recorder: &mut Recorder<'_>, node: &Node) {
    let Some(generated) = node.as_mapping() else {
        let message = format!("`generated` is {}, not a mapping `{{ by, at }}`", kind(node));
        return recorder.advise(GENERATED, node.span.start, message);
    };
    check_by(recorder, GENERATED, "generated", node, generated);
    if let Some(at) = present(generated, "at") {
        check_timestamp(recorder, GENERATED, "generated.at", at, Dates::Incomplete);
    }
}

fn check_verified(recorder: &mut Recorder<'_>, node: &Node) {
    if let Some(event) = node.as_mapping() {
        return check_event(recorder, "verified", node, event);
    }
    let Some(events) = node.as_sequence() else {
        let message = format!("`verified` is {}, not a list of `{{ by, at }}`", kind(node));
        return recorder.advise(VERIFIED, node.span.start, message);
    };
    if events.is_empty() {
        let message = "`verified` is an empty list; leave it out until somebody has verified the concept";
        recorder.advise(VERIFIED, node.span.start, message);
    }
    for (index, event) in events.iter().enumerate() {
        let name = format!("verified[{index}]");
        match event.as_mapping() {
            Some(mapping) => check_event(recorder, &name, event, mapping),
            None => {
                let message = format!("`{name}` is {}, not a mapping `{{ by, at }}`", kind(event));
                recorder.advise(VERIFIED, event.span.start, message);
            }
        }
    }
}

fn check_event(recorder: &mut Recorder<'_>, name: &str, node: &Node, event: &Mapping) {
    check_by(recorder, VERIFIED, name, node, event);
    match present(event, "at") {
        Some(at) => {
            check_timestamp(recorder, VERIFIED, &format!("{name}.at"), at, Dates::Incomplete);
        }
        None => recorder.advise(VERIFIED, node.span.start, format!("`{name}.at` is missing")),
    }
}

fn check_by(recorder: &mut Recorder<'_>, id: &'static str, name: &str, node: &Node, mapping: &Mapping) {
    match field(mapping, "by") {
        Field::Text(by, actor) => check_actor(recorder, id, &format!("{name}.by"), by, actor),
        Field::Missing => recorder.advise(id, node.span.start, format!("`{name}.by` is missing: nobody is named")),
        Field::Other(by) => {
            recorder.advise(id, by.span.start, format!("`{name}.by` is {}, not an actor", kind(by)));
        }
    }
}
