//! Random programs over overlapping views have the same bits as eager `ndarray`, for 1, 2 and 4
//! workers, with OMP groups, fused or not, and at once on the program's thread or not.
//!
//! Every array is one of a few bases or a view of one. A program is a list of steps that read and
//! write such views. Integers wrap, and float programs use whole numbers of moderate size, so that
//! even sums are exact.

#![allow(clippy::unwrap_used, reason = "a mistake in a test must stop it")]

#[path = "programs/dynamic.rs"]
mod dynamic;
#[path = "support/runtimes.rs"]
mod support;

use ndarray::{ArrayD, ArrayViewD, ArrayViewMutD, Axis, IxDyn, SliceInfoElem, Zip};
use proptest::collection::vec;
use proptest::prelude::*;
use weft::dtype::Real;
use weft::{Array, Runtime};

/// A cut of one axis of a base: start and end in sixteenths, and a step.
#[derive(Clone, Copy, Debug)]
struct AxisCut {
    start: usize,
    end: usize,
    step: isize,
}

/// A view of a base: cuts of its two axes, and whether they are exchanged.
#[derive(Clone, Debug)]
struct View {
    base: usize,
    cuts: [AxisCut; 2],
    transposed: bool,
}

#[derive(Clone, Debug)]
enum Step {
    /// `to[...] = a + b` and similar functions, of views that are first brought to one shape.
    Binary { op: u8, a: View, b: View, to: View },
    /// `to += a`
    AddAssign { a: View, to: View },
    /// `to[...] = a`
    Assign { a: View, to: View },
    /// `to[...] = value`
    Fill { value: i8, to: View },
    /// `to[a < b] = value`
    PutMask {
        a: View,
        b: View,
        value: i8,
        to: View,
    },
    /// `to[...] = where(a > b, a, b)`
    Select { a: View, b: View, to: View },
    /// `to[...] = sum(a, axis)`, broadcast.
    SumAxis { a: View, axis: usize, to: View },
    /// `to[...] = a.sum()`, or `min` or `max`.
    Reduce { op: u8, a: View, to: View },
    /// `to[...] = argmax(a)`
    ArgMax { a: View, to: View },
    /// `base = a * 1` as a new array.
    Replace { a: View },
    /// `to[...] = a . b` for the largest square parts.
    MatMul { a: View, b: View, to: View },
}

const BASES: [[usize; 2]; 3] = [[12, 9], [7, 16], [10, 10]];

fn axis_cut() -> impl Strategy<Value = AxisCut> {
    (
        0..16usize,
        0..16usize,
        prop_oneof![4 => Just(1), 1 => Just(2), 1 => Just(-1), 1 => Just(-3)],
    )
        .prop_map(|(a, b, step)| AxisCut {
            start: a.min(b),
            end: a.max(b) + 1,
            step,
        })
}

fn view() -> impl Strategy<Value = View> {
    (
        0..BASES.len(),
        axis_cut(),
        axis_cut(),
        prop::bool::weighted(0.2),
    )
        .prop_map(|(base, rows, columns, transposed)| View {
            base,
            cuts: [rows, columns],
            transposed,
        })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..4u8, view(), view(), view()).prop_map(|(op, a, b, to)| Step::Binary { op, a, b, to }),
        2 => (view(), view()).prop_map(|(a, to)| Step::AddAssign { a, to }),
        3 => (view(), view()).prop_map(|(a, to)| Step::Assign { a, to }),
        1 => (any::<i8>(), view()).prop_map(|(value, to)| Step::Fill { value, to }),
        1 => (view(), view(), any::<i8>(), view())
            .prop_map(|(a, b, value, to)| Step::PutMask { a, b, value, to }),
        1 => (view(), view(), view()).prop_map(|(a, b, to)| Step::Select { a, b, to }),
        1 => (view(), 0..2usize, view()).prop_map(|(a, axis, to)| Step::SumAxis { a, axis, to }),
        1 => (0..3u8, view(), view()).prop_map(|(op, a, to)| Step::Reduce { op, a, to }),
        1 => (view(), view()).prop_map(|(a, to)| Step::ArgMax { a, to }),
        1 => view().prop_map(|a| Step::Replace { a }),
        1 => (view(), view(), view()).prop_map(|(a, b, to)| Step::MatMul { a, b, to }),
    ]
}

