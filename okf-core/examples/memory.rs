//! What a bundle costs in memory, step by step, and what one change costs.
//!
//! ```sh
//! cargo run --release -p okf-core --example memory -- BUNDLE
//! ```
//!
//! Memory is what the process holds (`/proc/self/status`, Linux alone), in bytes a concept and as a multiple of
//! the bytes of Markdown. A change rewrites one concept in memory, creates one and deletes one; the median of
//! 101 rounds is shown.

use std::path::Path;
use std::time::{Duration, Instant};

use okf_core::bundle::Bundle;
use okf_core::bundle_path::BundlePath;
use okf_core::disk::FileEdit;
use okf_core::document::{Document, Head};
use okf_core::metadata::Metadata;
use okf_core::validate::{self, Options};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: memory BUNDLE")?;
    let start = held();
    let begun = Instant::now();
    let bundle = Bundle::load(Path::new(&path))?;
    let loaded = begun.elapsed();
    let text: usize = bundle.documents().map(|document| document.text().as_str().len()).sum();
    let concepts = bundle.concept_count();
    println!("{concepts} concepts, {text} bytes of Markdown; {start} bytes held before, {loaded:.0?} to load");
    println!(
        "sizes: Document {}, Metadata {}, Head {}",
        size_of::<Document>(),
        size_of::<Metadata>(),
        size_of::<Head>()
    );
    let show = |what: &str, took: Duration| {
        let (now, peak) = (held() - start, peak());
        println!(
            "{what:>10}: {:>6} bytes a concept, {:.2} x the Markdown, peak {:.2} x, {took:.1?}",
            now / concepts.max(1),
            now as f64 / text as f64,
            peak as f64 / text as f64,
        );
    };
    show("load", loaded);
    let step = |what: &str, work: &dyn Fn()| {
        let begun = Instant::now();
        work();
        show(what, begun.elapsed());
    };
    step("graph", &|| assert!(bundle.graph().edge_count() < usize::MAX));
    println!("{} edges", bundle.graph().edge_count());
    step("validate", &|| drop(validate::validate(&bundle, Options { links: true })));
    step("again", &|| drop(validate::validate(&bundle, Options { links: true })));
    step("errors", &|| drop(validate::errors(&bundle)));
    changes(&bundle, "without words");
    step("words", &|| {
        let _ = bundle.words();
    });
    changes(&bundle, "with words");
    Ok(())
}

/// What it costs to go from one picture to the next, and to ask the next for its errors.
fn changes(bundle: &Bundle, what: &str) {
    let ids: Vec<&str> = bundle.concepts().map(|document| document.id()).collect();
    let text =
        |n: usize| format!("---\ntype: Note\ntitle: Note {n}\n---\nSee [one](/{}.md).\n", ids[n * 31 % ids.len()]);
    let median = |make: &dyn Fn(usize) -> FileEdit| {
        let mut times: Vec<Duration> = (0..101)
            .map(|n| {
                let edit = make(n);
                let begun = Instant::now();
                let next = bundle.with_files(&[edit]);
                let took = begun.elapsed();
                assert_eq!(next.graph().edge_count() > 0, validate::errors(&next).errors() < usize::MAX);
                took
            })
            .collect();
        times.sort_unstable();
        times[50]
    };
    let edit = |path: String, n: usize| FileEdit {
        path: BundlePath::new(path).expect("made of good paths"),
        before: None,
        after: text(n).into_bytes(),
    };
    let rewrite = median(&|n| edit(format!("{}.md", ids[n * 97 % ids.len()]), n));
    let create = median(&|n| edit(format!("{}-new.md", ids[n * 97 % ids.len()]), n));
    println!("{what}: a rewritten concept {rewrite:.1?}, a new one {create:.1?}");
}

/// The bytes of memory that the process holds now.
fn held() -> usize {
    status("VmRSS:")
}

/// The most that it ever held.
fn peak() -> usize {
    status("VmHWM:")
}

fn status(key: &str) -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(key));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.trim().parse::<usize>().ok());
    kilobytes.unwrap_or_default() * 1024
}
