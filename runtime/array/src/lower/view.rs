//! Views of stores, and views of views.

use std::ops::Deref;
use std::sync::Arc;

use super::pooled::Pooled;
use crate::dtype::DType;
use crate::shape::{Layout, MAX_DIMS, Shape};
use weft_core::define::StoreView;
use weft_core::error::CallError;
use weft_core::runtime::Core;
use weft_core::site::Site;

/// A view of a store, which operations read and write.
#[derive(Clone)]
pub(crate) struct View(Pooled);

impl Deref for View {
    type Target = StoreView;

    #[inline]
    fn deref(&self) -> &StoreView {
        &self.0
    }
}

impl From<StoreView> for View {
    #[inline]
    fn from(view: StoreView) -> View {
        View(Pooled::new(view))
    }
}

impl View {
    /// Creates a whole store without values, which must be written next.
    pub(crate) fn unwritten(
        core: &Arc<Core>,
        dtype: DType,
        shape: Shape,
    ) -> Result<View, CallError> {
        debug_assert!(Site::is_entered(), "the called function enters its place");
        StoreView::unwritten(core, dtype, shape).map(View::from)
    }

    /// Returns the number of elements along each axis.
    #[inline]
    pub(crate) fn dims(&self) -> &[usize] {
        self.layout.shape.dims()
    }

    /// Returns the number of axes.
    #[inline]
    pub(crate) fn ndim(&self) -> usize {
        self.layout.shape.rank()
    }

