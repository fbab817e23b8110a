//! Every function that NumPy has too, for every dtype and special values, compared with tables of
//! NumPy's results.
//!
//! `tables.py` writes the tables, and documents their lines. A case has the same name there and
//! here.

mod bound;
mod calls;
mod linear;
mod reduce;
mod scalar;

use std::collections::{BTreeMap, BTreeSet};

use weft::dtype::{Complex, DType, Element, Scalar, f16};
use weft::kernel::{BinaryOp, UnaryOp};
use weft::{DynArray, Error};

use super::support;

/// The result of a case: arrays, or an error.
type Outcome = Result<Vec<DynArray>, Error>;

/// The function of the cases of one file. It takes the name of a case and the inputs of one dtype.
type Call = fn(&str, &Inputs<'_>) -> Outcome;

/// The arrays that cases work on, by dtype.
type Tables = BTreeMap<DType, BTreeMap<&'static str, DynArray>>;

/// The arrays of one dtype.
struct Inputs<'a> {
    dtype: DType,
    all: &'a Tables,
}

impl Inputs<'_> {
    fn get(&self, name: &str) -> &DynArray {
        self.get_as(self.dtype, name)
    }

    fn get_as(&self, dtype: DType, name: &str) -> &DynArray {
        &self.all[&dtype][name]
    }
}

/// An array of a table, with its elements decoded.
struct Written {
    dtype: DType,
    dims: Vec<usize>,
    values: Vec<Scalar>,
}

impl Written {
    /// Parses `dtype[dims]hex`.
    fn read(text: &str) -> Written {
        let (dtype, rest) = text.split_once('[').unwrap();
        let (dims, bits) = rest.split_once(']').unwrap();
        let dtype = DType::from_name(dtype).unwrap();
        let dims = dims.split(',').filter(|dim| !dim.is_empty());
        let digits = bits.as_bytes().chunks(2 * dtype.size());
        Written {
            dtype,
            dims: dims.map(|dim| dim.parse().unwrap()).collect(),
            values: digits
                .map(|word| scalar_of(dtype, std::str::from_utf8(word).unwrap()))
                .collect(),
        }
    }

    fn to_array(&self) -> DynArray {
        weft::dtype::with_element!(self.dtype, T => {
            let values: Vec<T> = self.values.iter().map(Scalar::to).collect();
            weft::from_slice(&values).reshape(&self.dims).into_dyn()
        })
    }

    fn from_array(array: &DynArray) -> Result<Written, Error> {
        Ok(Written {
            dtype: array.dtype(),
            dims: array.shape().to_vec(),
            values: weft::dtype::with_element!(array.dtype(), T => {
                array.to_ndarray::<T>()?.into_iter().map(Element::to_scalar).collect()
            }),
        })
    }
}

/// Returns the element with these bits.
fn scalar_of(dtype: DType, digits: &str) -> Scalar {
    let bits = |digits: &str| u64::from_str_radix(digits, 16).unwrap();
    let halves = || digits.split_at(digits.len() / 2);
    match dtype {
        DType::Bool => Scalar::Bool(bits(digits) == 1),
        DType::F16 => Scalar::F16(f16::from_bits(bits(digits) as u16)),
        DType::F32 => Scalar::F32(f32::from_bits(bits(digits) as u32)),
        DType::F64 => Scalar::F64(f64::from_bits(bits(digits))),
        DType::C64 => {
            let part = |digits| f32::from_bits(bits(digits) as u32);
            Scalar::C64(Complex::new(part(halves().0), part(halves().1)))
        }
        DType::C128 => {
            let part = |digits| f64::from_bits(bits(digits));
            Scalar::C128(Complex::new(part(halves().0), part(halves().1)))
        }
        // Integers: the cast keeps the low bits.
        integer => Scalar::U64(bits(digits)).cast(integer),
    }
}

/// Returns the lines of a table that begin with a word, without it.
fn lines(table: &'static str, word: &'static str) -> impl Iterator<Item = &'static str> {
    table
        .lines()
        .filter_map(move |line| line.strip_prefix(word)?.strip_prefix(' '))
}

fn inputs() -> Tables {
    let mut all = Tables::new();
    for line in lines(include_str!("tables/inputs.txt"), "in") {
        let (name, array) = line.split_once(' ').unwrap();
        let written = Written::read(array);
        let arrays = all.entry(written.dtype).or_default();
        arrays.insert(name, written.to_array());
    }
    all
}