/// Returns the view as `ndarray`'s slices, reduced to at most `most` elements along each axis of
/// the result.
fn slices(view: &View, dims: &[usize], most: [usize; 2]) -> Vec<SliceInfoElem> {
    view.cuts
        .iter()
        .zip(dims)
        .enumerate()
        .map(|(axis, (cut, extent))| {
            let most = most[if view.transposed { 1 - axis } else { axis }];
            let start = cut.start * extent / 16;
            let end = (cut.end * extent).div_ceil(16).max(start + 1);
            let count = (end - start).div_ceil(cut.step.unsigned_abs()).min(most);
            // The elements at the end from which the step starts are kept.
            let span = (count - 1) * cut.step.unsigned_abs() + 1;
            let (start, end) = if cut.step > 0 {
                (start, start + span)
            } else {
                (end - span, end)
            };
            SliceInfoElem::Slice {
                start: start as isize,
                end: Some(end as isize),
                step: cut.step,
            }
        })
        .collect()
}

fn extents(view: &View, dims: &[usize]) -> [usize; 2] {
    let mut counts = [0; 2];
    for (count, slice) in counts.iter_mut().zip(slices(view, dims, [usize::MAX; 2])) {
        if let SliceInfoElem::Slice {
            start,
            end: Some(end),
            step,
        } = slice
        {
            *count = ((end - start) as usize).div_ceil(step.unsigned_abs());
        }
    }
    if view.transposed {
        [counts[1], counts[0]]
    } else {
        counts
    }
}

trait Value: Real + weft::program::Summable {
    fn from_i8(value: i8) -> Self;
    fn wrapping_add(self, other: Self) -> Self;
    fn wrapping_sub(self, other: Self) -> Self;
    fn wrapping_mul(self, other: Self) -> Self;
    /// Reduces values so that sums stay exact.
    fn tame(array: &Array<Self>) -> Array<Self>;
    fn tamed(self) -> Self;
    fn sum_of(sum: Array<Self::Sum>) -> Array<Self>;
    fn as_value(index: Array<i64>) -> Array<Self>;
    fn from_index(index: usize) -> Self;
}

impl Value for i64 {
    fn from_i8(value: i8) -> Self {
        value.into()
    }
    fn wrapping_add(self, other: Self) -> Self {
        i64::wrapping_add(self, other)
    }
    fn wrapping_sub(self, other: Self) -> Self {
        i64::wrapping_sub(self, other)
    }
    fn wrapping_mul(self, other: Self) -> Self {
        i64::wrapping_mul(self, other)
    }
    fn tame(array: &Array<Self>) -> Array<Self> {
        array.clone()
    }
    fn tamed(self) -> Self {
        self
    }
    fn sum_of(sum: Array<i64>) -> Array<Self> {
        sum
    }
    fn as_value(index: Array<i64>) -> Array<Self> {
        index
    }
    fn from_index(index: usize) -> Self {
        index as i64
    }
}

impl Value for f64 {
    fn from_i8(value: i8) -> Self {
        value.into()
    }
    fn wrapping_add(self, other: Self) -> Self {
        self + other
    }
    fn wrapping_sub(self, other: Self) -> Self {
        self - other
    }
    fn wrapping_mul(self, other: Self) -> Self {
        self * other
    }
    fn tame(array: &Array<Self>) -> Array<Self> {
        array % 1000.0
    }
    fn tamed(self) -> Self {
        let rest = self % 1000.0;
        if rest < 0.0 { rest + 1000.0 } else { rest }
    }
    fn sum_of(sum: Array<f64>) -> Array<Self> {
        sum
    }
    fn as_value(index: Array<i64>) -> Array<Self> {
        index.cast()
    }
    fn from_index(index: usize) -> Self {
        index as f64
    }
}

