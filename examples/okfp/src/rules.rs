//! The rules of the profile, in the order in which they are told.

/// How much a rule binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Force {
    /// Breaking it is an error: a write that does so is refused.
    Must,
    /// Breaking it is an advisory.
    Should,
    /// Only a reader can tell; the profile says that it was not assessed and never guesses.
    Judgement,
}

impl Force {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::Judgement => "judgement",
        }
    }
}

/// One rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The ID of its findings.
    pub id: &'static str,
    /// How much it binds.
    pub force: Force,
    /// What it demands, in a sentence.
    pub demand: &'static str,
}

/// Every rule of the release.
pub const RULES: [Rule; 19] = [
    must(
        INVALID_PROFILE,
        "`profile.md` at the root declares `profile_release` and `okf_version` in its first fenced YAML block.",
    ),
    must(
        INVALID_TYPES,
        "`types.md` at the root registers types, each with its meaning, under `types` in its first fenced YAML block.",
    ),
    must(UNREGISTERED_TYPE, "The type of every concept is registered in `types.md`."),
    must(MISSING_TITLE, "Every concept has a `title`."),
    must(MISSING_DESCRIPTION, "Every concept has a `description`."),
    must(MISSING_STATUS, "Every concept says its `status`; a write adds the one that is missing."),
    must(NOT_KEBAB_CASE, "Paths of concepts are lower-case kebab-case."),
    must(UNKNOWN_KEY, "The frontmatter holds no keys beyond those of the format."),
    must(REPEATING_TAG, "Tags do not repeat the type or the status."),
    must(MISSING_INDEX, "Every directory that is not empty has an index; a write generates it."),
    must(
        INDEX_DIFFERS,
        "An index lists exactly the concepts and directories of its directory; a write regenerates it.",
    ),
    must(LOG_ENTRY_NOT_BOLD, "Every entry of a log starts with a bold word."),
    should(NON_STANDARD_TYPE, "Types are those that the format names, where one fits."),
    should(LONG_TITLE, "A title has at most 60 characters."),
    should(LONG_DESCRIPTION, "A description has at most 160 characters."),
    should(UNTAGGED, "Every concept has a tag."),
    judgement("okfp/one-subject", "A concept is about one subject."),
    judgement("okfp/description-holds", "A description says what the body bears out."),
    judgement("okfp/type-fits", "A type fits what the concept is."),
];

pub const INVALID_PROFILE: &str = "okfp/invalid-profile";
pub const INVALID_TYPES: &str = "okfp/invalid-types";
pub const UNREGISTERED_TYPE: &str = "okfp/unregistered-type";
pub const MISSING_TITLE: &str = "okfp/missing-title";
pub const MISSING_DESCRIPTION: &str = "okfp/missing-description";
pub const MISSING_STATUS: &str = "okfp/missing-status";
pub const NOT_KEBAB_CASE: &str = "okfp/not-kebab-case";
pub const UNKNOWN_KEY: &str = "okfp/unknown-key";
pub const REPEATING_TAG: &str = "okfp/repeating-tag";
pub const MISSING_INDEX: &str = "okfp/missing-index";
pub const INDEX_DIFFERS: &str = "okfp/index-differs";
pub const LOG_ENTRY_NOT_BOLD: &str = "okfp/log-entry-not-bold";
pub const NON_STANDARD_TYPE: &str = "okfp/non-standard-type";
pub const LONG_TITLE: &str = "okfp/long-title";
pub const LONG_DESCRIPTION: &str = "okfp/long-description";
pub const UNTAGGED: &str = "okfp/untagged";

/// No rule: says which release a bundle follows that this build does not know.
pub const UNSUPPORTED_RELEASE: &str = "okfp/unsupported-release";

/// The types that the format names (spec §4.1), and the two that the profile itself needs.
pub const STANDARD_TYPES: [&str; 9] = [
    "API Endpoint",
    "Attested Computation",
    "BigQuery Dataset",
    "BigQuery Table",
    "Metric",
    "Playbook",
    "Profile",
    "Reference",
    "Type Registry",
];

/// Most characters of a title.
pub const TITLE_CHARS: usize = 60;

/// Most characters of a description.
pub const DESCRIPTION_CHARS: usize = 160;

const fn must(id: &'static str, demand: &'static str) -> Rule {
    Rule { id, force: Force::Must, demand }
}

const fn should(id: &'static str, demand: &'static str) -> Rule {
    Rule { id, force: Force::Should, demand }
}

const fn judgement(id: &'static str, demand: &'static str) -> Rule {
    Rule { id, force: Force::Judgement, demand }
}
