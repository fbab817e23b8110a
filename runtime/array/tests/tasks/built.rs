//! The results of tasks, compared with those of loops over vectors.

use ndarray::s;
use weft::task::{
    Argument, BodyError, Context, Definition, In, InOut, Kind, Names, Out, Reduce, Reduction,
    Unbound,
};
use weft::{Array, dtype::DType};

use crate::support::{drawn, on, small_tiles};

/// Runs a program with one worker, several, a team of threads, and on guarded copies.
fn everywhere(program: impl Fn()) {
    for cpus in 1..=4 {
        on(&small_tiles(cpus), &program);
    }
    on(
        "--cpus 1 --omps 2 --ompthreads 2 --min-cpu-chunk 64 --min-omp-chunk 128",
        &program,
    );
    // All accesses are declared.
    on(&format!("{} --verify", small_tiles(2)), &program);
}

#[weft::task(align(x, y))]
fn saxpy(a: f32, x: In<f32, 1>, mut y: InOut<f32, 1>) {
    for (y, x) in y.iter_mut().zip(&*x) {
        *y += a * x;
    }
}

#[test]
fn runs_elementwise_bodies() {
    everywhere(|| {
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
    });
}

#[weft::task(align(y, x), halo(x, 1))]
fn neighbours(x: In<f64, 2>, mut y: Out<f64, 2>) {
    let [rows, columns] = [0, 1].map(|axis| y.range(axis));
    for row in rows.clone() {
        for column in columns.clone() {
            let around = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)];
            let sum: f64 = around
                .iter()
                .filter_map(|(down, right)| {
                    let row = row.checked_add_signed(*down)?;
                    x.at([row, column.checked_add_signed(*right)?])
                })
                .sum();
            y[[row - rows.start, column - columns.start]] = sum;
        }
    }
}

#[test]
fn halo_provides_neighbors_up_to_the_border() {
    everywhere(|| {
        let (rows, columns) = (70, 40);
        let values = drawn(2, rows * columns);
        let x = weft::from_slice(&values).reshape(&[rows, columns]);
        let y = weft::zeros::<f64>(&[rows, columns]);
        neighbours(&x, &y).unwrap();
        // An input that is overwritten is read with its old values.
        neighbours(&y, &y).unwrap();
        let step = |of: &[f64]| -> Vec<f64> {
            let at = |row: isize, column: isize| {
                let is_inside =
                    (0..rows as isize).contains(&row) && (0..columns as isize).contains(&column);
                is_inside.then(|| of[row as usize * columns + column as usize])
            };
            let cells = (0..rows * columns).map(|cell| {
                let (row, column) = ((cell / columns) as isize, (cell % columns) as isize);
                let around = [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)];
                around
                    .iter()
                    .filter_map(|(down, right)| at(row + down, column + right))
                    .sum()
            });
            cells.collect()
        };
        assert_eq!(y.to_vec().unwrap(), step(&step(&values)));
    });
}

#[weft::task(align(y), halo(x, 1))]
fn differences(x: In<f64, 1>, mut y: Out<f64, 1>) {
    // The halo is part of the array: y is shorter by two.
    for (at, y) in y.iter_mut().enumerate() {
        *y = x[at + 2] - x[at];
    }
}

#[test]
fn halo_may_lie_within_the_array() {
    everywhere(|| {
        let values = drawn(3, 3002);
        let (x, y) = (weft::from_slice(&values), weft::zeros::<f64>(&[3000]));
        differences(&x, &y).unwrap();
        let expected: Vec<f64> = values.windows(3).map(|of| of[2] - of[0]).collect();
        assert_eq!(y.to_vec().unwrap(), expected);
    });
}

