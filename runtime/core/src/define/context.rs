//! The arguments of a body for one tile.

#![allow(
    unsafe_code,
    reason = "makes views of `ndarray` of the memory of tiles"
)]

use std::any::Any;
use std::ops::Range;
use std::sync::Arc;

use ndarray::{
    ArrayBase, ArrayViewMut, Axis, Dim, Dimension, Ix, RawArrayView, RawArrayViewMut, RawData,
    ShapeBuilder, StrideShape,
};
use smallvec::SmallVec;
use weft_elements::Tile;

use super::BodyError;
use super::unbound::{self, Collector};
use super::view::Covered;
use super::{Communicator, In, InOut, Out, Parameter, Reduce, Unbound};
use crate::dtype::{DType, Element, Scalar, ScalarBits};
use crate::memory::Store;
use crate::shape::Shape;
use crate::words;

/// One tile of a task, in the form that its body gets.
pub struct Context<'t, 'm> {
    given: SmallVec<[BodyArgument<'t, 'm>; 4]>,
    ranges: SmallVec<[Range<usize>; 4]>,
    shape: Shape,
    /// The number of the tile, and the number of tiles.
    numbers: (usize, usize),
}

/// An argument of a body: an array, from which it takes a view, or a single value.
pub struct BodyArgument<'t, 'm> {
    tile: &'t mut Tile<'m>,
    bounds: SmallVec<[(usize, usize); 4]>,
    parameter: &'t Parameter,
    /// The collector of a result of unknown length, and the number of the tile.
    collector: Option<(Arc<Collector>, usize)>,
    keeper: Keeper<'t>,
}

/// The owner of an argument's memory.
#[derive(Clone, Copy)]
pub(super) enum Keeper<'t> {
    Store(&'t Arc<Store>),
    /// A guarded copy.
    Copy(&'t Arc<dyn Any + Send + Sync>),
    /// None: a single value.
    None,
}

impl<'t, 'm> Context<'t, 'm> {
    #[inline(always)]
    pub(super) fn new(
        given: SmallVec<[BodyArgument<'t, 'm>; 4]>,
        ranges: SmallVec<[Range<usize>; 4]>,
        shape: Shape,
        numbers: (usize, usize),
    ) -> Context<'t, 'm> {
        Context {
            given,
            ranges,
            shape,
            numbers,
        }
    }

    /// Returns the indices of the task's shape that the tile covers, along each axis.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Returns the shape of the whole task.
    pub fn shape(&self) -> &[usize] {
        self.shape.dims()
    }

    /// Returns the number of the tile.
    pub fn tile(&self) -> usize {
        self.numbers.0
    }

    /// Returns the number of tiles of the call.
    pub fn tiles(&self) -> usize {
        self.numbers.1
    }

    /// Returns the communicator of a [concurrent](super::Builder::concurrent) task's tiles. For
    /// other tasks it has only this tile.
    pub fn communicator(&self) -> Communicator {
        Communicator::current()
    }

    /// Takes the arguments, in the order of the parameters. They can be taken only once.
    pub fn take(&mut self) -> impl Iterator<Item = BodyArgument<'t, 'm>> {
        std::mem::take(&mut self.given).into_iter()
    }

    /// Takes the arguments of a task with `N` parameters.
    ///
    /// # Errors
    /// Returns an error if the task has another number of parameters, or the arguments have been
    /// taken.
    #[inline]
    pub fn take_all<const N: usize>(&mut self) -> Result<[BodyArgument<'t, 'm>; N], BodyError> {
        let count = self.given.len();
        if count != N {
            return Err(format!("a body takes {N} parameters, and there are {count}").into());
        }
        let mut all = self.given.drain(..);
        Ok(std::array::from_fn(|_| match all.next() {
            Some(given) => given,
            None => unreachable!("as many as were counted"),
        }))
    }
}

/// Layout of a tile's elements: extents, absolute steps, the lowest address, and the axes that run
/// backwards.
struct TileLayout<const D: usize> {
    dims: [usize; D],
    steps: [usize; D],
    lowest: *mut u8,
    backwards: [bool; D],
}

/// A view whose accesses are not yet known to be valid, and the indices it covers.
type Unchecked<S, const D: usize> = (ArrayBase<S, Dim<[Ix; D]>>, Covered<D>);

/// A view that is written, and the indices it covers.
type WrittenView<'t, T, const D: usize> = (ArrayViewMut<'t, T, Dim<[Ix; D]>>, Covered<D>);

impl<'t, 'm> BodyArgument<'t, 'm> {
    #[inline]
    pub(super) fn new(
        tile: &'t mut Tile<'m>,
        bounds: SmallVec<[(usize, usize); 4]>,
        parameter: &'t Parameter,
        keeper: Keeper<'t>,
    ) -> BodyArgument<'t, 'm> {
        BodyArgument {
            tile,
            bounds,
            parameter,
            collector: None,
            keeper,
        }
    }

