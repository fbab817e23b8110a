//! Masks for reading and writing, and positions of nonzero elements.

use ndarray::s;
use proptest::prelude::*;

use super::*;

#[test]
fn masked_reads_match_numpy() {
    on(2, || {
        let x = weft::arange(12.0).reshape(&[3, 4]);
        let mask = x.remainder(3.0).equal(0.0);
        assert_eq!(vec(&x.take_where(&mask)), [0.0, 3.0, 6.0, 9.0]);
        assert_eq!(vec(&x.t().take_where(&mask.t())), [0.0, 9.0, 6.0, 3.0]);
        let rows = x.take_where(&weft::from_slice(&[true, false, true]));
        assert_eq!(rows.shape(), [2, 4]);
        assert_eq!(vec(&rows), [0.0, 1.0, 2.0, 3.0, 8.0, 9.0, 10.0, 11.0]);
        let places: Vec<_> = mask.nonzero().iter().map(vec).collect();
        assert_eq!(places, [[0, 0, 1, 2], [0, 3, 2, 1]]);
        let rows = mask.argwhere();
        assert_eq!(
            (rows.shape(), vec(&rows)),
            (&[4, 2][..], vec![0, 0, 0, 3, 1, 2, 2, 1])
        );
        assert_eq!(vec(&mask.flatnonzero()), [0, 3, 6, 9]);
        assert_eq!(
            vec(&weft::from_slice(&[0.0, -0.0, f64::NAN, 2.0]).flatnonzero()),
            [2, 3]
        );
        let some = weft::from_slice(&[false, true, true]);
        assert_eq!(vec(&x.compress(&some)), [1.0, 2.0]);
        let some = weft::from_slice(&[false, true]);
        assert_eq!(vec(&x.compress_axis(&some, 0)), [4.0, 5.0, 6.0, 7.0]);
        assert!(x.try_take_where(&some).is_err());
        let none = weft::zeros::<bool>(&[3, 4]);
        assert!(vec(&x.take_where(&none)).is_empty());
        assert_eq!(none.argwhere().shape(), [0, 2]);
        assert_eq!(x.take_where(&weft::zeros(&[3])).shape(), [0, 4]);
    });
}

#[test]
fn masked_writes_match_numpy() {
    on(2, || {
        let x = weft::arange(12.0).reshape(&[3, 4]);
        x.put_where(
            &x.remainder(3.0).equal(0.0),
            weft::from_slice(&[10.0, 20.0, 30.0, 40.0]),
        );
        let expected = [
            10.0, 1.0, 2.0, 20.0, 4.0, 5.0, 30.0, 7.0, 8.0, 40.0, 10.0, 11.0,
        ];
        assert_eq!(vec(&x), expected);
        let rows = weft::from_slice(&[true, false, true]);
        x.put_where(&rows, array(&[2, 1], &[1.0, 2.0]));
        let expected = [1.0, 1.0, 1.0, 1.0, 4.0, 5.0, 30.0, 7.0, 2.0, 2.0, 2.0, 2.0];
        assert_eq!(vec(&x), expected);
        let some = x.slice(s![.., ..;2]);
        some.put_where(&weft::from_slice(&[false, true, true]), 7.0);
        let expected = [1.0, 1.0, 1.0, 1.0, 7.0, 5.0, 7.0, 7.0, 7.0, 2.0, 7.0, 2.0];
        assert_eq!(vec(&x), expected);
        // Rows of a view whose rows are not adjacent.
        x.t().slice(s![..;2, ..]).put_where(
            &weft::from_slice(&[true, true]),
            array(&[2, 3], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
        );
        let expected = [0.0, 1.0, 3.0, 1.0, 1.0, 5.0, 4.0, 7.0, 2.0, 2.0, 5.0, 2.0];
        assert_eq!(vec(&x), expected);
        let mistake = x.try_put_where(&rows, array(&[3, 1], &[1.0, 2.0, 3.0]));
        let mistake = mistake.unwrap_err().to_string();
        assert!(mistake.contains("3 values for the 2 elements"), "{mistake}");
        x.put_where(&rows, array(&[1, 4], &[9.0, 8.0, 7.0, 6.0]));
        assert_eq!(vec(&x.slice(s![2, ..])), [9.0, 8.0, 7.0, 6.0]);
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn long_masks_match_plain_loops(length in 0usize..20_000, one_in in 1usize..40, cpus in 1usize..4, seed: u64) {
        let mut draw = Draw(seed);
        let values: Vec<i32> = (0..length).map(|_| draw.next() as i32).collect();
        let mask: Vec<bool> = (0..length).map(|_| draw.below(one_in) == 0).collect();
        let chosen = || values.iter().zip(&mask).filter(|(_, set)| **set).map(|(value, _)| *value);
        on(cpus, || {
            let (x, m) = (weft::from_slice(&values), weft::from_slice(&mask));
            let some = x.take_where(&m);
            assert_eq!(vec(&some), chosen().collect::<Vec<_>>());
            let y = weft::full(&[length], 5i32);
            y.put_where(&m, &some);
            let both = values.iter().zip(&mask).map(|(value, set)| if *set { *value } else { 5 });
            assert_eq!(vec(&y), both.collect::<Vec<_>>());
        });
    }
}
