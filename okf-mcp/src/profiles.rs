//! The profiles of a build, ready to be asked.

use okf_core::bundle::Bundle;
use okf_core::change::{self, Derive, HookError, Judge, Judgement};

use crate::provider::ProfileProvider;
use crate::registry::RegistryError;

/// The profiles of a build, by name; most builds have none.
#[derive(Clone, Default)]
pub struct Profiles {
    linked: Vec<(&'static str, &'static dyn ProfileProvider)>,
}

/// What one profile makes of a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The profile's name.
    pub name: &'static str,
    /// The release that the build knows.
    pub release: &'static str,
    /// Its findings and what they come to.
    pub judgement: Judgement,
}

/// No profile.
pub(crate) static NONE: Profiles = Profiles { linked: Vec::new() };

impl Profiles {
    /// The profiles with their crates, sorted by name and checked.
    pub(crate) fn new(linked: Vec<(&'static str, &'static dyn ProfileProvider)>) -> Self {
        Self { linked }
    }

    /// The profiles with the crates that they come from, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &'static dyn ProfileProvider)> {
        self.linked.iter().copied()
    }

    /// The hooks that add files to a write, as [`okf_core::change::prepare`] takes them.
    #[must_use]
    pub fn derives(&self) -> Vec<&'static dyn Derive> {
        self.iter().filter_map(|(_, profile)| profile.derive()).collect()
    }

    /// The judges of a write, as [`okf_core::change::prepare`] takes them.
    #[must_use]
    pub fn judges(&self) -> Vec<&'static dyn Judge> {
        self.iter().map(|(_, profile)| profile.judge()).collect()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.linked.is_empty()
    }

    /// The release of a profile, by name.
    #[must_use]
    pub fn release(&self, name: &str) -> Option<&'static str> {
        self.iter().find(|(_, profile)| profile.name() == name).map(|(_, profile)| profile.release())
    }

    /// Asks every profile about a bundle, in the order of names.
    ///
    /// # Errors
    ///
    /// A profile that panics or speaks outside its namespace, with its crate.
    pub fn judge(&self, bundle: &Bundle) -> Result<Vec<Judged>, RegistryError> {
        let judged = |(_, profile): (_, &'static dyn ProfileProvider)| {
            let judgement = change::judge(profile.judge(), bundle).map_err(|fault| self.at_fault(&fault))?;
            Ok(Judged { name: profile.name(), release: profile.release(), judgement })
        };
        self.iter().map(judged).collect()
    }

    /// The fault of a hook, with the profile and the crate that it comes from.
    pub(crate) fn at_fault(&self, fault: &HookError) -> RegistryError {
        let name = fault.hook();
        let owner = self.iter().find(|(_, profile)| profile.name() == name);
        let crate_name = owner.map_or("unknown", |(crate_name, _)| crate_name);
        let what = match fault {
            HookError::Panicked { message, .. } => format!(" panicked: {message}"),
            fault => format!(": {fault}"),
        };
        RegistryError(format!("profile `{name}` (crate `{crate_name}`){what}"))
    }
}

impl Judged {
    /// Whether the profile has errors, which count for the exit code whatever the specification says.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.judgement.report().errors() > 0
    }
}
