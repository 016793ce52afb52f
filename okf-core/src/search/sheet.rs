//! The sketches of some hundred documents side by side, so that a query is asked of all of them at once.

use std::ops::Range;
use std::sync::Arc;

use crate::document::Document;

use super::sketch::{Needs, Sketch, bits_for, bits_of, each_hash};

/// A text of more bytes than so many times the bits of its sheet is sketched apart: few bits would stay unset.
const APART_FROM: usize = 4;

/// The sketches of a block of documents: a column each, and a row for every bit. A query reads few rows.
#[derive(Debug)]
pub(super) struct Sheet {
    /// How many documents there are.
    columns: usize,
    /// How many bits a sketch has.
    rows: usize,
    /// The rows one after another, a bit a column.
    bits: Box<[u64]>,
    /// Long texts have a sketch of their own, by column; every bit of the column is set.
    apart: Vec<(usize, Arc<Sketch>)>,
}

/// Documents whose sketches lie in another sheet side by side: in which, and from which column on.
#[derive(Debug)]
pub(super) struct Known<'a> {
    pub(super) sheet: &'a Sheet,
    pub(super) from: usize,
    pub(super) columns: Range<usize>,
}

impl Sheet {
    /// The sheet of some documents. `known` are those whose sketches need not be made anew.
    pub(super) fn of(documents: &[Arc<Document>], known: &[Known<'_>]) -> Self {
        let columns = documents.len();
        let width = columns.div_ceil(64);
        let bytes: usize = documents.iter().map(|document| document.text().as_str().len()).sum();
        // About a bit for every byte, also where few documents do not fill a row.
        let wanted = bits_for(bytes / (64 * width.max(1)));
        // A sheet stays as it is until it is far from what it should be.
        let fits = |known: &&Known<'_>| (wanted / 2..=wanted * 2).contains(&known.sheet.rows);
        let rows = known.iter().find(fits).map_or(wanted, |known| known.sheet.rows);
        let mut sheet = Self { columns, rows, bits: vec![0; rows * width].into(), apart: Vec::new() };
        let mut next = 0;
        for known in known.iter().filter(|known| known.sheet.rows == rows) {
            sheet.sketch(documents, next..known.columns.start);
            sheet.copy(known);
            next = known.columns.end;
        }
        sheet.sketch(documents, next..columns);
        sheet
    }

    /// The documents that may hold a match, by column.
    pub(super) fn may_hold(&self, needs: &Needs) -> Vec<usize> {
        let width = self.width();
        let mut left = vec![u64::MAX; width];
        let (mut some, mut all) = (vec![0; width], vec![0; width]);
        for alternatives in needs.requirements() {
            some.fill(0);
            for hashes in alternatives {
                all.copy_from_slice(&left);
                for row in hashes.iter().flat_map(|hash| bits_of(*hash, self.rows)) {
                    all.iter_mut().zip(self.row(row)).for_each(|(all, has)| *all &= has);
                }
                some.iter_mut().zip(&all).for_each(|(some, all)| *some |= all);
            }
            std::mem::swap(&mut left, &mut some);
        }
        let has_column = |column: &usize| left[column / 64] & 1 << (column % 64) != 0;
        let mut apart = self.apart.iter().peekable();
        (0..self.columns)
            .filter(has_column)
            .filter(|column| {
                while apart.next_if(|(other, _)| other < column).is_some() {}
                apart.next_if(|(other, _)| other == column).is_none_or(|(_, sketch)| sketch.may_hold(needs))
            })
            .collect()
    }

    /// Whether two sheets of as many documents are one, unless they are of different height.
    #[cfg(test)]
    pub(super) fn says_the_same(&self, other: &Self) -> bool {
        let apart = |sheet: &Self| sheet.apart.iter().map(|(column, _)| *column).collect::<Vec<_>>();
        self.columns == other.columns
            && (self.rows != other.rows || (self.bits == other.bits && apart(self) == apart(other)))
    }

    fn width(&self) -> usize {
        self.columns.div_ceil(64)
    }

    fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.width()..][..self.width()]
    }

    /// Sketches some of the documents.
    fn sketch(&mut self, documents: &[Arc<Document>], columns: Range<usize>) {
        let (rows, width) = (self.rows, self.width());
        for column in columns {
            let text = documents[column].text().as_str();
            let (word, bit) = (column / 64, 1 << (column % 64));
            if text.len() > APART_FROM * rows {
                self.apart.push((column, Arc::new(Sketch::of(text))));
                self.bits.iter_mut().skip(word).step_by(width).for_each(|word| *word |= bit);
                continue;
            }
            each_hash(text, |hash| {
                bits_of(hash, rows).into_iter().for_each(|row| self.bits[row * width + word] |= bit);
            });
        }
    }

    /// Takes columns over from a sheet of as many rows.
    fn copy(&mut self, known: &Known<'_>) {
        let Known { sheet, from, columns } = known;
        let (width, count) = (self.width(), columns.len());
        for (row, into) in self.bits.chunks_exact_mut(width.max(1)).enumerate() {
            copy_bits(sheet.row(row), *from, into, columns.start, count);
        }
        let apart = sheet.apart.iter().filter(|(column, _)| (*from..from + count).contains(column));
        self.apart.extend(apart.map(|(column, sketch)| (column - from + columns.start, Arc::clone(sketch))));
    }
}

/// Sets the bits at a place that are set at another.
fn copy_bits(from: &[u64], start: usize, into: &mut [u64], at: usize, count: usize) {
    let mut done = 0;
    while done < count {
        let (read, write) = (start + done, at + done);
        let some = (count - done).min(64 - read % 64).min(64 - write % 64);
        let bits = from[read / 64] >> (read % 64) & u64::MAX >> (64 - some);
        into[write / 64] |= bits << (write % 64);
        done += some;
    }
}
