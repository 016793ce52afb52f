//! `okf mcp --describe`: what a client would be told, for people.

use std::io::{self, Write};

use okf_core::finding::Escaped;
use serde_json::{Map, Value};

use crate::compose::Introduction;
use crate::tool::ToolSpec;

/// Prints an introduction on stdout, and why it says what it says, by provider. A reader that has gone
/// (`| head`) is no failure.
pub(super) fn print(introduction: &Introduction, explanations: &[(String, String)]) -> io::Result<()> {
    let mut text = Vec::new();
    write_introduction(&mut text, introduction)?;
    for (provider, explanation) in explanations {
        writeln!(text, "\nwhy ({provider}):")?;
        for line in explanation.lines() {
            writeln!(text, "  {}", Escaped(line))?;
        }
    }
    match io::stdout().lock().write_all(&text) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

fn write_introduction(out: &mut impl Write, introduction: &Introduction) -> io::Result<()> {
    let greeting = &introduction.greeting;
    let info = &greeting.server_info;
    writeln!(out, "server: {} {}", info.name, info.version)?;
    writeln!(out, "title: {}", info.title)?;
    writeln!(out, "description: {}", info.description)?;
    let instructions = greeting.instructions.as_deref().unwrap_or_default();
    writeln!(out, "\ninstructions ({} of {} bytes):", instructions.len(), introduction.budgets.instructions)?;
    write_indented(out, instructions)?;
    let (tools, bytes) = (introduction.tools.len(), introduction.list_bytes());
    writeln!(out, "\ntools ({tools}; tools/list takes {bytes} of {} bytes):", introduction.budgets.list)?;
    for tool in &introduction.tools {
        write_tool(out, tool, introduction.budgets.description)?;
    }
    if !introduction.left_out.is_empty() {
        writeln!(out, "\nleft out:")?;
        for line in &introduction.left_out {
            writeln!(out, "  {line}")?;
        }
    }
    Ok(())
}

fn write_tool(out: &mut impl Write, tool: &ToolSpec, budget: usize) -> io::Result<()> {
    writeln!(out, "\n{} - {}", tool.name, tool.title)?;
    writeln!(out, "  description ({} of {budget} bytes):", tool.description.len())?;
    for line in tool.description.lines() {
        writeln!(out, "    {line}")?;
    }
    write_arguments(out, tool)?;
    write_pairs(out, "annotations", tool.effect.annotations().as_object())?;
    write_pairs(out, "hints", Some(&tool.hints()))
}

fn write_arguments(out: &mut impl Write, tool: &ToolSpec) -> io::Result<()> {
    let required: Vec<&str> = tool
        .input_schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let properties = tool.input_schema.get("properties").and_then(Value::as_object);
    let Some(properties) = properties.filter(|properties| !properties.is_empty()) else {
        return writeln!(out, "  arguments: none");
    };
    writeln!(out, "  arguments:")?;
    for (name, property) in properties {
        let kind = property["type"].as_str().unwrap_or_default();
        let required = if required.contains(&name.as_str()) { ", required" } else { "" };
        writeln!(out, "    {name} ({kind}{required}): {}", property["description"].as_str().unwrap_or_default())?;
        let limits = property.as_object().into_iter().flatten();
        for (keyword, value) in limits.filter(|(keyword, _)| *keyword != "type" && *keyword != "description") {
            writeln!(out, "      {keyword}: {value}")?;
        }
    }
    Ok(())
}

fn write_pairs(out: &mut impl Write, heading: &str, pairs: Option<&Map<String, Value>>) -> io::Result<()> {
    let pairs: Vec<String> = pairs.into_iter().flatten().map(|(name, value)| format!("{name}: {value}")).collect();
    if pairs.is_empty() { Ok(()) } else { writeln!(out, "  {heading}: {}", pairs.join(", ")) }
}

fn write_indented(out: &mut impl Write, text: &str) -> io::Result<()> {
    for line in text.lines() {
        writeln!(out, "{}{line}", if line.is_empty() { "" } else { "  " })?;
    }
    Ok(())
}
