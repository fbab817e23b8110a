//! Reductions of a chain's results: each thread computes the terms that it folds.
//!
//! The terms are walked like those of a dense array in memory, so that the result has the same
//! bits, whether the values are written first or not.

use std::hash::{Hash, Hasher};

use smallvec::SmallVec;

use super::super::c::{from_words, type_name, value_parameters, words};
use super::super::fold::{FOLD, Fold, HALF};
use super::super::loops::{Form, LAST, LOOPS, TICKETS, arguments, blocks, entry};
use super::super::name::digits;
use super::super::nest::{Nest, Strided};
use super::super::{DeviceOperand, DeviceTile, Kernel};
use super::key::{LINES, REDUCE, each, line_parameters};
use super::lines::Lines;
use super::whole::Whole;
use crate::dtype::DType;
use crate::kernel::ReduceOp;
use crate::shape::{Layout, MAX_DIMS, Shape};
use weft_core::cuda::{Address, Args, ChainFunction, FoldedChain, Launch, Source, Work};

/// A kernel that computes a chain and reduces its last result.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ChainedKernelKey {
    fold: Fold,
    function: ChainFunction,
    /// For each input, the index of its way of advancing; `None` for an argument.
    inputs: SmallVec<[Option<u8>; 8]>,
    /// For each result that is written, the index of its way of advancing.
    outputs: SmallVec<[u8; 2]>,
    /// The loops over the operands, one for each way of advancing.
    form: Form,
    terms: TermWalk,
}

/// The order in which threads walk over the terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum TermWalk {
    /// As over a vector.
    Vector,
    /// Along lines.
    Lines {
        /// The loops over the lines.
        form: Form,
        /// Whether neighbouring threads have neighbouring lines instead of terms.
        is_across: bool,
    },
}

/// The plan of a reduction of values of one shape.
enum TermPlan {
    Vector(Whole),
    Lines(Lines),
}

impl TermPlan {
    /// Plans the reduction of all values, or of those along an axis; `None` if there are none.
    fn new(fold: Fold, axis: Option<usize>, shape: Shape, out: &DeviceTile) -> Option<TermPlan> {
        let Some(axis) = axis else {
            return Whole::of_vector(fold, shape.len()).map(TermPlan::Vector);
        };
        let values = DeviceTile {
            start: 0,
            dtype: fold.dtype,
            layout: Layout::contiguous(shape),
        };
        Lines::reduce(fold, axis, &values, out).map(TermPlan::Lines)
    }
}

/// Returns the number of bytes of device memory for the results of blocks.
pub(crate) fn scratch(
    (op, axis): (ReduceOp, Option<usize>),
    dtype: DType,
    shape: Shape,
    out: &DeviceTile,
) -> usize {
    match TermPlan::new(Fold::reduce(op, dtype), axis, shape, out) {
        None => 0,
        Some(TermPlan::Vector(whole)) => whole.scratch(),
        Some(TermPlan::Lines(lines)) => lines.scratch(),
    }
}

