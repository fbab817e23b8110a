//! Random programs over arrays of every dtype and of zero to four axes, some without elements:
//! views, casts, broadcasting, indexing, masks, running sums, sorted lines.
//!
//! The reference is `ndarray` over single values, one operation after the other. Functions of one
//! or two values use Weft's own definitions, which tables of NumPy's results check. This test
//! compares which elements are combined, and in which order. Floats and complex numbers are whole
//! numbers of moderate size, so that sums are exact in any order.

mod oracle;
mod step;
mod view;

use ndarray::{ArrayD, IxDyn};
use proptest::collection::vec;
use proptest::prelude::*;
use weft::dtype::{DType, Element, Scalar, with_element};
use weft::{DynArray, Runtime};

use step::{Step, step};

/// An error of a program on either side.
type Mistake = Box<dyn std::error::Error>;

const BASES: [&[usize]; 6] = [&[12, 9], &[5, 2, 7], &[], &[40], &[0, 4], &[2, 3, 2, 4]];

/// Equal bases in Weft and in `ndarray`.
struct Pair {
    weft: Vec<DynArray>,
    eager: Vec<ArrayD<Scalar>>,
}

/// Reads the elements of an array.
fn read(array: &DynArray) -> Result<ArrayD<Scalar>, weft::Error> {
    with_element!(array.dtype(), T => Ok(array.to_ndarray::<T>()?.mapv(Element::to_scalar)))
}

/// Returns an array of these elements.
fn written(dtype: DType, values: &ArrayD<Scalar>) -> DynArray {
    with_element!(dtype, T => {
        let values = values.mapv(|value| value.to::<T>());
        weft::from_ndarray(&values).into_dyn()
    })
}

impl Pair {
    fn new(dtypes: &[DType]) -> Pair {
        let eager: Vec<ArrayD<Scalar>> = BASES
            .iter()
            .zip(dtypes)
            .map(|(dims, dtype)| {
                let value = |i: usize| Scalar::I64((i * 37 % 33) as i64 - 16).cast(*dtype);
                let values = (0..dims.iter().product()).map(value).collect();
                ArrayD::from_shape_vec(IxDyn(dims), values).unwrap()
            })
            .collect();
        let weft = eager.iter().zip(dtypes);
        Pair {
            weft: weft.map(|(base, dtype)| written(*dtype, base)).collect(),
            eager,
        }
    }
}

/// Whether two arrays have the same elements, where all NaN are equal.
#[allow(clippy::eq_op, reason = "a NaN is not itself")]
fn is_same(a: &ArrayD<Scalar>, b: &ArrayD<Scalar>) -> bool {
    let same = |(a, b): (&Scalar, &Scalar)| a == b || (a != a && b != b);
    a.shape() == b.shape() && a.iter().zip(b).all(same)
}

/// Runs a program on one runtime, and returns a mistake if there is one.
fn check(runtime: &Runtime, dtypes: &[DType], program: &[Step]) -> Result<(), TestCaseError> {
    let failed = |error: Mistake| TestCaseError::fail(error.to_string());
    runtime.enter(|| {
        let mut pair = Pair::new(dtypes);
        for step in program {
            pair.step(step).map_err(failed)?;
        }
        for (weft, eager) in pair.weft.iter().zip(&pair.eager) {
            let weft = read(weft).map_err(|error| failed(error.into()))?;
            prop_assert!(is_same(&weft, eager), "{weft:?} is not {eager:?}");
        }
        Ok(())
    })
}

fn dtype() -> impl Strategy<Value = DType> {
    prop::sample::select(&DType::ALL[..])
}

#[test]
fn programs_of_all_dtypes_match_ndarray() {
    let modes = [
        "--cpus 1 --max-inline-chunk 0",
        "--cpus 2 --max-inline-chunk 0 --fusion=false",
        "--cpus 4 --max-inline-chunk 16",
        "--omps 2 --ompthreads 2 --cpus 1 --max-inline-chunk 8 --min-omp-chunk 16",
    ];
    let runtimes: Vec<Runtime> = modes
        .into_iter()
        .map(|mode| super::support::runtime(&format!("{mode} --min-cpu-chunk 8")))
        .collect();
    let config = ProptestConfig {
        cases: super::cases().unwrap_or(300),
        failure_persistence: None,
        ..Default::default()
    };
    proptest!(config, |(dtypes in vec(dtype(), BASES.len()), program in vec(step(), 1..25))| {
        for runtime in &runtimes {
            check(runtime, &dtypes, &program)?;
        }
    });
    for runtime in runtimes {
        runtime.finish().unwrap();
    }
}
