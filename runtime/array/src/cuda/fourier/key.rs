//! The key and the name of a copying kernel.

use super::super::c::{PRELUDE, from_words, type_name, types};
use super::super::loops::{Form, LOOPS, entry};
use super::EACH;
use crate::dtype::DType;
use weft_core::cuda::Source;

const FOURIER: &str = include_str!("../cuda/fourier.cuh");

/// One kernel that copies lines and changes their elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    /// The dtype that is read.
    pub(super) from: DType,
    /// The dtype that is written: of the same width, and complex if the first one is.
    pub(super) to: DType,
    /// Over the elements.
    pub(super) form: Form,
}

sources! { Key }

impl Key {
    /// The kernel that does the same with indices of 64 bits.
    #[cfg(test)]
    pub(crate) fn widened(self) -> Key {
        Key {
            form: self.form.widened(),
            ..self
        }
    }

    pub(crate) fn name(&self) -> String {
        let Key { from, to, form } = self;
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
        // Kernels that copy real numbers have the functions of complex ones, too.
        let types = types(&[DType::C64]);
        format!("{PRELUDE}\n{types}\n{LOOPS}\n{FOURIER}\n{entry}")
    }
}
