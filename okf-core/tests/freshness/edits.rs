//! Random edits of a bundle by plain system calls.

use std::ffi::OsStr;
use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Few names, so that paths come back as something else.
const DIRECTORIES: [&[u8]; 6] = [b"a", b"b", b"c d", b"\xc3\xa9", b".hidden", b"bad\x07"];
const FILES: [&[u8]; 10] =
    [b"x.md", b"y.md", b"index.md", b"log.md", b"z.txt", b"\xc3\xa9.md", b".md", b"bell\x07.md", b"latin\xe9.md", b"a"];

/// A bundle that is edited, and a place outside of it.
pub struct World {
    root: PathBuf,
    outside: PathBuf,
    random: Random,
    /// Files that are open for writing, wherever their names are by now.
    open: Vec<File>,
    counter: u64,
}

impl World {
    /// Makes a bundle in a directory.
    pub fn new(parent: &Path, random: Random) -> Self {
        let mut world = Self::beside(parent, random);
        fs::create_dir(&world.root).unwrap();
        fs::create_dir(&world.outside).unwrap();
        for directory in ["", "a", "a/b", "b"] {
            let directory = world.root.join(directory);
            fs::create_dir_all(&directory).unwrap();
            for name in ["x.md", "y.md", "z.txt"] {
                write_file(&directory.join(name), world.text(40)).unwrap();
            }
        }
        world
    }

