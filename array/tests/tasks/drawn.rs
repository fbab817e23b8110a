//! Drawn tasks: random shapes, views and projections, beside an oracle that computes whole arrays at once.

use ndarray::{Array2, ArrayD, Axis, IxDyn, Slice, SliceInfoElem};
use proptest::prelude::*;
use weft::task::{Argument, Context, Definition, Kind, Reduction};
use weft::{DynArray, dtype::DType};
use weft_geometry::{Affine, Along, Projection, Rest};

use crate::support::runtime;

/// How a drawn input follows a task of two axes.
#[derive(Clone, Debug)]
enum Follows {
    /// Index by index.
    Same,
    /// All of it for every tile.
    Whole,
    /// With a halo, up to the border.
    Halo([u32; 2], [u32; 2]),
    /// So many elements for each index.
    Scale([u32; 2]),
    /// With the axes in the other order.
    Swapped,
    /// Of the task's first axis alone.
    Row,
    /// From some index on, some of it in blocks, in a larger array.
    Affine { times: u32, offset: u32, spare: u32 },
}

fn follows() -> impl Strategy<Value = Follows> {
    let width = || [0..4_u32, 0..4_u32];
    prop_oneof![
        Just(Follows::Same),
        Just(Follows::Whole),
        (width(), width()).prop_map(|(low, high)| Follows::Halo(low, high)),
        [1..4_u32, 1..3_u32].prop_map(Follows::Scale),
        Just(Follows::Swapped),
        Just(Follows::Row),
        (1..4_u32, 0..5_u32, 0..3_u32).prop_map(|(times, offset, spare)| Follows::Affine {
            times,
            offset,
            spare
        }),
    ]
}

/// A drawn task: the shape of its output, and its inputs.
#[derive(Clone, Debug)]
struct Drawn {
    shape: [usize; 2],
    inputs: Vec<(Follows, Seen)>,
    out: Seen,
    reduces: bool,
}

/// How an array is a view of its store.
#[derive(Clone, Copy, Debug)]
struct Seen {
    reversed: [bool; 2],
    steps: [usize; 2],
    transposed: bool,
}

fn seen() -> impl Strategy<Value = Seen> {
    let steps = [1..3_usize, 1..3_usize];
    (any::<[bool; 2]>(), steps, any::<bool>()).prop_map(|(reversed, steps, transposed)| Seen {
        reversed,
        steps,
        transposed,
    })
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let shape = [1..40_usize, 1..40_usize];
    let inputs = prop::collection::vec((follows(), seen()), 1..12);
    (shape, inputs, seen(), any::<bool>()).prop_map(|(shape, inputs, out, reduces)| Drawn {
        shape,
        inputs,
        out,
        reduces,
    })
}

impl Follows {
    /// The shape of the array.
    fn shape(&self, [rows, columns]: [usize; 2]) -> Vec<usize> {
        match self {
            Follows::Same | Follows::Halo(..) => vec![rows, columns],
            Follows::Whole => vec![7, 5],
            Follows::Scale([down, right]) => vec![rows * *down as usize, columns * *right as usize],
            Follows::Swapped => vec![columns, rows],
            Follows::Row => vec![rows],
            Follows::Affine {
                times,
                offset,
                spare,
            } => vec![rows * *times as usize + (*offset + *spare) as usize, 3],
        }
    }

    fn constrain(&self, builder: weft::task::Builder, name: &str) -> weft::task::Builder {
        match self {
            Follows::Same => builder,
            Follows::Whole => builder.broadcast(name),
            Follows::Halo(low, high) => builder.halo(name, low, high),
            Follows::Scale(factors) => builder.scale(factors, "out", name),
            Follows::Swapped => builder.project_text(name, "[i1, i0, ..*]"),
            Follows::Row => builder.project_text(name, "[i0, ..*]"),
            Follows::Affine { times, offset, .. } => {
                let along = Along::Affine(Affine {
                    offset: i64::from(*offset),
                    ..Affine::blocks(0, *times)
                });
                builder.project(name, Projection::of_axes([along], Rest::Whole))
            }
        }
    }

