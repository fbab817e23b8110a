//! User functions of the elements at one index.

use ndarray::s;
use weft::task::Elementwise;

use crate::support::{drawn, on, small_tiles};

#[weft::elementwise]
fn axpy(a: f64, x: f64, y: f64) -> f64 {
    a * x + y
}

#[weft::elementwise(name = "sharper")]
fn bent(x: f64, k: i32) -> f64 {
    x.powi(k).abs().sqrt()
}

#[weft::elementwise]
fn is_inside(x: f64, y: f64, radius: f32, low: i64, high: i64, on: bool) -> bool {
    on && x * x + y * y < f64::from(radius) && low < high
}

#[test]
fn functions_broadcast_and_fuse() {
    for words in [
        small_tiles(1),
        small_tiles(3),
        format!("{} --fusion=false", small_tiles(2)),
    ] {
        on(&words, || {
            let (rows, columns) = (40, 130);
            let values = drawn(1, rows * columns);
            let x = weft::from_slice(&values).reshape(&[rows, columns]);
            let y = weft::from_slice(&drawn(2, columns));
            // Fused with Weft's functions, including over views whose elements are not adjacent.
            let fused = axpy(2.0, &x, &y).exp() - bent(&x, 3);
            let odd = axpy(x.slice(s![.., ..;-2]), 0.5, y.slice(s![..;2]));
            let inside = is_inside(&x, &y, 0.5, 1, 2, true);
            let at = |cell: usize| (values[cell], drawn(2, columns)[cell % columns]);
            let expected: Vec<f64> = (0..rows * columns)
                .map(|cell| {
                    let (x, y) = at(cell);
                    weft_exp(2.0 * x + y) - x.powi(3).abs().sqrt()
                })
                .collect();
            assert_eq!(fused.to_vec().unwrap(), expected);
            let odds = odd.to_vec().unwrap();
            for row in 0..rows {
                for column in 0..columns / 2 {
                    let (x, _) = at(row * columns + columns - 1 - 2 * column);
                    let (_, y) = at(2 * column);
                    assert_eq!(odds[row * (columns / 2) + column], x * 0.5 + y);
                }
            }
            let count = (0..rows * columns).filter(|cell| {
                let (x, y) = at(*cell);
                x * x + y * y < 0.5
            });
            assert_eq!(inside.cast::<i64>().sum().item(), count.count() as i64);
        });
    }
}

/// Computes `exp` with Weft's function of arrays.
fn weft_exp(x: f64) -> f64 {
    weft::from_slice(&[x]).exp().to_vec().unwrap()[0]
}

#[test]
fn functions_capture_values() {
    on(&small_tiles(2), || {
        let (scale, shift) = (3.5_f32, 1.0_f32);
        let function = Elementwise::new("line", move |x: f32| scale * x + shift);
        let x = weft::arange::<f32>(3000.0);
        let y = weft::Array::<f32>::map(&function, &[x.as_dyn().into()]).unwrap();
        let total = (&y - 1.0_f32).sum();
        assert_eq!(total.item(), (3.5 * &x).sum().item());
        let wrong = weft::Array::<f64>::map(&function, &[x.cast::<f64>().as_dyn().into()]);
        let text = wrong.unwrap_err().to_string();
        assert!(
            text.contains("line: it is not defined for elements of"),
            "{text}"
        );
    });
}
