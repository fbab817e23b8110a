//! Bits packed eight to a byte, and unpacked.

use std::sync::LazyLock;

use weft_geometry::{Projection, Tiling};
use weft_trace::record::Arithmetic;

use crate::kernel::pack::{self, BITS, BitOrder};
use weft_core::error::Cause;
use weft_core::operation::{Body, Computed, CpuTask, Declared, Descriptor, Kernels};

/// The orders of bits, by number.
const ORDERS: [BitOrder; 2] = [BitOrder::Big, BitOrder::Little];

/// Packs elements into bits.
#[derive(Debug, Hash)]
struct Pack(BitOrder);

/// Packs eight elements along the last of `axes` axes into a byte [elements, bytes].
pub(crate) fn pack(order: BitOrder, axes: usize) -> Body {
    static OF_VECTORS: LazyLock<[Descriptor<Pack>; 2]> =
        LazyLock::new(|| ORDERS.map(|order| packing(order, 1)));
    match axes {
        1 => OF_VECTORS[order as usize].wrap_static(),
        _ => packing(order, axes).shared(),
    }
}

fn packing(order: BitOrder, axes: usize) -> Descriptor<Pack> {
    let (bits, tiling) = packed_axis(axes);
    let operands = vec![Declared::read(bits), Declared::WRITE];
    Descriptor::new("packbits", operands, Pack(order)).tiled(tiling)
}

impl Kernels for Pack {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [elements, bytes] = task.expect();
        pack::pack_bits(self.0, elements, bytes);
        Ok(())
    }
}

/// Unpacks bits into elements.
#[derive(Debug, Hash)]
struct Unpack(BitOrder);

/// Unpacks each byte into eight elements along the last of `axes` axes [bytes, elements], over the
/// shape of the bytes.
pub(crate) fn unpack(order: BitOrder, axes: usize) -> Body {
    static OF_VECTORS: LazyLock<[Descriptor<Unpack>; 2]> =
        LazyLock::new(|| ORDERS.map(|order| unpacking(order, 1)));
    match axes {
        1 => OF_VECTORS[order as usize].wrap_static(),
        _ => unpacking(order, axes).shared(),
    }
}

fn unpacking(order: BitOrder, axes: usize) -> Descriptor<Unpack> {
    let (bits, tiling) = packed_axis(axes);
    let operands = vec![Declared::READ, Declared::write(bits)];
    Descriptor::new("unpackbits", operands, Unpack(order)).tiled(tiling)
}

impl Kernels for Unpack {
    fn arithmetic(&self, of: &Computed<'_>) -> Option<Arithmetic> {
        of.nothing()
    }

    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let [bytes, elements] = task.expect();
        pack::unpack_bits(self.0, bytes, elements);
        Ok(())
    }
}

/// Returns how elements follow the tiles of their bytes. A vector is cut anywhere. With more axes,
/// the last one stays whole.
fn packed_axis(axes: usize) -> (Projection, Tiling) {
    let last = axes.saturating_sub(1) as u8;
    match last {
        // Eight bits take the time of one element of other kernels.
        0 => (
            Projection::blocks(BITS as u32),
            Tiling::Processors { work: 1 },
        ),
        _ => (Projection::except(last), Tiling::Across { axis: last }),
    }
}
