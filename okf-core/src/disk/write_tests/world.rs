//! A model of the disk for power cuts: what is durable, and what may still be lost.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::rc::Rc;

use rustix::io::Errno;

use super::super::ops::{Inode, Name, Step};
use super::super::probe::Probe;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Node {
    File(usize),
    Directory(usize),
}

/// Directories (the first is the root) and the contents of files.
#[derive(Clone, Debug, Default)]
pub(super) struct World {
    directories: Vec<BTreeMap<String, Node>>,
    files: Vec<Vec<u8>>,
}

/// What a tree looks like: directories, and files by number so that hard links show.
pub(super) type Layout = BTreeMap<String, Option<(usize, Vec<u8>)>>;

type Place = (usize, String);

#[derive(Clone, Debug)]
pub(super) enum Effect {
    Name(Place, Option<Node>),
    Move(Place, Place, Node),
    Content(usize, Vec<u8>),
}

#[derive(Clone, Debug)]
pub(super) enum Event {
    Effect(Effect),
    SyncFile(usize),
    SyncDirectory(usize),
}

/// How much of an effect a power cut can take away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cover {
    /// All of it.
    None,
    /// Of a move, that the old name is gone.
    Half,
    /// Nothing.
    Full,
}

impl World {
    pub(super) fn apply(&mut self, effect: &Effect) {
        match effect {
            Effect::Name((directory, name), node) => {
                match node {
                    Some(node) => self.directories[*directory].insert(name.clone(), *node),
                    None => self.directories[*directory].remove(name),
                };
            }
            Effect::Move((from, old), (to, new), node) => {
                self.directories[*from].remove(old);
                self.directories[*to].insert(new.clone(), *node);
            }
            Effect::Content(file, bytes) => self.files[*file].clone_from(bytes),
        }
    }

    /// Applies what is durable of a half-covered move: the new name, while the old one stays.
    pub(super) fn apply_half(&mut self, effect: &Effect) {
        if let Effect::Move(_, (to, new), node) = effect {
            self.directories[*to].insert(new.clone(), *node);
        }
    }

    pub(super) fn layout(&self) -> Layout {
        let mut layout = Layout::new();
        let mut pending = vec![(String::new(), 0)];
        while let Some((path, directory)) = pending.pop() {
            for (name, node) in &self.directories[directory] {
                let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
                match node {
                    Node::File(file) => {
                        layout.insert(path, Some((*file, self.files[*file].clone())));
                    }
                    Node::Directory(below) => {
                        layout.insert(path.clone(), None);
                        pending.push((path, *below));
                    }
                }
            }
        }
        layout
    }
}

/// Makes a tree of a layout.
pub(super) fn lay_out(layout: &Layout, root: &Path) {
    let mut first: HashMap<usize, &str> = HashMap::new();
    for (path, file) in layout {
        match file {
            None => fs::create_dir(root.join(path)).unwrap(),
            Some((number, bytes)) => match first.get(number) {
                Some(other) => fs::hard_link(root.join(other), root.join(path)).unwrap(),
                None => {
                    fs::write(root.join(path), bytes).unwrap();
                    first.insert(*number, path);
                }
            },
        }
    }
}

/// Everything that happened to a tree.
#[derive(Debug, Default)]
pub(super) struct Recording {
    pub(super) start: World,
    live: World,
    directories: HashMap<Inode, usize>,
    files: HashMap<Inode, usize>,
    pub(super) events: Vec<Event>,
    /// Whether the step that was to fail was reached.
    pub(super) failed: bool,
}

impl Recording {
    /// Begins with a tree, all of it durable.
    pub(super) fn of(root: &Path) -> Rc<RefCell<Self>> {
        let mut recording = Self::default();
        recording.scan(root);
        recording.start = recording.live.clone();
        Rc::new(RefCell::new(recording))
    }