    /// Takes over the bundle in a directory.
    pub fn beside(parent: &Path, random: Random) -> Self {
        Self { root: parent.join("kb"), outside: parent.join("outside"), random, open: Vec::new(), counter: 0 }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Does the edits of a seed; returns what they were.
    pub fn edit_by(&mut self, seed: u64) -> String {
        self.random = Random::new(seed);
        self.edit()
    }

    /// Does one edit or a few.
    pub fn edit(&mut self) -> String {
        if !self.root.exists() {
            return self.root_returns();
        }
        match self.random.below(40) {
            // Alone, because a name that is linked and moved out at once is a link from outside: the
            // exception that the contract makes.
            0..=2 => self.link(),
            3 => self.root_goes(),
            4 => self.many(),
            5 => format!("nothing, {}", self.random.below(9)),
            n => {
                let count = if n < 25 { 1 } else { 1 + self.random.below(5) };
                (0..count).map(|_| self.one()).collect::<Vec<_>>().join("; ")
            }
        }
    }

    /// More events than the kernel keeps for one reader.
    pub fn burst(&mut self) {
        let limit = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").ok();
        let limit = limit.and_then(|limit| limit.trim().parse().ok()).unwrap_or(16_384);
        // Different names in turn, lest equal events be made one.
        let files = ["burst-a.md", "burst-b.md"].map(|name| File::create(self.root.join(name)).unwrap());
        for n in 0..=limit {
            files[n % 2].write_all_at(self.text(20).as_bytes(), 0).unwrap();
        }
    }

    fn one(&mut self) -> String {
        match self.random.below(28) {
            0..=2 => self.write(),
            3 => self.rewrite(false),
            4 | 5 => self.rewrite(true),
            6 | 7 => self.replace(),
            8 => self.delete(),
            9 => self.recreate(),
            10 | 11 => self.rename(),
            12 => self.make_directories(),
            13 | 14 => self.rename_directory(),
            15 => self.remove_directory(),
            16 => self.move_out(),
            17 => self.move_in(),
            18 => self.swap_for_link(),
            19 => self.change_mode(),
            20 => self.exchange(),
            21 => self.hold_open(),
            22 | 23 => self.drop_a_name(),
            24..=26 => self.write_through(),
            _ => self.special(),
        }
    }

    fn write(&mut self) -> String {
        let path = self.some_place(&FILES);
        let length = self.random.below(200);
        let mut bytes = self.text(length).into_bytes();
        if self.random.below(10) == 0 {
            bytes.push(0xff);
        }
        told("write", &path, write_file(&path, bytes))
    }

    /// Other bytes of the same number in place, with the time of the last modification put back or not.
    fn rewrite(&mut self, puts_back: bool) -> String {
        let Some(path) = self.some_file() else { return "no file".into() };
        let done = (|| {
            let file = for_writing().open(&path)?;
            let before = file.metadata()?;
            file.write_all_at(self.text(before.len() as usize).as_bytes(), 0)?;
            if puts_back {
                file.set_times(FileTimes::new().set_modified(before.modified()?).set_accessed(before.accessed()?))?;
            }
            Ok(())
        })();
        told("rewrite", &path, done)
    }

    /// A file renamed over another, of its size and with its times.
    fn replace(&mut self) -> String {
        let Some(path) = self.some_file() else { return "no file".into() };
        let staged = self.outside.join("staged");
        let done = (|| {
            let before = fs::metadata(&path)?;
            let mut file = File::create(&staged)?;
            file.write_all(self.text(before.len() as usize).as_bytes())?;
            file.set_times(FileTimes::new().set_modified(before.modified()?))?;
            fs::rename(&staged, &path)
        })();
        told("replace", &path, done)
    }

    fn delete(&mut self) -> String {
        let Some(path) = self.some_file() else { return "no file".into() };
        told("delete", &path, fs::remove_file(&path))
    }

    fn recreate(&mut self) -> String {
        let Some(path) = self.some_file() else { return "no file".into() };
        let done = (|| {
            let length = fs::metadata(&path)?.len() as usize;
            fs::remove_file(&path)?;
            write_file(&path, self.text(length))
        })();
        told("recreate", &path, done)
    }

    fn rename(&mut self) -> String {
        let Some(from) = self.some_file() else { return "no file".into() };
        let to = self.some_place(&FILES);
        told(&format!("rename {from:?} to"), &to, fs::rename(&from, &to))
    }

    /// Another name for a file. What is hidden lies outside of the bundle.
    fn link(&mut self) -> String {
        let (from, to) = (self.some_file(), self.some_place(&FILES));
        let hidden = |path: &Path| path.components().any(|part| part.as_os_str() == ".hidden");
        let Some(from) = from.filter(|from| !hidden(from) && !hidden(&to)) else { return "no file".into() };
        told(&format!("link {from:?} as"), &to, fs::hard_link(&from, &to))
    }

    /// A file with several names is held open under one that is then taken away.
    fn drop_a_name(&mut self) -> String {
        let named_twice = |path: &PathBuf| path.symlink_metadata().is_ok_and(|it| it.is_file() && it.nlink() > 1);
        let Some(path) = self.random.some_of(self.everything().into_iter().filter(named_twice).collect()) else {
            return "no file has two names".into();
        };
        let opened = for_writing().open(&path).map(|file| self.keep_open(file));
        told("drop the name", &path, opened.and_then(|()| fs::remove_file(&path)))
    }

    fn make_directories(&mut self) -> String {
        let mut path = self.some_place(&DIRECTORIES);
        for _ in 0..self.random.below(3) {
            path.push(OsStr::from_bytes(self.random.one_of(&DIRECTORIES)));
        }
        let done = fs::create_dir_all(&path).and_then(|()| {
            write_file(&path.join("x.md"), self.text(10))?;
            write_file(&path.join("z.txt"), self.text(10))
        });
        told("make", &path, done)
    }

    fn rename_directory(&mut self) -> String {
        let Some(from) = self.some_directory() else { return "no directory".into() };
        let to = self.some_place(&DIRECTORIES);
        told(&format!("rename {from:?} to"), &to, fs::rename(&from, &to))
    }

    fn remove_directory(&mut self) -> String {
        let Some(path) = self.some_directory() else { return "no directory".into() };
        told("remove", &path, fs::remove_dir_all(&path))
    }

    fn move_out(&mut self) -> String {
        let Some(from) = self.some_directory() else { return "no directory".into() };
        let to = self.somewhere_outside();
        told("move out", &from, fs::rename(&from, &to))
    }

    fn move_in(&mut self) -> String {
        let to = self.some_place(&DIRECTORIES);
        let moved = entries(&self.outside).into_iter().find(|path| path.is_dir());
        let from = moved.unwrap_or_else(|| {
            let path = self.somewhere_outside();
            fs::create_dir_all(path.join("a/b")).unwrap();
            write_file(&path.join("a/b/y.md"), self.text(30)).unwrap();
            path
        });
        told("move in", &to, fs::rename(&from, &to))
    }

    /// A link where a file or a directory was, or where nothing was.
    fn swap_for_link(&mut self) -> String {
        let path = if self.random.below(2) == 0 { self.some_file() } else { self.some_directory() };
        let path = path.unwrap_or_else(|| self.some_place(&FILES));
        let away = self.somewhere_outside();
        let _ = fs::rename(&path, &away);
        told("swap for a link", &path, symlink(&away, &path))
    }

    fn change_mode(&mut self) -> String {
        let path = if self.random.below(2) == 0 { self.some_file() } else { self.some_directory() };
        let Some(path) = path else { return "nothing".into() };
        let mode = self.random.one_of(&[0o755, 0o700, 0o555, 0o000]);
        told("change the mode of", &path, fs::set_permissions(&path, fs::Permissions::from_mode(mode)))
    }

    /// Two directories take each other's place.
    fn exchange(&mut self) -> String {
        let (Some(a), Some(b)) = (self.some_directory(), self.some_directory()) else { return "nothing".into() };
        let between = self.outside.join("between");
        let done = fs::rename(&a, &between).and_then(|()| match fs::rename(&b, &a) {
            Ok(()) => fs::rename(&between, &b),
            Err(_) => fs::rename(&between, &a),
        });
        told(&format!("exchange {a:?} and"), &b, done)
    }

    fn hold_open(&mut self) -> String {
        let Some(path) = self.some_file() else { return "no file".into() };
        let opened = for_writing().open(&path).map(|file| self.keep_open(file));
        told("hold open", &path, opened)
    }

    fn keep_open(&mut self, file: File) {
        if self.open.len() == 4 {
            self.open.remove(0);
        }
        self.open.push(file);
    }

    fn write_through(&mut self) -> String {
        if self.open.is_empty() {
            return "nothing is open".into();
        }
        let at = self.random.below(self.open.len());
        let text = self.text(30);
        let file = &self.open[at];
        format!(
            "write through inode {:?}: {:?}",
            file.metadata().map(|it| it.ino()),
            file.write_all_at(text.as_bytes(), 0)
        )
    }

    fn special(&mut self) -> String {
        let path = self.some_place(&FILES);
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let done = rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0);
        told("pipe", &path, done.map_err(Into::into))
    }