/// Equal bases in Weft and in `ndarray`.
struct Pair<T: Value> {
    weft: Vec<Array<T>>,
    eager: Vec<ArrayD<T>>,
}

impl<T: Value> Pair<T> {
    fn new() -> Self {
        let eager: Vec<ArrayD<T>> = BASES
            .iter()
            .map(|dims| {
                let value = |i: usize| T::from_i8((i * 37 % 113) as i8 - 50);
                let values = (0..dims[0] * dims[1]).map(value).collect();
                ArrayD::from_shape_vec(IxDyn(dims), values).unwrap()
            })
            .collect();
        Pair {
            weft: eager.iter().map(|base| weft::from_ndarray(base)).collect(),
            eager,
        }
    }

    fn weft_view(&self, view: &View, most: [usize; 2]) -> Array<T> {
        let base = &self.weft[view.base];
        let part = base.slice(slices(view, base.shape(), most));
        if view.transposed { part.t() } else { part }
    }

    fn eager_view(&self, view: &View, most: [usize; 2]) -> ArrayD<T> {
        let base = self.eager[view.base].view();
        let info = slices(view, base.shape(), most);
        let part: ArrayViewD<'_, T> = base.slice_move(&info[..]);
        if view.transposed {
            part.reversed_axes().to_owned()
        } else {
            part.to_owned()
        }
    }

