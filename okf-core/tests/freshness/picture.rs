//! Everything that a bundle says, as lines that can be compared.

use okf_core::bundle::{Bundle, Content, File};

/// One line for each file, directory, link, bad path and closed directory.
pub fn picture(bundle: &Bundle) -> Vec<String> {
    let content = |content: &Content| match content {
        Content::Document(document) => format!("{:?}", document.text().as_str()),
        Content::NotUtf8 { offset } => format!("not UTF-8 at {offset}"),
        Content::Failed { message } => format!("failed: {message}"),
    };
    let files = bundle.files().iter().map(|(path, file)| match file {
        File::Concept(it) => format!("concept {path}: {}", content(it)),
        File::Index(it) => format!("index {path}: {}", content(it)),
        File::Log(it) => format!("log {path}: {}", content(it)),
        File::Asset => format!("asset {path}"),
    });
    let ids = bundle.documents().map(|document| format!("document {}", document.id()));
    let directories = bundle.directories().map(|path| format!("directory {path}"));
    let links = bundle.skipped_links().iter().map(|shown| format!("link {shown}"));
    let invalid = bundle.invalid_paths().iter().map(|invalid| format!("{invalid:?}"));
    let unlisted = bundle.unlisted_directories().iter().map(|unlisted| format!("{unlisted:?}"));
    files.chain(ids).chain(directories).chain(links).chain(invalid).chain(unlisted).collect()
}
