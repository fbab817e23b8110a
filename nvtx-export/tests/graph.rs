//! Graphs of dependences: folding loses nothing, and pictures have the format that their readers
//! require.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use crate::made::{self, Shape};
use crate::support::shared;
use proptest::prelude::*;
use std::collections::HashMap;
use weft_analysis::graph::{Choice, Graph, GraphError, dataflow, dot, events, svg};
use weft_model::Trace;
use weft_nvtx_export::{ReadOptions, read};

fn legate(name: &str) -> Trace {
    let (_folder, path) = shared(&format!("legate/{name}.prof.zst"), "legate_0.prof").unwrap();
    read(&[path], &ReadOptions::default()).unwrap()
}

/// Checks that every end of an edge is a node, ids are positions, and parts add up to the whole.
fn check(graph: &Graph) {
    for (at, node) in graph.nodes.iter().enumerate() {
        assert_eq!(node.id as usize, at);
        assert!(node.operations > 0, "{node:?}");
        assert!(
            (node.mean_ns * node.operations as f64 - node.shown_ns()).abs()
                <= 1.0 + node.shown_ns().abs() * 1e-9
        );
    }
    for edge in &graph.edges {
        let nodes = graph.nodes.len() as u32;
        assert!(edge.from < nodes && edge.to < nodes, "{edge:?}");
        let kinds = [
            edge.read_after_write,
            edge.write_after_read,
            edge.write_after_write,
            edge.order,
        ];
        assert_eq!(kinds.iter().sum::<u64>(), edge.dependences);
        assert!(edge.carried <= edge.dependences && edge.unknown_store <= edge.dependences);
        let stores: u64 = edge.stores.iter().map(|store| store.bytes_at_most).sum();
        assert_eq!(edge.shared_bytes_at_most.unwrap_or(0), stores);
    }
    check_xml(&svg(graph));
    let (nodes, edges) = parse_dot(&dot(graph));
    assert_eq!(nodes.len(), graph.nodes.len());
    let ends: Vec<_> = graph
        .edges
        .iter()
        .map(|edge| (edge.from, edge.to))
        .collect();
    assert_eq!(edges, ends);
    let text = serde_json::to_string(graph).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["nodes"].as_array().unwrap().len(), graph.nodes.len());
}

fn left_out(graph: &Graph, what: &str) -> u64 {
    let rows = graph.left_out.iter();
    rows.filter(|row| row.what.contains(what))
        .map(|row| row.count)
        .sum()
}

/// Checks that every task, copy and dependence is in the graph or counted.
fn check_whole(trace: &Trace, graph: &Graph) {
    let work: u64 = graph
        .nodes
        .iter()
        .map(|node| node.tasks + node.copies)
        .sum();
    let rest = left_out(graph, "tasks and copies whose operation");
    assert_eq!(
        work + rest,
        (trace.work.tasks.len() + trace.work.copies.len()) as u64
    );
    if trace.work.events.activities.is_empty() {
        let shown: u64 = graph.edges.iter().map(|edge| edge.dependences).sum();
        let rest = left_out(graph, "of one operation") + left_out(graph, "dependences on");
        assert_eq!(shown + rest, trace.work.dependencies.len() as u64);
    }
    let operations: u64 = graph.nodes.iter().map(|node| node.operations).sum();
    let empty = left_out(graph, "operations without tasks");
    assert_eq!(operations + empty, trace.program.operations.len() as u64);
}

/// Checks that elements close in order, and that texts contain nothing that XML forbids.
fn check_xml(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    let mut roots = 0;
    while let Some(at) = rest.find('<') {
        check_text(&rest[..at]);
        let end = rest.find('>').unwrap();
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        let name = tag.trim_matches('/').split_whitespace().next().unwrap();
        assert!(name.bytes().all(|byte| byte.is_ascii_alphabetic()), "{tag}");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else {
            assert!(tag.matches('"').count().is_multiple_of(2), "{tag}");
            roots += usize::from(open.is_empty());
            if !tag.ends_with('/') {
                open.push(name);
            }
        }
    }
    check_text(rest);
    assert!(open.is_empty() && roots == 1, "{open:?}");
}

fn check_text(text: &str) {
    assert!(!text.contains('>'), "{text}");
    for part in text.split('&').skip(1) {
        let entity = part.split(';').next().unwrap();
        assert!(
            ["amp", "lt", "gt", "quot", "#39"].contains(&entity),
            "{text}"
        );
    }
    let is_allowed = |letter: char| {
        letter == '\n' || (!letter.is_control() && letter < '\u{fffe}') || letter > '\u{ffff}'
    };
    assert!(text.chars().all(is_allowed), "{text:?}");
}