/// Returns the mistake of a case, if any.
fn mistake(name: &str, dtype: DType, words: &[&str], got: Outcome) -> Option<String> {
    let arrays: Result<Vec<Written>, Error> =
        got.and_then(|arrays| arrays.iter().map(Written::from_array).collect());
    let arrays = match (words, arrays) {
        (["error"], Err(_)) => return None,
        (["error"], Ok(_)) => return Some("NumPy raises, and there is a result".to_owned()),
        (_, Err(error)) => return Some(format!("an error: {error}")),
        (_, Ok(arrays)) => arrays,
    };
    if arrays.len() != words.len() {
        return Some(format!("{} arrays, not {}", arrays.len(), words.len()));
    }
    let bound = bound::find(name, dtype);
    for (array, word) in arrays.iter().zip(words) {
        let wanted = Written::read(word);
        if array.dtype != wanted.dtype || array.dims != wanted.dims {
            let (is, was) = ((array.dtype, &array.dims), (wanted.dtype, &wanted.dims));
            return Some(format!("{is:?}, not {was:?}"));
        }
        let size = bound::largest(&wanted.values);
        for (at, (got, wanted)) in array.values.iter().zip(&wanted.values).enumerate() {
            if !bound.allows(got, wanted, size) {
                return Some(format!("element {at} is {got:?}, not {wanted:?}"));
            }
        }
    }
    None
}

/// Runs each case of a table, which must have at least `at_least` cases.
fn check(table: &'static str, call: Call, at_least: usize) {
    let runtime = support::runtime(&support::small_tiles(2));
    runtime.enter(|| {
        let all = inputs();
        let (mut mistakes, mut seen) = (Vec::new(), 0);
        for line in lines(table, "do") {
            let words: Vec<&str> = line.split(' ').collect();
            let [name, dtype, ref results @ ..] = words[..] else {
                panic!("{line} has no name and dtype")
            };
            let dtype = DType::from_name(dtype).unwrap();
            let got = call(name, &Inputs { dtype, all: &all });
            let found = mistake(name, dtype, results, got);
            seen += 1;
            match (found, differs(name, dtype)) {
                (Some(what), false) => mistakes.push(format!("{name} {dtype}: {what}")),
                (None, true) => {
                    mistakes.push(format!("{name} {dtype} is listed as different, but is not"))
                }
                _ => {}
            }
        }
        assert!(
            mistakes.is_empty(),
            "{} of {seen} cases:\n{}",
            mistakes.len(),
            mistakes.join("\n")
        );
        assert!(seen >= at_least, "{seen} cases");
    });
    // Operations that fail because NumPy raises are reported again at the end of the runtime.
    let raises = lines(table, "do").any(|line| line.ends_with(" error"));
    let end = runtime.finish();
    assert!(end.is_ok() || raises, "{end:?}");
}

fn unary(name: &str, x: &Inputs<'_>) -> Outcome {
    let op = UnaryOp::ALL.iter().find(|op| op.name() == name).unwrap();
    let mut edge = x.get("edge").clone();
    if *op == UnaryOp::Reciprocal && (x.dtype.is_integer() || x.dtype.is_bool()) {
        // NumPy's result of 1 / 0 depends on the machine.
        edge = edge.take_where(&DynArray::binary(BinaryOp::NotEqual, &edge, 0i64)?)?;
    }
    Ok(vec![edge.unary(*op)?])
}

fn binary(name: &str, x: &Inputs<'_>) -> Outcome {
    let op = *BinaryOp::ALL.iter().find(|op| op.name() == name).unwrap();
    let few = x.get("few");
    let mut right = few.expand_dims(0)?;
    if op == BinaryOp::Pow && x.dtype.is_signed_integer() {
        // NumPy raises for negative powers of integers.
        let is_negative = DynArray::binary(BinaryOp::Less, &right, 0i64)?;
        right = DynArray::select(&is_negative, 3i64, &right)?;
    }
    Ok(vec![DynArray::binary(op, &few.expand_dims(1)?, &right)?])
}

