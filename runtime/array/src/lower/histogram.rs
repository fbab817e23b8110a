//! Histograms, and the bins of values.

use smallvec::{SmallVec, smallvec};

use super::count::Side;
use super::generate::Generator;
use super::{Input, View, wrong};
use crate::dtype::{DType, Parameter, Promotion, Scalar};
use crate::kernel::{BinaryOp, ReduceOp};
use crate::library;
use weft_core::error::{CallError, Error};

/// The bins of a histogram.
#[derive(Clone, Copy)]
pub(crate) enum Bins<'a> {
    /// The number of bins of equal width, from the smallest value to the largest.
    Count(usize),
    /// The number of bins of equal width between two values.
    Range(usize, f64, f64),
    /// Bins between neighbouring elements of an increasing vector.
    Edges(&'a View),
}

impl View {
    /// Returns the bin index of each element: 0 before the first edge, and the number of edges
    /// after the last. A bin includes its lower edge, or with `right` its upper one. Edges must be
    /// monotonic. Waits for the edges.
    pub(crate) fn digitize(&self, edges: &View, right: bool) -> Result<View, Error> {
        let grows = edges.edges("digitize")?;
        let side = if right { Side::Left } else { Side::Right };
        if grows {
            return Ok(edges.searchsorted(self, side)?);
        }
        let places = edges.backwards(0).searchsorted(self, side)?;
        let count = edges.len() as i64;
        Ok(View::binary(BinaryOp::Sub, count, &places)?)
    }

    /// Whether the edges of bins increase (rather than decrease). Reads them.
    fn edges(&self, operation: &'static str) -> Result<bool, Error> {
        if self.ndim() != 1 {
            let why = format!("shape {:?} is not that of a vector", self.dims());
            return Err(wrong(operation, &why).into());
        }
        let edges: Vec<f64> = self.cast(DType::F64)?.read()?;
        let pairs = || edges.windows(2);
        if pairs().all(|pair| pair[0] <= pair[1]) {
            return Ok(true);
        }
        if pairs().all(|pair| pair[0] >= pair[1]) {
            return Ok(false);
        }
        Err(wrong(operation, "the edges are not monotonic").into())
    }

    /// Returns the number of elements (or the sum of their weights) in each bin, and the edges of
    /// the bins. A bin includes its lower edge; the last one includes both. Elements outside are
    /// not counted. Waits for the edges.
    pub(crate) fn histogram(
        &self,
        bins: Bins<'_>,
        weights: Option<&View>,
    ) -> Result<(View, View), Error> {
        // Elements are read several times: for the bounds, for their bins and for the last edge.
        self.copied()?.histogram_of(bins, weights)
    }

    /// Computes [`histogram`](Self::histogram) of a view that is not written meanwhile.
    fn histogram_of(&self, bins: Bins<'_>, weights: Option<&View>) -> Result<(View, View), Error> {
        let operation = "histogram";
        let wide = match self.dtype() {
            float if float.is_float() => float,
            _ => DType::F64,
        };
        let edges = match bins {
            Bins::Edges(edges) => {
                // A copy, so that the edges that are used are those that were checked.
                let edges = edges.copied()?;
                if !edges.edges(operation)? {
                    return Err(wrong(operation, "the edges do not increase").into());
                }
                edges
            }
            Bins::Count(count) => {
                let (low, high) = self.bounds()?;
                self.even_edges(count, low, high, wide)?
            }
            Bins::Range(count, low, high) => self.even_edges(count, low, high, wide)?,
        };
        let count = edges.len().saturating_sub(1);
        if count == 0 {
            return Err(wrong(operation, "no bins").into());
        }
        Ok((self.histogram_between(&edges, weights)?, edges))
    }

    /// Counts the elements, or adds up their weights, in each bin between neighbours of at least
    /// two edges, which must increase. A bin includes its lower edge; the last one includes both.
    /// Elements outside are not counted.
    pub(crate) fn histogram_between(
        &self,
        edges: &View,
        weights: Option<&View>,
    ) -> Result<View, CallError> {
        let dtype = DType::promote(self.dtype(), edges.dtype());
        let (values, edges) = (self.cast(dtype)?.flattened()?, edges.cast(dtype)?);
        let count = edges.len() - 1;
        if weights.is_none() || !self.core.has_gpus() {
            let weights = values.weights(weights)?;
            let dtype = weights.as_ref().map_or(DType::I64, |_| DType::F64);
            let mut inputs: SmallVec<[Input<'_>; 3]> = smallvec![(&edges).into(), (&values).into()];
            inputs.extend(weights.as_ref().map(Input::View));
            let body = |whole| library::count::histogram(whole, weights.is_some());
            return values.counted_in_rows(body, &inputs, dtype, count);
        }
        // Bins 0 and count + 1 are outside, except that the last edge belongs to the last bin.
        let places = edges.searchsorted(&values, Side::Right)?;
        let last = edges.part(0, count, count + 1);
        let is_last = values.with(BinaryOp::Equal, &last)?;
        let in_last = Scalar::I64(count as i64);
        let places = View::select(&is_last, in_last, &places)?;
        let counts = places.counted(weights, count + 2)?;
        Ok(counts.part(0, 1, count + 1))
    }

    /// Reads the smallest and the largest element.
    fn bounds(&self) -> Result<(f64, f64), Error> {
        if self.is_empty() {
            return Ok((0.0, 1.0));
        }
        let wide = self.cast(DType::F64)?;
        let bound = |op| -> Result<f64, Error> {
            let bound = wide.reduce(op, None)?;
            Ok(bound.read()?.first().copied().unwrap_or(0.0))
        };
        Ok((bound(ReduceOp::Min)?, bound(ReduceOp::Max)?))
    }

    fn even_edges(
        &self,
        count: usize,
        low: f64,
        high: f64,
        dtype: DType,
    ) -> Result<View, CallError> {
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
        let edges = View::generated(&self.core, DType::F64, &dims, generator)?;
        edges.cast(dtype)
    }
}