/// Parses the output of `dot`: the nodes with their labels, and the edges.
fn parse_dot(text: &str) -> (HashMap<u32, String>, Vec<(u32, u32)>) {
    let body = text
        .strip_prefix("digraph weft {\n")
        .unwrap()
        .strip_suffix("}\n")
        .unwrap();
    let (mut nodes, mut edges) = (HashMap::new(), Vec::new());
    for line in body.lines().map(str::trim) {
        if line.starts_with("//") {
            continue;
        }
        let (id, rest) = line.split_once(" [").unwrap();
        let labels = quoted(rest.strip_suffix("];").unwrap());
        let number = |id: &str| id.strip_prefix('n').and_then(|id| id.parse().ok());
        match id.split_once(" -> ") {
            Some((from, to)) => edges.push((number(from).unwrap(), number(to).unwrap())),
            None if id == "node" || id == "edge" => {}
            None => assert!(
                nodes
                    .insert(number(id).unwrap(), labels[0].clone())
                    .is_none()
            ),
        }
    }
    (nodes, edges)
}

/// Returns the quoted texts of a list of attributes. Outside of them are only names, `=` and
/// commas.
fn quoted(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '"' {
            assert!(
                letter.is_ascii_alphanumeric() || "=, ".contains(letter),
                "{text}"
            );
            continue;
        }
        let mut inner = String::new();
        loop {
            match letters.next().unwrap_or_else(|| panic!("no end: {text}")) {
                '"' => break,
                '\\' => inner.extend(['\\', letters.next().unwrap()]),
                letter => inner.push(letter),
            }
        }
        found.push(inner);
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn folding_preserves_totals(
        seed in any::<u64>(),
        ranks in 1_u16..3,
        tasks in 60_u64..160,
        broken in any::<bool>(),
        limit in 0_usize..60,
    ) {
        let trace = made::trace(Shape { seed, ranks, tasks, zero: 1_000_000, broken });
        let graph = dataflow(&trace, Choice::default()).unwrap();
        check(&graph);
        check_whole(&trace, &graph);
        let events = events(&trace, limit);
        check(&events);
        prop_assert!(events.nodes.len() <= limit);
        let more = left_out(&events, "began later");
        prop_assert_eq!(events.nodes.len() as u64 + more, (trace.work.tasks.len() + trace.work.copies.len()) as u64);
    }
}

#[test]
fn dependence_stores_match_their_records() {
    let trace = made::trace(Shape {
        seed: 9,
        ranks: 1,
        tasks: 80,
        zero: 0,
        broken: false,
    });
    let graph = dataflow(&trace, Choice::default()).unwrap();
    check(&graph);
    check_whole(&trace, &graph);
    let shown = |of: &dyn Fn(&weft_analysis::graph::Edge) -> u64| -> u64 {
        graph.edges.iter().map(of).sum()
    };
    let dependences = shown(&|edge| edge.dependences);
    let bytes = shown(&|edge| edge.shared_bytes_at_most.unwrap_or(0));
    let unknown = shown(&|edge| edge.unknown_store);
    let rows = &trace.work.dependencies;
    let known: u64 = rows.iter().filter_map(|row| row.bytes).sum();
    let without = rows.iter().filter(|row| row.store.is_none()).count() as u64;
    assert!(dependences > 0 && bytes > 0 && unknown > 0);
    // Dependences that are not between two operations are left out.
    assert!(bytes <= known && unknown <= without);
    // Counting one by one gives the same result.
    let events = events(&trace, usize::MAX);
    check(&events);
    let one_by_one: u64 = events
        .edges
        .iter()
        .filter_map(|edge| edge.shared_bytes_at_most)
        .sum();
    assert_eq!(one_by_one, known);
}

#[test]
fn escapes_hostile_names() {
    let mut trace = made::trace(Shape {
        seed: 5,
        ranks: 1,
        tasks: 40,
        zero: 0,
        broken: false,
    });
    let names = [
        "<script>alert(1)</script>".to_owned(),
        "x".repeat(10_000),
        "a\nb\u{0}\u{1b}[2J\u{ffff}\u{202e}".to_owned(),
        "\\\"]; n0 -> n1 [label=\"".to_owned(),
        "]]>&amp;--><!--".to_owned(),
    ];
    let names = names.map(|name| trace.strings.intern(&name));
    for (at, operation) in trace.program.operations.iter_mut().enumerate() {
        operation.name = names[at % names.len()];
    }
    let graph = dataflow(&trace, Choice::default()).unwrap();
    assert!(
        graph
            .nodes
            .iter()
            .any(|node| node.name.starts_with("<script>"))
    );
    check(&graph);
    check(&events(&trace, 100));
    assert!(!svg(&graph).contains("<script"));
}

