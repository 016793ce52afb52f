//! Every registration line of the README, run as its client runs it.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

use crate::harness::{Tree, binary, initialize_params, says};

const README: &str = include_str!("../README.md");

/// What a client runs for one line of the README's table.
struct Line {
    client: String,
    command: Vec<String>,
}

impl Line {
    /// Whether the client passes the project directory, wherever it starts the server.
    fn names_the_project(&self) -> bool {
        self.command.iter().any(|word| word.contains("${workspaceFolder}") || word.contains("$CLAUDE_PROJECT_DIR"))
    }

    /// Runs the line in a directory: a handshake, then the end of input.
    fn run(&self, directory: &Path, project: Option<&Path>) -> Output {
        let folder = project.map(|path| path.display().to_string()).unwrap_or_default();
        let words: Vec<String> = self.command.iter().map(|word| word.replace("${workspaceFolder}", &folder)).collect();
        let installed = PathBuf::from(binary().get_program()).parent().expect("it is a file").display().to_string();
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(directory).env_clear();
        command.env("PATH", format!("{installed}:/usr/bin:/bin")).env("HOME", directory);
        if project.is_some() {
            command.env("CLAUDE_PROJECT_DIR", folder);
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {words:?}: {error}", self.client));
        let hello =
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize_params("2025-06-18")});
        // A server that has refused to start does not read; that is seen below.
        let _ = writeln!(child.stdin.take().expect("it is piped"), "{hello}");
        child.wait_with_output().expect("it ends")
    }
}

fn lines() -> Vec<Line> {
    let section = README.split("## Registration").nth(1).expect("the README has the section");
    let table = section.split("\n## ").next().expect("it ends");
    let rows = table.lines().filter(|line| line.starts_with("| ") && line.contains('`'));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let what = cells[2].trim_end_matches(" |").trim_matches('`');
        Line { client: cells[0].to_owned(), command: command(what) }
    })
    .collect()
}

/// The words that a client runs: behind ` -- ` of its own command line, or in its JSON.
fn command(what: &str) -> Vec<String> {
    if let Some((_, line)) = what.split_once(" -- ") {
        return shell_words(line);
    }
    let configuration: Value = serde_json::from_str(what).expect("it is JSON");
    let servers = configuration.as_object().and_then(|servers| servers.values().next()).expect("one key");
    let server = &servers["okf"];
    let arguments = server["args"].as_array().expect("a list").iter();
    std::iter::once(&server["command"]).chain(arguments).map(|word| word.as_str().expect("a word").to_owned()).collect()
}

fn shell_words(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    parts
        .flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

fn project() -> Tree {
    let files = [
        ("README.md", "# Project\n"),
        ("docs/index.md", "---\nokf_version: \"0.2\"\n---\n# Handbook\n"),
        ("docs/a.md", "---\ntype: Note\n---\nBody.\n"),
    ];
    Tree::named("a project", &files)
}

fn introduction(output: &Output) -> String {
    let answer: Value = serde_json::from_slice(&output.stdout).expect("one answer");
    answer["result"]["instructions"].as_str().expect("instructions").to_owned()
}

#[test]
fn every_line_serves_the_project() {
    let project = project();
    let elsewhere = Tree::named("elsewhere", &[("notes.txt", "nothing")]);
    assert_eq!(lines().len(), 5, "one line for each client");
    for line in lines() {
        let starts: &[&Path] = if line.names_the_project() {
            &[project.root(), elsewhere.root(), Path::new("/")]
        } else {
            // These clients start a server where they were started themselves.
            &[project.root()]
        };
        for start in starts {
            let output = line.run(start, Some(project.root()));
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(0), "{} in {}: {stderr}", line.client, start.display());
            says(&introduction(&output), &["Handbook", "1 concept"]);
        }
    }
}

#[test]
fn without_a_bundle_one_line_says_what_to_do() {
    let elsewhere = Tree::named("elsewhere", &[("notes.txt", "nothing"), ("src/x.md", "text")]);
    for line in lines() {
        for project in [None, Some(elsewhere.root())] {
            // A variable that nothing replaces is some directory that does not exist.
            if project.is_none() && line.command.iter().any(|word| word.contains("${workspaceFolder}")) {
                continue;
            }
            let output = line.run(elsewhere.root(), project);
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{}: {stderr}", line.client);
            assert!(output.stdout.is_empty(), "{}", line.client);
            assert_eq!(stderr.lines().count(), 1, "{}: {stderr}", line.client);
            says(&stderr, &["no bundle", "-C DIR"]);
        }
    }
}
