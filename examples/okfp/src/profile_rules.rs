//! `profile-rules`: the rules with their force and state.

use okf_core::change::{Judgement, ProfileVerdict};
use okf_mcp::context::Context;
use okf_mcp::identity::BundleIdentity;
use okf_mcp::provider::ToolProvider;
use okf_mcp::tool::{Arguments, Effect, Tool, ToolError, ToolOutput, ToolSpec, object_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::rules::{RULES, Rule};
use crate::{NAME, RELEASE};

/// Offers the one tool of the profile.
pub struct Tools;

okf_mcp::register_tool_provider!(Tools);

impl ToolProvider for Tools {
    fn name(&self) -> &str {
        NAME
    }

    fn tools(&self, _: &BundleIdentity) -> Vec<Tool> {
        let spec = ToolSpec {
            name: "profile-rules".to_owned(),
            title: "Rules of the profile".to_owned(),
            description: format!(
                "List the rules that profile {NAME} {RELEASE} adds to the format for this knowledge bundle, each with \
                 its force and whether the bundle keeps it. Use it before writing, and when a write was refused."
            ),
            input_schema: object_schema(
                json!({
                    "force": {
                        "type": "string",
                        "enum": ["must", "should", "judgement"],
                        "description": "Only rules of this force; all without it.",
                    },
                }),
                &[],
            ),
            effect: Effect::Read,
            search_hint: None,
            always_load: false,
            max_result_chars: None,
        };
        vec![Tool::new(spec, answer)]
    }
}

#[derive(Deserialize)]
struct Asked {
    force: Option<String>,
}

#[derive(Serialize)]
struct RuleJson {
    id: &'static str,
    force: &'static str,
    demand: &'static str,
    /// `kept`, `broken` or `unassessed`.
    state: &'static str,
    /// How many findings a broken rule has.
    #[serde(skip_serializing_if = "Option::is_none")]
    findings: Option<usize>,
}

fn answer(context: &Context<'_>, arguments: Arguments) -> Result<ToolOutput, ToolError> {
    let asked: Asked = arguments.read()?;
    let bundle = context.bundle()?;
    let judged = context.profiles().judge(&bundle).map_err(|error| ToolError::new(error.to_string()))?;
    let own = judged.iter().find(|judged| judged.name == NAME).ok_or_else(|| {
        ToolError::new(format!("profile `{NAME}` is not linked into this build: its rules are not in force"))
    })?;
    let is_asked = |rule: &&Rule| asked.force.as_deref().is_none_or(|force| rule.force.as_str() == force);
    let rules: Vec<RuleJson> = RULES.iter().filter(is_asked).map(|rule| state(rule, &own.judgement)).collect();
    let verdict = own.judgement.verdict().as_str();
    ToolOutput::json(&json!({"profile": NAME, "release": RELEASE, "verdict": verdict, "rules": rules}))
}

/// What became of a rule: findings speak against it, silence for it only where it could be assessed.
fn state(rule: &Rule, judgement: &Judgement) -> RuleJson {
    let findings = judgement.report().findings().iter().filter(|finding| finding.id == rule.id).count();
    let is_open = judgement.unassessed().contains(&rule.id) || judgement.verdict() == ProfileVerdict::Blocked;
    let state = match (findings, is_open) {
        (1.., _) => "broken",
        (0, true) => "unassessed",
        (0, false) => "kept",
    };
    let Rule { id, force, demand } = *rule;
    RuleJson { id, force: force.as_str(), demand, state, findings: (findings > 0).then_some(findings) }
}
