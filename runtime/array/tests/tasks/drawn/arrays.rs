//! Arrays of random tasks: their values, their views, and their elements as bodies access them.

use ndarray::{ArrayD, Dim, Dimension, IntoDimension, Ix, IxDyn, NdIndex, Slice, SliceInfoElem};
use proptest::prelude::*;
use weft::DynArray;
use weft::dtype::{DType, Element, Scalar};
use weft::task::{BodyArgument, BodyError, In, Kind, Out};

/// The view of a store that is an array.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredView {
    reversed: [bool; 4],
    steps: [usize; 4],
    /// The number of elements along the first axis before those of the view.
    before: usize,
    transposed: bool,
}

pub(super) fn seen() -> impl Strategy<Value = StoredView> {
    let steps = [1..3_usize, 1..3, 1..2, 1..2];
    (any::<[bool; 4]>(), steps, 0..3_usize, any::<bool>()).prop_map(
        |(reversed, steps, before, transposed)| StoredView {
            reversed,
            steps,
            before,
            transposed,
        },
    )
}

/// Returns values of an array: small integers, whose sums are exact in every dtype.
pub(super) fn values(seed: usize, dims: &[usize], dtype: DType) -> ArrayD<f64> {
    let mut state = seed as u64 * 2_654_435_761 + 1;
    let below = if dtype == DType::Bool { 2 } else { 61 };
    ArrayD::from_shape_simple_fn(IxDyn(dims), || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        ((state >> 40) % below) as f64
    })
}

/// Returns a Weft array with these values, as a view of a larger store.
pub(super) fn stored(values: &ArrayD<f64>, dtype: DType, seen: StoredView) -> DynArray {
    let runtime = weft::runtime::current().unwrap();
    let rank = values.ndim();
    let mut extents = values.shape().to_vec();
    if seen.transposed {
        extents.reverse();
    }
    let before = |axis: usize| if axis == 0 { seen.before } else { 0 };
    let dims: Vec<usize> = extents
        .iter()
        .enumerate()
        .map(|(axis, extent)| extent * seen.steps[axis] + before(axis))
        .collect();
    // A number that is neither a value nor 0.
    let other = Scalar::F64(99.0).cast(dtype);
    let mut view = DynArray::full(&runtime, &dims, other).unwrap();
    for axis in 0..rank {
        let step = seen.steps[axis] as isize;
        let step = if seen.reversed[axis] { -step } else { step };
        let slice = Slice::new(before(axis) as isize, None, step);
        let info = (0..rank).map(|one| match one == axis {
            true => SliceInfoElem::from(slice),
            false => SliceInfoElem::from(..),
        });
        view = view.slice(info.collect::<Vec<_>>()).unwrap();
    }
    if seen.transposed {
        let axes: Vec<usize> = (0..rank).rev().collect();
        view = view.permute(&axes).unwrap();
    }
    let source = weft::from_ndarray(&values.as_standard_layout().into_owned());
    view.assign(source.as_dyn()).unwrap();
    view
}

/// Returns the contents of an array.
pub(super) fn read(array: &DynArray) -> Result<ArrayD<f64>, weft::Error> {
    let runtime = weft::runtime::current()?;
    let cast = DynArray::full(&runtime, array.shape(), Scalar::F64(0.0))?;
    cast.assign(array)?;
    cast.to_ndarray::<f64>()
}

/// The elements of a tile's part, by their indices in the whole array.
pub(super) trait Cells {
    fn get(&self, index: &[usize]) -> Option<f64>;
    fn set(&mut self, index: &[usize], value: f64) -> Option<()>;
}

struct Read<'a, T, const D: usize>(In<'a, T, D>)
where
    Dim<[Ix; D]>: Dimension;

struct Write<'a, T, const D: usize>(Out<'a, T, D>)
where
    Dim<[Ix; D]>: Dimension;

impl<T: Element, const D: usize> Cells for Read<'_, T, D>
where
    [Ix; D]: NdIndex<Dim<[Ix; D]>>,
    Dim<[Ix; D]>: Dimension,
{
    fn get(&self, index: &[usize]) -> Option<f64> {
        let value = self.0.at(index.try_into().ok()?)?;
        Some(value.to_scalar().to::<f64>())
    }

    fn set(&mut self, _: &[usize], _: f64) -> Option<()> {
        None
    }
}

impl<T: Element, const D: usize> Write<'_, T, D>
where
    Dim<[Ix; D]>: Dimension,
{
    fn own(&self, index: &[usize]) -> Option<[usize; D]> {
        let mut own: [usize; D] = index.try_into().ok()?;
        for (axis, at) in own.iter_mut().enumerate() {
            *at = at.checked_sub(self.0.range(axis).start)?;
        }
        Some(own)
    }
}

impl<T: Element, const D: usize> Cells for Write<'_, T, D>
where
    [Ix; D]: NdIndex<Dim<[Ix; D]>>,
    Dim<[Ix; D]>: Dimension,
{
    fn get(&self, index: &[usize]) -> Option<f64> {
        let value = self.0.get(self.own(index)?)?;
        Some(value.to_scalar().to::<f64>())
    }

    fn set(&mut self, index: &[usize], value: f64) -> Option<()> {
        let own = self.own(index)?;
        *self.0.get_mut(own)? = T::from_scalar(&Scalar::F64(value).cast(T::DTYPE));
        Some(())
    }
}

fn cells_of<'t, T: Element, const D: usize>(
    given: BodyArgument<'t, '_>,
) -> Result<Box<dyn Cells + 't>, BodyError>
where
    [Ix; D]: NdIndex<Dim<[Ix; D]>> + IntoDimension<Dim = Dim<[Ix; D]>>,
    Dim<[Ix; D]>: Dimension,
{
    Ok(match given.parameter().kind {
        Kind::In => Box::new(Read(given.into_in::<T, D>()?)),
        _ => Box::new(Write(given.into_out::<T, D>()?)),
    })
}

/// Returns the elements of a body's argument, for the dtypes and numbers of axes of random tasks.
pub(super) fn cells<'t>(given: BodyArgument<'t, '_>) -> Result<Box<dyn Cells + 't>, BodyError> {
    macro_rules! of {
        ($($dtype:ident: $T:ty),*) => {
            match (given.dtype(), given.bounds().len()) {
                $(
                    (DType::$dtype, 0) => cells_of::<$T, 0>(given),
                    (DType::$dtype, 1) => cells_of::<$T, 1>(given),
                    (DType::$dtype, 2) => cells_of::<$T, 2>(given),
                    (DType::$dtype, 3) => cells_of::<$T, 3>(given),
                    (DType::$dtype, 4) => cells_of::<$T, 4>(given),
                )*
                (dtype, rank) => Err(format!("{dtype} with {rank} axes is not drawn").into()),
            }
        };
    }
    of!(Bool: bool, U8: u8, I16: i16, I32: i32, I64: i64, F32: f32, F64: f64)
}
