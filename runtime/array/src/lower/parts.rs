//! Products of few results and many terms. The terms are cut into parts, each part is multiplied
//! separately, and the results are joined.
//!
//! Matrices of many rows and few columns are read in memory order. All processors have work even if
//! there are too few results to keep them busy.

use smallvec::smallvec;

use super::{View, checked};
use crate::library;
use crate::shape::Shape;
use weft_core::error::CallError;
use weft_core::operation::{Body, Request};
use weft_geometry::Tiling;

/// The number of terms that a kernel adds up as one block. The parts of a product with a vector
/// have a power of two of these blocks, so that joining them gives the bits of the whole product.
const BLOCK: usize = 512;

/// The number of parts for each tile of the uncut product: enough that tiles of several parts have
/// equal lengths.
const PARTS: usize = 4;

/// The number of bytes in a row of one tile's results that are worth a jump to the next row of the
/// matrix.
const RUN: usize = 4096;

/// The number of rows that the kernel multiplies with one vector at a time.
const ROWS: usize = 8;

/// The maximum number of parts of a matrix product. It must not depend on the processors.
const MOST: usize = 64;

/// The minimum number of terms of each part of a matrix product.
const LEAST_TERMS: usize = 1024;

/// The minimum number of multiplications of each part of a matrix product.
const LEAST_WORK: usize = 1 << 19;

/// The number of elements that a matrix product reads for each that its parts write.
const READ: usize = 8;

/// The number of tiles of results that are enough for a matrix product.
const TILES: usize = 16;

impl View {
    /// Returns the product of this matrix and a vector in parts; `None` if tiles of results read
    /// the matrix in memory order. The bits are those of the uncut product.
    pub(super) fn matvec_in_parts(&self, vector: &View) -> Result<Option<View>, CallError> {
        let (rows, terms) = (self.dims()[0], self.dims()[1]);
        let Some(length) = self.part_of_matvec(rows, terms)? else {
            return Ok(None);
        };
        let count = terms / length;
        let stack = self
            .tiled([rows, count * length])
            .reshaped(&[rows, count, length])?;
        let stack = stack.permute(&[1, 0, 2])?;
        let vectors = vector.tiled([count * length]).reshaped(&[count, length])?;
        let rest = (count * length < terms).then(|| {
            (
                self.with_layout(self.layout.tile(&[0, count * length], &[rows, terms])),
                vector.with_layout(vector.layout.tile(&[count * length], &[terms])),
                library::linear::matvec(terms - count * length),
            )
        });
        let body = library::linear::matvecs(length);
        View::joined_parts((&stack, &vectors, body), rest, &[rows]).map(Some)
    }

    /// Returns the number of terms of a part.
    fn part_of_matvec(&self, rows: usize, terms: usize) -> Result<Option<usize>, CallError> {
        if self.core.has_gpus() || terms < 2 * BLOCK {
            return Ok(None);
        }
        let tiles =
            |shape: &Shape, work| self.core.cuts(shape, Tiling::Processors { work }).tiles();
        let wanted = tiles(&self.layout.shape, 1);
        if wanted == 1 {
            return Ok(None);
        }
        let of_results = tiles(&checked(&[rows])?, terms);
        let [down, right] = [0, 1].map(|axis| self.layout.strides[axis].unsigned_abs());
        let is_read_as_it_lies = match right > down {
            true => rows / of_results * self.dtype().size() >= RUN,
            // Ranks have rows of it.
            false => of_results == wanted && (rows / of_results >= ROWS || self.core.has_ranks()),
        };
        let blocks = terms / BLOCK;
        if is_read_as_it_lies || blocks < wanted.div_ceil(2) {
            return Ok(None);
        }
        let of_part = (blocks / (PARTS * wanted)).max(1);
        Ok(Some(BLOCK << of_part.ilog2()))
    }

    /// Returns the product of this matrix and another in parts; `None` if there are enough results
    /// for all processors.
    pub(super) fn matmul_in_parts(&self, other: &View) -> Result<Option<View>, CallError> {
        let (rows, terms, columns) = (self.dims()[0], self.dims()[1], other.dims()[1]);
        let results = rows.saturating_mul(columns);
        let work = results.saturating_mul(terms);
        let read = (rows + columns).saturating_mul(terms);
        let count = MOST
            .min(terms / LEAST_TERMS)
            .min(work / LEAST_WORK)
            .min(read / READ / results.max(1));
        if self.core.has_gpus() || count < 2 {
            return Ok(None);
        }
        let body = library::linear::matmul(terms);
        let tiles = self
            .core
            .cuts(&checked(&[rows, columns])?, body.tiling)
            .tiles();
        if tiles >= TILES || count < 2 * tiles {
            return Ok(None);
        }
        let length = terms / count;
        let end = count * length;
        let left = self.tiled([rows, end]).reshaped(&[rows, count, length])?;
        let left = left.permute(&[1, 0, 2])?;
        let right = other.tiled([end]).reshaped(&[count, length, columns])?;
        let rest = (end < terms).then(|| {
            (
                self.with_layout(self.layout.tile(&[0, end], &[rows, terms])),
                other.with_layout(other.layout.tile(&[end], &[terms])),
                library::linear::matmul(terms - end),
            )
        });
        let body = library::linear::matmuls(length);
        View::joined_parts((&left, &right, body), rest, &[rows, columns]).map(Some)
    }

    /// Returns the first elements along the first axes.
    fn tiled<const N: usize>(&self, end: [usize; N]) -> View {
        self.with_layout(self.layout.tile(&[0; N], &end))
    }

    /// Joins the products of a stack of parts, and of the remaining terms.
    fn joined_parts(
        (left, right, body): (&View, &View, Body),
        rest: Option<(View, View, Body)>,
        dims: &[usize],
    ) -> Result<View, CallError> {
        let (core, dtype) = (&left.core, left.dtype());
        let count = left.dims()[0];
        let parts = count + usize::from(rest.is_some());
        let all = |parts: usize| checked(&[&[parts], dims].concat());
        let partials = View::unwritten(core, dtype, all(parts)?)?;
        let of_stack = partials.tiled([count]);
        let operands = smallvec![left.operand(), right.operand(), of_stack.operand()];
        let first = core.submit(Request::new(body, all(count)?, operands))?;
        if let Some((left, right, body)) = rest {
            let last =
                partials.with_layout(partials.layout.index(0, -1).unwrap_or(partials.layout));
            let operands = smallvec![left.operand(), right.operand(), last.operand()];
            let request = Request::new(body, checked(dims)?, operands);
            core.submit(request.part_of(Some(first)))?;
        }
        let out = View::unwritten(core, dtype, checked(dims)?)?;
        let operands = smallvec![partials.operand(), out.operand()];
        let body = library::linear::combine_parts(parts);
        core.submit(Request::new(body, checked(dims)?, operands).part_of(Some(first)))?;
        Ok(out)
    }
}
