//! Byte budgets of what is said about a bundle, whatever it holds.

use serde_json::json;

use crate::harness::{Server, TOOLS, Tree, number};

/// Four bytes in UTF-8.
const WIDE: &str = "𠀋𠂢𠂤𠆢𠈓𠌫𠎁𠍱𠏹𠑊𠔉𠗖𠘨𠝏𠠇𠠺";

/// Fails unless instructions, descriptions and list keep their budgets and still name the bundle.
#[track_caller]
fn keeps(tree: &Tree, title: &str) {
    let excess = tree.shown().len().saturating_sub(100);
    let mut server = Server::spawn(tree.root());
    let told = server.initialize("2025-11-25");
    let instructions = told["instructions"].as_str().expect("text");
    assert!(instructions.len() <= 2_000 + excess, "instructions: {} bytes", instructions.len());
    let head: String = instructions.chars().take(512).collect();
    assert!(head.contains(title) && head.contains(tree.shown()) && head.contains("search-concepts"), "{head}");
    let tools = server.tools();
    for tool in &tools {
        let description = tool["description"].as_str().expect("text");
        assert!(description.len() <= 900 + excess, "{}: {} bytes", tool["name"], description.len());
        assert!(description.contains(title) && description.contains(tree.shown()), "{description}");
        assert!(!tool["title"].as_str().expect("text").is_empty());
    }
    let list = json!({"tools": tools}).to_string();
    assert!(list.len() <= 14_000 + TOOLS.len() * excess, "tools/list: {} bytes", list.len());
}

fn titled(title: &str) -> Tree {
    Tree::new(&[("index.md", &format!("---\nokf_version: \"0.2\"\n---\n\n# {title}\n"))])
}

#[test]
fn titles_of_80_characters_of_four_bytes() {
    let title = WIDE.repeat(5);
    assert_eq!((title.chars().count(), title.len()), (80, 320));
    let tree = titled(&title);
    for (n, c) in WIDE.chars().cycle().take(300).enumerate() {
        let text = format!(
            "---\ntype: \"{c}{title}\"\ntitle: \"{title}\"\ndescription: \"{title} {c}{n}\"\ntags: [\"{c}{WIDE}\"]\n---\n\n# {title}\n"
        );
        tree.write(&format!("{c}{WIDE}/{n}.md"), text);
    }
    keeps(&tree, &title);
}

#[test]
fn ten_thousand_distinct_tags() {
    let tree = titled("Tags");
    for n in 0..500 {
        let tags: Vec<String> = (0..20).map(|at| letters(20 * n + at)).collect();
        tree.write(&format!("a/{n}.md"), format!("---\ntype: Note\ntags: [{}]\n---\n", tags.join(", ")));
    }
    keeps(&tree, "Tags");
    let tree = titled("Tags of one");
    let tags: Vec<String> = (0..10_000).map(letters).collect();
    tree.write("one.md", format!("---\ntype: Note\ntags: [{}]\n---\n", tags.join(", ")));
    keeps(&tree, "Tags of one");
}

/// A pronounceable word for each number.
fn letters(mut number: usize) -> String {
    let mut word = String::from("qu");
    for _ in 0..4 {
        let (consonants, vowels) = (b"bdfghklmnprstvwz", b"aeio");
        word.push(char::from(consonants[number % 16]));
        word.push(char::from(vowels[number / 16 % 4]));
        number /= 64;
    }
    word
}

#[test]
fn nothing_to_say() {
    keeps(&titled("Nothing"), "Nothing");
    let tree = titled("No words");
    tree.write("1.md", "---\ntype: x\n---\n").write("2.md", "no frontmatter").write("3.md", "");
    keeps(&tree, "No words");
}

#[test]
fn one_concept() {
    let tree = titled("One");
    tree.write("a.md", "---\ntype: Note\ntitle: Harbour pilotage\n---\n");
    keeps(&tree, "One");
}

#[test]
fn ten_thousand_concepts() {
    let tree = titled("Many");
    for n in 0..10_000 {
        let text = format!("---\ntype: Type {}\ntitle: {} {}\n---\n", n % 40, letters(n), letters(n * 7));
        tree.write(&format!("{}/{n}.md", letters(n % 300)), text);
    }
    keeps(&tree, "Many");
    let listed = Server::serve(tree.root()).ask("list-concepts", json!({"limit": 1}));
    assert_eq!(number(&listed["total"]), 10_000);
}
