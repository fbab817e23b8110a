//! Kernels around a task's own kernel: they fill arrays, combine the values of blocks, and find
//! unwritten elements.

use super::key::{operator, preamble};
use crate::cuda::Source;
use crate::cuda::c::{from_words, type_name, value_parameters};
use crate::define::Reduction;
use crate::dtype::DType;

/// Number of threads of a block of these kernels.
pub(super) const THREADS: u32 = 256;

/// A kernel around a task's own kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Helper {
    /// Fills elements [address, count, value].
    Fill(DType),
    /// Combines the values of blocks in a fixed order [values, out, count, identity].
    Combine(Reduction, DType),
    /// Finds elements without a mark [marks, count, fault, operand], and for each axis [first, end,
    /// extent].
    Unwritten(u8),
}

impl Source for Helper {
    fn name(&self) -> String {
        match self {
            Helper::Fill(dtype) => format!("weft_task_fill_{dtype}"),
            Helper::Combine(reduction, dtype) => {
                format!("weft_task_combine_{}_{dtype}", reduction.name())
            }
            Helper::Unwritten(rank) => format!("weft_task_unwritten_{rank}d"),
        }
    }

    fn source(&self) -> String {
        let word = |name: &str| format!("unsigned long long {name}");
        let (reduces, words, body) = match *self {
            Helper::Fill(dtype) => {
                let (element, value) = (type_name(dtype), from_words(dtype, "value"));
                let body = format!(
                    "    const {element} one = {value};
    for (unsigned long long at = blockIdx.x * {THREADS}ULL + threadIdx.x; at < count; at += gridDim.x * {THREADS}ULL)
        (({element} *)out)[at] = one;
"
                );
                let mut words = ["out", "count"].map(word).to_vec();
                words.extend(
                    value_parameters(dtype, "value")
                        .iter()
                        .map(|name| word(name)),
                );
                (false, words, body)
            }
            Helper::Combine(reduction, dtype) => {
                let (element, operator) = (type_name(dtype), operator(reduction));
                let body = format!(
                    "    {element} own = {};
    for (unsigned long long at = threadIdx.x; at < count; at += {THREADS})
        own = {operator}::join(own, ((const {element} *)values)[at]);
    own = weft::of_block<{operator}>(own);
    if (threadIdx.x == 0) *({element} *)out = own;
",
                    from_words(dtype, "identity")
                );
                let mut words = ["values", "out", "count"].map(word).to_vec();
                words.extend(
                    value_parameters(dtype, "identity")
                        .iter()
                        .map(|name| word(name)),
                );
                (true, words, body)
            }
            Helper::Unwritten(rank) => {
                let mut words = ["marks", "count", "*fault", "operand"].map(word).to_vec();
                let mut digits = String::new();
                for axis in 0..rank {
                    words.extend(
                        ["first", "end", "extent"].map(|what| word(&format!("{what}{axis}"))),
                    );
                }
                for axis in (0..rank).rev() {
                    digits.push_str(&format!(
                        "        detail += (first{axis} + rest % (end{axis} - first{axis})) * step;
        rest /= end{axis} - first{axis};
        step *= extent{axis};
"
                    ));
                }
                let body = format!(
                    "    const weft::Watch watch = {{fault + 1, (unsigned int)operand}};
    for (unsigned long long at = blockIdx.x * {THREADS}ULL + threadIdx.x; at < count; at += gridDim.x * {THREADS}ULL) {{
        if (((const unsigned char *)marks)[at]) continue;
        unsigned long long rest = at, step = 1, detail = 0;
{digits}        weft::tell(watch, weft::UNWRITTEN, detail);
    }}
"
                );
                (false, words, body)
            }
        };
        let dtypes = match *self {
            Helper::Fill(dtype) | Helper::Combine(_, dtype) => &[dtype][..],
            Helper::Unwritten(_) => &[],
        };
        let preamble = preamble(true, matches!(self, Helper::Unwritten(_)), reduces, dtypes);
        format!(
            "{preamble}extern \"C\" __global__ void __launch_bounds__({THREADS}) {}(\n    {}) {{\n{body}}}\n",
            self.name(),
            words.join(",\n    ")
        )
    }
}
