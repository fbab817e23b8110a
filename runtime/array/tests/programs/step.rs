//! The steps of a program, run on both sides.

use ndarray::{ArrayD, Axis, Dimension, IxDyn};
use proptest::collection::vec;
use proptest::prelude::*;
use weft::dtype::{DType, Promotion, Scalar};
use weft::kernel::{BinaryOp, ReduceOp, ScanOp};
use weft::{DynArray, from_slice};

use super::view::{View, fit, view};
use super::{Mistake, Pair, oracle};

#[derive(Clone, Debug)]
pub(super) enum Step {
    /// `to[...] = a + b` and similar functions; with `in_place` written directly into `to`.
    Binary {
        op: BinaryOp,
        a: View,
        b: View,
        to: View,
        in_place: bool,
    },
    /// `to[...] = a`, cast and broadcast.
    Assign { a: View, to: View },
    /// `to[...] = value`
    Fill { value: i8, to: View },
    /// `to[...] = where(a < b, a, value)`
    Select {
        a: View,
        b: View,
        value: i8,
        to: View,
    },
    /// `to[...] = reduce(a, axis)`
    Reduce {
        op: ReduceOp,
        a: View,
        axis: Option<usize>,
        to: View,
    },
    /// `to[...] = cumsum(a, axis)`
    Scan { a: View, axis: usize, to: View },
    /// `to[...] = sort(a, axis)`, or its order.
    Sort {
        a: View,
        axis: usize,
        numbers: bool,
        to: View,
    },
    /// `to[...] = take(a, picks, axis)`
    Take {
        a: View,
        axis: usize,
        picks: Vec<u8>,
        to: View,
    },
    /// `to[.., picks, ..] = a`
    Put {
        a: View,
        axis: usize,
        picks: Vec<u8>,
        to: View,
    },
    /// `to[...] = a[a < b]`
    TakeWhere { a: View, b: View, to: View },
    /// `to[to < a] = value`
    PutWhere { a: View, value: i8, to: View },
    /// `to[...] = concatenate([a, a], axis)`
    Join { a: View, axis: usize, to: View },
    /// Converts a base to another dtype, in other memory.
    Replace { base: usize, dtype: DType },
}

pub(super) fn step() -> impl Strategy<Value = Step> {
    use BinaryOp::{Add, Equal, Less, LogicalXor, Maximum, Minimum, Mul, Sub};
    use ReduceOp::{All, Any, ArgMax, ArgMin, CountNonzero, Max, Min, Sum};
    let op = prop::sample::select(vec![
        Add, Sub, Mul, Minimum, Maximum, Equal, Less, LogicalXor,
    ]);
    let reduce = prop::sample::select(vec![Sum, Min, Max, Any, All, CountNonzero, ArgMin, ArgMax]);
    let axis = 0..4_usize;
    let picks = || vec(any::<u8>(), 0..9);
    prop_oneof![
        5 => (op, view(), view(), view(), any::<bool>())
            .prop_map(|(op, a, b, to, in_place)| Step::Binary { op, a, b, to, in_place }),
        3 => (view(), view()).prop_map(|(a, to)| Step::Assign { a, to }),
        1 => (any::<i8>(), view()).prop_map(|(value, to)| Step::Fill { value: value % 17, to }),
        1 => (view(), view(), 0..17_i8, view()).prop_map(|(a, b, value, to)| Step::Select { a, b, value, to }),
        2 => (reduce, view(), prop::option::of(axis.clone()), view())
            .prop_map(|(op, a, axis, to)| Step::Reduce { op, a, axis, to }),
        1 => (view(), axis.clone(), view()).prop_map(|(a, axis, to)| Step::Scan { a, axis, to }),
        1 => (view(), axis.clone(), any::<bool>(), view())
            .prop_map(|(a, axis, numbers, to)| Step::Sort { a, axis, numbers, to }),
        2 => (view(), axis.clone(), picks(), view()).prop_map(|(a, axis, picks, to)| Step::Take { a, axis, picks, to }),
        2 => (view(), axis.clone(), picks(), view()).prop_map(|(a, axis, picks, to)| Step::Put { a, axis, picks, to }),
        1 => (view(), view(), view()).prop_map(|(a, b, to)| Step::TakeWhere { a, b, to }),
        1 => (view(), 0..17_i8, view()).prop_map(|(a, value, to)| Step::PutWhere { a, value, to }),
        1 => (view(), axis, view()).prop_map(|(a, axis, to)| Step::Join { a, axis, to }),
        1 => (0..super::BASES.len(), super::dtype()).prop_map(|(base, dtype)| Step::Replace { base, dtype }),
    ]
}

