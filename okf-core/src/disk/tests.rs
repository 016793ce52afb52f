use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use tempfile::TempDir;

use super::directory::OPEN_FILE;
use super::*;
use crate::bundle::{Bundle, Content, File};

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

fn paths(bundle: &Bundle) -> Vec<&str> {
    bundle.files().keys().map(|path| path.as_str()).collect()
}

fn load(root: &TempDir) -> Bundle {
    Bundle::load(root.path()).expect("the root is a directory")
}

#[test]
fn walks_what_belongs_to_the_bundle() {
    let root = tree(&[
        ("index.md", "# T\n"),
        ("a.md", NOTE),
        ("d/e/b.md", NOTE),
        ("d/pic.png", "\u{0}"),
        (".hidden.md", NOTE),
        (".git/x.md", NOTE),
        ("d/.obsidian/y.md", NOTE),
        (".okf-stage/z.md", NOTE),
        (".okf.lock", ""),
        ("d/.okf.lock", ""),
    ]);
    fs::create_dir(root.path().join("empty")).unwrap();
    let bundle = load(&root);
    assert_eq!(paths(&bundle), [".hidden.md", "a.md", "d/.okf.lock", "d/e/b.md", "d/pic.png", "index.md"]);
    assert_eq!(bundle.concept_count(), 3);
    assert!(bundle.has_directory("d/e") && bundle.has_directory("empty") && !bundle.has_directory(".git"));
    assert_eq!(bundle.root(), root.path().canonicalize().unwrap());
}

#[test]
fn the_root_may_be_hidden_or_a_link_but_must_be_a_directory() {
    let parent = tree(&[(".okf/a.md", NOTE), (".okf/b.md", "no block\n"), ("file", "")]);
    symlink(".okf", parent.path().join("link")).unwrap();
    assert_eq!(Bundle::load(&parent.path().join(".okf")).unwrap().concept_count(), 2);
    let linked = Bundle::load(&parent.path().join("link")).unwrap();
    assert_eq!(linked.root(), parent.path().canonicalize().unwrap().join(".okf"));

    let missing = parent.path().join("nope");
    let error = Bundle::load(&missing).unwrap_err();
    assert_eq!(error.to_string(), format!("`{}` does not exist", missing.display()));
    let error = Bundle::load(&parent.path().join("file")).unwrap_err();
    assert!(matches!(error.kind, DiskErrorKind::NotADirectory), "{error}");
    let error = Bundle::load(Path::new("no\nsuch\u{1b}place")).unwrap_err();
    assert_eq!(error.to_string(), "`no\\u{a}such\\u{1b}place` does not exist");
}

#[test]
fn links_are_listed_and_never_followed() {
    let parent = tree(&[("b/alpha.md", NOTE), ("secret.md", "TOP\n"), ("other/x.md", "no block\n")]);
    let root = parent.path().join("b");
    symlink("../secret.md", root.join("ext.md")).unwrap();
    symlink("../other", root.join("dir")).unwrap();
    symlink(".", root.join("loop")).unwrap();
    symlink("nowhere", root.join("dangling.md")).unwrap();
    let bundle = Bundle::load(&root).unwrap();
    assert_eq!(paths(&bundle), ["alpha.md"]);
    assert_eq!(bundle.skipped_links(), ["dangling.md", "dir", "ext.md", "loop"]);
    assert!(bundle.unreadable().is_empty());
}

