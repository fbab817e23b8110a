//! Reductions that ignore NaN, and replacement of NaN.

use super::typed::typed;
use super::{Array, DynArray, Value};
use crate::dtype::{DType, Float, Scalar, f16};
use crate::kernel::{BinaryOp, ReduceOp, UnaryOp};
use weft_core::error::{CallError, at_call};
use weft_core::site::Site;

impl DynArray {
    /// The values with NaN replaced by `nan` and infinities by the largest and smallest number or the values given;
    /// the parts of complex numbers are handled separately.
    ///
    /// # Errors
    /// The runtime has finished.
    #[track_caller]
    pub fn nan_to_num(
        &self,
        nan: f64,
        high: Option<f64>,
        low: Option<f64>,
    ) -> Result<DynArray, CallError> {
        self.nan_to_num_by(nan, high, low, Site::caller())
    }

    fn nan_to_num_by(
        &self,
        nan: f64,
        high: Option<f64>,
        low: Option<f64>,
        call: Site,
    ) -> Result<DynArray, CallError> {
        if self.dtype().is_complex() {
            let part = |op| self.unary_by(op, call)?.nan_to_num_by(nan, high, low, call);
            return part(UnaryOp::Real)?.with(BinaryOp::Complex, &part(UnaryOp::Imag)?, call);
        }
        if !self.dtype().is_float() {
            return self.copied(call);
        }
        let (largest, smallest) = match self.dtype() {
            DType::F16 => (f16::MAX.into(), f16::MIN.into()),
            DType::F32 => (f32::MAX.into(), f32::MIN.into()),
            _ => (f64::MAX, f64::MIN),
        };
        let swap = |array: &DynArray, mask: &DynArray, value: f64| {
            DynArray::select_by(mask, &array.number(value), &Value::from(array), call)
        };
        let is = |value: f64| self.with(BinaryOp::Equal, self.number(value), call);
        let numbers = swap(self, &self.unary_by(UnaryOp::IsNan, call)?, nan)?;
        let bounded = swap(&numbers, &is(f64::INFINITY)?, high.unwrap_or(largest))?;
        swap(&bounded, &is(f64::NEG_INFINITY)?, low.unwrap_or(smallest))
    }

    /// This array with another value in place of NaN, and where these stand.
    fn without_nan(&self, value: f64, call: Site) -> Result<(DynArray, DynArray), CallError> {
        let is_nan = self.unary_by(UnaryOp::IsNan, call)?;
        let value = match self.dtype() {
            // Has no NaN; any value does.
            dtype if dtype.is_bool() || dtype.is_integer() => self.number(0.0),
            _ => self.number(value),
        };
        let numbers = DynArray::select_by(&is_nan, &value, &Value::from(self), call)?;
        Ok((numbers, is_nan))
    }

    /// The sum of the elements that are not NaN, of all or along an axis.
    ///
    /// # Errors
    /// The axis is out of bounds.
    #[track_caller]
    pub fn nansum(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        let call = Site::caller();
        let numbers = self.without_nan(0.0, call)?.0;
        numbers.reduce_by(ReduceOp::Sum, axis, call)
    }

    /// The product of the elements that are not NaN, of all or along an axis.
    ///
    /// # Errors
    /// The axis is out of bounds.
    #[track_caller]
    pub fn nanprod(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        let call = Site::caller();
        let numbers = match self.dtype() {
            exact if exact.is_bool() || exact.is_integer() => self.clone(),
            _ => self.without_nan(1.0, call)?.0,
        };
        numbers.reduce_by(ReduceOp::Prod, axis, call)
    }

    /// The smallest element that is not NaN, of all or along an axis; NaN where all are.
    ///
    /// # Errors
    /// The axis is out of bounds, or there are no elements.
    #[track_caller]
    pub fn nanmin(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        self.nan_bound(ReduceOp::Min, f64::INFINITY, axis, Site::caller())
    }

    /// The largest element that is not NaN, of all or along an axis; NaN where all are.
    ///
    /// # Errors
    /// The axis is out of bounds, or there are no elements.
    #[track_caller]
    pub fn nanmax(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        self.nan_bound(ReduceOp::Max, f64::NEG_INFINITY, axis, Site::caller())
    }

    fn nan_bound(
        &self,
        op: ReduceOp,
        neutral: f64,
        axis: Option<usize>,
        call: Site,
    ) -> Result<DynArray, CallError> {
        if !self.dtype().is_float() {
            return self.reduce_by(op, axis, call);
        }
        let (numbers, is_nan) = self.without_nan(neutral, call)?;
        let bound = numbers.reduce_by(op, axis, call)?;
        let are_all = is_nan.reduce_by(ReduceOp::All, axis, call)?;
        DynArray::select_by(
            &are_all,
            &bound.number(f64::NAN),
            &Value::Array(bound),
            call,
        )
    }