/// Applies a function to each two values of arrays of one shape.
fn zip(
    a: &ArrayD<Scalar>,
    b: &ArrayD<Scalar>,
    of: impl Fn(&Scalar, &Scalar) -> Scalar,
) -> ArrayD<Scalar> {
    ndarray::Zip::from(a).and(b).map_collect(of)
}

/// Returns the values broadcast to another shape.
fn stretched(values: &ArrayD<Scalar>, dims: &[usize]) -> ArrayD<Scalar> {
    values.broadcast(IxDyn(dims)).unwrap().to_owned()
}

/// Returns indices for an axis of `length` elements, counted from its end for odd numbers.
fn indices(picks: &[u8], length: usize) -> Vec<i64> {
    let length = length as i64;
    let index = |pick: &u8| i64::from(*pick) % length - if pick % 2 == 1 { length } else { 0 };
    picks.iter().filter(|_| length > 0).map(index).collect()
}

/// Returns the positions of indices.
fn positions(indices: &[i64], length: usize) -> Vec<usize> {
    indices
        .iter()
        .map(|index| index.rem_euclid(length as i64) as usize)
        .collect()
}

impl Pair {
    /// Writes the results of both sides into a view.
    fn put(&mut self, to: &View, weft: &DynArray, eager: &ArrayD<Scalar>) -> Result<(), Mistake> {
        let (weft, eager) = oracle::tame(weft, eager)?;
        let target = self.weft_view(to)?;
        let dims = target.shape().to_vec();
        if let Some((weft, eager)) = fit(&weft, &eager, &dims)? {
            target.assign(&weft)?;
            let dtype = target.dtype();
            let eager = stretched(&eager, &dims).map(|value| value.cast(dtype));
            self.eager_view_mut(to).assign(&eager);
        }
        Ok(())
    }

    /// Returns two views brought to the shape of the first, and to the dtype to which both promote.
    fn alike(&self, a: &View, b: &View) -> Result<Option<Alike>, Mistake> {
        let (wa, ea) = self.both(a)?;
        let (wb, eb) = self.both(b)?;
        let dtype = DType::promote(wa.dtype(), wb.dtype());
        let Some((wb, eb)) = fit(&wb, &eb, ea.shape())? else {
            return Ok(None);
        };
        let eager = [ea.clone(), stretched(&eb, ea.shape())]
            .map(|side| side.map(|value| value.cast(dtype)));
        Ok(Some(Alike {
            dtype,
            weft: [wa, wb],
            eager,
        }))
    }

