//! The seam: the traits that a plugin implements and the macros that register it.
//!
//! A plugin is a crate that registers providers; a build links it with `use my_plugin as _;` in its
//! `main.rs`. The smallest one that adds a tool:
//!
//! ```standalone_crate
//! use okf_mcp::context::Context;
//! use okf_mcp::identity::BundleIdentity;
//! use okf_mcp::provider::ToolProvider;
//! use okf_mcp::tool::{Arguments, Effect, Tool, ToolError, ToolOutput, ToolSpec};
//! use serde_json::json;
//!
//! struct Counting;
//!
//! impl ToolProvider for Counting {
//!     fn name(&self) -> &str {
//!         "counting"
//!     }
//!
//!     fn tools(&self, _: &BundleIdentity) -> Vec<Tool> {
//!         let serde_json::Value::Object(input_schema) = json!({
//!             "type": "object",
//!             "additionalProperties": false,
//!             "properties": {
//!                 "readable": { "type": "boolean", "description": "Count only what can be read." },
//!             },
//!         }) else {
//!             unreachable!("the literal above is an object")
//!         };
//!         let spec = ToolSpec {
//!             name: "count-concepts".to_owned(),
//!             title: "Count concepts".to_owned(),
//!             description: "Counts the concepts of the bundle.".to_owned(),
//!             input_schema,
//!             effect: Effect::Read,
//!             search_hint: None,
//!             always_load: false,
//!             max_result_chars: None,
//!         };
//!         vec![Tool::new(spec, count)]
//!     }
//! }
//!
//! fn count(context: &Context<'_>, arguments: Arguments) -> Result<ToolOutput, ToolError> {
//!     let bundle = context.bundle()?;
//!     let readable = arguments.0.get("readable").is_some_and(|flag| flag == true);
//!     let count = if readable { bundle.concepts().count() } else { bundle.concept_count() };
//!     ToolOutput::json(&json!({ "count": count }))
//! }
//!
//! okf_mcp::register_tool_provider!(Counting);
//!
//! let registry = okf_mcp::registry::Registry::linked()?;
//! assert!(registry.tools.iter().any(|(_, provider)| provider.name() == "counting"));
//! # Ok::<(), okf_mcp::registry::RegistryError>(())
//! ```

mod profile;

use crate::identity::BundleIdentity;
use crate::tool::{Tool, ToolSpec};

pub use profile::ProfileProvider;

/// Says what the server tells a client about the bundle it serves.
///
/// All providers answer, in rank order (ties by name); the server composes their parts within the
/// byte budgets. The first part is never cut; a later one that does not fit is left out whole and
/// logged. Texts follow from what the methods are given, and nothing else: they are asked for again when
/// the identity has changed.
pub trait IdentityProvider: Send + Sync {
    /// A name, unique among the identity providers of a build.
    fn name(&self) -> &str;

    /// Where its parts stand: lower comes first. The built-in identity is 0.
    fn rank(&self) -> i32 {
        100
    }

    /// One paragraph for the instructions of `initialize` and `server/discover`.
    fn instructions(&self, identity: &BundleIdentity) -> Option<String> {
        let _ = identity;
        None
    }

    /// The same paragraph within a number of bytes, asked of the provider that stands first: what it leaves
    /// is room for the paragraphs of others.
    ///
    /// A provider with nothing that it could leave out need not know about it.
    fn instructions_within(&self, identity: &BundleIdentity, bytes: usize) -> Option<String> {
        let _ = bytes;
        self.instructions(identity)
    }

    /// Texts for tools. Sees the whole list, so that words can be shared out over tools, with what the
    /// providers that stand behind it add.
    fn augment(&self, identity: &BundleIdentity, tools: &[ToolSpec]) -> Vec<ToolText> {
        let _ = (identity, tools);
        Vec::new()
    }

    /// Why its texts are what they are, for people: shown by `okf mcp --describe` only.
    fn explain(&self, identity: &BundleIdentity, tools: &[ToolSpec]) -> Option<String> {
        let _ = (identity, tools);
        None
    }
}

/// What an identity provider adds to one tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolText {
    /// The tool's name.
    pub tool: String,
    /// A clause appended to its description.
    pub clause: Option<String>,
    /// Replaces its `anthropic/searchHint`.
    pub search_hint: Option<String>,
    /// Appended to the descriptions of its arguments: argument name and note.
    pub argument_notes: Vec<(String, String)>,
}

/// Supplies tools.
pub trait ToolProvider: Send + Sync {
    /// A name, unique among the tool providers of a build.
    fn name(&self) -> &str;

    /// The tools, asked for once at start: names and schemas stay fixed while the server runs. A
    /// provider that lacks what it needs offers nothing and logs why.
    fn tools(&self, identity: &BundleIdentity) -> Vec<Tool>;
}

/// A registered provider and the crate that it comes from. Made by the registration macros.
pub struct Registration {
    /// The crate's name (`CARGO_PKG_NAME` of the registering crate).
    pub crate_name: &'static str,
    /// The provider.
    pub provider: Provider,
}

/// Any kind of provider.
#[derive(Clone, Copy)]
pub enum Provider {
    /// An identity provider.
    Identity(&'static dyn IdentityProvider),
    /// A profile.
    Profile(&'static dyn ProfileProvider),
    /// A tool provider.
    Tools(&'static dyn ToolProvider),
}

impl Provider {
    /// The word for its kind: `identity provider`, `profile` or `tool provider`.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::Identity(_) => "identity provider",
            Self::Profile(_) => "profile",
            Self::Tools(_) => "tool provider",
        }
    }

    /// What it calls itself.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Identity(provider) => provider.name(),
            Self::Profile(provider) => provider.name(),
            Self::Tools(provider) => provider.name(),
        }
    }
}

inventory::collect!(Registration);

/// Registers a static [`IdentityProvider`] with every build that links the crate.
#[macro_export]
macro_rules! register_identity_provider {
    ($provider:expr) => {
        $crate::inventory::submit! {
            $crate::provider::Registration {
                crate_name: env!("CARGO_PKG_NAME"),
                provider: $crate::provider::Provider::Identity(&$provider),
            }
        }
    };
}

/// Registers a static [`ProfileProvider`] with every build that links the crate.
#[macro_export]
macro_rules! register_profile_provider {
    ($provider:expr) => {
        $crate::inventory::submit! {
            $crate::provider::Registration {
                crate_name: env!("CARGO_PKG_NAME"),
                provider: $crate::provider::Provider::Profile(&$provider),
            }
        }
    };
}

/// Registers a static [`ToolProvider`] with every build that links the crate.
#[macro_export]
macro_rules! register_tool_provider {
    ($provider:expr) => {
        $crate::inventory::submit! {
            $crate::provider::Registration {
                crate_name: env!("CARGO_PKG_NAME"),
                provider: $crate::provider::Provider::Tools(&$provider),
            }
        }
    };
}
