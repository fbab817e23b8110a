//! GPUs: they run the same operations as CUDA kernels, issued to streams in the order of their
//! dependences.
//!
//! [`code`] maps operations to kernels and writes their source, without a GPU; [`api`] is the
//! interface of a GPU driver.

pub(crate) mod api;
mod arrival;
pub mod bundle;
pub(crate) mod compile;
pub(crate) mod completion;
pub(crate) mod dispatch;
pub(crate) mod driver;
mod fault;
mod foresee;
mod gpus;
mod host;
pub(crate) mod image;
mod streams;
mod supply;

use std::sync::Arc;

pub(crate) use api::Driver;
pub(crate) use arrival::Arrival;
pub(crate) use completion::Batch;
pub(crate) use gpus::{Gpus, Part};
pub(crate) use host::Worker;
pub(crate) use supply::Pageable;

use crate::error::DriverError;
use crate::observe::watch_clones;
pub(crate) use crate::operation::gpu::{call, code, factor, work};

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
    if plan.gpu_memory == weft_config::GpuMemory::Unified {
        gpus::check_unified(opened.gpus())?;
    }
    Ok(Some(Arc::new(opened)))
}
