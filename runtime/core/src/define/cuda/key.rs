//! The CUDA C of a task's kernel: the header, the user's text, and the entry around it.

use std::fmt::Write;
use std::sync::Arc;

use smallvec::SmallVec;

use super::{CUDA_HEADER, CudaBody, REDUCE_HEADER};
use crate::cuda::Source;
use crate::cuda::c::{from_words, index_type, prelude, type_name, value_parameters};
use crate::cuda::name::digits;
use crate::define::{Kind, Reduction};
use crate::dtype::DType;

/// A parameter of a task, as far as the kernel depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Parameter {
    pub(super) kind: Kind,
    pub(super) dtype: DType,
    pub(super) rank: u8,
}

impl Parameter {
    /// Returns the reduction of the values of threads, if the parameter has one.
    pub(super) fn folded(&self) -> Option<Reduction> {
        match self.kind {
            Kind::Reduce(reduction) if self.rank == 0 => Some(reduction),
            _ => None,
        }
    }
}

/// The properties that the source of a task's kernel depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct CudaBodyKey {
    pub(super) body: Arc<CudaBody>,
    pub(super) parameters: SmallVec<[Parameter; 4]>,
    /// Axes of the task in the order in which threads traverse them, the fastest first.
    pub(super) order: SmallVec<[u8; 4]>,
    /// Whether indices need 64 bits.
    pub(super) is_wide: bool,
    /// Whether accesses are checked.
    pub(super) verifies: bool,
}

/// Returns the C type of a reduction.
pub(super) const fn operator(reduction: Reduction) -> &'static str {
    match reduction {
        Reduction::Add => "weft::Add",
        Reduction::Mul => "weft::Mul",
        Reduction::Min => "weft::Min",
        Reduction::Max => "weft::Max",
    }
}

/// Returns the part of the source that all tasks share, for elements of these dtypes.
pub(super) fn preamble(is_wide: bool, verifies: bool, reduces: bool, dtypes: &[DType]) -> String {
    let index = index_type(is_wide);
    let verify = if verifies {
        "#define WEFT_VERIFY 1\n"
    } else {
        ""
    };
    let reduce = if reduces { REDUCE_HEADER } else { "" };
    let prelude = prelude(dtypes);
    format!(
        "{prelude}\n{verify}namespace weft {{ typedef {index} Int; }}\n{CUDA_HEADER}\n{reduce}\n"
    )
}

impl CudaBodyKey {
    fn rank(&self) -> usize {
        self.order.len()
    }

    /// Returns whether blocks have several axes.
    pub(super) fn is_tiled(&self) -> bool {
        self.body.is_of_blocks && self.body.block.len() > 1 && self.body.block.len() <= self.rank()
    }

    fn parameters(&self) -> Vec<String> {
        let mut words = vec!["*fault".to_owned()];
        for axis in 0..self.rank() {
            words.extend(["first", "end", "extent"].map(|what| format!("{what}{axis}")));
        }
        for (at, parameter) in self.parameters.iter().enumerate() {
            if parameter.kind == Kind::Scalar {
                words.extend(value_parameters(parameter.dtype, &format!("a{at}")));
                continue;
            }
            words.push(format!("a{at}"));
            match parameter.kind {
                _ if parameter.folded().is_some() => words.push(format!("a{at}_identity")),
                _ => {
                    words.push(format!("a{at}_marks"));
                    for axis in 0..parameter.rank {
                        let each = ["extent", "first", "end", "step"];
                        words.extend(each.map(|what| format!("a{at}_{what}{axis}")));
                    }
                }
            }
        }
        let words = words.into_iter();
        words
            .map(|word| format!("unsigned long long {word}"))
            .collect()
    }

    /// Declares the body's argument for a parameter, and returns its name.
    fn accessor(&self, out: &mut String, at: usize) -> String {
        let parameter = self.parameters[at];
        let (rank, element) = (parameter.rank, type_name(parameter.dtype));
        let name = match parameter.kind {
            Kind::Scalar => return from_words(parameter.dtype, &format!("a{at}")),
            Kind::In => format!("weft::In<{element}, {rank}>"),
            // The builder rejects results of unknown length for GPU bodies.
            Kind::Out | Kind::Unbound => format!("weft::Out<{element}, {rank}>"),
            Kind::InOut => format!("weft::InOut<{element}, {rank}>"),
            Kind::Reduce(reduction) => {
                format!("weft::Reduce<{element}, {rank}, {}>", operator(reduction))
            }
        };
        if parameter.folded().is_some() {
            let identity = from_words(parameter.dtype, &format!("a{at}_identity"));
            let _ = writeln!(out, "    {element} own{at} = {identity};");
            let _ = writeln!(out, "    const {name} p{at} = {{&own{at}}};");
            return format!("p{at}");
        }
        let constant = if parameter.kind == Kind::In {
            "const "
        } else {
            ""
        };
        let list = |what: &str| {
            let axes = (0..rank).map(|axis| format!("(weft::Int)a{at}_{what}{axis}"));
            let axes: Vec<String> = axes.collect();
            format!(
                "{{{{{}}}}}",
                if axes.is_empty() {
                    "0".to_owned()
                } else {
                    axes.join(", ")
                }
            )
        };
        let _ = writeln!(
            out,
            "    const {name} p{at} = {{{{({constant}{element} *)a{at}, {}, {}, {}, {}, {{fault + 1, {at}}}, (unsigned char *)a{at}_marks}}}};",
            list("extent"),
            list("first"),
            list("end"),
            list("step"),
        );
        format!("p{at}")
    }

