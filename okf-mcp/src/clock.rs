//! The clock, read at the edge and passed on.

use okf_core::timestamp::Timestamp;

/// Where the instant of a call comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Clock {
    /// The operating system's clock.
    #[default]
    System,
    /// Pinned, so that answers can be compared.
    Pinned(Timestamp),
}

impl Clock {
    /// Reads the spelling of `OKF_NOW`: an RFC 3339 instant pins the clock, absent or blank does not.
    ///
    /// # Errors
    ///
    /// Not an instant: what is wrong with it.
    pub(crate) fn from_spelling(spelling: Option<&str>) -> Result<Self, String> {
        match spelling.map(str::trim).filter(|spelling| !spelling.is_empty()) {
            None => Ok(Self::System),
            Some(spelling) => spelling.parse().map(Self::Pinned).map_err(|error| error.to_string()),
        }
    }

    /// The instant now.
    pub(crate) fn now(self) -> Timestamp {
        match self {
            Self::System => Timestamp::now(),
            Self::Pinned(instant) => instant,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spelled_instant_pins_the_clock() {
        let clock = Clock::from_spelling(Some("2026-11-30T12:00:00Z")).expect("an RFC 3339 instant");
        assert_eq!(clock.now().to_string(), "2026-11-30T12:00:00Z");
        assert_eq!(clock.now(), clock.now());
    }

    #[test]
    fn blank_leaves_the_clock_running_and_nonsense_is_refused() {
        assert_eq!(Clock::from_spelling(None), Ok(Clock::System));
        assert_eq!(Clock::from_spelling(Some(" ")), Ok(Clock::System));
        assert!(Clock::from_spelling(Some("yesterday")).is_err());
    }
}
