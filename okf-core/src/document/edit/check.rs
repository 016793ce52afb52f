//! The check after every edit: nothing but what was meant has changed, and other readers see it so.

use crate::frontmatter::extent::entry_end;
use crate::frontmatter::{Entry, Fences, Frontmatter, FrontmatterError, Kind, Node, Value, fences, second};
use crate::splice::Splice;

/// What a key is to be after an edit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Expected<'a> {
    /// It has this value.
    Value(&'a Value),
    /// Its list has this item more.
    Appended(&'a Value),
    /// It is gone.
    Absent,
}

/// A change to one key, before it was made.
pub(super) struct Change<'a> {
    pub(super) text: &'a str,
    pub(super) frontmatter: &'a Frontmatter,
    pub(super) splices: &'a [Splice],
    pub(super) key: &'a str,
    pub(super) expected: Expected<'a>,
}

/// Whether the result is what the change was to make of the text; what is wrong, when it is not.
pub(super) fn key(change: &Change<'_>, after: &str) -> Result<(), &'static str> {
    let before = change.text;
    if !same_outside(before, change.splices, after) {
        return Err("bytes beside the value would change");
    }
    let (Fences::Closed { body: old, .. }, Fences::Closed { yaml, body }) = (fences(before), fences(after)) else {
        return Err("the frontmatter would be lost");
    };
    if before[old..] != after[body..] {
        return Err("the body would change");
    }
    let Ok(result) = Frontmatter::parse(after, yaml) else {
        return Err("the result would not be readable");
    };
    let others = |frontmatter| entries(frontmatter).filter(|entry: &&Entry| entry.key != change.key);
    if !others(change.frontmatter)
        .map(|entry| slice(before, entry))
        .eq(others(&result).map(|entry| slice(after, entry)))
        || !others(change.frontmatter).zip(others(&result)).all(|(old, new)| same_entry(old, new))
    {
        return Err("another key would change");
    }
    let old = change.frontmatter.get(change.key);
    let is_as_expected = match (change.expected, result.get(change.key)) {
        (Expected::Absent, new) => new.is_none(),
        (Expected::Value(value), Some(new)) => is_written(value, new, old),
        (Expected::Appended(value), Some(new)) => is_appended(value, new, old),
        (_, None) => false,
    };
    if !is_as_expected {
        return Err("the value would not be read back as given");
    }
    if second_reader_agrees(change, after, &result) {
        Ok(())
    } else {
        Err("another YAML reader would read it differently")
    }
}

/// The limit that a frontmatter is beyond.
pub(super) fn limit(text: &str) -> Option<FrontmatterError> {
    let Fences::Closed { yaml, .. } = fences(text) else { return None };
    Frontmatter::parse(text, yaml).err().filter(|error| error.is_limit)
}

/// Whether two nodes say the same: texts, types and structure, not style.
pub(in crate::document) fn same(one: &Node, other: &Node) -> bool {
    match (&one.kind, &other.kind) {
        (Kind::Scalar(one), Kind::Scalar(other)) => one.text == other.text && one.schema == other.schema,
        (Kind::Sequence(one), Kind::Sequence(other)) => {
            one.len() == other.len() && one.iter().zip(other.iter()).all(|(one, other)| same(one, other))
        }
        (Kind::Mapping(one), Kind::Mapping(other)) => {
            one.entries.len() == other.entries.len()
                && one.entries.iter().zip(&other.entries).all(|(one, other)| same_entry(one, other))
        }
        _ => false,
    }
}

fn same_entry(one: &Entry, other: &Entry) -> bool {
    one.key == other.key && one.key_schema() == other.key_schema() && same(&one.value, &other.value)
}

fn entries(frontmatter: &Frontmatter) -> impl Iterator<Item = &Entry> {
    frontmatter.root.entries.iter()
}

/// The bytes of an entry.
fn slice<'a>(text: &'a str, entry: &Entry) -> &'a str {
    &text[entry.key_span.start..entry_end(text, entry)]
}

/// Whether a text equals another but for what the splices put there.
fn same_outside(before: &str, splices: &[Splice], after: &str) -> bool {
    let mut rest = after;
    let mut done = 0;
    for splice in splices {
        let Some(kept) = before.get(done..splice.range.start) else { return false };
        let Some(behind) = rest.strip_prefix(kept).and_then(|rest| rest.strip_prefix(splice.text.as_str())) else {
            return false;
        };
        rest = behind;
        done = splice.range.end;
    }
    before.get(done..) == Some(rest)
}

/// Whether a value was written: texts are strings, but for items of the old list that say so in another way.
fn is_written(value: &Value, new: &Node, old: Option<&Node>) -> bool {
    if value.is(new) {
        return true;
    }
    let (Value::List(values), Some(items), Some(old)) = (value, new.as_sequence(), old.and_then(Node::as_sequence))
    else {
        return false;
    };
    values.len() == items.len()
        && values
            .iter()
            .zip(items)
            .all(|(value, item)| value.is(item) || (value.reads_as(item) && old.iter().any(|old| same(old, item))))
}

fn is_appended(value: &Value, new: &Node, old: Option<&Node>) -> bool {
    let old = old.and_then(Node::as_sequence).unwrap_or_default();
    let Some((last, items)) = new.as_sequence().and_then(<[Node]>::split_last) else { return false };
    items.len() == old.len() && items.iter().zip(old).all(|(item, old)| same(item, old)) && value.is(last)
}

/// Whether the second reader, where it can read the text before, reads the result: the other keys as before,
/// and the edited one as we do.
fn second_reader_agrees(change: &Change<'_>, after: &str, result: &Frontmatter) -> bool {
    let Some(before) = second::read(change.text, change.frontmatter) else { return true };
    let Some(theirs) = second::read(after, result) else {
        return after.len() > second::MAX_BYTES;
    };
    let is_other = |entry: &Entry| entry.key != change.key;
    let old = entries(change.frontmatter).zip(&before).filter(|(entry, _)| is_other(entry)).map(|(_, pair)| pair);
    let new = entries(result).zip(&theirs).filter(|(entry, _)| is_other(entry)).map(|(_, pair)| pair);
    let edited = entries(result).zip(&theirs).find(|(entry, _)| !is_other(entry));
    old.eq(new) && edited.is_none_or(|(entry, (_, value))| second::agrees(&entry.value, value))
}