    fn eager_view_mut(&mut self, view: &View, most: [usize; 2]) -> ArrayViewMutD<'_, T> {
        let base = self.eager[view.base].view_mut();
        let info = slices(view, base.shape(), most);
        let part = base.slice_move(&info[..]);
        if view.transposed {
            part.reversed_axes()
        } else {
            part
        }
    }

    /// Returns the shape to which all these views can be reduced.
    fn common(&self, views: &[&View]) -> [usize; 2] {
        let all = views
            .iter()
            .map(|view| extents(view, self.eager[view.base].shape()));
        all.reduce(|a, b| [a[0].min(b[0]), a[1].min(b[1])]).unwrap()
    }

    fn put(&mut self, to: &View, most: [usize; 2], weft: &Array<T>, eager: &ArrayD<T>) {
        self.weft_view(to, most).assign(weft);
        self.eager_view_mut(to, most).assign(eager);
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Binary { op, a, b, to } => {
                let most = self.common(&[a, b, to]);
                let (wa, wb) = (self.weft_view(a, most), self.weft_view(b, most));
                let (ea, eb) = (self.eager_view(a, most), self.eager_view(b, most));
                let zip = |f: fn(T, T) -> T| Zip::from(&ea).and(&eb).map_collect(|a, b| f(*a, *b));
                let (weft, eager) = match op {
                    0 => (&wa + &wb, zip(T::wrapping_add)),
                    1 => (&wa - &wb, zip(T::wrapping_sub)),
                    2 => (&wa * &wb, zip(T::wrapping_mul)),
                    _ => (wa.maximum(&wb), zip(|a, b| if a > b { a } else { b })),
                };
                self.put(to, most, &T::tame(&weft), &eager.mapv(T::tamed));
            }
            Step::AddAssign { a, to } => {
                let most = self.common(&[a, to]);
                let mut target = self.weft_view(to, most);
                target += self.weft_view(a, most);
                target.assign(T::tame(&target));
                let eager = self.eager_view(a, most);
                let mut target = self.eager_view_mut(to, most);
                Zip::from(&mut target)
                    .and(&eager)
                    .for_each(|t, a| *t = t.wrapping_add(*a).tamed());
            }
            Step::Assign { a, to } => {
                let most = self.common(&[a, to]);
                self.weft_view(to, most).assign(self.weft_view(a, most));
                let eager = self.eager_view(a, most);
                self.eager_view_mut(to, most).assign(&eager);
            }
            Step::Fill { value, to } => {
                let most = [usize::MAX; 2];
                self.weft_view(to, most).fill(T::from_i8(*value));
                self.eager_view_mut(to, most).fill(T::from_i8(*value));
            }
            Step::PutMask { a, b, value, to } => {
                let most = self.common(&[a, b, to]);
                let mask = self.weft_view(a, most).less(self.weft_view(b, most));
                self.weft_view(to, most).putmask(&mask, T::from_i8(*value));
                let (ea, eb) = (self.eager_view(a, most), self.eager_view(b, most));
                let mut target = self.eager_view_mut(to, most);
                Zip::from(&mut target)
                    .and(&ea)
                    .and(&eb)
                    .for_each(|t, a, b| {
                        if a < b {
                            *t = T::from_i8(*value);
                        }
                    });
            }
            Step::Select { a, b, to } => {
                let most = self.common(&[a, b, to]);
                let (wa, wb) = (self.weft_view(a, most), self.weft_view(b, most));
                let weft = weft::select(&wa.greater(&wb), &wa, &wb);
                let (ea, eb) = (self.eager_view(a, most), self.eager_view(b, most));
                let eager = Zip::from(&ea)
                    .and(&eb)
                    .map_collect(|a, b| if a > b { *a } else { *b });
                self.put(to, most, &weft, &eager);
            }
            Step::SumAxis { a, axis, to } => {
                let [rows, columns] = self.common(&[a, to]);
                let most = [rows.min(columns); 2];
                let sum = T::sum_of(self.weft_view(a, most).sum_axis(*axis));
                let eager = self.eager_view(a, most);
                let eager = eager.fold_axis(Axis(*axis), T::ZERO, |s, x| s.wrapping_add(*x));
                let eager = eager.mapv(T::tamed);
                let stretched = eager.broadcast(IxDyn(&most)).unwrap().to_owned();
                self.put(to, most, &T::tame(&sum).broadcast_to(&most), &stretched);
            }
            Step::Reduce { op, a, to } => {
                let most = [usize::MAX; 2];
                let (weft, eager) = (self.weft_view(a, most), self.eager_view(a, most));
                let fold = |f: fn(T, T) -> T| eager.iter().copied().reduce(f).unwrap();
                let (weft, eager) = match op {
                    0 => (T::sum_of(weft.sum()), fold(T::wrapping_add)),
                    1 => (weft.min(), fold(|a, b| if b < a { b } else { a })),
                    _ => (weft.max(), fold(|a, b| if b > a { b } else { a })),
                };
                self.weft_view(to, most).assign(T::tame(&weft));
                self.eager_view_mut(to, most).fill(eager.tamed());
            }
            Step::ArgMax { a, to } => {
                let most = [usize::MAX; 2];
                let index = T::as_value(self.weft_view(a, most).argmax());
                self.weft_view(to, most).assign(index);
                let eager = self.eager_view(a, most);
                let mut best = (0, *eager.iter().next().unwrap());
                for (index, value) in eager.iter().enumerate() {
                    if *value > best.1 {
                        best = (index, *value);
                    }
                }
                self.eager_view_mut(to, most).fill(T::from_index(best.0));
            }
            Step::Replace { a } => {
                let most = [usize::MAX; 2];
                let base = a.base;
                let weft = self.weft_view(a, most) * T::from_i8(1);
                let eager = self.eager_view(a, most);
                // Written into a new base, so that shapes stay known.
                let fresh = weft::zeros::<T>(&BASES[base]);
                let part = [
                    SliceInfoElem::from(..weft.shape()[0].min(BASES[base][0])),
                    SliceInfoElem::from(..weft.shape()[1].min(BASES[base][1])),
                ];
                let cut = |dims: &[usize]| {
                    [
                        SliceInfoElem::from(..dims[0].min(BASES[base][0])),
                        SliceInfoElem::from(..dims[1].min(BASES[base][1])),
                    ]
                };
                fresh.slice(part).assign(weft.slice(cut(weft.shape())));
                self.weft[base] = fresh;
                let mut fresh = ArrayD::from_elem(IxDyn(&BASES[base]), T::ZERO);
                let info = cut(eager.shape());
                fresh.slice_mut(&info[..]).assign(&eager.slice(&info[..]));
                self.eager[base] = fresh;
            }
            Step::MatMul { a, b, to } => {
                let common = self.common(&[a, b, to]);
                let most = [common[0].min(common[1]); 2];
                let weft = self.weft_view(a, most).matmul(&self.weft_view(b, most));
                let (ea, eb) = (self.eager_view(a, most), self.eager_view(b, most));
                let n = most[0];
                let eager = ArrayD::from_shape_fn(IxDyn(&most), |at| {
                    (0..n).fold(T::ZERO, |sum, k| {
                        sum.wrapping_add(ea[[at[0], k]].wrapping_mul(eb[[k, at[1]]]))
                    })
                });
                self.put(to, most, &T::tame(&weft), &eager.mapv(T::tamed));
            }
        }
    }
}