    /// The indices of the array that an index of the task reads.
    fn reads(&self, [row, column]: [usize; 2], dims: &[usize]) -> Vec<Vec<usize>> {
        let block = |first: usize, count: u32| first..first + count as usize;
        let around = |at: usize, low: u32, high: u32, extent: usize| {
            at.saturating_sub(low as usize)..(at + high as usize + 1).min(extent)
        };
        let grid = |rows: std::ops::Range<usize>, columns: std::ops::Range<usize>| {
            rows.flat_map(|row| columns.clone().map(move |column| vec![row, column]))
                .collect()
        };
        match self {
            Follows::Same => vec![vec![row, column]],
            Follows::Whole => grid(0..dims[0], 0..dims[1]),
            Follows::Halo(low, high) => grid(
                around(row, low[0], high[0], dims[0]),
                around(column, low[1], high[1], dims[1]),
            ),
            Follows::Scale([down, right]) => grid(
                block(row * *down as usize, *down),
                block(column * *right as usize, *right),
            ),
            Follows::Swapped => vec![vec![column, row]],
            Follows::Row => vec![vec![row]],
            Follows::Affine { times, offset, .. } => grid(
                block(row * *times as usize + *offset as usize, *times),
                0..dims[1],
            ),
        }
    }
}

/// Values of an array, small integers: sums of them are exact.
fn values(seed: usize, dims: &[usize]) -> ArrayD<f64> {
    let mut state = seed as u64 * 2_654_435_761 + 1;
    ArrayD::from_shape_simple_fn(IxDyn(dims), || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        f64::from((state >> 58) as u32)
    })
}

/// An array of Weft that holds these values, as a view of a larger store.
fn stored(values: &ArrayD<f64>, seen: Seen) -> DynArray {
    let mut of = values.clone();
    let is_square = values.ndim() == 2;
    if seen.transposed && is_square {
        of = of.reversed_axes();
    }
    let dims: Vec<usize> = of
        .shape()
        .iter()
        .enumerate()
        .map(|(axis, extent)| extent * seen.steps[axis])
        .collect();
    let whole = weft::full(&dims, -1.0_f64);
    let mut view = whole.as_dyn().clone();
    for axis in 0..dims.len() {
        let step = seen.steps[axis] as isize;
        let step = if seen.reversed[axis] { -step } else { step };
        view = stepped(&view, axis, step);
    }
    if seen.transposed && is_square {
        view = view.permute(&[1, 0]).unwrap();
    }
    let source = weft::from_ndarray(&values.as_standard_layout().into_owned());
    view.assign(source.as_dyn()).unwrap();
    view
}

/// Every `step`-th element along an axis.
fn stepped(of: &DynArray, axis: usize, step: isize) -> DynArray {
    let info = (0..of.ndim()).map(|one| match one == axis {
        true => SliceInfoElem::from(Slice::new(0, None, step)),
        false => SliceInfoElem::from(..),
    });
    of.slice(info.collect::<Vec<_>>()).unwrap()
}

