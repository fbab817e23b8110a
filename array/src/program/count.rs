//! Counting values, histograms, and searches in sorted vectors.

use smallvec::{SmallVec, smallvec};

use super::forward::checked;
use super::forward::wrong;
use super::{Array, DynArray, Value};
use crate::dtype::{DType, Element, Integer, Parameter, Promotion, Real, Scalar};
use crate::kernel::{BinaryOp, ReduceOp};
use crate::library;
use crate::lower::generate::Generator;
use weft_core::error::{CallError, Error, at_call};
use weft_core::operation::{Operand, Request};
use weft_core::site::Site;

/// The side of equal elements at which to insert a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Before equal elements.
    Left,
    /// After equal elements.
    Right,
}

/// The bins of a histogram.
#[derive(Clone, Copy, Debug)]
pub enum Bins<'a> {
    /// A number of bins of equal width, from the smallest value to the largest.
    Count(usize),
    /// A number of bins of equal width between two values.
    Range(usize, f64, f64),
    /// Bins between neighbouring elements of an increasing vector.
    Edges(&'a DynArray),
}

impl DynArray {
    /// The number of occurrences of each integer from 0, as `i64`; with weights, the sum of their weights, as `f64`.
    /// The result has at least `least` elements. Waits for the smallest and the largest value.
    ///
    /// The order of summation depends only on the shape.
    ///
    /// # Errors
    /// The numbers are not integers, one is below 0, the weights have another shape or are complex, or an operation
    /// that these depend on failed.
    #[track_caller]
    pub fn bincount(&self, weights: Option<&DynArray>, least: usize) -> Result<DynArray, Error> {
        let call = Site::caller();
        let (operation, dtype) = ("bincount", self.dtype());
        if dtype.is_float() || dtype.is_complex() {
            return Err(CallError::DType { operation, dtype }.into());
        }
        let numbers = self.cast_by(DType::I64, call)?.flattened(call)?;
        let numbers = numbers.apart_from(self, call)?;
        let mut bins = least;
        if !numbers.is_empty() {
            let bound = |op| -> Result<i64, Error> {
                let bound = numbers.reduce_by(op, None, call)?;
                Ok(bound.view.read(call)?.first().copied().unwrap_or(0))
            };
            let (low, high) = (bound(ReduceOp::Min)?, bound(ReduceOp::Max)?);
            if low < 0 {
                return Err(wrong(operation, &format!("{low} is negative")).into());
            }
            bins = bins.max(high as usize + 1);
        }
        Ok(numbers.counted(weights, bins, call)?)
    }

    /// As [`bincount`](Self::bincount), for numbers that are all below `bins`: waits for nothing. Another number is an error of the
    /// result.
    ///
    /// # Errors
    /// The elements are not integers, or the weights have another shape or are complex.
    #[track_caller]
    pub fn bincount_below(
        &self,
        bins: usize,
        weights: Option<&DynArray>,
    ) -> Result<DynArray, CallError> {
        let call = Site::caller();
        let (operation, dtype) = ("bincount", self.dtype());
        if dtype.is_float() || dtype.is_complex() {
            return Err(CallError::DType { operation, dtype });
        }
        let numbers = self.cast_by(DType::I64, call)?.flattened(call)?;
        numbers.counted(weights, bins, call)
    }

