//! Reductions: of a whole array to one value for each tile, which are combined, or along an axis.

use super::{arithmetic, outside};
use weft_geometry::{Projection, Tiling};
use weft_trace::record::Arithmetic;

use weft_core::cuda::{Address, DeviceTile, FoldedChain, Job, Work};

use crate::cuda::{Plan, Planned, chained, planned};
use crate::dtype::DType;
use crate::kernel::{ReduceOp, reduce};
use crate::shape::Shape;
use weft_core::error::Cause;
use weft_core::operation::{
    Body, Computed, CpuTask, Declared, Descriptor, FoldKernels, Fusion, GpuKernels, Kernels,
};

/// The approximate number of partial results that are combined to one.
const COMBINED: usize = 32;

/// Returns the operands for the results of tiles: a value, or a value and its index.
fn tile_results(is_index: bool, projection: &Projection) -> Vec<Declared> {
    let count = if is_index { 2 } else { 1 };
    vec![Declared::write(projection.clone()); count]
}

/// Reduces a tile to one value.
#[derive(Debug, Hash)]
struct Partial(ReduceOp);

/// Reduces a whole array to one value for each tile [input, partials].
pub(crate) fn partial(op: ReduceOp) -> Body {
    let operands = vec![Declared::READ, Declared::write(Projection::of_tiles(true))];
    Descriptor {
        fusion: Fusion::Fold(op.fold().into()),
        ..Descriptor::new(op.name(), operands, Partial(op))
    }
    .tiled(Tiling::Shape { work: 1 })
    .shared()
}

impl Kernels for Partial {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        arithmetic::reduced(self.0, 1, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [input, out] = task.expect();
        reduce::partial(self.0, input, out);
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for Partial {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::partial(self.0, job)
    }

    fn fold(&self) -> Option<&dyn FoldKernels> {
        Some(self)
    }
}

impl FoldKernels for Partial {
    fn scratch(&self, dtype: DType, shape: Shape, out: &DeviceTile) -> usize {
        chained::scratch((self.0, None), dtype, shape, out)
    }

    fn work(&self, folded: &FoldedChain, scratch: Address) -> Work {
        chained::work((self.0, None), folded, scratch)
    }
}

/// Reduces a tile to a value and its index.
#[derive(Debug, Hash)]
struct PartialArg(ReduceOp);

/// Reduces a whole array to a value and its index for each tile [input, values, indices].
pub(crate) fn partial_arg(op: ReduceOp) -> Body {
    let mut operands = vec![Declared::READ];
    operands.extend(tile_results(true, &Projection::of_tiles(true)));
    Descriptor::new(op.name(), operands, PartialArg(op))
        .tiled(Tiling::Shape { work: 1 })
        .shared()
}

impl Kernels for PartialArg {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        arithmetic::reduced(self.0, 1, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let (first, whole) = (task.first(), *task.shape());
        let [input, values, indices] = task.expect();
        reduce::partial_index(self.0, input, &first, whole, values, indices);
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for PartialArg {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::partial_arg(self.0, job)
    }
}

/// Combines values to one.
#[derive(Debug, Hash)]
struct Combine(ReduceOp);

/// Combines the values of tiles to one, for each line if there are several [partials, out].
pub(crate) fn combine(op: ReduceOp) -> Body {
    let operands = vec![Declared::read(Projection::beside(0)), Declared::WRITE];
    Descriptor {
        kernel: op.name(),
        ..Descriptor::new("combine", operands, Combine(op))
    }
    .tiled(Tiling::Processors { work: COMBINED })
    .shared()
}

impl Kernels for Combine {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        arithmetic::reduced(self.0, 1, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [partials, out] = task.expect();
        reduce::combine(self.0, partials, out);
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for Combine {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::combine(self.0, job)
    }
}

/// Combines values and their indices to one index.
#[derive(Debug, Hash)]
struct CombineArg(ReduceOp);

/// Combines values and their indices to one index, for each line if there are several [values,
/// indices, out].
pub(crate) fn combine_arg(op: ReduceOp) -> Body {
    let beside = Declared::read(Projection::beside(0));
    let operands = vec![beside.clone(), beside, Declared::WRITE];
    Descriptor {
        kernel: op.name(),
        ..Descriptor::new("combine", operands, CombineArg(op))
    }
    .tiled(Tiling::Processors { work: COMBINED })
    .shared()
}

impl Kernels for CombineArg {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        arithmetic::reduced(self.0, 2, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [values, indices, out] = task.expect();
        reduce::combine_index(self.0, values, indices, out);
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for CombineArg {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::combine_arg(self.0, job)
    }
}

/// Reduces each line along an axis to one value.
#[derive(Debug, Hash)]
struct Along {
    reduce: ReduceOp,
    axis: u8,
}

/// Reduces along an axis of `length` elements, which the output does not have [input, out].
pub(crate) fn along(reduce: ReduceOp, axis: u8, length: usize) -> Body {
    let operands = vec![Declared::read(Projection::beside(axis)), Declared::WRITE];
    let fusion = match reduce.is_index() {
        true => Fusion::Alone,
        false => Fusion::FoldLines(reduce.fold().into()),
    };
    Descriptor {
        fusion,
        ..Descriptor::new(reduce.name(), operands, Along { reduce, axis })
    }
    .tiled(Tiling::Processors { work: length })
    .shared()
}

impl Kernels for Along {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        arithmetic::reduced(self.reduce, 1, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let (reduce, axis) = (self.reduce, usize::from(self.axis));
        let [input, out] = task.expect();
        match reduce.is_index() {
            true => reduce::axis_index(reduce, axis, input, out),
            false => reduce::axis(reduce, axis, input, out),
        }
        Ok(())
    }

