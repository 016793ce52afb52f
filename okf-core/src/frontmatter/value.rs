//! What is written into a frontmatter.

use super::schema::of_plain;
use super::{Entry, Kind, Node, Schema};

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
    Map(Vec<(Key, Value)>),
}

/// A key of a mapping to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// A string, whatever it looks like.
    Text(String),
    /// A number, boolean or null under its spelling (`2024`, `true`); any other spelling is text.
    Bare(String),
}

impl Key {
    /// The key as spelled, without quotes.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Text(text) | Self::Bare(text) => text,
        }
    }

    fn matches(&self, entry: &Entry, is_text: fn(Schema) -> bool) -> bool {
        let has_type = match self {
            Self::Bare(text) if of_plain(text) != Schema::Str => entry.key_schema() == of_plain(text),
            _ => is_text(entry.key_schema()),
        };
        has_type && self.as_str() == entry.key
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Key {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&Entry> for Key {
    fn from(entry: &Entry) -> Self {
        match entry.key_schema() {
            Schema::Str => Self::Text(entry.key.clone()),
            _ => Self::Bare(entry.key.clone()),
        }
    }
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
                Self::Map(mapping.entries.iter().map(|entry| (entry.into(), Self::from(&entry.value))).collect())
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
                    && values.iter().zip(&mapping.entries).all(|((key, value), entry)| {
                        key.matches(entry, is_text) && value.matches(&entry.value, is_text)
                    })
            }
            _ => false,
        }
    }
}