#[test]
fn names_that_are_no_paths_are_listed_and_harm_nothing() {
    let root = tree(&[("good.md", NOTE), ("bell\u{7}.md", NOTE), ("back\\slash/in.md", NOTE), ("index\\.md", NOTE)]);
    let latin = root.path().join(OsStr::from_bytes(b"caf\xe9.md"));
    if fs::write(latin, NOTE).is_err() {
        eprintln!("skipped: this file system takes UTF-8 names only");
        return;
    }
    let bundle = load(&root);
    assert_eq!(paths(&bundle), ["good.md"]);
    let shown: Vec<_> = bundle.invalid_paths().iter().map(|path| path.shown.as_str()).collect();
    assert_eq!(shown, ["back\\slash/in.md", "bell\\u{7}.md", "caf\\xe9.md", "index\\.md"]);
    assert_eq!(bundle.concept_count(), 5);
    let unreadable = bundle.unreadable();
    assert_eq!(unreadable[1].id, "bell\\u{7}");
    assert_eq!(unreadable[1].message, "the path cannot contain control characters");
    assert_eq!(unreadable[2].message, "the path is not UTF-8");
}

#[test]
fn pipes_are_never_opened() {
    let root = tree(&[("a.md", NOTE)]);
    for name in ["pipe.md", "pipe"] {
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, root.path().join(name), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    }
    let bundle = load(&root);
    assert_eq!(paths(&bundle), ["a.md", "pipe", "pipe.md"]);
    assert_eq!(bundle.unreadable()[0].message, "cannot be read: not a regular file");
    assert_eq!(Directory::open(root.path()).unwrap().head(Path::new("pipe.md"), 10), None);
}

#[test]
fn what_may_not_be_read_is_listed() {
    let root = tree(&[("a.md", NOTE), ("closed.md", NOTE), ("shut/b.md", NOTE)]);
    for name in ["closed.md", "shut"] {
        fs::set_permissions(root.path().join(name), fs::Permissions::from_mode(0o000)).unwrap();
    }
    let bundle = load(&root);
    let privileged = fs::read(root.path().join("closed.md")).is_ok();
    fs::set_permissions(root.path().join("shut"), fs::Permissions::from_mode(0o700)).unwrap();
    if privileged {
        eprintln!("skipped: permissions do not hold for this user");
        return;
    }
    let unreadable: Vec<_> = bundle.unreadable().into_iter().map(|u| (u.path, u.id)).collect();
    assert_eq!(unreadable, [("closed.md".into(), "closed".into()), ("shut/".into(), "shut/".into())]);
    assert!(matches!(bundle.files().get("closed.md"), Some(File::Concept(Content::Failed { .. }))));
}

