//! The linked providers, sorted and checked.

mod admission;
mod spec_check;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::identity::BundleIdentity;
use crate::profiles::Profiles;
use crate::provider::{IdentityProvider, Provider, Registration, ToolProvider};
use crate::schema::ArgumentCheck;
use crate::tool::{Effect, Tool, ToolSpec};
use admission::{introduced, namesakes, refuse_namesakes};

/// The providers of a build, sorted and checked.
///
/// ```
/// use okf_mcp::provider::{IdentityProvider, Provider, Registration};
/// use okf_mcp::registry::Registry;
///
/// struct House;
///
/// impl IdentityProvider for House {
///     fn name(&self) -> &str {
///         "house"
///     }
/// }
///
/// let one = || Registration { crate_name: "one", provider: Provider::Identity(&House) };
/// let other = Registration { crate_name: "other", provider: Provider::Identity(&House) };
/// assert!(Registry::from(&[one()]).is_ok());
/// let error = Registry::from(&[one(), other]).err().expect("two of one name");
/// assert!(error.to_string().contains("one from crate `one`, one from crate `other`"));
/// ```
///
/// Identity providers by rank then name, profiles and tool providers by name.
pub struct Registry {
    /// Identity providers with their crates.
    pub identity: Vec<(&'static str, &'static dyn IdentityProvider)>,
    /// Profiles.
    pub profiles: Profiles,
    /// Tool providers with their crates.
    pub tools: Vec<(&'static str, &'static dyn ToolProvider)>,
}

/// Why a set of providers does not make a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryError(pub String);

impl std::fmt::Display for RegistryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RegistryError {}

impl Registry {
    /// The providers linked into this build.
    ///
    /// # Errors
    ///
    /// Two providers of one name, with both crates.
    pub fn linked() -> Result<Self, RegistryError> {
        Self::from(inventory::iter::<Registration>())
    }

    /// The given providers.
    ///
    /// # Errors
    ///
    /// Two providers of one kind and name, with both crates; a provider that cannot say who it is; a
    /// profile whose name, release or hooks do not fit.
    pub fn from<'a>(registrations: impl IntoIterator<Item = &'a Registration>) -> Result<Self, RegistryError> {
        let (mut identity, mut profiles, mut tools) = (Vec::new(), Vec::new(), Vec::new());
        for registration in registrations {
            introduced(registration)?;
            match registration.provider {
                Provider::Identity(provider) => identity.push((registration.crate_name, provider)),
                Provider::Profile(provider) => profiles.push((registration.crate_name, provider)),
                Provider::Tools(provider) => tools.push((registration.crate_name, provider)),
            }
        }
        // Ties go to the crate's name, so that an error reads the same in every build.
        identity.sort_by(|a, b| (a.1.name(), a.0).cmp(&(b.1.name(), b.0)));
        refuse_namesakes("identity providers", &identity, |provider| provider.name())?;
        profiles.sort_by(|a, b| (a.1.name(), a.0).cmp(&(b.1.name(), b.0)));
        refuse_namesakes("profiles", &profiles, |profile| profile.name())?;
        tools.sort_by(|a, b| (a.1.name(), a.0).cmp(&(b.1.name(), b.0)));
        refuse_namesakes("tool providers", &tools, |provider| provider.name())?;
        identity.sort_by_key(|(_, provider)| provider.rank());
        Ok(Self { identity, profiles: Profiles::new(profiles), tools })
    }

    /// The tools that the providers offer for a bundle, by name, each with its compiled schema.
    ///
    /// # Errors
    ///
    /// Two tools of one name, with both providers and their crates; a spec that clients would choke on; a provider that
    /// panics.
    pub fn tool_set(&self, identity: &BundleIdentity) -> Result<ToolSet, RegistryError> {
        let mut offers = Vec::new();
        for &(crate_name, provider) in &self.tools {
            let tools = guarded(|| provider.tools(identity)).map_err(|panic| {
                RegistryError(format!("tool provider `{}` (crate `{crate_name}`) panicked: {panic}", provider.name()))
            })?;
            for tool in tools {
                let checked = spec_check::check(&tool.spec).and_then(|()| ArgumentCheck::new(&tool.spec.input_schema));
                let arguments = checked.map_err(|problem| {
                    RegistryError(format!(
                        "tool `{}` of provider `{}` (crate `{crate_name}`): {problem}",
                        tool.spec.name,
                        provider.name()
                    ))
                })?;
                offers.push(Offer { crate_name, provider: provider.name(), tool, arguments });
            }
        }
        offers.sort_by(|a, b| {
            (&a.tool.spec.name, a.crate_name, a.provider).cmp(&(&b.tool.spec.name, b.crate_name, b.provider))
        });
        for pair in offers.windows(2) {
            if pair[0].tool.spec.name == pair[1].tool.spec.name {
                let origin = |offer: &Offer| format!("provider `{}` of crate `{}`", offer.provider, offer.crate_name);
                return Err(namesakes("tools", &pair[0].tool.spec.name, &origin(&pair[0]), &origin(&pair[1])));
            }
        }
        Ok(ToolSet { offers })
    }
}

/// An identity provider that panicked, with its crate.
pub(crate) fn identity_panicked(crate_name: &str, provider: &dyn IdentityProvider, panic: &str) -> RegistryError {
    RegistryError(format!("identity provider `{}` (crate `{crate_name}`) panicked: {panic}", provider.name()))
}

/// The tools of a server, by name.
pub struct ToolSet {
    offers: Vec<Offer>,
}

/// A tool, where it comes from, and the check of its arguments.
pub(crate) struct Offer {
    pub(crate) crate_name: &'static str,
    pub(crate) provider: &'static str,
    pub(crate) tool: Tool,
    pub(crate) arguments: ArgumentCheck,
}

impl ToolSet {
    /// The specs as their providers wrote them, by name.
    #[must_use]
    pub fn specs(&self) -> Vec<ToolSpec> {
        self.offers.iter().map(|offer| offer.tool.spec.clone()).collect()
    }

    /// The tools with where they come from, by name.
    pub(crate) fn offers(&self) -> &[Offer] {
        &self.offers
    }

    /// Whether a tool writes.
    pub(crate) fn writes(&self, name: &str) -> bool {
        self.get(name).is_some_and(|offer| offer.tool.spec.effect != Effect::Read)
    }

    /// The same set without the tools that write.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.offers.retain(|offer| offer.tool.spec.effect == Effect::Read);
        self
    }

    /// Finds a tool by its exact name.
    pub(crate) fn get(&self, name: &str) -> Option<&Offer> {
        let found = self.offers.binary_search_by(|offer| offer.tool.spec.name.as_str().cmp(name));
        found.ok().map(|at| &self.offers[at])
    }
}

/// Runs code of a provider; a panic becomes its message.
pub(crate) fn guarded<T>(code: impl FnOnce() -> T) -> Result<T, String> {
    // What the code left half-done is dropped with it: providers are shared and immutable.
    catch_unwind(AssertUnwindSafe(code)).map_err(|payload| panic_message(&*payload))
}

fn panic_message(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message").to_owned()
}

#[cfg(test)]
mod tests;
