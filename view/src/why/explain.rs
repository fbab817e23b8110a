//! The walk back from the start of a task to its creation.

use rustc_hash::FxHashSet;
use serde_json::{Value, json};

/// The most steps of a walk; what is before is told as earlier work, since a click is to be answered at once.
const MOST_STEPS: usize = 250;

/// The most parts; the smallest beyond are put together.
const MOST_PARTS: usize = 12;

/// Something that ran. Times are ns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Work {
    /// What tells it apart.
    pub(crate) id: (i64, i64),
    /// task, copy, message or fill.
    pub(crate) what: &'static str,
    pub(crate) name: String,
    pub(crate) created: i64,
    pub(crate) ready: i64,
    pub(crate) start: i64,
    pub(crate) end: i64,
    /// Its slice.
    pub(crate) item: Option<u32>,
    /// Its line; 0: unknown.
    pub(crate) line: u32,
}

/// What is recorded about causes.
pub(crate) trait Causes {
    /// Why it cannot be asked.
    type Error;

    /// What a task or copy depends on.
    fn predecessors(&mut self, of: &Work) -> Result<Vec<Work>, Self::Error>;

    /// What ran between two moments where the work ran, in the order of starts: the outermost of what nests.
    fn in_its_place(&mut self, of: &Work, from: i64, to: i64) -> Result<Vec<Work>, Self::Error>;

    /// When the runtime planned the operation of the work.
    fn planning(&mut self, of: &Work) -> Result<Vec<(i64, i64)>, Self::Error>;

    /// The words for a line, such as `main.rs:12`.
    fn place(&self, line: u32) -> Option<String>;
}

/// A part of a wait.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// How long, ns.
    pub ns: i64,
    /// task, copy, message, fill: it ran; queue: it could have begun; planning; unknown.
    pub what: &'static str,
    /// The same in words.
    pub text: String,
    /// The slice that it is about.
    pub item: Option<u32>,
    /// Its line; 0: unknown.
    pub line: u32,
    /// How long that slice alone takes of the part.
    most: i64,
}

/// Why something waited.
#[derive(Clone, Debug, PartialEq)]
pub struct Why {
    /// From created to started, ns.
    pub total: i64,
    /// Parts, the longest first; they add up to the total.
    pub parts: Vec<Part>,
}

impl Why {
    pub(crate) fn json(&self) -> Value {
        let part = |part: &Part| {
            let line = (part.line > 0).then_some(part.line);
            json!({ "ns": part.ns, "what": part.what, "text": part.text, "item": part.item, "line": line })
        };
        let parts: Vec<Value> = self.parts.iter().map(part).collect();
        json!({ "total": self.total, "parts": parts })
    }
}

/// Parts while they are found.
#[derive(Default)]
struct Parts(Vec<Part>);

impl Parts {
    fn add(&mut self, ns: i64, what: &'static str, text: String, about: Option<&Work>) {
        if ns <= 0 {
            return;
        }
        let line = about.map_or(0, |work| work.line);
        let item = about.and_then(|work| work.item);
        let mut parts = self.0.iter_mut();
        match parts.find(|part| (part.what, part.line) == (what, line) && part.text == text) {
            Some(part) => {
                part.ns += ns;
                if ns > part.most {
                    (part.most, part.item) = (ns, item);
                }
            }
            None => self.0.push(Part {
                ns,
                what,
                text,
                item,
                line,
                most: ns,
            }),
        }
    }

    fn finish(mut self, total: i64) -> Why {
        self.0.sort_by_key(|part| std::cmp::Reverse(part.ns));
        let rest = self.0.split_off(MOST_PARTS.min(self.0.len()));
        if !rest.is_empty() {
            let ns = rest.iter().map(|part| part.ns).sum();
            let text = format!("{} smaller causes", rest.len());
            self.0.push(Part {
                ns,
                what: "other",
                text,
                item: None,
                line: 0,
                most: 0,
            });
        }
        Why {
            total,
            parts: self.0,
        }
    }
}

fn words<C: Causes>(causes: &C, work: &Work) -> String {
    match causes.place(work.line) {
        Some(place) if work.name.is_empty() => format!("the {} of {place}", work.what),
        Some(place) if work.name == work.what => format!("the {} of {place}", work.what),
        Some(place) => format!("{} of {place}", work.name),
        None if work.name.is_empty() => format!("a {}", work.what),
        None => work.name.clone(),
    }
}

/// Why the work waited.
///
/// # Errors
/// Causes cannot be asked.
pub(crate) fn explain<C: Causes>(causes: &mut C, work: &Work) -> Result<Why, C::Error> {
    let start = work.start;
    let created = work.created.min(start);
    let ready = work.ready.clamp(created, start);
    let mut parts = Parts::default();
    queue(causes, work, ready, start, &mut parts)?;
    let mut at = ready;
    let mut current = work.clone();
    let mut passed: FxHashSet<(i64, i64)> = FxHashSet::from_iter([work.id]);
    for step in 0.. {
        if at <= created {
            break;
        }
        if step == MOST_STEPS {
            let text = "a long chain of earlier work".to_owned();
            parts.add(at - created, "earlier", text, Some(&current));
            return Ok(parts.finish(start - created));
        }
        let earlier = causes.predecessors(&current)?;
        let fresh = earlier
            .into_iter()
            .filter(|cause| !passed.contains(&cause.id));
        let last = fresh.reduce(|last, cause| {
            if cause.end.min(at) > last.end.min(at) {
                cause
            } else {
                last
            }
        });
        let Some(cause) = last else {
            break;
        };
        let ended = cause.end.clamp(created, at);
        if current.id == work.id {
            let text = "handed on after its last predecessor".to_owned();
            parts.add(at - ended, "queue", text, Some(&current));
        } else {
            let text = format!("{} was in the queue", words(causes, &current));
            parts.add(at - ended, "queue", text, Some(&current));
        }
        let began = cause.start.clamp(created, ended);
        parts.add(
            ended - began,
            cause.what,
            words(causes, &cause),
            Some(&cause),
        );
        at = began;
        passed.insert(cause.id);
        current = cause;
    }
    if at > created {
        rest(causes, &current, created, at, &mut parts)?;
    }
    Ok(parts.finish(start - created))
}

