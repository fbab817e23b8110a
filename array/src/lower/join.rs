//! Views put together, one part of the result after the other.

use super::{View, checked, wrong};
use weft_core::error::CallError;
use weft_core::operation;
use weft_core::site::Site;

impl View {
    /// The views joined along an axis.
    ///
    /// # Errors
    /// There are none, their dtypes differ, or their shapes differ outside the axis.
    pub(crate) fn concatenate(views: &[&View], axis: usize, call: Site) -> Result<View, CallError> {
        let operation = "concatenate";
        let Some(first) = views.first() else {
            return Err(wrong(operation, "no arrays"));
        };
        first.check_axis(axis)?;
        let mut total = 0;
        for view in views {
            if view.dtype() != first.dtype() {
                let (left, right) = (first.dtype(), view.dtype());
                return Err(CallError::DTypes {
                    operation,
                    left,
                    right,
                });
            }
            if view.layout.shape.without(axis) != first.layout.shape.without(axis)
                || view.ndim() != first.ndim()
            {
                let (left, right) = (first.dims(), view.dims());
                let why = format!("shapes {left:?} and {right:?} differ outside axis {axis}");
                return Err(wrong(operation, &why));
            }
            total += view.dims()[axis];
        }
        let mut extents = first.dims().to_vec();
        extents[axis] = total;
        let out = View::unwritten(&first.core, first.dtype(), checked(&extents)?, call)?;
        let mut start = 0;
        for view in views {
            out.put_part(axis, start, view, call)?;
            start += view.dims()[axis];
        }
        Ok(out)
    }

    /// Writes a view to the positions of an axis from `start` on.
    fn put_part(
        &self,
        axis: usize,
        start: usize,
        view: &View,
        call: Site,
    ) -> Result<(), CallError> {
        let part = self.part(axis, start, start + view.dims()[axis]);
        part.write(operation::copy(), &[view.into()], call)
    }
}
