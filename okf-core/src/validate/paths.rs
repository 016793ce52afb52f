//! Paths: which break the rules, travel badly or collide, and which were not followed (contract §1, §4).

use crate::bundle::{Bundle, FoldedPath};
use crate::finding::{Finding, Location, Severity};

/// Judges all paths of a bundle. Paths that break the rules are judged for that alone.
pub(super) fn check(bundle: &Bundle, out: &mut Vec<Finding>) {
    for invalid in bundle.invalid_paths() {
        let message = format!("{}; the file is not served: rename it", invalid.trouble());
        out.push(advisory("okf/invalid-path", &invalid.shown, message));
    }
    for link in bundle.skipped_links() {
        let message = "a symbolic link is not followed: what it points to is no part of the bundle".to_owned();
        out.push(advisory("okf/skipped-symlink", link, message));
    }
    check_listings(bundle, out);
    for path in bundle.concept_paths().filter(|path| !path.is_portable()) {
        let id = path.as_str().strip_suffix(".md").unwrap_or(path.as_str());
        let message = format!(
            "the ID `{id}` is not portable: letters, digits, `_`, `.` and `-` survive on every system, \
             device names like `con` and names that end in `.` do not"
        );
        out.push(advisory("okf/non-portable-concept-id", path.as_str(), message));
    }
    check_collisions(bundle, out);
}

/// Reports the directories whose names are not known.
pub(super) fn check_listings(bundle: &Bundle, out: &mut Vec<Finding>) {
    for directory in bundle.unlisted_directories() {
        let message = format!("the directory cannot be listed: {}", directory.message);
        let path = format!("{}/", directory.shown);
        out.push(Finding { severity: Severity::Error, ..advisory("okf/invalid-document", &path, message) });
    }
}

/// Reports each path that is the same as an earlier one on a system that ignores case or normal form.
fn check_collisions(bundle: &Bundle, out: &mut Vec<Finding>) {
    let slash = |path: &FoldedPath| if path.is_directory { "/" } else { "" };
    for (path, first) in bundle.folded().collisions() {
        let message = format!(
            "collides with `{}{}` where case or Unicode normal form is ignored: rename one of them",
            first.as_str(),
            slash(first)
        );
        out.push(advisory("okf/colliding-path", &format!("{}{}", path.as_str(), slash(path)), message));
    }
}

fn advisory(id: &'static str, path: &str, message: String) -> Finding {
    let location = Location { path: path.to_owned(), line: None, column: None };
    Finding { location: Some(location), id, message, severity: Severity::Advisory }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(paths: &[&str]) -> Vec<(&'static str, String)> {
        let files = paths.iter().map(|path| (*path, "---\ntype: Note\n---\n"));
        let mut out = Vec::new();
        check(&Bundle::from_files(files).unwrap(), &mut out);
        out.sort();
        assert!(out.iter().all(|finding| finding.severity == Severity::Advisory));
        out.into_iter().map(|finding| (finding.id, finding.location.unwrap().path)).collect()
    }

    #[test]
    fn only_concepts_are_asked_to_be_portable() {
        assert_eq!(findings(&["a/b-1.md", "a b.png", "log.md"]), []);
        let id = "okf/non-portable-concept-id";
        let expected = ["a b.md", "caf\u{e9}.md", "con.md"].map(|path| (id, path.to_owned()));
        assert_eq!(findings(&["a b.md", "caf\u{e9}.md", "con.md"]), expected);
    }

    #[test]
    fn collisions_are_told_once_and_name_the_other_path() {
        let rows: [(&[&str], &[&str]); 5] = [
            (&["Orders.md", "orders.md", "x.md"], &["orders.md"]),
            (&["a.png", "A.png", "A.PNG"], &["A.png", "a.png"]),
            (&["Notes/a.md", "notes/b.md"], &["notes/"]),
            (&["Notes", "notes/b.md"], &["notes/"]),
            (&["a/b.md", "a-b.md", "a.b/c.md"], &[]),
        ];
        for (paths, expected) in rows {
            let found = findings(paths);
            let expected: Vec<_> = expected.iter().map(|path| ("okf/colliding-path", (*path).to_owned())).collect();
            assert_eq!(found, expected, "{paths:?}");
        }
        let bundle = Bundle::from_files([("se\u{f1}or.png", ""), ("sen\u{303}or.png", "")]).unwrap();
        let mut out = Vec::new();
        check(&bundle, &mut out);
        assert_eq!(out.len(), 1);
        assert!(out[0].message.starts_with("collides with `sen\u{303}or.png`"), "{}", out[0].message);
    }
}
