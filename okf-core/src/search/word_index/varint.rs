//! Small numbers in few bytes: seven bits to a byte, the low ones first; the high bit says that more follow.

/// Appends a number.
pub(super) fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number off the front; `None` at the end.
pub(super) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let (&first, mut rest) = bytes.split_first()?;
    let mut number = u64::from(first & 0x7f);
    let mut shift = 7;
    let mut last = first;
    while last & 0x80 != 0 {
        let (&next, after) = rest.split_first()?;
        number |= u64::from(next & 0x7f) << shift;
        (shift, last, rest) = (shift + 7, next, after);
    }
    *bytes = rest;
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back() {
        let numbers = [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), u64::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|&number| push(&mut bytes, number));
        let mut rest = bytes.as_slice();
        assert_eq!(std::iter::from_fn(|| take(&mut rest)).collect::<Vec<_>>(), numbers);
        assert_eq!(take(&mut [0x80_u8].as_slice()), None);
    }
}
