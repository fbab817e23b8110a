//! Promotion, compared with NumPy's own table.

use weft_kernels::dtype::{DType, Promotion};

use super::numpy_name;

/// `numpy.promote_types` of every two types, as printed by NumPy 2.4.6.
const TABLE: &str = include_str!("promote/numpy.txt");

#[test]
fn promotion_matches_numpy() {
    let mut lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let columns: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    let rows: Vec<Vec<&str>> = lines
        .map(|line| line.split_whitespace().collect())
        .collect();
    for a in DType::ALL {
        let row = rows.iter().find(|row| row[0] == numpy_name(a)).unwrap();
        for b in DType::ALL {
            let column = columns
                .iter()
                .position(|&name| name == numpy_name(b))
                .unwrap();
            assert_eq!(
                numpy_name(DType::promote(a, b)),
                row[1 + column],
                "{a} and {b}"
            );
        }
    }
}