    fn many(&mut self) -> String {
        let path = self.some_place(&DIRECTORIES);
        let done = fs::create_dir_all(&path).and_then(|()| {
            (0..self.random.below(150)).try_for_each(|n| write_file(&path.join(format!("many-{n}.md")), self.text(20)))
        });
        told("many in", &path, done)
    }

    fn root_goes(&mut self) -> String {
        let away = self.somewhere_outside();
        fs::rename(&self.root, &away).unwrap();
        match self.random.below(4) {
            0 => return "the root goes".into(),
            1 => fs::rename(&away, &self.root).unwrap(),
            2 => {
                fs::create_dir_all(self.root.join("a")).unwrap();
                write_file(&self.root.join("a/x.md"), self.text(20)).unwrap();
                write_file(&self.root.join("new.md"), self.text(20)).unwrap();
            }
            _ => {
                // The same names in other directories; the files are the very same.
                fs::create_dir(&self.root).unwrap();
                for entry in entries(&away) {
                    let _ = fs::rename(&entry, self.root.join(entry.file_name().unwrap()));
                }
            }
        }
        "the root is another one".into()
    }

    fn root_returns(&mut self) -> String {
        let moved = entries(&self.outside).into_iter().find(|path| path.is_dir());
        match moved.filter(|_| self.random.below(2) == 0) {
            Some(moved) => fs::rename(moved, &self.root).unwrap(),
            None => fs::create_dir(&self.root).unwrap(),
        }
        "the root returns".into()
    }

    /// A text of so many bytes that was never there before, unless it is very short.
    fn text(&mut self, length: usize) -> String {
        let number = self.next_number() ^ self.random.next();
        let text = format!("---\ntype: T{number:x}\n---\n{number:x} ");
        let text = if length < 12 { format!("{number:016x}") } else { text };
        text.chars().cycle().take(length).collect()
    }

    fn somewhere_outside(&mut self) -> PathBuf {
        let name = format!("moved-{:x}", self.next_number());
        self.outside.join(name)
    }

    fn next_number(&mut self) -> u64 {
        self.counter += 1;
        (u64::from(std::process::id()) << 32) + self.counter
    }

    /// A name in some directory of the bundle, taken or not.
    fn some_place(&mut self, names: &[&[u8]]) -> PathBuf {
        let directory = self.some_directory().filter(|_| self.random.below(3) != 0);
        let directory = directory.filter(|path| path.components().count() < self.root.components().count() + 4);
        directory.unwrap_or_else(|| self.root.clone()).join(OsStr::from_bytes(self.random.one_of(names)))
    }

    fn some_file(&mut self) -> Option<PathBuf> {
        let files = self.everything().into_iter().filter(|path| path.symlink_metadata().is_ok_and(|it| it.is_file()));
        self.random.some_of(files.collect())
    }

    fn some_directory(&mut self) -> Option<PathBuf> {
        let paths = self.everything().into_iter().filter(|path| path.symlink_metadata().is_ok_and(|it| it.is_dir()));
        self.random.some_of(paths.collect())
    }

    fn everything(&self) -> Vec<PathBuf> {
        let mut all = entries(&self.root);
        let mut at = 0;
        while at < all.len() {
            if all[at].symlink_metadata().is_ok_and(|it| it.is_dir()) {
                let below = entries(&all[at]);
                all.extend(below);
            }
            at += 1;
        }
        all
    }
}

/// Opens what is there for writing; nobody waits at a pipe for somebody to read.
fn for_writing() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    options
}

fn write_file(path: &Path, bytes: impl AsRef<[u8]>) -> std::io::Result<()> {
    for_writing().create(true).truncate(true).open(path)?.write_all(bytes.as_ref())
}

/// What lies in a directory, by name, so that a seed means the same in every run.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(directory).into_iter().flatten().flatten().map(|it| it.path()).collect();
    entries.sort();
    entries
}

/// An edit may fail: a directory into itself, a file over a directory.
fn told(what: &str, path: &Path, done: std::io::Result<()>) -> String {
    format!("{what} {path:?}{}", done.err().map_or(String::new(), |error| format!(" ({})", error.kind())))
}

/// Numbers that follow from a seed (splitmix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }

    fn some_of<T>(&mut self, mut all: Vec<T>) -> Option<T> {
        if all.is_empty() {
            return None;
        }
        let at = self.below(all.len());
        Some(all.swap_remove(at))
    }
}
