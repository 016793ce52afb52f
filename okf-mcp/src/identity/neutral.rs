//! Reducing text from files to what can inform a model and never instruct it.

use okf_core::markdown::{one_line, plain};

/// Most characters of a neutralised text.
const LONGEST: usize = 80;

/// Reduces text from files to one line that can inform a model and never instruct it: Markdown
/// rendered plain, at most 80 characters, no control or bidi characters, no `` ` < > ``, `"` as `'`.
///
/// Characters that show nothing (zero-width, variation selectors, tags) are removed too: text could hide
/// in them. What is too long is cut at a word where possible and ends in `…`.
///
/// ```
/// assert_eq!(okf_mcp::identity::neutralise("**Sales** `<b>` \"metrics\""), "Sales b 'metrics'");
/// ```
#[must_use]
pub fn neutralise(text: &str) -> String {
    // Rendering decodes entities, so what they stand for is removed afterwards.
    let rendered = on_one_line(&plain(&on_one_line(text)));
    let harmless: String =
        rendered.chars().filter(|c| !matches!(c, '`' | '<' | '>')).map(|c| if c == '"' { '\'' } else { c }).collect();
    shorten(&on_one_line(&harmless))
}

/// Removes what cannot be seen and turns every run of white space into one space.
fn on_one_line(text: &str) -> String {
    one_line(&text.chars().filter(|c| !shows_nothing(*c)).collect::<String>())
}

/// Unicode's default-ignorable characters, the bidi controls among them, and interlinear marks.
fn shows_nothing(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}')
}

fn shorten(line: &str) -> String {
    let Some((end, _)) = line.char_indices().nth(LONGEST - 1).filter(|_| line.chars().count() > LONGEST) else {
        return line.to_owned();
    };
    let kept = &line[..end];
    // A cut at a word that gives up more than half of the room is no good cut.
    let at_word = kept.rfind(' ').filter(|at| kept[..*at].chars().count() >= LONGEST / 2);
    let kept = match line[end..].starts_with(' ') {
        true => kept,
        false => at_word.map_or(kept, |at| &kept[..at]),
    };
    format!("{}…", kept.trim_end())
}
