//! What a bundle declares: its release of the profile and its types.

use std::collections::BTreeSet;
use std::ops::Range;

use okf_core::bundle::Bundle;
use okf_core::document::Document;
use okf_core::frontmatter::{Frontmatter, Node};
use okf_core::markdown::BlockKind;

use crate::{FORMAT, RELEASE};

/// Which release of the profile a bundle follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declared {
    /// The one that this build knows.
    Known,
    /// Another, as written, on this line of `profile.md`.
    Other(String, u32),
    /// None that can be read: why, and the line of `profile.md`.
    Unreadable(String, u32),
}

/// Reads the declaration in `profile.md`.
pub fn release(bundle: &Bundle) -> Declared {
    let (block, line) = match root(bundle, "profile.md").and_then(yaml) {
        Ok(found) => found,
        Err((problem, line)) => return Declared::Unreadable(problem, line),
    };
    let value = |key: &str| block.get(key).and_then(Node::as_text).map(str::trim).filter(|text| !text.is_empty());
    match (value("profile_release"), value("okf_version")) {
        (None, _) => Declared::Unreadable("`profile_release` is not declared".to_owned(), line),
        // What else another release demands of its declaration is not known here.
        (Some(release), _) if release != RELEASE => Declared::Other(release.to_owned(), line),
        (Some(_), None) => Declared::Unreadable("`okf_version` is not declared".to_owned(), line),
        (Some(_), Some(FORMAT)) => Declared::Known,
        (Some(_), Some(version)) => {
            let problem = format!("`okf_version` is `{version}`; release {RELEASE} of the profile is for `{FORMAT}`");
            Declared::Unreadable(problem, line)
        }
    }
}

/// The types that `types.md` registers.
///
/// # Errors
///
/// Why there is no registry to go by, and the line of `types.md`.
pub fn types(bundle: &Bundle) -> Result<BTreeSet<String>, (String, u32)> {
    let (block, line) = root(bundle, "types.md").and_then(yaml)?;
    let registry = block.get("types").and_then(Node::as_mapping);
    let registry = registry.ok_or_else(|| ("`types` is no mapping of types to their meanings".to_owned(), line))?;
    let has_meaning = |node: &Node| node.as_text().is_some_and(|text| !text.trim().is_empty());
    if let Some(entry) = registry.entries.iter().find(|entry| !has_meaning(&entry.value)) {
        return Err((format!("type `{}` is registered without a meaning", entry.key), line));
    }
    Ok(registry.entries.iter().map(|entry| entry.key.trim().to_owned()).collect())
}

/// A document at the root.
fn root<'a>(bundle: &'a Bundle, path: &str) -> Result<&'a Document, (String, u32)> {
    let problem = match bundle.files().get(path) {
        Some(_) => "cannot be read",
        None => "does not exist at the root",
    };
    bundle.document(path).map(AsRef::as_ref).ok_or_else(|| (format!("`{path}` {problem}"), 1))
}

/// The first fenced YAML block of a document, and its line.
fn yaml(document: &Document) -> Result<(Frontmatter, u32), (String, u32)> {
    let body = document.body();
    let structure = document.structure();
    let fences = structure.blocks.iter().filter(|block| block.kind == BlockKind::Code { fenced: true });
    let content = fences.map(|block| block.span.clone()).find_map(|span| yaml_content(body, span));
    let content = content.ok_or_else(|| ("there is no fenced YAML block".to_owned(), 1))?;
    let line = document.body_position(content.start).line;
    let range = document.body_start() + content.start..document.body_start() + content.end;
    match Frontmatter::parse(document.text().as_str(), range) {
        Ok(block) => Ok((block, line)),
        Err(error) => Err((format!("the YAML block cannot be read: {error}"), error.position.line)),
    }
}

/// What stands between the fences of a block whose language is YAML.
fn yaml_content(body: &str, span: Range<usize>) -> Option<Range<usize>> {
    let block = &body[span.clone()];
    let opening = block.split(['\n', '\r']).next()?;
    let fence = opening.trim_start().chars().next()?;
    // What else stands behind the language is nobody's business.
    let language = opening.trim_start().trim_start_matches(fence).split_whitespace().next()?.to_lowercase();
    if !matches!(language.as_str(), "yaml" | "yml") {
        return None;
    }
    let after = &block[opening.len()..];
    let start = opening.len() + if after.starts_with("\r\n") { 2 } else { after.len().min(1) };
    let closed = block.trim_end();
    let last = closed.rfind(['\n', '\r']).map_or(0, |end| end + 1);
    // A fence that never closes runs to the end of the document.
    let is_closing = last >= start && closed[last..].trim().chars().all(|c| c == fence);
    let end = if is_closing { last } else { block.len() };
    Some(span.start + start..span.start + end.max(start))
}
