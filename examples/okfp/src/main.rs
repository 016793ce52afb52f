//! okfp: okf with a profile, conventions above the format that a team has agreed upon.
//!
//! It has the commands and tools of okf, because it links the same plugins. What it adds is in this crate:
//! a judgement of its own beside the specification's ([`judge`]), files that every write derives
//! ([`projection`]), texts that tell clients about it ([`texts`]) and one tool ([`profile_rules`]). The rules
//! are in [`rules`], and for people in the README.

mod declaration;
mod judge;
mod profile_rules;
mod projection;
mod rules;
mod texts;

use std::process::ExitCode;

use okf_core::change::{Derive, Judge};
use okf_mcp::provider::ProfileProvider;

use okf_plugin_identity as _;
use okf_plugin_read as _;
use okf_plugin_search as _;
use okf_plugin_write as _;

/// The name of the profile, of its hooks and providers, and the namespace of its findings.
const NAME: &str = "okfp";

/// The release of the profile that this build knows.
const RELEASE: &str = "1.0";

/// The version of the format that the release is for.
const FORMAT: &str = "0.2";

/// The profile; its hooks are in [`judge`] and [`projection`].
struct Profile;

okf_mcp::register_profile_provider!(Profile);

impl ProfileProvider for Profile {
    fn release(&self) -> &str {
        RELEASE
    }

    fn judge(&self) -> &dyn Judge {
        self
    }

    fn derive(&self) -> Option<&dyn Derive> {
        Some(self)
    }
}

fn main() -> ExitCode {
    okf_mcp::run(okf_mcp::Product { name: NAME, version: env!("CARGO_PKG_VERSION") })
}
