//! Matrix times vector.

use smallvec::smallvec;

use super::super::loops::{BLOCKS, THREADS};
use super::super::nest::{Nest, Strided};
use super::super::reduce::lines::Lines;
use super::super::{DeviceTile, Kernel};
use super::LinearKernelKey;
use super::key::ROWS;
use crate::dtype::DType;
use weft_core::cuda::{Address, Args, Launch, Work};

/// A product of a matrix and a vector.
pub(crate) enum MatVec {
    /// A product of dense rows.
    RowProduct(RowProduct),
    /// A product of rows or columns with any step.
    Lines(Lines),
}

/// A product of dense rows.
pub(crate) struct RowProduct {
    dtype: DType,
    matrix: Address,
    vector: Address,
    /// The step between rows of the matrix, in elements.
    row_step: isize,
    rows: usize,
    columns: usize,
    /// The result.
    out: Nest,
    pack: usize,
    /// The number of threads of a block that share rows, and of sets of rows in a block.
    block: [usize; 2],
    parts: usize,
    /// The number of columns of a part.
    length: usize,
}

impl MatVec {
    /// Plans a product; `None` if there are no rows.
    pub(in super::super) fn new(
        matrix: &DeviceTile,
        vector: &DeviceTile,
        out: &DeviceTile,
    ) -> Option<MatVec> {
        let columns = vector.layout.shape.len();
        let is_dense = |step: isize| step == 1 || columns == 1;
        if is_dense(matrix.layout.strides[1]) && is_dense(vector.layout.strides[0]) {
            return RowProduct::new(matrix, vector, out).map(MatVec::RowProduct);
        }
        Lines::matvec(matrix, vector, out).map(MatVec::Lines)
    }

    /// Returns the number of bytes of device memory for the results of parts.
    pub(in super::super) fn scratch(&self) -> usize {
        match self {
            MatVec::RowProduct(rows) if rows.parts == 1 => 0,
            MatVec::RowProduct(rows) => rows.parts * rows.rows * rows.dtype.size(),
            MatVec::Lines(lines) => lines.scratch(),
        }
    }

    /// Returns the work.
    pub(in super::super) fn work(&self, scratch: Address) -> Work {
        match self {
            MatVec::RowProduct(rows) => rows.work(scratch),
            MatVec::Lines(lines) => lines.work(scratch),
        }
    }
}

impl RowProduct {
    fn new(matrix: &DeviceTile, vector: &DeviceTile, out: &DeviceTile) -> Option<RowProduct> {
        let (rows, columns) = (out.layout.shape.len(), vector.layout.shape.len());
        let out = Nest::in_order(out.layout.shape, &[Strided::from_tile(out)])?;
        let size = matrix.dtype.size();
        let wide = 16 / size;
        let row_step = matrix.layout.strides[0];
        let addresses = [matrix, vector].map(|tile| Strided::from_tile(tile).first);
        let is_aligned = addresses.iter().all(|address| address.is_multiple_of(16))
            && (rows == 1 || row_step.unsigned_abs().is_multiple_of(wide))
            && columns.is_multiple_of(wide);
        let pack = if is_aligned { wide } else { 1 };
        let packs = columns / pack;
        let least = packs.next_power_of_two().min(8);
        let x = packs.div_ceil(4).next_power_of_two().clamp(least, THREADS);
        let y = (THREADS / x).min(rows.div_ceil(ROWS).next_power_of_two());
        let blocks = rows.div_ceil(y * ROWS);
        // Few blocks leave a GPU idle. A part is worth a block if its threads have several packs
        // each.
        let parts = if blocks < BLOCKS / 4 {
            BLOCKS.div_ceil(blocks).min(packs / (4 * x)).max(1)
        } else {
            1
        };
        let length = packs.div_ceil(parts) * pack;
        Some(RowProduct {
            dtype: matrix.dtype,
            matrix: addresses[0],
            vector: addresses[1],
            row_step,
            rows,
            columns,
            out,
            pack,
            block: [x, y],
            parts: columns.div_ceil(length),
            length,
        })
    }

    fn work(&self, scratch: Address) -> Work {
        let mut args: Args = smallvec![self.matrix, self.vector, self.out.first[0], scratch];
        args.extend([self.row_step, self.out.step(0, 0)].map(|step| step as u64));
        args.extend([self.rows, self.columns, self.length].map(|count| count as u64));
        let [x, y] = self.block;
        Work::Kernel(Launch {
            kernel: Kernel::from_source(LinearKernelKey::MatVec {
                dtype: self.dtype,
                pack: self.pack as u8,
            }),
            grid: [self.rows.div_ceil(y * ROWS) as u32, self.parts as u32, 1],
            block: [x as u32, y as u32, 1],
            args,
        })
    }
}
