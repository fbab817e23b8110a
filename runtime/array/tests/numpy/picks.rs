//! Indexing with several arrays at once.

use ndarray::s;
use weft::Error;
use weft::error::{CallError, Cause};

use super::*;

#[test]
fn fancy_reads_match_numpy() {
    on(2, || {
        let x = weft::arange(12.0).reshape(&[3, 4]);
        let rows = array(&[2, 1], &[0i64, -1]);
        let columns = weft::from_slice(&[3i64, 0, -3]);
        let picked = x.take_at(&[&rows, &columns]);
        assert_eq!(picked.shape(), [2, 3]);
        assert_eq!(vec(&picked), [3.0, 0.0, 1.0, 11.0, 8.0, 9.0]);
        let turned = x.t().take_at(&[&columns, &rows]);
        assert_eq!(vec(&turned), vec(&picked));

        let c = weft::arange(24i64).reshape(&[2, 3, 4]);
        let (i, j) = (weft::from_slice(&[0i32, 1]), weft::from_slice(&[3i32, -1]));
        let apart = c.take_at_axes(&[(0, &i), (2, &j)]);
        assert_eq!(
            (apart.shape(), vec(&apart)),
            (&[2, 3][..], vec![3, 7, 11, 15, 19, 23])
        );
        let i = weft::from_slice(&[2u32, 0]);
        let j = array(&[2, 2], &[1u32, 1, 0, 3]);
        let beside = c.take_at_axes(&[(1, &i), (2, &j)]);
        assert_eq!(beside.shape(), [2, 2, 2]);
        assert_eq!(vec(&beside), [9, 1, 8, 3, 21, 13, 20, 15]);
        let swapped = c.take_at_axes(&[(2, &j), (1, &i)]);
        assert_eq!(vec(&swapped), vec(&beside));
        assert_eq!(
            c.take_at(&[&i.slice(s![1..]), &i.slice(s![..1])]).shape(),
            [1, 4]
        );
    });
}

#[test]
fn fancy_writes_match_numpy() {
    on(2, || {
        let c = weft::arange(24i64).reshape(&[2, 3, 4]);
        let i = weft::from_slice(&[0i64, 1, 1]);
        c.put_at_axes(&[(0, &i), (2, &i)], array(&[3, 1], &[-1i64, -2, -3]));
        let expected = [
            -1, 1, 2, 3, -1, 5, 6, 7, -1, 9, 10, 11, 12, -3, 14, 15, 16, -3, 18, 19, 20, -3, 22, 23,
        ];
        assert_eq!(vec(&c), expected);
        let m = weft::zeros::<i64>(&[3, 3]);
        let diagonal = weft::arange(3i64);
        m.put_at(&[&diagonal, &diagonal], weft::from_slice(&[1i64, 2, 3]));
        assert_eq!(vec(&m), [1, 0, 0, 0, 2, 0, 0, 0, 3]);
        // No layout joins axes with another one between them; those of this array can be joined.
        let beside = weft::zeros::<i64>(&[2, 3, 2]);
        let (j, k) = (weft::from_slice(&[0i64, -1]), weft::from_slice(&[1i64, 0]));
        beside.put_at_axes(&[(1, &j), (2, &k)], array(&[2, 1], &[5i64, 6]));
        assert_eq!(vec(&beside), [0, 5, 0, 0, 5, 0, 0, 6, 0, 0, 6, 0]);
    });
}

#[test]
fn rejects_invalid_fancy_indices() {
    let runtime = support::runtime(&support::small_tiles(2));
    runtime.enter(|| {
        let x = weft::zeros::<f64>(&[3, 4]);
        let i = weft::from_slice(&[0i64, 1]);
        let three = weft::from_slice(&[0i64, 1, 2]);
        let twice = x.try_take_at(&[(0, &i), (0, &i)]).unwrap_err();
        assert!(twice.to_string().contains("indexed twice"), "{twice}");
        let mistake = x.try_take_at(&[(0, &i), (1, &three)]).unwrap_err();
        assert!(matches!(mistake, Error::Call(CallError::Broadcast { .. })));
        let mistake = x.try_take_at(&[(0, &i), (2, &i)]).unwrap_err();
        assert!(matches!(
            mistake,
            Error::Call(CallError::Axis { axis: 2, .. })
        ));
        assert!(x.try_take_at::<i64>(&[]).is_err());
        // Inside of the array as a whole, but outside of its axis.
        let far = weft::from_slice(&[0i64, 4]);
        let failed = x.take_at(&[&i, &far]).to_vec().unwrap_err();
        let Error::Failed(failure) = failed else {
            panic!("{failed}");
        };
        assert!(matches!(
            failure.cause,
            Cause::Index {
                index: 4,
                length: 4
            }
        ));
    });
    assert!(runtime.finish().is_err());
}
