//! Reading a frontmatter that is written plainly, without a YAML parser.
//!
//! Most frontmatters are lines of `key: words`. For those a parser costs ten times as much as looking, and a
//! client waits for hundreds of them. Whatever is not certain is left to the parser.

/// The fields of a concept's head, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Plain<'t> {
    pub(super) concept_type: Option<&'t str>,
    pub(super) title: Option<&'t str>,
    pub(super) description: Option<&'t str>,
    pub(super) tags: Vec<&'t str>,
}

/// The key that a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Under {
    /// A field whose value ended on its line.
    Field,
    /// `tags` whose items follow.
    Tags,
    /// Anything that a head does not tell.
    Other,
}

/// A line of a frontmatter by itself.
enum Line<'t> {
    /// Empty, or a comment.
    Nothing,
    /// Part of what stands above it.
    Below,
    /// A key of the frontmatter, and what stands behind it.
    Key(&'t str, &'t str),
}

impl<'t> Line<'t> {
    /// Reads a line; `None` when it is not plain.
    fn read(line: &'t str) -> Option<Self> {
        match line.as_bytes().first() {
            None | Some(b'#') => Some(Self::Nothing),
            Some(b' ' | b'-') if !line.starts_with("---") => Some(Self::Below),
            Some(byte) if byte.is_ascii_alphanumeric() || *byte == b'_' => {
                let (key, value) = line.split_once(':').filter(|(key, _)| key.bytes().all(is_key_byte))?;
                let value = if value.is_empty() { value } else { value.strip_prefix(' ')?.trim() };
                Some(Self::Key(key, value))
            }
            _ => None,
        }
    }
}

/// Reads the fields; `None` says nothing about them.
pub(super) fn read(yaml: &str) -> Option<Plain<'_>> {
    if yaml.contains('\r') {
        return None;
    }
    let mut plain = Plain::default();
    let mut seen = [false; 4];
    let mut under = Under::Other;
    for line in yaml.lines() {
        match (Line::read(line)?, under) {
            (Line::Nothing, _) | (Line::Below, Under::Other) => {}
            (Line::Below, Under::Tags) => plain.tags.push(item(line.trim_start_matches(' ').strip_prefix("- ")?)?),
            (Line::Below, Under::Field) => return None,
            (Line::Key(key, value), _) => {
                let place = ["type", "title", "description", "tags"].iter().position(|field| *field == key);
                if place.is_some_and(|place| std::mem::replace(&mut seen[place], true)) {
                    return None;
                }
                under = Under::Field;
                match place {
                    Some(0) => plain.concept_type = Some(words(value)?),
                    Some(1) => plain.title = Some(words(value)?),
                    Some(2) => plain.description = Some(words(value)?),
                    Some(_) if value.is_empty() => under = Under::Tags,
                    Some(_) => {
                        let items = value.strip_prefix('[')?.strip_suffix(']')?;
                        plain.tags = items.split(',').map(|text| item(text.trim())).collect::<Option<_>>()?;
                    }
                    None => under = Under::Other,
                }
            }
        }
    }
    Some(plain)
}

/// Reads the `type` alone, whatever the other fields look like; `None` says nothing about it.
pub(super) fn concept_type(yaml: &str) -> Option<&str> {
    if yaml.contains('\r') {
        return None;
    }
    let mut found = None;
    let mut is_under_type = false;
    for line in yaml.lines() {
        match Line::read(line)? {
            Line::Nothing => {}
            Line::Below if is_under_type => return None,
            Line::Below => {}
            Line::Key(key, value) => {
                is_under_type = key == "type";
                if is_under_type {
                    let is_second = found.replace(words(value)?).is_some();
                    if is_second {
                        return None;
                    }
                } else if !ends_on_its_line(value) {
                    return None;
                }
            }
        }
    }
    found
}

/// Whether a value is over at the end of its line, or goes on in lines that are indented.
fn ends_on_its_line(value: &str) -> bool {
    let closing = match value.as_bytes() {
        [b'"', ..] => '"',
        [b'\'', ..] => '\'',
        [b'[', ..] => ']',
        [b'{', ..] => '}',
        _ => return true,
    };
    value.len() > 1 && value.ends_with(closing)
}

fn is_key_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// A plain scalar on one line.
fn words(text: &str) -> Option<&str> {
    let is_null = text.eq_ignore_ascii_case("null");
    let is_plain = text.starts_with(char::is_alphanumeric)
        && !text.ends_with(':')
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.contains(|c: char| c.is_control() || matches!(c, '\u{feff}' | '\u{2028}' | '\u{2029}'));
    (is_plain && !is_null).then_some(text)
}

