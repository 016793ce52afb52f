use std::ffi::CString;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use super::*;
use crate::disk::place::Place;
use crate::disk::tree::Key;

/// A mirror, a directory around its root, and nobody who does errands by himself.
struct World {
    parent: TempDir,
    mirror: Mirror,
}

impl World {
    fn new(pace: Pace) -> Self {
        let parent = TempDir::new().expect("a temporary directory");
        let root = parent.path().canonicalize().unwrap().join("kb");
        fs::create_dir_all(root.join("d/e")).unwrap();
        fs::write(root.join("a.md"), "one").unwrap();
        fs::write(root.join("d/b.md"), "one").unwrap();
        let mut world = Self { mirror: Mirror::following(&root, pace), parent };
        world.mirror.refresh().unwrap();
        world.errand();
        world
    }

    fn path(&self, path: &str) -> PathBuf {
        self.mirror.root.join(path)
    }

    fn errand(&mut self) {
        let errand = self.mirror.errand().expect("there is something to do");
        self.mirror.deposit(errand.run());
        assert!(self.mirror.is_watching(), "a local file system is watched");
    }

    fn text(&mut self, path: &str) -> String {
        let bundle = self.mirror.refresh().unwrap();
        bundle.document(path).map_or("-".to_owned(), |document| document.text().as_str().to_owned())
    }
}

/// Passes only when somebody asks for one.
fn never() -> Pace {
    let long = Duration::from_secs(3_600);
    Pace { between_passes: long, oldest_pass: long, idle: long, retry: long }
}

#[test]
fn only_where_something_was_announced_is_looked() {
    let mut world = World::new(never());
    world.mirror.refresh().unwrap();
    let before = Arc::as_ptr(world.mirror.tree.get(b"d").unwrap());
    fs::write(world.path("a.md"), "two").unwrap();
    assert_eq!(world.text("a.md"), "two");
    assert_eq!(Arc::as_ptr(world.mirror.tree.get(b"d").unwrap()), before);
}

#[test]
fn what_is_written_outside_through_another_name_is_seen_by_the_next_pass() {
    let mut world = World::new(never());
    let outside = world.parent.path().join("outside");
    fs::hard_link(world.path("d/b.md"), &outside).unwrap();
    fs::write(&outside, "two").unwrap();
    assert_eq!(world.text("d/b.md"), "one", "inotify has learnt to see links: simplify");
    world.errand();
    assert_eq!(world.text("d/b.md"), "two");
    // From now on the file is known to have other names.
    fs::write(&outside, "three").unwrap();
    assert_eq!(world.text("d/b.md"), "three");
    fs::remove_file(&outside).unwrap();
    fs::write(world.path("d/b.md"), "four").unwrap();
    assert_eq!(world.text("d/b.md"), "four");
}

#[test]
fn stores_through_a_memory_map_are_seen_by_the_next_pass() {
    const STORES: &str = "import mmap, sys\n\
        file = open(sys.argv[1], 'r+b')\n\
        map = mmap.mmap(file.fileno(), 0)\n\
        for word in (b'two', b'six'):\n    map[0:3] = word\n    print(flush=True)\n    input()\n";
    let mut world = World::new(never());
    let mut python = Command::new("python3");
    python.args(["-c", STORES]).arg(world.path("a.md"));
    let child = python.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = child else {
        eprintln!("skipped: nothing here can store through a memory map without unsafe code (no python3)");
        return;
    };
    let mut stored = BufReader::new(child.stdout.take().unwrap());
    let mut orders = child.stdin.take().unwrap();
    assert!(stored.read_line(&mut String::new()).unwrap() > 0);
    // The first store moves the modification time, the second moves nothing at all.
    world.errand();
    assert_eq!(world.text("a.md"), "two");
    writeln!(orders).unwrap();
    assert!(stored.read_line(&mut String::new()).unwrap() > 0);
    world.errand();
    let too_early = world.text("a.md");
    let root = Directory::open(&world.mirror.root).unwrap();
    let eye = Eye::new(&root).unwrap().later(3_000_000_000);
    let findings = Findings::of(&eye, world.mirror.tree.clone(), None);
    world.mirror.deposit(findings);
    assert_eq!(world.text("a.md"), "six", "it was {too_early} a moment ago");
    drop(orders);
    child.wait().unwrap();
}