fn definition(task: &Drawn) -> Definition {
    let mut builder = Definition::builder("drawn")
        .output("out", DType::F64, 2)
        .align(&["out"]);
    for (at, (follows, _)) in task.inputs.iter().enumerate() {
        let name = format!("in{at}");
        let rank = follows.shape(task.shape).len();
        builder = builder.parameter(&name, Kind::In, Some(DType::F64), Some(rank));
        builder = follows.constrain(builder, &name);
    }
    if task.reduces {
        builder = builder.reduce("total", Reduction::Add, DType::F64, 1);
    }
    let task = task.clone();
    let body = move |context: &mut Context<'_, '_>| {
        let ranges = context.ranges().to_vec();
        let mut given = context.take();
        let mut out = given.next().ok_or("an output")?.into_out::<f64, 2>()?;
        let mut sums = Array2::<f64>::zeros(out.dim());
        let dims: Vec<Vec<usize>> = task
            .inputs
            .iter()
            .map(|(follows, _)| follows.shape(task.shape))
            .collect();
        for ((follows, _), dims) in task.inputs.iter().zip(&dims) {
            let input = given.next().ok_or("an input")?;
            let read: Box<dyn Fn(&[usize]) -> Option<f64>> = match dims.len() {
                1 => {
                    let input = input.into_in::<f64, 1>()?;
                    Box::new(move |at| input.at([at[0]]).copied())
                }
                _ => {
                    let input = input.into_in::<f64, 2>()?;
                    Box::new(move |at| input.at([at[0], at[1]]).copied())
                }
            };
            for row in ranges[0].clone() {
                for column in ranges[1].clone() {
                    let place = [row - ranges[0].start, column - ranges[1].start];
                    for index in follows.reads([row, column], dims) {
                        let value = read(&index);
                        sums[place] += value.ok_or_else(|| format!("{follows:?} at {index:?}"))?;
                    }
                }
            }
        }
        out.assign(&sums);
        if let Some(total) = given.next() {
            let mut total = total.into_reduce::<f64, 1>()?;
            for (column, values) in sums.axis_iter(Axis(1)).enumerate() {
                total[(ranges[1].start + column) % 3] += values.sum();
            }
        }
        Ok(())
    };
    builder.cpu(body).finish().unwrap()
}

/// What the task gives, computed at once.
fn oracle(task: &Drawn) -> (Vec<f64>, [f64; 3]) {
    let inputs = task.inputs.iter().enumerate();
    let inputs: Vec<ArrayD<f64>> = inputs
        .map(|(at, (follows, _))| values(at, &follows.shape(task.shape)))
        .collect();
    let (mut out, mut total) = (Vec::new(), [1.0; 3]);
    for row in 0..task.shape[0] {
        for column in 0..task.shape[1] {
            let mut sum = 0.0;
            for ((follows, _), input) in task.inputs.iter().zip(&inputs) {
                for index in follows.reads([row, column], input.shape()) {
                    sum += input[IxDyn(&index)];
                }
            }
            out.push(sum);
            total[column % 3] += sum;
        }
    }
    (out, total)
}

fn run(task: &Drawn, words: &str) {
    let runtime = runtime(words);
    let (expected, totals) = oracle(task);
    runtime.enter(|| {
        let definition = definition(task);
        let out = stored(&values(99, &task.shape), task.out);
        let mut arguments = vec![Argument::from(&out)];
        for (at, (follows, seen)) in task.inputs.iter().enumerate() {
            let input = stored(&values(at, &follows.shape(task.shape)), *seen);
            arguments.push(Argument::from(&input));
        }
        let total = weft::ones::<f64>(&[3]);
        if task.reduces {
            arguments.push(Argument::from(&total));
        }
        definition.launch(&arguments).unwrap();
        let found: Vec<f64> = out.to_ndarray().unwrap().iter().copied().collect();
        assert_eq!(found, expected, "{words}: {task:?}");
        if task.reduces {
            assert_eq!(total.to_vec().unwrap(), totals, "{words}: {task:?}");
        }
    });
    runtime.finish().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn tasks_agree_with_an_oracle(task in drawn(), cpus in 1..5_usize) {
        run(&task, &format!("--cpus {cpus} --min-cpu-chunk 20 --max-inline-chunk 0"));
        run(&task, "--cpus 1 --omps 2 --ompthreads 2 --min-cpu-chunk 20 --min-omp-chunk 50");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn nothing_is_found_in_drawn_tasks(task in drawn()) {
        run(&task, "--cpus 2 --min-cpu-chunk 200 --verify");
    }
}
