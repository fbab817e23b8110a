//! Products over axes, Einstein's convention, and convolutions.

use proptest::prelude::*;
use weft::einsum;
use weft::program::Overlap;

use super::*;

#[test]
fn multi_axis_products_match_numpy() {
    on(2, || {
        let x = weft::arange(6i64).reshape(&[2, 3]);
        let y = weft::arange(24i64).reshape(&[2, 3, 4]);
        let (a, b) = (
            array(&[2, 2], &[1i64, 2, 3, 4]),
            weft::from_slice(&[1i64, 10]),
        );
        is(&a.kron(&b), &[2, 4], &[1, 10, 2, 20, 3, 30, 4, 40]);
        is(
            &b.outer(&weft::from_slice(&[3i64, 4, 5])),
            &[2, 3],
            &[3, 4, 5, 30, 40, 50],
        );
        is(&x.inner(&(&x + 1)), &[2, 2], &[8, 17, 26, 62]);
        is(&x.vdot(&x), &[], &[55]);
        let z = weft::arange(12i64).reshape(&[4, 3]);
        is(&y.tensordot(&z, &[2, 1], &[0, 1]), &[2], &[440, 1232]);
        let over_one = [
            20, 23, 26, 29, 56, 59, 62, 65, 56, 68, 80, 92, 200, 212, 224, 236,
        ];
        is(&x.tensordot(&y, &[1], &[1]), &[2, 2, 4], &over_one);
        is(
            &y.dot(&weft::arange(4i64)),
            &[2, 3],
            &[14, 38, 62, 86, 110, 134],
        );
        is(&x.dot(&y), &[2, 2, 4], &over_one);
        let by = weft::arange(8i64).reshape(&[4, 2]);
        let product = [28, 34, 76, 98, 124, 162, 172, 226, 220, 290, 268, 354];
        is(&y.matmul(&by), &[2, 3, 2], &product);
        let squares = [
            14, 38, 62, 38, 126, 214, 62, 214, 366, 734, 950, 1166, 950, 1230, 1510, 1166, 1510,
            1854,
        ];
        is(&y.matmul(&y.swapaxes(1, 2)), &[2, 3, 3], &squares);
        let one = weft::arange(12i64).reshape(&[1, 4, 3]);
        let stretched = [
            42, 48, 54, 114, 136, 158, 186, 224, 262, 258, 312, 366, 330, 400, 470, 402, 488, 574,
        ];
        is(&y.matmul(&one), &[2, 3, 3], &stretched);
        let row = weft::arange(3i64);
        is(&row.matmul(&y), &[2, 4], &[20, 23, 26, 29, 56, 59, 62, 65]);
        assert!(y.try_matmul(&y).is_err());
        assert!(x.as_dyn().tensordot(y.as_dyn(), &[0, 1], &[1, 0]).is_err());
        is(
            &weft::zeros::<i64>(&[2, 3, 0]).matmul(&weft::zeros(&[2, 0, 1])),
            &[2, 3, 1],
            &[0; 6],
        );
    });
}