#[test]
fn a_call_after_a_long_time_looks_at_everything_itself() {
    let mut world = World::new(Pace { oldest_pass: Duration::ZERO, ..never() });
    let outside = world.parent.path().join("outside");
    fs::hard_link(world.path("a.md"), &outside).unwrap();
    fs::write(&outside, "two").unwrap();
    assert_eq!(world.text("a.md"), "two");
    assert!(world.mirror.is_watching());
}

#[test]
fn a_name_inside_of_any_kind_makes_a_file_known_to_be_linked() {
    let mut world = World::new(never());
    fs::hard_link(world.path("a.md"), world.path("d/asset.txt")).unwrap();
    assert_eq!(world.text("a.md"), "one");
    fs::write(world.path("d/asset.txt"), "two").unwrap();
    assert_eq!(world.text("a.md"), "two");
    // A descriptor keeps writing when its name has gone.
    let open = fs::File::options().write(true).open(world.path("d/asset.txt")).unwrap();
    fs::remove_file(world.path("d/asset.txt")).unwrap();
    assert_eq!(world.text("a.md"), "two");
    open.write_all_at(b"six", 0).unwrap();
    assert_eq!(world.text("a.md"), "six");
}

#[test]
fn a_file_that_had_other_names_is_known_for_it_whatever_its_own_name_was() {
    for (other, is_there_from_the_start) in [("z2.txt", false), ("../outside", false), ("../outside", true)] {
        let mut world = World::new(never());
        let link = |world: &World| {
            fs::write(world.path("z.txt"), "one").unwrap();
            fs::hard_link(world.path("z.txt"), world.path(other)).unwrap();
        };
        if is_there_from_the_start {
            let root = world.mirror.root.clone();
            link(&world);
            world.mirror = Mirror::following(&root, never());
            world.mirror.refresh().unwrap();
            world.errand();
        } else {
            link(&world);
        }
        world.mirror.refresh().unwrap();
        let open = fs::OpenOptions::new().write(true).open(world.path(other)).unwrap();
        fs::remove_file(world.path(other)).unwrap();
        fs::rename(world.path("z.txt"), world.path("z.md")).unwrap();
        assert_eq!(world.text("z.md"), "one");
        for text in ["two", "six"] {
            open.write_all_at(text.as_bytes(), 0).unwrap();
            assert_eq!(world.text("z.md"), text, "{other}, from the start: {is_there_from_the_start}");
        }
    }
}

#[test]
fn a_picture_that_is_out_of_date_undoes_nothing() {
    let mut world = World::new(never());
    let errand = world.mirror.errand().unwrap();
    fs::write(world.path("a.md"), "two").unwrap();
    fs::write(world.path("d/b.md"), "two").unwrap();
    let findings = errand.run();
    fs::write(world.path("a.md"), "three").unwrap();
    fs::remove_dir_all(world.path("d")).unwrap();
    assert_eq!(world.text("a.md"), "three");
    world.mirror.deposit(findings);
    assert_eq!((world.text("a.md"), world.text("d/b.md")), ("three".to_owned(), "-".to_owned()));
}

#[test]
fn what_happens_while_watches_are_set_up_is_seen() {
    let mut world = World::new(never());
    world.mirror.following.as_mut().unwrap().give_up(Trouble::Overflow);
    world.mirror.following.as_mut().unwrap().retry = Instant::now();
    let errand = world.mirror.errand().unwrap();
    fs::create_dir(world.path("early")).unwrap();
    fs::write(world.path("early/c.md"), "one").unwrap();
    let findings = errand.run();
    fs::create_dir(world.path("late")).unwrap();
    fs::write(world.path("late/c.md"), "one").unwrap();
    // A call that looks at everything by itself knows a directory that no watch was set up for.
    assert_eq!(world.text("late/c.md"), "one");
    world.mirror.deposit(findings);
    assert!(world.mirror.is_watching());
    assert_eq!((world.text("early/c.md"), world.text("late/c.md")), ("one".to_owned(), "one".to_owned()));
    for path in ["early/c.md", "late/c.md"] {
        fs::write(world.path(path), "two").unwrap();
        assert_eq!(world.text(path), "two");
    }
}