    /// How often each number below `bins` occurs in a vector of `i64`, none of which is another.
    fn counted(
        &self,
        weights: Option<&DynArray>,
        bins: usize,
        call: Site,
    ) -> Result<DynArray, CallError> {
        let weights = match weights {
            None => None,
            Some(weights) if weights.dtype().is_complex() => {
                let (operation, dtype) = ("bincount", weights.dtype());
                return Err(CallError::DType { operation, dtype });
            }
            Some(weights) if weights.len() == self.len() => {
                Some(weights.cast_by(DType::F64, call)?.flattened(call)?)
            }
            Some(weights) => {
                let why = format!("{} weights for {} values", weights.len(), self.len());
                return Err(wrong("bincount", &why));
            }
        };
        let dtype = weights.as_ref().map_or(DType::I64, |_| DType::F64);
        let shape = self.layout.shape;
        if shape.is_empty() {
            let nothing = Scalar::zero(dtype);
            return DynArray::filled(&self.core, dtype, &[bins], nothing, call);
        }
        let body = |whole| match weights {
            None => library::count::count(whole),
            Some(_) => library::count::count_weights(whole),
        };
        // A row of counts for each tile, where rows are no longer than tiles.
        let tiles = self.core.cuts(&shape, body(false).tiling).tiles();
        let whole = tiles.saturating_mul(bins) > shape.len();
        let tiles = if whole { 1 } else { tiles };
        let rows = DynArray::unwritten(&self.core, dtype, checked(&[tiles, bins])?, call)?;
        let mut operands: SmallVec<[Operand; 4]> = smallvec![self.operand()];
        operands.extend(weights.iter().map(|weights| weights.operand()));
        operands.push(rows.operand());
        let request = Request::new(call, body(whole), shape, operands);
        self.core.submit(request)?;
        if tiles == 1 {
            return Ok(rows.with_layout(rows.layout.index(0, 0).unwrap_or(rows.layout)));
        }
        rows.reduce_by(ReduceOp::Sum, Some(0), call)
    }

    /// The position in this sorted vector at which to insert each of `values`: NumPy's `searchsorted`. NaN is larger
    /// than all numbers.
    ///
    /// # Errors
    /// This is not a vector.
    #[track_caller]
    pub fn searchsorted(&self, values: &DynArray, side: Side) -> Result<DynArray, CallError> {
        self.searchsorted_by(values, side, Site::caller())
    }

    fn searchsorted_by(
        &self,
        values: &DynArray,
        side: Side,
        call: Site,
    ) -> Result<DynArray, CallError> {
        if self.ndim() != 1 {
            let why = format!("shape {:?} is not that of a vector", self.shape());
            return Err(wrong("searchsorted", &why));
        }
        let dtype = DType::promote(self.dtype(), values.dtype());
        let (sorted, values) = (self.cast_by(dtype, call)?, values.cast_by(dtype, call)?);
        let shape = values.layout.shape;
        let out = DynArray::unwritten(&self.core, DType::I64, shape, call)?;
        let operands = smallvec![sorted.operand(), values.operand(), out.operand(),];
        let right = side == Side::Right;
        let body = library::search::search(right);
        self.core
            .submit(Request::new(call, body, shape, operands))?;
        Ok(out)
    }

    /// The bin index of each element: 0 before the first edge, the number of edges after the last. A bin includes its
    /// lower edge, or with `right` its upper one. Edges must be monotonic. Waits for the edges.
    ///
    /// # Errors
    /// The edges are not a monotonic vector, a dtype is complex, or an operation that the edges depend on failed.
    #[track_caller]
    pub fn digitize(&self, edges: &DynArray, right: bool) -> Result<DynArray, Error> {
        let (operation, call) = ("digitize", Site::caller());
        for dtype in [self.dtype(), edges.dtype()] {
            if dtype.is_complex() {
                return Err(CallError::DType { operation, dtype }.into());
            }
        }
        let grows = edges.edges(operation, call)?;
        let side = if right { Side::Left } else { Side::Right };
        if grows {
            return Ok(edges.searchsorted_by(self, side, call)?);
        }
        let places = edges.backwards(0).searchsorted_by(self, side, call)?;
        let count = Value::Scalar(Scalar::I64(edges.len() as i64));
        Ok(DynArray::binary_by(
            BinaryOp::Sub,
            &count,
            &Value::Array(places),
            call,
        )?)
    }

    /// Whether the edges of bins grow (or shrink), read from them.
    fn edges(&self, operation: &'static str, call: Site) -> Result<bool, Error> {
        if self.ndim() != 1 {
            let why = format!("shape {:?} is not that of a vector", self.shape());
            return Err(wrong(operation, &why).into());
        }
        let edges: Vec<f64> = self.cast_by(DType::F64, call)?.view.read(call)?;
        let pairs = || edges.windows(2);
        if pairs().all(|pair| pair[0] <= pair[1]) {
            return Ok(true);
        }
        if pairs().all(|pair| pair[0] >= pair[1]) {
            return Ok(false);
        }
        Err(wrong(operation, "the edges are not monotonic").into())
    }

