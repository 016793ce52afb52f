//! The title of a bundle (contract §9).

use std::path::Path;

use okf_core::bundle::Role;
use okf_core::bundle_path::BundlePath;
use okf_core::disk::Directory;
use okf_core::document::{Document, Head};
use okf_core::frontmatter::salvage;
use okf_core::index::GENERIC_HEADINGS;
use okf_core::markdown::{BlockKind, Structure};

use super::head::{self, HEAD_LIMIT};
use super::neutralise;

/// Bytes of an index that are read: its frontmatter may take 4 MiB.
const INDEX_LIMIT: usize = 5 << 20;

/// Directory names that say nothing without their parent's.
const NEEDS_PARENT: [&str; 4] = ["docs", "knowledge", "bundle", "okf"];

/// Entries of a section that are compared with its heading.
const COMPARED: usize = 256;

/// The `index.md` at a root.
pub(crate) struct RootIndex(Document);

impl RootIndex {
    /// Reads it; `None` when there is none that is a regular file in UTF-8.
    pub(crate) fn read(root: &Directory) -> Option<Self> {
        let bytes = root.head(Path::new("index.md"), INDEX_LIMIT)?;
        Document::parse(BundlePath::new("index.md").ok()?, bytes).ok().map(Self)
    }

    /// `okf_version` as written, even in a frontmatter that does not parse: such a bundle is to be found,
    /// so that it can be validated.
    pub(crate) fn declared_version(&self) -> Option<String> {
        self.field("okf_version")
    }

    fn field(&self, key: &str) -> Option<String> {
        let value = match self.0.head() {
            Head::Absent => None,
            Head::Parsed(_) => self.0.frontmatter()?.get(key)?.as_text().map(str::to_owned),
            Head::Broken { yaml, .. } => {
                let yaml = yaml.clone().map_or(self.0.text().as_str(), |yaml| &self.0.text().as_str()[yaml]);
                salvage(yaml).into_iter().find(|(found, _)| *found == key).map(|(_, value)| value.to_owned())
            }
        };
        value.filter(|value| !value.trim().is_empty())
    }

    /// The first level-one heading, unless generation would have written it.
    fn heading(&self, root: &Directory) -> Option<String> {
        let structure = self.0.structure();
        let at = structure.headings.iter().position(|heading| heading.level == 1)?;
        let text = structure.headings[at].text.trim();
        (!GENERIC_HEADINGS.contains(&text) && !self.is_section_of_type(&structure, at, text, root))
            .then(|| text.to_owned())
    }

    /// Whether the entries directly below a heading are all concepts of the type that it names.
    fn is_section_of_type(&self, structure: &Structure, heading: usize, text: &str, root: &Directory) -> bool {
        let is_heading = |kind: &BlockKind| matches!(kind, BlockKind::Heading(_));
        let here = structure.blocks.iter().position(|block| block.kind == BlockKind::Heading(heading));
        let below = structure.blocks.iter().skip(here.map_or(usize::MAX, |at| at + 1));
        let mut entries = below
            .take_while(|block| !is_heading(&block.kind))
            .filter_map(|block| match &block.kind {
                BlockKind::List { items, .. } => Some(items),
                _ => None,
            })
            .flatten()
            .filter_map(|item| structure.links.get(item.leading_link?))
            .take(COMPARED)
            .peekable();
        entries.peek().is_some() && entries.all(|link| type_of(root, &link.destination).as_deref() == Some(text))
    }
}

/// The title: the index's heading, else its `title`, else the directory's name; neutralised.
pub(super) fn title(root: &Path, directory: &Directory, index: Option<&RootIndex>) -> String {
    let heading = || index?.heading(directory).map(|text| neutralise(&text));
    let field = || index?.field("title").map(|title| neutralise(&title));
    let told = heading().filter(|title| !title.is_empty()).or_else(|| field().filter(|title| !title.is_empty()));
    told.unwrap_or_else(|| directory_name(root))
}

/// The name of a bundle that has no other title, neutralised.
pub(crate) fn directory_name(root: &Path) -> String {
    let shown = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let Some(name) = shown(root) else { return "/".to_owned() };
    let vague = name.starts_with('.') || NEEDS_PARENT.contains(&name.as_str());
    let parent = root.parent().and_then(shown).filter(|_| vague);
    let full = parent.map_or(name.clone(), |parent| format!("{parent}/{name}"));
    // A name that is nothing but characters that show nothing still needs a title.
    Some(neutralise(&full)).filter(|title| !title.is_empty()).unwrap_or_else(|| "bundle".to_owned())
}

/// The type of the concept that an entry of the root index leads to.
fn type_of(root: &Directory, destination: &str) -> Option<String> {
    let path = destination.split(['#', '?']).next()?;
    let path = percent_decoded(path.strip_prefix("./").or_else(|| path.strip_prefix('/')).unwrap_or(path));
    let path = BundlePath::new(path).ok().filter(|path| Role::of(path.as_str()) == Role::Concept)?;
    head::read("", root.head(Path::new(path.as_str()), HEAD_LIMIT)?).concept_type
}

/// Decodes `%20` and the like; what does not decode to UTF-8 stays as it is.
fn percent_decoded(path: &str) -> String {
    let digit = |byte: Option<&u8>| byte.and_then(|byte| char::from(*byte).to_digit(16));
    let bytes = path.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match (byte, digit(bytes.get(at + 1)), digit(bytes.get(at + 2))) {
            (b'%', Some(high), Some(low)) => {
                decoded.extend(u8::try_from(high * 16 + low));
                at += 3;
            }
            _ => {
                decoded.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).unwrap_or_else(|_| path.to_owned())
}
