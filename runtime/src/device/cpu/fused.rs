//! Several operations on one tile, by one kernel.

#![allow(unsafe_code, reason = "builds the tiles that kernels trust")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use smallvec::SmallVec;
use weft_config::Level;
use weft_geometry::{Access, Cut};
use weft_trace::id::{LaunchUid, ProcessorId, TaskUid};
use weft_trace::record::{self, Shares};
use weft_trace::time::Timestamp;

use super::execute::{Bits, bits};
use super::{Processor, text_of};
use crate::error::{Cause, Failure};
use crate::fusion::{Bound, Fused, Input};
use crate::kernel::Tile;
use crate::kernel::chain::{ChainPlan, Step, Value};
use crate::memory::{OutOfMemory, Store};
use crate::observe::Subsystem;
use crate::operation::{Operand, Operation};
use crate::runtime::Core;
use crate::shape::{Layout, MAX_DIMS};
use crate::task::Task;

/// Which operations cannot be done, and why.
type Failures = SmallVec<[Option<Arc<Failure>>; 8]>;

/// Runs one tile, and returns when it ended.
pub(super) fn run(core: &Core, task: &Task, fused: &Fused, processor: &Processor) -> Timestamp {
    let recorder = &core.recorder;
    let labels = fused.labels.as_ref();
    let launch = LaunchUid(core.uids.next());
    let range = match (
        &core.nvtx,
        labels.and_then(|labels| labels.message.as_ref()),
    ) {
        (Some(nvtx), Some(message)) => Some(nvtx.push(message, processor.kind, launch.0.raw())),
        _ => None,
    };
    core.log.say(
        Subsystem::Task,
        Level::Debug,
        format_args!(
            "{} [{}] {} point {} and {} more start",
            fused.operations[0].name(),
            fused.operations[0].call(),
            task.uid,
            task.point,
            fused.operations.len() - 1,
        ),
    );
    let start = recorder.now();
    let mut kernel_start = start;
    let mut failures: Failures = fused.operations.iter().map(|_| None).collect();
    let tiles = Tiles::find(core, fused, task, start, &mut failures);
    if failures.iter().any(Option::is_some) || fused.operations.iter().any(|o| has_failed(o)) {
        spread(core, fused, &mut failures);
    }
    let done = match failures.iter().all(Option::is_none) {
        true => {
            kernel_start = recorder.now();
            let run = |tiles: &Tiles| {
                fused
                    .plan
                    .run(&tiles.inputs, &tiles.outputs, tiles.fold.as_ref());
            };
            run_tiles(core, task, fused, processor, &tiles, &mut failures, &run)
        }
        false => run_rest(core, task, fused, processor, &tiles, &mut failures),
    };
    let end = recorder.now();
    drop(range);
    for (operation, failure) in fused.operations.iter().zip(&failures) {
        if let Some(failure) = failure {
            core.fail(operation, failure);
        }
    }
    if let Some(labels) = labels
        && recorder.is_on()
    {
        if done {
            recorder.write(&record::Kernel {
                launch,
                processor: processor.id,
                name: labels.kernel,
                start: kernel_start,
                end,
                bytes: tiles.bytes_written(),
            });
        }
        record(core, task, fused, launch, processor.id, [start, end]);
    }
    end
}

/// Runs the kernel on each tile of the task; where it panics, the operations have failed.
fn run_tiles(
    core: &Core,
    task: &Task,
    fused: &Fused,
    processor: &Processor,
    tiles: &Tiles,
    failures: &mut Failures,
    kernel: &(dyn Fn(&Tiles) + Sync),
) -> bool {
    let panicked: Mutex<Option<String>> = Mutex::default();
    let run = |tiles: &Tiles| {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| kernel(tiles))) {
            *panicked.lock().unwrap_or_else(PoisonError::into_inner) = Some(text_of(&*panic));
        }
    };
    match task.cut.tiles() {
        (first, end) if end - first > 1 => {
            let cuts = core.cuts(&fused.shape, fused.grain());
            processor.each_tile(&task.cut, &|number| {
                run(&tiles.part(fused, &cuts.tile(number)))
            });
        }
        _ => run(tiles),
    }
    let panicked = panicked
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    let Some(text) = panicked else {
        return true;
    };
    for (operation, failure) in fused.operations.iter().zip(failures) {
        *failure = Some(operation.failure(Cause::Panicked(text.clone())));
    }
    false
}