    fn gpu(&self) -> Option<&dyn GpuKernels> {
        Some(self)
    }
}

impl Planned for Along {
    fn plan<'a>(&self, job: &'a Job<'a>) -> Option<Plan<'a>> {
        Plan::along(self.reduce, usize::from(self.axis), job)
    }

    fn fold(&self) -> Option<&dyn FoldKernels> {
        Some(self)
    }
}

impl FoldKernels for Along {
    fn scratch(&self, dtype: DType, shape: Shape, out: &DeviceTile) -> usize {
        let fold = (self.reduce, Some(usize::from(self.axis)));
        chained::scratch(fold, dtype, shape, out)
    }

    fn work(&self, folded: &FoldedChain, scratch: Address) -> Work {
        let fold = (self.reduce, Some(usize::from(self.axis)));
        chained::work(fold, folded, scratch)
    }
}

/// Reduces each line of a tile, along the axis that is cut, to one value, or to a value and its
/// index along the axis.
#[derive(Debug, Hash)]
struct PartialAlong {
    reduce: ReduceOp,
    axis: u8,
}

/// Reduces along an axis that is cut. Each tile writes a row of values, without that axis [input,
/// partials]. A reduction to an index writes a row of values and one of indices [input, values,
/// indices].
pub(crate) fn partial_along(reduce: ReduceOp, axis: u8) -> Body {
    let mut operands = vec![Declared::READ];
    operands.extend(tile_results(
        reduce.is_index(),
        &Projection::of_tiles(false),
    ));
    Descriptor::new(reduce.name(), operands, PartialAlong { reduce, axis })
        .tiled(Tiling::Along { axis })
        .shared()
}

impl Kernels for PartialAlong {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        arithmetic::reduced(self.reduce, 1, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let (reduce, axis) = (self.reduce, usize::from(self.axis));
        if !reduce.is_index() {
            let [input, partials] = task.expect();
            reduce::axis(reduce, axis, input, partials);
            return Ok(());
        }
        let first = task.cut().first();
        let [input, values, indices] = task.expect();
        reduce::partial_axis_index(reduce, axis, first, input, values, indices);
        Ok(())
    }
}

/// Reduces segments of the first axis.
#[derive(Debug, Hash)]
struct Segments(ReduceOp);

/// Reduces segments of the first axis, which start at `i64` places and have `i64` lengths [input,
/// starts, counts, out]. A segment has `work` elements on average.
pub(crate) fn segments(reduce: ReduceOp, work: usize) -> Body {
    let operands = vec![
        Declared::read(Projection::except(0)).led(),
        Declared::READ,
        Declared::READ,
        Declared::WRITE,
    ];
    Descriptor::new("reduceat", operands, Segments(reduce))
        .tiled(Tiling::Processors { work })
        .shared()
}

impl Kernels for Segments {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        arithmetic::reduced(self.0, 1, of)
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [input, starts, counts, out] = task.expect();
        reduce::segments(self.0, input, starts, counts, out).map_err(outside)
    }
}

planned! { Partial, PartialArg, Combine, CombineArg, Along }
