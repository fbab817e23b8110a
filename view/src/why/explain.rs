//! The walk back from the start of a task to its creation.

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};
use std::rc::Rc;

/// The maximum number of steps of a walk. Time before them counts as earlier work, because a click
/// needs an immediate answer.
const MOST_STEPS: usize = 250;

/// The maximum number of parts; the smallest ones are merged.
const MOST_PARTS: usize = 12;

/// A piece of work. Times are in ns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Work {
    /// The source and UID.
    pub(crate) id: (i64, i64),
    /// task, copy, message or fill.
    pub(crate) what: &'static str,
    pub(crate) name: Rc<str>,
    pub(crate) created: i64,
    pub(crate) ready: i64,
    pub(crate) start: i64,
    pub(crate) end: i64,
    /// Its slice.
    pub(crate) item: Option<u32>,
    /// Its line; 0: unknown.
    pub(crate) line: u32,
}

/// The recorded causes.
pub(crate) trait Causes {
    /// The error of a failed lookup.
    type Error;

    /// Returns the predecessors of a task or copy.
    fn predecessors(&mut self, of: &Work) -> Result<Rc<[Rc<Work>]>, Self::Error>;

    /// Returns the work in the same place between two moments, in the order of starts. If work is
    /// nested, only the outermost is returned.
    fn in_its_place(&mut self, of: &Work, from: i64, to: i64)
    -> Result<Vec<Rc<Work>>, Self::Error>;

    /// Returns the intervals in which the runtime planned the operation of the work.
    fn planning(&mut self, of: &Work) -> Result<Vec<(i64, i64)>, Self::Error>;

    /// Returns the intervals in which kernels for the operation were compiled or read, and loaded.
    fn compiling(&mut self, of: &Work) -> Result<Vec<(i64, i64)>, Self::Error>;

    /// The words for a line, such as `main.rs:12`.
    fn place(&self, line: u32) -> Option<String>;
}

/// A part of a wait.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The duration in ns.
    pub ns: i64,
    /// task, copy, message, fill: it ran; queue: it could have begun; planning; compile; unknown.
    pub what: &'static str,
    /// A sentence about the part.
    pub text: String,
    /// The slice of the work.
    pub item: Option<u32>,
    /// Its line; 0: unknown.
    pub line: u32,
}

/// The explanation of a wait.
#[derive(Clone, Debug, PartialEq)]
pub struct Why {
    /// The time from creation to start, in ns.
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

/// The sentence about a part, without the name and line of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Sentence {
    /// The work ran.
    Ran,
    /// The work could have begun.
    Queued,
    /// The work ran on the processor that was waited for.
    Behind,
    /// The processor was idle.
    Idle,
    /// The time after the last predecessor.
    HandedOn,
    /// The runtime planned the work.
    Planned,
    /// A kernel that the work needed was made ready.
    Compiled,
    /// The walk ends here, though causes may be recorded.
    Earlier,
    /// No reason is recorded.
    Unknown,
}

impl Sentence {
    fn text<C: Causes>(self, causes: &C, about: Option<&Work>) -> String {
        let about = || about.map_or_else(String::new, |work| describe(causes, work));
        match self {
            Sentence::Ran => about(),
            Sentence::Queued => format!("{} was in the queue", about()),
            Sentence::Behind => format!("in the queue behind {}", about()),
            Sentence::Idle => "in the queue, with nothing on its processor".to_owned(),
            Sentence::HandedOn => "handed on after its last predecessor".to_owned(),
            Sentence::Planned => format!("the runtime planned {}", about()),
            Sentence::Compiled => {
                format!("a kernel for {} was compiled or read, and loaded", about())
            }
            Sentence::Earlier => "a long chain of earlier work".to_owned(),
            Sentence::Unknown => "no cause is recorded".to_owned(),
        }
    }

    /// The kind of the part, by which the page colours it.
    fn kind(self, about: Option<&Work>) -> &'static str {
        match self {
            Sentence::Ran => about.map_or("unknown", |work| work.what),
            Sentence::Queued | Sentence::Behind | Sentence::Idle | Sentence::HandedOn => "queue",
            Sentence::Planned => "planning",
            Sentence::Compiled => "compile",
            Sentence::Earlier => "earlier",
            Sentence::Unknown => "unknown",
        }
    }
}

