//! The CUDA C of a chain's kernel.

use std::fmt::Write;

use super::super::c::{from_words, type_name, value_parameters};
use super::super::grid::{self, ROWS, THREADS};
use super::key::{Advance, ChainKernelKey, Form, Input};

impl ChainKernelKey {
    /// Returns complete CUDA C.
    pub(crate) fn source(&self) -> String {
        let mut out = self.function().source(&[]);
        grid::types(&mut out, self.is_wide);
        match self.form {
            Form::Flat { pack } => self.flat(&mut out, usize::from(pack)),
            Form::Nested { rank } => self.nested(&mut out, usize::from(rank)),
        }
        out
    }

    /// Opens the entry point: its parameters, and the inputs that are the same for all indices.
    fn open(&self, out: &mut String, loops: Vec<String>, levels: usize) {
        let results = self.function().results();
        let mut parameters = Vec::new();
        for (at, input) in self.inputs.iter().enumerate() {
            if let Input::Argument(dtype) = *input {
                let words = value_parameters(dtype, &format!("word{at}"));
                parameters.extend(
                    words
                        .iter()
                        .map(|word| format!("unsigned long long {word}")),
                );
                continue;
            }
            parameters.push(format!("const {} *in{at}", type_name(input.dtype())));
        }
        for (at, &dtype) in results.iter().enumerate() {
            parameters.push(format!("{} *out{at}", type_name(dtype)));
        }
        parameters.extend(loops);
        for (at, place) in self.places.iter().enumerate() {
            let first = usize::from(*place != Advance::Stepping);
            parameters.extend((first..levels).map(|level| format!("long long step{at}_{level}")));
        }
        let _ = writeln!(
            out,
            "extern \"C\" __global__ void __launch_bounds__({THREADS})\n{}({}) {{",
            self.name(),
            parameters.join(", ")
        );
        for (at, input) in self.inputs.iter().enumerate() {
            let dtype = input.dtype();
            let value = match input {
                Input::Argument(_) => from_words(dtype, &format!("word{at}")),
                Input::Once(_) => format!("*in{at}"),
                Input::Each { .. } => continue,
            };
            let _ = writeln!(out, "    const {} a{at} = {value};", type_name(dtype));
        }
    }