#[weft::task(align(x), reduce(total, Add), reduce(least, Min), reduce(counts, Add))]
fn moments(
    x: In<f64, 1>,
    mut total: Reduce<f64, 0>,
    mut least: Reduce<f64, 0>,
    mut counts: Reduce<i64, 1>,
) -> Result<(), String> {
    for &x in x.iter() {
        total[[]] += x;
        least[[]] = x.min(least[[]]);
        let bin = ((x + 1.0) * 5.0) as usize;
        *counts
            .get_mut(bin)
            .ok_or_else(|| format!("{x} lies in no bin"))? += 1;
    }
    Ok(())
}

#[test]
fn combines_contributions_in_tile_order() {
    let sums = std::cell::RefCell::new(Vec::new());
    everywhere(|| {
        let values = drawn(4, 20_000);
        let x = weft::from_slice(&values);
        let (total, least) = (weft::full(&[], 100.0), weft::full(&[], -0.5));
        let counts = weft::ones::<i64>(&[10]);
        moments(&x, &total, &least, &counts).unwrap();
        assert_eq!(least.item(), values.iter().copied().fold(-0.5, f64::min));
        let mut expected = [1_i64; 10];
        for value in &values {
            expected[((value + 1.0) * 5.0) as usize] += 1;
        }
        assert_eq!(counts.to_vec().unwrap(), expected);
        sums.borrow_mut().push(total.item());
    });
    let sums = sums.into_inner();
    assert!(
        sums.iter().all(|sum| sum.to_bits() == sums[0].to_bits()),
        "{sums:?}"
    );
}

#[weft::task(align(y), broadcast(table))]
fn look_up(table: In<f64, 1>, x: In<i64, 1>, mut y: Out<f64, 1>) {
    for (y, x) in y.iter_mut().zip(&*x) {
        *y = table[*x as usize];
    }
}

#[test]
fn tiles_receive_entire_broadcast_arrays() {
    everywhere(|| {
        let table = drawn(5, 37);
        let numbers: Vec<i64> = (0..3000).map(|at| at * at % 37).collect();
        let y = weft::zeros::<f64>(&[3000]);
        look_up(&weft::from_slice(&table), &weft::from_slice(&numbers), &y).unwrap();
        let expected: Vec<f64> = numbers.iter().map(|at| table[*at as usize]).collect();
        assert_eq!(y.to_vec().unwrap(), expected);
    });
}

#[weft::task(align(x, y), broadcast(x, 0))]
fn columns(x: In<f64, 2>, mut y: Out<f64, 2>) {
    assert_eq!(x.range(0), 0..x.nrows(), "columns stay whole");
    for (from, mut to) in x.columns().into_iter().zip(y.columns_mut()) {
        let mut sum = 0.0;
        for (from, to) in from.iter().zip(&mut to) {
            sum += from;
            *to = sum;
        }
    }
}

#[test]
fn broadcast_axes_are_not_cut() {
    everywhere(|| {
        let values = drawn(6, 90 * 50);
        let x = weft::from_slice(&values).reshape(&[90, 50]);
        let y = weft::zeros::<f64>(&[90, 50]);
        columns(&x, &y).unwrap();
        let mut expected = values;
        for at in 50..90 * 50 {
            expected[at] += expected[at - 50];
        }
        assert_eq!(y.to_vec().unwrap(), expected);
    });
}

#[weft::task(align(small), scale(small, large, 3))]
fn means(mut small: Out<f64, 1>, large: In<f64, 1>) {
    for (at, small) in small.iter_mut().enumerate() {
        *small = (large[3 * at] + large[3 * at + 1] + large[3 * at + 2]) / 3.0;
    }
}

#[test]
fn tiles_receive_blocks_of_their_index() {
    everywhere(|| {
        let values = drawn(7, 6000);
        let small = weft::zeros::<f64>(&[2000]);
        means(&small, &weft::from_slice(&values)).unwrap();
        let expected: Vec<f64> = values
            .chunks(3)
            .map(|of| (of[0] + of[1] + of[2]) / 3.0)
            .collect();
        assert_eq!(small.to_vec().unwrap(), expected);
    });
}

