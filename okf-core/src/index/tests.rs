use super::*;

fn shown(entry: &Entry) -> String {
    format!("{} | {} | {}", entry.label, entry.destination, entry.description)
}

#[test]
fn reads_sections_and_entries() {
    let body = "# T\n\nprose\n\n## A *b*\n\n* [One](one.md) - first\n- [Two](<two words.md>) – *second*\n+ [Three](three%20x.md): third\n  * [Four](sub/) — fourth\n\nSetext\n------\n\n* [Five][r]\n\n[r]: five.md\n";
    let index = IndexDocument::parse(body);
    let sections: Vec<_> = index.sections.iter().map(|s| (&*s.heading, s.level, s.entries.len())).collect();
    assert_eq!(sections, [("T", 1, 0), ("A b", 2, 4), ("Setext", 2, 1)]);
    let entries: Vec<_> = index.entries().map(shown).collect();
    assert_eq!(
        entries,
        [
            "One | one.md | first",
            "Two | two words.md | second",
            "Three | three%20x.md | third",
            "Four | sub/ | fourth",
            "Five | five.md | ",
        ]
    );
    assert_eq!(index.title().map(|title| &*title.heading), Some("T"));
    let prose: Vec<_> = index.prose.iter().map(|span| &body[span.clone()]).collect();
    assert_eq!(prose, ["prose\n"]);
}

#[test]
fn spans_allow_edits_in_place() {
    let body = "# A\n\n* [One](one.md) - *first*\n* [Two](two.md)\n";
    let index = IndexDocument::parse(body);
    let [one, two] = &index.sections[0].entries[..] else { panic!("two entries") };
    assert_eq!(&body[one.span.clone()], "* [One](one.md) - *first*\n");
    assert_eq!(&body[one.link_span.clone()], "[One](one.md)");
    assert_eq!(&body[one.description_span.clone()], "*first*");
    assert_eq!(two.description_span, body.len() - 1..body.len() - 1);
    assert_eq!(index.sections[0].span, 0..body.len());
    assert_eq!(index.title(), None, "it has entries");
}

#[test]
fn what_is_no_entry_is_prose() {
    let body = "* [Loose](a.md)\n\n# A\n\n1. [Numbered](b.md)\n\n* see [late](c.md)\n* [Bad](my file.md) - x\n\n| [t](d.md) |\n|---|\n\n<!-- note -->\n\n---\n\n```\n* [code](e.md)\n```\n";
    let index = IndexDocument::parse(body);
    assert_eq!(index.loose.iter().map(shown).collect::<Vec<_>>(), ["Loose | a.md | "]);
    assert!(index.sections[0].entries.is_empty());
    let starts: Vec<_> = index.prose.iter().map(|span| &body[span.start..span.start + 3]).collect();
    assert_eq!(starts, ["1. ", "* s", "| [", "```"]);
    assert_eq!(&body[index.malformed[0].clone()], "* [Bad](my file.md) - x\n\n");
}
