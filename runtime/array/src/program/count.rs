//! Counting values, histograms, and searches in sorted vectors.

use super::{Array, DynArray};
use crate::dtype::{DType, Element, Integer, Real};
use crate::lower::{histogram, wrong};
use weft_core::error::{CallError, Error, at_call};
use weft_core::site::Site;

pub use crate::lower::count::Side;

/// The bins of a histogram.
#[derive(Clone, Copy, Debug)]
pub enum Bins<'a> {
    /// The number of bins of equal width, from the smallest value to the largest.
    Count(usize),
    /// The number of bins of equal width between two values.
    Range(usize, f64, f64),
    /// Bins between neighbouring elements of an increasing vector.
    Edges(&'a DynArray),
}

impl DynArray {
    /// Returns the number of occurrences of each integer from 0, as `i64`; with weights, the sum of
    /// their weights, as `f64`. The result has at least `least` elements. Waits for the smallest
    /// and the largest value.
    ///
    /// The order of summation depends only on the shape.
    ///
    /// # Errors
    /// Returns an error if the numbers are not integers, one is below 0, the weights have another
    /// shape or are complex, or an operation that these depend on failed.
    #[track_caller]
    pub fn bincount(&self, weights: Option<&DynArray>, least: usize) -> Result<DynArray, Error> {
        let _call = Site::enter_caller();
        self.check_whole()?;
        let weights = weights.map(|weights| &weights.view);
        Ok(self.view.bincount(weights, least)?.into())
    }

    /// Like [`bincount`](Self::bincount), for numbers that are all below `bins`. It does not wait.
    /// Any other number is an error of the result.
    ///
    /// # Errors
    /// Returns an error if the elements are not integers, or the weights have another shape or are
    /// complex.
    #[track_caller]
    pub fn bincount_below(
        &self,
        bins: usize,
        weights: Option<&DynArray>,
    ) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        self.check_whole()?;
        let weights = weights.map(|weights| &weights.view);
        Ok(self.view.bincount_below(bins, weights)?.into())
    }

    /// Checks that the elements are integers.
    fn check_whole(&self) -> Result<(), CallError> {
        let (operation, dtype) = ("bincount", self.dtype());
        match dtype.is_float() || dtype.is_complex() {
            true => Err(CallError::DType { operation, dtype }),
            false => Ok(()),
        }
    }

    /// Returns the position in this sorted vector at which to insert each of `values`: NumPy's
    /// `searchsorted`. NaN is larger than all numbers.
    ///
    /// # Errors
    /// Returns an error if this is not a vector.
    #[track_caller]
    pub fn searchsorted(&self, values: &DynArray, side: Side) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        Ok(self.view.searchsorted(&values.view, side)?.into())
    }

    /// Returns the bin index of each element: 0 before the first edge, the number of edges after
    /// the last. A bin includes its lower edge, or with `right` its upper one. Edges must be
    /// monotonic. Waits for the edges.
    ///
    /// # Errors
    /// Returns an error if the edges are not a monotonic vector, a dtype is complex, or an
    /// operation that the edges depend on failed.
    #[track_caller]
    pub fn digitize(&self, edges: &DynArray, right: bool) -> Result<DynArray, Error> {
        let _call = Site::enter_caller();
        let operation = "digitize";
        for dtype in [self.dtype(), edges.dtype()] {
            if dtype.is_complex() {
                return Err(CallError::DType { operation, dtype }.into());
            }
        }
        let (view, edges) = (&self.view, &edges.view);
        Ok(view.digitize(edges, right)?.into())
    }

    /// Returns the number of elements (or the sum of their weights) in each bin, and the edges of
    /// the bins. A bin includes its lower edge, the last one both. Elements outside are not
    /// counted. Waits for the edges.
    ///
    /// # Errors
    /// Returns an error if there are no bins, their edges do not increase or are not finite, the
    /// weights have another shape, or the dtype has no order. Returns an error if an operation that
    /// these depend on failed.
    #[track_caller]
    pub fn histogram(
        &self,
        bins: Bins<'_>,
        weights: Option<&DynArray>,
    ) -> Result<(DynArray, DynArray), Error> {
        let _call = Site::enter_caller();
        let (operation, dtype) = ("histogram", self.dtype());
        if dtype.is_complex() {
            return Err(CallError::DType { operation, dtype }.into());
        }
        let bins = match bins {
            Bins::Count(count) => histogram::Bins::Count(count),
            Bins::Range(count, low, high) => histogram::Bins::Range(count, low, high),
            Bins::Edges(edges) => histogram::Bins::Edges(&edges.view),
        };
        let weights = weights.map(|weights| &weights.view);
        let (counts, edges) = self.view.histogram(bins, weights)?;
        Ok((counts.into(), edges.into()))
    }
}

