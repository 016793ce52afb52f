//! What a tree does not hold of a block: its comments, and whether it has anchors, aliases or tags.

use std::ops::Range;

use granit_parser::{Event, Parser};

use super::ObstacleKind;
use super::source::Source;

/// The comments of a block, and the first thing in it that canonical form has no place for.
pub(crate) struct Marks {
    /// Bytes of each comment from its `#` on, in the text.
    pub(crate) comments: Vec<Range<usize>>,
    /// The first anchor, alias or tag, and its place in the text.
    pub(crate) obstacle: Option<(usize, ObstacleKind)>,
}

/// Reads the marks of a block that parses; `None` when it cannot be read with its comments.
pub(crate) fn marks(text: &str, yaml: Range<usize>) -> Option<Marks> {
    let source = Source { text, base: yaml.start };
    let mut marks = Marks { comments: Vec::new(), obstacle: None };
    let options = granit_parser::options! {
        emit_comments: true,
        flow_nesting_limit: 2 * super::MAX_LEVELS,
        block_nesting_limit: 2 * super::MAX_LEVELS,
    };
    for event in Parser::new_from_str_with_options(&text[yaml], options) {
        let (event, span) = event.ok()?;
        let span = source.range(&span);
        let (anchor, is_tagged) = match event {
            Event::Comment(..) => {
                marks.comments.push(span);
                continue;
            }
            Event::Alias(_) => {
                marks.obstacle.get_or_insert((span.start, ObstacleKind::Alias));
                continue;
            }
            Event::Scalar(_, _, anchor, tag) => (anchor, tag.is_some()),
            Event::SequenceStart(_, anchor, tag) | Event::MappingStart(_, anchor, tag) => (anchor, tag.is_some()),
            _ => continue,
        };
        if anchor != 0 {
            marks.obstacle.get_or_insert((span.start, ObstacleKind::Anchor));
        } else if is_tagged {
            marks.obstacle.get_or_insert((span.start, ObstacleKind::Tag));
        }
    }
    marks.comments.sort_by_key(|comment| comment.start);
    Some(marks)
}
