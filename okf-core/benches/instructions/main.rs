//! A gate against slower code that no busy machine can upset: it counts instructions, with valgrind.
//!
//! `cargo bench -p okf-core --bench instructions` compares with `counts.txt`, and ends with 1 when a piece of work
//! takes more than [`TOLERANCE`] above it; `-- --record` writes what was counted. The counts hold for the compiler
//! and the processor's vector instructions that the file names; compare on others by recording before a change.

#[path = "../workloads/mod.rs"]
mod workloads;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use workloads::WORKLOADS;

/// How far above the recorded count a piece may be, as a share of it.
const TOLERANCE: f64 = 0.05;

/// A piece of work is not done more often than this.
const MOST: usize = 1 << 12;

/// The argument with which this program does one piece of work so many times, for valgrind to watch.
const DO: &str = "--do";
const RECORD: &str = "--record";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.iter().position(|argument| argument == DO) {
        Some(at) => act(&arguments[at + 1..]).map(|()| true),
        None => judge(arguments.iter().any(|argument| argument == RECORD)),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("instructions: {message}");
            ExitCode::from(2)
        }
    }
}

/// Does a piece of work a number of times.
fn act(arguments: &[String]) -> Result<(), String> {
    let [name, times] = arguments else { return Err(format!("`{DO}` takes a name and a number")) };
    let times: usize = times.parse().map_err(|_| format!("`{times}` is no number"))?;
    let (_, prepare) = WORKLOADS.iter().find(|(known, _)| known == name).ok_or_else(|| format!("no `{name}`"))?;
    let mut work = prepare();
    (0..times).for_each(|_| work());
    Ok(())
}

/// Counts all pieces and compares or records them; whether all are within bounds.
fn judge(records: bool) -> Result<bool, String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/instructions/counts.txt");
    let known = if records { BTreeMap::new() } else { read(&file)? };
    let mut counted = String::new();
    let mut is_good = true;
    println!("{:<22} {:>13} {:>13} {:>8}", "piece of work", "counted", "recorded", "change");
    for (name, _) in WORKLOADS {
        let count = count_alone(name)?;
        let _ = writeln!(counted, "{name} {count}");
        let Some(&before) = known.get(name) else {
            println!("{name:<22} {count:>13} {:>13} {:>8}", "-", "-");
            is_good &= records;
            continue;
        };
        let change = count as f64 / before as f64 - 1.0;
        let verdict = if change > TOLERANCE {
            is_good = false;
            "  too many"
        } else if change < -TOLERANCE {
            "  record the gain"
        } else {
            ""
        };
        println!("{name:<22} {count:>13} {before:>13} {:>+7.1}%{verdict}", change * 100.0);
    }
    if records {
        let text = format!("# Instructions per piece of work; {}.\n{counted}", compiler());
        std::fs::write(&file, text).map_err(|error| format!("`{}`: {error}", file.display()))?;
    }
    Ok(is_good)
}

/// The instructions of a piece of work without those that make it ready.
///
/// Making ready costs nearly the same in every run, give or take what the seeds of hash maps decide; so the work is
/// done until it counts for a good part of the whole.
fn count_alone(name: &str) -> Result<u64, String> {
    let once = count(name, 1)?;
    let mut more = 2;
    loop {
        let difference = count(name, 1 + more)?.saturating_sub(once);
        if difference > once / 4 || more >= MOST {
            return Ok(difference / more as u64);
        }
        more *= 8;
    }
}

/// The instructions of a process that does a piece of work a number of times.
fn count(name: &str, times: usize) -> Result<u64, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(own)
        .args([DO, name, &times.to_string()])
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("valgrind is needed and does not start: {error}"))?;
    let told = String::from_utf8_lossy(&output.stderr);
    // `==PID== I   refs:      1,234`
    let line = told.lines().find_map(|line| line.split_once("refs:"));
    let number = line.map(|(_, number)| number.trim().replace(',', ""));
    number
        .filter(|_| output.status.success())
        .and_then(|number| number.parse().ok())
        .ok_or_else(|| format!("valgrind failed on `{name}`:\n{told}"))
}

/// The recorded counts by name.
fn read(file: &PathBuf) -> Result<BTreeMap<String, u64>, String> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| format!("`{}`: {error}; record with `{RECORD}`", file.display()))?;
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines
        .map(|line| {
            let (name, count) = line.split_once(' ').ok_or_else(|| format!("`{line}` is no name with a count"))?;
            Ok((name.to_owned(), count.trim().parse().map_err(|_| format!("`{count}` is no count"))?))
        })
        .collect()
}

/// The compiler that is there; the one that built this is the same unless somebody plays tricks.
fn compiler() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let version = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    format!("{version}, {} with AVX2", std::env::consts::ARCH)
}