    /// The mean of the elements that are not NaN, of all or along an axis; NaN where all are. Integers as `f64`.
    ///
    /// # Errors
    /// The axis is out of bounds.
    #[track_caller]
    pub fn nanmean(&self, axis: Option<usize>) -> Result<DynArray, CallError> {
        let call = Site::caller();
        self.nanmean_by(axis, call)
    }

    fn nanmean_by(&self, axis: Option<usize>, call: Site) -> Result<DynArray, CallError> {
        if let Some(mean) = self.through_f32(call, |wide| wide.nanmean_by(axis, call)) {
            return mean;
        }
        let (sum, count, _) = self.floats(call)?.nan_sum(axis, call)?;
        sum.with(BinaryOp::Div, &count, call)
    }

    /// The variance of the elements that are not NaN, of all or along an axis, over their number less `ddof`. Integers as
    /// `f64`.
    ///
    /// # Errors
    /// The axis is out of bounds.
    #[track_caller]
    pub fn nanvar(&self, axis: Option<usize>, ddof: usize) -> Result<DynArray, CallError> {
        self.nanvar_by(axis, ddof, Site::caller())
    }

    fn nanvar_by(
        &self,
        axis: Option<usize>,
        ddof: usize,
        call: Site,
    ) -> Result<DynArray, CallError> {
        if let Some(var) = self.through_f32(call, |wide| wide.nanvar_by(axis, ddof, call)) {
            return var;
        }
        let floats = self.floats(call)?;
        let (sum, count, is_nan) = floats.nan_sum(axis, call)?;
        let mut mean = sum.with(BinaryOp::Div, &count, call)?;
        if let Some(axis) = axis {
            mean = mean.with_axis(axis)?;
        }
        let squares = floats.with(BinaryOp::Sub, &mean, call)?.square_size(call)?;
        let zero = Value::Scalar(Scalar::zero(squares.dtype()));
        let squares = DynArray::select_by(&is_nan, &zero, &Value::Array(squares), call)?;
        let sum = squares.reduce_by(ReduceOp::Sum, axis, call)?;
        let count = count.cast_by(count.dtype().real(), call)?;
        let over = count.with(BinaryOp::Sub, count.number(ddof as f64), call)?;
        // As in NumPy, NaN where no freedom is left.
        let is_left = over.with(BinaryOp::Greater, over.number(0.0), call)?;
        let var = sum.with(BinaryOp::Div, &over, call)?;
        DynArray::select_by(&is_left, &Value::from(&var), &var.number(f64::NAN), call)
    }

    /// The standard deviation of the elements that are not NaN: the root of [`nanvar`](Self::nanvar).
    ///
    /// # Errors
    /// The axis is out of bounds.
    #[track_caller]
    pub fn nanstd(&self, axis: Option<usize>, ddof: usize) -> Result<DynArray, CallError> {
        self.nanvar(axis, ddof)?
            .unary_by(UnaryOp::Sqrt, Site::caller())
    }

    /// The sum of what is not NaN, its number in the same dtype, and where NaN are.
    fn nan_sum(
        &self,
        axis: Option<usize>,
        call: Site,
    ) -> Result<(DynArray, DynArray, DynArray), CallError> {
        let (numbers, is_nan) = self.without_nan(0.0, call)?;
        let sum = numbers.reduce_by(ReduceOp::Sum, axis, call)?;
        let is_number = is_nan.unary_by(UnaryOp::LogicalNot, call)?;
        let count = is_number.reduce_by(ReduceOp::CountNonzero, axis, call)?;
        Ok((sum, count.cast_by(self.dtype(), call)?, is_nan))
    }
}

typed! { Float:
    /// The values with NaN replaced by 0, and infinities by the largest and smallest number.
    nan_to_num() = nan_to_num(0.0, None, None) -> T;
    /// The sum of the elements that are not NaN.
    nansum() = nansum(None) -> T;
    /// The sum of the elements along an axis that are not NaN.
    nansum_axis(axis: usize) = nansum(Some(axis)) -> T;
    /// The product of the elements that are not NaN.
    nanprod() = nanprod(None) -> T;
    /// The smallest element that is not NaN; NaN where all are.
    nanmin() = nanmin(None) -> T;
    /// The smallest element along an axis that is not NaN; NaN where all are.
    nanmin_axis(axis: usize) = nanmin(Some(axis)) -> T;
    /// The largest element that is not NaN; NaN where all are.
    nanmax() = nanmax(None) -> T;
    /// The largest element along an axis that is not NaN; NaN where all are.
    nanmax_axis(axis: usize) = nanmax(Some(axis)) -> T;
    /// The mean of the elements that are not NaN; NaN where all are.
    nanmean() = nanmean(None) -> T;
    /// The mean of the elements along an axis that are not NaN; NaN where all are.
    nanmean_axis(axis: usize) = nanmean(Some(axis)) -> T;
    /// The variance of the elements that are not NaN.
    nanvar(ddof: usize) = nanvar(None, ddof) -> T;
    /// The standard deviation of the elements that are not NaN.
    nanstd(ddof: usize) = nanstd(None, ddof) -> T;
}
