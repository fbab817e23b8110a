//! Loops in a sequence of steps.
//!
//! # The rule
//!
//! Each pair of consecutive steps is an edge of a flow graph. A loop is a strongly connected part
//! of this graph with an anchor: a step that every cycle of the part passes, so that each round of
//! the loop takes it once. The number of iterations is the number of times that the anchor was
//! taken. Steps that only some rounds take, such as a test in every tenth round, do not matter. Of
//! several anchors, the first in program order is used.
//!
//! If the text of the program shows that a part has calls of an outer and of an inner loop, the
//! outer loop is chosen ([`Steps::outer`]). Its iterations are the rounds of a step that each of
//! them takes.
//!
//! A part without an anchor contains several loops. It is cut at one of its steps, and the parts
//! that are connected without this step are searched again. A loop that is found in this way is
//! accepted only if it has the same number of iterations in each of its runs, because branches look
//! similar. All its runs count as one loop.

use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::ops::Range;

/// A step that is in no loop, and that separates the steps around it.
pub(super) const BREAK: u32 = u32::MAX;
/// The maximum number of distinct steps of a part that is cut at each of them.
const CUT_AT_EACH: usize = 48;
/// The maximum depth of nested cuts.
const DEEPEST: usize = 3;

/// A loop: the range of positions of each iteration in the sequence, in order.
pub(super) type LoopRanges = Vec<Range<usize>>;

/// Properties of steps that their order does not show.
pub(super) trait Steps {
    /// Returns a step that each iteration of the outer loop takes, if the steps are those of nested
    /// loops. `counts` has the steps of a cyclic part, with the number of times that each was
    /// taken.
    fn outer(&self, counts: &FxHashMap<u32, usize>) -> Option<u32>;
}

impl Steps for () {
    fn outer(&self, _: &FxHashMap<u32, usize>) -> Option<u32> {
        None
    }
}

/// Returns the loops with at least `least` iterations, in the order of their first positions. No
/// position is in two loops.
pub(super) fn find(steps: &[u32], least: usize, known: &impl Steps) -> Vec<LoopRanges> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, step) in steps.iter().enumerate() {
        if *step == BREAK {
            parts.push(start..at);
            start = at + 1;
        }
    }
    parts.push(start..steps.len());
    parts.retain(|part| !part.is_empty());
    let mut search = Search {
        steps,
        known,
        least,
        loops: Vec::new(),
    };
    search.search(&parts, 0);
    disjoint(search.loops)
}

/// Returns the loops that cover most positions, without those that overlap them.
pub(super) fn disjoint(mut found: Vec<LoopRanges>) -> Vec<LoopRanges> {
    let size = |found: &LoopRanges| found.iter().map(ExactSizeIterator::len).sum::<usize>();
    found.sort_by_key(|found| {
        (
            std::cmp::Reverse(size(found)),
            found.first().map(|r| r.start),
        )
    });
    let mut taken: BTreeSet<(usize, usize)> = BTreeSet::new();
    let is_free = |taken: &BTreeSet<(usize, usize)>, range: &Range<usize>| {
        let before = taken.range(..(range.end, 0)).next_back();
        before.is_none_or(|before| before.1 <= range.start)
    };
    found.retain(|found| {
        let is_free = found.iter().all(|range| is_free(&taken, range));
        if is_free {
            taken.extend(found.iter().map(|range| (range.start, range.end)));
        }
        is_free
    });
    found.sort_by_key(|found| found.first().map(|range| range.start));
    found
}

struct Search<'a, K> {
    steps: &'a [u32],
    known: &'a K,
    least: usize,
    loops: Vec<LoopRanges>,
}

