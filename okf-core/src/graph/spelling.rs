//! A piece of text that is kept as a place in a document where it is spelled there.

use std::ops::Range;

use memchr::memmem;

/// A piece of text: bytes of the document that holds it, or a copy where the document spells it otherwise.
#[derive(Clone, Debug)]
pub(super) enum Spelling {
    InText { start: u32, length: u32 },
    Own(Box<str>),
}

impl Spelling {
    /// Looks for a value near some place of a text.
    pub(super) fn find(text: &str, near: Range<usize>, value: &str) -> Self {
        let find = || {
            let at = near.start + memmem::find(text.as_bytes().get(near)?, value.as_bytes())?;
            Some(Self::InText { start: u32::try_from(at).ok()?, length: u32::try_from(value.len()).ok()? })
        };
        find().unwrap_or_else(|| Self::Own(value.into()))
    }

    /// The value, given the text in which it was looked for.
    pub(super) fn get<'a>(&'a self, text: &'a str) -> &'a str {
        match self {
            Self::InText { start, length } => &text[*start as usize..][..*length as usize],
            Self::Own(value) => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spelled_in_the_text_takes_no_room_of_its_own() {
        let text = "a [x](caf\u{e9}.md) b";
        let there = Spelling::find(text, 2..text.len(), "caf\u{e9}.md");
        assert!(matches!(there, Spelling::InText { start: 6, length: 8 }));
        assert_eq!(there.get(text), "caf\u{e9}.md");
        for (near, value) in [(7..text.len(), "caf\u{e9}.md"), (0..text.len(), "x y"), (90..95, "x")] {
            let elsewhere = Spelling::find(text, near, value);
            assert!(matches!(elsewhere, Spelling::Own(_)));
            assert_eq!(elsewhere.get(text), value);
        }
        assert_eq!(size_of::<Spelling>(), 16);
    }
}
