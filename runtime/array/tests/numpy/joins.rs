//! Arrays that are joined, repeated, rotated and padded.

use proptest::prelude::*;
use weft::program::{PadMode, Wrapped};

use super::*;

#[test]
fn stacks_match_numpy() {
    on(2, || {
        let x = weft::arange(6i64).reshape(&[2, 3]);
        let (a, b) = (weft::from_slice(&[1i64, 2]), weft::from_slice(&[3i64, 4]));
        let stacked = weft::stack(&[&x, &(&x + 10)], 1);
        is(
            &stacked,
            &[2, 2, 3],
            &[0, 1, 2, 10, 11, 12, 3, 4, 5, 13, 14, 15],
        );
        is(&weft::vstack(&[&a, &b]), &[2, 2], &[1, 2, 3, 4]);
        is(&weft::hstack(&[&a, &b]), &[4], &[1, 2, 3, 4]);
        is(
            &weft::hstack(&[&x, &x]),
            &[2, 6],
            &[0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5],
        );
        is(&weft::dstack(&[&a, &b]), &[1, 2, 2], &[1, 3, 2, 4]);
        is(
            &weft::dstack(&[&x, &x]),
            &[2, 3, 2],
            &[0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5],
        );
        is(&weft::column_stack(&[&a, &b]), &[2, 2], &[1, 3, 2, 4]);
        let [x, a] = [&x, &a].map(|array| array.as_dyn().clone());
        assert!(weft::DynArray::stack(&[x, a], 0).is_err());
    });
}

#[test]
fn repeats_and_tiles_match_numpy() {
    on(2, || {
        let x = weft::arange(6i64).reshape(&[2, 3]);
        let twice = [0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5];
        is(&x.tile(&[2, 1, 2]), &[2, 2, 6], &[twice, twice].concat());
        is(&x.tile(&[2]), &[2, 6], &twice);
        is(&x.tile(&[]), &[2, 3], &[0, 1, 2, 3, 4, 5]);
        is(&x.tile(&[0, 1]), &[0, 3], &[]);
        let each = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5];
        is(&x.repeat(2), &[12], &each);
        is(&x.repeat_axis(2, 1), &[2, 6], &each);
        is(&x.repeat_axis(2, 0), &[4, 3], &twice);
        is(&x.roll(2), &[2, 3], &[4, 5, 0, 1, 2, 3]);
        is(&x.roll_axis(-1, 1), &[2, 3], &[1, 2, 0, 4, 5, 3]);
        is(&x.roll_axis(3, 0), &[2, 3], &[3, 4, 5, 0, 1, 2]);
        is(&weft::zeros::<i64>(&[0]).roll(3), &[0], &[]);
    });
}

#[test]
fn views_of_wrapped_copies_are_rolled_arrays() {
    on(2, || {
        let x = weft::arange(20i64).reshape(&[4, 5]);
        let x = x.as_dyn();
        let wrapped = Wrapped::new(x, &[1, 2]).unwrap();
        for shifts in [[0, 0], [1, 0], [-1, 2], [1, -2], [0, 1]] {
            let view = wrapped.rolled(&shifts).unwrap();
            let expected = x.roll_axes(&shifts).unwrap();
            let rolled = x.roll(shifts[0], Some(0)).unwrap();
            let rolled = rolled.roll(shifts[1], Some(1)).unwrap();
            let values = [view, expected, rolled]
                .map(|array| Array::<i64>::try_from(array).unwrap().to_vec().unwrap());
            assert_eq!(values[0], values[2], "{shifts:?}");
            assert_eq!(values[1], values[2], "{shifts:?}");
        }
        assert!(wrapped.rolled(&[2, 0]).is_none());
        assert!(Wrapped::new(x, &[5, 0]).is_err());
        assert!(Wrapped::new(x, &[1]).is_err());
        assert!(x.roll_axes(&[1]).is_err());
    });
}