impl DynArray {
    /// Returns the number of elements (or the sum of their weights) in each bin between neighbours
    /// of `edges`, which must increase. A bin includes its lower edge, the last one both. Elements
    /// outside are not counted. Does not wait.
    ///
    /// # Errors
    /// Returns an error unless the edges are a vector of at least two elements, if the weights have
    /// another shape, or if a dtype has no order.
    #[track_caller]
    pub fn histogram_between(
        &self,
        edges: &DynArray,
        weights: Option<&DynArray>,
    ) -> Result<DynArray, CallError> {
        let _call = Site::enter_caller();
        let operation = "histogram";
        if edges.ndim() != 1 || edges.len() < 2 {
            let why = format!("{:?} is not the shape of edges of bins", edges.shape());
            return Err(wrong(operation, &why));
        }
        for dtype in [self.dtype(), edges.dtype()] {
            if dtype.is_complex() {
                return Err(CallError::DType { operation, dtype });
            }
        }
        let weights = weights.map(|weights| &weights.view);
        let view = &self.view;
        Ok(view.histogram_between(&edges.view, weights)?.into())
    }
}

impl<T: Integer> Array<T> {
    /// Returns the number of occurrences of each integer from 0: NumPy's `bincount`. The result has
    /// at least `least` elements. Waits for the smallest and the largest number.
    ///
    /// # Panics
    /// Panics at the caller's line if a number is below 0, or a computation that the array depends
    /// on failed.
    #[track_caller]
    #[must_use]
    pub fn bincount(&self, least: usize) -> Array<i64> {
        Array::wrap(at_call(self.as_dyn().bincount(None, least)))
    }

    /// Returns the sum of the weights of each number, starting with 0. The result has at least
    /// `least` elements. Waits for the smallest and the largest number.
    ///
    /// # Panics
    /// Panics at the caller's line if a number is below 0, there are not as many weights, or an
    /// operation that the arrays depend on failed.
    #[track_caller]
    #[must_use]
    pub fn bincount_weights<W: Real>(&self, weights: &Array<W>, least: usize) -> Array<f64> {
        let sums = self.as_dyn().bincount(Some(weights.as_dyn()), least);
        Array::wrap(at_call(sums))
    }
}

impl<T: Element> Array<T> {
    /// Returns the position in this sorted vector at which to insert each of `values`: NumPy's
    /// `searchsorted`. NaN is larger than all numbers.
    ///
    /// # Panics
    /// Panics at the caller's line if this is not a vector.
    #[track_caller]
    #[must_use]
    pub fn searchsorted(&self, values: &Array<T>, side: Side) -> Array<i64> {
        Array::wrap(at_call(self.as_dyn().searchsorted(values.as_dyn(), side)))
    }
}

impl<T: Real> Array<T> {
    /// Returns the bin index of each element: NumPy's `digitize`. Waits for the edges.
    ///
    /// # Panics
    /// Panics at the caller's line if the edges are not a vector or not sorted, or an operation
    /// that they depend on failed.
    #[track_caller]
    #[must_use]
    pub fn digitize(&self, edges: &Array<T>, right: bool) -> Array<i64> {
        Array::wrap(at_call(self.as_dyn().digitize(edges.as_dyn(), right)))
    }

    /// Returns the number of elements in each of `bins` bins of equal width between the smallest
    /// and largest element, and the edges of the bins: NumPy's `histogram`. Waits for the smallest
    /// and the largest element.
    ///
    /// # Panics
    /// Panics at the caller's line if there are no bins, elements are not finite, or what the array
    /// depends on failed.
    #[track_caller]
    #[must_use]
    pub fn histogram(&self, bins: usize) -> (Array<i64>, Array<f64>) {
        self.histogram_of(Bins::Count(bins))
    }

    /// Like [`histogram`](Self::histogram), with bins between two values. Elements outside are not
    /// counted.
    ///
    /// # Panics
    /// Panics at the caller's line if there are no bins, the values are not finite or not in order,
    /// or a computation that the array depends on failed.
    #[track_caller]
    #[must_use]
    pub fn histogram_range(&self, bins: usize, low: f64, high: f64) -> (Array<i64>, Array<f64>) {
        self.histogram_of(Bins::Range(bins, low, high))
    }

    /// Returns the number of elements in each bin between neighbouring elements of `edges`, which
    /// must increase. Waits for `edges`.
    ///
    /// # Panics
    /// Panics at the caller's line if there are fewer than two edges, they do not increase, or an
    /// operation that the arrays depend on failed.
    #[track_caller]
    #[must_use]
    pub fn histogram_edges(&self, edges: &Array<T>) -> Array<i64> {
        let counted = self.as_dyn().histogram(Bins::Edges(edges.as_dyn()), None);
        Array::wrap(at_call(counted).0)
    }

    #[track_caller]
    fn histogram_of(&self, bins: Bins<'_>) -> (Array<i64>, Array<f64>) {
        let (counts, edges) = at_call(self.as_dyn().histogram(bins, None));
        let edges = at_call(edges.cast(DType::F64));
        (Array::wrap(counts), Array::wrap(edges))
    }
}
