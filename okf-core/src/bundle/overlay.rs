//! A bundle as it would be with other contents in some of its files.

use std::sync::OnceLock;

use super::{Bundle, Content, File, Role};
use crate::disk::FileEdit;

impl Bundle {
    /// The bundle as it would be after some edits; nothing is written, and what is not edited is shared.
    ///
    /// Believes the edits: whether a file is what `before` says is not compared. Of two edits of one file
    /// the later stays.
    #[must_use]
    pub fn with_files(&self, edits: &[FileEdit]) -> Self {
        let mut files = self.files.clone();
        let mut directories = self.directories.clone();
        for edit in edits {
            let path = &edit.path;
            for (at, _) in path.as_str().match_indices('/') {
                if !directories.contains(&path.as_str()[..at]) {
                    directories.insert(path.as_str()[..at].into());
                }
            }
            let content = || Content::decode(path, edit.after.clone());
            files.insert(path.clone(), File::new(Role::of(path.as_str()), content));
        }
        Self {
            root: self.root.clone(),
            files,
            directories,
            skipped_links: self.skipped_links.clone(),
            invalid_paths: self.invalid_paths.clone(),
            unlisted: self.unlisted.clone(),
            by_id: OnceLock::new(),
            decomposable: OnceLock::new(),
            graph: OnceLock::new(),
            words: OnceLock::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::bundle_path::BundlePath;

    fn edit(path: &str, text: &str) -> FileEdit {
        FileEdit { path: BundlePath::new(path).unwrap(), before: None, after: text.into() }
    }

    #[test]
    fn an_overlay_shows_the_edits_and_shares_the_rest() {
        let bundle = Bundle::from_files([("a.md", "---\ntype: A\n---\n"), ("b.md", "---\ntype: B\n---\n")]).unwrap();
        assert_eq!(bundle.documents().len(), 2, "what was worked out before is not taken over");
        let overlaid = bundle.with_files(&[
            edit("a.md", "---\ntype: C\n---\n"),
            edit("x/y/z.md", "---\ntype: Z\n---\n"),
            edit("x/notes.txt", "asset"),
        ]);
        let types: Vec<_> = overlaid.concepts().filter_map(|concept| concept.metadata().concept_type.clone()).collect();
        assert_eq!(types, [Box::from("C"), "B".into(), "Z".into()]);
        assert!(overlaid.has_directory("x") && overlaid.has_directory("x/y"));
        assert!(matches!(overlaid.files()["x/notes.txt"], File::Asset));
        assert!(Arc::ptr_eq(overlaid.document("b.md").unwrap(), bundle.document("b.md").unwrap()));
        assert_eq!(bundle.files().len(), 2, "the bundle itself stays");
    }
}