#[test]
fn padding_matches_numpy() {
    on(2, || {
        let x = weft::arange_step(1i64, 5, 1).reshape(&[2, 2]);
        let widths = [(1, 2), (3, 0)];
        let modes = [
            (
                PadMode::Constant(0i64.into()),
                [
                    0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                ],
            ),
            (
                PadMode::Edge,
                [
                    1, 1, 1, 1, 2, 1, 1, 1, 1, 2, 3, 3, 3, 3, 4, 3, 3, 3, 3, 4, 3, 3, 3, 3, 4,
                ],
            ),
            (
                PadMode::Reflect,
                [
                    4, 3, 4, 3, 4, 2, 1, 2, 1, 2, 4, 3, 4, 3, 4, 2, 1, 2, 1, 2, 4, 3, 4, 3, 4,
                ],
            ),
            (
                PadMode::Symmetric,
                [
                    2, 2, 1, 1, 2, 2, 2, 1, 1, 2, 4, 4, 3, 3, 4, 4, 4, 3, 3, 4, 2, 2, 1, 1, 2,
                ],
            ),
            (
                PadMode::Wrap,
                [
                    4, 3, 4, 3, 4, 2, 1, 2, 1, 2, 4, 3, 4, 3, 4, 2, 1, 2, 1, 2, 4, 3, 4, 3, 4,
                ],
            ),
        ];
        for (mode, expected) in modes {
            is(&x.pad(&widths, mode), &[5, 5], &expected);
        }
        let line = weft::from_slice(&[1i64, 2, 3]);
        let reflected = line.pad(&[(7, 5)], PadMode::Reflect);
        assert_eq!(
            vec(&reflected),
            [2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2]
        );
        let mirrored = line.pad(&[(7, 5)], PadMode::Symmetric);
        assert_eq!(
            vec(&mirrored),
            [1, 1, 2, 3, 3, 2, 1, 1, 2, 3, 3, 2, 1, 1, 2]
        );
        let wrapped = line.pad(&[(7, 5)], PadMode::Wrap);
        assert_eq!(vec(&wrapped), [3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2]);
        for mode in [
            PadMode::Reflect,
            PadMode::Symmetric,
            PadMode::Wrap,
            PadMode::Edge,
        ] {
            let one = weft::from_slice(&[4i64]).pad(&[(2, 1)], mode);
            assert_eq!(vec(&one), [4; 4], "{mode:?}");
        }
        assert!(
            weft::zeros::<i64>(&[0])
                .as_dyn()
                .pad(&[(1, 1)], PadMode::Edge)
                .is_err()
        );
        assert!(x.as_dyn().pad(&[(1, 1)], PadMode::Edge).is_err());
    });
}

/// Returns the position, in an array of `n` elements, of the value at `place`, by walking there.
fn walked(mode: PadMode, n: usize, place: isize) -> usize {
    let (mut at, mut forward) = (0usize, place >= 0);
    for _ in 0..place.unsigned_abs() {
        let (end, next) = match forward {
            true => (n - 1, at + 1),
            false => (0, at.wrapping_sub(1)),
        };
        if at != end {
            at = next;
            continue;
        }
        match mode {
            PadMode::Wrap => at = n - 1 - end,
            PadMode::Symmetric => forward = !forward,
            PadMode::Reflect if n > 1 => {
                forward = !forward;
                at = if forward { at + 1 } else { at - 1 };
            }
            _ => {}
        }
    }
    at
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn padding_modes_match_reference(n in 1usize..6, before in 0usize..20, behind in 0usize..20) {
        on(1, || {
            let x = weft::arange(n as i64);
            for mode in [PadMode::Edge, PadMode::Reflect, PadMode::Symmetric, PadMode::Wrap] {
                let places = -(before as isize)..(n + behind) as isize;
                let expected: Vec<i64> = places.map(|place| walked(mode, n, place) as i64).collect();
                assert_eq!(vec(&x.pad(&[(before, behind)], mode)), expected, "{mode:?}");
            }
        });
    }
}
