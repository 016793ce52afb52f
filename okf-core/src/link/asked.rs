//! The names under which a target may find a file (contract §7, Resolving).

use unicode_normalization::UnicodeNormalization;
use xxhash_rust::xxh3::xxh3_64;

use super::target;

/// A key that every path which a target may stand for has in common with the target.
///
/// A target asks for a path, for that path with `.md` and for the `index.md` in it, each in every normal
/// form: composed, and without those endings, all of them are one name. The same key means only that one
/// *may* find the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct NameKey(u64);

impl NameKey {
    /// The key of a path of the bundle, or of one that a target was worked out to mean; `""` is the root.
    pub(crate) fn of_path(path: &str) -> Self {
        let composed;
        let mut name = if path.is_ascii() {
            path
        } else {
            composed = path.nfc().collect::<String>();
            &composed
        };
        loop {
            name = match name.strip_suffix(".md").or_else(|| name.strip_suffix("/index")) {
                Some(shorter) => shorter,
                None if name == "index" => "",
                None => return Self(xxh3_64(name.as_bytes())),
            };
        }
    }

    /// The key of a target in the document at `from`; `None` when no file can make a difference to it.
    pub(crate) fn of_target(from: &str, target: &str) -> Option<Self> {
        if target::is_external(target) {
            return None;
        }
        match target.split(['?', '#']).next().unwrap_or_default() {
            "" => Some(Self::of_path(from)),
            path => target::normalise(from, path).map(|(path, _)| Self::of_path(&path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_a_target_may_stand_for_has_its_key() {
        for (from, target, paths) in [
            ("n/a.md", "../x/y", ["x/y", "x/y.md", "x/y/index.md"]),
            ("a.md", "d/", ["d/index.md", "d", "d/"]),
            ("a.md", "x.md", ["x.md", "x.md/index.md", "x"]),
            ("n/a.md", "..", ["index.md", "", ""]),
            ("a.md", "caf%C3%A9#top", ["caf\u{e9}.md", "cafe\u{301}.md", "cafe\u{301}/index.md"]),
            ("a.md", "K", ["\u{212a}.md", "K.md", "K"]),
        ] {
            for path in paths {
                let path = path.trim_end_matches('/');
                assert_eq!(NameKey::of_target(from, target), Some(NameKey::of_path(path)), "{target} {path}");
            }
        }
        assert_ne!(NameKey::of_target("a.md", "x"), Some(NameKey::of_path("y.md")));
        assert_eq!(NameKey::of_target("a.md", "https://example.org"), None);
        assert_eq!(NameKey::of_target("a.md", "../x.md"), None, "above the root");
    }
}