    pub(super) fn step(&mut self, step: &Step) -> Result<(), Mistake> {
        match step {
            Step::Binary {
                op,
                a,
                b,
                to,
                in_place,
            } => {
                let Some(both) = self.alike(a, b)? else {
                    return Ok(());
                };
                // Not every dtype has every function; such calls are tested elsewhere.
                if op.input_dtype(both.dtype) != Some(both.dtype) {
                    return Ok(());
                }
                let eager = zip(&both.eager[0], &both.eager[1], |a, b| {
                    oracle::binary(*op, a, b)
                });
                let [left, right] = &both.weft;
                let target = self.weft_view(to)?;
                if *in_place && target.shape() == left.shape() {
                    target.binary_into(*op, left, right)?;
                    let eager = eager.map(|value| value.cast(target.dtype()));
                    self.eager_view_mut(to).assign(&eager);
                    return self.put(to, &target, &eager);
                }
                self.put(to, &DynArray::binary(*op, left, right)?, &eager)
            }
            Step::Assign { a, to } => {
                let (weft, eager) = self.both(a)?;
                let target = self.weft_view(to)?;
                let Some((weft, eager)) = fit(&weft, &eager, target.shape())? else {
                    return Ok(());
                };
                target.assign(&weft)?;
                let eager =
                    stretched(&eager, target.shape()).map(|value| value.cast(target.dtype()));
                self.eager_view_mut(to).assign(&eager);
                Ok(())
            }
            Step::Fill { value, to } => {
                let target = self.weft_view(to)?;
                let value = if target.dtype().is_unsigned_integer() {
                    value.unsigned_abs() as i8
                } else {
                    *value
                };
                target.assign(value)?;
                self.eager_view_mut(to)
                    .fill(Scalar::I8(value).cast(target.dtype()));
                Ok(())
            }
            Step::Select { a, b, value, to } => {
                let Some(both) = self.alike(a, b)? else {
                    return Ok(());
                };
                if both.dtype.is_complex() || both.weft[0].dtype().is_bool() {
                    return Ok(());
                }
                let mask = DynArray::binary(BinaryOp::Less, &both.weft[0], &both.weft[1])?;
                let weft = DynArray::select(&mask, &both.weft[0], *value)?;
                let dtype = weft.dtype();
                // The selected values are those of `a` itself, since its cast may round an integer
                // out of its range.
                let mask = zip(&both.eager[0], &both.eager[1], |a, b| {
                    Scalar::Bool(oracle::is_less(a, b))
                });
                let eager = zip(&self.eager_view(a), &mask, |a, less| match less {
                    Scalar::Bool(true) => a.cast(dtype),
                    _ => Scalar::I8(*value).cast(dtype),
                });
                self.put(to, &weft, &eager)
            }
            Step::Reduce { op, a, axis, to } => self.reduce(*op, a, *axis, to),
            Step::Scan { a, axis, to } => {
                let (weft, eager) = self.both(a)?;
                if *axis >= weft.ndim() {
                    return Ok(());
                }
                let sums = oracle::running_sums(weft.dtype(), &eager, *axis);
                self.put(to, &weft.scan(ScanOp::CumSum, Some(*axis))?, &sums)
            }
            Step::Sort {
                a,
                axis,
                numbers,
                to,
            } => {
                let (weft, eager) = self.both(a)?;
                if *axis >= weft.ndim() {
                    return Ok(());
                }
                let orders = oracle::orders(&eager, *axis);
                if *numbers {
                    let eager = orders.map(|order| Scalar::I64(*order as i64));
                    return self.put(to, &weft.argsort(*axis)?, &eager);
                }
                let sorted = ArrayD::from_shape_fn(eager.raw_dim(), |mut at| {
                    let order = orders[&at];
                    at.as_array_view_mut()[*axis] = order;
                    eager[&at]
                });
                self.put(to, &weft.sort(*axis)?, &sorted)
            }
            Step::Take { a, axis, picks, to } => {
                let (weft, eager) = self.both(a)?;
                if *axis >= weft.ndim() {
                    return Ok(());
                }
                let length = eager.len_of(Axis(*axis));
                let indices = indices(picks, length);
                let taken = weft.take(from_slice(&indices).as_dyn(), Some(*axis))?;
                let eager = eager.select(Axis(*axis), &positions(&indices, length.max(1)));
                self.put(to, &taken, &eager)
            }
            Step::Put { a, axis, picks, to } => self.put_picks(a, *axis, picks, to),
            Step::TakeWhere { a, b, to } => {
                let Some(both) = self.alike(a, b)? else {
                    return Ok(());
                };
                if both.dtype.is_complex() {
                    return Ok(());
                }
                let mask = DynArray::binary(BinaryOp::Less, &both.weft[0], &both.weft[1])?;
                let weft = both.weft[0].take_where(&mask)?;
                let own = self.eager_view(a);
                let sides = own.iter().zip(both.eager[0].iter().zip(&both.eager[1]));
                let kept = sides.filter(|(_, (a, b))| oracle::is_less(a, b));
                let kept: Vec<Scalar> = kept.map(|(value, _)| *value).collect();
                let eager = ArrayD::from_shape_vec(IxDyn(&[kept.len()]), kept)?;
                self.put(to, &weft, &eager)
            }
            Step::PutWhere { a, value, to } => {
                let Some(both) = self.alike(to, a)? else {
                    return Ok(());
                };
                if both.dtype.is_complex() {
                    return Ok(());
                }
                let mask = DynArray::binary(BinaryOp::Less, &both.weft[0], &both.weft[1])?;
                let (target, value) = (self.weft_view(to)?, Scalar::I8(*value));
                target.put_where(&mask, value)?;
                let value = value.cast(target.dtype());
                let mut eager = self.eager_view_mut(to);
                ndarray::Zip::from(&mut eager)
                    .and(&both.eager[0])
                    .and(&both.eager[1])
                    .for_each(|to, a, b| {
                        if oracle::is_less(a, b) {
                            *to = value;
                        }
                    });
                Ok(())
            }
            Step::Join { a, axis, to } => {
                let (weft, eager) = self.both(a)?;
                if *axis >= weft.ndim() {
                    return Ok(());
                }
                let weft = DynArray::concatenate(&[weft.clone(), weft], *axis)?;
                let eager = ndarray::concatenate(Axis(*axis), &[eager.view(), eager.view()])?;
                self.put(to, &weft, &eager)
            }
            Step::Replace { base, dtype } => {
                let new = weft::dtype::with_element!(*dtype, T => {
                    weft::zeros::<T>(super::BASES[*base]).into_dyn()
                });
                new.assign(&self.weft[*base])?;
                self.weft[*base] = new;
                self.eager[*base].mapv_inplace(|value| value.cast(*dtype));
                Ok(())
            }
        }
    }

