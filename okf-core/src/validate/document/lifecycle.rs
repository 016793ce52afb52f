//! `status` and `stale_after` (spec §5.4, §5.5).

use super::fields::{Dates, Field, check_timestamp, field, kind, present};
use super::recorder::Recorder;
use crate::frontmatter::{Frontmatter, excerpt};
use crate::metadata::Status;

pub(super) fn check(frontmatter: &Frontmatter, recorder: &mut Recorder<'_>) {
    const STATUS: &str = "okf/invalid-status";
    match field(&frontmatter.root, "status") {
        Field::Text(node, text) if Status::read(text) == Status::Unknown => {
            let meant = Status::read(&text.trim().to_lowercase());
            let help = match meant {
                Status::Unknown => "write `draft`, `stable` or `deprecated`".to_owned(),
                known => format!("write `{}`", known.as_str()),
            };
            recorder.advise(STATUS, node.span.start, format!("`status` is `{}`; {help}", excerpt(text)));
        }
        Field::Other(node) => {
            recorder.advise(STATUS, node.span.start, format!("`status` is {}, not a word", kind(node)));
        }
        Field::Text(..) | Field::Missing => {}
    }
    if let Some(node) = present(&frontmatter.root, "stale_after") {
        check_timestamp(recorder, "okf/invalid-stale-after", "stale_after", node, Dates::Accepted);
    }
}