#[test]
fn convolutions_match_numpy() {
    on(2, || {
        let x = weft::from_slice(&[1i64, 2, 3, 4, 5]);
        let v = weft::from_slice(&[1i64, 10, 100, 1000]);
        let (short, long) = (
            weft::from_slice(&[1i64, 10]),
            weft::from_slice(&[1i64, 2, 3]),
        );
        let [full, same, valid] = [Overlap::Full, Overlap::Same, Overlap::Valid];
        assert_eq!(
            vec(&x.convolve(&v, full)),
            [1, 12, 123, 1234, 2345, 3450, 4500, 5000]
        );
        assert_eq!(vec(&x.convolve(&v, same)), [12, 123, 1234, 2345, 3450]);
        assert_eq!(vec(&x.convolve(&v, valid)), [1234, 2345]);
        assert_eq!(vec(&short.convolve(&long, full)), [1, 12, 23, 30]);
        assert_eq!(vec(&short.convolve(&long, same)), [1, 12, 23]);
        assert_eq!(vec(&short.convolve(&long, valid)), [12, 23]);
        assert_eq!(
            vec(&x.correlate(&v, full)),
            [1000, 2100, 3210, 4321, 5432, 543, 54, 5]
        );
        assert_eq!(vec(&x.correlate(&v, same)), [2100, 3210, 4321, 5432, 543]);
        assert_eq!(vec(&x.correlate(&v, valid)), [4321, 5432]);
        assert_eq!(vec(&short.correlate(&long, full)), [3, 32, 21, 10]);
        assert_eq!(vec(&short.correlate(&long, same)), [32, 21, 10]);
        assert_eq!(vec(&short.correlate(&long, valid)), [32, 21]);
        assert!(
            x.as_dyn()
                .convolve(weft::zeros::<i64>(&[0]).as_dyn(), full)
                .is_err()
        );
    });
}

/// Computes subscripts with `->` and one letter for each axis, by loops over all letters.
fn by_loops(subscripts: &str, dims: &[Vec<usize>], values: &[Vec<i64>]) -> (Vec<usize>, Vec<i64>) {
    let (inputs, output) = subscripts.split_once("->").unwrap();
    let inputs: Vec<Vec<char>> = inputs
        .split(',')
        .map(|part| part.chars().collect())
        .collect();
    let output: Vec<char> = output.chars().collect();
    let mut letters: Vec<char> = inputs.concat();
    letters.sort_unstable();
    letters.dedup();
    let length = |letter: &char| -> usize {
        let lengths = inputs
            .iter()
            .zip(dims)
            .flat_map(|(part, dims)| part.iter().zip(dims));
        lengths
            .filter(|(own, _)| *own == letter)
            .map(|(_, length)| *length)
            .max()
            .unwrap()
    };
    let lengths: Vec<usize> = letters.iter().map(length).collect();
    let shape: Vec<usize> = output.iter().map(length).collect();
    let mut result = vec![0i64; shape.iter().product()];
    for mut flat in 0..lengths.iter().product::<usize>() {
        let mut at = vec![0; letters.len()];
        for axis in (0..letters.len()).rev() {
            at[axis] = flat % lengths[axis];
            flat /= lengths[axis];
        }
        let place = |labels: &[char], dims: &[usize]| {
            labels.iter().zip(dims).fold(0, |place, (label, length)| {
                let at = at[letters.iter().position(|letter| letter == label).unwrap()];
                place * length + at % length
            })
        };
        let terms = inputs.iter().zip(dims).zip(values);
        let product: i64 = terms
            .map(|((labels, dims), values)| values[place(labels, dims)])
            .product();
        result[place(&output, &shape)] += product;
    }
    (shape, result)
}

