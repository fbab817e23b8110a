use super::*; use super::made::Shape; use std::collections::HashMap; use weft_nvtx_export::graph::{Choice, dataflow, events, svg};

/// A number of an attribute, such as `x` of `x="12.5"`.
fn attribute(tag: &str, name: &str) -> f64 {
    let (_, rest) = tag.split_once(&format!(" {name}=\"")).unwrap();
    rest.split('"').next().unwrap().parse().unwrap()
}

/// Rectangles of nodes and of the labels of edges: left, top, right, bottom.
fn areas(svg: &str) -> (Vec<[f64; 4]>, Vec<[f64; 4]>) {
    let boxes = svg.split("<rect class=\"b\"").skip(1).map(|tag| {
        let [x, y, w, h] = ["x", "y", "width", "height"].map(|name| attribute(tag, name));
        [x, y, x + w, y + h]
    });
    let labels = svg.split("<text class=\"l\"").skip(1).map(|tag| {
        let (x, y) = (attribute(tag, "x"), attribute(tag, "y"));
        let words = tag.split("</title>").nth(1).unwrap();
        let letters = words.split("</text>").next().unwrap().chars().count();
        // No letter of a label is narrower than this.
        [x, y - 8.0, x + 3.0 * letters as f64, y]
    });
    (boxes.collect(), labels.collect())
}

fn meet(one: &[f64; 4], other: &[f64; 4]) -> bool {
    one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]
}

#[test]
fn labels_of_edges_cover_neither_nodes_nor_each_other() {
    for tasks in [20, 200, 600] {
        let joined = made::joined(Shape {
            seed: tasks,
            ranks: 1,
            tasks,
            zero: 5_000,
            broken: false,
        });
        for graph in [
            dataflow(&joined, Choice::default()).unwrap(),
            events(&joined, 120),
        ] {
            let picture = svg(&graph);
            let (nodes, labels) = areas(&picture);
            assert_eq!(nodes.len(), graph.nodes.len());
            for (at, label) in labels.iter().enumerate() {
                assert!(!nodes.iter().any(|node| meet(node, label)), "{label:?}");
                assert!(!labels[..at].iter().any(|other| meet(other, label)), "{label:?}");
                assert!(label[2] <= attribute(&picture, "width"), "{label:?}");
            }
            // Each edge has a label, or is counted.
            let without = graph.edges.len() - labels.len();
            let sentence = format!("{without} edges have no room for their label");
            assert_eq!(picture.contains(&sentence), without > 0);
        }
    }
}

#[test]
fn many_nodes_of_a_layer_are_several_rows() {
    let joined = made::joined(Shape {
        seed: 3,
        ranks: 1,
        tasks: 400,
        zero: 5_000,
        broken: false,
    });
    let mut graph = events(&joined, 200);
    // Nothing depends on anything: all nodes are of one layer.
    graph.edges.clear();
    let (nodes, _) = areas(&svg(&graph));
    let mut rows: HashMap<i64, usize> = HashMap::new();
    for node in &nodes {
        *rows.entry(node[1] as i64).or_default() += 1;
    }
    assert!(nodes.len() > 100 && rows.values().all(|row| *row <= 6), "{rows:?}");
}
