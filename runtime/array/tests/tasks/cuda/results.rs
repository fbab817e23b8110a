//! The results of bodies in CUDA C.

use std::sync::atomic::{AtomicUsize, Ordering};

use ndarray::s;
use weft::dtype::DType;
use weft::task::{Argument, Definition, In, InOut, Kind, Names, Out, Reduce, Reduction};

use super::{everywhere, is_on_gpus};
use crate::support::drawn;

/// The number of tiles that bodies for CPUs have computed.
static ON_CPUS: AtomicUsize = AtomicUsize::new(0);

/// Asserts that CPUs have computed tiles since `before` if there are no GPUs, and none if there
/// are.
fn check_processor(before: usize) {
    let done = ON_CPUS.load(Ordering::Relaxed) - before;
    assert_eq!(done == 0, is_on_gpus(), "{done} tiles on CPUs");
}

#[weft::task(align(x, y), cuda = "../saxpy.cu", cuda_block = 64)]
fn saxpy(a: f32, x: In<f32, 1>, mut y: InOut<f32, 1>) {
    ON_CPUS.fetch_add(1, Ordering::Relaxed);
    for (y, x) in y.iter_mut().zip(&*x) {
        *y += a * x;
    }
}

#[test]
fn runs_elementwise_bodies() {
    everywhere(|| {
        let before = ON_CPUS.load(Ordering::Relaxed);
        let values: Vec<f32> = drawn(1, 5000).iter().map(|value| *value as f32).collect();
        let x = weft::from_slice(&values);
        let y = weft::ones::<f32>(&[5000]);
        saxpy(2.5, &x, &y).unwrap();
        // A view of it, backwards and with steps.
        let (half, other) = (x.slice(s![..;-2]), y.slice(s![1..;2]));
        saxpy(1.0, &half, &other).unwrap();
        let mut expected: Vec<f32> = values.iter().map(|x| 1.0 + 2.5 * x).collect();
        for at in 0..2500 {
            expected[1 + 2 * at] += values[4999 - 2 * at];
        }
        assert_eq!(y.to_vec().unwrap(), expected);
        // Without elements there is no work.
        let none = x.slice(s![..0]);
        saxpy(1.0, &none, &none.copy()).unwrap();
        check_processor(before);
    });
}

#[weft::task(
    align(y, x),
    halo(x, 1),
    cuda_source = r"
__device__ void neighbours(weft::Index<2> i, weft::In<double, 2> x, weft::Out<double, 2> y) {
    double sum = x(i);
    if (i[0] > 0) sum += x(i[0] - 1, i[1]);
    if (x.has(i[0] + 1, i[1])) sum += x(i[0] + 1, i[1]);
    if (i[1] > x.first(1)) sum += x(i[0], i[1] - 1);
    if (i[1] + 1 < x.end(1)) sum += x(i[0], i[1] + 1);
    y(i) = sum;
}
"
)]
fn neighbours(x: In<f64, 2>, mut y: Out<f64, 2>) {
    let [rows, columns] = [0, 1].map(|axis| y.range(axis));
    for row in rows.clone() {
        for column in columns.clone() {
            let around = [(-1, 0), (1, 0), (0, -1), (0, 1)];
            let mut sum = *x.at([row, column]).unwrap();
            for (down, right) in around {
                let (row, column) = (
                    row.wrapping_add_signed(down),
                    column.wrapping_add_signed(right),
                );
                sum += x.at([row, column]).copied().unwrap_or(-0.0);
            }
            y[[row - rows.start, column - columns.start]] = sum;
        }
    }
}