/// Returns the work of a chain with elements.
pub(crate) fn work(
    (op, axis): (ReduceOp, Option<usize>),
    folded: &FoldedChain,
    scratch: Address,
) -> Work {
    let FoldedChain { chain, step, out } = folded;
    let function = ChainFunction::from_chain(chain, *step);
    let fold = Fold::reduce(op, function.last());
    let (terms, inputs) = (chain.shape.len(), chain.inputs.iter());
    let inputs = inputs.filter_map(|input| match input {
        DeviceOperand::Tile(tile) => Some(tile),
        DeviceOperand::Scalar(_) => None,
    });
    let tiles = inputs.chain(chain.outputs.iter().map(|(_, tile)| tile));
    let mut operands: SmallVec<[Strided; 8]> = tiles.map(Strided::from_tile).collect();
    // The loops of a kernel have an operand at least.
    operands.push(Strided {
        first: 0,
        unit: 1,
        strides: [0; MAX_DIMS],
    });
    let plan = TermPlan::new(fold, axis, chain.shape, out);
    let Some((nest, mut plan)) = Nest::in_order(chain.shape, &operands).zip(plan) else {
        unreachable!("a chain without elements has no kernel");
    };
    let mut examples: SmallVec<[usize; 4]> = SmallVec::new();
    let mut args = Args::new();
    let mut tile = 0;
    let mut inputs: SmallVec<[Option<u8>; 8]> = SmallVec::new();
    for input in &chain.inputs {
        inputs.push(match *input {
            DeviceOperand::Scalar(value) => {
                args.extend(words(value));
                None
            }
            DeviceOperand::Tile(_) => {
                args.push(nest.first[tile]);
                tile += 1;
                Some(nest.way(&mut examples, tile - 1))
            }
        });
    }
    let mut outputs: SmallVec<[u8; 2]> = SmallVec::new();
    for operand in tile..tile + chain.outputs.len() {
        args.push(nest.first[operand]);
        outputs.push(nest.way(&mut examples, operand));
    }
    if examples.is_empty() {
        nest.way(&mut examples, operands.len() - 1);
    }
    let mut key = ChainedKernelKey {
        fold,
        function,
        inputs,
        outputs,
        form: Form::new(&nest, &examples, nest.is_wide),
        terms: TermWalk::Vector,
    };
    let loops = arguments(&nest, &examples);
    match &mut plan {
        TermPlan::Vector(whole) => {
            args.extend(fold.result_arguments(scratch, whole.blocks()));
            args.push(Strided::from_tile(out).first);
            args.extend([terms, whole.units()].map(|count| count as u64));
            args.extend(loops);
            Work::Kernel(Launch {
                kernel: Kernel::from_source(key),
                grid: blocks(whole.blocks()),
                block: whole.block(),
                args,
            })
        }
        TermPlan::Lines(lines) => {
            lines.widen(nest.is_wide);
            let form = lines.form();
            key.form = Form::new(&nest, &examples, form.is_wide());
            key.terms = TermWalk::Lines {
                form,
                is_across: lines.is_across(),
            };
            args.push(lines.step() as u64);
            args.extend(lines.arguments(scratch));
            args.extend(loops);
            lines.launch(Kernel::from_source(key), args)
        }
    }
}

impl ChainedKernelKey {
    /// Returns the parameters of the terms, their declarations as members, and the values for
    /// these.
    fn operands(&self) -> [Vec<String>; 3] {
        let [mut parameters, mut members, mut values] = [const { Vec::new() }; 3];
        for (at, (input, &dtype)) in self.inputs.iter().zip(&self.function.inputs).enumerate() {
            let element = type_name(dtype);
            match input {
                Some(_) => {
                    parameters.push(format!("const {element} *in{at}"));
                    members.push(format!("const {element} *in{at};"));
                    values.push(format!("in{at}"));
                }
                None => {
                    let words = value_parameters(dtype, &format!("word{at}"));
                    parameters.extend(
                        words
                            .iter()
                            .map(|word| format!("unsigned long long {word}")),
                    );
                    members.push(format!("{element} a{at};"));
                    values.push(from_words(dtype, &format!("word{at}")));
                }
            }
        }
        let results = self.function.results();
        for (at, &dtype) in results[..self.outputs.len()].iter().enumerate() {
            let element = type_name(dtype);
            parameters.push(format!("{element} *out{at}"));
            members.push(format!("{element} *out{at};"));
            values.push(format!("out{at}"));
        }
        [parameters, members, values]
    }