/// Runs a program on one runtime, and returns a mistake if there is one.
fn check<T: Value>(runtime: &Runtime, program: &[Step]) -> Result<(), TestCaseError> {
    runtime.enter(|| {
        let mut pair = Pair::<T>::new();
        for step in program {
            pair.step(step);
        }
        for (weft, eager) in pair.weft.iter().zip(&pair.eager) {
            let weft = weft
                .to_ndarray()
                .map_err(|error| TestCaseError::fail(error.to_string()))?;
            prop_assert_eq!(&weft, eager);
        }
        Ok(())
    })
}

/// Returns runtimes with different kernels and processors: fused or not, at once or by workers.
fn runtimes() -> Vec<Runtime> {
    let modes = [
        "--cpus 1 --max-inline-chunk 0",
        "--cpus 2 --max-inline-chunk 0",
        "--cpus 4 --max-inline-chunk 0",
        "--cpus 2 --max-inline-chunk 0 --fusion=false",
        "--cpus 2 --max-inline-chunk 16",
        "--cpus 2 --max-inline-chunk 100",
        "--omps 1 --ompthreads 3 --max-inline-chunk 0 --min-omp-chunk 32",
        "--omps 2 --ompthreads 2 --cpus 1 --max-inline-chunk 16 --min-omp-chunk 32",
    ];
    modes
        .into_iter()
        .map(|mode| support::runtime(&format!("{mode} --min-cpu-chunk 16")))
        .collect()
}

/// Returns the number of programs, if the environment overrides the default of every change;
/// `.ci/full` runs 100,000.
fn cases() -> Option<u32> {
    std::env::var("WEFT_TEST_PROGRAMS").ok()?.parse().ok()
}

fn property<T: Value>(runtimes: Vec<Runtime>) {
    let config = ProptestConfig {
        cases: cases().unwrap_or(1000),
        failure_persistence: None,
        ..Default::default()
    };
    proptest!(config, |(program in vec(step(), 1..25))| {
        for runtime in &runtimes {
            check::<T>(runtime, &program)?;
        }
    });
    for runtime in runtimes {
        runtime.finish().unwrap();
    }
}

#[test]
fn integer_programs_match_ndarray() {
    property::<i64>(runtimes());
}

#[test]
fn float_programs_match_ndarray() {
    property::<f64>(runtimes());
}

/// Tiles of a few elements, on as many GPUs as `WEFT_TEST_GPUS` (1), with and without graphs.
#[test]
#[ignore = "needs a GPU"]
fn programs_on_gpus_match_ndarray() {
    let gpus = std::env::var("WEFT_TEST_GPUS").unwrap_or_else(|_| "1".to_owned());
    let runtimes = || {
        ["false", "true"].map(|graphs| {
            support::runtime_on_gpus(&format!(
                "--gpus={gpus} --fbmem=100 --cuda-graphs={graphs} --min-gpu-chunk=16"
            ))
        })
    };
    property::<i64>(runtimes().into());
    property::<f64>(runtimes().into());
}
