//! Short forms of the calls that functions made of others come down to.

use super::{DynArray, Value};
use crate::kernel::BinaryOp;
use crate::shape::Layout;
use weft_core::error::CallError;
use weft_core::site::Site;

/// Methods of typed arrays that forward to [`DynArray`] and turn errors into panics at the caller's line.
macro_rules! typed {
    ($bound:ident: $($(#[$doc:meta])*
        $name:ident($($arg:ident: $type:ty),*) = $dynamic:ident($($given:expr),*) -> $out:ty;)*) => {
        impl<T: $bound> Array<T> {
            $($(#[$doc])*
            ///
            /// # Panics
            #[doc = concat!(
                "At the caller's line if [`DynArray::", stringify!($dynamic), "`] returns an error."
            )]
            #[track_caller]
            #[must_use]
            pub fn $name(&self $(, $arg: $type)*) -> Array<$out> {
                Array::wrap(at_call(self.as_dyn().$dynamic($($given),*)))
            })*
        }
    };
}

pub(super) use typed;

impl DynArray {
    /// A function of this array and another one, or a value.
    pub(super) fn with(
        &self,
        op: BinaryOp,
        other: impl Into<Value>,
        call: Site,
    ) -> Result<DynArray, CallError> {
        DynArray::binary_by(op, &Value::from(self), &other.into(), call)
    }

    /// The axis, if there is one.
    pub(super) fn check_axis(&self, axis: usize) -> Result<usize, CallError> {
        let dims = self.ndim();
        if axis < dims {
            Ok(axis)
        } else {
            Err(CallError::Axis { axis, dims })
        }
    }

    /// The last axis.
    pub(super) fn last_axis(&self) -> Result<usize, CallError> {
        self.check_axis(self.ndim().wrapping_sub(1))
            .map_err(|_| CallError::Axis { axis: 0, dims: 0 })
    }

    /// Positions `start` up to `end` of an axis that there is; what lies beyond it is cut off.
    pub(super) fn part(&self, axis: usize, start: usize, end: usize) -> DynArray {
        let (start, end) = (start as isize, end as isize);
        let part = self.layout.slice(axis, Some(start), Some(end), 1);
        self.with_layout(part.unwrap_or(self.layout))
    }

    /// An axis that there is, backwards.
    pub(super) fn backwards(&self, axis: usize) -> DynArray {
        let turned = self.layout.slice(axis, None, None, -1);
        self.with_layout(turned.unwrap_or(self.layout))
    }

    /// A view with a new axis of length 1.
    pub(super) fn with_axis(&self, axis: usize) -> Result<DynArray, CallError> {
        if axis > self.ndim() {
            let dims = self.ndim() + 1;
            return Err(CallError::Axis { axis, dims });
        }
        let dims = self.ndim() + 1;
        let layout = self.layout.insert_axis(axis);
        Ok(self.with_layout(layout.ok_or(CallError::Dimensions { dims })?))
    }

    /// The elements with another shape of the same size: a view if possible, otherwise a copy. The flag is true for a
    /// view.
    pub(super) fn viewed(&self, dims: &[usize], call: Site) -> Result<(DynArray, bool), CallError> {
        let shape = super::create::checked(dims)?;
        if let Some(layout) = self.layout.reshape(shape) {
            return Ok((self.with_layout(layout), true));
        }
        let copy = self.copied(call)?;
        Ok((copy.with_layout(Layout::contiguous(shape)), false))
    }
}
