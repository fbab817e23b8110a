//! Counts, histograms and positions in sorted vectors.

use proptest::prelude::*;
use weft::program::{Bins, Side};

use super::*;

#[test]
fn bincounts_match_numpy() {
    on(2, || {
        let x = weft::from_slice(&[1i32, 0, 5, 1]);
        assert_eq!(vec(&x.bincount(3)), [1, 2, 0, 0, 0, 1]);
        let weights = weft::from_slice(&[0.5, 1.0, 2.0, 0.25]);
        let sums = vec(&x.bincount_weights(&weights, 8));
        assert_eq!(sums, [1.0, 0.75, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
        assert_eq!(vec(&weft::zeros::<i64>(&[0]).bincount(2)), [0, 0]);
        let counts = weft::from_slice(&[2i64, 0, 2])
            .as_dyn()
            .bincount_below(3, None);
        assert_eq!(
            vec(&Array::<i64>::try_from(counts.unwrap()).unwrap()),
            [1, 0, 2]
        );
        let mistake = weft::from_slice(&[-1i64]).as_dyn().bincount(None, 0);
        assert!(mistake.unwrap_err().to_string().contains("-1 is negative"));
    });
}

#[test]
fn values_outside_the_bound_fail_the_result() {
    for outside in [3i64, -1] {
        let runtime = support::runtime("--cpus 2");
        let failure = runtime.enter(|| {
            let counts = weft::from_slice(&[0, outside])
                .as_dyn()
                .bincount_below(3, None);
            counts.unwrap().to_ndarray::<i64>().unwrap_err().to_string()
        });
        assert!(failure.contains(&outside.to_string()), "{failure}");
        assert!(runtime.finish().is_err());
    }
}

#[test]
fn searchsorted_and_digitize_match_numpy() {
    on(2, || {
        let sorted = weft::from_slice(&[1i64, 2, 2, 5]);
        let values = weft::from_slice(&[0i64, 2, 5, 6, 2]);
        assert_eq!(
            vec(&sorted.searchsorted(&values, Side::Left)),
            [0, 1, 3, 4, 1]
        );
        assert_eq!(
            vec(&sorted.searchsorted(&values, Side::Right)),
            [0, 3, 4, 4, 3]
        );
        let x = weft::from_slice(&[0.2, 6.4, 3.0, 1.6, 10.0, f64::NAN]);
        let edges = weft::from_slice(&[0.0, 1.0, 2.5, 4.0, 10.0]);
        assert_eq!(vec(&x.digitize(&edges, false)), [1, 4, 3, 2, 5, 5]);
        assert_eq!(vec(&x.digitize(&edges, true)), [1, 4, 3, 2, 4, 5]);
        let shrinking = weft::from_slice(&[10.0, 4.0, 2.5, 1.0, 0.0]);
        assert_eq!(vec(&x.digitize(&shrinking, false)), [4, 1, 2, 3, 0, 0]);
        assert_eq!(vec(&x.digitize(&shrinking, true)), [4, 1, 2, 3, 1, 0]);
        let mixed = weft::from_slice(&[0.0, 2.0, 1.0]);
        assert!(x.as_dyn().digitize(mixed.as_dyn(), false).is_err());
    });
}

#[test]
fn histograms_match_numpy() {
    on(2, || {
        let x = weft::from_slice(&[1.0, 2.0, 1.0, 4.0, 5.0, 9.5, 0.0]);
        let (counts, edges) = x.histogram(4);
        assert_eq!(vec(&counts), [4, 1, 1, 1]);
        assert_eq!(vec(&edges), [0.0, 2.375, 4.75, 7.125, 9.5]);
        let (counts, _) = x.histogram_range(3, 1.0, 5.0);
        assert_eq!(vec(&counts), [3, 0, 2]);
        let edges = weft::from_slice(&[0.0, 1.0, 2.0, 9.5]);
        assert_eq!(vec(&x.histogram_edges(&edges)), [1, 2, 4]);
        let weights = weft::arange(7.0);
        let bins = Bins::Edges(edges.as_dyn());
        let weighted = x
            .as_dyn()
            .histogram(bins, Some(weights.as_dyn()))
            .unwrap()
            .0;
        let weighted: Array<f64> = weighted.try_into().unwrap();
        assert_eq!(vec(&weighted), [6.0, 2.0, 13.0]);
        let (counts, edges) = weft::from_slice(&[3.0f32, 3.0]).histogram(2);
        assert_eq!(
            (vec(&counts), vec(&edges)),
            (vec![0, 2], vec![2.5, 3.0, 3.5])
        );
        assert!(x.as_dyn().histogram(Bins::Count(0), None).is_err());
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn counts_of_long_vectors_match_plain_loops(length in 1usize..5000, bins in 1usize..60, cpus in 1usize..4, seed: u64) {
        let mut draw = Draw(seed);
        let numbers: Vec<i64> = (0..length).map(|_| draw.below(bins) as i64).collect();
        // Whole numbers, so that the order of additions does not matter.
        let weights: Vec<f64> = (0..length).map(|_| draw.below(9) as f64).collect();
        let mut counts = vec![0; bins];
        let mut sums = vec![0.0; bins];
        for (number, weight) in numbers.iter().zip(&weights) {
            counts[*number as usize] += 1;
            sums[*number as usize] += weight;
        }
        on(cpus, || {
            let (x, w) = (weft::from_slice(&numbers), weft::from_slice(&weights));
            assert_eq!(vec(&x.bincount(bins)), counts);
            assert_eq!(vec(&x.bincount_weights(&w, bins)), sums);
            let (found, _) = x.histogram_range(bins, 0.0, bins as f64);
            assert_eq!(vec(&found), counts);
        });
    }
}
