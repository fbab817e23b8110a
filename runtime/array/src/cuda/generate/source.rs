//! The CUDA C of a generator's kernel.

use std::fmt::Write;

use super::super::c::{from_words, prelude, type_name};
use super::super::grid::{self, ROWS, THREADS};
use super::EACH;
use super::key::{GenerateKernelKey, Kind};
use crate::dtype::DType;

/// Philox and the distributions, and numbers of half precision.
const RANDOM: [&str; 2] = [
    include_str!("../cuda/random.cuh"),
    include_str!("../cuda/random_half.cuh"),
];

impl GenerateKernelKey {
    /// Returns the complete CUDA C.
    pub(crate) fn source(&self) -> String {
        let mut out = prelude(&[self.dtype]);
        if self.kind.is_random() {
            out.push_str(RANDOM[0]);
            if self.dtype == DType::F16 {
                out.push_str(RANDOM[1]);
            }
        }
        out.push('\n');
        grid::types(&mut out, self.is_wide);
        self.values(&mut out);
        let rank = usize::from(self.rank);
        self.open(&mut out, rank);
        if rank == 1 {
            let _ = write!(
                out,
                "    const unsigned long long number = first;
    const Index at = 0;
    #pragma unroll
    for (int k = 0; k < {EACH}; ++k) {{
        const Index i0 = (Index)blockIdx.x * (Index)(blockDim.x * {EACH}) + (Index)(k * blockDim.x + threadIdx.x);
        if (i0 < (Index)count) {{
"
            );
            self.element(&mut out, "            ");
            out.push_str("        }\n    }\n}\n");
            return out;
        }
        grid::open(&mut out, rank);
        let _ = write!(
            out,
            "        #pragma unroll
        for (int k = 0; k < {ROWS}; ++k) {{
            const Index row = i1 + (Index)(k * blockDim.y);
            if (row < (Index)count1) {{
"
        );
        let sum = |of: &dyn Fn(&str, usize) -> String| {
            let terms = (1..rank).map(|level| match level {
                1 => of("row", 1),
                _ => of(&format!("i{level}"), level),
            });
            terms.collect::<Vec<_>>().join(" + ")
        };
        let number = sum(&|index, level| format!("{index} * number_step{level}"));
        let at = sum(&|index, level| format!("{index} * (Index)out_step{level}"));
        let _ = write!(
            out,
            "                const unsigned long long number = first + (unsigned long long)({number});
                const Index at = {at};
"
        );
        self.element(&mut out, "                ");
        out.push_str("            }\n        }\n    }\n}\n");
        out
    }

    /// Returns the names and types of the arguments that the values depend on.
    fn parameters(&self) -> &'static [&'static str] {
        match self.kind {
            Kind::Arange => &["unsigned long long start", "unsigned long long delta"],
            Kind::Linspace => &[
                "double start",
                "double stop",
                "double step",
                "double spaces",
                "unsigned long long last",
            ],
            Kind::Eye => &[],
            Kind::Uniform | Kind::Normal => {
                &["unsigned long long seed", "unsigned long long stream"]
            }
            Kind::Integers => &[
                "unsigned long long seed",
                "unsigned long long stream",
                "unsigned long long low",
                "unsigned long long span",
            ],
        }
    }

    /// Writes the function that computes a value from a number, or two from a pair.
    fn values(&self, out: &mut String) {
        let element = type_name(self.dtype);
        let parameters: String = self
            .parameters()
            .iter()
            .map(|each| format!(", {each}"))
            .collect();
        if self.kind.is_random() {
            let make = match self.kind {
                Kind::Uniform => format!(
                    "even = weft::unit_{0}(a); odd = weft::unit_{0}(b);",
                    self.dtype
                ),
                Kind::Normal => format!(
                    "double x, y; weft::normal(a, b, x, y); even = weft::to_{0}(x); odd = weft::to_{0}(y);",
                    self.dtype
                ),
                _ => format!(
                    "even = ({element})(low + weft::pick(a, span)); odd = ({element})(low + weft::pick(b, span));"
                ),
            };
            let _ = write!(
                out,
                "WEFT_INLINE void make(unsigned long long pair, {element} &even, {element} &odd{parameters}) {{
    unsigned long long a, b;
    weft::words(pair, stream, seed, a, b);
    {make}
}}

"
            );
            return;
        }
        let value = match self.kind {
            Kind::Arange if self.dtype == DType::F16 => format!(
                "weft::Half({} + (float)number * {})",
                from_words(DType::F32, "start"),
                from_words(DType::F32, "delta")
            ),
            Kind::Arange => format!(
                "weft::add({}, weft::multiply(weft::to_{}(number), {}))",
                from_words(self.dtype, "start"),
                self.dtype,
                from_words(self.dtype, "delta")
            ),
            Kind::Linspace => {
                let value = "number == last ? stop : spaces == 0 ? start : step == 0 ? \
                             (double)number / spaces * (stop - start) + start : (double)number * step + start";
                match self.dtype.is_integer() {
                    true => format!("weft::to_{}(weft::floor({value}))", self.dtype),
                    false => format!("weft::to_{}({value})", self.dtype),
                }
            }
            _ => format!("({element})(number == 0)"),
        };
        let _ = write!(
            out,
            "WEFT_INLINE {element} make(unsigned long long number{parameters}) {{
    return {value};
}}

"
        );
    }

    /// Writes the start of the entry.
    fn open(&self, out: &mut String, rank: usize) {
        let mut parameters = vec![
            format!("{} *out", type_name(self.dtype)),
            "unsigned long long first".to_owned(),
            "long long length".to_owned(),
        ];
        if rank == 1 {
            parameters.push("long long count".into());
        } else {
            parameters.extend(grid::parameters(rank));
        }
        for operand in ["number", "out"] {
            parameters.extend((0..rank).map(|level| format!("long long {operand}_step{level}")));
        }
        parameters.extend(self.parameters().iter().map(|&each| each.to_owned()));
        let _ = writeln!(
            out,
            "extern \"C\" __global__ void __launch_bounds__({THREADS})\n{}({}) {{",
            self.name(),
            parameters.join(", ")
        );
    }

    /// Writes the code of the element, or the pair, at index `i0` of a row whose first number is
    /// `number` and whose first element is `at`.
    fn element(&self, out: &mut String, indent: &str) {
        let names = self
            .parameters()
            .iter()
            .filter_map(|each| each.split(' ').next_back());
        let names: String = names.map(|name| format!(", {name}")).collect();
        let step = if self.is_dense {
            ""
        } else {
            " * (Index)out_step0"
        };
        let element = type_name(self.dtype);
        if self.is_paired {
            let _ = write!(
                out,
                "{indent}const unsigned long long pair = number / 2 + (unsigned long long)i0;
{indent}const Index i = (Index)(pair * 2 - number);
{indent}{element} even, odd;
{indent}make(pair, even, odd{names});
{indent}if (i >= 0 && i < (Index)length) out[at + i{step}] = even;
{indent}if (i + 1 < (Index)length) out[at + (i + 1){step}] = odd;
"
            );
            return;
        }
        let _ = writeln!(
            out,
            "{indent}const unsigned long long n = number + (unsigned long long)(i0 * number_step0);"
        );
        if self.kind.is_random() {
            let _ = write!(
                out,
                "{indent}{element} even, odd;
{indent}make(n / 2, even, odd{names});
{indent}out[at + i0{step}] = n & 1 ? odd : even;
"
            );
        } else {
            let _ = writeln!(out, "{indent}out[at + i0{step}] = make(n{names});");
        }
    }
}
