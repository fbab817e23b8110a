//! Counts of values, and searches in sorted vectors. Each tile counts into its own row, and
//! the rows are added up.

use smallvec::{SmallVec, smallvec};

use super::{Input, View, checked, wrong};
use crate::dtype::{DType, Element, Promotion, Scalar};
use crate::kernel::{ReduceOp, Tile, count};
use crate::library;
use crate::shape::Shape;
use weft_core::error::{CallError, Error};
use weft_core::operation::{Body, Operand, Request};

/// The side of equal elements at which to insert a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Before equal elements.
    Left,
    /// After equal elements.
    Right,
}

impl View {
    /// Returns the number of occurrences of each integer from 0, as `i64`; with weights, the sum of
    /// their weights, as `f64`. The result has at least `least` elements. Waits for the smallest
    /// and the largest value.
    ///
    /// The order of summation depends only on the shape.
    pub(crate) fn bincount(&self, weights: Option<&View>, least: usize) -> Result<View, Error> {
        let numbers = self.cast(DType::I64)?.flattened()?;
        let weights = numbers.weights(weights)?;
        if let Some(made) = numbers.bincount_at_once(weights.as_ref(), least) {
            return Ok(made);
        }
        // A copy, since the numbers are read twice.
        let numbers = numbers.detach_from(self)?;
        let mut bins = least;
        if !numbers.is_empty() {
            // As unsigned numbers the negative ones are the largest, so that one reduction tells.
            let high = numbers.cast(DType::U64)?.reduce(ReduceOp::Max, None)?;
            let high: u64 = first(&high)?;
            let Ok(high) = i64::try_from(high) else {
                let low: i64 = first(&numbers.reduce(ReduceOp::Min, None)?)?;
                return Err(wrong("bincount", &format!("{low} is negative")).into());
            };
            bins = bins.max(high as usize + 1);
        }
        Ok(numbers.counted(weights.as_ref(), bins)?)
    }

    /// Computes [`bincount`](Self::bincount) of a vector of `i64` without an operation; `None` if
    /// that is not possible, or a number is negative.
    fn bincount_at_once(&self, weights: Option<&View>, least: usize) -> Option<View> {
        let dtype = weights.map_or(DType::I64, |_| DType::F64);
        let mut inputs: SmallVec<[&View; 2]> = smallvec![self];
        inputs.extend(weights);
        let shape = |numbers: &Tile<'_>| {
            let (low, high) = count::bounds(numbers)?;
            let bins = usize::try_from(high).ok()?.checked_add(1)?;
            Shape::new(&[bins.max(least)]).filter(|_| low >= 0)
        };
        let fill = |tiles: &mut [Tile<'_>]| {
            // All numbers are below the length of the output, which `shape` has computed.
            let _ = match tiles {
                [numbers, out] => count::count(numbers, None, out),
                [numbers, weights, out] => count::count(numbers, Some(weights), out),
                _ => Ok(()),
            };
        };
        View::measured_at_once("bincount", &inputs, dtype, shape, fill)
    }

    /// Weights of the numbers, as a vector of `f64`.
    pub(super) fn weights(&self, weights: Option<&View>) -> Result<Option<View>, CallError> {
        match weights {
            None => Ok(None),
            Some(weights) if weights.dtype().is_complex() => {
                let (operation, dtype) = ("bincount", weights.dtype());
                Err(CallError::DType { operation, dtype })
            }
            Some(weights) if weights.len() == self.len() => {
                Ok(Some(weights.cast(DType::F64)?.flattened()?))
            }
            Some(weights) => {
                let why = format!("{} weights for {} values", weights.len(), self.len());
                Err(wrong("bincount", &why))
            }
        }
    }

    /// Like [`bincount`](Self::bincount), for numbers that are all below `bins`. It does not wait.
    /// Any other number is an error of the result.
    pub(crate) fn bincount_below(
        &self,
        bins: usize,
        weights: Option<&View>,
    ) -> Result<View, CallError> {
        let numbers = self.cast(DType::I64)?.flattened()?;
        numbers.counted(weights, bins)
    }

    /// Counts each number below `bins` in a vector of `i64`, which must not have other numbers.
    pub(super) fn counted(&self, weights: Option<&View>, bins: usize) -> Result<View, CallError> {
        let weights = self.weights(weights)?;
        let body = |whole| match weights {
            None => library::count::count(whole),
            Some(_) => library::count::count_weights(whole),
        };
        let dtype = weights.as_ref().map_or(DType::I64, |_| DType::F64);
        let mut inputs: SmallVec<[Input<'_>; 3]> = smallvec![self.into()];
        inputs.extend(weights.as_ref().map(Input::View));
        self.counted_in_rows(body, &inputs, dtype, bins)
    }

    /// Counts into `bins` by `body`, for this view's shape: each tile in its own row, and the rows
    /// are added up. The parameter of `body` is whether there is only one tile.
    pub(super) fn counted_in_rows(
        &self,
        body: impl Fn(bool) -> Body,
        inputs: &[Input<'_>],
        dtype: DType,
        bins: usize,
    ) -> Result<View, CallError> {
        let shape = self.layout.shape;
        if shape.is_empty() {
            let nothing = Scalar::zero(dtype);
            return View::filled(&self.core, dtype, &[bins], nothing);
        }
        // A row of counts for each tile, if rows are not longer than tiles.
        let tiles = self.core.cuts(&shape, body(false).tiling).tiles();
        let whole = tiles.saturating_mul(bins) > shape.len();
        let tiles = if whole { 1 } else { tiles };
        let rows = View::unwritten(&self.core, dtype, checked(&[tiles, bins])?)?;
        if tiles == 1 {
            // To the kernel the counts are a vector.
            let row = rows.position(0, 0);
            if row.fill_at_once(&body(whole), &shape, inputs) {
                return Ok(row);
            }
        }
        let mut operands: SmallVec<[Operand; 4]> = SmallVec::new();
        for input in inputs {
            operands.push(match input {
                Input::View(view) => view.operand(),
                Input::Scalar(value) => Operand::Scalar(*value),
            });
        }
        operands.push(rows.operand());
        let request = Request::new(body(whole), shape, operands);
        self.core.submit(request)?;
        if tiles == 1 {
            return Ok(rows.position(0, 0));
        }
        rows.reduce(ReduceOp::Sum, Some(0))
    }

    /// Returns the position in this sorted vector at which to insert each of `values`, as NumPy's
    /// `searchsorted`. NaN is larger than all numbers.
    pub(crate) fn searchsorted(&self, values: &View, side: Side) -> Result<View, CallError> {
        if self.ndim() != 1 {
            let why = format!("shape {:?} is not that of a vector", self.dims());
            return Err(wrong("searchsorted", &why));
        }
        let dtype = DType::promote(self.dtype(), values.dtype());
        let (sorted, values) = (self.cast(dtype)?, values.cast(dtype)?);
        let shape = values.layout.shape;
        let out = View::unwritten(&self.core, DType::I64, shape)?;
        let body = library::search::search(side == Side::Right);
        out.write_over(body, shape, &[(&sorted).into(), (&values).into()])?;
        Ok(out)
    }
}

/// Waits for the element of an array that has one.
fn first<T: Element>(of: &View) -> Result<T, Error> {
    let elements = of.read()?;
    let Some(first) = elements.first() else {
        unreachable!("a reduction to one value has an element");
    };
    Ok(*first)
}