    /// Makes this argument a result of unknown length of a tile.
    pub(super) fn collecting(mut self, collector: Arc<Collector>, number: usize) -> Self {
        *unbound::count_of(self.tile) = 0;
        self.collector = Some((collector, number));
        self
    }

    /// Returns the name of the parameter.
    pub fn name(&self) -> &str {
        &self.parameter.name
    }

    /// Returns the parameter.
    pub fn parameter(&self) -> &'t Parameter {
        self.parameter
    }

    /// Returns the owner of the memory that this argument is a part of.
    pub(super) fn keeper(&self) -> Keeper<'t> {
        self.keeper
    }

    /// Returns the dtype of the elements, or of the value.
    pub fn dtype(&self) -> DType {
        self.tile.dtype()
    }

    /// Returns the tile, for bodies that use addresses.
    pub fn as_tile(&mut self) -> &mut Tile<'m> {
        self.tile
    }

    /// Returns the first index and one past the last of the part, along each axis of the array.
    pub fn bounds(&self) -> &[(usize, usize)] {
        &self.bounds
    }

    /// Returns the single value.
    ///
    /// # Errors
    /// Returns an error if the argument is an array, or has another dtype.
    pub fn value<T: Element>(&self) -> Result<T, BodyError> {
        self.check::<T>()?;
        Ok(T::from_scalar(&self.scalar()?))
    }

    /// Returns the single value, in its own dtype.
    ///
    /// # Errors
    /// Returns an error if the argument is an array.
    pub fn scalar(&self) -> Result<Scalar, BodyError> {
        if self.parameter.is_array() {
            return Err(format!("{} is an array", self.name()).into());
        }
        let dtype = self.tile.dtype();
        let mut bits = ScalarBits::default();
        // SAFETY: the tile of a single value points to its bits, which have as many bytes as the
        // dtype.
        unsafe {
            let from = self.tile.first();
            std::ptr::copy_nonoverlapping(from, bits.bytes.as_mut_ptr(), dtype.size());
        }
        Ok(bits.scalar(dtype))
    }

    fn check<T: Element>(&self) -> Result<(), BodyError> {
        match self.tile.dtype() == T::DTYPE {
            true => Ok(()),
            false => {
                let name = self.name();
                let [dtype, wanted] = [self.tile.dtype(), T::DTYPE].map(words::dtype);
                Err(format!("{name} is of {dtype}, and the body takes it as {wanted}").into())
            }
        }
    }

    fn tile_layout<const D: usize>(&self) -> Result<(TileLayout<D>, Covered<D>), BodyError> {
        let (layout, size) = (self.tile.layout(), self.tile.dtype().size());
        let axes = layout.rank();
        if axes != D || self.bounds.len() != D {
            let name = self.name();
            return Err(format!("{name} has {axes} axes, and the body takes it with {D}").into());
        }
        let mut result = TileLayout {
            dims: [0; D],
            steps: [0; D],
            lowest: self.tile.first(),
            backwards: [false; D],
        };
        let mut covered = Covered {
            first: [0; D],
            end: [0; D],
        };
        let is_empty = layout.shape.is_empty();
        for axis in 0..D {
            let (extent, step) = (layout.shape.dims()[axis], layout.strides[axis]);
            result.dims[axis] = extent;
            result.steps[axis] = step.unsigned_abs();
            (covered.first[axis], covered.end[axis]) = self.bounds[axis];
            if step < 0 {
                result.backwards[axis] = true;
                if !is_empty {
                    let reach = step * (extent as isize - 1) * size as isize;
                    result.lowest = result.lowest.wrapping_offset(reach);
                }
            }
        }
        if is_empty {
            // An aligned address that is never read.
            result.lowest = std::ptr::without_provenance_mut(size.clamp(1, 16).next_power_of_two());
        }
        Ok((result, covered))
    }

    /// Returns the elements as a view of `ndarray`, each axis in its own direction. `make` creates
    /// the view from a shape and an address.
    fn unchecked<T, S, const D: usize>(
        &self,
        make: impl FnOnce(StrideShape<Dim<[Ix; D]>>, *mut T) -> ArrayBase<S, Dim<[Ix; D]>>,
    ) -> Result<Unchecked<S, D>, BodyError>
    where
        T: Element,
        S: RawData<Elem = T>,
        [Ix; D]: ndarray::IntoDimension<Dim = Dim<[Ix; D]>>,
        Dim<[Ix; D]>: Dimension,
    {
        self.check::<T>()?;
        let (tile, covered) = self.tile_layout::<D>()?;
        let shape = Dim(tile.dims).strides(Dim(tile.steps));
        let mut view = make(shape, tile.lowest.cast::<T>());
        for axis in (0..D).filter(|axis| tile.backwards[*axis]) {
            view.invert_axis(Axis(axis));
        }
        Ok((view, covered))
    }

    /// Returns an array that is read.
    ///
    /// # Errors
    /// Returns an error if it has another dtype or number of axes.
    pub fn into_in<T: Element, const D: usize>(self) -> Result<In<'t, T, D>, BodyError>
    where
        [Ix; D]: ndarray::IntoDimension<Dim = Dim<[Ix; D]>>,
        Dim<[Ix; D]>: Dimension,
    {
        // A read-only view, since an element of a broadcast array may be at several indices.
        let (view, covered) = self.unchecked(|shape, lowest: *mut T| {
            // SAFETY: the tile's elements have this layout, starting at the lowest address.
            unsafe { RawArrayView::from_shape_ptr(shape, lowest.cast_const()) }
        })?;
        // SAFETY: the elements are initialised, and are not written while the task runs: an input
        // that overlaps an output is copied before the call.
        let view = unsafe { view.deref_into_view() };
        Ok(In { view, covered })
    }

    fn view_mut<T: Element, const D: usize>(self) -> Result<WrittenView<'t, T, D>, BodyError>
    where
        [Ix; D]: ndarray::IntoDimension<Dim = Dim<[Ix; D]>>,
        Dim<[Ix; D]>: Dimension,
    {
        let (view, covered) = self.unchecked(|shape, lowest: *mut T| {
            // SAFETY: as above.
            unsafe { RawArrayViewMut::from_shape_ptr(shape, lowest) }
        })?;
        // SAFETY: no other thread uses the elements while the task runs, and they are distinct:
        // outputs of one call do not overlap, nor do its tiles. The memory holds values of the
        // type: `bool`s are set before the body runs.
        let view = unsafe { view.deref_into_view_mut() };
        Ok((view, covered))
    }

    /// Returns an array that is written.
    ///
    /// # Errors
    /// Returns an error if it has another dtype or number of axes, or is not written.
    pub fn into_out<T: Element, const D: usize>(self) -> Result<Out<'t, T, D>, BodyError>
    where
        [Ix; D]: ndarray::IntoDimension<Dim = Dim<[Ix; D]>>,
        Dim<[Ix; D]>: Dimension,
    {
        self.check_written()?;
        let (view, covered) = self.view_mut()?;
        Ok(Out { view, covered })
    }

    /// Returns an array that is read and written.
    ///
    /// # Errors
    /// See [`into_out`](Self::into_out).
    pub fn into_inout<T: Element, const D: usize>(self) -> Result<InOut<'t, T, D>, BodyError>
    where
        [Ix; D]: ndarray::IntoDimension<Dim = Dim<[Ix; D]>>,
        Dim<[Ix; D]>: Dimension,
    {
        self.check_written()?;
        let (view, covered) = self.view_mut()?;
        Ok(InOut { view, covered })
    }

    /// Returns an array that the tile contributes to.
    ///
    /// # Errors
    /// See [`into_out`](Self::into_out).
    pub fn into_reduce<T: Element, const D: usize>(self) -> Result<Reduce<'t, T, D>, BodyError>
    where
        [Ix; D]: ndarray::IntoDimension<Dim = Dim<[Ix; D]>>,
        Dim<[Ix; D]>: Dimension,
    {
        self.check_written()?;
        let (view, covered) = self.view_mut()?;
        Ok(Reduce { view, covered })
    }

    /// Returns a result of unknown length.
    ///
    /// # Errors
    /// Returns an error if the argument is not one, or has another dtype.
    pub fn into_unbound<T: Element>(self) -> Result<Unbound<'t, T>, BodyError> {
        let name = self.name().to_owned();
        let dtype = self.parameter.dtype;
        match self.collector {
            Some((collector, number)) if dtype == Some(T::DTYPE) => Ok(Unbound::new(
                collector,
                number,
                unbound::count_of(self.tile),
            )),
            Some(_) => Err(format!("{name} is not of {}", words::dtype(T::DTYPE)).into()),
            None => Err(format!("{name} is not a result of unknown length").into()),
        }
    }

    /// Sets the elements found by the tile, for a result of unknown length whose dtype is known
    /// only at run time. `bytes` are those of contiguous elements.
    ///
    /// # Errors
    /// Returns an error if the argument is not a result of unknown length, or the bytes are not a
    /// whole number of elements.
    pub fn set_found(&mut self, bytes: &[u8]) -> Result<(), BodyError> {
        let Some((collector, number)) = &self.collector else {
            return Err(format!("{} is not a result of unknown length", self.name()).into());
        };
        let Some(count) = collector.keep_bytes(*number, bytes) else {
            let (name, dtype) = (&self.parameter.name, self.parameter.dtype);
            let dtype = dtype.map_or("", words::dtype);
            let bytes = bytes.len();
            return Err(format!("{name}: {bytes} bytes do not fit elements of {dtype}").into());
        };
        *unbound::count_of(self.tile) = count as i64;
        Ok(())
    }

    fn check_written(&self) -> Result<(), BodyError> {
        match self.parameter.kind {
            super::Kind::In | super::Kind::Scalar | super::Kind::Unbound => Err(format!(
                "{} is an input, but the body takes it as an output",
                self.name()
            )
            .into()),
            _ => Ok(()),
        }
    }
}
