//! Axes that are moved, reversed, added, removed or cut, and diagonals.

use super::*;

#[test]
fn rotated_and_flipped_views_match_numpy() {
    on(2, || {
        let x = weft::arange(6i64).reshape(&[2, 3]);
        is(&x.rot90(1), &[3, 2], &[2, 5, 1, 4, 0, 3]);
        is(&x.rot90(-2), &[2, 3], &[5, 4, 3, 2, 1, 0]);
        is(&x.rot90(3), &[3, 2], &[3, 0, 4, 1, 5, 2]);
        is(&x.flip(), &[2, 3], &[5, 4, 3, 2, 1, 0]);
        is(&x.flip_axis(1), &[2, 3], &[2, 1, 0, 5, 4, 3]);
        let y = weft::arange(24i64).reshape(&[2, 3, 4]);
        let moved = y.moveaxis(0, 2);
        assert_eq!(moved.shape(), [3, 4, 2]);
        assert_eq!(vec(&moved)[..6], [0, 12, 1, 13, 2, 14]);
        assert_eq!(y.swapaxes(0, 2).shape(), [4, 3, 2]);
        let thin = y.expand_dims(1).expand_dims(4);
        assert_eq!(thin.shape(), [2, 1, 3, 4, 1]);
        assert_eq!(thin.squeeze().shape(), [2, 3, 4]);
        assert_eq!(thin.squeeze_axis(1).shape(), [2, 3, 4, 1]);
        assert!(y.as_dyn().squeeze(Some(1)).is_err());
        assert!(y.as_dyn().swapaxes(0, 3).is_err());
        assert_eq!(y.ravel().shape(), [24]);
        // Views alias.
        x.flip().slice(ndarray::s![0, 0]).fill(9);
        assert_eq!(vec(&x), [0, 1, 2, 3, 4, 9]);
    });
}

#[test]
fn splits_match_numpy() {
    on(2, || {
        let x = weft::arange(8i64);
        let parts: Vec<_> = x.split(3, 0).iter().map(vec).collect();
        assert_eq!(parts, [vec![0, 1, 2], vec![3, 4, 5], vec![6, 7]]);
        let parts: Vec<_> = x.split_at(&[2, 5], 0).iter().map(vec).collect();
        assert_eq!(parts, [vec![0, 1], vec![2, 3, 4], vec![5, 6, 7]]);
    });
}

#[test]
fn diagonals_match_numpy() {
    on(2, || {
        let x = weft::arange(6i64).reshape(&[2, 3]);
        let y = weft::arange(24i64).reshape(&[2, 3, 4]);
        is(&y.diagonal(1), &[4, 2], &[4, 20, 5, 21, 6, 22, 7, 23]);
        is(&y.diagonal(-1), &[4, 1], &[12, 13, 14, 15]);
        is(&x.diagonal(2), &[1], &[2]);
        is(&x.diagonal(5), &[0], &[]);
        is(&x.diagonal(-7), &[0], &[]);
        let line = weft::from_slice(&[1i64, 2, 3]);
        is(
            &line.diag(-1),
            &[4, 4],
            &[0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 3, 0],
        );
        is(&line.diag(0).diag(0), &[3], &[1, 2, 3]);
        is(&x.trace(1), &[], &[6]);
        is(&y.trace(0), &[4], &[16, 18, 20, 22]);
        is(&x.triu(1), &[2, 3], &[0, 1, 2, 0, 0, 5]);
        let below = [
            0, 0, 0, 0, 4, 0, 0, 0, 8, 9, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 20, 21, 0, 0,
        ];
        is(&y.tril(-1), &[2, 3, 4], &below);
        x.fill_diagonal(7);
        is(&x, &[2, 3], &[7, 1, 2, 3, 7, 5]);
    });
}
