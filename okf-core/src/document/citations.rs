//! The v0.1 `# Citations` list (spec §13.1).

use crate::markdown::Structure;

/// A source that a v0.1 body cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    /// The label of the link; empty for a bare URL.
    pub label: String,
    /// Where it leads, as written.
    pub url: String,
}

/// The links below every heading `Citations`, bare URLs included.
pub(super) fn read(body: &str, structure: &Structure) -> Vec<Citation> {
    let mut found = Vec::new();
    let mut covered = 0;
    for (index, heading) in structure.headings.iter().enumerate() {
        if !heading.text.trim().eq_ignore_ascii_case("citations") {
            continue;
        }
        // A section inside the one before it was read with it.
        let section = structure.subtree(index, body.len());
        let start = section.start.max(covered);
        covered = section.end.max(covered);
        let links = structure.links.iter().filter(|link| (start..section.end).contains(&link.span.start));
        found.extend(links.map(|link| {
            let label = if link.label == link.destination { String::new() } else { link.label.to_string() };
            Citation { label, url: link.destination.to_string() }
        }));
    }
    found
}