/// Returns whether a case differs on purpose, as listed in docs/numpy.md.
fn differs(name: &str, dtype: DType) -> bool {
    let is_half = dtype == DType::F16;
    match name {
        "rint" => dtype.is_integer() || dtype.is_bool(),
        "round_0" | "gradient" | "trapezoid" | "angle" => dtype.is_bool(),
        "round_-1" => dtype.is_integer(),
        // NumPy rounds the product of a large angle and a factor to single precision.
        "exp2" => dtype == DType::C64,
        "cov" => is_half || dtype == DType::F32 || dtype == DType::C64,
        "var_pairs_1" | "std_pairs_1" | "nanmean_pairs_1" | "nanvar_pairs_1" | "nanstd_pairs_1"
        | "irfft" => is_half,
        "matmul_one" => false,
        _ => {
            let products = [
                "dot",
                "matmul",
                "inner",
                "vdot",
                "tensordot",
                "convolve",
                "correlate",
            ];
            let first = name.split('_').next().unwrap_or(name);
            dtype.is_bool() && (products.contains(&first) || first == "quantile")
        }
    }
}

#[test]
fn unary_functions_match_numpy() {
    check(include_str!("tables/unary.txt"), unary, 600);
}

#[test]
fn binary_functions_match_numpy() {
    check(include_str!("tables/binary.txt"), binary, 300);
}

#[test]
fn reductions_match_numpy() {
    check(include_str!("tables/reduce.txt"), reduce::call, 1500);
}

#[test]
fn array_calls_match_numpy() {
    check(include_str!("tables/calls.txt"), calls::call, 1900);
}

#[test]
fn linear_algebra_and_transforms_match_numpy() {
    check(include_str!("tables/linear.txt"), linear::call, 200);
}

#[test]
fn scalar_operands_and_ranges_match_numpy() {
    check(include_str!("tables/scalar.txt"), scalar::call, 1700);
}

/// Functions of docs/numpy.md that are in no table. Their tests are elsewhere: creation, reading
/// and slicing are part of every case. Casts have a table in the kernels' tests. Factors are tested
/// by their products, random numbers by their distributions, and files by reading them back.
/// Transforms of two axes and of real spectra are in `runtime/array/tests/fft.rs`.
const ELSEWHERE: &[&str] = &[
    "cast",
    "copy",
    "eig",
    "eigh",
    "eigvals",
    "empty",
    "fft2",
    "flatnonzero",
    "hfft",
    "hfft_along",
    "ifft2",
    "ihfft",
    "ihfft_along",
    "integers",
    "item",
    "len",
    "load",
    "load_npz",
    "ndim",
    "normal",
    "percentile",
    "put_at_axes",
    "qr",
    "save",
    "save_npz",
    "shape",
    "slice",
    "svd",
    "t",
    "take_at_axes",
    "to_ndarray",
    "to_vec",
    "try_item",
    "uniform",
];

#[test]
fn every_declared_function_has_a_case() {
    let tables = [
        include_str!("tables/unary.txt"),
        include_str!("tables/binary.txt"),
        include_str!("tables/reduce.txt"),
        include_str!("tables/calls.txt"),
        include_str!("tables/linear.txt"),
        include_str!("tables/scalar.txt"),
    ];
    let cases: BTreeSet<&str> = tables
        .iter()
        .flat_map(|table| lines(table, "do"))
        .map(|line| line.split(' ').next().unwrap())
        .collect();
    let has_case = |name: &str| {
        let is_of = |case: &&str| {
            let rest = case.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
        };
        cases.iter().any(is_of)
    };
    // Weft's names, each with the NumPy names that it implements.
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let table = include_str!("../../../../docs/numpy.md");
    let (table, _) = table.split_once("## Where results differ").unwrap();
    for line in table.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if let [_, numpy, _, _, _, rust, ..] = cells[..]
            && line.starts_with("| `")
        {
            for path in rust.split('`').skip(1).step_by(2) {
                let name = path.rsplit("::").next().unwrap_or(path);
                let all = names.entry(name).or_default();
                all.push(numpy.trim_matches('`'));
            }
        }
    }
    let missing: Vec<&str> = names
        .iter()
        .filter(|(name, numpy)| {
            let stem = name.trim_end_matches("_axis");
            !has_case(name) && !has_case(stem) && !numpy.iter().any(|name| has_case(name))
        })
        .map(|(name, _)| *name)
        .collect();
    assert_eq!(missing, ELSEWHERE);
}
