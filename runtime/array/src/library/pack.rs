//! Elements selected by a mask: counted by blocks, and packed or unpacked by the running counts.

use weft_geometry::{Projection, Tiling};
use weft_trace::record::Arithmetic;

use crate::cuda::{Plan, Planned, planned};
use crate::kernel::pack::{self, BLOCK};
use weft_core::cuda::Job;
use weft_core::error::Cause;
use weft_core::operation::{Body, Computed, CpuTask, Declared, Descriptor, GpuKernels, Kernels};

/// Counts set elements.
#[derive(Debug, Hash)]
struct CountBlocks;

/// Counts the set elements of each block of a vector [mask, counts].
pub(crate) fn count_blocks() -> Body {
    let operands = vec![
        Declared::read(Projection::blocks(BLOCK as u32)),
        Declared::WRITE,
    ];
    Descriptor::new("count_blocks", operands, CountBlocks)
        .tiled(Tiling::Processors { work: BLOCK })
        .shared()
}

impl Kernels for CountBlocks {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [mask, counts] = task.expect();
        pack::count_blocks(mask, counts);
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for CountBlocks {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::count_blocks(job)
    }
}

/// Returns an operation on a vector whose elements are found through a mask.
fn by_mask(name: &'static str, read: usize, kernels: impl Kernels + 'static) -> Body {
    let mut operands = vec![Declared::read(Projection::Whole); read];
    operands.push(Declared::WRITE);
    Descriptor::new(name, operands, kernels).shared()
}

/// Packs set elements one after the other.
#[derive(Debug, Hash)]
struct Pack;

/// Packs the elements that a mask selects, by the running counts of its blocks [mask, ends, values,
/// out].
pub(crate) fn pack() -> Body {
    by_mask("pack", 3, Pack)
}

impl Kernels for Pack {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let first = task.cut().first();
        let [mask, ends, values, out] = task.expect();
        pack::pack(first, mask, ends, values, out);
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for Pack {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::pack(job)
    }
}

/// Computes the numbers of set elements.
#[derive(Debug, Hash)]
struct Positions;

/// Computes the numbers of the set elements [mask, ends, out].
pub(crate) fn positions() -> Body {
    by_mask("nonzero", 2, Positions)
}

impl Kernels for Positions {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let first = task.cut().first();
        let [mask, ends, out] = task.expect();
        pack::positions(first, mask, ends, out);
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for Positions {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::positions(job)
    }
}

/// Writes values where a mask is set.
#[derive(Debug, Hash)]
struct Unpack;

/// Writes values, one after the other, where a mask is set, and 0 elsewhere [mask, ends, values,
/// out].
pub(crate) fn unpack() -> Body {
    by_mask("unpack", 3, Unpack)
}

impl Kernels for Unpack {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let first = task.cut().first();
        let [mask, ends, values, out] = task.expect();
        pack::unpack(first, mask, ends, values, out);
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for Unpack {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::unpack(job)
    }
}

/// Writes values, again and again, where a mask is set.
#[derive(Debug, Hash)]
struct Place;

/// Writes the elements of a vector one after the other, and again from the first, where a mask is
/// set [mask, values, out]. The place of each depends on all marks before it, so one task does all.
pub(crate) fn place() -> Body {
    let whole = Declared::read(Projection::Whole);
    Descriptor::new("place", vec![whole.clone(), whole, Declared::UPDATE], Place)
        .tiled(Tiling::Whole)
        .shared()
}

impl Kernels for Place {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [mask, values, out] = task.expect();
        pack::place(mask, values, out);
        Ok(())
    }
}

planned! { CountBlocks, Pack, Positions, Unpack }