#[test]
fn einsum_matches_plain_loops() {
    let cases: &[(&str, &[&[usize]])] = &[
        ("ij,jk->ik", &[&[2, 3], &[3, 4]]),
        ("ij,kj->ki", &[&[2, 3], &[4, 3]]),
        ("ii->i", &[&[3, 3]]),
        ("ii->", &[&[3, 3]]),
        ("iij->j", &[&[2, 2, 3]]),
        ("ij->ji", &[&[2, 3]]),
        ("ij->", &[&[2, 3]]),
        ("i,j->ij", &[&[2], &[3]]),
        ("i,i->", &[&[4], &[4]]),
        ("i,i->i", &[&[4], &[4]]),
        ("bij,bjk->bik", &[&[2, 3, 4], &[2, 4, 5]]),
        ("bij,bj->bi", &[&[2, 3, 4], &[2, 4]]),
        ("bij,bij->b", &[&[2, 3, 4], &[2, 3, 4]]),
        ("ij,jk,kl->il", &[&[2, 3], &[3, 4], &[4, 2]]),
        ("ijk,jil->kl", &[&[2, 3, 4], &[3, 2, 5]]),
        ("ab,cd,ef->fb", &[&[2, 3], &[2, 2], &[3, 2]]),
        ("abcd,cde,e->ba", &[&[2, 3, 2, 2], &[2, 2, 3], &[3]]),
        ("ij,j->ij", &[&[2, 1], &[3]]),
        ("ij,ij->ij", &[&[1, 3], &[2, 3]]),
        ("i,ij,j->", &[&[2], &[2, 3], &[3]]),
        ("aab,bc->ac", &[&[2, 2, 3], &[3, 2]]),
        ("i,->i", &[&[3], &[]]),
    ];
    on(2, || {
        for (subscripts, dims) in cases {
            let mut draw = Draw(7);
            let dims: Vec<Vec<usize>> = dims.iter().map(|dims| dims.to_vec()).collect();
            let values: Vec<Vec<i64>> = dims
                .iter()
                .map(|dims| {
                    (0..dims.iter().product())
                        .map(|_| draw.below(19) as i64 - 9)
                        .collect()
                })
                .collect();
            let arrays: Vec<_> = dims
                .iter()
                .zip(&values)
                .map(|(dims, values)| array(dims, values))
                .collect();
            let arrays: Vec<_> = arrays.iter().collect();
            let (shape, expected) = by_loops(subscripts, &dims, &values);
            let found = einsum(subscripts, &arrays);
            assert_eq!(
                (found.shape(), vec(&found)),
                (shape.as_slice(), expected),
                "{subscripts}"
            );
        }
    });
}

#[test]
fn einsum_with_ellipsis_matches_numpy() {
    on(2, || {
        let y = weft::arange(24i64).reshape(&[2, 3, 4]);
        let x = weft::arange(12i64).reshape(&[4, 3]);
        is(&einsum("...ij,ji->...", &[&y, &x]), &[2], &[440, 1232]);
        assert_eq!(einsum("...i->i...", &[&y]).shape(), [4, 2, 3]);
        assert_eq!(
            einsum("i...,...", &[&y, &weft::arange(4i64)]).shape(),
            [3, 4, 2]
        );
        is(
            &einsum("ba,ac", &[&x, &x.t()]),
            &[4, 4],
            &vec(&x.dot(&x.t())),
        );
        // A result is never a view of an input.
        let copy = einsum("ij->ji", &[&x]);
        copy.fill(0);
        assert_eq!(vec(&x)[11], 11);
        let wrong = weft::DynArray::einsum("ij,jk", &[y.as_dyn(), x.as_dyn()]);
        assert!(
            wrong
                .unwrap_err()
                .to_string()
                .contains("names 2 axes of an array that has 3")
        );
        let wrong = weft::DynArray::einsum("ij,jk", &[x.as_dyn(), x.as_dyn()]);
        assert!(
            wrong
                .unwrap_err()
                .to_string()
                .contains("axis `j` has 3 elements")
        );
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    #[test]
    fn convolutions_match_plain_loops(n in 1usize..400, m in 1usize..40, seed: u64) {
        let mut draw = Draw(seed);
        let mut values = |count| -> Vec<i64> { (0..count).map(|_| draw.below(100) as i64 - 50).collect() };
        let (a, b) = (values(n), values(m));
        let mut full = vec![0; n + m - 1];
        for (i, a) in a.iter().enumerate() {
            for (j, b) in b.iter().enumerate() {
                full[i + j] += a * b;
            }
        }
        on(2, || {
            let (x, v) = (weft::from_slice(&a), weft::from_slice(&b));
            assert_eq!(vec(&x.convolve(&v, Overlap::Full)), full);
            let (long, short) = (n.max(m), n.min(m));
            let valid = &full[short - 1..long];
            assert_eq!(vec(&x.convolve(&v, Overlap::Valid)), valid);
        });
    }
}