    /// The number of elements (or the sum of their weights) in each bin, and the edges of the bins. A bin includes its
    /// lower edge, the last one both. Elements outside are not counted. Waits for the edges.
    ///
    /// # Errors
    /// There are no bins, their edges do not grow or are not finite, the weights have another shape, the dtype has no
    /// order, or what all these depend on failed.
    #[track_caller]
    pub fn histogram(
        &self,
        bins: Bins<'_>,
        weights: Option<&DynArray>,
    ) -> Result<(DynArray, DynArray), Error> {
        let call = Site::caller();
        // Every element is looked at for the bounds, for its bin and for the last edge.
        self.copied(call)?.histogram_of(bins, weights, call)
    }

    /// [`histogram`](Self::histogram) of an array that nobody writes meanwhile.
    fn histogram_of(
        &self,
        bins: Bins<'_>,
        weights: Option<&DynArray>,
        call: Site,
    ) -> Result<(DynArray, DynArray), Error> {
        let operation = "histogram";
        let dtype = self.dtype();
        if dtype.is_complex() {
            return Err(CallError::DType { operation, dtype }.into());
        }
        let wide = match self.dtype() {
            float if float.is_float() => float,
            _ => DType::F64,
        };
        let edges = match bins {
            Bins::Edges(edges) => {
                // The edges that are checked are those that are used.
                let edges = edges.copied(call)?;
                if !edges.edges(operation, call)? {
                    return Err(wrong(operation, "the edges do not increase").into());
                }
                edges
            }
            Bins::Count(count) => {
                let (low, high) = self.bounds(call)?;
                self.even_edges(count, low, high, wide, call)?
            }
            Bins::Range(count, low, high) => self.even_edges(count, low, high, wide, call)?,
        };
        let count = edges.len().saturating_sub(1);
        if count == 0 {
            return Err(wrong(operation, "no bins").into());
        }
        // 0 and count + 1 are what lies outside; but the last edge belongs to the last bin.
        let places = edges.searchsorted_by(self, Side::Right, call)?;
        let last = edges.part(0, count, count + 1);
        let is_last = self
            .viewed(&[self.len()], call)?
            .0
            .with(BinaryOp::Equal, &last, call)?;
        let places = places.flattened(call)?;
        let in_last = Value::Scalar(Scalar::I64(count as i64));
        let places = DynArray::select_by(&is_last, &in_last, &Value::from(&places), call)?;
        let counts = places.counted(weights, count + 2, call)?;
        Ok((counts.part(0, 1, count + 1), edges))
    }

    /// The smallest and the largest element, read.
    fn bounds(&self, call: Site) -> Result<(f64, f64), Error> {
        if self.is_empty() {
            return Ok((0.0, 1.0));
        }
        let wide = self.cast_by(DType::F64, call)?;
        let bound = |op| -> Result<f64, Error> {
            let bound = wide.reduce_by(op, None, call)?;
            Ok(bound.view.read(call)?.first().copied().unwrap_or(0.0))
        };
        Ok((bound(ReduceOp::Min)?, bound(ReduceOp::Max)?))
    }

    fn even_edges(
        &self,
        count: usize,
        low: f64,
        high: f64,
        dtype: DType,
        call: Site,
    ) -> Result<DynArray, CallError> {
        if count == 0 || low > high || !low.is_finite() || !high.is_finite() {
            let why = format!("cannot make {count} bins from {low} to {high}");
            return Err(wrong("histogram", &why));
        }
        let (start, stop) = if low == high {
            (low - 0.5, high + 0.5)
        } else {
            (low, high)
        };
        let generator = Generator::Linspace {
            start: Parameter(start),
            stop: Parameter(stop),
            count: count.saturating_add(1),
            endpoint: true,
        };
        let dims = [count.saturating_add(1)];
        let edges = DynArray::generated(&self.core, DType::F64, &dims, generator, call)?;
        edges.cast_by(dtype, call)
    }
}