    /// Returns the definition of the terms.
    fn terms(&self, members: &[String]) -> String {
        let index = self.form.index();
        let (declared, signature, flat, number) = match self.terms {
            TermWalk::Vector => (
                "static constexpr int N = 1;".to_owned(),
                format!("const {index} (&row)[1]"),
                "row[0]",
                format!(
                    "\n    __device__ __forceinline__ long long number(const {index} (&)[1]) const {{ return 0; }}"
                ),
            ),
            TermWalk::Lines { .. } => (
                format!("{index} step;"),
                format!("{index} line, {index} i"),
                "line + i * step",
                String::new(),
            ),
        };
        let results = self.function.results().into_iter().enumerate();
        let results: Vec<String> = results
            .map(|(at, dtype)| format!("{} r{at};", type_name(dtype)))
            .collect();
        let last = self.outputs.len();
        let inputs = self.inputs.iter().enumerate();
        let inputs = inputs.map(|(at, input)| match input {
            Some(place) => format!("in{at}[at[{place}]]"),
            None => format!("a{at}"),
        });
        let values = inputs.chain((0..=last).map(|at| format!("r{at}")));
        let values: Vec<String> = values.collect();
        let written = self.outputs.iter().enumerate();
        let written: Vec<String> = written
            .map(|(at, place)| format!("        out{at}[at[{place}]] = r{at};\n"))
            .collect();
        format!(
            "struct Terms {{
    typedef {} Term;
    {declared}
    {}
    {} loops;
    __device__ __forceinline__ Term term({signature}) const {{
        {index} at[{}];
        loops.template find<0>({flat}, at);
        {}
        apply({});
{}        return r{last};
    }}{number}
}};

",
            self.fold.term(),
            members.join("\n    "),
            self.form.c(),
            self.form.operands(),
            results.join(" "),
            values.join(", "),
            written.concat(),
        )
    }
}

impl Source for ChainedKernelKey {
    fn name(&self) -> String {
        let is_fill = self.inputs[..] == [None];
        let (steps, fold) = (self.function.name(is_fill), self.fold.name());
        let axis = match self.terms {
            TermWalk::Vector => "",
            TermWalk::Lines { .. } => "_axis",
        };
        let digits = digits(&WithoutName(self));
        format!("weft{steps}_{fold}{axis}_{}_{digits}", self.fold.dtype)
    }

    fn source(&self) -> String {
        let (fold, each, index) = (self.fold, each(self.fold), self.form.index());
        let [mut parameters, members, mut values] = self.operands();
        let (c, results) = (fold.c(), fold.results("results"));
        let (body, more) = match self.terms {
            TermWalk::Vector => {
                parameters.extend(fold.result_parameters("results"));
                parameters.extend(fold.result_parameters("out"));
                parameters.extend(["terms", "units"].map(|name| format!("long long {name}")));
                let out = fold.results("out");
                let body = format!(
                    "    const weft::Walk<{each}, 1, 1, {index}> walk =
        {{{{{{({index})terms}}, {{{{1}}}}}}, 1, ({index})units, ({index})units}};
    weft::fold_all<{c}, {each}>(source, walk, {results}, {out}, tickets);
"
                );
                (body, REDUCE)
            }
            TermWalk::Lines { form, is_across } => {
                parameters.push("long long step".to_owned());
                values.insert(0, format!("({index})step"));
                parameters.extend(line_parameters(fold));
                parameters.extend(form.parameters_of("line_"));
                let body = format!(
                    "{}    weft::fold_lines<{c}, {each}, {is_across}>(source, line_loops, ({index})lines, ({index})count,
        ({index})length, {results}, out, tickets);
",
                    form.declare_of("line_"),
                );
                (body, LINES)
            }
        };
        values.push("loops".to_owned());
        parameters.extend(self.form.parameters());
        parameters.push(TICKETS.to_owned());
        let body = format!(
            "{}    const Terms source = {{{}}};\n{body}",
            self.form.declare(),
            values.join(", "),
        );
        let function = self.function.source(&[fold.dtype]);
        let (terms, entry) = (self.terms(&members), entry(&self.name(), parameters, &body));
        let half = if fold.dtype == DType::F16 { HALF } else { "" };
        format!("{function}{LOOPS}\n{LAST}\n{FOLD}{half}\n{more}\n{terms}{entry}")
    }

    fn takes_tickets(&self) -> bool {
        true
    }

    fn task(&self) -> Option<&str> {
        self.function.task()
    }
}

/// A key with the same hash in every run.
struct WithoutName<'a>(&'a ChainedKernelKey);

impl Hash for WithoutName<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let ChainedKernelKey {
            fold: _,
            function,
            inputs,
            outputs,
            form,
            terms,
        } = self.0;
        function.hash_names(state);
        (inputs, outputs, form, terms).hash(state);
    }
}
