//! A graph as a self-contained picture: no scripts, fonts or other files.

use super::labels::{self, Area, OccupiedAreas, on_curve};
use super::layout::{HEIGHT, Layout, Point, WIDTH, layout};
use super::texts::{
    about_edge, about_node, displayable, edge_label, fitting, fitting_place, short_name, time,
};
use super::types::{Edge, Graph, GraphKind, Node};
use std::fmt::Write;

/// Minimum room on the right, for edges that lead backwards.
const SIDE: f64 = 90.0;
const LEFT: f64 = 24.0;
const NOTE: f64 = 16.0;

const STYLE: &str = "\
text{font-family:system-ui,sans-serif;fill:#1f2933}\
.n{font-size:12px;font-weight:600}.p{font-size:10.5px;fill:#52606d}\
.l{font-size:9.5px;fill:#52606d;paint-order:stroke;stroke:#fff;stroke-width:3px}\
.b{stroke:#9aa5b1}.o .b{stroke-dasharray:3 3}\
.e path{fill:none;stroke:#9aa5b1}.e:hover path{stroke:#c2410c}.c path{stroke-dasharray:5 3}";

/// Draws the picture. Names are shortened; their tooltips contain them in full.
pub fn svg(graph: &Graph) -> String {
    let layout = layout(graph);
    let most = graph.edges.iter().map(weight).fold(1.0, f64::max);
    let (edges, right, without_label) = edges(graph, &layout, most);
    let notes = notes(graph, without_label);
    let (width, height) = (
        (layout.width + LEFT + SIDE).max(620.0).max(right + 8.0),
        layout.height + notes.len() as f64 * NOTE + 12.0,
    );
    let mut text = String::new();
    let _ = writeln!(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">"
    );
    let title = match graph.kind {
        GraphKind::Dataflow => "Data flow, by line",
        GraphKind::Events => "Tasks and what they waited for",
    };
    let _ = writeln!(text, "<title>{title}</title>\n<style>{STYLE}</style>");
    text.push_str("<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#7a8794\"/></marker></defs>\n");
    text.push_str("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    text.push_str(&edges);
    let total: f64 = graph.nodes.iter().map(Node::shown_ns).sum();
    for (node, middle) in graph.nodes.iter().zip(&layout.nodes) {
        write_node(&mut text, graph.kind, node, *middle, total);
    }
    for (row, words) in (1..).zip(&notes) {
        let y = layout.height + NOTE * f64::from(row);
        let words = escaped(&fitting(words, width - 2.0 * LEFT, 10.5));
        let _ = writeln!(
            text,
            "<text class=\"p\" x=\"{LEFT}\" y=\"{y:.0}\">{words}</text>"
        );
    }
    text.push_str("</svg>\n");
    text
}

/// Returns the sentences below the picture.
fn notes(graph: &Graph, without_label: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if !graph.loops.is_empty() {
        let loops = graph.loops.iter().take(4);
        let loops: Vec<String> = loops
            .map(|row| format!("{} iterations of {} operations", row.iterations, row.period))
            .collect();
        notes.push(format!("Loops found by repetition: {}.", loops.join("; ")));
        notes.push("Dashed: from an earlier iteration.".to_owned());
    }
    if without_label > 0 {
        notes.push(format!(
            "{without_label} edges have no room for their label; a pointer on them shows it."
        ));
    }
    let left_out = graph.left_out.iter();
    notes.extend(left_out.map(|row| format!("Not shown: {} {}.", row.count, row.what)));
    notes
}

fn weight(edge: &Edge) -> f64 {
    edge.dependences as f64
}

fn write_node(text: &mut String, kind: GraphKind, node: &Node, (x, y): Point, total: f64) {
    let share = match total > 0.0 {
        true => (node.shown_ns() / total).clamp(0.0, 1.0),
        false => 0.0,
    };
    // From white to a calm orange, by the share of the time.
    let mix = |from: f64, to: f64| (from + (to - from) * share.sqrt()).round();
    let fill = format!(
        "rgb({},{},{})",
        mix(248.0, 251.0),
        mix(250.0, 191.0),
        mix(252.0, 120.0)
    );
    let (left, top) = (x + LEFT - WIDTH / 2.0, y - HEIGHT / 2.0);
    let inner = WIDTH - 20.0;
    let place = node.place.as_deref();
    let place = place.map_or(String::new(), |place| fitting_place(place, inner, 10.5));
    let count = match (kind, node.iteration.filter(|_| !node.outside)) {
        (GraphKind::Events, _) => time(node.shown_ns()),
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
    let rows = [
        ("n", short_name(&node.name, inner, 13.0)),
        ("p", place),
        ("p", fitting(&count, inner, 10.5)),
    ];
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

/// Returns all edges followed by their labels, the right end of the rightmost label, and the number
/// of labels without room. Edges with the most dependences get room first.
fn edges(graph: &Graph, layout: &Layout, most: f64) -> (String, f64, usize) {
    let mut taken = OccupiedAreas::default();
    for (x, y) in &layout.nodes {
        taken.add(Area {
            left: x + LEFT - WIDTH / 2.0,
            top: y - HEIGHT / 2.0,
            right: x + LEFT + WIDTH / 2.0,
            bottom: y + HEIGHT / 2.0,
        });
    }
    let mut order: Vec<(usize, &Edge)> = graph.edges.iter().enumerate().collect();
    order.sort_by_key(|(at, edge)| (std::cmp::Reverse(edge.dependences), *at));
    let (mut text, mut right, mut without_label) = (String::new(), 0.0_f64, 0);
    let mut written = vec![String::new(); graph.edges.len()];
    // Labels are drawn after all edges, so that no edge crosses them.
    let mut labels_text = String::new();
    for (at, edge) in order {
        let ends = (
            layout.nodes.get(edge.from as usize),
            layout.nodes.get(edge.to as usize),
        );
        let (Some(from), Some(to)) = ends else {
            continue;
        };
        let points = layout.edges.get(at).map_or(&[][..], Vec::as_slice);
        let curves = match points.len() {
            0 => vec![backwards(*from, *to, at)],
            _ => forwards(points),
        };
        let label = edge_label(edge);
        let place = taken.place_label(&label, &places(&curves));
        match place {
            Some((x, y)) => {
                right = right.max(x + labels::width(&label) * labels::SIZE);
                let (words, about) = (escaped(&label), escaped(&about_edge(edge)));
                let _ = writeln!(
                    labels_text,
                    "<text class=\"l\" x=\"{x:.1}\" y=\"{y:.1}\"><title>{about}</title>{words}</text>"
                );
            }
            None => without_label += 1,
        }
        if let Some(written) = written.get_mut(at) {
            *written = edge_text(edge, &curves, most);
        }
    }
    written.iter().for_each(|edge| text.push_str(edge));
    text.push_str(&labels_text);
    (text, right, without_label)
}

/// The control points of a Bézier curve.
type Curve = [Point; 4];

/// Returns the points of an edge next to which its label may be placed, the best first.
fn places(curves: &[Curve]) -> Vec<Point> {
    // Most edges are far apart in the middle of their first and last parts, and crowded at their
    // ends.
    let first = curves.first().into_iter();
    let last = curves
        .last()
        .into_iter()
        .skip(usize::from(curves.len() < 2));
    let between = curves.iter().skip(1).take(curves.len().saturating_sub(2));
    let curves: Vec<&Curve> = first.chain(last).chain(between).take(12).collect();
    let parts = [0.5, 0.65, 0.35, 0.78, 0.22];
    let points = curves.iter().flat_map(|curve| {
        let points = parts.iter().map(|part| on_curve(**curve, *part));
        points.map(|(x, y)| (x, y + 3.0))
    });
    points.collect()
}

fn edge_text(edge: &Edge, curves: &[Curve], most: f64) -> String {
    let mut path = String::new();
    for (at, [from, one, other, to]) in curves.iter().enumerate() {
        if at == 0 {
            let _ = write!(path, "M{:.1} {:.1}", from.0, from.1);
        }
        let _ = write!(
            path,
            "C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
            one.0, one.1, other.0, other.1, to.0, to.1
        );
    }
    let class = if edge.carried > 0 { "e c" } else { "e" };
    let stroke = 1.0 + 2.0 * (weight(edge) / most).sqrt();
    format!(
        "<g class=\"{class}\"><title>{}</title><path d=\"{path}\" stroke-width=\"{stroke:.1}\" marker-end=\"url(#a)\"/></g>\n",
        escaped(&about_edge(edge)),
    )
}

/// Draws from the bottom of the first point to the top of the last.
fn forwards(points: &[Point]) -> Vec<Curve> {
    let last = points.len() - 1;
    let at = |at: usize, (x, y): Point| {
        let y = match at {
            0 => y + HEIGHT / 2.0,
            _ if at == last => y - HEIGHT / 2.0 - 1.0,
            _ => y,
        };
        (x + LEFT, y)
    };
    let points: Vec<Point> = points.iter().enumerate().map(|(n, p)| at(n, *p)).collect();
    let pairs = points
        .windows(2)
        .filter_map(|pair| <[Point; 2]>::try_from(pair).ok());
    pairs
        .map(|[from, to]| {
            let half = (from.1 + to.1) / 2.0;
            [from, (from.0, half), (to.0, half), to]
        })
        .collect()
}

/// Draws around the right side; an edge from a node to itself is a small bow.
fn backwards(from: Point, to: Point, at: usize) -> Curve {
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
    [(x0, y0), (out, y0), (out, y1), (x1 + 1.0, y1)]
}

/// Escapes a text for XML. Characters that XML forbids have been replaced before.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for line in text.split('\n') {
        if !safe.is_empty() {
            safe.push('\n');
        }
        for letter in displayable(line).chars() {
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
