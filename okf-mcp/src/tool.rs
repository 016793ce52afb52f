//! Tools: what `tools/list` shows, and the handler behind it.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::context::Context;

/// What a client sees of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// Its name: lower-case letters, digits, `-` and `_`, a letter first, at most 30 characters.
    pub name: String,
    /// A title for people.
    pub title: String,
    /// What it is for. Identity providers append clauses to it.
    pub description: String,
    /// A closed JSON Schema 2020-12 object without `$ref` or combinators.
    pub input_schema: Map<String, Value>,
    /// What it may do.
    pub effect: Effect,
    /// A short capability phrase for clients that list deferred tools.
    pub search_hint: Option<String>,
    /// Whether the client should never defer it: an entry tool.
    pub always_load: bool,
    /// How long its results may get, in characters, where they are long.
    pub max_result_chars: Option<u32>,
}

impl ToolSpec {
    /// The definition as `tools/list` shows it.
    ///
    /// `{"name","title","description","inputSchema","annotations":{…},"_meta"?:{…}}`; `_meta` holds
    /// the hints that are set: `anthropic/searchHint`, `anthropic/alwaysLoad`,
    /// `anthropic/maxResultSizeChars`.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut definition = json!({
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
            "annotations": self.effect.annotations(),
        });
        let hints = self.hints();
        if !hints.is_empty() {
            definition["_meta"] = Value::Object(hints);
        }
        definition
    }

    /// The `_meta` hints that are set.
    pub(crate) fn hints(&self) -> Map<String, Value> {
        let mut hints = Map::new();
        if let Some(hint) = &self.search_hint {
            hints.insert("anthropic/searchHint".to_owned(), json!(hint));
        }
        if self.always_load {
            hints.insert("anthropic/alwaysLoad".to_owned(), json!(true));
        }
        if let Some(chars) = self.max_result_chars {
            hints.insert("anthropic/maxResultSizeChars".to_owned(), json!(chars));
        }
        hints
    }
}

/// A closed object schema with these properties.
///
/// ```
/// use okf_mcp::tool::object_schema;
/// use serde_json::json;
///
/// let id = json!({"type": "string", "description": "Concept ID."});
/// let schema = object_schema(json!({"id": id}), &["id"]);
/// assert_eq!((&schema["additionalProperties"], &schema["required"]), (&json!(false), &json!(["id"])));
/// ```
#[must_use]
pub fn object_schema(properties: Value, required: &[&str]) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties);
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.into());
    }
    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}

/// What a tool may do; becomes the four annotations (`openWorldHint` is always false).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Reads only.
    Read,
    /// Writes.
    Write {
        /// Whether it may replace or remove what was there.
        destructive: bool,
        /// Whether the same call twice leaves the same state.
        idempotent: bool,
    },
}

impl Effect {
    /// The four annotations, all of them explicit: what is absent counts as the worst.
    pub(crate) fn annotations(self) -> Value {
        let (read_only, destructive, idempotent) = match self {
            Self::Read => (true, false, true),
            Self::Write { destructive, idempotent } => (false, destructive, idempotent),
        };
        json!({
            "readOnlyHint": read_only,
            "destructiveHint": destructive,
            "idempotentHint": idempotent,
            "openWorldHint": false,
        })
    }
}

/// A handler: a plain synchronous function, run off the event loop.
pub type Handler = dyn Fn(&Context<'_>, Arguments) -> Result<ToolOutput, ToolError> + Send + Sync;

/// A tool: spec and handler in one value.
pub struct Tool {
    /// What a client sees.
    pub spec: ToolSpec,
    /// What runs.
    pub handler: Box<Handler>,
}

impl Tool {
    /// Puts a spec and a handler together.
    pub fn new(
        spec: ToolSpec,
        handler: impl Fn(&Context<'_>, Arguments) -> Result<ToolOutput, ToolError> + Send + Sync + 'static,
    ) -> Self {
        Self { spec, handler: Box::new(handler) }
    }
}

/// Arguments that were checked against the tool's schema.
#[derive(Clone, Debug, Default)]
pub struct Arguments(pub Map<String, Value>);

impl Arguments {
    /// Reads the arguments into a type whose fields mirror the schema.
    ///
    /// # Errors
    ///
    /// The schema and the type disagree: a fault of the tool, said as such.
    pub fn read<T: DeserializeOwned>(self) -> Result<T, ToolError> {
        serde_json::from_value(Value::Object(self.0)).map_err(|error| {
            ToolError::new(format!("the tool's schema let pass what its handler cannot read: {error}"))
        })
    }
}

/// A successful answer: one text block with compact JSON; only the graph has a second one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOutput {
    /// The text blocks.
    pub blocks: Vec<String>,
}

impl ToolOutput {
    /// Serialises an answer as compact JSON, with U+2028 and U+2029 escaped.
    ///
    /// # Errors
    ///
    /// The value has no JSON form: a fault of the tool.
    pub fn json(answer: &impl Serialize) -> Result<Self, ToolError> {
        let text = serde_json::to_string(answer)
            .map_err(|error| ToolError::new(format!("the answer has no JSON form: {error}")))?;
        Ok(Self { blocks: vec![text] })
    }
}

/// A tool error, from which a model can correct itself (`isError: true`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolError {
    /// What, where, what helps.
    pub message: String,
    /// A report as JSON, sent as the second block.
    pub report: Option<String>,
}

impl ToolError {
    /// An error without a report.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), report: None }
    }

    /// The same error about another argument: where a tool calls its argument otherwise than what found fault.
    ///
    /// ```
    /// use okf_mcp::tool::ToolError;
    ///
    /// let error = ToolError::new("#/id: no such concept").of_argument("source");
    /// assert_eq!(error.message, "#/source: no such concept");
    /// ```
    #[must_use]
    pub fn of_argument(mut self, name: &str) -> Self {
        if let Some(rest) = self.message.strip_prefix("#/").and_then(|rest| rest.split_once(": ")) {
            self.message = format!("#/{name}: {}", rest.1);
        }
        self
    }
}

impl std::fmt::Display for ToolError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ToolError {}