/// A sparse matrix times a vector: rows have ranges of entries, and entries have columns.
#[weft::task(
    align(y, rows),
    image(rows, columns),
    image(rows, entries),
    broadcast(x)
)]
fn spmv(
    rows: In<i64, 2>,
    columns: In<i64, 1>,
    entries: In<f64, 1>,
    x: In<f64, 1>,
    mut y: Out<f64, 1>,
) {
    for (row, y) in rows.outer_iter().zip(y.iter_mut()) {
        let range = row[0] as usize..row[1] as usize;
        *y = range
            .map(|at| entries.at([at]).unwrap() * x[*columns.at([at]).unwrap() as usize])
            .sum();
    }
}

/// Returns the same task with offsets, and with the elements of the vector at the columns.
fn by_offsets() -> Definition {
    Definition::builder("spmv_offsets")
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
        .cpu(|context: &mut weft::task::Context<'_, '_>| {
            let [offsets, columns, entries, y, x] = context.take_all()?;
            let offsets: In<'_, i64, 1> = offsets.into_in()?;
            let (columns, entries) = (columns.into_in::<i64, 1>()?, entries.into_in::<f64, 1>()?);
            let x: In<'_, f64, 1> = x.into_in()?;
            let mut y: Out<'_, f64, 1> = y.into_out()?;
            for (row, y) in y.iter_mut().enumerate() {
                let range = offsets[row] as usize..offsets[row + 1] as usize;
                *y = 0.0;
                for at in range {
                    let column = columns.at([at]).ok_or("a column outside of the image")?;
                    *y += entries.at([at]).ok_or("an entry outside of the image")?
                        * x[*column as usize];
                }
            }
            Ok(())
        })
        .finish()
        .unwrap()
}

#[test]
fn images_follow_array_values() {
    let rows = 2000;
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
        let starts = weft::from_slice(&offsets);
        let pairs = weft::stack(&[&starts.slice(s![..-1]), &starts.slice(s![1..])], 1);
        let (columns, entries) = (weft::from_slice(&columns), weft::from_slice(&entries));
        let (x, y) = (weft::from_slice(&x), weft::zeros::<f64>(&[rows]));
        for _ in 0..2 {
            spmv(&pairs, &columns, &entries, &x, &y).unwrap();
            assert_eq!(y.to_vec().unwrap(), expected);
            y.fill(0.0);
        }
        let task = by_offsets();
        let arguments: [Argument<'_>; 5] = [
            (&starts).into(),
            (&columns).into(),
            (&entries).into(),
            (&y).into(),
            (&x).into(),
        ];
        task.launch(&arguments).unwrap();
        assert_eq!(y.to_vec().unwrap(), expected);
        // An image is computed again if the array that it depends on has changed.
        pairs.fill(0);
        spmv(&pairs, &columns, &entries, &x, &y).unwrap();
        assert_eq!(y.sum().item(), 0.0);
    });
}

#[weft::task(align(a, b), project(b, "[i1, i0, ..*]"))]
fn transposed(mut a: Out<f64, 2>, b: In<f64, 2>) {
    a.assign(&b.t());
}

#[test]
fn applies_custom_projections() {
    everywhere(|| {
        let b = weft::from_slice(&drawn(9, 60 * 45)).reshape(&[45, 60]);
        let a = weft::zeros::<f64>(&[60, 45]);
        transposed(&a, &b).unwrap();
        assert_eq!(a.to_ndarray().unwrap(), b.t().to_ndarray().unwrap());
    });
}

#[weft::task(align(x, y), name = "named_otherwise")]
fn flags(x: In<f64, 1>, mut y: Out<bool, 1>) {
    for (y, x) in y.iter_mut().zip(&*x) {
        *y = *x > 0.0;
    }
}

