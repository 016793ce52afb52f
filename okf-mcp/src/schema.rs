//! The check of arguments against a tool's schema, with messages a model can correct itself by.

use std::collections::BTreeMap;

use jsonschema::error::{TypeKind, ValidationError, ValidationErrorKind};
use jsonschema::{Draft, Validator};
use serde_json::{Map, Value};

use crate::tool::{Arguments, ToolError};

/// A model repairs a handful of fields at a time; more lines than this drown the rest of its context.
const MAX_LINES: usize = 20;

/// Longest text of a rejected value that is worth repeating, in characters.
const MAX_SHOWN: usize = 60;

/// A compiled input schema.
pub(crate) struct ArgumentCheck {
    validator: Validator,
    schema: Value,
}

impl ArgumentCheck {
    /// Compiles a schema (draft 2020-12).
    ///
    /// # Errors
    ///
    /// What is wrong with the schema, and where.
    pub(crate) fn new(schema: &Map<String, Value>) -> Result<Self, String> {
        let schema = Value::Object(schema.clone());
        let validator = jsonschema::options()
            .with_draft(Draft::Draft202012)
            .build(&schema)
            .map_err(|error| format!("input schema: `#{}`: {error}", error.instance_path()))?;
        Ok(Self { validator, schema })
    }

    /// Checks arguments. Whole numbers written as `5.0` become integers, which they are in JSON Schema.
    ///
    /// # Errors
    ///
    /// One line per field, ordered by its JSON pointer: `#/tags/1: must be a string, not null`.
    pub(crate) fn check(&self, arguments: Map<String, Value>) -> Result<Arguments, ToolError> {
        let mut arguments = Value::Object(arguments);
        let mut problems = BTreeMap::<String, Vec<String>>::new();
        for error in self.validator.iter_errors(&arguments) {
            for (pointer, problem) in self.describe(&error) {
                let said = problems.entry(pointer).or_default();
                if !said.contains(&problem) {
                    said.push(problem);
                }
            }
        }
        if !problems.is_empty() {
            return Err(ToolError::new(lines(&problems)));
        }
        settle_integers(&mut arguments, &self.schema);
        match arguments {
            Value::Object(arguments) => Ok(Arguments(arguments)),
            _ => unreachable!("it was made from an object above"),
        }
    }

    /// A violation as fields and what is wrong with each.
    fn describe(&self, error: &ValidationError<'_>) -> Vec<(String, String)> {
        let at = format!("#{}", error.instance_path());
        let field = |name: &str| format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
        match error.kind() {
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                let known = self.known_names(error);
                unexpected.iter().map(|name| (field(name), unknown(name, &known))).collect()
            }
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                vec![(field(name), "is required and missing".to_owned())]
            }
            kind => vec![(at, violation(kind, error))],
        }
    }

    /// The property names at the place of an error about unknown ones.
    fn known_names(&self, error: &ValidationError<'_>) -> Vec<&str> {
        let owner = error.schema_path().as_str().rsplit_once('/').map_or("", |(owner, _)| owner);
        let properties = self.schema.pointer(owner).and_then(|schema| schema.get("properties"));
        properties.and_then(Value::as_object).into_iter().flat_map(Map::keys).map(String::as_str).collect()
    }
}

fn lines(problems: &BTreeMap<String, Vec<String>>) -> String {
    let mut lines: Vec<String> = problems
        .iter()
        .take(MAX_LINES)
        .map(|(pointer, said)| format!("{}: {}", shown(pointer), said.join("; ")))
        .collect();
    if problems.len() > MAX_LINES {
        lines.push(format!("and {} more", problems.len() - MAX_LINES));
    }
    lines.join("\n")
}

fn unknown(name: &str, known: &[&str]) -> String {
    let name = shown(name);
    match (closest(&name, known), known.is_empty()) {
        (Some(near), _) => format!("unknown argument `{name}`, did you mean `{near}`?"),
        (None, false) => format!("unknown argument `{name}`; the arguments are {}", list(known)),
        (None, true) => format!("unknown argument `{name}`; the tool takes no arguments"),
    }
}

