//! Kernels before and after the routines of libraries.

use super::super::c::{PRELUDE, type_name, types};
use super::super::loops::{THREADS, blocks, entry};
use super::super::{Job, Kernel};
use super::Places;
use crate::dtype::DType;
use crate::kernel::factor::Defect;
use weft_core::cuda::{Address, Args, Launch, Source, Work};

const FACTOR: &str = include_str!("../cuda/factor.cuh");

/// The CUDA C for complex numbers.
const COMPLEX: &str = include_str!("../cuda/factor_complex.cuh");

/// The number of blocks of a grid whose threads loop over further elements.
const BLOCKS: usize = 1024;

/// The number of threads of a block that multiplies pivots, as in the source.
const PIVOT_THREADS: usize = 128;

/// A kernel before or after routines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum FactorKernelKey {
    /// Writes the addresses of matrices.
    Pointers,
    /// Writes identities.
    Identity(DType),
    /// Writes zeros above diagonals.
    ClearAbove(DType),
    /// Copies upper triangles.
    TakeUpper(DType),
    /// Writes zeros to imaginary parts on diagonals.
    MakeDiagonalReal(DType),
    /// Conjugates elements.
    Conjugate(DType),
    /// Replaces elements that are not finite, and marks their matrices.
    Clean(DType),
    /// Writes the complex eigenvectors of matrices of this real type.
    UnpackVectors(DType),
    /// Reports a matrix without a result.
    Report,
    /// Multiplies pivots to determinants.
    Pivots {
        /// The type of the elements.
        dtype: DType,
        /// Whether signs and logarithms are written.
        logarithms: bool,
        /// Whether row numbers have 32 bits, as in batches.
        is_batch: bool,
    },
    /// Divides rows by singular values, and counts the values.
    Divide(DType),
}

sources! { FactorKernelKey }

impl FactorKernelKey {
    pub(crate) fn name(&self) -> String {
        match self {
            FactorKernelKey::Pointers => "weft_matrix_pointers".to_owned(),
            FactorKernelKey::Identity(dtype) => format!("weft_identity_{dtype}"),
            FactorKernelKey::ClearAbove(dtype) => format!("weft_lower_triangle_{dtype}"),
            FactorKernelKey::TakeUpper(dtype) => format!("weft_upper_triangle_{dtype}"),
            FactorKernelKey::MakeDiagonalReal(dtype) => format!("weft_real_diagonal_{dtype}"),
            FactorKernelKey::Conjugate(dtype) => format!("weft_conjugate_matrix_{dtype}"),
            FactorKernelKey::Clean(dtype) => format!("weft_clean_matrix_{dtype}"),
            FactorKernelKey::UnpackVectors(dtype) => format!("weft_unpack_vectors_{dtype}"),
            FactorKernelKey::Report => "weft_report_defect".to_owned(),
            FactorKernelKey::Pivots {
                dtype,
                logarithms,
                is_batch,
            } => {
                let what = if *logarithms { "slogdet" } else { "det" };
                let batch = if *is_batch { "_batch" } else { "" };
                format!("weft_{what}_{dtype}{batch}")
            }
            FactorKernelKey::Divide(dtype) => format!("weft_divide_by_values_{dtype}"),
        }
    }

    /// Returns the complex type in the source, if there is one.
    fn complex(&self) -> Option<DType> {
        match *self {
            FactorKernelKey::Pointers | FactorKernelKey::Report => None,
            FactorKernelKey::UnpackVectors(dtype) => Some(dtype.complex()),
            FactorKernelKey::Identity(dtype)
            | FactorKernelKey::ClearAbove(dtype)
            | FactorKernelKey::TakeUpper(dtype)
            | FactorKernelKey::MakeDiagonalReal(dtype)
            | FactorKernelKey::Conjugate(dtype)
            | FactorKernelKey::Clean(dtype)
            | FactorKernelKey::Pivots { dtype, .. }
            | FactorKernelKey::Divide(dtype) => dtype.is_complex().then_some(dtype),
        }
    }

