//! Running sums, and reads and writes by index.
#![allow(clippy::unwrap_used, reason = "a mistake in a test must stop it")]

#[path = "support/runtimes.rs"]
mod support;

use ndarray::s;
use weft::error::{CallError, Cause};
use weft::{Array, Error};

use support::{runtime, small_tiles};

fn vec<T: weft::dtype::Element>(array: &Array<T>) -> Vec<T> {
    array.to_vec().unwrap()
}

#[test]
fn cumulative_sums_and_products_match_numpy() {
    runtime(&small_tiles(2)).enter(|| {
        let x = weft::from_slice(&[1i32, 2, 3, 4, 5, 6]).reshape(&[2, 3]);
        assert_eq!(vec::<i64>(&x.cumsum()), [1, 3, 6, 10, 15, 21]);
        assert_eq!(vec(&x.cumsum_axis(0)), [1, 2, 3, 5, 7, 9]);
        assert_eq!(vec(&x.cumsum_axis(1)), [1, 3, 6, 4, 9, 15]);
        assert_eq!(vec(&x.cumprod()), [1, 2, 6, 24, 120, 720]);
        assert_eq!(vec(&x.t().cumsum()), [1, 5, 7, 12, 15, 21]);
        assert_eq!(x.t().cumprod_axis(1).shape(), [3, 2]);
        let scalar = weft::full(&[], 3.5);
        assert_eq!(vec(&scalar.cumsum()), [3.5]);
        let mistake = x.try_cumsum(Some(2)).unwrap_err();
        assert!(matches!(
            mistake,
            Error::Call(CallError::Axis { axis: 2, dims: 2 })
        ));
    });
}

#[test]
fn take_matches_numpy() {
    runtime(&small_tiles(2)).enter(|| {
        let x = weft::arange::<f64>(12.0).reshape(&[3, 4]);
        let picks = weft::from_slice(&[-1i64, 0, 2]);
        assert_eq!(vec(&x.take(&picks)), [11.0, 0.0, 2.0]);
        let rows = x.take_axis(&weft::from_slice(&[2u32, 0]), 0);
        assert_eq!(vec(&rows), [8.0, 9.0, 10.0, 11.0, 0.0, 1.0, 2.0, 3.0]);
        let square = weft::from_slice(&[3i32, -4, 1, 1]).reshape(&[2, 2]);
        let columns = x.slice(s![1..2, ..]).take_axis(&square, 1);
        assert_eq!(columns.shape(), [1, 2, 2]);
        assert_eq!(vec(&columns), [7.0, 4.0, 5.0, 5.0]);
        let none = weft::zeros::<i64>(&[0]);
        assert_eq!(x.take_axis(&none, 0).shape(), [0, 4]);
        assert!(vec(&x.take_axis(&none, 0)).is_empty());
        let mistake = weft::zeros::<f64>(&[0]).try_take(&picks, None).unwrap_err();
        assert!(
            mistake.to_string().contains("into an empty axis"),
            "{mistake}"
        );
        let wrong = x.as_dyn().take(x.as_dyn(), Some(0)).unwrap_err();
        assert!(matches!(
            wrong,
            CallError::DType {
                operation: "take",
                ..
            }
        ));
    });
}

#[test]
fn puts_by_index_keep_the_last_value() {
    runtime(&small_tiles(2)).enter(|| {
        let x = weft::zeros::<i64>(&[2, 4]);
        x.put_axis(
            &weft::from_slice(&[1i64, -1, 1]),
            1,
            weft::from_slice(&[5i64, 6, 7]),
        );
        assert_eq!(vec(&x), [0, 7, 0, 6, 0, 7, 0, 6]);
        x.put(&weft::from_slice(&[0i64, -4]), 9);
        assert_eq!(vec(&x), [9, 7, 0, 6, 9, 7, 0, 6]);
        // Indices and values from the array itself are read before it is written.
        let order = weft::from_slice(&[2i64, 0, 1]);
        order.put(&order, order.slice(s![..;-1]));
        assert_eq!(vec(&order), [0, 2, 1]);
        let view = x.slice(s![.., 1..3]);
        let mistake = view.try_put(&order, None, 1).unwrap_err();
        assert!(mistake.to_string().contains("evenly spaced"), "{mistake}");
        view.put_axis(&weft::from_slice(&[0i32]), 1, -1);
        assert_eq!(vec(&x), [9, -1, 0, 6, 9, -1, 0, 6]);
        let wrong = x.try_put(&order, Some(1), weft::zeros(&[2])).unwrap_err();
        assert!(matches!(wrong, Error::Call(CallError::Broadcast { .. })));
    });
}

