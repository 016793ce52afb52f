//! Timestamps: ISO 8601 date-times with an explicit offset (spec §5, contract §3).

use jiff::SignedDuration;
use jiff::civil::{Date, Time};

pub use jiff::Timestamp;

/// A timestamp as read, with what was wrong with its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The instant.
    pub instant: Timestamp,
    /// How it was written.
    pub form: Form,
}

/// How a timestamp was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A date-time with an offset.
    Full,
    /// A date-time without offset, read as UTC.
    WithoutOffset,
    /// A date alone, read as midnight UTC.
    DateOnly,
}

/// The calendar day of an instant, in UTC.
#[must_use]
pub fn day(instant: Timestamp) -> Date {
    jiff::tz::Offset::UTC.to_datetime(instant).date()
}

/// Reads a timestamp; `None` when it is unreadable or impossible (never rolled over).
///
/// A calendar date, extended (`2026-06-30`) or basic (`20260630`); then `T`, `t` or one space; a time to
/// the minute, second or fraction of a second (`14:00`, `14:00:00.5`, `140000`; `,` is a decimal sign
/// too); then `Z`, `z`, `±hh:mm`, `±hhmm` or `±hh`. Date and time may differ in being extended or basic.
/// Hour 24, second 60, offsets of 24 hours or more, week and ordinal dates, zone names and blanks around
/// the timestamp are refused. Digits beyond the nanosecond are dropped. An instant past the last one
/// that [`Timestamp`] holds (`9999-12-31`, a usual "never") is read as that last one.
///
/// ```
/// use okf_core::timestamp::{Form, read};
///
/// let reading = read("2026-01-31t16:40:39-0500").unwrap();
/// assert_eq!(reading.instant.to_string(), "2026-01-31T21:40:39Z");
/// assert_eq!(reading.form, Form::Full);
/// assert_eq!(read("2026-02-30"), None);
/// ```
#[must_use]
pub fn read(text: &str) -> Option<Reading> {
    let mut rest = Cursor(text.as_bytes());
    let date = rest.date()?;
    if rest.is_done() {
        return Some(Reading { instant: instant(date, Time::midnight(), 0), form: Form::DateOnly });
    }
    rest.one_of(b"Tt ")?;
    let time = rest.time()?;
    if rest.is_done() {
        return Some(Reading { instant: instant(date, time, 0), form: Form::WithoutOffset });
    }
    let offset = rest.offset()?;
    rest.is_done().then(|| Reading { instant: instant(date, time, offset), form: Form::Full })
}

/// The instant of a civil time at an offset in seconds, kept within what a timestamp can hold.
fn instant(date: Date, time: Time, offset: i64) -> Timestamp {
    let midnight_1970 = jiff::civil::date(1970, 1, 1).at(0, 0, 0, 0);
    let since = date.to_datetime(time).duration_since(midnight_1970) - SignedDuration::from_secs(offset);
    Timestamp::from_duration(since).unwrap_or(if since.is_negative() { Timestamp::MIN } else { Timestamp::MAX })
}

