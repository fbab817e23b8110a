//! The key and the name of a copying kernel.

use super::super::c::{PRELUDE, from_words, type_name, types};
use super::super::loops::{Form, LOOPS, entry};
use super::EACH;
use crate::dtype::DType;
use weft_core::cuda::Source;

const FOURIER: &str = include_str!("../cuda/fourier.cuh");

/// A kernel that copies lines and changes their elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FourierKernelKey {
    /// The dtype of the source.
    pub(super) from: DType,
    /// The dtype of the target: of the same width, and complex if that of the source is.
    pub(super) to: DType,
    /// The loops over the elements.
    pub(super) form: Form,
}

sources! { FourierKernelKey }

impl FourierKernelKey {
    /// Returns the same kernel with 64-bit indices.
    #[cfg(test)]
    pub(crate) fn widened(self) -> FourierKernelKey {
        FourierKernelKey {
            form: self.form.widened(),
            ..self
        }
    }

    pub(crate) fn name(&self) -> String {
        let FourierKernelKey { from, to, form } = self;
        format!("weft_fourier_copy_{from}_{to}{}", form.suffix())
    }

    pub(crate) fn source(&self) -> String {
        let (from, to) = (type_name(self.from), type_name(self.to));
        let real = type_name(self.to.real());
        let mut parameters = vec![format!("const {from} *in"), format!("{to} *out")];
        parameters.extend(["scale", "sign"].map(|name| format!("unsigned long long {name}")));
        parameters.extend(["known", "first", "middle"].map(|name| format!("long long {name}")));
        parameters.extend(self.form.walk_parameters());
        let numbers = ["scale", "sign"].map(|name| from_words(self.to.real(), name));
        let body = format!(
            "{}    const weft::Change<{real}> how = {{{}, known, first, middle}};\n    weft::change<{EACH}>(in, out, how, walk);\n",
            self.form.declare_walk(EACH),
            numbers.join(", ")
        );
        let entry = entry(&self.name(), parameters, &body);
        // Kernels that copy real numbers also contain the functions of complex ones.
        let types = types(&[DType::C64]);
        format!("{PRELUDE}\n{types}\n{LOOPS}\n{FOURIER}\n{entry}")
    }
}
