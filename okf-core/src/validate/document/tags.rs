//! `tags` (spec §4.1).

use super::fields::{kind, present};
use super::recorder::Recorder;
use crate::frontmatter::{Frontmatter, excerpt};

const ID: &str = "okf/invalid-tags";

pub(super) fn check(frontmatter: &Frontmatter, recorder: &mut Recorder<'_>) {
    let Some(tags) = present(&frontmatter.root, "tags") else { return };
    let Some(items) = tags.as_sequence() else {
        let message = match tags.as_text() {
            Some(text) => {
                let shown = excerpt(text);
                format!("`tags` is {}, not a list, and is read as the one tag `{shown}`; write `[a, b]`", kind(tags))
            }
            None => format!("`tags` is {}, not a list, and is ignored; write `[a, b]`", kind(tags)),
        };
        return recorder.advise(ID, tags.span.start, message);
    };
    for (index, item) in items.iter().enumerate() {
        let fault = match item.as_text() {
            Some(text) if !text.trim().is_empty() => continue,
            Some(_) => "blank",
            None => kind(item),
        };
        recorder.advise(ID, item.span.start, format!("`tags[{index}]` is {fault} and is ignored; a tag is a text"));
    }
}
