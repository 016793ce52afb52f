use std::fs;
use std::os::unix::fs::symlink;

use tempfile::TempDir;

use super::*;

const DECLARED: &str = "---\nokf_version: \"0.2\"\n---\n# Pages\n";
const BROKEN: &str = "---\nokf_version: \"0.2\"\ntitle: [\n---\n";
const PLAIN: &str = "# Pages\n";
const NOTE: &str = "---\ntype: Note\n---\nBody.\n";

fn tree(files: &[(&str, &str)]) -> TempDir {
    let root = TempDir::new().expect("a temporary directory");
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().expect("the file lies in the root")).unwrap();
        fs::write(path, text).unwrap();
    }
    root
}

/// What is found from `work` in a tree: a path relative to `work` (`.` for itself), or the candidates.
fn found(files: &[(&str, &str)]) -> Result<String, Vec<String>> {
    let parent = tree(files);
    let work = parent.path().canonicalize().unwrap().join("work");
    fs::create_dir_all(&work).unwrap();
    let relative = |path: &Path| match path.strip_prefix(&work).unwrap().to_str().unwrap() {
        "" => ".".to_owned(),
        path => path.to_owned(),
    };
    match find(&work, None) {
        Ok(path) => Ok(relative(&path)),
        Err(DiscoveryError::None { .. }) => Err(Vec::new()),
        Err(DiscoveryError::Several { candidates, .. }) => Err(candidates.iter().map(|path| relative(path)).collect()),
        Err(DiscoveryError::Disk(error)) => panic!("{error}"),
    }
}

/// What is tried, the files, and what is found: a path relative to `work`, or the candidates.
type Row = (&'static str, &'static [(&'static str, &'static str)], Result<&'static str, &'static [&'static str]>);

#[test]
fn the_closed_rule() {
    let rows: [Row; 16] = [
        ("declared here", &[("work/index.md", DECLARED), ("work/kb/index.md", DECLARED)], Ok(".")),
        ("declared in a broken frontmatter", &[("work/index.md", BROKEN)], Ok(".")),
        ("declared, below an index", &[("index.md", PLAIN), ("work/index.md", DECLARED)], Ok(".")),
        ("undeclared here", &[("work/index.md", PLAIN), ("work/a/b/c.md", NOTE)], Ok(".")),
        (
            "undeclared here before declared below",
            &[("work/index.md", PLAIN), ("work/a.md", NOTE), ("work/kb/index.md", DECLARED)],
            Ok("."),
        ),
        ("undeclared, below an index", &[("index.md", PLAIN), ("work/index.md", PLAIN), ("work/a.md", NOTE)], Err(&[])),
        ("an index without concepts", &[("work/index.md", PLAIN), ("work/a.md", "# Text\n")], Err(&[])),
        (
            "concepts only where nobody looks",
            &[
                ("work/index.md", PLAIN),
                ("work/.x/a.md", NOTE),
                ("work/node_modules/a.md", NOTE),
                ("work/target/a.md", NOTE),
                ("work/kb/index.md", DECLARED),
                ("work/kb/a.md", NOTE),
            ],
            Ok("kb"),
        ),
        ("no index", &[("work/a.md", NOTE)], Err(&[])),
        ("one child", &[("work/kb/index.md", DECLARED), ("work/src/a.md", NOTE)], Ok("kb")),
        ("a hidden child", &[("work/.okf/index.md", DECLARED)], Ok(".okf")),
        (
            "children that do not count",
            &[
                ("work/.git/index.md", DECLARED),
                ("work/node_modules/index.md", DECLARED),
                ("work/target/index.md", DECLARED),
            ],
            Err(&[]),
        ),
        ("a grandchild", &[("work/a/kb/index.md", DECLARED)], Err(&[])),
        ("several", &[("work/b/index.md", DECLARED), ("work/a/index.md", DECLARED)], Err(&["a", "b"])),
        (
            "declared before undeclared",
            &[("work/a/index.md", PLAIN), ("work/a/x.md", NOTE), ("work/b/index.md", DECLARED)],
            Ok("b"),
        ),
        ("undeclared alone", &[("work/a/index.md", PLAIN), ("work/a/x.md", NOTE), ("work/b/index.md", PLAIN)], Ok("a")),
    ];
    for (name, files, expected) in rows {
        let expected = expected
            .map(str::to_owned)
            .map_err(|names| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(found(files), expected, "{name}");
    }
}

#[test]
fn links_do_not_count() {
    let root = tree(&[("kb/index.md", DECLARED), ("work/fake/x.md", NOTE)]);
    let work = root.path().join("work");
    symlink("../kb", work.join("kb")).unwrap();
    symlink("../../kb/index.md", work.join("fake/index.md")).unwrap();
    assert!(matches!(find(&work, None), Err(DiscoveryError::None { .. })));
}

#[test]
fn a_given_directory_is_taken_as_it_is() {
    let root = tree(&[("My Vault/a.md", NOTE), ("file", "")]);
    let base = root.path().canonicalize().unwrap();
    for given in ["My Vault", "My Vault/", "./My Vault", base.join("My Vault").to_str().unwrap()] {
        assert_eq!(find(&base, Some(Path::new(given))).unwrap(), base.join("My Vault"), "{given}");
    }
    for (given, says) in
        [("~/kb", "~/kb` does not exist"), ("nope", "nope` does not exist"), ("file", "is not a directory")]
    {
        let error = find(&base, Some(Path::new(given))).unwrap_err().to_string();
        assert!(error.contains(says) && error.lines().count() == 1, "{error}");
    }
}

#[test]
fn errors_are_one_line_and_say_what_to_do() {
    let none = DiscoveryError::None { directory: "/a\nb".into() }.to_string();
    assert!(none.starts_with("no bundle in `/a\\u{a}b`") && none.contains("-C DIR") && none.contains("okf_version"));
    let candidates = (0..22).map(|n| PathBuf::from(format!("/w/kb{n:02}"))).collect();
    let several = DiscoveryError::Several { directory: "/w".into(), candidates }.to_string();
    assert!(several.contains(" `kb00`, `kb01`") && several.ends_with("`kb19` and 2 more"), "{several}");
}

#[test]
fn the_search_for_a_typed_concept_gives_up() {
    let root = tree(&[("index.md", PLAIN), ("a.txt", ""), ("b.txt", ""), ("z/deep.md", NOTE)]);
    let root = Directory::open(&root.path().canonicalize().unwrap()).unwrap();
    assert!(holds_typed_concept(&root, 5));
    assert!(!holds_typed_concept(&root, 4));
}
