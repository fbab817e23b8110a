//! The speed of kernels on one thread, compared with the machine's `memcpy` in the same run.
//!
//! Each row is a kernel, first over arrays in memory and then over arrays in cache. It shows bytes
//! read and written per second, the best of many rounds, and their ratio to `memcpy`, which is
//! measured before and after in the same way. Arguments choose the kernels whose names contain one
//! of them.

#![allow(unsafe_code, reason = "builds tiles over memory of its own")]
#![allow(
    clippy::print_stdout,
    reason = "the purpose of this program is to print the table"
)]

use std::time::Instant;

use weft::dtype::{DType, Scalar};
use weft::shape::{Layout, Shape};
use weft_kernels::chain::{ChainPlan, Step, Value};
use weft_kernels::{
    BinaryOp, ReduceOp, Tile, TileRef, UnaryOp, elementwise, linear, random, reduce,
};

/// The size of one array in bytes: well beyond the last cache, and inside of the L2 cache.
const SIZES: [(&str, usize); 2] = [("memory", 128 << 20), ("cache", 192 << 10)];

/// An array of zeros.
struct Array {
    words: Vec<u64>,
    dtype: DType,
}

impl Array {
    fn new(bytes: usize, dtype: DType) -> Array {
        let mut words = Vec::new();
        // Written, not only reserved, so that every page exists.
        words.resize_with(bytes / 8, || std::hint::black_box(0));
        Array { words, dtype }
    }

    fn tile(&mut self, dims: &[usize]) -> Tile<'static> {
        self.view(Layout::contiguous(shape(dims)))
    }

    fn view(&mut self, layout: Layout) -> Tile<'static> {
        let fits = layout
            .extent()
            .is_some_and(|(_, high)| (high + 1) * self.dtype.size() <= 8 * self.words.len());
        assert!(fits, "the view lies inside the array");
        // SAFETY: the view was checked, and arrays live until the end. Zeros are elements of every
        // type. One thread runs one kernel at a time, whose output is in its own array or is
        // exactly an input.
        unsafe { Tile::new(self.words.as_mut_ptr().cast(), self.dtype, layout) }
    }
}

