//! GPUs: they run the same operations as CUDA kernels, issued to streams in the order of their
//! dependences.
//!
//! [`code`] maps operations to kernels and writes their source; [`api`] is the interface of a GPU
//! driver.

pub(crate) mod api;
mod arrival;
pub mod bundle;
pub(crate) mod call;
pub(crate) mod code;
pub(crate) mod compile;
mod completion;
mod dispatch;
pub(crate) mod driver;
pub(crate) mod error;
pub(crate) mod factor;
mod fault;
mod foresee;
mod gpus;
mod host;
mod streams;
mod supply;
pub(crate) mod work;

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

use weft_trace::record::ProcessorKind;

pub(crate) use api::Driver;
pub(crate) use arrival::Arrival;
pub(crate) use call::Call;
pub(crate) use code::Job;
pub(crate) use completion::Batch;
pub(crate) use factor::Factoring;
pub(crate) use gpus::{Gpus, Part};
pub(crate) use host::Worker;
pub(crate) use supply::Pageable;

use crate::observe::watch_clones;
use crate::runtime::Core;
use error::DriverError;
pub(crate) use work::{Address, Transform, Work};

/// Opens the driver of the GPUs that the plan asks for; `None` if it asks for none.
pub(crate) fn open(plan: &weft_config::Plan) -> Result<Option<Arc<dyn Driver>>, DriverError> {
    if plan.gpus == 0 {
        return Ok(None);
    }
    let compiler = compile::Compiler::new(driver::version()?)?;
    let means = driver::Means {
        compile: Box::new(move |kernel, capability| compiler.compile(kernel, capability)),
        watch: plan.cupti.then(|| Box::new(watch_clones) as driver::Watch),
        tf32: plan.tf32,
    };
    let opened = driver::CudaDriver::open(plan.first_gpu, plan.gpus, means)?;
    Ok(Some(Arc::new(opened)))
}

/// Runs the dispatcher until the runtime stops.
pub(crate) fn dispatch(core: &Core, batches: Sender<Batch>) {
    if let Some(gpus) = &core.gpus {
        for gpu in 0..gpus.count() {
            let gpu = api::GpuId(gpu as u8);
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
pub(crate) fn work_on_host(core: &Core, worker: &Worker) {
    if let Some(gpus) = &core.gpus {
        let name = format!("CPU {}", worker.index);
        core.enter_thread(worker.processor, ProcessorKind::Cpu, &name);
        worker.serve(&core.executor(), gpus);
        core.observers.recorder.detach_thread();
    }
}

/// Waits for issued work and completes its operations until the dispatcher has ended.
pub(crate) fn complete(core: &Core, batches: &Receiver<Batch>) {
    if let Some(gpus) = &core.gpus {
        core.observers.recorder.attach_thread();
        completion::serve(gpus, &core.health, &core.queues, batches);
        core.observers.recorder.detach_thread();
    }
}
