//! The costs of the operations of a recorded run.

use super::program::{Program, Unit};
use rustc_hash::{FxHashMap, FxHashSet};
use weft_geometry::Tiling;
use weft_model::{Trace, WaitKind};
use weft_trace::id::{Rank, Uid};
use weft_trace::record::ProcessorKind;

/// Number of operations under way at which the program is assumed to wait for the processors to
/// catch up: the runtime's limit is 1,024.
const MANY: usize = 900;

/// The times of each operation.
pub(super) struct Timed {
    /// The operation of each task.
    operation: FxHashMap<Uid, Uid>,
    /// For each operation, the time of the program's call and the end of its last task.
    times: FxHashMap<Uid, (f64, f64)>,
    /// Operations that ran on the program's own thread.
    inline: FxHashSet<Uid>,
    /// Kernel time of each launch.
    kernels: FxHashMap<Uid, f64>,
}

impl Timed {
    pub(super) fn new(trace: &Trace) -> Timed {
        let program: FxHashSet<_> = trace
            .machine
            .processors
            .iter()
            .filter(|processor| processor.kind == ProcessorKind::Program)
            .map(|processor| processor.id)
            .collect();
        let mut timed = Timed {
            operation: FxHashMap::default(),
            times: FxHashMap::default(),
            inline: FxHashSet::default(),
            kernels: FxHashMap::default(),
        };
        for row in &trace.program.operations {
            let created = row.created.nanos() as f64;
            timed.times.insert(row.uid, (created, created));
        }
        for task in &trace.work.tasks {
            timed.operation.insert(task.uid, task.operation);
            if program.contains(&task.processor) {
                timed.inline.insert(task.operation);
            }
            if let Some((_, end)) = timed.times.get_mut(&task.operation) {
                *end = end.max(task.end.nanos() as f64);
            }
        }
        for kernel in &trace.devices.kernels {
            if let Some(launch) = kernel.recorded {
                *timed.kernels.entry(launch).or_default() += (kernel.end - kernel.start).0 as f64;
            }
        }
        timed
    }
}

/// Groups steps of the same launches into units, with the times of these.
pub(super) fn units(program: &mut Program, trace: &Trace, timed: &Timed) {
    let numbers = program.numbers();
    let parents: FxHashMap<Uid, Uid> = trace
        .program
        .operations
        .iter()
        .filter(|row| !numbers.contains_key(&row.uid))
        // Operations of a task's body have UIDs of their rank, and their time is within the task's.
        .filter(|row| row.uid.rank() == Rank::REPLICATED)
        .filter_map(|row| Some((row.uid, row.parent?)))
        .collect();
    // For each first step: the steps of its launches, kernel time, time besides, and number of
    // launches.
    let mut launches: FxHashMap<usize, (Vec<usize>, f64, f64, f64)> = FxHashMap::default();
    let mut local: FxHashMap<usize, f64> = FxHashMap::default();
    // For each step, its share of the time of its launches.
    let mut own_times: FxHashMap<usize, f64> = FxHashMap::default();
    for launch in &trace.work.launches {
        let time = (launch.end - launch.start).0 as f64;
        let kernels = timed.kernels.get(&launch.uid).copied().unwrap_or(0.0);
        let operations = launch
            .served()
            .filter_map(|(task, share)| Some((timed.operation.get(&task)?, share)));
        let mut steps: Vec<usize> = Vec::new();
        for (operation, share) in operations {
            if let Some(step) = numbers.get(operation) {
                steps.push(*step);
                *own_times.entry(*step).or_default() += time * share;
            } else if let Some(step) = parents.get(operation).and_then(|uid| numbers.get(uid)) {
                *local.entry(*step).or_default() += time;
            }
        }
        steps.sort_unstable();
        if let Some(first) = steps.first() {
            let sum = launches.entry(*first).or_default();
            sum.1 += kernels;
            sum.2 += time - kernels;
            sum.3 += 1.0;
            sum.0 = steps;
        }
    }
    let mut placed = vec![false; program.steps.len()];
    for at in 0..program.steps.len() {
        if placed[at] {
            continue;
        }
        let (mut steps, kernels, besides, number) =
            launches.remove(&at).unwrap_or((vec![at], 0.0, 0.0, 1.0));
        let overhead = besides / number.max(1.0);
        steps.retain(|step| !placed[*step]);
        // Among ranks, a sum is not fused with the operation that computes its input.
        let is_group = steps.len() > 1;
        let fold = steps
            .pop_if(|step| is_group && matches!(program.steps[*step].tiling, Tiling::Shape { .. }));
        let together: Vec<usize> = steps.iter().copied().chain(fold).collect();
        let mut times = shares(&together, &own_times);
        let all: f64 = times.iter().sum();
        let last = times.split_off(steps.len());
        let folded = fold.map(|fold| (vec![fold], last));
        let units = std::iter::once((steps, times)).chain(folded);
        for (steps, times) in units {
            let part: f64 = times.iter().sum();
            // Steps that took no time in the recording have equal shares.
            let share = |time: &f64| match part > 0.0 {
                true => time / part,
                false => 1.0 / times.len() as f64,
            };
            let shares = times.iter().map(share).collect();
            for step in &steps {
                placed[*step] = true;
                program.steps[*step].unit = program.units.len();
            }
            let local = steps.iter().filter_map(|step| local.get(step)).sum();
            program.units.push(Unit {
                steps,
                shares,
                kernels: kernels * part / all,
                overhead: overhead * part / all,
                local,
            });
        }
    }
}

