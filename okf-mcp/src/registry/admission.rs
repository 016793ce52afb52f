//! Which providers are admitted: those that can say who they are, under names of their own.

use super::{RegistryError, guarded};
use crate::provider::{ProfileProvider, Provider, Registration};

/// Asks a provider who it is: nothing works with one that cannot say.
///
/// # Errors
///
/// A panic, or what does not fit, with the crate.
pub(super) fn introduced(registration: &Registration) -> Result<(), RegistryError> {
    let Registration { crate_name, provider } = *registration;
    let kind = provider.kind();
    let name = guarded(|| provider.name()).map_err(|panic| {
        RegistryError(format!(
            "the name of a provider of crate `{crate_name}` ({kind}) cannot be had, it panicked: {panic}"
        ))
    })?;
    let at_fault = |problem: String| RegistryError(format!("{kind} `{name}` (crate `{crate_name}`){problem}"));
    if name.trim().is_empty() {
        return Err(at_fault(": its name is empty".to_owned()));
    }
    let checked = guarded(|| match provider {
        Provider::Identity(provider) => {
            provider.rank();
            Ok(())
        }
        Provider::Profile(profile) => check_profile(profile),
        Provider::Tools(_) => Ok(()),
    });
    checked
        .map_err(|panic| at_fault(format!(" panicked: {panic}")))?
        .map_err(|problem| at_fault(format!(": {problem}")))
}

/// Checks what a profile says about itself; the problem is the end of a sentence that names it.
fn check_profile(profile: &dyn ProfileProvider) -> Result<(), String> {
    let (name, release) = (profile.name(), profile.release());
    let is_namespace = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && name != "okf";
    if !is_namespace {
        let demand = "a lower-case letter, then lower-case letters, digits or `-`, and not `okf`";
        return Err(format!("its name, the namespace of its findings, must be {demand}"));
    }
    if release.trim().is_empty() || release.chars().any(char::is_control) {
        return Err("its release must be one line of text".to_owned());
    }
    let hooks = [Some(profile.judge().name()), profile.derive().map(|derive| derive.name())];
    match hooks.into_iter().flatten().find(|hook| *hook != name) {
        Some(hook) => Err(format!("its hook is named `{hook}`; a profile and its hooks have one name")),
        None => Ok(()),
    }
}

/// Refuses two providers of one kind and name that stand side by side.
///
/// # Errors
///
/// The first two, with both crates.
pub(super) fn refuse_namesakes<P: ?Sized>(
    kind: &str,
    providers: &[(&'static str, &'static P)],
    name: impl Fn(&'static P) -> &'static str,
) -> Result<(), RegistryError> {
    for pair in providers.windows(2) {
        if name(pair[0].1) == name(pair[1].1) {
            let origin = |at: usize| format!("crate `{}`", pair[at].0);
            return Err(namesakes(kind, name(pair[0].1), &origin(0), &origin(1)));
        }
    }
    Ok(())
}

/// Two things of one name and where they come from.
pub(super) fn namesakes(kind: &str, name: &str, first: &str, second: &str) -> RegistryError {
    RegistryError(format!(
        "two {kind} are named `{name}`: one from {first}, one from {second}; rename one or leave out its link line"
    ))
}
