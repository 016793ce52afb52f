//! What a client waits for, against ripgrep on the same files: `cargo bench --bench stdio`.
//!
//! Prints one Markdown table per bundle. Every row pairs a call of the warm server with a process, or with
//! another call, and the two take turns, so that a busy machine slows both alike; the ratio is the median of
//! the ratios of the pairs. The bundles are generated on the first run and kept below `target/`.
//!
//! ```text
//! cargo bench --bench stdio -- [--sizes 342,10000,100000] [--bundle DIR]... [--rounds N] [--okf BINARY] [--rows TEXT]
//! ```
//!
//! `--bundle` measures a bundle as it lies there instead of generated ones, `--rows` only the rows whose name
//! holds a text. `rg` and, for generated bundles, `python3` have to be installed.

mod bundles;
mod client;
mod rows;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

use bundles::Subject;
use rows::Plan;

/// The sizes that are measured when nothing else is asked for, in concepts.
const SIZES: [usize; 3] = [342, 10_000, 100_000];

/// What the command line asks for.
struct Options {
    sizes: Vec<usize>,
    bundles: Vec<PathBuf>,
    rounds: usize,
    okf: PathBuf,
    rows: String,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("stdio: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let options = Options::read(std::env::args().skip(1))?;
    println!("{}", table::machine());
    let subjects = if options.bundles.is_empty() {
        options.sizes.iter().map(|&size| Subject::generated(size)).collect::<Result<Vec<_>, _>>()?
    } else {
        options.bundles.iter().map(|root| Subject::real(root)).collect::<Result<Vec<_>, _>>()?
    };
    for subject in subjects {
        let plan = Plan { okf: &options.okf, subject: &subject, rounds: options.rounds, only: &options.rows };
        println!("\n{}", subject.heading());
        println!("{}", table::HEAD);
        plan.run(&mut |row| println!("{row}"))?;
    }
    Ok(())
}

impl Options {
    fn read(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            sizes: SIZES.to_vec(),
            bundles: Vec::new(),
            rounds: 5,
            okf: PathBuf::from(env!("CARGO_BIN_EXE_okf")),
            rows: String::new(),
        };
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("`{argument}` takes a value"));
            match argument.as_str() {
                // Cargo passes it to every bench.
                "--bench" => {}
                "--sizes" => {
                    let sizes = value()?;
                    options.sizes = sizes.split(',').map(number).collect::<Result<_, _>>()?;
                }
                "--bundle" => options.bundles.push(value()?.into()),
                "--rounds" => options.rounds = number(&value()?)?.max(1),
                "--okf" => options.okf = value()?.into(),
                "--rows" => options.rows = value()?,
                _ => return Err(format!("unknown argument `{argument}`")),
            }
        }
        Ok(options)
    }
}

fn number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}
