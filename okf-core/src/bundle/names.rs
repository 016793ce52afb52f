//! Comparing names: case and normal forms, near misses, counts.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

/// Most near misses that an error names.
const NEAR_MISSES: usize = 3;

/// Longer strings are only compared by case and base name: edit distance would cost too much.
const LONGEST_MEASURED: usize = 256;

/// Appends a form in which texts that differ in case or normal form alone are equal.
///
/// Beyond ASCII, case is folded through upper case, so that `ς` meets `Σ` and `ß` meets `SS`.
pub fn fold_into(text: &str, folded: &mut String) {
    if text.is_ascii() {
        let start = folded.len();
        folded.push_str(text);
        folded[start..].make_ascii_lowercase();
    } else {
        folded.extend(text.nfc().flat_map(fold_char).nfc());
    }
}

/// The form of [`fold_into`] as a string of its own.
#[must_use]
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(text, &mut folded);
    folded
}

/// Dotless `ı` is a letter of its own; everything else meets its upper case.
fn fold_char(c: char) -> impl Iterator<Item = char> {
    let (kept, folded) = if c == 'ı' { (Some(c), None) } else { (None, Some(c.to_uppercase())) };
    kept.into_iter().chain(folded.into_iter().flatten().flat_map(char::to_lowercase))
}

/// Counts names: largest count first, then by name.
#[must_use]
pub fn tally<'a>(names: impl Iterator<Item = &'a str>) -> Vec<(String, usize)> {
    let mut counts = HashMap::<&str, usize>::new();
    for name in names.map(str::trim).filter(|name| !name.is_empty()) {
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}

/// Counts the first segments of paths; a path without a directory has no area.
#[must_use]
pub fn areas<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<(String, usize)> {
    let mut counts = HashMap::<&str, usize>::new();
    for (area, _) in paths.filter_map(|path| path.split_once('/')) {
        *counts.entry(area).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}

/// The names most like the wanted one, at most three, best first: equal but for case or normal form,
/// then a few edits away, then with the same last segment, then with a similar one. Ties by name.
#[must_use]
pub fn near_misses<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let wanted = fold(wanted);
    let wanted_base = base_name(&wanted);
    let mut best: Vec<(usize, &str)> = Vec::with_capacity(NEAR_MISSES + 1);
    let mut folded = String::new();
    for name in names {
        folded.clear();
        fold_into(name, &mut folded);
        let Some(rank) = likeness(&wanted, wanted_base, &folded) else { continue };
        let at = best.partition_point(|other| *other < (rank, name));
        if at < NEAR_MISSES {
            best.truncate(NEAR_MISSES - 1);
            best.insert(at, (rank, name));
        }
    }
    best.into_iter().map(|(_, name)| name.to_owned()).collect()
}

/// How unlike two folded names are; `None` when no reader would take one for the other.
fn likeness(wanted: &str, wanted_base: &str, name: &str) -> Option<usize> {
    const SAME_BASE: usize = 10;
    const SIMILAR_BASE: usize = 20;
    if let Some(edits) = edits_within(wanted, name, allowance(wanted)) {
        return Some(edits);
    }
    let base = base_name(name);
    if base == wanted_base {
        return Some(SAME_BASE);
    }
    let edits = edits_within(wanted_base, base, allowance(wanted_base))?;
    Some(SIMILAR_BASE + edits)
}

/// How many edits a name of this length may be away.
fn allowance(name: &str) -> usize {
    match name.len() {
        0..=2 => 0,
        3..=5 => 1,
        6..=11 => 2,
        _ => 3,
    }
}

fn base_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// The edit distance (adjacent swaps count once), unless it exceeds a limit.
fn edits_within(a: &str, b: &str, limit: usize) -> Option<usize> {
    if a == b {
        return Some(0);
    }
    // Character counts differ by no more than byte counts do, times four; cheap and good enough to skip most.
    if limit == 0 || a.len().abs_diff(b.len()) > limit * 4 || a.len().max(b.len()) > LONGEST_MEASURED {
        return None;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut before = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(above.len());
        row.push(i + 1);
        for (j, to) in b.iter().enumerate() {
            let replaced = above[j] + usize::from(from != to);
            let mut edits = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *from == b[j - 1] && a[i - 1] == *to {
                let before: &Vec<usize> = &before;
                edits = edits.min(before[j - 1] + 1);
            }
            row.push(edits);
        }
        if row.iter().min().is_some_and(|least| *least > limit) {
            return None;
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().filter(|edits| *edits <= limit)
}