impl<K: Steps> Search<'_, K> {
    /// Finds the loops in these parts of the sequence.
    fn search(&mut self, parts: &[Range<usize>], depth: usize) {
        let graph = Flow::new(self.steps, parts);
        for component in graph.components() {
            let members: FxHashSet<u32> = component
                .iter()
                .filter_map(|node| graph.names.get(*node as usize))
                .copied()
                .collect();
            let runs = self.runs(parts, &members);
            if !graph.has_cycle(&component) {
                continue;
            }
            let outer = (depth == 0)
                .then(|| self.known.outer(&self.counts(&runs)))
                .flatten();
            if let Some(outer) = outer
                && self.add(&runs, outer, depth)
            {
                continue;
            }
            match self.anchor(&graph, &component, &runs) {
                Some(anchor) => {
                    self.add(&runs, anchor, depth);
                }
                None if depth < DEEPEST => self.cut(&graph, &component, &runs, depth),
                None => {}
            }
        }
    }

    /// Returns the runs in the parts: maximal ranges that consist of these steps.
    fn runs(&self, parts: &[Range<usize>], members: &FxHashSet<u32>) -> Vec<Range<usize>> {
        let mut runs = Vec::new();
        for part in parts {
            let mut start = None;
            for at in part.clone() {
                let is_member = self
                    .steps
                    .get(at)
                    .is_some_and(|step| members.contains(step));
                match (is_member, start) {
                    (true, None) => start = Some(at),
                    (false, Some(from)) => {
                        runs.push(from..at);
                        start = None;
                    }
                    _ => {}
                }
            }
            if let Some(from) = start {
                runs.push(from..part.end);
            }
        }
        runs
    }

    /// Returns the first step in program order that all cycles pass.
    fn anchor(&self, graph: &Flow, component: &[u32], runs: &[Range<usize>]) -> Option<u32> {
        let counts = self.counts(runs);
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let steps = runs.iter().filter_map(|run| self.steps.get(run.clone()));
        let order: Vec<u32> = steps
            .flatten()
            .copied()
            .filter(|step| seen.insert(*step))
            .collect();
        let most = counts.values().copied().max().unwrap_or(0);
        // Between two occurrences of any other step, the anchor is taken.
        let is_often = |step: &u32| {
            let count = counts.get(step).copied().unwrap_or(0);
            count + runs.len() >= most
        };
        let mut candidates = order.into_iter().filter(is_often);
        candidates.find(|step| graph.is_acyclic_without(component, *step))
    }

    /// Returns the number of times that each step of the runs was taken.
    fn counts(&self, runs: &[Range<usize>]) -> FxHashMap<u32, usize> {
        let mut counts = FxHashMap::default();
        for step in runs
            .iter()
            .filter_map(|run| self.steps.get(run.clone()))
            .flatten()
        {
            *counts.entry(*step).or_insert(0) += 1;
        }
        counts
    }

    /// Adds a loop with this anchor, if it is a loop.
    fn add(&mut self, runs: &[Range<usize>], anchor: u32, depth: usize) -> bool {
        let rounds: Vec<LoopRanges> = runs.iter().map(|run| self.rounds(run, anchor)).collect();
        let counts: BTreeSet<usize> = rounds.iter().map(Vec::len).collect();
        let is_regular = depth == 0 || (counts.len() == 1 && !counts.contains(&1));
        let rounds = rounds.concat();
        let is_loop = is_regular && rounds.len() >= self.least;
        if is_loop {
            self.loops.push(rounds);
        }
        is_loop
    }

    /// Returns the iterations of a run. Each begins with the anchor, except that the first begins
    /// with the run.
    fn rounds(&self, run: &Range<usize>, anchor: u32) -> LoopRanges {
        let is_anchor = |at: &usize| self.steps.get(*at) == Some(&anchor);
        let mut starts: Vec<usize> = run.clone().filter(is_anchor).collect();
        if let Some(first) = starts.first_mut() {
            *first = run.start;
        }
        let ends = starts.iter().skip(1).copied().chain([run.end]);
        starts
            .iter()
            .zip(ends)
            .map(|(start, end)| *start..end)
            .collect()
    }

    /// Searches the rest of a component without one of its steps.
    fn cut(&mut self, graph: &Flow, component: &[u32], runs: &[Range<usize>], depth: usize) {
        let first = runs
            .first()
            .and_then(|run| self.steps.get(run.start))
            .copied();
        let all = component
            .iter()
            .filter_map(|node| graph.names.get(*node as usize))
            .copied();
        let cuts: Vec<u32> = match component.len() <= CUT_AT_EACH && depth == 0 {
            true => all.collect(),
            false => first.into_iter().collect(),
        };
        for cut in cuts {
            let mut parts = Vec::new();
            for run in runs {
                let mut start = run.start;
                for at in run.clone() {
                    if self.steps.get(at) == Some(&cut) {
                        parts.push(start..at);
                        start = at + 1;
                    }
                }
                parts.push(start..run.end);
            }
            parts.retain(|part| !part.is_empty());
            self.search(&parts, depth + 1);
        }
    }
}

/// The flow graph, with an edge from each step to its successors.
struct Flow {
    /// The step of each node.
    names: Vec<u32>,
    nodes: FxHashMap<u32, u32>,
    edges: Vec<Vec<u32>>,
}

