//! Dtypes of operations, compared with NumPy's.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use weft_kernels::dtype::DType;
use weft_kernels::{BinaryOp, UnaryOp};

use crate::dtype::numpy_name;

#[test]
fn operation_names_are_distinct() {
    let unary: HashSet<_> = UnaryOp::ALL.iter().map(|op| op.name()).collect();
    assert_eq!(unary.len(), UnaryOp::ALL.len());
    let binary: HashSet<_> = BinaryOp::ALL.iter().map(|op| op.name()).collect();
    assert_eq!(binary.len(), BinaryOp::ALL.len());
}

/// NumPy's results.
const NUMPY: &str = include_str!("op/numpy.txt");

#[test]
fn result_dtypes_match_numpy() {
    let mut seen = 0;
    for line in NUMPY.lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let &[name, input, cast, result] = words.as_slice() else {
            panic!("four words in {line:?}");
        };
        let input = DType::ALL
            .into_iter()
            .find(|&dtype| numpy_name(dtype) == input)
            .unwrap();
        let unary = UnaryOp::ALL.iter().find(|op| op.name() == name);
        let binary = BinaryOp::ALL.iter().find(|op| op.name() == name);
        let (ours, output) = match (unary, binary) {
            (Some(op), _) => (
                op.input_dtype(input),
                op.input_dtype(input).and_then(|cast| op.output_dtype(cast)),
            ),
            (_, Some(op)) => (
                op.input_dtype(input),
                op.input_dtype(input).and_then(|cast| op.output_dtype(cast)),
            ),
            _ => panic!("a function of ours: {name}"),
        };
        let has_order = matches!(
            name,
            "less"
                | "less_equal"
                | "greater"
                | "greater_equal"
                | "minimum"
                | "maximum"
                | "fmin"
                | "fmax"
        );
        let differs = input.is_integer() && matches!(name, "signbit" | "rint")
            || input.is_bool() && name == "rint"
            || input.is_complex() && has_order;
        let said = |dtype: Option<DType>| dtype.map_or("-".to_owned(), numpy_name);
        assert_eq!(
            (said(ours), said(output)) != (cast.to_owned(), result.to_owned()),
            differs,
            "{line}: {ours:?} {output:?}"
        );
        seen += 1;
    }
    let unary = UnaryOp::ALL.iter().filter(|op| op.is_universal());
    let binary = BinaryOp::ALL.iter().filter(|op| op.is_universal());
    // `ldexp` takes two dtypes.
    let count = unary.count() + binary.count() - 1;
    assert_eq!(seen, count * DType::ALL.len());
}

#[test]
fn operations_are_defined_for_their_cast_dtype() {
    for dtype in DType::ALL {
        for op in UnaryOp::ALL {
            if let Some(cast) = op.input_dtype(dtype) {
                assert!(op.output_dtype(cast).is_some(), "{op} {dtype}");
                assert_eq!(op.input_dtype(cast), Some(cast), "{op} {dtype}");
            }
            assert_eq!(
                op.output_dtype(dtype).is_some(),
                op.input_dtype(dtype) == Some(dtype)
            );
        }
        for op in BinaryOp::ALL {
            if let Some(cast) = op.input_dtype(dtype) {
                assert!(op.output_dtype(cast).is_some(), "{op} {dtype}");
                assert_eq!(op.input_dtype(cast), Some(cast), "{op} {dtype}");
            }
            assert_eq!(
                op.output_dtype(dtype).is_some(),
                op.input_dtype(dtype) == Some(dtype)
            );
        }
    }
}

/// Adds the files below a folder that are written by hand and contain a word.
fn find_word(word: &str, folder: &Path, found: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() && !path.ends_with("_declared") && !path.ends_with("tests") {
            find_word(word, &path, found);
        } else if matches!(extension, Some("rs" | "cuh" | "py" | "toml")) {
            let text = fs::read_to_string(&path).unwrap();
            let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
            if words.any(|other| other.eq_ignore_ascii_case(word)) {
                found.insert(path);
            }
        }
    }
}

#[test]
fn a_function_is_declared_in_two_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = BTreeSet::new();
    for folder in ["runtime", "python/declared", "python/src", "python/weft"] {
        find_word("heaviside", &root.join(folder), &mut found);
    }
    let expected = [
        "python/declared/elementwise.toml",
        "runtime/kernels/src/elementwise/binary.rs",
    ];
    assert_eq!(found, expected.map(|path| root.join(path)).into());
}