/// The store that a step of a group writes, were it done alone.
fn written(operation: &Operation) -> Option<&Store> {
    match operation.operands.last() {
        Some(Operand::Array { store, .. }) => Some(store),
        _ => None,
    }
}

/// Whether the store that a step writes has failed, now or earlier.
fn has_failed(operation: &Operation) -> bool {
    written(operation).is_some_and(|store| store.failure().is_some())
}

/// Fails what needs what has failed, in program order. A store that has failed stays so when it is written over: who takes
/// its value from a step of the group fails as if the operations were done one by one.
fn spread(core: &Core, fused: &Fused, failures: &mut Failures) {
    for (at, operation) in fused.operations.iter().enumerate() {
        let cause = |from: u16| {
            let from = usize::from(from);
            let earlier = || operation.failure_of(written(&fused.operations[from])?);
            failures[from].clone().or_else(earlier)
        };
        let found = match (&failures[at], fused.steps.get(at), &fused.folded) {
            (Some(known), ..) => Some(known.clone()),
            (None, Some(step), _) => step.steps().find_map(cause),
            (None, None, Some((folded, _))) => cause(folded.step),
            (None, None, None) => None,
        };
        if let Some(failure) = &found {
            core.fail(operation, failure);
        }
        failures[at] = found;
    }
}

/// Does what does not depend on what has failed.
fn run_rest(
    core: &Core,
    task: &Task,
    fused: &Fused,
    processor: &Processor,
    tiles: &Tiles,
    failures: &mut Failures,
) -> bool {
    // Steps that remain keep their order; those before them that they use remain as well.
    let mut numbers: SmallVec<[u16; 8]> = SmallVec::new();
    let mut steps: SmallVec<[Step; 8]> = SmallVec::new();
    for (at, step) in fused.steps.iter().enumerate() {
        numbers.push(steps.len() as u16);
        if failures[at].is_none() {
            let mut step = step.clone();
            for input in &mut step.inputs {
                if let Value::Step(from) = input {
                    *from = numbers[usize::from(*from)];
                }
            }
            steps.push(step);
        }
    }
    let fold = fused
        .folded
        .as_ref()
        .filter(|_| failures.last().is_some_and(Option::is_none));
    let fold = fold.map(|(folded, _)| (folded.reduce, numbers[usize::from(folded.step)]));
    let mut outputs: SmallVec<[u16; 4]> = SmallVec::new();
    let mut written: SmallVec<[usize; 4]> = SmallVec::new();
    for (at, (step, _)) in fused.outputs.iter().enumerate() {
        if failures[usize::from(*step)].is_none() {
            outputs.push(numbers[usize::from(*step)]);
            written.push(at);
        }
    }
    if outputs.is_empty() && fold.is_none() {
        return false;
    }
    // What only failed steps read may have no memory.
    let mut read: SmallVec<[usize; 8]> = SmallVec::new();
    for at in 0..tiles.inputs.len() {
        let number = Value::Input(at as u16);
        let place = Value::Input(read.len() as u16);
        let places = steps.iter_mut().flat_map(|step| &mut step.inputs);
        let mut is_read = false;
        for known in places.filter(|known| **known == number) {
            *known = place;
            is_read = true;
        }
        if is_read {
            read.push(at);
        }
    }
    let dtypes: SmallVec<[_; 8]> = read.iter().map(|at| tiles.inputs[*at].dtype()).collect();
    let Some(plan) = ChainPlan::new(&dtypes, &steps, &outputs, fold) else {
        return false;
    };
    core.log.say(
        Subsystem::Task,
        Level::Info,
        format_args!("{} of {} steps are done", steps.len(), fused.steps.len()),
    );
    let run = |tiles: &Tiles| {
        let inputs: SmallVec<[Tile; 8]> = read.iter().map(|at| tiles.inputs[*at]).collect();
        let outputs: SmallVec<[Tile; 4]> = written.iter().map(|at| tiles.outputs[*at]).collect();
        plan.run(
            &inputs,
            &outputs,
            tiles.fold.as_ref().filter(|_| fold.is_some()),
        );
    };
    run_tiles(core, task, fused, processor, tiles, failures, &run)
}