#[test]
fn too_much_at_once_and_another_root_end_the_watching_until_the_next_errand() {
    let mut world = World::new(never());
    for trouble in [Trouble::Overflow, Trouble::Unmounted, Trouble::Replaced] {
        assert!(trouble.is_passing());
    }
    let away = world.parent.path().join("away");
    fs::rename(&world.mirror.root, &away).unwrap();
    assert!(world.mirror.refresh().is_err());
    fs::create_dir(&world.mirror.root).unwrap();
    fs::write(world.path("a.md"), "two").unwrap();
    assert_eq!((world.text("a.md"), world.text("d/b.md")), ("two".to_owned(), "-".to_owned()));
    assert!(!world.mirror.is_watching());
    world.mirror.following.as_mut().unwrap().retry = Instant::now();
    assert!(world.mirror.is_waiting());
    world.errand();
}

#[test]
fn a_file_system_that_may_not_tell_everything_is_not_watched() {
    let Ok(proc) = Directory::open(Path::new("/proc")) else {
        eprintln!("skipped: there is no /proc");
        return;
    };
    assert_eq!(Watch::new(&proc).err(), Some(Trouble::FileSystem));
    assert!(!Trouble::FileSystem.is_passing());
    let mut world = World::new(never());
    let following = world.mirror.following.as_mut().unwrap();
    let elsewhere = following.watch.as_mut().unwrap().add(&Key::from(&b"proc"[..]), &proc);
    assert_eq!(elsewhere, Err(Trouble::FileSystem));
}

/// What a watch announces, by directory and name.
fn announced(watch: &mut Watch) -> Vec<(String, Vec<CString>)> {
    let mut marks = Marks::default();
    watch.drain(&mut marks).unwrap();
    let text = |key: &Key| String::from_utf8(key.to_vec()).unwrap();
    marks.take().into_iter().map(|(key, mark)| (text(&key), mark.names.into_iter().collect())).collect()
}

#[test]
fn late_events_of_directories_that_are_gone_or_moved_are_nobodys() {
    let parent = TempDir::new().unwrap();
    let at = |path: &str| parent.path().join(path);
    for name in ["a", "b"] {
        fs::create_dir(at(name)).unwrap();
    }
    let root = Directory::open(parent.path()).unwrap();
    let mut watch = Watch::new(&root).unwrap();
    let key = |path: &str| Key::from(path.as_bytes());
    let add = |watch: &mut Watch, path: &str, at: &str| {
        watch.add(&key(path), &root.beneath(at.as_bytes()).unwrap()).unwrap();
    };
    add(&mut watch, "a", "a");
    add(&mut watch, "b", "b");
    // Written before it was forgotten, asked for afterwards.
    fs::write(at("a/x.md"), "").unwrap();
    watch.forget(b"a");
    assert_eq!(announced(&mut watch), []);
    assert!(!watch.has(b"a") && watch.has(b"b"));

    // Moved: the kernel knows it by the descriptor that it had, and the old path is not in the way.
    fs::rename(at("b"), at("c")).unwrap();
    add(&mut watch, "c", "c");
    assert!(watch.has(b"c") && !watch.has(b"b"));
    watch.forget(b"b");
    fs::write(at("c/y.md"), "").unwrap();
    assert_eq!(announced(&mut watch), [("c".to_owned(), vec![c"y.md".to_owned()])]);
    // And back.
    fs::rename(at("c"), at("b")).unwrap();
    add(&mut watch, "b", "b");
    fs::write(at("b/z.md"), "").unwrap();
    assert_eq!(announced(&mut watch), [("b".to_owned(), vec![c"z.md".to_owned()])]);

    // Gone: the kernel takes the watch away, and another directory of that name is watched anew.
    fs::remove_dir_all(at("b")).unwrap();
    announced(&mut watch);
    assert!(!watch.has(b"b"));
    fs::create_dir(at("b")).unwrap();
    add(&mut watch, "b", "b");
    fs::write(at("b/x.md"), "").unwrap();
    assert_eq!(announced(&mut watch), [("b".to_owned(), vec![c"x.md".to_owned()])]);
}

#[test]
fn what_is_dropped_is_forgotten() {
    let mut world = World::new(never());
    fs::rename(world.path("d"), world.parent.path().join("away")).unwrap();
    world.mirror.refresh().unwrap();
    let watch = world.mirror.following.as_ref().unwrap().watch.as_ref().unwrap();
    assert!(watch.has(b"") && !watch.has(b"d") && !watch.has(b"d/e"));
    assert!(world.mirror.tree.get(b"d").is_none() && world.mirror.tree.get(b"d/e").is_none());
    assert!(matches!(world.mirror.tree.get(b"").unwrap().place, Place::Root));
}