#[test]
fn out_of_bounds_index_poisons_results() {
    let runtime = runtime(&small_tiles(2));
    runtime.enter(|| {
        let x = weft::ones::<f64>(&[5]);
        let indices = weft::from_slice(&[0i64, 5]);
        let (line, taken) = (line!(), x.take(&indices));
        let twice = 2.0 * &taken;
        let Err(Error::Failed(failure)) = twice.to_vec() else {
            unreachable!("index 5 of 5 elements was taken");
        };
        assert_eq!((failure.operation, failure.location.line()), ("take", line));
        assert!(matches!(
            failure.cause,
            Cause::Index {
                index: 5,
                length: 5
            }
        ));
        assert_eq!(vec(&x), [1.0; 5]);
        x.put(&weft::from_slice(&[-6i64]), 0.0);
        assert!(matches!(x.to_vec(), Err(Error::Failed(_))));
    });
    let message = runtime.finish().unwrap_err().to_string();
    assert!(
        message.contains("index 5 is out of bounds for an axis of 5"),
        "{message}"
    );
}

/// A large program has the same results on any number of workers, equal to those of loops.
#[test]
fn many_tiles_match_plain_loops() {
    const ROWS: usize = 301;
    const COLUMNS: usize = 77;
    for cpus in [1, 3] {
        let runtime = runtime(&small_tiles(cpus));
        runtime.enter(|| {
            let random = weft::random::seeded(4);
            let x = random.integers::<i64>(-1000, 1000, &[ROWS, COLUMNS]);
            let rows = random.integers::<i64>(-(ROWS as i64), ROWS as i64, &[500]);
            let (values, picks) = (vec(&x), vec(&rows));
            let at = |row: i64, column: usize| {
                values[row.rem_euclid(ROWS as i64) as usize * COLUMNS + column]
            };
            let taken = vec(&x.take_axis(&rows, 0));
            let from_columns = vec(&x.t().take_axis(&rows, 1));
            for (j, &pick) in picks.iter().enumerate() {
                for column in 0..COLUMNS {
                    assert_eq!(taken[j * COLUMNS + column], at(pick, column));
                    assert_eq!(from_columns[column * 500 + j], at(pick, column));
                }
            }
            let sums = vec(&x.cumsum_axis(0));
            let mut running = [0; COLUMNS];
            for row in 0..ROWS {
                for (column, running) in running.iter_mut().enumerate() {
                    *running += at(row as i64, column);
                    assert_eq!(sums[row * COLUMNS + column], *running);
                }
            }
            let counted = weft::arange::<i64>(500).reshape(&[500, 1]);
            let last = weft::zeros::<i64>(&[ROWS, COLUMNS]);
            last.put_axis(&rows, 0, &counted);
            let mut expected = [0; ROWS];
            for (j, &pick) in picks.iter().enumerate() {
                expected[pick.rem_euclid(ROWS as i64) as usize] = j as i64;
            }
            for (place, &value) in vec(&last).iter().enumerate() {
                assert_eq!(value, expected[place / COLUMNS]);
            }
        });
        runtime.finish().unwrap();
    }
}

#[test]
fn negative_integer_exponents_poison_the_power() {
    let runtime = runtime(&small_tiles(2));
    runtime.enter(|| {
        let x = weft::from_slice(&[2i32, 3, 4, 5]);
        assert_eq!(vec(&x.power(3)), [8, 27, 64, 125]);
        assert_eq!(
            vec(&x.power(weft::from_slice(&[0, 1, 2, 3]))),
            [1, 3, 16, 125]
        );
        let wrong = x.try_power(-1).unwrap_err();
        assert!(matches!(wrong, Error::Call(CallError::Exponent)));
        assert!(weft::zeros::<i32>(&[0]).try_power(-1).is_ok());
        let none = weft::zeros::<i32>(&[0, 4]);
        assert_eq!(none.power(weft::from_slice(&[-1, 0, 1, 2])).shape(), [0, 4]);
        // There are too many to check them before the call returns.
        let (many, exponents) = (weft::full(&[50_000], 2i32), 3 - weft::arange::<i32>(50_000));
        let (line, made) = (line!(), many.power(&exponents));
        let Err(Error::Failed(failure)) = (&made + 1).to_vec() else {
            unreachable!("an exponent is below 0");
        };
        assert_eq!(
            (failure.operation, failure.location.line()),
            ("power", line)
        );
        assert!(matches!(failure.cause, Cause::Exponent));
        many.store(weft::kernel::BinaryOp::Pow, &many, &exponents);
        assert!(matches!(many.to_vec(), Err(Error::Failed(_))));
    });
    assert!(runtime.finish().is_err());
}
