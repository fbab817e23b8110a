//! Sequences, grids, differences, interpolation and sets.

use weft::program::Indexing;

use super::*;

#[test]
fn sequences_match_numpy() {
    on(2, || {
        is(
            &weft::linspace_open(0.0, 1.0, 4),
            &[4],
            &[0.0, 0.25, 0.5, 0.75],
        );
        near(&weft::logspace(0.0, 2.0, 3, 2.0), &[1.0, 2.0, 4.0], 1.0);
        near(
            &weft::geomspace(1.0, 1000.0, 4),
            &[1.0, 10.0, 100.0, 1000.0],
            4.0,
        );
        is(&weft::tri::<i64>(2, 3, 1), &[2, 3], &[1, 1, 0, 1, 1, 1]);
        is(&weft::identity::<f32>(2), &[2, 2], &[1.0, 0.0, 0.0, 1.0]);
        let (x, y) = (
            weft::from_slice(&[1i64, 2, 3]),
            weft::from_slice(&[10i64, 20]),
        );
        let grids = weft::meshgrid(&[&x, &y], Indexing::Cartesian);
        is(&grids[0], &[2, 3], &[1, 2, 3, 1, 2, 3]);
        is(&grids[1], &[2, 3], &[10, 10, 10, 20, 20, 20]);
        let grids = weft::meshgrid(&[&x, &y], Indexing::Matrix);
        is(&grids[0], &[3, 2], &[1, 1, 2, 2, 3, 3]);
        is(
            &weft::indices(&[2, 3]),
            &[2, 2, 3],
            &[0, 0, 0, 1, 1, 1, 0, 1, 2, 0, 1, 2],
        );
        is(&x.full_like(7), &[3], &[7, 7, 7]);
        is(&grids[1].zeros_like(), &[3, 2], &[0; 6]);
        is(&x.ones_like(), &[3], &[1; 3]);
    });
}

#[test]
fn gradients_and_integrals_match_numpy() {
    on(2, || {
        let x = weft::from_slice(&[1.0, 4.0, 9.0, 16.0, 30.0]);
        is(&x.gradient(2.0, 0), &[5], &[1.5, 2.0, 3.0, 5.25, 7.0]);
        let turned = weft::stack(&[&x, &x], 1).gradient(2.0, 0);
        is(
            &turned.slice(ndarray::s![.., 1]),
            &[5],
            &[1.5, 2.0, 3.0, 5.25, 7.0],
        );
        let area = weft::from_slice(&[1.0, 4.0, 9.0]).trapezoid(2.0, 0);
        assert_eq!(area.item(), 18.0);
        let (points, values) = (
            weft::from_slice(&[1.0, 2.0, 3.0]),
            weft::from_slice(&[10.0, 20.0, 15.0]),
        );
        let at = weft::from_slice(&[0.0, 1.5, 2.5, 9.0, 3.0]);
        is(
            &at.interp(&points, &values),
            &[5],
            &[10.0, 15.0, 17.5, 15.0, 15.0],
        );
        let one = weft::from_slice(&[4.0]);
        is(&at.interp(&one, &one), &[5], &[4.0; 5]);
        assert!(one.as_dyn().gradient(1.0, 0).is_err());
    });
}

#[test]
fn set_functions_match_numpy() {
    on(2, || {
        let (a, b) = (
            weft::from_slice(&[3i64, 1, 1]),
            weft::from_slice(&[2i64, 3]),
        );
        let x = weft::from_slice(&[1i64, 5, 2, 1]);
        is(
            &x.isin(&weft::from_slice(&[2, 1, 9])),
            &[4],
            &[true, false, true, true],
        );
        is(&x.isin(&weft::zeros(&[0])), &[4], &[false; 4]);
        assert_eq!(vec(&a.union1d(&b)), [1, 2, 3]);
        assert_eq!(vec(&a.intersect1d(&b)), [3]);
        assert_eq!(vec(&a.setdiff1d(&b)), [1]);
        assert_eq!(vec(&a.setxor1d(&b)), [1, 2]);
    });
}

#[test]
fn take_along_axis_matches_numpy() {
    on(2, || {
        let a = array(&[2, 3], &[3i64, 1, 2, 9, 7, 8]);
        is(
            &a.take_along_axis(&a.argsort(), 1),
            &[2, 3],
            &[1, 2, 3, 7, 8, 9],
        );
        is(
            &a.take_along_axis(&array(&[1, 1], &[2i64]), 1),
            &[2, 1],
            &[2, 8],
        );
        a.put_along_axis(&array(&[2, 1], &[0i64, 2]), 1, -1);
        is(&a, &[2, 3], &[-1, 1, 2, 9, 7, -1]);
        assert!(
            a.as_dyn()
                .take_along_axis(weft::arange(2i64).as_dyn(), 1)
                .is_err()
        );
    });
}
