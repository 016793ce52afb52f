//! The rows of a table: what is measured, and what takes turns with it.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bundles::Subject;
use crate::client::Server;
use crate::table::{Note, Row};

/// What to measure on one bundle.
pub struct Plan<'a> {
    pub okf: &'a Path,
    pub subject: &'a Subject,
    pub rounds: usize,
    /// Only the rows whose name holds this text.
    pub only: &'a str,
}

type Outcome<T = ()> = Result<T, String>;

impl Plan<'_> {
    /// Measures row by row and hands each out as soon as it is known.
    pub fn run(&self, out: &mut dyn FnMut(&dyn Display)) -> Outcome {
        self.start_up(out)?;
        let first = self.first_concept()?;
        self.searches(true, out)?;
        self.searches(false, out)?;
        self.other_tools(&first, out)?;
        self.changes(&first, out)?;
        self.rereading(out)?;
        self.memory(&first, out)?;
        self.write(&first, out)
    }

    fn is_wanted(&self, what: &str) -> bool {
        what.contains(self.only)
    }

    fn root(&self) -> &Path {
        &self.subject.root
    }

    fn start_up(&self, out: &mut dyn FnMut(&dyn Display)) -> Outcome {
        let what = "start to the answer to `initialize`";
        if !self.is_wanted(what) {
            return Ok(());
        }
        self.ripgrep(&["--files"])?;
        let pairs = self.turns(4, |_| {
            let (server, took) = Server::start(self.okf, self.root(), true)?;
            drop(server);
            Ok((took, self.ripgrep(&["--files"])?))
        })?;
        out(&Row { what: what.into(), against: "`rg --files`".into(), pairs, faster: false });
        Ok(())
    }

    /// The ID of a concept in the middle of the listing.
    fn first_concept(&self) -> Outcome<String> {
        let mut server = self.warm(true)?;
        server.call("list-concepts", &json!({"limit": 100}))?;
        let answer = server.answer()?;
        let concepts = answer["concepts"].as_array().ok_or("a listing without concepts")?;
        let id = concepts.get(concepts.len() / 2).and_then(|concept| concept["id"].as_str());
        id.map(str::to_owned).ok_or_else(|| "the bundle holds no concept".to_owned())
    }

    fn searches(&self, watch: bool, out: &mut dyn FnMut(&dyn Display)) -> Outcome {
        let mode = if watch { "" } else { ", by stat" };
        for (kind, questions) in [("hits", &self.subject.hits), ("misses", &self.subject.misses)] {
            let what = format!("`search-concepts` literal, {kind}{mode}");
            if !self.is_wanted(&what) {
                continue;
            }
            let mut server = self.warm(watch)?;
            let pairs = self.turns(questions.len(), |turn| {
                let question = &questions[turn % questions.len()];
                let theirs = self.ripgrep(&["-n", "-i", "-F", question])?;
                Ok((server.call("search-concepts", &json!({"query": question}))?, theirs))
            })?;
            out(&Row { what, against: "`rg -n -i -F`".into(), pairs, faster: true });
        }
        Ok(())
    }

    fn other_tools(&self, concept: &str, out: &mut dyn FnMut(&dyn Display)) -> Outcome {
        let hit = self.subject.hits.first().map_or("order", String::as_str);
        let words = format!("{hit} {}", self.subject.hits.get(3).map_or("daily", String::as_str));
        let pattern = format!(r"{hit}\w+");
        let grep = |pattern: &str| vec!["-n".to_owned(), "-i".into(), pattern.into()];
        let rows = [
            ("`search-concepts` regex", "search-concepts", json!({"query": pattern, "mode": "regex"}), grep(&pattern)),
            ("`search-concepts` words", "search-concepts", json!({"query": words, "mode": "words"}), grep(hit)),
            ("`list-concepts`, 100", "list-concepts", json!({"limit": 100}), vec!["--files".to_owned()]),
            ("`lookup-concept`", "lookup-concept", json!({"id": concept}), grep(concept)),
            ("`query-graph`, neighbourhood", "query-graph", json!({"concept": concept, "direction": "both"}), {
                grep(concept.rsplit('/').next().unwrap_or(concept))
            }),
            ("`validate`", "validate", json!({"limit": 10}), grep("^type:")),
        ];
        for (what, tool, arguments, grep) in rows {
            if !self.is_wanted(what) {
                continue;
            }
            let mut server = self.warm(true)?;
            server.call(tool, &arguments)?;
            let grep: Vec<&str> = grep.iter().map(String::as_str).collect();
            let pairs = self.turns(3, |_| {
                let theirs = self.ripgrep(&grep)?;
                Ok((server.call(tool, &arguments)?, theirs))
            })?;
            out(&Row { what: what.into(), against: format!("`rg {}`", grep.join(" ")), pairs, faster: true });
        }
        Ok(())
    }

    /// Calls right after a file was changed, taking turns with calls after nothing was.
    fn changes(&self, concept: &str, out: &mut dyn FnMut(&dyn Display)) -> Outcome {
        let hit = self.subject.hits.first().map_or("order", String::as_str);
        let rows = [
            ("`search-concepts` literal", "search-concepts", json!({"query": hit})),
            ("`search-concepts` words", "search-concepts", json!({"query": hit, "mode": "words"})),
            ("`list-concepts`", "list-concepts", json!({"limit": 100})),
            ("`lookup-concept`", "lookup-concept", json!({"id": concept})),
            ("`query-graph`", "query-graph", json!({"concept": concept, "direction": "both"})),
            ("`validate`", "validate", json!({"limit": 10})),
        ];
        for watch in [true, false] {
            for (name, tool, arguments) in &rows {
                let what = format!("{name} after a change{}", if watch { "" } else { ", by stat" });
                if self.is_wanted(&what) {
                    self.change(watch, concept, tool, arguments, what, out)?;
                }
            }
        }
        Ok(())
    }

    fn change(
        &self,
        watch: bool,
        concept: &str,
        tool: &str,
        arguments: &Value,
        what: String,
        out: &mut dyn FnMut(&dyn Display),
    ) -> Outcome {
        let mut server = self.warm(watch)?;
        server.call(tool, arguments)?;
        let file = Kept::new(self.root().join(format!("{concept}.md")))?;
        let pairs = self.turns(4, |turn| {
            let mut text = file.before.clone();
            text.extend_from_slice(format!("\nChanged {turn} times.\n").as_bytes());
            file.write(&text)?;
            let changed = server.call(tool, arguments)?;
            Ok((changed, server.call(tool, arguments)?))
        })?;
        out(&Row { what, against: "the same after none".into(), pairs, faster: false });
        Ok(())
    }

    fn rereading(&self, out: &mut dyn FnMut(&dyn Display)) -> Outcome {
        let what = "`search-concepts` literal";
        if !self.is_wanted("re-reading") {
            return Ok(());
        }
        let hit = self.subject.hits.first().map_or("order", String::as_str);
        let mut server = self.warm(true)?;
        let pairs = self.turns(1, |_| {
            let mut all = Command::new(self.okf);
            all.args(["search", hit, "--limit", "20"]).arg("-C").arg(self.root());
            let theirs = timed(&mut all)?;
            Ok((server.call("search-concepts", &json!({"query": hit}))?, theirs))
        })?;
        out(&Row { what: what.into(), against: "re-reading everything, `okf search`".into(), pairs, faster: true });
        Ok(())
    }

    fn memory(&self, concept: &str, out: &mut dyn FnMut(&dyn Display)) -> Outcome {
        if !self.is_wanted("resident memory") {
            return Ok(());
        }
        let mut server = self.warm(true)?;
        let hit = self.subject.hits.first().map_or("order", String::as_str);
        for (tool, arguments) in [
            ("list-concepts", json!({})),
            ("lookup-concept", json!({"id": concept})),
            ("search-concepts", json!({"query": hit})),
            ("search-concepts", json!({"query": hit, "mode": "regex"})),
            ("search-concepts", json!({"query": hit, "mode": "words"})),
            ("query-graph", json!({"concept": concept, "direction": "both"})),
            ("validate", json!({"links": true, "limit": 10})),
        ] {
            server.call(tool, &arguments)?;
        }
        let (now, highest) = server.memory()?;
        for (what, bytes) in [("resident memory after every read tool", now), ("the same at its highest", highest)] {
            out(&Note {
                what: format!("{what} ({} bytes a file)", bytes / self.subject.files.max(1) as u64),
                ours: megabytes(bytes),
                against: "Markdown".into(),
                theirs: megabytes(self.subject.bytes),
                ratio: bytes as f64 / self.subject.bytes as f64,
            });
        }
        Ok(())
    }

    /// An update through the server, taking turns with writing and syncing as many files by hand. Restores
    /// what it writes, and comes last: it leaves a lock file, as every first write does.
    fn write(&self, concept: &str, out: &mut dyn FnMut(&dyn Display)) -> Outcome {
        let what = "`update-concept`";
        if !self.is_wanted(what) {
            return Ok(());
        }
        let directory = concept.rsplit_once('/').map_or("", |(directory, _)| directory);
        let paths = [format!("{concept}.md"), format!("{directory}/index.md"), "log.md".to_owned()];
        let kept: Vec<Kept> =
            paths.iter().filter_map(|path| Kept::new(self.root().join(path.trim_start_matches('/'))).ok()).collect();
        let scratch = self.root().with_extension("scratch");
        std::fs::create_dir_all(&scratch).map_err(|error| error.to_string())?;
        let mut server = self.warm(true)?;
        let pairs = self.turns(4, |turn| {
            let arguments = json!({"id": concept, "description": format!("Described {turn} times")});
            let ours = server.call("update-concept", &arguments)?;
            let answer = server.answer()?;
            let changed = answer["changed_paths"].as_array().map_or(0, Vec::len);
            if changed == 0 || changed > kept.len() {
                return Err(format!("{changed} files were changed: {answer}"));
            }
            let started = Instant::now();
            for (number, file) in kept.iter().take(changed).enumerate() {
                write_by_hand(&scratch.join(number.to_string()), &file.before)?;
            }
            Ok((ours, started.elapsed()))
        })?;
        out(&Row { what: what.into(), against: "writing and syncing as many files".into(), pairs, faster: false });
        drop(kept);
        std::fs::remove_dir_all(&scratch).map_err(|error| error.to_string())?;
        std::fs::remove_file(self.root().join(".okf.lock")).map_err(|error| error.to_string())
    }

    /// A server that has loaded the bundle and built what is built once.
    fn warm(&self, watch: bool) -> Outcome<Server> {
        let (mut server, _) = Server::start(self.okf, self.root(), watch)?;
        server.call("search-concepts", &json!({"query": "warm up"}))?;
        server.call("list-concepts", &json!({"limit": 1}))?;
        Ok(server)
    }

    fn ripgrep(&self, arguments: &[&str]) -> Outcome<Duration> {
        let mut command = Command::new("rg");
        command.arg("--no-config");
        match arguments {
            ["--files"] => command.arg("--files"),
            [options @ .., pattern] => command.args(options).arg("-e").arg(pattern),
            [] => return Err("rg needs arguments".to_owned()),
        };
        command.arg("--").arg(self.root());
        timed(&mut command)
    }

    /// So many turns in each round, one after another.
    fn turns(
        &self,
        each: usize,
        mut turn: impl FnMut(usize) -> Outcome<(Duration, Duration)>,
    ) -> Outcome<Vec<(Duration, Duration)>> {
        (0..each * self.rounds).map(&mut turn).collect()
    }
}