#[test]
fn depth_costs_neither_stack_nor_descriptors() {
    let root = tree(&[]);
    let mut at = Directory::open(root.path()).unwrap();
    // Deep enough for a path of more than 4096 bytes; every level has a sibling that is visited afterwards.
    for _ in 0..900 {
        for name in [c"abcd", c"z"] {
            rustix::fs::mkdirat(&at, name, rustix::fs::Mode::from_raw_mode(0o700)).unwrap();
        }
        at = at.beneath(b"abcd").unwrap();
    }
    let flags = rustix::fs::OFlags::CREATE | rustix::fs::OFlags::WRONLY;
    let file = rustix::fs::openat(&at, "deep.md", flags, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
    rustix::io::write(&file, NOTE.as_bytes()).unwrap();

    let bundle = load(&root);
    assert_eq!(bundle.directories().len(), 1_800);
    assert_eq!(bundle.concepts().count(), 1);
    assert_eq!(Surveyor::default().survey(root.path()).unwrap().concepts.len(), 1);
}

#[test]
fn a_head_is_cut_at_its_limit_and_stays_beneath() {
    let root = tree(&[("d/a.md", "0123456789")]);
    symlink("d", root.path().join("l")).unwrap();
    let directory = Directory::open(root.path()).unwrap();
    assert_eq!(directory.head(Path::new("d/a.md"), 4).as_deref(), Some(&b"0123"[..]));
    for path in ["l/a.md", "d", "d/../d/a.md/..", "/etc/passwd", "../x", "none"] {
        assert_eq!(directory.head(Path::new(path), 4), None, "{path}");
    }
}

#[test]
fn opening_by_segments_agrees_with_the_kernel() {
    let root = tree(&[("d/e/a.md", NOTE)]);
    symlink("d", root.path().join("l")).unwrap();
    let directory = Directory::open(root.path()).unwrap();
    let opens = |path: &str| directory.open_by_segments(path.as_bytes(), OPEN_FILE).is_ok();
    assert!(opens("d/e/a.md"));
    for path in ["l/e/a.md", "d/../d/e/a.md", "d//e/a.md", "", "d/e/a.md/x"] {
        assert!(!opens(path), "{path}");
    }
}

#[test]
fn a_nested_mount_is_told_from_a_directory() {
    let root = Directory::open(Path::new("/")).unwrap();
    let device = |path: &str| std::os::unix::fs::MetadataExt::dev(&fs::metadata(path).unwrap());
    let nested = ["proc", "sys", "dev"].into_iter().find(|name| {
        let path = format!("/{name}");
        Path::new(&path).exists() && device(&path) != device("/")
    });
    let Some(nested) = nested else {
        eprintln!("skipped: nothing is mounted below the root of this system");
        return;
    };
    assert_eq!(root.on_same_mount(nested).unwrap_err(), rustix::io::Errno::XDEV);
    root.on_same_mount("").unwrap();
}

#[test]
fn a_survey_counts_like_a_load() {
    let root = tree(&[("a.md", NOTE), ("index.md", ""), ("d/b\u{7}.md", NOTE), ("d/c.md", "\u{0}"), ("x.txt", "")]);
    symlink("a.md", root.path().join("l.md")).unwrap();
    let survey = Surveyor::default().survey(root.path()).unwrap();
    let concepts: Vec<_> = survey.concepts.iter().map(|path| path.as_str()).collect();
    assert_eq!(concepts, ["a.md", "d/c.md"]);
    assert_eq!(survey.concepts.len() + survey.invalid_concepts, load(&root).concept_count());
}

#[test]
fn a_survey_follows_the_names_and_is_the_same_while_they_stay() {
    let root = tree(&[("a.md", NOTE), ("d/b.md", NOTE), ("d/e/c.md", NOTE)]);
    let mut surveyor = Surveyor::default();
    let mut concepts = || -> Vec<String> {
        let survey = surveyor.survey(root.path()).unwrap();
        survey.concepts.iter().map(|path| path.as_str().to_owned()).collect()
    };
    assert_eq!(concepts(), ["a.md", "d/b.md", "d/e/c.md"]);
    fs::write(root.path().join("d/e/new.md"), NOTE).unwrap();
    assert_eq!(concepts(), ["a.md", "d/b.md", "d/e/c.md", "d/e/new.md"]);
    fs::remove_file(root.path().join("d/b.md")).unwrap();
    fs::create_dir(root.path().join("d/b.md")).unwrap();
    assert_eq!(concepts(), ["a.md", "d/e/c.md", "d/e/new.md"], "a directory is no concept");
    fs::rename(root.path().join("d/e"), root.path().join("f")).unwrap();
    assert_eq!(concepts(), ["a.md", "f/c.md", "f/new.md"]);
    // What changed a moment ago proves nothing yet; later, the survey is not made anew.
    let mut last = surveyor.survey(root.path()).unwrap();
    loop {
        let next = surveyor.survey(root.path()).unwrap();
        if std::sync::Arc::ptr_eq(&last, &next) {
            break;
        }
        last = next;
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    fs::write(root.path().join("z.md"), NOTE).unwrap();
    assert_eq!(surveyor.survey(root.path()).unwrap().concepts.len(), 4);
}

#[test]
fn many_files_are_read_on_several_threads_and_stay_in_order() {
    let names: Vec<_> = (0..500).map(|n| format!("d{}/c{n:03}.md", n % 7)).collect();
    let texts: Vec<_> = (0..500).map(|n| format!("---\ntype: T{n}\n---\n")).collect();
    let files: Vec<_> = names.iter().zip(&texts).map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let bundle = load(&tree(&files));
    for (name, text) in files {
        assert_eq!(bundle.document(name).unwrap().text().as_str(), text);
    }
}