fn violation(kind: &ValidationErrorKind, error: &ValidationError<'_>) -> String {
    let given = error.instance();
    match kind {
        ValidationErrorKind::Type { kind } => {
            let expected = match kind {
                TypeKind::Single(single) => with_article(&single.to_string()),
                TypeKind::Multiple(_) => "of another type".to_owned(),
            };
            let advice = if given.is_null() { "; leave the argument out instead" } else { "" };
            format!("must be {expected}, not {}{advice}", type_of(given))
        }
        ValidationErrorKind::Enum { options } => {
            let options: Vec<String> = options.as_array().into_iter().flatten().map(plain).collect();
            format!("must be one of {}, is {}", list(&options), quoted(given))
        }
        ValidationErrorKind::Constant { expected_value } => {
            format!("must be {}, is {}", quoted(expected_value), quoted(given))
        }
        ValidationErrorKind::Minimum { limit } => format!("must be at least {limit}, is {}", plain(given)),
        ValidationErrorKind::Maximum { limit } => format!("must be at most {limit}, is {}", plain(given)),
        ValidationErrorKind::ExclusiveMinimum { limit } => format!("must be more than {limit}, is {}", plain(given)),
        ValidationErrorKind::ExclusiveMaximum { limit } => format!("must be less than {limit}, is {}", plain(given)),
        ValidationErrorKind::MinLength { limit: 1 } => "must not be empty".to_owned(),
        ValidationErrorKind::MinLength { limit } => format!("must have at least {limit} characters"),
        ValidationErrorKind::MaxLength { limit } => format!("must have at most {limit} characters"),
        ValidationErrorKind::MinItems { limit: 1 } => "must have at least one item".to_owned(),
        ValidationErrorKind::MinItems { limit } => format!("must have at least {limit} items"),
        ValidationErrorKind::MaxItems { limit } => format!("must have at most {limit} items"),
        ValidationErrorKind::UniqueItems => "must not hold the same item twice".to_owned(),
        ValidationErrorKind::Pattern { pattern } => format!("must match `{pattern}`, is {}", quoted(given)),
        _ => shown(&error.to_string()),
    }
}

fn with_article(name: &str) -> String {
    let article = if name.starts_with(['a', 'i', 'o']) { "an" } else { "a" };
    format!("{article} {name}")
}

fn type_of(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => "a boolean".to_owned(),
        Value::Number(number) => format!("the number {number}"),
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

fn list<T: AsRef<str>>(names: &[T]) -> String {
    names.iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}

fn plain(value: &Value) -> String {
    shown(&value.as_str().map_or_else(|| value.to_string(), str::to_owned))
}

fn quoted(value: &Value) -> String {
    format!("`{}`", plain(value))
}

/// Text of a client, on one line and cut to what is worth repeating.
fn shown(text: &str) -> String {
    let mut shown: String = okf_core::finding::Escaped(text).to_string();
    if let Some((cut, _)) = shown.char_indices().nth(MAX_SHOWN) {
        shown.truncate(cut);
        shown.push('…');
    }
    shown
}

/// The known name that was probably meant: the same but for case and joiners, or two edits away.
fn closest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    let fold = |name: &str| name.to_lowercase().replace(['-', ' '], "_");
    let folded = fold(name);
    let distance = |candidate: &str| edits(&folded, &fold(candidate));
    let near = |candidate: &&&str| {
        let limit = if candidate.chars().count() < 5 { 1 } else { 2 };
        distance(candidate) <= limit || (folded.len() > 2 && fold(candidate).starts_with(&folded))
    };
    known.iter().filter(near).min_by_key(|candidate| distance(candidate)).copied()
}

/// Levenshtein distance in characters.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// Rewrites whole numbers with a fraction (`5.0`) as integers where the schema asks for integers, so
/// that handlers can read them. Follows the schema, whose depth is its author's.
fn settle_integers(value: &mut Value, schema: &Value) {
    /// Beyond this a float no longer tells neighbouring integers apart.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) if schema["type"] == "integer" => {
            let whole = number.as_f64().filter(|float| number.is_f64() && float.fract() == 0.0 && float.abs() <= EXACT);
            if let Some(whole) = whole.and_then(|float| format!("{float:.0}").parse::<i64>().ok()) {
                *value = whole.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| settle_integers(item, &schema["items"])),
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(name, field)| settle_integers(field, &schema["properties"][name.as_str()]));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