impl<T: Integer> Array<T> {
    /// The number of occurrences of each integer from 0: NumPy's `bincount`. The result has at least `least` elements.
    /// Waits for the smallest and the largest number.
    ///
    /// # Panics
    /// At the caller's line if a number is below 0, or what the array depends on failed.
    #[track_caller]
    #[must_use]
    pub fn bincount(&self, least: usize) -> Array<i64> {
        Array::wrap(at_call(self.as_dyn().bincount(None, least)))
    }

    /// The sum of the weights of each number from 0 on. The result has at least `least` elements. Waits for the smallest
    /// and the largest number.
    ///
    /// # Panics
    /// At the caller's line if a number is below 0, there are not as many weights, or an operation that the arrays
    /// depend on failed.
    #[track_caller]
    #[must_use]
    pub fn bincount_weights<W: Real>(&self, weights: &Array<W>, least: usize) -> Array<f64> {
        let sums = self.as_dyn().bincount(Some(weights.as_dyn()), least);
        Array::wrap(at_call(sums))
    }
}

impl<T: Element> Array<T> {
    /// The position in this sorted vector at which to insert each of `values`: NumPy's `searchsorted`. NaN is larger
    /// than all numbers.
    ///
    /// # Panics
    /// At the caller's line if this is no vector.
    #[track_caller]
    #[must_use]
    pub fn searchsorted(&self, values: &Array<T>, side: Side) -> Array<i64> {
        Array::wrap(at_call(self.as_dyn().searchsorted(values.as_dyn(), side)))
    }
}

impl<T: Real> Array<T> {
    /// The bin index of each element: NumPy's `digitize`. Waits for the edges.
    ///
    /// # Panics
    /// At the caller's line if the edges are no vector or are not in order, or what they depend on failed.
    #[track_caller]
    #[must_use]
    pub fn digitize(&self, edges: &Array<T>, right: bool) -> Array<i64> {
        Array::wrap(at_call(self.as_dyn().digitize(edges.as_dyn(), right)))
    }

    /// The number of elements in each of `bins` bins of equal width between the smallest and largest element, and the
    /// edges of the bins: NumPy's `histogram`. Waits for the smallest and the largest element.
    ///
    /// # Panics
    /// At the caller's line if there are no bins, elements are not finite, or what the array depends on failed.
    #[track_caller]
    #[must_use]
    pub fn histogram(&self, bins: usize) -> (Array<i64>, Array<f64>) {
        self.histogram_of(Bins::Count(bins))
    }

    /// [`histogram`](Self::histogram) with bins between two values. Elements outside are not counted.
    ///
    /// # Panics
    /// At the caller's line if there are no bins, the values are not finite or not in order, or what the array depends
    /// on failed.
    #[track_caller]
    #[must_use]
    pub fn histogram_range(&self, bins: usize, low: f64, high: f64) -> (Array<i64>, Array<f64>) {
        self.histogram_of(Bins::Range(bins, low, high))
    }

    /// The number of elements in each bin between neighbouring elements of `edges`, which must increase. Waits for
    /// `edges`.
    ///
    /// # Panics
    /// At the caller's line if there are fewer than two edges, they do not grow, or an operation that the arrays
    /// depend on failed.
    #[track_caller]
    #[must_use]
    pub fn histogram_edges(&self, edges: &Array<T>) -> Array<i64> {
        let counted = self.as_dyn().histogram(Bins::Edges(edges.as_dyn()), None);
        Array::wrap(at_call(counted).0)
    }

    #[track_caller]
    fn histogram_of(&self, bins: Bins<'_>) -> (Array<i64>, Array<f64>) {
        let (counts, edges) = at_call(self.as_dyn().histogram(bins, None));
        let edges = at_call(edges.cast_by(DType::F64, Site::caller()));
        (Array::wrap(counts), Array::wrap(edges))
    }
}