/// Returns the same view for writing.
fn out(tile: &Tile<'static>) -> Tile<'static> {
    // SAFETY: as for the array.
    unsafe { Tile::new(tile.data(), tile.dtype(), *tile.layout()) }
}

/// Returns the same view for reading.
fn read(tile: &Tile<'static>) -> TileRef<'static> {
    // SAFETY: as for the array.
    unsafe { TileRef::new(tile.data(), tile.dtype(), *tile.layout()) }
}

fn shape(dims: &[usize]) -> Shape {
    Shape::new(dims).unwrap_or(Shape::SCALAR)
}

/// Returns the best speed of `body`, in bytes per nanosecond.
fn speed(bytes: usize, mut body: impl FnMut()) -> f64 {
    let inner = (1usize << 22).div_ceil(bytes);
    let rounds = if inner == 1 { 9 } else { 60 };
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let start = Instant::now();
        for _ in 0..inner {
            body();
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e9 / inner as f64);
    }
    bytes as f64 / best
}

fn main() {
    for (place, bytes) in SIZES {
        measure(place, bytes);
    }
}

/// A kernel: its name, the number of bytes that it reads and writes, and a function that calls it.
type Row<'a> = (&'static str, usize, Box<dyn FnMut() + 'a>);

fn input(number: u16) -> Value {
    Value::Input(number)
}

/// Returns a chain over `f64` that writes its last step.
fn chain(inputs: usize, steps: &[(BinaryOp, Value, Value)]) -> ChainPlan {
    let steps: Vec<Step> = steps
        .iter()
        .map(|&(op, a, b)| Step {
            kind: op.into(),
            inputs: [a, b].into_iter().collect(),
        })
        .collect();
    plan(inputs, &steps, false)
}

fn plan(inputs: usize, steps: &[Step], is_summed: bool) -> ChainPlan {
    let last = steps.len() as u16 - 1;
    let (outputs, fold) = if is_summed {
        (&[][..], Some((ReduceOp::Sum.into(), last)))
    } else {
        (&[last][..], None)
    };
    let Some(plan) = ChainPlan::new(&vec![DType::F64; inputs], steps, outputs, fold) else {
        unreachable!("the steps fit their inputs");
    };
    plan
}

/// Returns a chain of additions, products and quotients, a root and two exponentials, each of the
/// step before and of an earlier one.
fn chain_of_twenty(is_summed: bool) -> ChainPlan {
    use BinaryOp::{Add, Div, Maximum, Mul, Sub};
    let mut steps = vec![Step {
        kind: Add.into(),
        inputs: [input(0), input(1)].into_iter().collect(),
    }];
    for at in 0..19u16 {
        let before = Value::Step(at);
        let back = if at < 4 {
            input(at % 2)
        } else {
            Value::Step(at - 3)
        };
        let (kind, inputs) = match at {
            5 | 14 => (UnaryOp::Exp.into(), vec![before]),
            8 => (UnaryOp::Sqrt.into(), vec![before]),
            _ => {
                let op = [Mul, Add, Sub, Maximum, Mul, Add, Div][usize::from(at) % 7];
                (op.into(), vec![before, back])
            }
        };
        let inputs = inputs.into_iter().collect();
        steps.push(Step { kind, inputs });
    }
    plan(2, &steps, is_summed)
}

fn measure(place: &str, bytes: usize) {
    let n = bytes / 8;
    // Rows have 2,048 elements in memory, and 128 in cache.
    let columns = if bytes > 1 << 20 { 2048 } else { 128 };
    let rows = n / columns;
    let mut a = Array::new(bytes, DType::F64);
    let mut b = Array::new(bytes, DType::F64);
    let mut c = Array::new(bytes, DType::F64);
    let mut one = Array::new(64, DType::F64);
    let mut x = Array::new(columns * 8, DType::F64);
    let mut y = Array::new(rows * 8, DType::F64);
    let mut mask = Array::new(n, DType::Bool);

    let whole = [n];
    let (ta, tb, tc) = (a.tile(&whole), b.tile(&whole), c.tile(&whole));
    let matrix = [rows, columns];
    let (ma, mc) = (a.tile(&matrix), c.tile(&matrix));
    let inside = |array: &mut Array| {
        array.view(Layout::contiguous(shape(&matrix)).tile(&[1, 1], &[rows - 1, columns - 1]))
    };
    let (ia, ib, ic) = (inside(&mut a), inside(&mut b), inside(&mut c));
    let down = a.view(Layout::contiguous(shape(&matrix)).transpose());
    let across = c.view(Layout::contiguous(shape(&[columns, rows])).transpose());
    let (tone, tx, ty, tmask) = (
        one.tile(&[]),
        x.tile(&[columns]),
        y.tile(&[rows]),
        mask.tile(&whole),
    );
    let half = one.view(
        Layout::contiguous(Shape::SCALAR)
            .broadcast_to(shape(&whole))
            .unwrap_or(*tone.layout()),
    );
    let repeated = |tile: &Tile<'static>, dims: &[usize]| {
        let layout = tile.layout().broadcast_to(shape(dims));
        // SAFETY: the view repeats elements of one that was checked.
        unsafe { Tile::new(tile.data(), DType::F64, layout.unwrap_or(*tile.layout())) }
    };
    let twenty = chain_of_twenty(false);
    let twenty_summed = chain_of_twenty(true);
    let plus_one = chain(2, &[(BinaryOp::Add, input(0), input(1))]);
    let triple = chain(2, &[(BinaryOp::Mul, input(0), input(1))]);
    let stencil = chain(
        6,
        &[
            (BinaryOp::Add, input(0), input(1)),
            (BinaryOp::Add, Value::Step(0), input(2)),
            (BinaryOp::Add, Value::Step(1), input(3)),
            (BinaryOp::Add, Value::Step(2), input(4)),
            (BinaryOp::Mul, Value::Step(3), input(5)),
        ],
    );
    let inner = [rows - 2, columns - 2];
    let from = |first: [usize; 2]| {
        let end = [first[0] + inner[0], first[1] + inner[1]];
        Layout::contiguous(shape(&matrix)).tile(&first, &end)
    };
    let sa = [[1, 1], [0, 1], [1, 2], [1, 0], [2, 1]].map(|first| a.view(from(first)));
    let sc = c.view(from([1, 1]));
    let sfifth = repeated(&tone, &inner);
    let narrow = [n / 3, 3];
    let (na, nc) = (a.tile(&narrow), c.tile(&narrow));
    let nrow = repeated(&x.tile(&[3]), &narrow);
    let mhalf = repeated(&tone, &matrix);
    let source = random::Source { seed: 1, stream: 0 };

    let copy = |from: &Tile<'_>, to: &Tile<'_>| {
        // SAFETY: the tiles are two whole, distinct arrays of `bytes`.
        unsafe { std::ptr::copy_nonoverlapping(from.data(), to.data(), bytes) };
        std::hint::black_box(to.data());
    };
    let before = speed(2 * bytes, || copy(&ta, &tb));
    let kernels: Vec<Row<'_>> = vec![
        (
            "copy",
            2 * bytes,
            Box::new(|| elementwise::copy(&ta, &mut out(&tb))),
        ),
        (
            "copy transposed",
            2 * bytes,
            Box::new(|| elementwise::copy(&ma, &mut out(&across))),
        ),
        (
            "fill",
            bytes,
            Box::new(|| elementwise::fill(Scalar::F64(0.5), &mut out(&ta))),
        ),
        (
            "add",
            3 * bytes,
            Box::new(|| elementwise::binary(BinaryOp::Add, &ta, &tb, &mut out(&tc))),
        ),
        (
            "add in place",
            3 * bytes,
            Box::new(|| elementwise::binary(BinaryOp::Add, &ta, &tb, &mut out(&ta))),
        ),
        (
            "add inside a grid",
            3 * bytes,
            Box::new(|| elementwise::binary(BinaryOp::Add, &ia, &ib, &mut out(&ic))),
        ),
        (
            "multiply by a scalar",
            2 * bytes,
            Box::new(|| elementwise::binary(BinaryOp::Mul, &ta, &half, &mut out(&tc))),
        ),
        (
            "less",
            2 * bytes + n,
            Box::new(|| elementwise::binary(BinaryOp::Less, &ta, &tb, &mut out(&tmask))),
        ),
        (
            "where",
            3 * bytes + n,
            Box::new(|| elementwise::select(&tmask, &ta, &tb, &mut out(&tc))),
        ),
        (
            "sqrt",
            2 * bytes,
            Box::new(|| elementwise::unary(UnaryOp::Sqrt, &ta, &mut out(&tc))),
        ),
        (
            "exp",
            2 * bytes,
            Box::new(|| elementwise::unary(UnaryOp::Exp, &ta, &mut out(&tc))),
        ),
        (
            "log",
            2 * bytes,
            Box::new(|| elementwise::unary(UnaryOp::Log, &ta, &mut out(&tc))),
        ),
        (
            "sin",
            2 * bytes,
            Box::new(|| elementwise::unary(UnaryOp::Sin, &ta, &mut out(&tc))),
        ),
        (
            "20 steps together",
            2 * bytes,
            Box::new(|| twenty.run(&[read(&ta), read(&half)], &mut [out(&tc)], None)),
        ),
        (
            "20 steps and a sum",
            bytes,
            Box::new(|| {
                twenty_summed.run(&[read(&ta), read(&half)], &mut [], Some(&mut out(&tone)))
            }),
        ),
        (
            "stencil of 5 points",
            2 * bytes,
            Box::new(|| {
                stencil.run(
                    &[
                        read(&sa[0]),
                        read(&sa[1]),
                        read(&sa[2]),
                        read(&sa[3]),
                        read(&sa[4]),
                        read(&sfifth),
                    ],
                    &mut [out(&sc)],
                    None,
                );
            }),
        ),
        (
            "(n, 3) times a row",
            2 * bytes,
            Box::new(|| triple.run(&[read(&na), read(&nrow)], &mut [out(&nc)], None)),
        ),
        (
            "transposed plus 1",
            2 * bytes,
            Box::new(|| plus_one.run(&[read(&ma), read(&mhalf)], &mut [out(&across)], None)),
        ),
        (
            "sum",
            bytes,
            Box::new(|| reduce::partial(ReduceOp::Sum, &ta, &mut out(&tone))),
        ),
        (
            "sum inside a grid",
            bytes,
            Box::new(|| reduce::partial(ReduceOp::Sum, &ia, &mut out(&tone))),
        ),
        (
            "sum of each column",
            bytes,
            Box::new(|| reduce::axis(ReduceOp::Sum, 0, &ma, &mut out(&tx))),
        ),
        (
            "sum of each row",
            bytes,
            Box::new(|| reduce::axis(ReduceOp::Sum, 1, &ma, &mut out(&ty))),
        ),
        (
            "max",
            bytes,
            Box::new(|| reduce::partial(ReduceOp::Max, &ta, &mut out(&tone))),
        ),
        (
            "dot",
            2 * bytes,
            Box::new(|| linear::dot(&ta, &tb, &mut out(&tone))),
        ),
        (
            "matrix times vector",
            bytes,
            Box::new(|| linear::matvec(&ma, &tx, &mut out(&ty))),
        ),
        (
            "vector times matrix",
            bytes,
            Box::new(|| linear::matvec(&down, &ty, &mut out(&tx))),
        ),
        (
            "uniform random",
            bytes,
            Box::new(|| random::uniform(source, &mut out(&mc), &[0, 0], shape(&matrix))),
        ),
    ];
    let only: Vec<String> = std::env::args()
        .skip(1)
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    let mut table = Vec::new();
    for (name, bytes, kernel) in kernels {
        if only.is_empty() || only.iter().any(|part| name.contains(part.as_str())) {
            table.push((name, speed(bytes, kernel)));
        }
    }
    let after = speed(2 * bytes, || copy(&ta, &tb));
    let memcpy = before.max(after);
    println!("{place}: memcpy {before:.1} GB/s before, {after:.1} GB/s after");
    for (name, speed) in table {
        println!(
            "  {name:22} {speed:7.1} GB/s   {:5.2} of memcpy",
            speed / memcpy
        );
    }
}