#[test]
fn legate_profiles_fold_to_their_lines() {
    for name in ["stencil", "cg", "black_scholes"] {
        let trace = legate(name);
        let graph = dataflow(&trace, Choice::default()).unwrap();
        check(&graph);
        check_whole(&trace, &graph);
        assert!(
            (3..80).contains(&graph.nodes.len()),
            "{name}: {} nodes",
            graph.nodes.len()
        );
        assert!(!graph.edges.is_empty(), "{name}");
        check(&events(&trace, 150));
    }
}

#[test]
fn unfolds_the_stencil_loop() {
    let trace = legate("stencil");
    let graph = dataflow(&trace, Choice::default()).unwrap();
    let longest = graph
        .loops
        .iter()
        .max_by_key(|row| row.period * row.iterations)
        .unwrap();
    assert!(
        longest.iterations >= 15,
        "20 iterations were run: {:?}",
        graph.loops
    );
    assert!(graph.edges.iter().any(|edge| edge.carried > 0));
    let choice = |iteration| Choice {
        iteration: Some(iteration),
        of_loop: None,
    };
    let one = dataflow(&trace, choice(2)).unwrap();
    check(&one);
    let inside = one.nodes.iter().filter(|node| !node.outside);
    assert!(
        inside
            .clone()
            .all(|node| node.operations == 1 && node.iteration == Some(2))
    );
    assert!(inside.count() >= 3);
    assert!(matches!(
        dataflow(&trace, choice(1000)),
        Err(GraphError::OutOfLoop { given: 1000, .. })
    ));
    insta::assert_snapshot!(summary(&graph));
}

/// Returns the nodes and edges without times.
fn summary(graph: &Graph) -> String {
    let mut text = String::new();
    for node in &graph.nodes {
        let place = node.place.as_deref().unwrap_or("(no line)");
        let place = place.rsplit('/').next().unwrap();
        text += &format!(
            "{} {} {place}: {} operations, {} tasks\n",
            node.id, node.name, node.operations, node.tasks
        );
    }
    for edge in &graph.edges {
        text += &format!(
            "{} -> {}: {} dependences, {} carried\n",
            edge.from, edge.to, edge.dependences, edge.carried
        );
    }
    text
}

/// Returns a number of an attribute, such as `x` of `x="12.5"`.
fn attribute(tag: &str, name: &str) -> f64 {
    let (_, rest) = tag.split_once(&format!(" {name}=\"")).unwrap();
    rest.split('"').next().unwrap().parse().unwrap()
}

/// Returns the rectangles of nodes and of edge labels: left, top, right, bottom.
fn areas(svg: &str) -> (Vec<[f64; 4]>, Vec<[f64; 4]>) {
    let boxes = svg.split("<rect class=\"b\"").skip(1).map(|tag| {
        let [x, y, w, h] = ["x", "y", "width", "height"].map(|name| attribute(tag, name));
        [x, y, x + w, y + h]
    });
    let labels = svg.split("<text class=\"l\"").skip(1).map(|tag| {
        let (x, y) = (attribute(tag, "x"), attribute(tag, "y"));
        let words = tag.split("</title>").nth(1).unwrap();
        let letters = words.split("</text>").next().unwrap().chars().count();
        // A lower limit for the width of a label's letters.
        [x, y - 8.0, x + 3.0 * letters as f64, y]
    });
    (boxes.collect(), labels.collect())
}

fn meet(one: &[f64; 4], other: &[f64; 4]) -> bool {
    one[0] < other[2] && other[0] < one[2] && one[1] < other[3] && other[1] < one[3]
}

#[test]
fn edge_labels_cover_neither_nodes_nor_each_other() {
    for tasks in [20, 200, 600] {
        let trace = made::trace(Shape {
            seed: tasks,
            ranks: 1,
            tasks,
            zero: 5_000,
            broken: false,
        });
        for graph in [
            dataflow(&trace, Choice::default()).unwrap(),
            events(&trace, 120),
        ] {
            let picture = svg(&graph);
            let (nodes, labels) = areas(&picture);
            assert_eq!(nodes.len(), graph.nodes.len());
            for (at, label) in labels.iter().enumerate() {
                assert!(!nodes.iter().any(|node| meet(node, label)), "{label:?}");
                assert!(
                    !labels[..at].iter().any(|other| meet(other, label)),
                    "{label:?}"
                );
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
fn wraps_wide_layers_into_rows() {
    let trace = made::trace(Shape {
        seed: 3,
        ranks: 1,
        tasks: 400,
        zero: 5_000,
        broken: false,
    });
    let mut graph = events(&trace, 200);
    // Without dependences, all nodes are in one layer.
    graph.edges.clear();
    let (nodes, _) = areas(&svg(&graph));
    let mut rows: HashMap<i64, usize> = HashMap::new();
    for node in &nodes {
        *rows.entry(node[1] as i64).or_default() += 1;
    }
    assert!(
        nodes.len() > 100 && rows.values().all(|row| *row <= 6),
        "{rows:?}"
    );
}