/// The operands of a tile, in memory.
struct Tiles {
    inputs: SmallVec<[Tile; 8]>,
    outputs: SmallVec<[Tile; 4]>,
    fold: Option<Tile>,
    /// What the tiles of single values point to.
    _values: Option<Box<[Bits]>>,
}

// SAFETY: they are addresses and where elements lie. Who shares them works on parts that do not meet.
unsafe impl Sync for Tiles {}

impl Tiles {
    /// Finds the memory of every operand, and makes instances for what is written and has none. Operations whose operands
    /// will never have a value, or have no memory, are noted as failed.
    fn find(
        core: &Core,
        fused: &Fused,
        task: &Task,
        at: Timestamp,
        failures: &mut Failures,
    ) -> Tiles {
        let mut values: Option<Box<[Bits]>> = None;
        let mut inputs = SmallVec::new();
        for (number, input) in fused.inputs.iter().enumerate() {
            inputs.push(match input {
                Input::View { bound, .. } => {
                    note(fused, number, &bound.store, failures);
                    let data = bound.store.data(bound.slot).unwrap_or(std::ptr::null_mut());
                    tile(data, bound, task.cut.of(&bound.layout))
                }
                Input::Scalar(scalar) => {
                    let values = values.get_or_insert_with(|| {
                        fused.inputs.iter().map(|_| Bits::default()).collect()
                    });
                    values[number].bytes = bits(scalar);
                    let data = values[number].bytes.as_mut_ptr();
                    let layout = Layout {
                        shape: task.cut.of(&Layout::contiguous(fused.shape)).shape,
                        strides: [0; MAX_DIMS],
                        offset: 0,
                    };
                    // SAFETY: every element of the layout is the value, which lives in the box as long as the tiles; it is
                    // only read.
                    unsafe { Tile::new(data, scalar.dtype(), layout) }
                }
            });
        }
        let mut write = |bound: &Bound, layout: Layout, operation: usize| {
            let maker = fused.operations[operation].maker();
            let data = with_room(core, || bound.store.data_for(bound.slot, maker, at));
            let data = data.unwrap_or_else(|full| {
                let operation_of = &fused.operations[operation];
                let cause = core.out_of_memory(&full, operation_of);
                failures[operation] = Some(operation_of.failure(cause));
                std::ptr::null_mut()
            });
            tile(data, bound, layout)
        };
        let mut outputs = SmallVec::new();
        for (step, bound) in &fused.outputs {
            outputs.push(write(bound, task.cut.of(&bound.layout), usize::from(*step)));
        }
        let last = fused.operations.len() - 1;
        let fold = fused.folded.as_ref().map(|(_, bound)| {
            let part = fused.operations[last].part(1, &task.cut);
            write(bound, part.unwrap_or(bound.layout), last)
        });
        Tiles {
            inputs,
            outputs,
            fold,
            _values: values,
        }
    }

    /// The part of these that lies in one tile of the task; single values stay where they are.
    fn part(&self, fused: &Fused, cut: &Cut) -> Tiles {
        let inputs = fused.inputs.iter().zip(&self.inputs).map(|(input, whole)| {
            let layout = match input {
                Input::View { bound, .. } => cut.of(&bound.layout),
                Input::Scalar(_) => Layout {
                    shape: cut.of(&Layout::contiguous(fused.shape)).shape,
                    ..*whole.layout()
                },
            };
            part_of(whole, layout)
        });
        let outputs = fused.outputs.iter().zip(&self.outputs);
        let outputs = outputs.map(|((_, bound), whole)| part_of(whole, cut.of(&bound.layout)));
        let fold = match (&fused.folded, &self.fold, fused.operations.last()) {
            (Some((_, bound)), Some(whole), Some(last)) => {
                let part = last.part(1, cut).unwrap_or(bound.layout);
                Some(part_of(whole, part))
            }
            _ => None,
        };
        Tiles {
            inputs: inputs.collect(),
            outputs: outputs.collect(),
            fold,
            _values: None,
        }
    }