#[test]
fn writes_and_counts_booleans() {
    everywhere(|| {
        let values = drawn(10, 4000);
        let x = weft::from_slice(&values);
        let y = Array::<bool>::try_from(weft::zeros::<bool>(&[4000]).into_dyn()).unwrap();
        flags(&x, &y).unwrap();
        let expected = values.iter().filter(|value| **value > 0.0).count();
        assert_eq!(y.cast::<i64>().sum().item(), expected as i64);
    });
}

#[test]
fn builder_matches_the_attribute() {
    let task = Definition::builder("histogram")
        .input("x", DType::F64, 1)
        .reduce("bins", Reduction::Add, DType::F64, 1)
        .unordered()
        .cpu(|context: &mut weft::task::Context<'_, '_>| {
            let [x, bins] = context.take_all()?;
            let x: In<'_, f64, 1> = x.into_in()?;
            let mut bins: Reduce<'_, f64, 1> = bins.into_reduce()?;
            for value in x.iter() {
                bins[usize::from(*value > 0.0)] += 1.0;
            }
            Ok(())
        })
        .finish()
        .unwrap();
    everywhere(|| {
        let values = drawn(11, 10_000);
        let bins = weft::zeros::<f64>(&[2]);
        task.launch(&[(&weft::from_slice(&values)).into(), (&bins).into()])
            .unwrap();
        let above = values.iter().filter(|value| **value > 0.0).count() as f64;
        assert_eq!(bins.to_vec().unwrap(), [10_000.0 - above, above]);
    });
}

#[weft::task(align(x))]
fn peaks(x: In<f64, 1>, least: f64, mut places: Unbound<i64>, mut values: Unbound<f64>) {
    let first = x.range(0).start;
    for (at, x) in x.iter().enumerate().filter(|(_, x)| **x > least) {
        places.push((first + at) as i64);
        values.push(*x);
    }
}

#[test]
fn unbound_results_follow_tile_order() {
    everywhere(|| {
        let drawn = drawn(12, 10_000);
        let x = weft::from_slice(&drawn);
        for least in [0.5, 2.0, -2.0] {
            let (places, values) = peaks(&x, least).unwrap();
            let expected: Vec<(i64, f64)> = (0..)
                .zip(drawn.iter().copied())
                .filter(|(_, x)| *x > least)
                .collect();
            let (at, of): (Vec<i64>, Vec<f64>) = expected.into_iter().unzip();
            assert_eq!(places.to_vec().unwrap(), at);
            assert_eq!(values.to_vec().unwrap(), of);
            // The results are ordinary arrays.
            let again = x.take(&places);
            assert_eq!(again.to_vec().unwrap(), values.to_vec().unwrap());
        }
    });
}

#[test]
fn unbound_results_accept_bytes() {
    for dtype in [DType::I32, DType::Bool, DType::C128] {
        let task = Definition::builder("chosen")
            .input("x", DType::U8, 1)
            .unbound("found", dtype)
            .cpu(
                move |context: &mut Context<'_, '_>| -> Result<(), BodyError> {
                    let [x, mut found] = context.take_all()?;
                    let size = dtype.size();
                    let bytes = x.into_in::<u8, 1>()?;
                    let each = bytes.iter().flat_map(|byte| vec![*byte; size]);
                    let bytes: Vec<u8> = each.collect();
                    assert_eq!(found.set_found(&vec![0; size + 1]).is_err(), size > 1);
                    found.set_found(&bytes)
                },
            )
            .finish()
            .unwrap();
        everywhere(|| {
            let x: Vec<u8> = (0..960).map(|at| (at % 7) as u8).collect();
            let results = task.results(&[(&weft::from_slice(&x)).into()]).unwrap();
            let [found] = <[_; 1]>::try_from(results).ok().unwrap();
            assert_eq!(found.dtype(), dtype);
            assert_eq!(found.shape().len(), 960);
            if dtype == DType::Bool {
                // Any byte except 0 is true.
                let expected: Vec<bool> = x.iter().map(|byte| *byte != 0).collect();
                assert_eq!(found.read::<bool>().unwrap(), expected);
            }
        });
    }
}