#[test]
fn computes_two_axis_stencils() {
    everywhere(|| {
        let (rows, columns) = (60, 45);
        let values = drawn(2, rows * columns);
        let grid = weft::from_slice(&values).reshape(&[rows, columns]);
        // The same on transposed views, and backwards.
        let out = weft::zeros::<f64>(&[rows, columns]);
        neighbours(&grid, &out).unwrap();
        let crosswise = weft::zeros::<f64>(&[columns, rows]);
        neighbours(&grid, &crosswise.t()).unwrap();
        let back = weft::zeros::<f64>(&[rows, columns]);
        neighbours(&grid.slice(s![..;-1, ..;-1]), &back.slice(s![..;-1, ..;-1])).unwrap();
        let at = |row: usize, column: usize| {
            let is_inside = row < rows && column < columns;
            if is_inside {
                values[row * columns + column]
            } else {
                -0.0
            }
        };
        let forth = |row: usize, column: usize| {
            let up = at(row.wrapping_sub(1), column);
            at(row, column)
                + up
                + at(row + 1, column)
                + at(row, column.wrapping_sub(1))
                + at(row, column + 1)
        };
        let reverse = |row: usize, column: usize| {
            let up = at(row.wrapping_sub(1), column);
            at(row, column)
                + at(row + 1, column)
                + up
                + at(row, column + 1)
                + at(row, column.wrapping_sub(1))
        };
        let all = |of: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
            (0..rows * columns)
                .map(|cell| of(cell / columns, cell % columns))
                .collect()
        };
        assert_eq!(out.to_vec().unwrap(), all(&forth));
        assert_eq!(crosswise.t().to_vec().unwrap(), all(&forth));
        assert_eq!(back.to_vec().unwrap(), all(&reverse));
    });
}

/// Returns the product of a matrix in compressed rows and a vector of any dtype, for GPUs only.
fn spmv() -> Definition {
    let source = "
template <typename T>
__device__ void spmv(weft::Index<1> row, weft::In<weft::i64, 1> offsets, weft::In<weft::i64, 1> columns,
                     weft::In<double, 1> entries, weft::Out<double, 1> y, weft::In<T, 1> x) {
    double sum = 0;
    for (weft::i64 at = offsets(row); at < offsets(row[0] + 1); ++at) sum += entries(at) * x(columns(at));
    y(row) = sum;
}";
    Definition::builder("spmv")
        .input("offsets", DType::I64, 1)
        .input("columns", DType::I64, 1)
        .input("entries", DType::F64, 1)
        .output("y", DType::F64, 1)
        .parameter("x", Kind::In, None, None)
        .align(&["y"])
        .halo("offsets", &[0], &[1])
        .image("offsets", "columns", Names::Offsets)
        .image("offsets", "entries", Names::Offsets)
        .broadcast("x")
        .cuda(source)
        .finish()
        .unwrap()
}

#[test]
fn supports_images_broadcasts_and_all_dtypes() {
    let rows = 1000;
    let mut offsets = vec![0_i64];
    let (mut columns, mut entries) = (Vec::new(), Vec::new());
    for row in 0..rows {
        for entry in 0..row % 7 {
            columns.push((row * 31 + entry * 17) as i64 % rows as i64);
            entries.push(1.0 / (1 + row + entry) as f64);
        }
        offsets.push(columns.len() as i64);
    }
    let x = drawn(8, rows);
    let expected: Vec<f64> = (0..rows)
        .map(|row| {
            let range = offsets[row] as usize..offsets[row + 1] as usize;
            range.fold(0.0, |sum, at| sum + entries[at] * x[columns[at] as usize])
        })
        .collect();
    everywhere(|| {
        if !is_on_gpus() {
            return;
        }
        let task = spmv();
        let (offsets, columns) = (weft::from_slice(&offsets), weft::from_slice(&columns));
        let entries = weft::from_slice(&entries);
        let (x, y) = (weft::from_slice(&x), weft::zeros::<f64>(&[rows]));
        let call = |x: Argument<'_>| {
            let arguments = [
                (&offsets).into(),
                (&columns).into(),
                (&entries).into(),
                (&y).into(),
                x,
            ];
            task.launch(&arguments).unwrap();
            y.to_vec().unwrap()
        };
        assert_eq!(call((&x).into()), expected);
        let ones = weft::ones::<i32>(&[rows]);
        let sums = call((&ones).into());
        assert_eq!(sums[0], 0.0);
        assert!(sums[1] > 0.4);
    });
}

#[weft::task(
    align(x),
    reduce(total, Add),
    reduce(least, Min),
    reduce(counts, Add),
    reduce(most, Max),
    cuda_source = r"