    fn bytes_written(&self) -> u64 {
        let bytes = |tile: &Tile| (tile.layout().shape.len() * tile.dtype().size()) as u64;
        self.outputs.iter().chain(&self.fold).map(bytes).sum()
    }
}

/// A part of a tile.
fn part_of(whole: &Tile, layout: Layout) -> Tile {
    // SAFETY: the address is that of the whole tile, whose elements hold those of a part of it.
    unsafe { Tile::new(whole.data(), whole.dtype(), layout) }
}

/// A tile of a store.
fn tile(data: *mut u8, bound: &Bound, part: Layout) -> Tile {
    // SAFETY: as for the tiles of one operation: the instance holds the store's whole shape, and lives as long as the store that
    // `bound` holds; tasks whose regions meet run one after the other. Within the group, what is written is read by nobody, or
    // at the very same elements, or from the other place of its store. A tile without memory is not run: its operation has
    // failed.
    unsafe { Tile::new(data, bound.store.dtype, part) }
}

/// Notes that every operation fails that reads an input which an earlier one should have written and has not. Those of the
/// same group that come later may have failed by now, in other tiles.
fn note(fused: &Fused, input: usize, store: &Store, failures: &mut Failures) {
    if store.failure().is_none() {
        return;
    }
    let readers = fused.operations.iter().zip(&fused.steps).zip(failures);
    for ((operation, step), failed) in readers {
        if failed.is_none() && step.reads(input as u16) {
            *failed = operation.failure_of(store);
        }
    }
}

/// Tries again where giving up what is kept for renewals frees memory.
pub(super) fn with_room<T>(
    core: &Core,
    mut take: impl FnMut() -> Result<T, OutOfMemory>,
) -> Result<T, OutOfMemory> {
    match take() {
        Err(_) if core.give_up_spares() => take(),
        other => other,
    }
}

/// Writes down the launch and the tasks it serves.
fn record(
    core: &Core,
    task: &Task,
    fused: &Fused,
    launch: LaunchUid,
    processor: ProcessorId,
    [start, end]: [Timestamp; 2],
) {
    let bytes: SmallVec<[f64; 8]> = fused
        .operations
        .iter()
        .map(|operation| bytes_of(operation, task))
        .collect();
    let all: f64 = bytes.iter().sum();
    let tasks = || (0..fused.operations.len() as u32).map(|at| fused.task(task.point, at));
    let shares: SmallVec<[(TaskUid, f64); 8]> = tasks()
        .zip(&bytes)
        .map(|(uid, bytes)| match all {
            0.0 => (uid, 1.0 / fused.operations.len() as f64),
            all => (uid, bytes / all),
        })
        .collect();
    core.recorder.write(&record::Launch {
        uid: launch,
        processor,
        start,
        end,
        shares: Shares::Items(&shares),
    });
    let ready = task.ready();
    for (uid, operation) in tasks().zip(&fused.operations) {
        core.recorder.write(&record::Task {
            uid,
            operation: operation.uid,
            point: task.point,
            processor,
            created: task.created,
            ready,
            start,
            end,
        });
    }
}

/// Bytes that a task of an operation writes, or would write to memory if it were done alone.
fn bytes_of(operation: &Operation, task: &Task) -> f64 {
    let outputs = operation.operands.iter().enumerate();
    let bytes = outputs.filter_map(|(at, operand)| match operand {
        Operand::Array { store, access, .. } if *access != Access::Read => {
            let part = operation.part(at, &task.cut)?;
            Some((part.shape.len() * store.dtype.size()) as f64)
        }
        _ => None,
    });
    bytes.sum()
}