/// The key by which equal parts are merged.
type PartKey = (Sentence, Option<(&'static str, Rc<str>, u32)>);

/// A part under construction.
struct Sum {
    sentence: Sentence,
    ns: i64,
    /// The longest work of the part, and its time.
    about: Option<Rc<Work>>,
    most: i64,
}

/// The parts found so far. A walk has hundreds of steps and at most a dozen parts, so that texts
/// are made at the end.
#[derive(Default)]
struct Parts {
    sums: Vec<Sum>,
    places: FxHashMap<PartKey, usize>,
}

impl Parts {
    fn add(&mut self, ns: i64, sentence: Sentence, about: Option<&Rc<Work>>) {
        if ns <= 0 {
            return;
        }
        let alike = about.map(|work| (work.what, Rc::clone(&work.name), work.line));
        let next = self.sums.len();
        let place = *self.places.entry((sentence, alike)).or_insert(next);
        match self.sums.get_mut(place) {
            Some(sum) => {
                sum.ns += ns;
                if ns > sum.most {
                    (sum.most, sum.about) = (ns, about.cloned());
                }
            }
            None => self.sums.push(Sum {
                sentence,
                ns,
                about: about.cloned(),
                most: ns,
            }),
        }
    }

    fn finish<C: Causes>(mut self, causes: &C, total: i64) -> Why {
        self.sums.sort_by_key(|sum| std::cmp::Reverse(sum.ns));
        let rest = self.sums.split_off(MOST_PARTS.min(self.sums.len()));
        let part = |sum: &Sum| Part {
            ns: sum.ns,
            what: sum.sentence.kind(sum.about.as_deref()),
            text: sum.sentence.text(causes, sum.about.as_deref()),
            item: sum.about.as_ref().and_then(|work| work.item),
            line: sum.about.as_ref().map_or(0, |work| work.line),
        };
        let mut parts: Vec<Part> = self.sums.iter().map(part).collect();
        if !rest.is_empty() {
            parts.push(Part {
                ns: rest.iter().map(|sum| sum.ns).sum(),
                what: "other",
                text: format!("{} smaller causes", rest.len()),
                item: None,
                line: 0,
            });
        }
        Why { total, parts }
    }
}

fn describe<C: Causes>(causes: &C, work: &Work) -> String {
    match causes.place(work.line) {
        Some(place) if work.name.is_empty() => format!("the {} of {place}", work.what),
        Some(place) if *work.name == *work.what => format!("the {} of {place}", work.what),
        Some(place) => format!("{} of {place}", work.name),
        None if work.name.is_empty() => format!("a {}", work.what),
        None => work.name.to_string(),
    }
}

/// Explains why the work waited.
///
/// # Errors
/// Returns an error if causes cannot be read.
pub(crate) fn explain<C: Causes>(causes: &mut C, work: &Rc<Work>) -> Result<Why, C::Error> {
    let start = work.start;
    let created = work.created.min(start);
    let ready = work.ready.clamp(created, start);
    let mut parts = Parts::default();
    let issued = compile(causes, work, ready, start, &mut parts)?;
    queue(causes, work, ready, issued, &mut parts)?;
    let mut at = ready;
    let mut current = Rc::clone(work);
    let mut passed: FxHashSet<(i64, i64)> = FxHashSet::from_iter([work.id]);
    for step in 0.. {
        if at <= created {
            break;
        }
        if step == MOST_STEPS {
            parts.add(at - created, Sentence::Earlier, Some(&current));
            return Ok(parts.finish(causes, start - created));
        }
        let earlier = causes.predecessors(&current)?;
        let fresh = earlier.iter().filter(|cause| !passed.contains(&cause.id));
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
        let held_up = match current.id == work.id {
            true => Sentence::HandedOn,
            false => Sentence::Queued,
        };
        parts.add(at - ended, held_up, Some(&current));
        let began = cause.start.clamp(created, ended);
        parts.add(ended - began, Sentence::Ran, Some(cause));
        at = began;
        passed.insert(cause.id);
        current = Rc::clone(cause);
    }
    if at > created {
        add_unexplained(causes, &current, created, at, &mut parts)?;
    }
    Ok(parts.finish(causes, start - created))
}

/// Adds the time in which kernels of the work were prepared. Returns when that began, or the start
/// of the work if there were none.
fn compile<C: Causes>(
    causes: &mut C,
    work: &Rc<Work>,
    ready: i64,
    start: i64,
    parts: &mut Parts,
) -> Result<i64, C::Error> {
    let mut calls = causes.compiling(work)?;
    calls.sort_unstable();
    calls.retain(|(from, to)| *to > ready && *from < start);
    let Some((first, _)) = calls.first() else {
        return Ok(start);
    };
    let first = (*first).max(ready);
    let mut at = first;
    for (from, to) in calls {
        let from = from.clamp(at, start);
        let to = to.clamp(from, start);
        queue(causes, work, at, from, parts)?;
        parts.add(to - from, Sentence::Compiled, Some(work));
        at = to;
    }
    queue(causes, work, at, start, parts)?;
    Ok(first)
}

/// Adds the time from ready to issued, by the work in its place.
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
    let mut at = ready;
    for other in causes.in_its_place(work, ready, start)? {
        let from = other.start.clamp(at, start);
        let to = other.end.clamp(from, start);
        parts.add(from - at, Sentence::Idle, None);
        parts.add(to - from, Sentence::Behind, Some(&other));
        at = to.max(at);
    }
    parts.add(start - at, Sentence::Idle, None);
    Ok(())
}

/// Adds the time before the first known cause.
fn add_unexplained<C: Causes>(
    causes: &mut C,
    work: &Rc<Work>,
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
    parts.add(planned, Sentence::Planned, Some(work));
    parts.add(to - from - planned, Sentence::Unknown, None);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::convert::Infallible;

    /// Tasks, each with those it depends on, all on one processor.
    struct TestCauses {
        works: Vec<Work>,
        edges: Vec<(usize, usize)>,
        planned: Vec<(i64, i64)>,
        compiled: Vec<(i64, i64)>,
    }

    impl Causes for TestCauses {
        type Error = Infallible;

        fn predecessors(&mut self, of: &Work) -> Result<Rc<[Rc<Work>]>, Infallible> {
            let edges = self.edges.iter().filter(|edge| edge.1 as i64 == of.id.1);
            Ok(edges
                .map(|edge| Rc::new(self.works[edge.0].clone()))
                .collect())
        }

        fn in_its_place(
            &mut self,
            of: &Work,
            from: i64,
            to: i64,
        ) -> Result<Vec<Rc<Work>>, Infallible> {
            let mut works: Vec<Work> = self.works.clone();
            works.retain(|work| work.id != of.id && work.start < to && work.end > from);
            works.sort_by_key(|work| work.start);
            Ok(works.into_iter().map(Rc::new).collect())
        }

        fn planning(&mut self, _: &Work) -> Result<Vec<(i64, i64)>, Infallible> {
            Ok(self.planned.clone())
        }

        fn compiling(&mut self, _: &Work) -> Result<Vec<(i64, i64)>, Infallible> {
            Ok(self.compiled.clone())
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
            name: format!("t{id}").into(),
            created,
            ready,
            start,
            end,
            item: Some(id as u32),
            line: id as u32 + 1,
        }
    }

    #[test]
    fn explains_waits_by_running_and_queued_work() {
        let mut copy = work(0, [0, 0, 10, 34]);
        copy.what = "copy";
        copy.name = "copy".into();
        let works = vec![copy, work(1, [10, 34, 41, 50]), work(2, [0, 0, 34, 38])];
        let mut made = TestCauses {
            works: works.clone(),
            edges: vec![(0, 1)],
            planned: vec![],
            compiled: vec![],
        };
        let why = explain(&mut made, &Rc::new(works[1].clone())).unwrap();
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

    #[test]
    fn separates_compiler_waits_from_queue_waits() {
        let works = vec![
            work(0, [0, 10, 130, 150]),
            work(1, [0, 0, 12, 15]),
            work(2, [0, 0, 100, 129]),
        ];
        let mut made = TestCauses {
            works: works.clone(),
            edges: vec![],
            planned: vec![(2, 10)],
            compiled: vec![(20, 50), (52, 99)],
        };
        let why = explain(&mut made, &Rc::new(works[0].clone())).unwrap();
        let told = why.parts.iter().map(|part| (part.ns, part.what));
        assert_eq!(
            told.collect::<Vec<_>>(),
            [
                (77, "compile"),
                (29, "queue"),
                (11, "queue"),
                (8, "planning"),
                (3, "queue"),
                (2, "unknown"),
            ]
        );
        assert_eq!(
            why.parts[0].text,
            "a kernel for t0 of main.rs:1 was compiled or read, and loaded"
        );
    }

    proptest! {
        #[test]
        fn parts_sum_to_the_wait(
            times in prop::collection::vec(prop::array::uniform4(-50_i64..100), 1..12),
            edges in prop::collection::vec((0_usize..12, 0_usize..12), 0..30),
            planned in prop::collection::vec((-50_i64..100, -50_i64..100), 0..5),
            compiled in prop::collection::vec((-50_i64..100, -50_i64..100), 0..5),
        ) {
            let count = times.len();
            let works: Vec<Work> = (0..).zip(&times).map(|(id, times)| work(id, *times)).collect();
            let edges = edges.into_iter().filter(|edge| edge.0 < count && edge.1 < count).collect();
            let [planned, compiled] = [planned, compiled]
                .map(|calls| calls.into_iter().map(|(a, b)| (a.min(b), a.max(b))).collect());
            let mut made = TestCauses { works: works.clone(), edges, planned, compiled };
            for work in &works {
                let why = explain(&mut made, &Rc::new(work.clone())).unwrap();
                prop_assert_eq!(why.total, (work.start - work.created).max(0));
                prop_assert_eq!(why.parts.iter().map(|part| part.ns).sum::<i64>(), why.total);
                prop_assert!(why.parts.iter().all(|part| part.ns > 0));
            }
        }
    }
}