    fn scan(&mut self, path: &Path) -> usize {
        let number = self.live.directories.len();
        self.live.directories.push(BTreeMap::new());
        self.directories.insert(fs::metadata(path).unwrap().ino(), number);
        for entry in fs::read_dir(path).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let node = if entry.file_type().unwrap().is_dir() {
                Node::Directory(self.scan(&entry.path()))
            } else {
                let inode = entry.metadata().unwrap().ino();
                let known = self.files.get(&inode).copied();
                Node::File(known.unwrap_or_else(|| {
                    self.live.files.push(fs::read(entry.path()).unwrap());
                    self.files.insert(inode, self.live.files.len() - 1);
                    self.live.files.len() - 1
                }))
            };
            self.live.directories[number].insert(name, node);
        }
        number
    }

    /// An edit in place by somebody who syncs: nothing of it is ever lost.
    pub(super) fn outside_edit(&mut self, root: &Path, path: &str, bytes: &[u8]) {
        fs::write(root.join(path), bytes).unwrap();
        let file = self.files[&fs::metadata(root.join(path)).unwrap().ino()];
        self.push(Effect::Content(file, bytes.to_vec()));
        self.events.push(Event::SyncFile(file));
    }

    /// Where a directory lies in the end; empty for the root and for one that is gone.
    pub(super) fn path_of(&self, directory: usize) -> String {
        let mut pending = vec![(String::new(), 0)];
        while let Some((path, number)) = pending.pop() {
            if number == directory {
                return path;
            }
            for (name, node) in &self.live.directories[number] {
                if let Node::Directory(below) = node {
                    pending.push((format!("{path}/{name}"), *below));
                }
            }
        }
        String::new()
    }

    fn push(&mut self, effect: Effect) {
        self.live.apply(&effect);
        self.events.push(Event::Effect(effect));
    }

    fn place(&self, name: Name) -> Place {
        (self.directories[&name.directory], name.name)
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Create { at, file } => {
                self.live.files.push(Vec::new());
                // Start and live world number alike; a new file has nothing in it.
                self.start.files.push(Vec::new());
                let number = self.live.files.len() - 1;
                self.files.insert(file, number);
                let place = self.place(at);
                self.push(Effect::Name(place, Some(Node::File(number))));
            }
            Step::MakeDirectory { at, directory } => {
                self.live.directories.push(BTreeMap::new());
                self.start.directories.push(BTreeMap::new());
                let number = self.live.directories.len() - 1;
                self.directories.insert(directory, number);
                let place = self.place(at);
                self.push(Effect::Name(place, Some(Node::Directory(number))));
            }
            Step::Write { file, bytes } => self.push(Effect::Content(self.files[&file], bytes)),
            Step::Empty { file } => self.push(Effect::Content(self.files[&file], Vec::new())),
            Step::Link { from, to } => {
                let ((directory, name), to) = (self.place(from), self.place(to));
                let node = self.live.directories[directory][&name];
                self.push(Effect::Name(to, Some(node)));
            }
            Step::Rename { from, to } => {
                let (from, to) = (self.place(from), self.place(to));
                let node = self.live.directories[from.0][&from.1];
                self.push(Effect::Move(from, to, node));
            }
            Step::Remove { at } => {
                let place = self.place(at);
                self.push(Effect::Name(place, None));
            }
            Step::SyncFile { file } => self.events.push(Event::SyncFile(self.files[&file])),
            Step::SyncDirectory { directory } => self.events.push(Event::SyncDirectory(self.directories[&directory])),
            Step::Describe => {}
        }
    }
}

/// Fails one step of those that it records, if asked to.
pub(super) struct Recorder {
    pub(super) recording: Rc<RefCell<Recording>>,
    pub(super) fails: Option<usize>,
    pub(super) count: usize,
}

impl Probe for Recorder {
    fn before(&mut self) -> Result<(), Errno> {
        self.count += 1;
        if self.fails != Some(self.count) {
            return Ok(());
        }
        self.recording.borrow_mut().failed = true;
        Err(Errno::NOSPC)
    }

    fn after(&mut self, step: Step) {
        self.recording.borrow_mut().take(step);
    }
}

/// How far each effect of some events is covered. One sync can be left out, as if the code had none there.
pub(super) fn covers(events: &[Event], without: impl Fn(usize) -> bool) -> Vec<(&Effect, Cover)> {
    let mut effects: Vec<(&Effect, Cover)> = Vec::new();
    for (number, event) in events.iter().enumerate() {
        match event {
            Event::Effect(effect) => effects.push((effect, Cover::None)),
            Event::SyncFile(_) | Event::SyncDirectory(_) if without(number) => {}
            Event::SyncFile(synced) => {
                for (effect, cover) in &mut effects {
                    if matches!(effect, Effect::Content(file, _) if file == synced) {
                        *cover = Cover::Full;
                    }
                }
            }
            Event::SyncDirectory(synced) => {
                for (effect, cover) in &mut effects {
                    match effect {
                        Effect::Name((directory, _), _) if directory == synced => *cover = Cover::Full,
                        Effect::Move((from, _), ..) if from == synced => *cover = Cover::Full,
                        Effect::Move(_, (to, _), _) if to == synced && *cover == Cover::None => *cover = Cover::Half,
                        _ => {}
                    }
                }
            }
        }
    }
    effects
}
