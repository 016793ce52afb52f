//! Medians, ratios and the table.

use std::fmt;
use std::time::Duration;

/// The head of a table.
pub const HEAD: &str = "| what | okf, median | compared with | its median | ratio |\n| --- | --: | --- | --: | --: |";

/// One row: two things that took turns.
pub struct Row {
    /// What was measured.
    pub what: String,
    /// What took turns with it.
    pub against: String,
    /// Both, turn by turn: ours first.
    pub pairs: Vec<(Duration, Duration)>,
    /// Whether the ratio tells how many times faster ours is, rather than how many times longer it takes.
    pub faster: bool,
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ours = median(self.pairs.iter().map(|(ours, _)| ours.as_secs_f64()));
        let theirs = median(self.pairs.iter().map(|(_, theirs)| theirs.as_secs_f64()));
        let ratio = median(self.pairs.iter().map(|(ours, theirs)| {
            let (ours, theirs) = (ours.as_secs_f64(), theirs.as_secs_f64());
            if self.faster { theirs / ours } else { ours / theirs }
        }));
        let word = if self.faster { "x faster" } else { "x" };
        let (what, against) = (&self.what, &self.against);
        write!(f, "| {what} | {} | {against} | {} | {ratio:.2} {word} |", Shown(ours), Shown(theirs))
    }
}

/// A row that is no pair of times: memory.
pub struct Note {
    /// What was measured.
    pub what: String,
    /// The figure.
    pub ours: String,
    /// What it is compared with.
    pub against: String,
    /// That figure.
    pub theirs: String,
    /// The first over the second.
    pub ratio: f64,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, ours, against, theirs, ratio } = self;
        write!(f, "| {what} | {ours} | {against} | {theirs} | {ratio:.2} x |")
    }
}

/// The machine that the numbers belong to, as one line.
pub fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let cpu = read("/proc/cpuinfo");
    let model = cpu.lines().find(|line| line.starts_with("model name")).and_then(|line| line.split_once(": "));
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let kernel = read("/proc/sys/kernel/osrelease");
    format!("{cores} cores, {}, Linux {}", model.map_or("unknown processor", |(_, name)| name), kernel.trim())
}

/// The middle value; the lower of two.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 2).copied().unwrap_or(f64::NAN)
}

/// Seconds, in the unit that reads well.
struct Shown(f64);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            seconds if seconds < 1e-3 => write!(f, "{:.0} µs", seconds * 1e6),
            seconds if seconds < 1.0 => write!(f, "{:.2} ms", seconds * 1e3),
            seconds => write!(f, "{seconds:.2} s"),
        }
    }
}
