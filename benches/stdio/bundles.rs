//! The bundles that are measured.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Literals that a generated bundle holds, from everywhere to hardly anywhere, some beyond ASCII.
const HITS: [&str; 13] = [
    "order",
    "partition key",
    "reconciles",
    "daily",
    "SLA",
    "human:mlopez",
    "fiscal_year",
    "late-ticket",
    "Überblick",
    "東京",
    "Москва",
    "Ω-threshold",
    "e\u{301}tat",
];

/// Literals that no bundle holds.
const MISSES: [&str; 7] =
    ["quaternion9", "xylophone_v", "zzqx", "no_such_identifier", "ϟϟϟ", "部屋番号", "mitochondria2"];

/// A bundle to measure, and what to ask it.
pub struct Subject {
    /// Its root, absolute.
    pub root: PathBuf,
    /// Literals that it holds.
    pub hits: Vec<String>,
    /// Literals that it does not hold.
    pub misses: Vec<String>,
    /// Number of Markdown files.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
}

impl Subject {
    /// A bundle of so many concepts, generated unless a former run has left it.
    pub fn generated(concepts: usize) -> Result<Self, String> {
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/bench-bundles");
        let root = kept.join(concepts.to_string());
        if !root.exists() {
            generate(&kept, &root, concepts)?;
        }
        Self::new(&root, HITS.map(str::to_owned).to_vec())
    }

    /// A bundle as it lies somewhere; it is asked for words of its own titles.
    pub fn real(root: &Path) -> Result<Self, String> {
        let mut subject = Self::new(root, Vec::new())?;
        let mut words = Vec::new();
        for path in markdown_files(&subject.root)? {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let title = text.lines().take(20).find_map(|line| line.strip_prefix("title:")).unwrap_or_default();
            words.extend(title.split(|c: char| !c.is_alphanumeric()).map(str::to_owned).max_by_key(String::len));
        }
        words.retain(|word| word.chars().count() > 3);
        words.sort();
        words.dedup();
        let step = (words.len() / HITS.len()).max(1);
        subject.hits = words.into_iter().step_by(step).take(HITS.len()).collect();
        Ok(subject)
    }

    /// The heading above its table.
    pub fn heading(&self) -> String {
        let name = self.root.file_name().unwrap_or_default().to_string_lossy();
        format!("## {name}: {} Markdown files, {:.1} MB\n", self.files, self.bytes as f64 / 1e6)
    }

    fn new(root: &Path, hits: Vec<String>) -> Result<Self, String> {
        let root = root.canonicalize().map_err(|error| format!("`{}`: {error}", root.display()))?;
        let files = markdown_files(&root)?;
        let bytes = files.iter().filter_map(|path| path.metadata().ok()).map(|metadata| metadata.len()).sum();
        Ok(Self { root, hits, misses: MISSES.map(str::to_owned).to_vec(), files: files.len(), bytes })
    }
}

fn generate(kept: &Path, root: &Path, concepts: usize) -> Result<(), String> {
    let shared = std::env::var_os("OKF_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let generator = shared.join("gen_bundle.py");
    if !generator.is_file() {
        return Err(format!("`{}` is missing: set `OKF_SHARED`, or measure `--bundle DIR`", generator.display()));
    }
    std::fs::create_dir_all(kept).map_err(|error| format!("`{}`: {error}", kept.display()))?;
    // A run that is interrupted here leaves no half bundle under the name.
    let half = root.with_extension("half");
    let _ = std::fs::remove_dir_all(&half);
    let made = Command::new("python3").arg(&generator).arg(&half).arg(concepts.to_string()).output();
    match made {
        Ok(output) if output.status.success() => std::fs::rename(&half, root).map_err(|error| error.to_string()),
        Ok(output) => Err(format!("the generator failed: {}", String::from_utf8_lossy(&output.stderr))),
        Err(error) => Err(format!("`python3` does not start: {error}")),
    }
}

fn markdown_files(root: &Path) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    let mut waiting = vec![root.to_owned()];
    while let Some(directory) = waiting.pop() {
        let entries = std::fs::read_dir(&directory).map_err(|error| format!("`{}`: {error}", directory.display()))?;
        for entry in entries {
            let entry = entry.map_err(|error| error.to_string())?;
            let kind = entry.file_type().map_err(|error| error.to_string())?;
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            if kind.is_dir() && !hidden {
                waiting.push(entry.path());
            } else if kind.is_file() && entry.path().extension().is_some_and(|extension| extension == "md") {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}