/// The rest of a text, taken from the front.
struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn is_done(&self) -> bool {
        self.0.is_empty()
    }

    fn one_of(&mut self, accepted: &[u8]) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        accepted.contains(&first).then(|| {
            self.0 = rest;
            first
        })
    }

    /// A number of exactly so many digits, at most four.
    fn digits(&mut self, count: usize) -> Option<i16> {
        let (digits, rest) = self.0.split_at_checked(count)?;
        let number = digits
            .iter()
            .try_fold(0, |number: i16, digit| digit.is_ascii_digit().then(|| number * 10 + i16::from(digit - b'0')))?;
        self.0 = rest;
        Some(number)
    }

    fn pair(&mut self) -> Option<i8> {
        self.digits(2).and_then(|number| i8::try_from(number).ok())
    }

    fn date(&mut self) -> Option<Date> {
        let year = self.digits(4)?;
        let is_extended = self.one_of(b"-").is_some();
        let month = self.pair()?;
        if is_extended {
            self.one_of(b"-")?;
        }
        Date::new(year, month, self.pair()?).ok()
    }

    fn time(&mut self) -> Option<Time> {
        let hour = self.pair()?;
        let is_extended = self.one_of(b":").is_some();
        let minute = self.pair()?;
        let has_seconds = if is_extended { self.one_of(b":").is_some() } else { self.0.first()?.is_ascii_digit() };
        let (second, nanosecond) = if has_seconds { (self.pair()?, self.fraction()?) } else { (0, 0) };
        Time::new(hour, minute, second, nanosecond).ok()
    }

    /// Nanoseconds of an optional fraction; `None` when its digits are missing.
    fn fraction(&mut self) -> Option<i32> {
        if self.one_of(b".,").is_none() {
            return Some(0);
        }
        let length = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at(length);
        self.0 = rest;
        let padded = digits.iter().copied().chain(std::iter::repeat(b'0')).take(9);
        (length > 0).then(|| padded.fold(0, |number, digit| number * 10 + i32::from(digit - b'0')))
    }

    /// Seconds east of UTC.
    fn offset(&mut self) -> Option<i64> {
        let sign = match self.one_of(b"Zz+-")? {
            b'+' => 1,
            b'-' => -1,
            _ => return Some(0),
        };
        let hours = self.pair()?;
        let minutes = match self.one_of(b":") {
            None if self.is_done() => 0,
            _ => self.pair()?,
        };
        let in_range = hours < 24 && minutes < 60;
        in_range.then(|| sign * (i64::from(hours) * 3600 + i64::from(minutes) * 60))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Option<(String, Form)> {
        read(text).map(|reading| (reading.instant.to_string(), reading.form))
    }

    #[test]
    fn reads_the_accepted_forms() {
        use Form::{DateOnly, Full, WithoutOffset};
        let rows = [
            ("2026-06-30T14:00:00Z", "2026-06-30T14:00:00Z", Full),
            ("2026-06-30t14:00:00z", "2026-06-30T14:00:00Z", Full),
            ("2026-06-30 14:00:00Z", "2026-06-30T14:00:00Z", Full),
            ("2026-01-31T16:40:39-0500", "2026-01-31T21:40:39Z", Full),
            ("2026-01-31t16:40:39-05:00", "2026-01-31T21:40:39Z", Full),
            ("2026-01-31 16:40:39+00", "2026-01-31T16:40:39Z", Full),
            ("2026-01-31T16:40:39+05:45", "2026-01-31T10:55:39Z", Full),
            ("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00Z", Full),
            ("2026-06-30T14:00Z", "2026-06-30T14:00:00Z", Full),
            ("2026-06-30T14:00:00.25Z", "2026-06-30T14:00:00.25Z", Full),
            ("2026-06-30T14:00:00,5+02:00", "2026-06-30T12:00:00.5Z", Full),
            ("2026-06-30T14:00:00.1234567899999Z", "2026-06-30T14:00:00.123456789Z", Full),
            ("20260630T140000Z", "2026-06-30T14:00:00Z", Full),
            ("20260630T140000.5+0200", "2026-06-30T12:00:00.5Z", Full),
            ("20260630T1400Z", "2026-06-30T14:00:00Z", Full),
            ("2024-02-29T00:00:00-00:00", "2024-02-29T00:00:00Z", Full),
            ("2026-01-31 16:40:39", "2026-01-31T16:40:39Z", WithoutOffset),
            ("2026-01-31T16:40", "2026-01-31T16:40:00Z", WithoutOffset),
            ("20260131T164039", "2026-01-31T16:40:39Z", WithoutOffset),
            ("2026-01-31", "2026-01-31T00:00:00Z", DateOnly),
            ("20260131", "2026-01-31T00:00:00Z", DateOnly),
        ];
        for (text, instant, form) in rows {
            assert_eq!(shown(text), Some((instant.into(), form)), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_impossible_or_no_timestamp() {
        let rows = [
            "",
            "soon",
            "2026",
            "2026-06",
            "2026-02-30",
            "2026-02-30T00:00:00Z",
            "2025-02-29T00:00:00Z",
            "2026-13-01",
            "2026-00-10",
            "2026-06-30T24:00:00Z",
            "2026-06-30T23:60:00Z",
            "2016-12-31T23:59:60Z",
            "2026-06-30T14:00:00+24:00",
            "2026-06-30T14:00:00+05:60",
            "2026-06-30T14:00:00+5:00",
            "2026-06-30T14:00:00+05:",
            "2026-06-30T14:00:00 Z",
            "2026-06-30  14:00:00Z",
            "2026-06-30\t14:00:00Z",
            " 2026-06-30",
            "2026-06-30 ",
            "2026-06-30T",
            "2026-06-30T14Z",
            "2026-06-30T14:00:00.Z",
            "2026-06-30T14:00:00.5.5Z",
            "2026-06-30T14:00:00Z[Europe/Berlin]",
            "2026-06-30T14:00:00[Europe/Berlin]",
            "2026-W26-2",
            "2026-181",
            "2026/06/30",
            "30.06.2026",
            "-002026-06-30",
            "1782828000",
            "２０２６-06-30",
            "2026-06-3é",
        ];
        for text in rows {
            assert_eq!(shown(text), None, "{text:?}");
        }
    }

    #[test]
    fn keeps_instants_past_the_end_of_time() {
        for text in ["9999-12-31", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-23:59"] {
            assert_eq!(read(text).map(|reading| reading.instant), Some(Timestamp::MAX), "{text}");
        }
        assert_eq!(shown("0000-01-01T00:00:00+10:00").unwrap().0, "-000001-12-31T14:00:00Z");
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in ".{0,40}", near in "[0-9TtZz:+., -]{0,30}") {
            let _ = (read(&text), read(&near));
        }

        #[test]
        fn agrees_with_jiff_on_what_it_prints(second in -62_000_000_000i64..250_000_000_000i64, nanosecond in 0..1_000_000_000i32) {
            let instant = Timestamp::new(second, nanosecond).unwrap();
            proptest::prop_assert_eq!(read(&instant.to_string()).map(|reading| reading.instant), Some(instant));
        }
    }
}
