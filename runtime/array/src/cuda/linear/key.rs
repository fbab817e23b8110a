//! The keys of kernels that multiply.

use super::super::c::types;
use super::super::fold::unsigned;
use super::super::loops::{LAST, THREADS, TICKETS, bounded_entry};
use crate::dtype::DType;

const LINEAR: &str = include_str!("../cuda/linear.cuh");

/// The number of rows that threads of [`LinearKernelKey::MatVec`] compute together.
pub(super) const ROWS: usize = 4;

/// A kernel that multiplies.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum LinearKernelKey {
    /// Matrix times vector, for dense rows.
    MatVec {
        /// The type of the elements.
        dtype: DType,
        /// The number of elements that are read at once.
        pack: u8,
    },
    /// Matrix times matrix, with any steps.
    MatMul {
        /// The type of the elements.
        dtype: DType,
    },
}

impl LinearKernelKey {
    pub(crate) fn name(&self) -> String {
        match self {
            LinearKernelKey::MatVec { dtype, pack: 1 } => format!("weft_matvec_{dtype}_unaligned"),
            LinearKernelKey::MatVec { dtype, .. } => format!("weft_matvec_{dtype}"),
            LinearKernelKey::MatMul { dtype } => format!("weft_matmul_{dtype}"),
        }
    }

    /// Returns whether the kernel takes tickets, see [`Source::takes_tickets`].
    ///
    /// [`Source::takes_tickets`]: weft_core::cuda::Source::takes_tickets
    pub(crate) fn takes_tickets(&self) -> bool {
        matches!(self, LinearKernelKey::MatVec { .. })
    }

    pub(crate) fn source(&self) -> String {
        let numbers = |names: &[&str]| -> Vec<String> {
            names
                .iter()
                .map(|name| format!("long long {name}"))
                .collect()
        };
        let (parameters, body) = match *self {
            LinearKernelKey::MatVec { dtype, pack } => {
                let element = unsigned(dtype);
                let mut parameters = ["const", "const"]
                    .into_iter()
                    .zip(["matrix", "vector"])
                    .map(|(constant, name)| format!("{constant} {element} *{name}"))
                    .collect::<Vec<_>>();
                parameters.extend(["out", "parts"].map(|name| format!("{element} *{name}")));
                let names = ["row_step", "out_step", "rows", "columns", "length"];
                parameters.extend(numbers(&names));
                parameters.push(TICKETS.to_owned());
                let body = format!(
                    "    weft::matvec_rows<{element}, {pack}, {ROWS}>(matrix, row_step, vector, out, out_step, rows, \
                     columns, length, parts, tickets);\n"
                );
                (parameters, body)
            }
            LinearKernelKey::MatMul { dtype } => {
                let element = unsigned(dtype);
                let mut parameters = vec![
                    format!("const {element} *a"),
                    format!("const {element} *b"),
                    format!("{element} *c"),
                ];
                let names = [
                    "a_down", "a_right", "b_down", "b_right", "c_down", "c_right", "rows",
                    "columns", "inner",
                ];
                parameters.extend(numbers(&names));
                let body = "    weft::matmul(a, weft::Steps{a_down, a_right}, b, weft::Steps{b_down, b_right}, c, \
                            weft::Steps{c_down, c_right}, rows, columns, inner);\n";
                (parameters, body.to_owned())
            }
        };
        // Four blocks on a multiprocessor keep enough of a matrix in flight. The tile of a product
        // needs the registers.
        let bounds = match self {
            LinearKernelKey::MatVec { .. } => format!("{THREADS}, 4"),
            LinearKernelKey::MatMul { .. } => THREADS.to_string(),
        };
        let entry = bounded_entry(&self.name(), &bounds, parameters, &body);
        let (LinearKernelKey::MatVec { dtype, .. } | LinearKernelKey::MatMul { dtype }) = *self;
        format!("{}{LAST}\n{LINEAR}\n{entry}", types(&[dtype]))
    }
}
