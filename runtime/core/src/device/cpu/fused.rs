//! Fused operations on one tile, run by one kernel.

mod failures;
mod rest;
mod tiles;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use smallvec::SmallVec;
use weft_config::Level;
use weft_trace::id::{LaunchUid, TaskUid};
use weft_trace::record;
use weft_trace::time::Timestamp;

use self::failures::{Failures, has_failed, spread};
use self::tiles::Tiles;
use super::{Processor, text_of};
use crate::device::Executor;
use crate::error::Cause;
use crate::fusion::Fused;
use crate::observe::{Launched, Subsystem, Weights};
use crate::task::Task;
use weft_elements::chain::Sample;

/// Time of each operation of a group in the timed blocks of its tiles.
#[derive(Default)]
struct Times {
    ticks: SmallVec<[u64; 8]>,
    sample: Sample,
}

/// Minimum number of timed blocks whose times can represent the others. The first block of a tile
/// is always timed, and is slower than others, whose pages and loops have been used before. Among
/// this many blocks it has little weight.
const FEWEST_TIMED: u64 = 4;

impl Times {
    /// Returns the basis of the operations' shares.
    fn weights(&self) -> Weights {
        let Sample { blocks, timed } = self.sample;
        if self.ticks.iter().all(|&ticks| ticks == 0) {
            Weights::Bytes
        } else if timed == blocks || timed >= FEWEST_TIMED {
            Weights::Measured
        } else {
            Weights::FewTimes
        }
    }
}

/// The run of one task of a group.
pub(crate) struct Run<'a> {
    pub(crate) executor: &'a Executor<'a>,
    pub(crate) launch: LaunchUid,
    pub(crate) task: &'a Task,
    pub(crate) fused: &'a Fused,
    pub(crate) processor: &'a Processor,
}

impl Run<'_> {
    /// Runs the task and returns its end time.
    pub(crate) fn run(&self) -> Timestamp {
        let &Run {
            executor,
            launch,
            task,
            fused,
            processor,
        } = self;
        let &Executor {
            observers, health, ..
        } = executor;
        let recorder = &observers.recorder;
        let labels = fused.labels.as_ref();
        let range = observers.open_range(
            labels.and_then(|labels| labels.message.as_ref()),
            processor.kind,
            launch,
        );
        observers.log.say(
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
        let times: Mutex<Times> = Mutex::default();
        let mut failures: Failures = fused.operations.iter().map(|_| None).collect();
        let mut tiles = Tiles::find(self, start, &mut failures);
        if failures.iter().any(Option::is_some) || fused.operations.iter().any(|o| has_failed(o)) {
            spread(health, fused, &mut failures);
        }
        let done = match failures.iter().all(Option::is_none) {
            true => {
                kernel_start = recorder.now();
                let run = |tiles: &mut Tiles| self.run_chain(tiles, &times);
                self.run_tiles(&mut tiles, &mut failures, &run)
            }
            false => rest::run_rest(self, &mut tiles, &mut failures),
        };
        let end = recorder.now();
        drop(range);
        for (operation, failure) in fused.operations.iter().zip(&failures) {
            if let Some(failure) = failure {
                health.fail(operation, failure);
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
                    read: Some(tiles.bytes_read()),
                });
            }
            let launched = Launched {
                uid: launch,
                processor: processor.id,
                start,
                end,
            };
            let times = times.into_inner().unwrap_or_else(PoisonError::into_inner);
            self.record(launched, &times, &failures);
        }
        end
    }

    /// Runs the chain on a tile. With a profile, adds the time of each operation to `times`.
    fn run_chain(&self, tiles: &mut Tiles, times: &Mutex<Times>) {
        let fused = self.fused;
        let watched = match self.executor.observers.recorder.is_on() {
            true => fused.operations.len(),
            false => 0,
        };
        let mut own: SmallVec<[u64; 8]> = SmallVec::from_elem(0, watched);
        let Tiles {
            inputs,
            outputs,
            fold,
            ..
        } = tiles;
        let sample = (fused.plan).run_timed(inputs, outputs, fold.as_mut(), &mut own);
        if watched == 0 {
            return;
        }
        let mut times = times.lock().unwrap_or_else(PoisonError::into_inner);
        times.sample = times.sample.with(sample);
        times.ticks.resize(watched, 0);
        for (total, time) in times.ticks.iter_mut().zip(own) {
            *total += time;
        }
    }

    /// Runs a kernel on each tile of the task. If it panics, all operations fail and the result is
    /// false.
    fn run_tiles(
        &self,
        tiles: &mut Tiles,
        failures: &mut Failures,
        kernel: &(dyn Fn(&mut Tiles) + Sync),
    ) -> bool {
        let &Run {
            executor,
            task,
            fused,
            ..
        } = self;
        let panicked: Mutex<Option<String>> = Mutex::default();
        let run = |tiles: &mut Tiles| {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| kernel(tiles))) {
                *panicked.lock().unwrap_or_else(PoisonError::into_inner) = Some(text_of(&*panic));
            }
        };
        match task.cut.tiles() {
            (first, end) if end - first > 1 => {
                let cuts = executor.cutting.cuts(&fused.shape, fused.tiling());
                let tiles = &*tiles;
                self.processor.each_tile(&task.cut, &|number| {
                    run(&mut tiles.part(fused, &cuts.tile(number)));
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

    /// Records the launch and its tasks. Their shares follow `times`, or the number of bytes
    /// written if no block was timed.
    fn record(&self, launched: Launched, times: &Times, failures: &Failures) {
        let &Run {
            executor,
            task,
            fused,
            ..
        } = self;
        let weights = times.weights();
        let operations = fused.operations.iter().zip(0..);
        let tasks: SmallVec<[(TaskUid, u64); 8]> = operations
            .map(|(operation, at)| {
                let weight = match weights {
                    Weights::Measured | Weights::FewTimes => {
                        times.ticks.get(at as usize).copied().unwrap_or(0)
                    }
                    Weights::Bytes => operation.bytes_written(&task.cut),
                };
                (fused.task(task.point, at), weight)
            })
            .collect();
        launched.record(&executor.observers.recorder, &tasks, weights);
        let ready = task.ready();
        let operations = fused.operations.iter().zip(failures);
        for ((uid, _), (operation, failure)) in tasks.iter().zip(operations) {
            executor.observers.recorder.write(&record::Task {
                uid: *uid,
                operation: operation.uid,
                point: task.point,
                processor: launched.processor,
                created: task.created,
                ready,
                start: launched.start,
                end: launched.end,
                arithmetic: match failure {
                    None => operation.arithmetic(&task.cut),
                    Some(_) => None,
                },
            });
        }
    }
}
