//! The threads of a runtime.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use weft_trace::id::ProcessorId;

use super::{Runtime, gpu_threads, worker};
use crate::device::cpu::{Processor, Team};
use crate::device::cuda::Gpus;
use crate::device::{cpu, cuda};
use crate::error::Error;

impl Runtime {
    pub(super) fn start_threads(&self) -> Result<(), Error> {
        let core = &self.shared.core;
        // The program's thread registers with the first level only.
        let mut expected = u32::from(core.level.number == 0);
        if core.plan.utility > 0 {
            let core = core.clone();
            self.spawn("weft-utility-0".to_owned(), move || core.analyse())?;
            expected += 1;
        }
        if core.gpus.is_some() {
            return self.start_gpu_threads();
        }
        let mut pins = match core.level.number {
            0 => cpu::cores(&core.plan, &core.observers.log),
            _ => Vec::new().into_iter(),
        };
        for index in 0..core.plan.cpus {
            let (core, pin) = (core.clone(), pins.next());
            let processor = ProcessorId(core.level.first_cpu + index as u16);
            let (thread, name) = match core.level.number {
                0 => (format!("weft-cpu-{index}"), format!("CPU {index}")),
                level => (
                    format!("weft-cpu-{index}-{level}"),
                    format!("CPU {index} level {level}"),
                ),
            };
            self.spawn(thread, move || {
                match core.level.number {
                    0 => cpu::pin(pin, &core.observers.log),
                    // They work while the threads of the level above wait.
                    _ => cpu::unpin(core.plan.pin_cpus),
                }
                worker::serve(&core, &Processor::cpu(processor), &name)
            })?;
            expected += 1;
        }
        for index in 0..core.plan.omps {
            self.start_group(index, &mut pins)?;
            expected += 1;
        }
        self.await_threads(expected)
    }

    /// Starts an OMP group: first the leader, then the helpers.
    fn start_group(
        &self,
        index: usize,
        pins: &mut impl Iterator<Item = usize>,
    ) -> Result<(), Error> {
        let core = &self.shared.core;
        let plan = &core.plan;
        let processor = ProcessorId(core.level.first_cpu + (plan.cpus + index) as u16);
        let team = Arc::new(Team::new(plan.omp_threads));
        for member in 0..plan.omp_threads {
            let (core, team, pin) = (self.shared.core.clone(), team.clone(), pins.next());
            self.spawn(format!("weft-omp-{index}-{member}"), move || {
                cpu::pin(pin, &core.observers.log);
                match member {
                    0 => {
                        let group = Processor::group(processor, team);
                        worker::serve(&core, &group, &format!("OMP {index}"));
                    }
                    _ => cpu::help(&core.observers, index, &team, member),
                }
            })?;
        }
        Ok(())
    }

    /// Starts the threads of a run with GPUs; CPU workers run operations for which GPUs have no
    /// code.
    fn start_gpu_threads(&self) -> Result<(), Error> {
        let core = &self.shared.core;
        let (batches, ends) = std::sync::mpsc::channel();
        for index in 0..core.plan.cpus {
            let core = core.clone();
            let worker = cuda::Worker {
                batches: batches.clone(),
                processor: ProcessorId(core.level.first_cpu + index as u16),
                index,
            };
            self.spawn(format!("weft-cpu-{index}"), move || {
                gpu_threads::work_on_host(&core, &worker);
            })?;
        }
        let dispatching = core.clone();
        self.spawn("weft-gpus".to_owned(), move || {
            gpu_threads::dispatch(&dispatching, batches);
        })?;
        let core = core.clone();
        self.spawn("weft-gpu-ends".to_owned(), move || {
            gpu_threads::complete(&core, &ends);
        })?;
        let core = &self.shared.core;
        let gpus = core.gpus.as_ref().map_or(0, Gpus::count) as u32;
        let others = 1 + core.plan.utility.min(1) + core.plan.cpus;
        self.await_threads(others as u32 + gpus)
    }

    fn await_threads(&self, expected: u32) -> Result<(), Error> {
        let core = &self.shared.core;
        // Every thread has registered before the first task: ids in the file are complete from the
        // start.
        while core.health.threads.load(Ordering::Acquire) < expected {
            if let Some(error) = core.stop_error() {
                return Err(error);
            }
            std::thread::yield_now();
        }
        Ok(())
    }

    /// Starts a thread. A panic of it ends the runtime.
    pub(super) fn spawn(
        &self,
        name: String,
        body: impl FnOnce() + Send + 'static,
    ) -> Result<(), Error> {
        let core = self.shared.core.clone();
        let thread = name.clone();
        let handle = std::thread::Builder::new()
            .name(name)
            .spawn(move || core.run_thread(&thread, body));
        match handle {
            Ok(handle) => {
                self.shared.workers().push(handle);
                Ok(())
            }
            Err(error) => {
                self.shared.stop();
                Err(Error::Thread(Arc::new(error)))
            }
        }
    }
}
