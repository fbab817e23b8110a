//! What the run has, and where arrays lie. Names of memories and flags are Legate's, too.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use weft::MemoryKind;
use weft_config::launch::Launch;
use weft_config::legate;

use crate::array::Array;
use crate::error::Raise;
use crate::frame;
use crate::run::current;

/// Processors of this process: CPU workers, groups of threads, GPUs.
#[pyfunction]
pub(crate) fn processors() -> PyResult<(usize, usize, usize)> {
    let runtime = current()?;
    let plan = runtime.plan();
    Ok((plan.cpus, plan.omps, plan.gpus))
}

/// The number of this process among the ranks of the run, and how many ranks there are.
#[pyfunction]
pub(crate) fn ranks() -> PyResult<(u16, u16)> {
    let launch = Launch::detect().map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(launch.map_or((0, 1), |launch| (launch.rank, launch.size)))
}

/// The file that this run is recorded in, if it is.
#[pyfunction]
pub(crate) fn profile_path() -> PyResult<Option<std::path::PathBuf>> {
    let runtime = current()?;
    let plan = runtime.plan();
    Ok(plan.profile.then(|| plan.profile_path(0)))
}

/// Moves an array's data to a memory, and frees it elsewhere.
#[pyfunction]
pub(crate) fn offload_to(array: &Bound<'_, Array>, memory: &str) -> PyResult<()> {
    let kind = match memory {
        "SYSMEM" => MemoryKind::System,
        "FBMEM" => MemoryKind::Framebuffer,
        "ZCMEM" => MemoryKind::ZeroCopy,
        "SOCKETMEM" => MemoryKind::Numa,
        _ => {
            return Err(PyValueError::new_err(format!(
                "memory {memory:?}: it is SYSMEM, FBMEM, ZCMEM or SOCKETMEM"
            )));
        }
    };
    let _entered = frame::enter(array.py());
    array.get().inner()?.offload_to(kind).raise()
}

/// Says that an array will be read through views shifted by up to so many elements towards smaller and larger indices of each axis.
#[pyfunction]
pub(crate) fn stencil_hint(
    array: &Bound<'_, Array>,
    low: Vec<usize>,
    high: Vec<usize>,
) -> PyResult<()> {
    array.get().inner()?.stencil_hint(&low, &high).raise()
}

/// Flags of `LEGATE_CONFIG` as a text for `WEFT_CONFIG`, and those without effect.
#[pyfunction]
pub(crate) fn legate_flags(text: &str) -> (String, Vec<String>) {
    let made = legate::translate_text(text);
    (made.text(), made.ignored)
}
