//! The paragraphs of the instructions.

use crate::identity::BundleIdentity;
use crate::provider::IdentityProvider;
use crate::registry::{Registry, RegistryError, guarded, identity_panicked};

/// Between two paragraphs.
const GAP: &str = "\n\n";

/// The instructions within a budget in bytes, if anybody says something.
///
/// The first paragraph is never cut. It is asked to leave room for the later ones; one that does not fit all
/// the same is left out whole, and its room goes back to the first.
///
/// # Errors
///
/// A provider that panics, with its crate.
pub(super) fn compose(
    registry: &Registry,
    identity: &BundleIdentity,
    budget: usize,
    left_out: &mut Vec<String>,
) -> Result<Option<String>, RegistryError> {
    let mut said = Vec::new();
    for &(crate_name, provider) in &registry.identity {
        let paragraph = paragraph(crate_name, provider, || provider.instructions(identity))?;
        said.extend(paragraph.map(|paragraph| (crate_name, provider, paragraph)));
    }
    let Some(((crate_name, provider, whole), later)) = said.split_first() else { return Ok(None) };
    let within = |room: usize| -> Result<String, RegistryError> {
        let shorter = paragraph(crate_name, *provider, || provider.instructions_within(identity, room))?;
        Ok(shorter.unwrap_or_else(|| whole.clone()))
    };
    let room_for = |later: &[&str]| budget.saturating_sub(later.iter().map(|text| GAP.len() + text.len()).sum());
    let wanted: Vec<&str> = later.iter().map(|(.., text)| text.as_str()).collect();
    let mut used = if wanted.is_empty() { whole.len() } else { within(room_for(&wanted))?.len() };
    let mut kept = Vec::new();
    for (_, provider, text) in later {
        if used + GAP.len() + text.len() <= budget {
            used += GAP.len() + text.len();
            kept.push(text.as_str());
        } else {
            let name = provider.name();
            left_out.push(format!("the paragraph of `{name}` does not fit the instructions and is left out"));
        }
    }
    let first = if kept.is_empty() { whole.clone() } else { within(room_for(&kept))? };
    let instructions = std::iter::once(first.as_str()).chain(kept).collect::<Vec<_>>().join(GAP);
    if instructions.len() > budget {
        let (bytes, name) = (instructions.len(), provider.name());
        left_out.push(format!(
            "the instructions take {bytes} bytes, more than their {budget}: the first paragraph, of `{name}`, is \
             never cut"
        ));
    }
    Ok(Some(instructions))
}

/// What a provider says, trimmed; nothing when it is blank.
fn paragraph(
    crate_name: &str,
    provider: &dyn IdentityProvider,
    ask: impl FnOnce() -> Option<String>,
) -> Result<Option<String>, RegistryError> {
    let said = guarded(ask).map_err(|panic| identity_panicked(crate_name, provider, &panic))?;
    Ok(said.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()))
}
