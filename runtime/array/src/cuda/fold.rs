//! Folds by name: the CUDA C type of a reduction (`cuda/fold.cuh`), and its results.

use super::c::type_name;
use crate::dtype::DType;
use crate::kernel::ReduceOp;

/// The CUDA C of folds.
pub(super) const FOLD: &str = include_str!("cuda/fold.cuh");

/// The functions for folds of half precision.
pub(super) const HALF: &str = include_str!("cuda/fold_half.cuh");

/// A function of many terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum What {
    /// A reduction of elements.
    Reduce(ReduceOp),
    /// The sum, in the type of the terms, which are products.
    Products,
}

/// A reduction of elements of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Fold {
    pub(super) what: What,
    /// The type of the elements.
    pub(super) dtype: DType,
}

impl Fold {
    pub(super) fn reduce(op: ReduceOp, dtype: DType) -> Fold {
        Fold {
            what: What::Reduce(op),
            dtype,
        }
    }

    pub(super) fn products(dtype: DType) -> Fold {
        Fold {
            what: What::Products,
            dtype,
        }
    }

    /// Whether results are places: a value and its number.
    pub(super) fn is_arg(self) -> bool {
        matches!(self.what, What::Reduce(op) if op.is_index())
    }

    /// Returns the type of results; for places, that of their values.
    pub(super) fn result(self) -> DType {
        match self.what {
            What::Reduce(op) if !op.is_index() => op.output_dtype(self.dtype),
            _ => self.dtype,
        }
    }

    /// Returns the size of a result in bytes.
    pub(super) fn result_bytes(self) -> usize {
        self.result().size() + if self.is_arg() { 8 } else { 0 }
    }

    /// Returns the fold that combines results.
    pub(super) fn combining(self) -> Fold {
        match self.what {
            What::Reduce(op) => Fold::reduce(op.combining(), self.result()),
            What::Products => self,
        }
    }

    /// Returns the name in names of kernels.
    pub(super) fn name(self) -> &'static str {
        match self.what {
            What::Reduce(op) => op.name(),
            What::Products => "dot",
        }
    }

    /// Returns the C type of terms. Products of integers wrap, so it is unsigned.
    pub(super) fn term(self) -> &'static str {
        match self.what {
            What::Products => unsigned(self.dtype),
            What::Reduce(_) => type_name(self.dtype),
        }
    }

    /// Returns the C type of results in memory; for places, that of their values.
    pub(super) fn value(self) -> &'static str {
        match self.what {
            What::Products | What::Reduce(ReduceOp::Sum | ReduceOp::Prod) => {
                unsigned(self.result())
            }
            What::Reduce(_) => type_name(self.result()),
        }
    }

    /// Returns the C type of the fold.
    pub(super) fn c(self) -> String {
        let (term, value) = (self.term(), self.value());
        match self.what {
            What::Products | What::Reduce(ReduceOp::Sum) => format!("weft::Sum<{term}, {value}>"),
            What::Reduce(ReduceOp::Prod) => format!("weft::Prod<{term}, {value}>"),
            What::Reduce(ReduceOp::Min) => format!("weft::Extreme<{term}, false>"),
            What::Reduce(ReduceOp::Max) => format!("weft::Extreme<{term}, true>"),
            What::Reduce(ReduceOp::FMin | ReduceOp::FMax) => {
                let is_max = self.what == What::Reduce(ReduceOp::FMax);
                // Other elements are never NaN.
                let fold = if self.dtype.is_float() { "Number" } else { "" };
                format!("weft::Extreme{fold}<{term}, {is_max}>")
            }
            What::Reduce(ReduceOp::Any) => format!("weft::Any<{term}>"),
            What::Reduce(ReduceOp::All) => format!("weft::All<{term}>"),
            What::Reduce(ReduceOp::CountNonzero) => format!("weft::Count<{term}>"),
            What::Reduce(ReduceOp::ArgMin) => format!("weft::Arg<{term}, false>"),
            What::Reduce(ReduceOp::ArgMax) => format!("weft::Arg<{term}, true>"),
        }
    }

    /// Returns parameters for the addresses of results, with this name.
    pub(super) fn result_parameters(self, name: &str) -> Vec<String> {
        let mut parameters = vec![format!("{} *{name}", self.value())];
        if self.is_arg() {
            parameters.push(format!("long long *{name}_numbers"));
        }
        parameters
    }

    /// Returns these addresses as `weft::Results`.
    pub(super) fn results(self, name: &str) -> String {
        let fold = self.c();
        if self.is_arg() {
            format!("weft::Results<{fold}::Acc>{{{name}, {name}_numbers}}")
        } else {
            format!("weft::Results<{fold}::Acc>{{{name}}}")
        }
    }

    /// Returns arguments for these parameters, for `count` results in memory starting at this
    /// address.
    pub(super) fn result_arguments(self, scratch: u64, count: usize) -> Vec<u64> {
        if self.is_arg() {
            vec![scratch + 8 * count as u64, scratch]
        } else {
            vec![scratch]
        }
    }
}

/// Returns the C type in which integers of a dtype wrap.
pub(super) fn unsigned(dtype: DType) -> &'static str {
    match dtype {
        DType::I8 => type_name(DType::U8),
        DType::I16 => type_name(DType::U16),
        DType::I32 => type_name(DType::U32),
        DType::I64 => type_name(DType::U64),
        other => type_name(other),
    }
}
