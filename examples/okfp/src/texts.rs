//! What a client is told beyond the built-in identity.

use okf_mcp::identity::BundleIdentity;
use okf_mcp::provider::{IdentityProvider, ToolText};
use okf_mcp::tool::{Effect, ToolSpec};

use crate::{NAME, RELEASE};

/// Says which profile is in force and what its gate demands of a write.
pub struct Texts;

okf_mcp::register_identity_provider!(Texts);

impl IdentityProvider for Texts {
    fn name(&self) -> &str {
        NAME
    }

    fn instructions(&self, _: &BundleIdentity) -> Option<String> {
        Some(format!(
            "Profile {NAME} {RELEASE} stands above the format, unless concept `profile` declares another release. A \
             write must keep it: a type that concept `types` registers, title, description, a kebab-case ID, tags that \
             repeat neither type nor status. Status and indexes are filled in. Call profile-rules for all rules."
        ))
    }

    fn augment(&self, _: &BundleIdentity, tools: &[ToolSpec]) -> Vec<ToolText> {
        let writing = tools.iter().filter(|tool| tool.effect != Effect::Read);
        writing.map(text).collect()
    }
}

fn text(tool: &ToolSpec) -> ToolText {
    let has = |argument: &str| tool.input_schema.get("properties").is_some_and(|all| all.get(argument).is_some());
    let notes = [("type", "Must be registered in concept `types`."), ("description", "Required by the profile.")];
    let notes = notes.into_iter().filter(|(argument, _)| tool.name == "create-concept" && has(argument));
    ToolText {
        tool: tool.name.clone(),
        clause: Some(format!("Refused unless profile {NAME} {RELEASE} is kept (profile-rules).")),
        argument_notes: notes.map(|(argument, note)| (argument.to_owned(), note.to_owned())).collect(),
        ..ToolText::default()
    }
}