    pub(crate) fn source(&self) -> String {
        let pointer = |dtype: DType, name: &str| format!("{} *{name}", type_name(dtype));
        let numbers = |names: &[&str]| -> Vec<String> {
            let named = names.iter().map(|name| format!("long long {name}"));
            named.collect()
        };
        let mut parameters = Vec::new();
        let body = match *self {
            FactorKernelKey::Pointers => {
                parameters.push("unsigned long long first".to_owned());
                parameters.extend(numbers(&["bytes", "count"]));
                parameters.push("unsigned long long *out".to_owned());
                "set_pointers(first, bytes, count, out)".to_owned()
            }
            FactorKernelKey::Identity(dtype) => {
                parameters.push(pointer(dtype, "out"));
                parameters.extend(numbers(&["rows", "columns", "elements"]));
                "set_identity(out, rows, columns, elements)".to_owned()
            }
            FactorKernelKey::ClearAbove(dtype) => {
                parameters.push(pointer(dtype, "out"));
                parameters.extend(numbers(&["n", "elements"]));
                "clear_above(out, n, elements)".to_owned()
            }
            FactorKernelKey::TakeUpper(dtype) => {
                parameters.extend([
                    format!("const {}", pointer(dtype, "in")),
                    pointer(dtype, "out"),
                ]);
                parameters.extend(numbers(&["rows", "columns", "kept", "elements"]));
                "take_upper(in, out, rows, columns, kept, elements)".to_owned()
            }
            FactorKernelKey::MakeDiagonalReal(dtype) => {
                parameters.push(pointer(dtype, "array"));
                parameters.extend(numbers(&["n", "elements"]));
                "make_diagonal_real(array, n, elements)".to_owned()
            }
            FactorKernelKey::Conjugate(dtype) => {
                parameters.push(pointer(dtype, "array"));
                parameters.extend(numbers(&["elements"]));
                "conjugate_all(array, elements)".to_owned()
            }
            FactorKernelKey::UnpackVectors(dtype) => {
                parameters.extend([
                    format!("const {}", pointer(dtype, "in")),
                    format!("const {}", pointer(dtype.complex(), "values")),
                    pointer(dtype.complex(), "out"),
                ]);
                parameters.extend(numbers(&["n", "elements"]));
                "unpack_vectors(in, values, out, n, elements)".to_owned()
            }
            FactorKernelKey::Clean(dtype) => {
                parameters.push(pointer(dtype, "array"));
                parameters.extend(numbers(&["each", "n", "elements"]));
                parameters.push("int *marks".to_owned());
                "clean(array, each, n, elements, marks)".to_owned()
            }
            FactorKernelKey::Report => {
                parameters.extend(["infos", "marks"].map(|name| format!("const int *{name}")));
                parameters.extend(numbers(&[
                    "count", "first", "run", "step", "defect", "*fault",
                ]));
                "report_defect(infos, marks, count, first, run, step, defect, fault)".to_owned()
            }
            FactorKernelKey::Pivots {
                dtype,
                logarithms,
                is_batch,
            } => {
                let exchange = if is_batch { "int" } else { "long long" };
                parameters.extend([
                    format!("const {}", pointer(dtype, "triangles")),
                    format!("const {exchange} *exchanges"),
                    "const int *infos".to_owned(),
                ]);
                parameters.extend(numbers(&["n", "count"]));
                parameters.push(pointer(dtype, "out"));
                parameters.push(pointer(dtype.real(), "out_logarithms"));
                format!(
                    "multiply_pivots<{logarithms}>(triangles, exchanges, infos, n, count, out, out_logarithms)"
                )
            }
            FactorKernelKey::Divide(dtype) => {
                parameters.extend([
                    pointer(dtype, "rows"),
                    format!("const {}", pointer(dtype.real(), "values")),
                ]);
                parameters.extend(numbers(&["n", "sides", "count"]));
                parameters
                    .extend(["unsigned long long cutoff", "long long *ranks"].map(str::to_owned));
                "divide_by_values(rows, values, n, sides, count, cutoff, ranks)".to_owned()
            }
        };
        let entry = entry(&self.name(), parameters, &format!("    weft::{body};\n"));
        match self.complex() {
            None => format!("{PRELUDE}\n{FACTOR}\n{entry}"),
            Some(dtype) => {
                let types = types(&[dtype]);
                format!("{PRELUDE}\n{types}\n{FACTOR}\n{COMPLEX}\n{entry}")
            }
        }
    }

    fn work(self, blocks_of: usize, threads: usize, args: Args) -> Work {
        Work::Kernel(Launch {
            kernel: Kernel::from_source(self),
            grid: blocks(blocks_of),
            block: blocks(threads),
            args,
        })
    }

    /// Returns the work of a kernel whose threads share `elements`.
    pub(super) fn over(self, elements: usize, args: Args) -> Work {
        let count = elements.div_ceil(THREADS).clamp(1, BLOCKS);
        self.work(count, THREADS, args)
    }

    /// Returns the work that multiplies the pivots of `count` matrices.
    pub(super) fn pivots(self, count: usize, args: Args) -> Work {
        self.work(count.clamp(1, BLOCKS), PIVOT_THREADS, args)
    }
}

/// Returns the work that reports the first of `count` matrices without a result.
pub(super) fn report(
    job: &Job<'_>,
    [infos, marks]: [Address; 2],
    count: usize,
    places: Places,
    defect: Defect,
) -> Work {
    let mut args = Args::from_slice(&[infos, marks]);
    let Places { first, run, step } = places;
    let places = [first, run, step].map(|number| number as u64);
    args.push(count as u64);
    args.extend(places);
    args.extend([code(defect), job.fault]);
    FactorKernelKey::Report.work(1, THREADS, args)
}

/// Encodes a defect as the second word of a fault, which is not 0.
fn code(defect: Defect) -> u64 {
    match defect {
        Defect::Singular => 1,
        Defect::NotPositiveDefinite => 2,
        _ => 3,
    }
}

/// Decodes the defect of a fault.
pub(crate) fn defect(code: u64) -> Defect {
    match code {
        1 => Defect::Singular,
        2 => Defect::NotPositiveDefinite,
        _ => Defect::NoConvergence,
    }
}

/// Returns all kernels.
#[cfg(test)]
pub(crate) fn all() -> Vec<FactorKernelKey> {
    let mut keys = vec![FactorKernelKey::Pointers, FactorKernelKey::Report];
    for dtype in [DType::F32, DType::F64] {
        keys.extend([
            FactorKernelKey::UnpackVectors(dtype),
            FactorKernelKey::MakeDiagonalReal(dtype.complex()),
            FactorKernelKey::Conjugate(dtype.complex()),
        ]);
    }
    for dtype in [DType::F32, DType::F64, DType::C64, DType::C128] {
        keys.extend([
            FactorKernelKey::Identity(dtype),
            FactorKernelKey::ClearAbove(dtype),
            FactorKernelKey::TakeUpper(dtype),
            FactorKernelKey::Clean(dtype),
            FactorKernelKey::Divide(dtype),
        ]);
        for (logarithms, is_batch) in [(false, false), (false, true), (true, false), (true, true)] {
            keys.push(FactorKernelKey::Pivots {
                dtype,
                logarithms,
                is_batch,
            });
        }
    }
    keys
}
