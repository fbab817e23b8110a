//! The speed of kernels on one thread, beside the machine's `memcpy` in the same run.
//!
//! Each row is a kernel over arrays in memory, then over arrays in cache: bytes read and written per second, the best of
//! many rounds, and that over the speed of `memcpy`, which is measured before and after and counted the same way.

#![allow(unsafe_code, reason = "builds tiles over memory of its own")]
#![allow(clippy::print_stdout, reason = "the table is what this program is for")]

use std::time::Instant;

use weft::dtype::{DType, Scalar};
use weft::kernel::{BinaryOp, ReduceOp, Tile, UnaryOp, elementwise, linear, random, reduce};
use weft::shape::{Layout, Shape};

/// Bytes of one array: well beyond the last cache, and inside the second.
const SIZES: [(&str, usize); 2] = [("memory", 128 << 20), ("cache", 192 << 10)];

/// An array of zeros.
struct Array {
    words: Vec<u64>,
    dtype: DType,
}

impl Array {
    fn new(bytes: usize, dtype: DType) -> Array {
        let mut words = Vec::new();
        // Written, not only reserved, so that every page is there.
        words.resize_with(bytes / 8, || std::hint::black_box(0));
        Array { words, dtype }
    }

    fn tile(&mut self, dims: &[usize]) -> Tile {
        self.view(Layout::contiguous(shape(dims)))
    }

    fn view(&mut self, layout: Layout) -> Tile {
        let fits = layout
            .extent()
            .is_some_and(|(_, high)| (high + 1) * self.dtype.size() <= 8 * self.words.len());
        assert!(fits, "the view lies inside the array");
        // SAFETY: the view was checked; zeros are elements of every type; one thread runs one kernel at a time.
        unsafe { Tile::new(self.words.as_mut_ptr().cast(), self.dtype, layout) }
    }
}

fn shape(dims: &[usize]) -> Shape {
    Shape::new(dims).unwrap_or(Shape::SCALAR)
}

/// The best speed of `body`, in bytes per nanosecond.
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

fn measure(place: &str, bytes: usize) {
    let n = bytes / 8;
    // Matrices with rows of 2,048 elements in memory and 128 in cache.
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
    let source = random::Source { seed: 1, stream: 0 };

    let copy = |from: &Tile, to: &Tile| {
        // SAFETY: both tiles are whole arrays of `bytes`, and two.
        unsafe { std::ptr::copy_nonoverlapping(from.data(), to.data(), bytes) };
        std::hint::black_box(to.data());
    };
    let before = speed(2 * bytes, || copy(&ta, &tb));
    let table: Vec<(&str, f64)> = vec![
        ("copy", speed(2 * bytes, || elementwise::copy(&ta, &tb))),
        (
            "copy transposed",
            speed(2 * bytes, || elementwise::copy(&ma, &across)),
        ),
        (
            "fill",
            speed(bytes, || elementwise::fill(Scalar::F64(0.5), &ta)),
        ),
        (
            "add",
            speed(3 * bytes, || {
                elementwise::binary(BinaryOp::Add, &ta, &tb, &tc)
            }),
        ),
        (
            "add in place",
            speed(3 * bytes, || {
                elementwise::binary(BinaryOp::Add, &ta, &tb, &ta)
            }),
        ),
        (
            "add inside a grid",
            speed(3 * bytes, || {
                elementwise::binary(BinaryOp::Add, &ia, &ib, &ic)
            }),
        ),
        (
            "multiply by a scalar",
            speed(2 * bytes, || {
                elementwise::binary(BinaryOp::Mul, &ta, &half, &tc)
            }),
        ),
        (
            "less",
            speed(2 * bytes + n, || {
                elementwise::binary(BinaryOp::Less, &ta, &tb, &tmask)
            }),
        ),
        (
            "where",
            speed(3 * bytes + n, || elementwise::select(&tmask, &ta, &tb, &tc)),
        ),
        (
            "sqrt",
            speed(2 * bytes, || elementwise::unary(UnaryOp::Sqrt, &ta, &tc)),
        ),
        (
            "exp",
            speed(2 * bytes, || elementwise::unary(UnaryOp::Exp, &ta, &tc)),
        ),
        (
            "sum",
            speed(bytes, || reduce::partial(ReduceOp::Sum, &ta, &tone)),
        ),
        (
            "sum inside a grid",
            speed(bytes, || reduce::partial(ReduceOp::Sum, &ia, &tone)),
        ),
        (
            "sum of each column",
            speed(bytes, || reduce::axis(ReduceOp::Sum, 0, &ma, &tx)),
        ),
        (
            "sum of each row",
            speed(bytes, || reduce::axis(ReduceOp::Sum, 1, &ma, &ty)),
        ),
        (
            "max",
            speed(bytes, || reduce::partial(ReduceOp::Max, &ta, &tone)),
        ),
        ("dot", speed(2 * bytes, || linear::dot(&ta, &tb, &tone))),
        (
            "matrix times vector",
            speed(bytes, || linear::matvec(&ma, &tx, &ty)),
        ),
        (
            "uniform random",
            speed(bytes, || {
                random::uniform(source, &mc, &[0, 0], shape(&matrix))
            }),
        ),
    ];
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