/// A plain scalar that may stand in brackets.
fn item(text: &str) -> Option<&str> {
    words(text).filter(|text| !text.contains(['[', ']', '{', '}', ',', ':', '"', '\'']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::head;

    /// What the parser reads.
    fn parsed(yaml: &str) -> crate::identity::ConceptHead {
        head::read("a", format!("---\n{yaml}---\n").into_bytes())
    }

    fn agrees(yaml: &str) {
        let plain = read(yaml).unwrap_or_else(|| panic!("not plain: {yaml:?}"));
        let parsed = parsed(yaml);
        assert_eq!(plain.concept_type, parsed.concept_type.as_deref(), "{yaml:?}");
        assert_eq!(plain.title, parsed.title.as_deref(), "{yaml:?}");
        assert_eq!(plain.description, parsed.description.as_deref(), "{yaml:?}");
        assert_eq!(plain.tags, parsed.tags, "{yaml:?}");
    }

    #[test]
    fn plain_fields_are_what_the_parser_reads() {
        for yaml in [
            "type: Note\n",
            "type: BigQuery Table\ntitle: Über 9 \"things\" (a/b)\ndescription: It's 50% - of what, then?  \n",
            "# comment\ntags: [a, b c, 2024, x-y]\nsources:\n  - id: q\n    title: Other\nother: {a: b}\n",
            "tags:\n  - a\n  - b c\ntype: Note\nverified:\n- by: x\n",
            "tags:\n- a\n\n- b\n",
            "type: 42\ntitle: 1e3\ndescription: true\ntags: [0.10, yes]\n",
            "text: |\n  title: inside\n  # no comment\nx: >-\n  folded\n",
        ] {
            agrees(yaml);
        }
    }

    #[test]
    fn a_type_is_read_whatever_the_other_fields_look_like() {
        for yaml in [
            "type: Note\ntitle: \"quoted: yes\"\ntags: ['a']\ndescription: a: b\n",
            "title: >-\n  folded\ntype: Note\n",
            "verified: { by: x, at: y }\ntype: Note\n",
        ] {
            assert_eq!(concept_type(yaml), Some("Note"), "{yaml:?}");
        }
        for yaml in [
            "type: Note\n  continued\n",
            "type: Note\ntype: Note\n",
            "type: \"Note\"\n",
            "title: \"open\ntype: Note\"\n",
            "x: {a: [\ntype: Note\n]}\n",
            "title: Note\n",
        ] {
            assert_eq!(concept_type(yaml), None, "{yaml:?}");
        }
    }

    #[test]
    fn what_is_not_plain_is_left_to_the_parser() {
        for yaml in [
            "title: \"quoted\"\n",
            "title: 'quoted'\n",
            "title: a: b\n",
            "title: a # comment\n",
            "title: a\n  continued\n",
            "title: &anchor a\n",
            "title: >-\n  folded\n",
            "title: null\n",
            "title:\n",
            "title:\ttab\n",
            "title: a\ntitle: b\n",
            "tags: a\n",
            "tags: [a, [b]]\n",
            "tags: [a,]\n",
            "tags: [\"a\"]\n",
            "tags:\n  - x: y\n",
            "tags:\n  -\n",
            "{type: Note}\n",
            "? type\n: Note\n",
            "\"type\": Note\n",
            "type: Note\r\n",
            "type: Note\n--- x\n",
        ] {
            assert_eq!(read(yaml), None, "{yaml:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn never_disagrees_with_the_parser(
            lines in proptest::collection::vec(
                "(type|title|description|tags|x|  - a|- b|  c|#|): ?[a-zA-Z0-9 :#,'\"&*!|>%@\\[\\]{}-]{0,12}",
                0..6,
            ),
        ) {
            let yaml: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let text = format!("---\n{yaml}---\n");
            let document = okf_core::document::Document::parse(
                okf_core::bundle_path::BundlePath::new("a.md").expect("a path"),
                text.into_bytes(),
            );
            // A frontmatter that does not parse is salvaged line by line either way.
            if document.is_ok_and(|document| document.error().is_none()) {
                if read(&yaml).is_some() {
                    agrees(&yaml);
                }
                if let Some(found) = concept_type(&yaml) {
                    proptest::prop_assert_eq!(Some(found.to_owned()), parsed(&yaml).concept_type);
                }
            }
        }
    }
}
