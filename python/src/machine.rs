//! The resources of the run, and the memories of arrays. Memories and flags also accept Legate's
//! names.

use std::path::PathBuf;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use weft::{MemoryKind, bundle};
use weft_config::launch::Launch;
use weft_config::legate;

use crate::array::Array;
use crate::error::Raise;
use crate::frame;
use crate::run::current;

/// The numbers of this process's processors: CPU workers, groups of threads, GPUs.
#[pyfunction]
pub(crate) fn processors() -> PyResult<(usize, usize, usize)> {
    let runtime = current()?;
    let plan = runtime.plan();
    Ok((plan.cpus, plan.omps, plan.gpus))
}

/// The rank of this process, and the number of ranks of the run.
#[pyfunction]
pub(crate) fn ranks() -> PyResult<(u16, u16)> {
    let launch = Launch::detect().map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(launch.map_or((0, 1), |launch| (launch.rank, launch.size)))
}

/// The file of the run's profile, if it records one.
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

/// Declares that an array will be read through views shifted along each axis, by up to `low`
/// elements towards smaller indices and `high` towards larger ones.
#[pyfunction]
pub(crate) fn stencil_hint(
    array: &Bound<'_, Array>,
    low: Vec<usize>,
    high: Vec<usize>,
) -> PyResult<()> {
    array.get().inner()?.stencil_hint(&low, &high).raise()
}

/// Returns the major and minor version of the NVRTC that compiles bundles; `None` if NVRTC is not
/// installed.
#[pyfunction]
pub(crate) fn kernel_compiler(py: Python<'_>) -> Option<(u32, u32)> {
    py.detach(bundle::compiler)
}

/// Compiles the kernels whose sources are in a folder, and writes the bundle. Returns the number of
/// kernels, their targets, and the size of the file in bytes.
#[pyfunction]
pub(crate) fn pack_kernels(
    py: Python<'_>,
    sources: PathBuf,
    to: PathBuf,
) -> PyResult<(usize, Vec<String>, usize)> {
    let packed = py.detach(|| bundle::pack(&sources, &to));
    let packed = packed.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    Ok((packed.kernels, packed.targets, packed.bytes))
}

/// Converts flags of `LEGATE_CONFIG` to a text for `WEFT_CONFIG`, and returns those without effect.
#[pyfunction]
pub(crate) fn legate_flags(text: &str) -> (String, Vec<String>) {
    let made = legate::translate_text(text);
    (made.text(), made.ignored)
}
