//! The product and the solver against the same computed row by row.

use banded::{Banded, BandedError};
use weft::Plan;

/// Five diagonals that Jacobi's iteration converges for.
const OFFSETS: [isize; 5] = [-30, -1, 0, 1, 30];

fn bands(rows: usize) -> Vec<f64> {
    let band = |offset: isize| if offset == 0 { 5.0 } else { -1.0 };
    OFFSETS
        .iter()
        .flat_map(|offset| std::iter::repeat_n(band(*offset), rows))
        .collect()
}

fn multiply(rows: usize, bands: &[f64], x: &[f64]) -> Vec<f64> {
    let element = |row: usize, (band, offset): (usize, &isize)| {
        let column = row.checked_add_signed(*offset)?;
        Some(bands[band * rows + row] * x.get(column)?)
    };
    let row = |row| {
        OFFSETS
            .iter()
            .enumerate()
            .filter_map(|at| element(row, at))
            .sum()
    };
    (0..rows).map(row).collect()
}

/// Runs a program cut into many tiles, each on guarded copies.
fn verified(program: impl FnOnce()) {
    let flags = "--cpus 2 --min-cpu-chunk 64 --verify";
    let plan = Plan::from_text(flags).expect("the flags are valid");
    let running = weft::start_with(plan).expect("it starts");
    program();
    drop(running);
}

#[test]
fn banded_product_matches_row_by_row_product() {
    verified(|| {
        let rows = 1000;
        let values = bands(rows);
        let matrix = weft::from_slice(&values).reshape(&[OFFSETS.len(), rows]);
        let matrix = Banded::new(&OFFSETS, matrix).expect("a row for each offset");
        let x: Vec<f64> = (0..rows).map(|at| (at as f64).sin()).collect();
        let product = matrix
            .times(&weft::from_slice(&x))
            .expect("as long as the matrix");
        let expected = multiply(rows, &values, &x);
        for (product, expected) in product.to_vec().expect("computed").iter().zip(&expected) {
            assert!(
                (product - expected).abs() < 1e-12,
                "{product} is not {expected}"
            );
        }
        let (solution, left) = matrix
            .jacobi(&weft::from_slice(&expected), 100)
            .expect("there is a main diagonal");
        let left = left.item();
        assert!(left < 1e-12, "{left} is left");
        for (solution, x) in solution.to_vec().expect("computed").iter().zip(&x) {
            assert!((solution - x).abs() < 1e-6, "{solution} is not {x}");
        }
        let short = matrix
            .times(&weft::zeros(&[rows - 1]))
            .expect_err("too short")
            .to_string();
        assert!(short.contains("banded_times"), "{short}");
        let other = Banded::new(&[0], weft::zeros(&[2, 4]));
        assert!(matches!(other, Err(BandedError::Shape(_))));
    });
}
