//! Sorting and unique values.

use std::cmp::Ordering;

use proptest::prelude::*;

use super::*;

const NAN: f64 = f64::NAN;

/// Compares from the smallest to the largest, then NaN.
fn compare(a: &f64, b: &f64) -> Ordering {
    a.partial_cmp(b)
        .unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

#[test]
fn sorts_match_numpy() {
    on(2, || {
        let x = array(&[2, 3], &[3i64, 1, 2, 9, -4, 9]);
        assert_eq!(vec(&x.sort()), [1, 2, 3, -4, 9, 9]);
        assert_eq!(vec(&x.sort_axis(0)), [3, -4, 2, 9, 1, 9]);
        assert_eq!(vec(&x.argsort()), [1, 2, 0, 1, 0, 2]);
        assert_eq!(vec(&x.argsort_axis(0)), [0, 1, 0, 1, 0, 1]);
        assert_eq!(vec(&x.t().sort()), [3, 9, -4, 1, 2, 9]);
        let f = weft::from_slice(&[NAN, 1.0, -0.5, f64::INFINITY, NAN, -f64::INFINITY, 1.0]);
        assert_eq!(
            said(&vec(&f.sort())),
            "[-inf, -0.5, 1.0, 1.0, inf, NaN, NaN]"
        );
        assert_eq!(vec(&f.argsort()), [5, 2, 1, 6, 3, 0, 4]);
        let none = weft::zeros::<f32>(&[3, 0]);
        assert_eq!(none.sort().shape(), [3, 0]);
        assert!(x.try_sort(2).is_err());
        assert!(weft::full(&[], 1.0).as_dyn().sort(0).is_err());
        assert_eq!(
            vec(&weft::from_slice(&[true, false, true]).sort()),
            [false, true, true]
        );
    });
}

#[test]
fn unique_values_match_numpy() {
    on(2, || {
        let x = array(&[2, 3], &[3i32, 1, 3, 2, 1, 3]);
        let all = x.unique_all();
        assert_eq!(vec(&all.values), [1, 2, 3]);
        assert_eq!(vec(&all.indices), [1, 3, 0]);
        assert_eq!(all.inverse.shape(), [2, 3]);
        assert_eq!(vec(&all.inverse), [2, 0, 2, 1, 0, 2]);
        assert_eq!(vec(&all.counts), [2, 1, 3]);
        let f = weft::from_slice(&[NAN, 2.0, NAN, -1.0, 2.0]);
        assert_eq!(said(&vec(&f.unique())), "[-1.0, 2.0, NaN]");
        let none = weft::zeros::<i64>(&[0]);
        assert!(vec(&none.unique()).is_empty());
        let all = none.unique_all();
        assert!(vec(&all.counts).is_empty() && vec(&all.inverse).is_empty());
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn sorts_of_long_vectors_match_std(length in 0usize..3000, cpus in 1usize..4, seed: u64) {
        let mut values = Draw(seed).floats(length);
        on(cpus, || {
            let x = weft::from_slice(&values);
            let mut order: Vec<i64> = (0..length as i64).collect();
            order.sort_by(|a, b| compare(&values[*a as usize], &values[*b as usize]));
            assert_eq!(vec(&x.argsort()), order);
            let all = x.unique_all();
            let found = (vec(&x.sort()), vec(&x.unique()), vec(&all.values));
            let (indices, inverse, counts) = (vec(&all.indices), vec(&all.inverse), vec(&all.counts));
            let unsorted = values.clone();
            values.sort_by(compare);
            assert_eq!(said(&found.0), said(&values));
            values.dedup_by(|a, b| compare(a, b).is_eq());
            assert_eq!(said(&found.1), said(&values));
            assert_eq!(said(&found.2), said(&values));
            for (number, value) in values.iter().enumerate() {
                let has = |other: &&f64| compare(other, value).is_eq();
                assert_eq!(unsorted.iter().filter(has).count(), counts[number] as usize);
                let first = unsorted.iter().position(|other| has(&other));
                assert_eq!(first, Some(indices[number] as usize));
            }
            for (value, number) in unsorted.iter().zip(inverse) {
                assert!(compare(value, &values[number as usize]).is_eq());
            }
        });
    }
}