/// Returns the times of these steps in their launches; equal times if none is known.
fn shares(steps: &[usize], times: &FxHashMap<usize, f64>) -> Vec<f64> {
    let known: Vec<f64> = steps
        .iter()
        .map(|step| times.get(step).copied().unwrap_or(0.0))
        .collect();
    match known.iter().sum::<f64>() > 0.0 {
        true => known,
        false => vec![1.0; steps.len()],
    }
}

/// Sets the program's own time between its calls, its waits, and the time of planning.
pub(super) fn program(program: &mut Program, trace: &Trace, timed: &Timed) {
    let mut planned: FxHashMap<Uid, f64> = FxHashMap::default();
    let mut waits = Vec::new();
    for call in &trace.work.runtime_calls {
        let time = (call.end - call.start).0 as f64;
        let kind = trace.strings.get(call.kind);
        if let ("partitioning" | "mapping" | "analysis", Some(operation)) = (kind, call.operation) {
            *planned.entry(operation).or_default() += time;
        }
    }
    // Waits for room or for other ranks follow from the simulator's own rules; waits of a body are
    // part of its task's time.
    let recorded = trace.work.waits.iter().filter(|wait| wait.task.is_none());
    waits.extend(recorded.filter_map(|wait| match wait.kind {
        WaitKind::Value | WaitKind::All => Some((
            wait.start.nanos() as f64,
            wait.end.nanos() as f64,
            wait.operation,
        )),
        WaitKind::Event | WaitKind::Limit | WaitKind::Agreement | WaitKind::Exchange => None,
    }));
    waits.sort_by(|a, b| a.0.total_cmp(&b.0));
    let numbers = program.numbers();
    let time = |uid: &Uid| timed.times.get(uid).copied().unwrap_or_default();
    let created: Vec<f64> = program.steps.iter().map(|step| time(&step.uid).0).collect();
    let mut ends: Vec<f64> = program.steps.iter().map(|step| time(&step.uid).1).collect();
    for at in 0..program.steps.len() {
        let step = &mut program.steps[at];
        step.planning = planned.get(&step.uid).copied().unwrap_or(0.0);
        if timed.inline.contains(&step.uid) {
            step.inline = Some((ends[at] - created[at]).max(0.0));
        }
    }
    let mut woken = Vec::new();
    for (start, end, operation) in &waits {
        let at = created.partition_point(|created| created <= start);
        let Some(at) = at.checked_sub(1) else {
            continue;
        };
        let of = operation.and_then(|uid| numbers.get(&uid).copied());
        if let Some(of) = of {
            woken.push((end - ends[of]).max(0.0));
        }
        program.steps[at].waits.push(of);
    }
    let planning: Vec<f64> = planned.values().copied().collect();
    program.planning = median(planning);
    program.wake = median(woken);
    program.dispatch = dispatch(trace, timed);
    let last = ends.iter().copied().fold(0.0, f64::max);
    program.span = last - created.first().copied().unwrap_or(last);
    gaps(program, &created, &mut ends, &waits);
}

/// Sets the program's own time before each step. If the program had to wait because too many
/// operations were under way, uses the median at that line.
fn gaps(
    program: &mut Program,
    created: &[f64],
    ends: &mut [f64],
    waits: &[(f64, f64, Option<Uid>)],
) {
    let mut gaps = vec![None; created.len()];
    let mut sorted = ends.to_vec();
    sorted.sort_by(f64::total_cmp);
    for at in 1..created.len() {
        let from = match program.steps[at - 1].inline {
            Some(_) => ends[at - 1].min(created[at]),
            None => created[at - 1],
        };
        let first = waits.partition_point(|wait| wait.1 <= from);
        let waited: f64 = waits[first..]
            .iter()
            .take_while(|wait| wait.0 < created[at])
            .map(|wait| (wait.1.min(created[at]) - wait.0.max(from)).max(0.0))
            .sum();
        let under_way = at - sorted.partition_point(|end| *end <= created[at]).min(at);
        if under_way < MANY {
            gaps[at] = Some((created[at] - from - waited).max(0.0));
        }
    }
    let key = |at: usize| (program.steps[at].provenance, program.steps[at].name.clone());
    let mut known: FxHashMap<_, Vec<f64>> = FxHashMap::default();
    for (at, gap) in gaps.iter().enumerate() {
        known.entry(key(at)).or_default().extend(*gap);
    }
    let usual: FxHashMap<_, f64> = known
        .into_iter()
        .map(|(key, gaps)| (key, median(gaps)))
        .collect();
    let filled: Vec<f64> = gaps
        .iter()
        .enumerate()
        .map(|(at, gap)| gap.unwrap_or_else(|| usual.get(&key(at)).copied().unwrap_or(0.0)))
        .collect();
    for (step, gap) in program.steps.iter_mut().zip(filled) {
        step.gap = gap;
    }
    if let Some(first) = program.steps.first_mut() {
        first.gap = 0.0;
    }
}

/// Returns the time from a task's readiness to its start: the quarter that waited least, since the
/// others waited for a worker.
fn dispatch(trace: &Trace, timed: &Timed) -> f64 {
    let tasks = trace
        .work
        .tasks
        .iter()
        .filter(|task| !timed.inline.contains(&task.operation));
    let mut times: Vec<f64> = tasks
        .map(|task| (task.start - task.ready).0.max(0) as f64)
        .collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 4).copied().unwrap_or(0.0)
}

pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
