//! Finding a short text in any case, many bytes at a time.

use super::fold;

/// Places that are tried at once: as many as the compiler puts side by side.
const BLOCK: usize = 32;

/// As many bytes of a run are compared; the rest is for the caller to confirm.
const COMPARED: usize = 64;

/// Finds a run of letters, each in one of two spellings of the same length.
///
/// Says where the run may stand: a text of characters beyond ASCII can fit byte by byte and be another. It does
/// not find the rare characters that match one of other length but for case ([`is_found_by_bytes`]).
#[derive(Clone, Debug)]
pub(super) struct Finder {
    run: Box<[Either]>,
    /// The bytes of the run that text holds least often, and their offsets.
    telling: [(usize, Either); 3],
    /// Whether what is found is the whole query and nothing else.
    is_exact: bool,
}

/// A byte in one of two spellings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Either(u8, u8);

impl Finder {
    /// A finder for the longest run of a query that one can find, and how many letters stand before the run.
    /// `letters` are those of the query, each with its spellings; `None` when there is no such run, or the query
    /// goes beyond a line.
    pub(super) fn new(letters: &[Vec<String>], case_sensitive: bool) -> Option<(Self, usize)> {
        if letters.iter().flatten().any(|spelling| spelling.contains(['\n', '\r'])) {
            return None;
        }
        let read: Vec<_> = letters.iter().map(|spellings| of_letter(spellings, case_sensitive)).collect();
        let (mut before, mut longest) = (0, &read[..0]);
        let mut start = 0;
        for run in read.split(Option::is_none) {
            if bytes_of(run).count() > bytes_of(longest).count() {
                (before, longest) = (start, run);
            }
            start += run.len() + 1;
        }
        let run: Box<[Either]> = bytes_of(longest).copied().collect();
        let mut by_rarity: Vec<(usize, Either)> = run.iter().copied().enumerate().collect();
        by_rarity.sort_by_key(|(_, either)| either.frequency());
        let &first = by_rarity.first()?;
        let telling = [0, 1, 2].map(|at| by_rarity.get(at).copied().unwrap_or(first));
        let is_exact =
            run.len() <= COMPARED && read.iter().all(|letter| letter.as_ref().is_some_and(|bytes| bytes.len() == 1));
        Some((Self { run, telling, is_exact }, before))
    }

    /// Whether what is found is always the query.
    pub(super) fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Number of bytes of what is found.
    pub(super) fn len(&self) -> usize {
        self.run.len()
    }

    /// Where the run stands first, at or after an offset.
    pub(super) fn find(&self, text: &[u8], from: usize) -> Option<usize> {
        let last = text.len().checked_sub(self.run.len())?;
        let mut at = from;
        while at + BLOCK <= last + 1 {
            if self.may_be_in_block(text, at)
                && let Some(found) = (at..at + BLOCK).find(|&start| self.fits(text, start))
            {
                return Some(found);
            }
            at += BLOCK;
        }
        (at..=last).find(|&start| self.fits(text, start))
    }

    // Without branches or early ends, so that it is compiled to comparisons of whole registers.
    fn may_be_in_block(&self, text: &[u8], at: usize) -> bool {
        let [(first, a), (second, b), (third, c)] = self.telling;
        let window = |offset: usize| text.get(at + offset..).and_then(<[u8]>::first_chunk::<BLOCK>);
        let (Some(xs), Some(ys), Some(zs)) = (window(first), window(second), window(third)) else { return true };
        let mut any = 0;
        for place in 0..BLOCK {
            any |= u8::from(a.may_be(xs[place]) & b.may_be(ys[place]) & c.may_be(zs[place]));
        }
        any != 0
    }

    fn fits(&self, text: &[u8], start: usize) -> bool {
        let (offset, rarest) = self.telling[0];
        let compared = self.run.iter().take(COMPARED).zip(&text[start..]);
        rarest.is(text[start + offset]) && compared.into_iter().all(|(either, &byte)| either.is(byte))
    }
}

impl Either {
    fn is(self, byte: u8) -> bool {
        byte == self.0 || byte == self.1
    }

    /// The same in one comparison, true of some other bytes too when the two differ in several bits.
    fn may_be(self, byte: u8) -> bool {
        let differing = self.0 ^ self.1;
        byte | differing == self.0 | differing
    }