impl Flow {
    fn new(steps: &[u32], parts: &[Range<usize>]) -> Flow {
        let mut flow = Flow {
            names: Vec::new(),
            nodes: FxHashMap::default(),
            edges: Vec::new(),
        };
        let mut known: FxHashSet<(u32, u32)> = FxHashSet::default();
        for part in parts {
            let mut before = None;
            for step in steps.get(part.clone()).unwrap_or_default() {
                let node = flow.node(*step);
                if let Some(before) = before
                    && known.insert((before, node))
                    && let Some(edges) = flow.edges.get_mut(before as usize)
                {
                    edges.push(node);
                }
                before = Some(node);
            }
        }
        flow
    }

    fn node(&mut self, step: u32) -> u32 {
        let next = self.names.len() as u32;
        let node = *self.nodes.entry(step).or_insert(next);
        if node == next {
            self.names.push(step);
            self.edges.push(Vec::new());
        }
        node
    }

    fn after(&self, node: u32) -> &[u32] {
        self.edges.get(node as usize).map_or(&[], Vec::as_slice)
    }

    fn has_cycle(&self, component: &[u32]) -> bool {
        match component {
            [node] => self.after(*node).contains(node),
            _ => component.len() > 1,
        }
    }

    /// Returns the strongly connected components, by Tarjan's algorithm.
    fn components(&self) -> Vec<Vec<u32>> {
        let count = self.names.len();
        let (mut index, mut low) = (vec![u32::MAX; count], vec![u32::MAX; count]);
        let mut is_open = vec![false; count];
        let (mut open, mut found, mut next) = (Vec::new(), Vec::new(), 0_u32);
        for root in 0..count as u32 {
            if index.get(root as usize) != Some(&u32::MAX) {
                continue;
            }
            // Each call, with the number of its edges that were followed.
            let mut calls: Vec<(u32, usize)> = vec![(root, 0)];
            while let Some((node, edge)) = calls.pop() {
                let at = node as usize;
                if edge == 0 {
                    set(&mut index, at, next);
                    set(&mut low, at, next);
                    next += 1;
                    open.push(node);
                    set(&mut is_open, at, true);
                }
                if let Some(after) = self.after(node).get(edge).copied() {
                    calls.push((node, edge + 1));
                    let other = after as usize;
                    if get(&index, other) == u32::MAX {
                        calls.push((after, 0));
                    } else if is_open.get(other) == Some(&true) {
                        let least = get(&low, at).min(get(&index, other));
                        set(&mut low, at, least);
                    }
                    continue;
                }
                if let Some((caller, _)) = calls.last() {
                    let least = get(&low, *caller as usize).min(get(&low, at));
                    set(&mut low, *caller as usize, least);
                }
                if get(&low, at) == get(&index, at) {
                    let mut component = Vec::new();
                    while let Some(member) = open.pop() {
                        set(&mut is_open, member as usize, false);
                        component.push(member);
                        if member == node {
                            break;
                        }
                    }
                    found.push(component);
                }
            }
        }
        found
    }

    /// Returns whether all cycles of a component pass a step, that is, whether the others have a
    /// topological order.
    fn is_acyclic_without(&self, component: &[u32], step: u32) -> bool {
        let Some(removed) = self.nodes.get(&step).copied() else {
            return false;
        };
        let mut before: FxHashMap<u32, usize> = FxHashMap::default();
        for node in component.iter().filter(|node| **node != removed) {
            before.entry(*node).or_insert(0);
        }
        let members: Vec<u32> = before.keys().copied().collect();
        for node in &members {
            for after in self.after(*node) {
                if let Some(count) = before.get_mut(after) {
                    *count += 1;
                }
            }
        }
        let mut free: Vec<u32> = members
            .iter()
            .filter(|node| before.get(node) == Some(&0))
            .copied()
            .collect();
        let mut ordered = 0;
        while let Some(node) = free.pop() {
            ordered += 1;
            for after in self.after(node) {
                if let Some(count) = before.get_mut(after) {
                    *count -= 1;
                    if *count == 0 {
                        free.push(*after);
                    }
                }
            }
        }
        ordered == members.len()
    }
}

fn get(values: &[u32], at: usize) -> u32 {
    values.get(at).copied().unwrap_or(u32::MAX)
}

