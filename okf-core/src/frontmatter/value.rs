//! What is written into a frontmatter.

use super::schema::of_plain;
use super::{Kind, Node, Schema};

/// A YAML value to be written; how it is spelled is decided where it lands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A string, whatever it looks like: `true` comes back as the text `true`.
    Text(String),
    /// A number, boolean or null under its spelling (`0.10`, `true`, nothing at all for null); any other
    /// spelling is text.
    Bare(String),
    /// A list.
    List(Vec<Value>),
    /// A mapping in the order of its entries; the keys are unique.
    Map(Vec<(String, Value)>),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::List(items.into_iter().map(Into::into).collect())
    }
}

impl From<&Node> for Value {
    /// The value of a node; aliases are written out.
    fn from(node: &Node) -> Self {
        match &node.kind {
            Kind::Scalar(scalar) if scalar.schema == Schema::Str => Self::Text(scalar.text.as_ref().to_owned()),
            Kind::Scalar(scalar) => Self::Bare(scalar.text.as_ref().to_owned()),
            Kind::Sequence(items) => Self::List(items.iter().map(Self::from).collect()),
            Kind::Mapping(mapping) => {
                Self::Map(mapping.entries.iter().map(|entry| (entry.key.clone(), Self::from(&entry.value))).collect())
            }
        }
    }
}

impl Value {
    /// Whether a node reads as this value: its scalars by their text, as the metadata are read, so that
    /// `2024` already says the text `2024`.
    pub(crate) fn reads_as(&self, node: &Node) -> bool {
        self.matches(node, |scalar| scalar != Schema::Null)
    }

    /// Whether a node is exactly this value: text is a string.
    pub(crate) fn is(&self, node: &Node) -> bool {
        self.matches(node, |scalar| scalar == Schema::Str)
    }

    fn matches(&self, node: &Node, is_text: fn(Schema) -> bool) -> bool {
        match (self, &node.kind) {
            (Self::Bare(text), Kind::Scalar(scalar)) if of_plain(text) != Schema::Str => {
                // Flow style has to spell a null that is nothing at all elsewhere.
                scalar.schema == of_plain(text) && (scalar.schema == Schema::Null || *scalar.text == **text)
            }
            (Self::Text(text) | Self::Bare(text), Kind::Scalar(scalar)) => {
                is_text(scalar.schema) && *scalar.text == **text
            }
            (Self::List(values), Kind::Sequence(items)) => {
                values.len() == items.len()
                    && values.iter().zip(items.iter()).all(|(value, item)| value.matches(item, is_text))
            }
            (Self::Map(values), Kind::Mapping(mapping)) => {
                values.len() == mapping.entries.len()
                    && values
                        .iter()
                        .zip(&mapping.entries)
                        .all(|((key, value), entry)| *key == entry.key && value.matches(&entry.value, is_text))
            }
            _ => false,
        }
    }
}
