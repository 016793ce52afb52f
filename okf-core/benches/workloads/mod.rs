//! What is measured: pieces of work on one fixed bundle in memory.

use std::hint::black_box;

use okf_core::bundle::Bundle;
use okf_core::bundle_path::BundlePath;
use okf_core::disk::FileEdit;
use okf_core::document::Document;
use okf_core::listing::Filter;
use okf_core::search::{Excerpts, Mode, Scope, SearchRequest, search};
use okf_core::timestamp::Timestamp;
use okf_core::validate::{Options, validate};

/// One piece of work, to be done again and again.
pub type Work = Box<dyn FnMut()>;

/// A name and what makes the work ready.
pub type Workload = (&'static str, fn() -> Work);

/// All of them.
pub const WORKLOADS: [Workload; 9] = [
    ("parse", parse),
    ("link", link),
    ("validate", judge),
    ("index-words", index_words),
    ("change", change),
    ("search-literal", || searching("Partition", Mode::Literal)),
    ("search-literal-miss", || searching("quaternion", Mode::Literal)),
    ("search-regex", || searching(r"part\w+ \w+s\b", Mode::Regex)),
    ("search-words", || searching("partition of daily orders", Mode::Words)),
];

/// Number of concepts of the bundle, in so many directories.
const CONCEPTS: usize = 342;
const DIRECTORIES: usize = 7;

const WORDS: [&str; 24] = [
    "partition",
    "daily",
    "orders",
    "customer",
    "ledger",
    "schema",
    "the",
    "of",
    "filters",
    "late",
    "shipment",
    "Überblick",
    "threshold",
    "when",
    "window",
    "東京",
    "refund",
    "owner",
    "each",
    "query",
    "joins",
    "regional",
    "forecast",
    "policy",
];

/// Files of about 2 KB, two links each to other concepts, every twentieth of them broken.
fn files() -> Vec<(String, String)> {
    let mut state = 20_261_201_u64;
    let mut below = move |bound: usize| {
        // A linear congruential generator (Knuth's MMIX constants); the high bits are the good ones.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or_default() % bound
    };
    let mut files = vec![("index.md".to_owned(), "---\nokf_version: \"0.2\"\n---\n\n# Everything\n".to_owned())];
    for n in 0..CONCEPTS {
        let mut words = |count: usize| {
            let words: Vec<&str> = (0..count).map(|_| WORDS[below(WORDS.len())]).collect();
            words.join(" ")
        };
        let (title, description, tag) = (words(4), words(12), words(1));
        let mut body = String::new();
        for section in 0..4 {
            body.push_str(&format!("\n## {} {section}\n\n{}.\n{}.\n", words(2), words(40), words(30)));
        }
        for _ in 0..2 {
            let target = below(CONCEPTS + CONCEPTS / 20);
            body.push_str(&format!("\nSee [the other](/{}).\n", path(target)));
        }
        let head = format!("type: Table\ntitle: {title}\ndescription: {description}\ntags: [{tag}]\nstatus: stable\n");
        files.push((path(n), format!("---\n{head}---\n{body}")));
    }
    files
}

fn path(n: usize) -> String {
    format!("area-{}/concept-{n}.md", n % DIRECTORIES)
}

fn bundle() -> Bundle {
    Bundle::from_files(files()).expect("paths of a bundle")
}

/// A picture of which nothing has been worked out yet, its documents shared.
fn as_loaded(bundle: &Bundle) -> Bundle {
    bundle.with_files(&[])
}

fn parse() -> Work {
    let files: Vec<(BundlePath, Vec<u8>)> = files()
        .into_iter()
        .map(|(path, text)| (BundlePath::new(path).expect("a path of a bundle"), text.into_bytes()))
        .collect();
    Box::new(move || {
        for (path, bytes) in &files {
            let _ = black_box(Document::parse(path.clone(), bytes.clone()));
        }
    })
}

fn link() -> Work {
    let bundle = bundle();
    Box::new(move || {
        black_box(as_loaded(&bundle).graph().edge_count());
    })
}

fn judge() -> Work {
    let bundle = bundle();
    Box::new(move || {
        black_box(validate(&as_loaded(&bundle), Options { links: true }));
    })
}

fn index_words() -> Work {
    let bundle = bundle();
    Box::new(move || {
        black_box(as_loaded(&bundle).words());
    })
}

/// One changed concept in a bundle of which everything is known.
fn change() -> Work {
    let bundle = bundle();
    let _ = (bundle.graph(), bundle.words(), validate(&bundle, Options { links: true }));
    let edit = FileEdit {
        path: BundlePath::new(path(5)).expect("a path of a bundle"),
        before: None,
        after: b"---\ntype: Note\ntitle: Changed\n---\nNow [elsewhere](/area-0/concept-7.md).\n".to_vec(),
    };
    let edits = [edit];
    Box::new(move || {
        let changed = bundle.with_files(&edits);
        black_box((changed.graph().edge_count(), changed.words()));
    })
}

/// A search and the excerpts of its first page, in a bundle that has been searched before.
fn searching(query: &'static str, mode: Mode) -> Work {
    let bundle = bundle();
    let now: Timestamp = "2026-12-01T00:00:00Z".parse().expect("an instant");
    let work = move || {
        let request =
            SearchRequest { query, mode, case_sensitive: false, filter: Filter::default(), scope: Scope::All, now };
        let answer = search(&bundle, &request, &|| false).expect("the query is fine");
        for place in 0..10 {
            black_box(answer.excerpt(place, Excerpts::at(answer.mode, place, None)));
        }
    };
    (0..2).for_each(|_| work());
    Box::new(work)
}
