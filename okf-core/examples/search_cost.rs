//! What a search costs in memory: medians in milliseconds per query, without a server around it.
//!
//! `cargo run --release -p okf-core --example search_cost BUNDLE [ROUNDS] [QUERY MODE]`

use std::path::Path;
use std::time::Instant;

use okf_core::bundle::Bundle;
use okf_core::listing::Filter;
use okf_core::search::{Excerpts, Mode, Scope, SearchRequest, search};

/// Rare, common, absent and non-ASCII; patterns; words.
const QUERIES: [(Mode, &str); 36] = [
    (Mode::Literal, "attributed-order-partition"),
    (Mode::Literal, "partition"),
    (Mode::Literal, "Partition Key"),
    (Mode::Literal, "latency"),
    (Mode::Literal, "invoice_schema"),
    (Mode::Literal, "FLOAT64"),
    (Mode::Literal, "the"),
    (Mode::Literal, "e"),
    (Mode::Literal, "snapshots pipeline"),
    (Mode::Literal, "human:ahormati"),
    (Mode::Literal, "qzvunheard"),
    (Mode::Literal, "kernelpanic"),
    (Mode::Literal, "zzz-nothing"),
    (Mode::Literal, "Москва"),
    (Mode::Literal, "москва"),
    (Mode::Literal, "café"),
    (Mode::Literal, "Größe"),
    (Mode::Literal, "東京"),
    (Mode::Literal, "ñandú"),
    (Mode::Literal, "https://"),
    (Mode::Regex, r"\w+_latency"),
    (Mode::Regex, r"[a-z]+ [A-Z][a-z]+ing\b"),
    (Mode::Regex, r"^# Schema"),
    (Mode::Regex, r"(a*)*b"),
    (Mode::Regex, r".*"),
    (Mode::Regex, r"\p{Cyrillic}{3,}"),
    (Mode::Regex, r"partition|latency|quota"),
    (Mode::Words, "attributed order partition"),
    (Mode::Words, "quota"),
    (Mode::Words, "the partition of snapshots"),
    (Mode::Words, "how do customers query the invoice schema"),
    (Mode::Words, "invoice customer query index snapshot"),
    (Mode::Words, "the of and"),
    (Mode::Words, "Москва view"),
    (Mode::Words, "campaign_policy"),
    (Mode::Words, "qzvunheard partition"),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let root = arguments.next().ok_or("name a bundle")?;
    let rounds: usize = arguments.next().map_or(Ok(21), |rounds| rounds.parse())?;
    let only = arguments.next();
    let start = Instant::now();
    let bundle = Bundle::load(Path::new(&root))?;
    let bytes: usize = bundle.documents().map(|document| document.text().as_str().len()).sum();
    println!(
        "{} documents, {:.1} MB, {:.2} s; resident {} MB",
        bundle.documents().len(),
        bytes as f64 / 1e6,
        start.elapsed().as_secs_f64(),
        resident()
    );
    let start = Instant::now();
    let _ = bundle.words();
    println!("word index: {:.2} s; resident {} MB, peak {} MB", start.elapsed().as_secs_f64(), resident(), peak());
    for (mode, query) in QUERIES {
        if only.as_deref().is_some_and(|only| only != query && only != format!("{mode:?}")) {
            continue;
        }
        let request = SearchRequest {
            query,
            mode,
            case_sensitive: false,
            filter: Filter::default(),
            scope: Scope::All,
            now: "2026-06-01T00:00:00Z".parse()?,
        };
        let mut times = Vec::new();
        let mut summary = String::new();
        for _ in 0..rounds {
            let start = Instant::now();
            let answer = search(&bundle, &request, &|| false).map_err(|error| format!("{error:?}"))?;
            let lines: usize =
                (0..20).map(|place| answer.excerpt(place, Excerpts::at(answer.mode, place, None)).len()).sum();
            times.push(start.elapsed());
            summary = format!("{:?} {} {} {lines}", answer.mode, answer.matches.len(), answer.total_hits);
        }
        times.sort();
        println!("{:>9.3}  {mode:?} {query}  ({summary})", times[rounds / 2].as_secs_f64() * 1e3);
    }
    Ok(())
}

fn resident() -> u64 {
    status("VmRSS:")
}

fn peak() -> u64 {
    status("VmHWM:")
}

/// A line of Linux' `/proc/self/status` in MB; 0 elsewhere.
fn status(key: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap_or("0");
    line.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) / 1024
}