/// A file of the bundle that gets its content back in the end.
struct Kept {
    path: PathBuf,
    before: Vec<u8>,
}

impl Kept {
    fn new(path: PathBuf) -> Outcome<Self> {
        let before = std::fs::read(&path).map_err(|error| format!("`{}`: {error}", path.display()))?;
        Ok(Self { path, before })
    }

    fn write(&self, bytes: &[u8]) -> Outcome {
        std::fs::write(&self.path, bytes).map_err(|error| format!("`{}`: {error}", self.path.display()))
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Err(message) = self.write(&self.before) {
            eprintln!("stdio: not restored: {message}");
        }
    }
}

/// As a careful program writes a file: beside it, synced, renamed over it, the directory synced.
fn write_by_hand(path: &Path, bytes: &[u8]) -> Outcome {
    let beside = path.with_extension("new");
    let directory = path.parent().unwrap_or(path);
    let write = || {
        std::fs::write(&beside, bytes)?;
        std::fs::File::open(&beside)?.sync_all()?;
        std::fs::rename(&beside, path)?;
        std::fs::File::open(directory)?.sync_all()
    };
    write().map_err(|error: std::io::Error| format!("`{}`: {error}", path.display()))
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

/// How long a process takes, its output thrown away. Exit code 1 is a search without a match.
fn timed(command: &mut Command) -> Outcome<Duration> {
    let started = Instant::now();
    let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let took = started.elapsed();
    match status {
        Ok(status) if matches!(status.code(), Some(0 | 1)) => Ok(took),
        Ok(status) => Err(format!("{command:?} ended with {status}")),
        Err(error) => Err(format!("{:?} does not start: {error}", command.get_program())),
    }
}