    /// Writes one loop over packs of neighbours, or over single elements. All loads of a thread
    /// precede its stores, which may be to the same addresses.
    fn flat(&self, out: &mut String, pack: usize) {
        let packs = self.packs();
        self.open(out, vec!["long long count".into()], 1);
        let count = if pack == 1 {
            "(Index)count".to_owned()
        } else {
            format!("(Index)(count / {pack})")
        };
        let _ = write!(
            out,
            "    const Index packs = {count};
    const Index first = (Index)blockIdx.x * (Index)(blockDim.x * {packs}) + (Index)threadIdx.x;
"
        );
        self.declare(out, "    ", packs, pack);
        let _ = write!(
            out,
            "    #pragma unroll
    for (int k = 0; k < {packs}; ++k) {{
        const Index i = first + (Index)(k * blockDim.x);
        if (i < packs) {{
"
        );
        for (at, place) in self.read() {
            let index = self.flat_index(place);
            let _ = match pack {
                1 => writeln!(out, "            v{at}[k] = in{at}[{index}];"),
                _ => writeln!(out, "            v{at}[k] = weft::load<{pack}>(in{at}, i);"),
            };
        }
        let _ = write!(
            out,
            "        }}
    }}
    #pragma unroll
    for (int k = 0; k < {packs}; ++k) {{
        const Index i = first + (Index)(k * blockDim.x);
        if (i < packs) {{
"
        );
        self.outputs_of(out, "            ", pack);
        if pack == 1 {
            let call = self.call(|at| format!("v{at}[k]"), |at| format!("r{at}"));
            let _ = writeln!(out, "            {call}");
            for (at, output) in self.outputs.iter().enumerate() {
                let index = self.flat_index(output.place);
                let _ = writeln!(out, "            out{at}[{index}] = r{at};");
            }
            out.push_str("        }\n    }\n}\n");
            return;
        }
        let call = self.call(
            |at| format!("v{at}[k].lane[l]"),
            |at| format!("r{at}.lane[l]"),
        );
        let _ = writeln!(
            out,
            "            #pragma unroll\n            for (int l = 0; l < {pack}; ++l) {call}"
        );
        for at in 0..self.outputs.len() {
            let _ = writeln!(out, "            weft::store(out{at}, i, r{at});");
        }
        let _ = write!(
            out,
            "        }}
    }}
    // The last elements, which fill no pack.
    const Index i = packs * {pack} + first;
    if (first < {pack} && i < (Index)count) {{
"
        );
        self.outputs_of(out, "        ", 1);
        let call = self.call(|at| format!("in{at}[i]"), |at| format!("r{at}"));
        let _ = writeln!(out, "        {call}");
        for at in 0..self.outputs.len() {
            let _ = writeln!(out, "        out{at}[i] = r{at};");
        }
        out.push_str("    }\n}\n");
    }

    /// Returns the offset of an operand at index `i` of the only loop.
    fn flat_index(&self, place: u8) -> String {
        match self.places[usize::from(place)] {
            Advance::Stepping => format!("i * (Index)step{place}_0"),
            _ => "i".into(),
        }
    }

    /// Writes several loops. All loads of a thread precede its stores, which may be to the same
    /// addresses.
    fn nested(&self, out: &mut String, rank: usize) {
        self.open(out, grid::parameters(rank), rank);
        grid::open(out, rank);
        for (at, place) in self.places.iter().enumerate() {
            let mut terms = Vec::new();
            match place {
                Advance::Dense => terms.push("i0".to_owned()),
                Advance::Still => {}
                Advance::Stepping => terms.push(format!("i0 * (Index)step{at}_0")),
            }
            terms.extend((1..rank).map(|level| format!("i{level} * (Index)step{at}_{level}")));
            let _ = writeln!(out, "        const Index at{at} = {};", terms.join(" + "));
        }
        self.declare(out, "        ", ROWS, 1);
        let round = |out: &mut String| {
            let _ = write!(
                out,
                "        #pragma unroll
        for (int k = 0; k < {ROWS}; ++k) {{
            const Index row = (Index)(k * blockDim.y);
            if (i1 + row < (Index)count1) {{
"
            );
            for at in 0..self.places.len() {
                let _ = writeln!(
                    out,
                    "                const Index p{at} = at{at} + row * (Index)step{at}_1;"
                );
            }
        };
        round(out);
        for (at, place) in self.read() {
            let _ = writeln!(out, "                v{at}[k] = in{at}[p{place}];");
        }
        out.push_str("            }\n        }\n");
        round(out);
        self.outputs_of(out, "                ", 1);
        let call = self.call(|at| format!("v{at}[k]"), |at| format!("r{at}"));
        let _ = writeln!(out, "                {call}");
        for (at, output) in self.outputs.iter().enumerate() {
            let _ = writeln!(out, "                out{at}[p{}] = r{at};", output.place);
        }
        out.push_str("            }\n        }\n    }\n}\n");
    }

    /// Returns the inputs that are read at each index, with their places.
    fn read(&self) -> impl Iterator<Item = (usize, u8)> {
        self.inputs
            .iter()
            .enumerate()
            .filter_map(|(at, input)| match *input {
                Input::Each { place, .. } => Some((at, place)),
                _ => None,
            })
    }

    /// Declares the registers for the inputs of a thread.
    fn declare(&self, out: &mut String, indent: &str, rounds: usize, pack: usize) {
        for (at, _) in self.read() {
            let dtype = pack_type(type_name(self.inputs[at].dtype()), pack);
            let _ = writeln!(out, "{indent}{dtype} v{at}[{rounds}];");
        }
    }

    /// Declares the registers for the outputs of one index, or of a pack.
    fn outputs_of(&self, out: &mut String, indent: &str, pack: usize) {
        let results = self.function().results();
        for (at, &dtype) in results.iter().enumerate() {
            let dtype = pack_type(type_name(dtype), pack);
            let _ = writeln!(out, "{indent}{dtype} r{at};");
        }
    }

    /// Returns a call of the function of one index.
    fn call(&self, input: impl Fn(usize) -> String, output: impl Fn(usize) -> String) -> String {
        let inputs = self.inputs.iter().enumerate().map(|(at, each)| match each {
            Input::Each { .. } => input(at),
            _ => format!("a{at}"),
        });
        let all: Vec<String> = inputs.chain((0..self.outputs.len()).map(output)).collect();
        format!("apply({});", all.join(", "))
    }
}

fn pack_type(element: &str, pack: usize) -> String {
    match pack {
        1 => element.into(),
        _ => format!("weft::Pack<{element}, {pack}>"),
    }
}
