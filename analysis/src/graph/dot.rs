//! Graphs in the language of Graphviz.

use super::texts::{about_edge, about_node, edge_label, short, short_place, time};
use super::types::{Graph, GraphKind};
use std::fmt::Write;

/// Writes a graph for `dot` and other readers of its language.
pub fn dot(graph: &Graph) -> String {
    let mut text = String::from("digraph weft {\n");
    text.push_str("  node [shape=box, style=\"rounded,filled\", fillcolor=\"#f4f6f8\", fontname=\"sans-serif\", fontsize=11];\n");
    text.push_str("  edge [color=\"#7a8794\", fontname=\"sans-serif\", fontsize=9];\n");
    for node in &graph.nodes {
        let place = node.place.as_deref().map(|place| short_place(place, 48));
        let label = [
            Some(short(&node.name, 48)),
            place,
            Some(match graph.kind {
                GraphKind::Dataflow => format!("{}× {}", node.operations, time(node.shown_ns())),
                GraphKind::Events => time(node.shown_ns()),
            }),
        ];
        let label: Vec<String> = label.into_iter().flatten().collect();
        let _ = writeln!(
            text,
            "  n{} [label={}, tooltip={}];",
            node.id,
            quoted(&label.join("\n")),
            quoted(&about_node(node))
        );
    }
    for edge in &graph.edges {
        let style = if edge.carried > 0 {
            ", style=dashed"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "  n{} -> n{} [label={}, tooltip={}{style}];",
            edge.from,
            edge.to,
            quoted(&edge_label(edge)),
            quoted(&about_edge(edge))
        );
    }
    for left_out in &graph.left_out {
        let note = short(&format!("{} {}", left_out.count, left_out.what), 400);
        let _ = writeln!(text, "  // {note}");
    }
    text.push_str("}\n");
    text
}

/// Quotes a text, with its line breaks as line breaks of the label.
fn quoted(text: &str) -> String {
    let lines = text.split('\n');
    let lines: Vec<String> = lines
        .map(|line| line.replace('\\', "\\\\").replace('"', "\\\""))
        .collect();
    format!("\"{}\"", lines.join("\\n"))
}