    /// Declares the body's first argument: an index, or the task.
    fn task(&self, out: &mut String) {
        let rank = self.rank();
        let list = |what: &str| {
            let axes: Vec<String> = (0..rank)
                .map(|axis| format!("(weft::Int){what}{axis}"))
                .collect();
            format!(
                "{{{{{}}}}}",
                if axes.is_empty() {
                    "0".to_owned()
                } else {
                    axes.join(", ")
                }
            )
        };
        let sizes: Vec<String> = match self.is_tiled() {
            true => {
                let ones = std::iter::repeat_n(1, rank - self.body.block.len());
                let all = ones.chain(self.body.block.iter().copied());
                all.map(|size| size.to_string()).collect()
            }
            false => vec!["0".to_owned()],
        };
        let _ = writeln!(
            out,
            "    const weft::Task<{rank}> task = {{{}, {}, {}, {{{{{}}}}}}};",
            list("first"),
            list("end"),
            list("extent"),
            sizes.join(", "),
        );
    }

    /// Calls the function for each index of a thread.
    fn each_index(&self, out: &mut String, arguments: &str) {
        let rank = self.rank();
        let function = &self.body.function;
        out.push_str(
            "    const long long count = task.count(), stride = task.stride();\n    for (long long at = task.begin(); at < count; at += stride) {\n",
        );
        let _ = writeln!(out, "        weft::Index<{rank}> i = task.firsts;");
        let count = if self.is_wide {
            "unsigned long long"
        } else {
            "unsigned int"
        };
        let _ = writeln!(out, "        {count} rest = ({count})at;");
        for (level, axis) in self.order.iter().enumerate() {
            if level + 1 == rank {
                let _ = writeln!(out, "        i[{axis}] += (weft::Int)rest;");
                break;
            }
            let _ = writeln!(
                out,
                "        const {count} length{axis} = ({count})(task.end({axis}) - task.first({axis}));"
            );
            let _ = writeln!(
                out,
                "        i[{axis}] += (weft::Int)(rest % length{axis});"
            );
            let _ = writeln!(out, "        rest /= length{axis};");
        }
        let _ = writeln!(out, "        {function}(i{arguments});\n    }}");
    }
}

impl Source for CudaBodyKey {
    fn name(&self) -> String {
        format!("weft_task_{}_{}", self.body.function, digits(self))
    }

    fn source(&self) -> String {
        let reduces = |one: &Parameter| matches!(one.kind, Kind::Reduce(_));
        let reduces = self.parameters.iter().any(reduces);
        let dtypes: SmallVec<[DType; 8]> = self.parameters.iter().map(|one| one.dtype).collect();
        let mut out = preamble(self.is_wide, self.verifies, reduces, &dtypes);
        let name = self.name();
        let (file, text) = (self.body.file.escape_default(), &self.body.source);
        let _ = write!(out, "#line 1 \"{file}\"\n{text}\n#line 1 \"{name}.cu\"\n");
        let threads = self.body.threads();
        let parameters = self.parameters().join(",\n    ");
        let _ = writeln!(
            out,
            "extern \"C\" __global__ void __launch_bounds__({threads}) {name}(\n    {parameters}) {{"
        );
        self.task(&mut out);
        let names = (0..self.parameters.len()).map(|at| self.accessor(&mut out, at));
        let names: Vec<String> = names.collect();
        let arguments: String = names.iter().map(|name| format!(", {name}")).collect();
        match self.body.is_of_blocks {
            true => {
                let _ = writeln!(out, "    {}_block(task{arguments});", self.body.function);
            }
            false => self.each_index(&mut out, &arguments),
        }
        for (at, parameter) in self.parameters.iter().enumerate() {
            let Some(reduction) = parameter.folded() else {
                continue;
            };
            let (element, operator) = (type_name(parameter.dtype), operator(reduction));
            let _ = writeln!(
                out,
                "    own{at} = weft::of_block<{operator}>(own{at});\n    \
                 if ((threadIdx.x | threadIdx.y | threadIdx.z) == 0) (({element} *)a{at})[blockIdx.x] = own{at};"
            );
        }
        out.push_str("}\n");
        out
    }

    fn task(&self) -> Option<&str> {
        Some(self.body.task)
    }
}