    /// Returns the number of elements.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.layout.shape.len()
    }

    /// Whether there are no elements.
    pub(crate) fn is_empty(&self) -> bool {
        self.layout.shape.is_empty()
    }

    /// Returns a view of the same store with another layout.
    #[inline]
    pub(crate) fn with_layout(&self, layout: Layout) -> View {
        View::from(StoreView {
            core: self.core.clone(),
            store: self.store.clone(),
            layout,
        })
    }

    /// Returns the axis if it exists, otherwise an error.
    pub(crate) fn check_axis(&self, axis: usize) -> Result<usize, CallError> {
        let dims = self.ndim();
        if axis < dims {
            Ok(axis)
        } else {
            Err(CallError::Axis { axis, dims })
        }
    }

    /// Returns the last axis.
    pub(crate) fn last_axis(&self) -> Result<usize, CallError> {
        self.check_axis(self.ndim().wrapping_sub(1))
            .map_err(|_| CallError::Axis { axis: 0, dims: 0 })
    }

    /// Returns positions `start` to `end` (exclusive) of an existing axis, cut off at its end.
    pub(crate) fn part(&self, axis: usize, start: usize, end: usize) -> View {
        let (start, end) = (start as isize, end as isize);
        let part = self.layout.slice(axis, Some(start), Some(end), 1);
        self.with_layout(part.unwrap_or(self.layout))
    }

    /// Returns the view of one position of an axis, both of which must exist.
    pub(crate) fn position(&self, axis: usize, at: usize) -> View {
        let layout = self.layout.index(axis, at as isize);
        self.with_layout(layout.unwrap_or(self.layout))
    }

    /// Returns the view with an existing axis reversed.
    pub(crate) fn backwards(&self, axis: usize) -> View {
        let turned = self.layout.slice(axis, None, None, -1);
        self.with_layout(turned.unwrap_or(self.layout))
    }

    /// Returns a view with a new axis of length 1.
    pub(crate) fn with_axis(&self, axis: usize) -> Result<View, CallError> {
        let dims = self.ndim() + 1;
        if axis > self.ndim() {
            return Err(CallError::Axis { axis, dims });
        }
        let layout = self.layout.insert_axis(axis);
        Ok(self.with_layout(layout.ok_or(CallError::Dimensions { dims })?))
    }

    /// Returns a view with axes of length 1 added in front, up to a minimum number of axes.
    pub(crate) fn at_least(&self, dims: usize) -> Result<View, CallError> {
        (self.ndim()..dims).try_fold(self.clone(), |view, _| view.with_axis(0))
    }

    /// Returns a view with axis `axes[i]` at position `i`.
    pub(crate) fn permute(&self, axes: &[usize]) -> Result<View, CallError> {
        let layout = self.layout.permute(axes).ok_or_else(|| CallError::Shape {
            operation: "transpose",
            why: format!(
                "{axes:?} does not name each of the {} axes once",
                self.ndim()
            ),
        })?;
        Ok(self.with_layout(layout))
    }

    /// Returns a view with two axes exchanged.
    pub(crate) fn swapaxes(&self, a: usize, b: usize) -> Result<View, CallError> {
        let (a, b) = (self.check_axis(a)?, self.check_axis(b)?);
        let mut axes: Vec<usize> = (0..self.ndim()).collect();
        axes.swap(a, b);
        self.permute(&axes)
    }

    /// Returns a view with axis `from` moved to position `to`; the other axes keep their order.
    pub(crate) fn moveaxis(&self, from: usize, to: usize) -> Result<View, CallError> {
        let (from, to) = (self.check_axis(from)?, self.check_axis(to)?);
        let mut axes: Vec<usize> = (0..self.ndim()).collect();
        let axis = axes.remove(from);
        axes.insert(to, axis);
        self.permute(&axes)
    }

    /// Returns a view without one axis of length 1, or without all of them.
    pub(crate) fn squeeze(&self, axis: Option<usize>) -> Result<View, CallError> {
        let dims = self.dims();
        if let Some(axis) = axis
            && dims[self.check_axis(axis)?] != 1
        {
            let why = format!("axis {axis} has {} elements instead of one", dims[axis]);
            return Err(wrong("squeeze", &why));
        }
        let mut layout = self.layout;
        for at in (0..dims.len()).rev() {
            if axis.map_or(dims[at] == 1, |axis| axis == at) {
                layout = layout.index(at, 0).unwrap_or(layout);
            }
        }
        Ok(self.with_layout(layout))
    }

    /// Returns a read-only view broadcast to a shape.
    pub(crate) fn broadcast_to(&self, dims: &[usize]) -> Result<View, CallError> {
        let layout = broadcast("broadcast_to", &self.layout, &checked(dims)?)?;
        Ok(self.with_layout(layout))
    }

    /// Returns a view of a diagonal of the first two axes as the last axis: the main diagonal, or
    /// the `offset`-th above it.
    pub(crate) fn diagonal(&self, offset: isize) -> Result<View, CallError> {
        self.check_axis(1)?;
        let dims = self.dims();
        let (down, right) = (
            0usize
                .saturating_add_signed(offset.saturating_neg())
                .min(dims[0]),
            (offset.max(0) as usize).min(dims[1]),
        );
        let length = dims[0]
            .saturating_sub(down)
            .min(dims[1].saturating_sub(right));
        let corner = self.layout.tile(&[down, right], &[]);
        let mut layout = Layout {
            offset: corner.offset,
            ..self.layout
        };
        // The second axis becomes the diagonal and is moved to the end; the first one is removed.
        layout.strides[1] += layout.strides[0];
        layout.shape = layout.shape.with_dim(1, length).unwrap_or(layout.shape);
        layout.shape = layout.shape.with_dim(0, 1).unwrap_or(layout.shape);
        let line = layout.index(0, 0).unwrap_or(layout);
        let last = line.rank() - 1;
        self.with_layout(line).moveaxis(0, last)
    }

    /// Returns the elements with another shape of the same size: a view if possible, otherwise a
    /// copy. The flag is true for a view.
    pub(super) fn viewed(&self, dims: &[usize]) -> Result<(View, bool), CallError> {
        let shape = checked(dims)?;
        if let Some(layout) = self.layout.reshape(shape) {
            return Ok((self.with_layout(layout), true));
        }
        let copy = self.copied()?;
        Ok((copy.with_layout(Layout::contiguous(shape)), false))
    }

    /// Returns the elements with another shape of the same size: a view if possible, otherwise a
    /// copy.
    pub(crate) fn reshaped(&self, dims: &[usize]) -> Result<View, CallError> {
        Ok(self.viewed(dims)?.0)
    }

    /// Returns all elements in row-major order as a vector: a view if possible, otherwise a copy.
    pub(crate) fn flattened(&self) -> Result<View, CallError> {
        self.reshaped(&[self.len()])
    }
}

/// Checks that Weft supports a shape.
pub(crate) fn checked(dims: &[usize]) -> Result<Shape, CallError> {
    Shape::new(dims).ok_or_else(|| {
        if dims.len() > MAX_DIMS {
            CallError::Dimensions { dims: dims.len() }
        } else {
            let why = format!("shape {dims:?} has too many elements for the address space");
            CallError::Shape {
                operation: "array",
                why,
            }
        }
    })
}

/// Returns the layout broadcast to a shape.
pub(crate) fn broadcast(
    operation: &'static str,
    layout: &Layout,
    shape: &Shape,
) -> Result<Layout, CallError> {
    layout
        .broadcast_to(*shape)
        .ok_or_else(|| CallError::Broadcast {
            operation,
            left: layout.shape.dims().to_vec(),
            right: shape.dims().to_vec(),
        })
}

/// Returns the error of arguments that do not fit an operation.
pub(crate) fn wrong(operation: &'static str, why: &str) -> CallError {
    let why = why.to_owned();
    CallError::Shape { operation, why }
}
