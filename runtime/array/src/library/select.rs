//! Lines of which only some places are as in sorted order.

use weft_geometry::Tiling;

use crate::kernel::sort;
use weft_core::error::Cause;
use weft_core::operation::{Body, Computed, CpuTask, Declared, Descriptor, Kernels};
use weft_trace::record::Arithmetic;

/// Puts some elements of each line at their positions in sorted order.
#[derive(Debug, Hash)]
struct Partition {
    axis: u8,
    /// Places along the axis, in increasing order.
    places: Box<[usize]>,
    /// Writes the numbers of elements instead of the elements.
    numbers: bool,
}

fn partitioned(name: &'static str, kernels: Partition) -> Body {
    const OPERANDS: &[Declared] = &[Declared::READ, Declared::WRITE];
    let axis = kernels.axis;
    Descriptor::new(name, OPERANDS, kernels)
        .tiled(Tiling::Across { axis })
        .shared()
}

/// Each line along one axis with the elements of `places`, which increase, as in sorted order
/// [input, out].
pub(crate) fn partition(axis: u8, places: &[usize]) -> Body {
    let kernels = Partition {
        axis,
        places: places.into(),
        numbers: false,
    };
    partitioned("partition", kernels)
}

/// The numbers of each line's elements in such an order [input, out].
pub(crate) fn argpartition(axis: u8, places: &[usize]) -> Body {
    let kernels = Partition {
        axis,
        places: places.into(),
        numbers: true,
    };
    partitioned("argpartition", kernels)
}

impl Kernels for Partition {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let axis = usize::from(self.axis);
        let [input, out] = task.expect();
        match self.numbers {
            true => sort::argpartition(axis, &self.places, input, out),
            false => sort::partition(axis, &self.places, input, out),
        }
        Ok(())
    }
}
