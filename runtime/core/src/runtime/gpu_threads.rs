//! The threads of a run with GPUs.

use std::sync::mpsc::{Receiver, Sender};

use weft_trace::record::ProcessorKind;

use super::Core;
use crate::device::cuda::api::GpuId;
use crate::device::cuda::{Batch, Worker, completion, dispatch};

/// Runs the dispatcher until the runtime stops.
pub(super) fn dispatch(core: &Core, batches: Sender<Batch>) {
    if let Some(gpus) = &core.gpus {
        for gpu in 0..gpus.count() {
            let gpu = GpuId(gpu as u8);
            let name = format!("GPU {}", gpu.0);
            core.enter_thread(gpus.processor(gpu), ProcessorKind::Gpu, &name);
            gpus.describe(gpu, &core.observers.recorder);
        }
        let names = core.own_names();
        dispatch::serve(
            &core.executor(),
            (&core.uids, &core.plan),
            gpus,
            (names, batches),
        );
        core.observers.recorder.detach_thread();
    }
}

/// Runs a CPU worker for tasks without GPU code until the runtime stops.
pub(super) fn work_on_host(core: &Core, worker: &Worker) {
    if let Some(gpus) = &core.gpus {
        let name = format!("CPU {}", worker.index);
        core.enter_thread(worker.processor, ProcessorKind::Cpu, &name);
        worker.serve(&core.executor(), gpus);
        core.observers.recorder.detach_thread();
    }
}

/// Waits for issued work and completes its operations until the dispatcher has ended.
pub(super) fn complete(core: &Core, batches: &Receiver<Batch>) {
    if let Some(gpus) = &core.gpus {
        core.observers.recorder.attach_thread();
        completion::serve(gpus, &core.health, &core.queues, batches);
        core.observers.recorder.detach_thread();
    }
}
