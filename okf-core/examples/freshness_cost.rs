//! What freshness costs: a call that finds nothing changed and one that finds one file changed, with and without
//! watched directories, beside a survey of the names. Medians of CPU and wall time, measured in turns in one run.
//!
//! `cargo run --release -p okf-core --example freshness_cost BUNDLE`; writes to one file of the bundle, and puts
//! it back.

use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use okf_core::disk::Surveyor;
use okf_core::snapshot::Snapshot;
use rustix::time::{ClockId, clock_gettime};

const ROUNDS: usize = 25;

fn main() -> Result<(), Box<dyn Error>> {
    let root = std::env::args_os().nth(1).map(PathBuf::from).ok_or("which bundle?")?.canonicalize()?;
    let (stat, watch) = (Snapshot::unwatched(&root), Snapshot::new(&root));
    let loaded = Timed::run(|| stat.current())?;
    let bundle = watch.current()?;
    let mut waited = 0;
    while !watch.is_watching() && waited < 10_000 {
        std::thread::sleep(Duration::from_millis(1));
        waited += 1;
    }
    let path = bundle.concept_paths().next().ok_or("a bundle without concepts")?.as_str().to_owned();
    drop(bundle);
    let file = root.join(path);
    let text = fs::read(&file)?;
    let mut figures: [Vec<Timed>; 5] = Default::default();
    // Until the stamps of the files are old enough to be trusted.
    std::thread::sleep(Duration::from_millis(100));
    stat.current()?;
    watch.current()?;
    for round in 0..ROUNDS {
        figures[0].push(Timed::run(|| stat.current())?);
        figures[1].push(Timed::run(|| watch.current())?);
        let mut changed = text.clone();
        changed.extend(format!("\n{round}\n").bytes());
        fs::write(&file, changed)?;
        figures[2].push(Timed::run(|| stat.current())?);
        figures[3].push(Timed::run(|| watch.current())?);
        figures[4].push(Timed::run(|| Surveyor::default().survey(&root))?);
    }
    fs::write(&file, text)?;
    println!("watched: {}; first load {}", watch.is_watching(), loaded);
    let names = ["stat, nothing changed", "watch, nothing changed", "stat, one file", "watch, one file", "survey"];
    for (name, mut times) in names.into_iter().zip(figures) {
        times.sort_by_key(|timed| timed.wall);
        println!("{name}: {}", times[ROUNDS / 2]);
    }
    Ok(())
}

/// Time taken, on the clock and of the processors.
struct Timed {
    wall: Duration,
    cpu: Duration,
}

impl Timed {
    fn run<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<Self, E> {
        let (wall, cpu) = (Instant::now(), cpu());
        let done = work()?;
        let timed = Self { wall: wall.elapsed(), cpu: self::cpu() - cpu };
        drop(done);
        Ok(timed)
    }
}

fn cpu() -> Duration {
    let now = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.cast_unsigned(), now.tv_nsec.cast_unsigned() as u32)
}

impl std::fmt::Display for Timed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        write!(f, "{:.3} ms ({:.3} ms CPU)", ms(self.wall), ms(self.cpu))
    }
}