    /// How often text holds the byte: a rank, 0 for the rarest.
    fn frequency(self) -> usize {
        const BY_RARITY: &[u8] = b"zqxjkvbywgpfmucdlhrsniotae ";
        let lower = self.0.to_ascii_lowercase();
        match BY_RARITY.iter().position(|&other| other == lower) {
            Some(rank) => 2 + rank,
            // Digits, punctuation and what begins or ends characters beyond ASCII.
            None => usize::from(!lower.is_ascii()),
        }
    }
}

/// How the rare characters begin that match another of other length but for case or because they are the same, and
/// are in no query but their own: `ſ`, the signs of the ohm, the kelvin and the angstrom, Cyrillic letters of old
/// books, the Greek question mark and grave, and ideographs of old encodings.
const ODD: [&[u8]; 8] = [
    b"\xc5\xbf",
    b"\xe2\x84\xa6",
    b"\xe2\x84\xaa",
    b"\xe2\x84\xab",
    b"\xe1\xb2",
    b"\xcd\xbe",
    b"\xe1\xbf\xaf",
    b"\xf0\xaf",
];

/// Whether a text holds no character that matches another of other length: then a [`Finder`] finds
/// all that its query has.
pub(crate) fn is_found_by_bytes(text: &str) -> bool {
    text.is_ascii() || !ODD.iter().any(|odd| memchr::memmem::find(text.as_bytes(), odd).is_some())
}

fn bytes_of(run: &[Option<Vec<Either>>]) -> impl Iterator<Item = &Either> {
    run.iter().flatten().flatten()
}

/// The bytes of a letter; `None` when its spellings are not of one length or too many.
fn of_letter(spellings: &[String], case_sensitive: bool) -> Option<Vec<Either>> {
    let is_odd = |text: &str| ODD.iter().any(|odd| text.as_bytes().starts_with(odd));
    let mut bytes: Option<Vec<Either>> = None;
    for (n, spelling) in spellings.iter().enumerate() {
        let mut characters = spelling.chars();
        let (Some(character), None) = (characters.next(), characters.next()) else { return None };
        let same = if case_sensitive { vec![character] } else { fold::same_but_for_case(character) };
        // The first spelling counts even when it is odd: the query may be just that.
        let own = [spelling.clone()].into_iter().filter(|_| n == 0);
        for same in own.chain(same.into_iter().map(String::from).filter(|same| !is_odd(same))) {
            let bytes = bytes.get_or_insert_with(|| same.bytes().map(|byte| Either(byte, byte)).collect());
            if same.len() != bytes.len() {
                return None;
            }
            for (either, byte) in bytes.iter_mut().zip(same.bytes()).filter(|(either, byte)| !either.is(*byte)) {
                if either.0 != either.1 {
                    return None;
                }
                either.1 = byte;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finder(query: &str) -> Option<Finder> {
        let letters: Vec<Vec<String>> = query.chars().map(|letter| vec![letter.to_string()]).collect();
        Finder::new(&letters, false).map(|(finder, _)| finder)
    }

    #[test]
    fn finds_at_every_place_of_a_block() {
        let finder = finder("Order").expect("letters");
        assert!(finder.is_exact());
        for start in 0..3 * BLOCK {
            for end in [0, 1, BLOCK, 2 * BLOCK] {
                let text = format!("{}oRdEr{}", "ordex".repeat(20)[..start].to_owned(), "-".repeat(end));
                assert_eq!(finder.find(text.as_bytes(), 0), Some(start), "{text}");
                assert_eq!(finder.find(text.as_bytes(), start + 1), None, "{text}");
            }
        }
        assert_eq!(finder.find(b"orde", 0), None);
    }

    #[test]
    fn letters_of_one_length_are_found_by_their_bytes() {
        let finder = finder("Москва").expect("letters of two bytes");
        assert!(!finder.is_exact(), "bytes may be mixed");
        assert_eq!(finder.find("в МОСКВА и москва".as_bytes(), 0), Some("в ".len()));
        assert!(super::Finder::new(&[vec!["\n".to_owned()]], false).is_none());
        let spellings = |letter: &str| match letter {
            "é" => vec!["é".to_owned(), "e\u{301}".to_owned()],
            _ => vec![letter.to_owned()],
        };
        let place = |letters: &[&str]| {
            let letters: Vec<_> = letters.iter().map(|letter| spellings(letter)).collect();
            Finder::new(&letters, false).map(|(finder, before)| (finder.len(), before))
        };
        assert_eq!(place(&["é"]), None);
        assert_eq!(place(&["a", "é", "b", "c", "é", "d"]), Some((2, 2)));
    }
}
