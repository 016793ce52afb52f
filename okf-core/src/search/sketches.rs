//! The sketches of a bundle's documents, kept up to date by difference.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::document::Document;
use crate::parallel;
use crate::table::{Block, Table};

use super::sheet::{Known, Sheet};
use super::sketch::Needs;

/// More documents than this are sketched on several threads.
const PARALLEL_FROM: usize = 64;

/// What each document of a bundle cannot hold: a sheet for every block of the documents' table.
#[derive(Debug)]
pub(crate) struct Sketches(Vec<Sketched>);

/// A block of documents with its sheet.
#[derive(Clone, Debug)]
struct Sketched {
    documents: Block<Arc<Document>>,
    sheet: Arc<Sheet>,
}

impl Sketches {
    /// Sketches documents: reads every text.
    pub(crate) fn of(documents: &Table<Arc<Document>>) -> Self {
        Self(Vec::new()).updated(documents)
    }

    /// The sketches of another version of the table: reads the texts that have come.
    pub(crate) fn updated(&self, documents: &Table<Arc<Document>>) -> Self {
        let mut gone: HashMap<usize, &Sketched> =
            self.0.iter().map(|sketched| (address(&sketched.documents), sketched)).collect();
        let same: Vec<Option<&Sketched>> =
            documents.blocks().iter().map(|block| gone.remove(&address(block))).collect();
        let blocks: Vec<_> = documents.blocks().iter().zip(same).collect();
        let old = Places::of(gone.into_values());
        let new = blocks.iter().filter(|(_, same)| same.is_none()).map(|(block, _)| block.len()).sum::<usize>();
        let threads = if new > old.len() + PARALLEL_FROM { parallel::threads() } else { 1 };
        Self(parallel::map_on(threads, &blocks, |&(block, same)| match same {
            Some(same) => same.clone(),
            None => Sketched { documents: Arc::clone(block), sheet: Arc::new(Sheet::of(block, &old.runs(block))) },
        }))
    }

    /// The documents that may hold a match, in order.
    pub(super) fn may_hold(&self, needs: &Needs) -> impl Iterator<Item = &Document> {
        self.0.iter().flat_map(|Sketched { documents, sheet }| {
            sheet.may_hold(needs).into_iter().map(|column| documents[column].as_ref())
        })
    }
}

/// Where documents have their sketches, by the documents' addresses.
struct Places<'a>(HashMap<usize, (&'a Sheet, usize)>);

impl<'a> Places<'a> {
    fn of(sketched: impl Iterator<Item = &'a Sketched>) -> Self {
        let places = |Sketched { documents, sheet }: &'a Sketched| {
            documents.iter().enumerate().map(|(column, document)| (address(document), (sheet.as_ref(), column)))
        };
        Self(sketched.flat_map(places).collect())
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    /// The documents that have a sketch, in runs that lie side by side there as here.
    fn runs(&self, documents: &[Arc<Document>]) -> Vec<Known<'a>> {
        let mut runs: Vec<Known<'a>> = Vec::new();
        for (column, document) in documents.iter().enumerate() {
            let Some(&(sheet, from)) = self.0.get(&address(document)) else { continue };
            match runs.last_mut() {
                Some(run) if run.goes_on(sheet, from, column) => run.columns.end += 1,
                _ => runs.push(Known { sheet, from, columns: Range { start: column, end: column + 1 } }),
            }
        }
        runs
    }
}

/// What tells shared things apart while they are held.
fn address<T>(shared: &Arc<T>) -> usize {
    Arc::as_ptr(shared).addr()
}

impl Known<'_> {
    fn goes_on(&self, sheet: &Sheet, from: usize, column: usize) -> bool {
        std::ptr::eq(self.sheet, sheet) && self.columns.end == column && self.from + self.columns.len() == from
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::literal::Literal;
    use super::*;
    use crate::bundle_path::BundlePath;

    fn document(n: usize, text: &str) -> Arc<Document> {
        let path = BundlePath::new(format!("{n:04}.md")).unwrap();
        Arc::new(Document::parse(path, text.to_owned().into_bytes()).unwrap())
    }

    fn found(sketches: &Sketches, query: &str) -> Vec<String> {
        let literal = Literal::new(query, false).unwrap();
        sketches.may_hold(literal.needs()).map(|document| document.id().to_owned()).collect()
    }

    /// Texts that none of the others resembles, one in ten of them long.
    fn text(seed: usize) -> String {
        let words = if seed.is_multiple_of(10) { 400 } else { 20 };
        (0..words).map(|n| format!("{:x} ", (seed * 7919 + n) * 104_729)).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn followed_sketches_are_those_that_are_made_anew(
            count in 0..700_usize,
            steps in proptest::collection::vec(
                proptest::collection::vec((0..900_usize, proptest::option::weighted(0.6, 0..1_000_usize)), 1..60),
                1..8,
            ),
        ) {
            let mut table: Table<Arc<Document>> = (0..count).map(|n| document(n, &text(n))).collect();
            let mut sketches = Sketches::of(&table);
            for step in steps {
                for (n, seed) in step {
                    match seed {
                        Some(seed) => drop(table.insert(document(n, &text(seed)))),
                        None => drop(table.remove(&format!("{n:04}"))),
                    }
                }
                sketches = sketches.updated(&table);
                let made = Sketches::of(&table);
                prop_assert_eq!(sketches.0.len(), made.0.len());
                for (followed, made) in sketches.0.iter().zip(&made.0) {
                    prop_assert!(followed.sheet.says_the_same(&made.sheet));
                }
            }
        }
    }

    #[test]
    fn a_sheet_fits_its_texts_again_when_they_have_grown() {
        let table: Table<Arc<Document>> = (0..300).map(|n| document(n, "short")).collect();
        let sketches = Sketches::of(&table);
        let grown: Table<Arc<Document>> = (0..300).map(|n| document(n, &"long text ".repeat(n * 10))).collect();
        let sketches = sketches.updated(&grown);
        assert_eq!(found(&sketches, "long text").len(), 299);
        assert_eq!(found(&sketches, "quaternion").len(), 0);
        assert_eq!(found(&sketches, "short").len(), 0);
    }

    #[test]
    fn one_document_in_hundreds_is_found_by_what_it_alone_holds() {
        let table: Table<Arc<Document>> = (0..600).map(|n| document(n, &text(n))).collect();
        let sketches = Sketches::of(&table);
        for n in 0..600 {
            let word = text(n).split_whitespace().nth(7).unwrap().to_owned();
            let found = found(&sketches, &word);
            assert!(found.contains(&format!("{n:04}")), "{word}");
            assert!(found.len() < 60, "{word} may be in {}", found.len());
        }
    }
}
