//! The positions of a picture's nodes: in layers, with dependants below their predecessors as far
//! as loops allow.
//!
//! Nodes are in program order, so an edge that leads backwards closes a loop, and does not affect
//! layers. Each layer is sorted a few times by the mean position of its nodes' neighbours. An edge
//! over several layers has a place in each of them.

use super::types::Graph;

/// Width of a node.
pub(super) const WIDTH: f64 = 206.0;
/// Height of a node.
pub(super) const HEIGHT: f64 = 52.0;
const GAP: f64 = 34.0;
const LAYER: f64 = 112.0;
/// Width of the place of an edge that passes a layer.
const PASSING: f64 = 14.0;
/// Maximum number of places of passing edges; beyond it, edges are drawn straight.
const MOST_PASSING: usize = 100_000;
const SWEEPS: usize = 8;
/// Maximum number of nodes in a row: a layer with more of them is several rows.
const ABREAST: usize = 6;

/// A point of a picture, in pixels.
pub(super) type Point = (f64, f64);

/// The positions of a graph's nodes and edges.
#[derive(Debug)]
pub(super) struct Layout {
    /// The centre of each node.
    pub(super) nodes: Vec<Point>,
    /// For each edge that leads forwards, the points that it passes, from node to node; empty for
    /// other edges.
    pub(super) edges: Vec<Vec<Point>>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// An item of a layer: a node, or an edge that passes.
struct Item {
    layer: usize,
    width: f64,
    x: f64,
    neighbours: Vec<usize>,
}

/// Lays out a graph.
pub(super) fn layout(graph: &Graph) -> Layout {
    let layers = layers(graph);
    let mut items: Vec<Item> = layers
        .iter()
        .map(|layer| Item {
            layer: *layer,
            width: WIDTH + GAP,
            x: 0.0,
            neighbours: Vec::new(),
        })
        .collect();
    let mut paths: Vec<Vec<usize>> = Vec::with_capacity(graph.edges.len());
    let mut passing = 0;
    for edge in &graph.edges {
        let (from, to) = (edge.from as usize, edge.to as usize);
        if from >= to || to >= layers.len() {
            paths.push(Vec::new());
            continue;
        }
        let (first, last) = (layers[from], layers[to]);
        let mut path = vec![from];
        if passing + last.saturating_sub(first) <= MOST_PASSING {
            for layer in first + 1..last {
                passing += 1;
                path.push(items.len());
                items.push(Item {
                    layer,
                    width: PASSING,
                    x: 0.0,
                    neighbours: Vec::new(),
                });
            }
        }
        path.push(to);
        for pair in path.windows(2) {
            if let [one, other] = *pair {
                items[one].neighbours.push(other);
                items[other].neighbours.push(one);
            }
        }
        paths.push(path);
    }
    let width = place(&mut items);
    let y = |layer: usize| 30.0 + HEIGHT / 2.0 + layer as f64 * LAYER;
    let point = |at: usize| items.get(at).map(|item| (item.x, y(item.layer)));
    let deepest = layers.iter().copied().max().unwrap_or(0);
    Layout {
        nodes: (0..layers.len()).filter_map(point).collect(),
        edges: paths
            .iter()
            .map(|path| path.iter().copied().filter_map(point).collect())
            .collect(),
        width,
        height: y(deepest) + HEIGHT / 2.0 + 30.0,
    }
}

/// Returns the layer of each node: the longest path from the top over edges that lead forwards. A
/// node without predecessors is just above its first dependant.
fn layers(graph: &Graph) -> Vec<usize> {
    let mut layers = vec![0_usize; graph.nodes.len()];
    let mut edges: Vec<(usize, usize)> = graph
        .edges
        .iter()
        .map(|edge| (edge.from as usize, edge.to as usize))
        .filter(|(from, to)| from < to && *to < layers.len())
        .collect();
    // Sorted, so that all edges into a node come before those out of it.
    edges.sort_unstable();
    let mut first = vec![None::<usize>; layers.len()];
    for (from, to) in &edges {
        layers[*to] = layers[*to].max(layers[*from] + 1);
    }
    for (from, to) in edges {
        let above = layers[to] - 1;
        first[from] = Some(first[from].map_or(above, |first| first.min(above)));
    }
    for (layer, first) in layers.iter_mut().zip(first) {
        if let (0, Some(first)) = (*layer, first) {
            *layer = first;
        }
    }
    in_rows(&layers)
}

/// Assigns nodes to rows: for each layer as many as its nodes need.
fn in_rows(layers: &[usize]) -> Vec<usize> {
    let count = layers
        .iter()
        .copied()
        .max()
        .map_or(0, |deepest| deepest + 1);
    let mut sizes = vec![0_usize; count];
    for layer in layers {
        sizes[*layer] += 1;
    }
    let mut row = 0;
    // The first row of each layer, and the number of its rows.
    let mut rows = Vec::with_capacity(count);
    for size in sizes {
        let own = size.div_ceil(ABREAST).max(1);
        rows.push((row, own));
        row += own;
    }
    let mut placed = vec![0_usize; count];
    layers
        .iter()
        .map(|layer| {
            let (first, own) = rows[*layer];
            let at = placed[*layer];
            placed[*layer] += 1;
            first + at % own
        })
        .collect()
}

/// Places all items; returns the width of the whole.
fn place(items: &mut [Item]) -> f64 {
    let count = items.iter().map(|item| item.layer + 1).max().unwrap_or(0);
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (at, item) in items.iter().enumerate() {
        if let Some(row) = rows.get_mut(item.layer) {
            row.push(at);
        }
    }
    let widths: Vec<f64> = rows
        .iter()
        .map(|row| row.iter().map(|at| items[*at].width).sum())
        .collect();
    let width = widths.iter().copied().fold(WIDTH + GAP, f64::max);
    let spread = |items: &mut [Item], row: &[usize], own: f64| {
        let mut x = (width - own) / 2.0;
        for at in row {
            items[*at].x = x + items[*at].width / 2.0;
            x += items[*at].width;
        }
    };
    for (row, own) in rows.iter().zip(&widths) {
        spread(items, row, *own);
    }
    for sweep in 0..SWEEPS {
        let order: Vec<usize> = match sweep % 2 {
            0 => (0..count).collect(),
            _ => (0..count).rev().collect(),
        };
        for layer in order {
            let (Some(row), Some(own)) = (rows.get_mut(layer), widths.get(layer)) else {
                continue;
            };
            let middle = |at: usize| {
                let item = &items[at];
                match item.neighbours.len() {
                    0 => item.x,
                    count => {
                        item.neighbours
                            .iter()
                            .map(|other| items[*other].x)
                            .sum::<f64>()
                            / count as f64
                    }
                }
            };
            let mut keys: Vec<(f64, usize)> = row.iter().map(|at| (middle(*at), *at)).collect();
            keys.sort_by(|one, other| one.0.total_cmp(&other.0));
            *row = keys.into_iter().map(|key| key.1).collect();
            spread(items, row, *own);
        }
    }
    width
}