__device__ void moments(weft::Index<1> i, weft::In<double, 1> x, weft::Reduce<double, 0> total,
                        weft::Reduce<double, 0, weft::Min> least, weft::Reduce<weft::i64, 1> counts,
                        weft::Reduce<short, 1, weft::Max> most) {
    const double value = x(i);
    total.add(value);
    least.combine(value);
    const int bin = (int)((value + 1) * 5);
    counts.add(bin, 1);
    most.combine(bin, (short)(i[0] % 1000));
}
"
)]
fn moments(
    x: In<f64, 1>,
    mut total: Reduce<f64, 0>,
    mut least: Reduce<f64, 0>,
    mut counts: Reduce<i64, 1>,
    mut most: Reduce<i16, 1>,
) {
    ON_CPUS.fetch_add(1, Ordering::Relaxed);
    for (at, &x) in x.range(0).zip(x.iter()) {
        total[[]] += x;
        least[[]] = x.min(least[[]]);
        let bin = ((x + 1.0) * 5.0) as usize;
        counts[bin] += 1;
        most[bin] = most[bin].max((at % 1000) as i16);
    }
}

#[test]
fn contributions_give_identical_bits_in_every_run() {
    let values = drawn(4, 20_000);
    let bin = |x: f64| ((x + 1.0) * 5.0) as usize;
    let mut counted = vec![1_i64; 10];
    let mut last = vec![-5_i16; 10];
    for (at, x) in values.iter().enumerate() {
        counted[bin(*x)] += 1;
        last[bin(*x)] = last[bin(*x)].max((at % 1000) as i16);
    }
    let sum: f64 = values.iter().sum();
    let smallest = values.iter().copied().fold(-0.5, f64::min);
    everywhere(|| {
        let before = ON_CPUS.load(Ordering::Relaxed);
        let x = weft::from_slice(&values);
        let sums: Vec<u64> = (0..3)
            .map(|_| {
                let (total, least) = (weft::full(&[], 100.0), weft::full(&[], -0.5));
                let counts = weft::ones::<i64>(&[10]);
                let most = weft::full::<i16>(&[10], -5);
                moments(&x, &total, &least, &counts, &most).unwrap();
                assert_eq!(counts.to_vec().unwrap(), counted);
                assert_eq!(most.to_vec().unwrap(), last);
                assert_eq!(least.item(), smallest);
                assert!((total.item() - 100.0 - sum).abs() < 1e-9);
                total.item().to_bits()
            })
            .collect();
        assert!(sums.iter().all(|one| *one == sums[0]), "{sums:?}");
        check_processor(before);
    });
}

/// Returns a task with blocks of two axes whose threads synchronize: each block transposes its part
/// of the tile in shared memory.
fn tiled() -> Definition {
    let source = "
__device__ void turned_block(weft::Task<2> task, weft::In<int, 2> x, weft::Out<int, 2> y, weft::Reduce<int, 0> count) {
    __shared__ int part[8][32];
    const weft::Index<2> i = task.index();
    if (task.has(i)) part[threadIdx.y][threadIdx.x] = x(i);
    __syncthreads();
    if (!task.has(i)) return;
    // The neighbour's element, if the block has one.
    const bool has = threadIdx.x > 0;
    y(i) = part[threadIdx.y][threadIdx.x] * 2 + (has ? part[threadIdx.y][threadIdx.x - 1] : 0);
    count.add(has ? 1 : 0);
}";
    Definition::builder("turned")
        .input("x", DType::I32, 2)
        .output("y", DType::I32, 2)
        .reduce("count", Reduction::Add, DType::I32, 0)
        .cuda(source)
        .cuda_block(&[8, 32])
        .finish()
        .unwrap()
}

#[test]
fn blocks_of_threads_share_memory() {
    everywhere(|| {
        if !is_on_gpus() {
            return;
        }
        let (rows, columns) = (45, 70);
        let values: Vec<i32> = (0..rows * columns).map(|at| at * 7 % 100).collect();
        let dims = [rows as usize, columns as usize];
        let x = weft::from_slice(&values).reshape(&dims);
        let (y, count) = (weft::zeros::<i32>(&dims), weft::zeros::<i32>(&[]));
        tiled()
            .launch(&[(&x).into(), (&y).into(), (&count).into()])
            .unwrap();
        let expected: Vec<i32> = (0..rows * columns)
            .map(|at| {
                let has = at % columns % 32 > 0;
                values[at as usize] * 2 + if has { values[at as usize - 1] } else { 0 }
            })
            .collect();
        assert_eq!(y.to_vec().unwrap(), expected);
        assert_eq!(count.item(), rows * (columns - 3));
    });
}