fn set<T>(values: &mut [T], at: usize, value: T) {
    if let Some(place) = values.get_mut(at) {
        *place = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(steps: &[u32]) -> Vec<usize> {
        find(steps, 3, &()).iter().map(Vec::len).collect()
    }

    fn repeat(body: &[u32], count: usize) -> Vec<u32> {
        body.repeat(count)
    }

    #[test]
    fn finds_plain_loops() {
        assert_eq!(find(&[], 3, &()), Vec::<LoopRanges>::new());
        assert_eq!(counts(&[1, 2, 3, 1, 2, 3]), [0usize; 0]);
        assert_eq!(counts(&[1, 2, 3, 4, 5]), [0usize; 0]);
        assert_eq!(counts(&repeat(&[7], 9)), [9]);
        let two = [
            vec![1, 2],
            repeat(&[3, 4, 5], 5),
            vec![6],
            repeat(&[7, 8], 4),
            vec![9],
        ]
        .concat();
        assert_eq!(counts(&two), [5, 4]);
        assert_eq!(find(&two, 3, &())[0][1], 5..8);
        let separated = [repeat(&[3, 4], 5), vec![BREAK], repeat(&[5], 4)].concat();
        assert_eq!(counts(&separated), [5, 4]);
    }

    #[test]
    fn counts_iterations_with_branches_and_early_exits() {
        let mut steps = vec![100];
        for round in 0..60 {
            steps.extend([1, 2, 3]);
            if round % 10 == 9 {
                steps.extend([4, 5]);
            }
        }
        assert_eq!(counts(&steps), [60]);
        let branches: Vec<u32> = (0..40_u32).flat_map(|at| [1, 2 + at * at % 3, 9]).collect();
        assert_eq!(counts(&branches), [40]);
        let ended = [repeat(&[1, 2, 3], 12), vec![1, 2]].concat();
        assert_eq!(counts(&ended), [13]);
        // A test that is compiled twice, before the loop and at its end.
        let whiles = [vec![8], repeat(&[1, 2, 9], 12)].concat();
        assert_eq!(counts(&whiles), [12]);
        // A sequence of branches has no step that each round takes.
        let random = [1, 2, 1, 1, 2, 2, 2, 1, 2, 1, 1, 1, 2];
        assert_eq!(counts(&random), [0usize; 0]);
    }

    #[test]
    fn counts_all_runs_of_inner_loops() {
        let outer: Vec<u32> = (0..6)
            .flat_map(|_| [vec![1], repeat(&[2, 3], 10)].concat())
            .collect();
        assert_eq!(counts(&outer), [60]);
        let two: Vec<u32> = (0..5)
            .flat_map(|_| [repeat(&[1], 4), repeat(&[2, 3], 7)].concat())
            .collect();
        assert_eq!(counts(&two), [20, 35].map(|count| count).to_vec());
        let around: Vec<u32> = (0..5)
            .flat_map(|_| [vec![9], repeat(&[1], 4), vec![8], repeat(&[2, 3], 7)].concat())
            .collect();
        assert_eq!(counts(&around), [20, 35]);
    }

    #[test]
    fn prefers_a_known_outer_loop() {
        struct Outer;
        impl Steps for Outer {
            fn outer(&self, _: &FxHashMap<u32, usize>) -> Option<u32> {
                Some(1)
            }
        }
        let steps: Vec<u32> = (0..6)
            .flat_map(|_| [vec![1], repeat(&[2, 3], 10)].concat())
            .collect();
        let found = find(&steps, 3, &Outer);
        assert_eq!(
            (found.len(), found[0].len(), found[0][1].clone()),
            (1, 6, 21..42)
        );
    }

    #[test]
    fn iterations_are_disjoint_and_in_order() {
        let mut seed = 11_u64;
        let mut next = |below: u64| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((seed >> 33) % below) as u32
        };
        for _ in 0..300 {
            let length = next(120) as usize;
            let kinds = u64::from(next(6)) + 1;
            let steps: Vec<u32> = (0..length).map(|_| next(kinds)).collect();
            let found = find(&steps, 3, &());
            let mut seen = vec![false; length];
            for iterations in &found {
                assert!(iterations.len() >= 3, "{steps:?}");
                assert!(
                    iterations.is_sorted_by(|a, b| a.end <= b.start),
                    "{steps:?}"
                );
                for at in iterations.iter().cloned().flatten() {
                    assert!(!std::mem::replace(&mut seen[at], true), "{steps:?}");
                }
            }
        }
    }

    #[test]
    fn finds_loops_of_generated_programs() {
        // Straight lines, then loops of distinct steps.
        for bodies in [
            vec![(1, 5)],
            vec![(3, 40), (1, 3)],
            vec![(2, 7), (9, 30), (4, 4)],
        ] {
            let mut steps = vec![0];
            let mut name = 1;
            for (length, count) in &bodies {
                let body: Vec<u32> = (name..name + length).collect();
                steps.extend(body.repeat(*count));
                name += length + 1;
                steps.push(name);
                name += 1;
            }
            let expected: Vec<usize> = bodies.iter().map(|body| body.1).collect();
            assert_eq!(counts(&steps), expected);
        }
    }
}