/// The time from ready to started, by what ran in its place.
fn queue<C: Causes>(
    causes: &mut C,
    work: &Work,
    ready: i64,
    start: i64,
    parts: &mut Parts,
) -> Result<(), C::Error> {
    if start <= ready {
        return Ok(());
    }
    let idle = || "in the queue, with nothing on its processor".to_owned();
    let mut at = ready;
    for other in causes.in_its_place(work, ready, start)? {
        let from = other.start.clamp(at, start);
        let to = other.end.clamp(from, start);
        parts.add(from - at, "queue", idle(), None);
        let text = format!("in the queue behind {}", words(causes, &other));
        parts.add(to - from, "queue", text, Some(&other));
        at = to.max(at);
    }
    parts.add(start - at, "queue", idle(), None);
    Ok(())
}

/// Time before the first cause that is known.
fn rest<C: Causes>(
    causes: &mut C,
    work: &Work,
    from: i64,
    to: i64,
    parts: &mut Parts,
) -> Result<(), C::Error> {
    let mut at = from;
    let mut planned = 0;
    let mut calls = causes.planning(work)?;
    calls.sort_unstable();
    for (start, end) in calls {
        let start = start.clamp(at, to);
        let end = end.clamp(start, to);
        planned += end - start;
        at = end.max(at);
    }
    let text = format!("the runtime planned {}", words(causes, work));
    parts.add(planned, "planning", text, Some(work));
    let text = "no cause is recorded".to_owned();
    parts.add(to - from - planned, "unknown", text, None);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    /// Tasks, each with those it depends on, all on one processor.
    struct Made {
        works: Vec<Work>,
        edges: Vec<(usize, usize)>,
        planned: Vec<(i64, i64)>,
    }

    impl Causes for Made {
        type Error = Infallible;

        fn predecessors(&mut self, of: &Work) -> Result<Vec<Work>, Infallible> {
            let edges = self.edges.iter().filter(|edge| edge.1 as i64 == of.id.1);
            Ok(edges.map(|edge| self.works[edge.0].clone()).collect())
        }

        fn in_its_place(&mut self, of: &Work, from: i64, to: i64) -> Result<Vec<Work>, Infallible> {
            let mut works: Vec<Work> = self.works.clone();
            works.retain(|work| work.id != of.id && work.start < to && work.end > from);
            works.sort_by_key(|work| work.start);
            Ok(works)
        }

        fn planning(&mut self, _: &Work) -> Result<Vec<(i64, i64)>, Infallible> {
            Ok(self.planned.clone())
        }

        fn place(&self, line: u32) -> Option<String> {
            (line > 0).then(|| format!("main.rs:{line}"))
        }
    }

    fn work(id: i64, times: [i64; 4]) -> Work {
        let [created, ready, start, end] = times;
        Work {
            id: (1, id),
            what: "task",
            name: format!("t{id}"),
            created,
            ready,
            start,
            end,
            item: Some(id as u32),
            line: id as u32 + 1,
        }
    }

    #[test]
    fn a_wait_is_told_by_what_ran_and_what_was_in_the_queue() {
        let mut copy = work(0, [0, 0, 10, 34]);
        copy.what = "copy";
        copy.name = "copy".to_owned();
        let works = vec![copy, work(1, [10, 34, 41, 50]), work(2, [0, 0, 34, 38])];
        let mut made = Made {
            works: works.clone(),
            edges: vec![(0, 1)],
            planned: vec![],
        };
        let why = explain(&mut made, &works[1]).unwrap();
        assert_eq!(why.total, 31);
        let told: Vec<_> = why
            .parts
            .iter()
            .map(|part| (part.ns, part.what, part.text.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                (24, "copy", "the copy of main.rs:1"),
                (4, "queue", "in the queue behind t2 of main.rs:3"),
                (3, "queue", "in the queue, with nothing on its processor"),
            ]
        );
    }

    proptest! {
        #[test]
        fn parts_add_up_to_the_wait_whatever_is_recorded(
            times in prop::collection::vec(prop::array::uniform4(-50_i64..100), 1..12),
            edges in prop::collection::vec((0_usize..12, 0_usize..12), 0..30),
            planned in prop::collection::vec((-50_i64..100, -50_i64..100), 0..5),
        ) {
            let count = times.len();
            let works: Vec<Work> = (0..).zip(&times).map(|(id, times)| work(id, *times)).collect();
            let edges = edges.into_iter().filter(|edge| edge.0 < count && edge.1 < count).collect();
            let planned = planned.into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect();
            let mut made = Made { works: works.clone(), edges, planned };
            for work in &works {
                let why = explain(&mut made, work).unwrap();
                prop_assert_eq!(why.total, (work.start - work.created).max(0));
                prop_assert_eq!(why.parts.iter().map(|part| part.ns).sum::<i64>(), why.total);
                prop_assert!(why.parts.iter().all(|part| part.ns > 0));
            }
        }
    }
}