    fn reduce(
        &mut self,
        op: ReduceOp,
        a: &View,
        axis: Option<usize>,
        to: &View,
    ) -> Result<(), Mistake> {
        let (weft, eager) = self.both(a)?;
        if axis.is_some_and(|axis| axis >= weft.ndim()) || !op.is_defined(weft.dtype()) {
            return Ok(());
        }
        let length = axis.map_or(eager.len(), |axis| eager.len_of(Axis(axis)));
        if length == 0 && op.reduce_empty(weft.dtype()).is_none() {
            assert!(weft.reduce(op, axis).is_err(), "{op} of nothing");
            return Ok(());
        }
        let reduced = weft.reduce(op, axis)?;
        let of = |values: Vec<Scalar>| oracle::reduce(op, weft.dtype(), &values);
        let eager = match axis {
            None => ArrayD::from_elem(IxDyn(&[]), of(eager.iter().copied().collect())),
            Some(axis) => eager.map_axis(Axis(axis), |line| of(line.to_vec())),
        };
        self.put(to, &reduced, &eager)
    }

    fn put_picks(&mut self, a: &View, axis: usize, picks: &[u8], to: &View) -> Result<(), Mistake> {
        let target = self.weft_view(to)?;
        if axis >= target.ndim() {
            return Ok(());
        }
        let length = target.shape()[axis];
        let indices = indices(picks, length);
        let mut dims = target.shape().to_vec();
        dims[axis] = indices.len();
        let (weft, eager) = self.both(a)?;
        let Some((weft, eager)) = fit(&weft, &eager, &dims)? else {
            return Ok(());
        };
        target.put(from_slice(&indices).as_dyn(), Some(axis), &weft)?;
        let eager = stretched(&eager, &dims).map(|value| value.cast(target.dtype()));
        let mut view = self.eager_view_mut(to);
        for (at, place) in positions(&indices, length.max(1)).into_iter().enumerate() {
            view.index_axis_mut(Axis(axis), place)
                .assign(&eager.index_axis(Axis(axis), at));
        }
        Ok(())
    }
}

/// The two operands of a function on both sides, brought to one dtype if they are values.
struct Alike {
    dtype: DType,
    weft: [DynArray; 2],
    eager: [ArrayD<Scalar>; 2],
}
