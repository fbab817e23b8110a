//! Operations of the runtime itself that pack the elements of a block with gaps, and unpack them.

#![allow(unsafe_code, reason = "makes tiles of parts of tiles")]

use weft_elements::{Tile, copy_elements};
use weft_geometry::{Layout, Moved, Tiling};
use weft_trace::record::Arithmetic;

use super::arithmetic::Computed;
use super::descriptor::{Body, Declared, Descriptor};
use super::kernels::{CpuTask, Kernels};
use crate::error::Cause;

/// Copies elements between a block with gaps and a packed one without.
#[derive(Debug, Hash)]
struct CopyRuns {
    /// The runs between the gaps.
    moved: Moved,
    /// Whether the block with gaps is the output.
    fills: bool,
}

impl Kernels for CopyRuns {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [input, out] = task.expect();
        let axis = self.moved.axis;
        let mut end_before = 0;
        for (first, end) in self.moved.runs.of_tile(0) {
            let (of_gaps, without) = ((*first, *end), (end_before, end_before + end - first));
            end_before = without.1;
            let (from, to) = match self.fills {
                true => (without, of_gaps),
                false => (of_gaps, without),
            };
            let (from, to) = (part(input, axis, from), part(out, axis, to));
            // SAFETY: parts of the tiles; only this task accesses the one that is written.
            unsafe {
                let from = Tile::new(input.data(), input.dtype(), from);
                copy_elements(&from, &mut Tile::new(out.data(), out.dtype(), to));
            }
        }
        Ok(())
    }
}

/// Returns the indices from `first` to before `end` along an axis of a tile; its layout clips them.
fn part(tile: &Tile<'_>, axis: usize, (first, end): (usize, usize)) -> Layout {
    let dims = tile.layout().shape;
    let (mut low, mut high) = (vec![0; dims.rank()], dims.dims().to_vec());
    (low[axis], high[axis]) = (first, end);
    tile.layout().tile(&low, &high)
}

/// Packs the elements between the gaps of a block (block, out).
pub(crate) fn pack(moved: &Moved) -> Body {
    let operands = vec![Declared::read(moved.projection()), Declared::WRITE];
    copy_runs("pack", operands, moved, false)
}

/// Unpacks elements into a block with gaps (input, block).
pub(crate) fn unpack(moved: &Moved) -> Body {
    let block = Declared {
        projection: moved.projection(),
        ..Declared::UPDATE
    };
    copy_runs("unpack", vec![Declared::READ, block], moved, true)
}

fn copy_runs(name: &'static str, operands: Vec<Declared>, moved: &Moved, fills: bool) -> Body {
    let moved = moved.clone();
    let descriptor = Descriptor::new(name, operands, CopyRuns { moved, fills });
    descriptor.tiled(Tiling::Whole).shared()
}
