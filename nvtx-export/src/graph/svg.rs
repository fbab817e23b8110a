//! A graph as a picture that stands alone: no scripts, no fonts, no other files.

use super::layout::{HEIGHT, Layout, Point, WIDTH, layout};
use super::texts::{about_edge, about_node, edge_label, short, short_place, shown, time};
use super::types::{Edge, Graph, Kind, Node};
use std::fmt::Write;

/// Room on the right for edges that lead backwards.
const SIDE: f64 = 90.0;
const LEFT: f64 = 24.0;
const NOTE: f64 = 16.0;

const STYLE: &str = "\
text{font-family:system-ui,sans-serif;fill:#1f2933}\
.n{font-size:12px;font-weight:600}.p{font-size:10.5px;fill:#52606d}\
.l{font-size:9.5px;fill:#52606d;paint-order:stroke;stroke:#fff;stroke-width:3px}\
.b{stroke:#9aa5b1}.o .b{stroke-dasharray:3 3}\
.e path{fill:none;stroke:#9aa5b1}.e:hover path{stroke:#c2410c}.c path{stroke-dasharray:5 3}";

/// The picture. Names are shortened; what a pointer on them shows has them whole.
pub fn svg(graph: &Graph) -> String {
    let layout = layout(graph);
    let notes = graph.left_out.len() as f64 + f64::from(u8::from(!graph.loops.is_empty()));
    let (width, height) = (
        (layout.width + LEFT + SIDE).max(620.0),
        layout.height + notes * NOTE + 12.0,
    );
    let mut text = String::new();
    let _ = writeln!(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">"
    );
    let title = match graph.kind {
        Kind::Dataflow => "Data flow, by line",
        Kind::Events => "Tasks and what they waited for",
    };
    let _ = writeln!(text, "<title>{title}</title>\n<style>{STYLE}</style>");
    text.push_str("<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#7a8794\"/></marker></defs>\n");
    text.push_str("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    let most = graph.edges.iter().map(weight).fold(1.0, f64::max);
    for (at, edge) in graph.edges.iter().enumerate() {
        write_edge(&mut text, &layout, at, edge, most);
    }
    let total: f64 = graph.nodes.iter().map(Node::shown_ns).sum();
    for (node, middle) in graph.nodes.iter().zip(&layout.nodes) {
        write_node(&mut text, graph.kind, node, *middle, total);
    }
    let mut y = layout.height;
    let mut note = |words: &str| {
        y += NOTE;
        let words = escaped(&short(words, 160));
        let _ = writeln!(
            text,
            "<text class=\"p\" x=\"{LEFT}\" y=\"{y:.0}\">{words}</text>"
        );
    };
    if !graph.loops.is_empty() {
        let loops = graph.loops.iter().take(4);
        let loops: Vec<String> = loops
            .map(|row| format!("{} iterations of {} operations", row.iterations, row.period))
            .collect();
        note(&format!(
            "Loops found by repetition: {}. Dashed: from an earlier iteration.",
            loops.join("; ")
        ));
    }
    for row in &graph.left_out {
        note(&format!("Not shown: {} {}.", row.count, row.what));
    }
    text.push_str("</svg>\n");
    text
}

fn weight(edge: &Edge) -> f64 {
    edge.dependences as f64
}

fn write_node(text: &mut String, kind: Kind, node: &Node, (x, y): Point, total: f64) {
    let share = match total > 0.0 {
        true => (node.shown_ns() / total).clamp(0.0, 1.0),
        false => 0.0,
    };
    // From white to a calm orange, by the part of the time.
    let mix = |from: f64, to: f64| (from + (to - from) * share.sqrt()).round();
    let fill = format!(
        "rgb({},{},{})",
        mix(248.0, 251.0),
        mix(250.0, 191.0),
        mix(252.0, 120.0)
    );
    let (left, top) = (x + LEFT - WIDTH / 2.0, y - HEIGHT / 2.0);
    let place = node
        .place
        .as_deref()
        .map_or(String::new(), |place| short_place(place, 30));
    let count = match (kind, node.iteration.filter(|_| !node.outside)) {
        (Kind::Events, _) => time(node.shown_ns()),
        (_, Some(number)) if node.operations == 1 => {
            format!("iteration {number}, {}", time(node.shown_ns()))
        }
        _ => format!(
            "{}× {}, mean {}",
            node.operations,
            time(node.shown_ns()),
            time(node.mean_ns)
        ),
    };
    let class = if node.outside { " class=\"o\"" } else { "" };
    let _ = writeln!(
        text,
        "<g{class}><title>{}</title><rect class=\"b\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\" fill=\"{fill}\"/>",
        escaped(&about_node(node))
    );
    let rows = [("n", short(&node.name, 26)), ("p", place), ("p", count)];
    for (row, (class, words)) in rows.iter().enumerate() {
        let _ = write!(
            text,
            "<text class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            left + 10.0,
            top + 17.0 + 14.0 * row as f64,
            escaped(words)
        );
    }
    text.push_str("</g>\n");
}

fn write_edge(text: &mut String, layout: &Layout, at: usize, edge: &Edge, most: f64) {
    let ends = (
        layout.nodes.get(edge.from as usize),
        layout.nodes.get(edge.to as usize),
    );
    let (Some(from), Some(to)) = ends else { return };
    let points = layout.edges.get(at).map_or(&[][..], Vec::as_slice);
    let (path, middle) = match points.len() {
        0 => backwards(*from, *to, at),
        _ => forwards(points),
    };
    let class = if edge.carried > 0 { "e c" } else { "e" };
    let stroke = 1.0 + 2.0 * (weight(edge) / most).sqrt();
    let _ = writeln!(
        text,
        "<g class=\"{class}\"><title>{}</title><path d=\"{path}\" stroke-width=\"{stroke:.1}\" marker-end=\"url(#a)\"/><text class=\"l\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
        escaped(&about_edge(edge)),
        middle.0 + 4.0,
        middle.1,
        escaped(&edge_label(edge))
    );
}

/// From the bottom of the first point to the top of the last, and a point for the label.
fn forwards(points: &[Point]) -> (String, Point) {
    let last = points.len() - 1;
    let (mut path, mut before) = (String::new(), (0.0, 0.0));
    let mut middle = before;
    for (at, (x, y)) in points.iter().enumerate() {
        let x = x + LEFT;
        let y = match at {
            0 => y + HEIGHT / 2.0,
            _ if at == last => y - HEIGHT / 2.0 - 1.0,
            _ => *y,
        };
        if at == 0 {
            let _ = write!(path, "M{x:.1} {y:.1}");
        } else {
            let half = (before.1 + y) / 2.0;
            let _ = write!(
                path,
                "C{:.1} {half:.1} {x:.1} {half:.1} {x:.1} {y:.1}",
                before.0
            );
            if at == 1 {
                middle = ((before.0 + x) / 2.0, half);
            }
        }
        before = (x, y);
    }
    (path, middle)
}

/// Around the right side; a node's edge to itself is a small bow.
fn backwards(from: Point, to: Point, at: usize) -> (String, Point) {
    let right = |point: Point| point.0 + LEFT + WIDTH / 2.0;
    let (x0, x1) = (right(from), right(to));
    let (y0, y1) = match from == to {
        true => (from.1 + 14.0, to.1 - 14.0),
        false => (from.1 + 8.0, to.1 + 8.0),
    };
    let out = match from == to {
        true => x0 + 34.0,
        false => x0.max(x1) + 40.0 + (at % 4) as f64 * 9.0,
    };
    let path = format!(
        "M{x0:.1} {y0:.1}C{out:.1} {y0:.1} {out:.1} {y1:.1} {:.1} {y1:.1}",
        x1 + 1.0
    );
    let middle = ((x0 + x1) / 8.0 + out * 0.75, (y0 + y1) / 2.0 + 3.0);
    (path, middle)
}

/// A text as XML. What XML forbids altogether has been replaced.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for line in text.split('\n') {
        if !safe.is_empty() {
            safe.push('\n');
        }
        for letter in shown(line).chars() {
            match letter {
                '&' => safe.push_str("&amp;"),
                '<' => safe.push_str("&lt;"),
                '>' => safe.push_str("&gt;"),
                '"' => safe.push_str("&quot;"),
                '\'' => safe.push_str("&#39;"),
                letter => safe.push(letter),
            }
        }
    }
    safe
}
