//! Plans: the loops of steps.

use smallvec::SmallVec;

use super::{Block, Body, Fold, MAX_INPUTS, Side, Step, StepKind, TERMS, Value, Wide};
use crate::Handle;
use crate::dtype::DType;

/// The most bytes of one value of a block. The operands of a few loops and their results stay in an
/// L1 cache of 32 KiB, together with the next cache lines.
const BLOCK_BYTES: usize = 2 << 10;

/// The most bytes of one value of a block in a chain with loops over any number of inputs, whose
/// calls cost more.
const WIDE_BLOCK_BYTES: usize = 4 << 10;

/// The most elements of a block. Like all numbers of elements, it is a multiple of the number of
/// terms of a fold's block.
const MAX_ELEMENTS: usize = 2048;

/// A chain of elementwise steps with their loops.
pub struct ChainPlan {
    /// The dtype of each value: inputs first, then the results of links.
    pub(super) dtypes: SmallVec<[DType; 32]>,
    /// The number of inputs.
    pub(super) inputs: usize,
    /// The links, in order. A step that only passes a value on has no link.
    pub(super) links: Vec<Link>,
    /// The number of steps of the chain.
    pub(super) steps: u16,
    /// The value of each output.
    pub(super) outputs: SmallVec<[u16; 4]>,
    /// The step whose result each output is.
    pub(super) output_steps: SmallVec<[u16; 4]>,
    /// The reduction, and the value that is reduced.
    pub(super) fold: Option<(Handle<dyn Fold>, u16)>,
    /// The loops over any number of inputs.
    pub(super) wide: Vec<Handle<dyn Wide>>,
    /// Whether one of the steps is long, according to
    /// [`Function::is_long`](super::Function::is_long).
    pub(super) is_long: bool,
    /// The time of each value's last use. Link `i` has the time `i + 1`. Outputs that are written
    /// last have the time after all links.
    pub(super) last_use: SmallVec<[u16; 32]>,
    /// The most elements of a block.
    pub(super) block: usize,
    /// The size of the widest value of a block, in bytes.
    pub(super) slot_bytes: usize,
}

/// A loop over a block.
pub(super) struct Link {
    pub(super) call: LinkCall,
    /// Its function, if that has two inputs.
    function: Option<StepKind>,
    /// The steps that it computes: one twice, or two.
    pub(super) steps: [u16; 2],
    /// The values of its inputs.
    pub(super) from: SmallVec<[u16; 8]>,
}

/// The loop of a link.
#[derive(Clone, Copy)]
pub(super) enum LinkCall {
    /// A loop over few operands.
    Loop(LoopCall),
    /// The loop with this number in [`ChainPlan::wide`].
    Wide(u16),
}

/// A loop, by its number of operands.
#[derive(Clone, Copy)]
pub(super) enum LoopCall {
    Unary(Block<2>),
    Binary(Block<3>),
    /// A function of three values, or two functions of two values, where the third value is an
    /// input of the second.
    Ternary(Block<4>),
}

impl ChainPlan {
    /// Creates a plan for inputs of these dtypes. `outputs` are the steps whose results are
    /// written, in the order of the tiles for [`run`](ChainPlan::run). `fold` reduces the result of
    /// one step to one value for each tile.
    ///
    /// Returns `None` if a step is not defined for the dtypes of its inputs or uses a later value,
    /// or if the reduction is not defined.
    pub fn new(
        inputs: &[DType],
        steps: &[Step],
        outputs: &[u16],
        fold: Option<(Handle<dyn Fold>, u16)>,
    ) -> Option<ChainPlan> {
        let mut builder = Builder {
            dtypes: inputs.into(),
            links: Vec::with_capacity(steps.len()),
            wide: Vec::new(),
            step: 0,
        };
        let mut values: SmallVec<[u16; 32]> = SmallVec::new();
        for (number, step) in (0..).zip(steps) {
            builder.step = number;
            let mut from: SmallVec<[u16; 3]> = SmallVec::new();
            for value in &step.inputs {
                from.push(match *value {
                    Value::Input(input) => (usize::from(input) < inputs.len()).then_some(input)?,
                    Value::Step(step) => *values.get(usize::from(step))?,
                });
            }
            values.push(builder.add(&step.kind, &from)?);
        }
        let value = |step: u16| values.get(usize::from(step)).copied();
        let output_steps = outputs.into();
        let outputs = outputs
            .iter()
            .map(|&step| value(step))
            .collect::<Option<_>>()?;
        let fold = match fold {
            Some((op, step)) => {
                let value = value(step)?;
                let dtype = builder.dtypes[usize::from(value)];
                op.output(dtype)?;
                Some((op, value))
            }
            None => None,
        };
        let plan = builder.pair(inputs.len(), outputs, fold);
        Some(ChainPlan {
            steps: steps.len() as u16,
            output_steps,
            is_long: steps.iter().any(|step| step.kind.is_long()),
            ..plan
        })
    }

    /// Returns the dtype of an output.
    pub(super) fn output_dtype(&self, output: usize) -> DType {
        self.dtypes[usize::from(self.outputs[output])]
    }

    /// Returns the time after all links.
    pub(super) fn end(&self) -> u16 {
        self.links.len() as u16 + 1
    }
}

struct Builder {
    dtypes: SmallVec<[DType; 32]>,
    links: Vec<Link>,
    wide: Vec<Handle<dyn Wide>>,
    /// The step that links are created for.
    step: u16,
}

impl Builder {
    /// Adds the links of a step, and returns the value of its result.
    fn add(&mut self, kind: &StepKind, from: &[u16]) -> Option<u16> {
        if from.len() != kind.inputs() {
            return None;
        }
        let dtypes = self.dtypes_of(from);
        let mut taken: SmallVec<[u16; 8]> = from.into();
        for (input, value) in taken.iter_mut().enumerate() {
            if let Some(before) = kind.before(input, &dtypes) {
                *value = self.link(&before, &[*value])?;
            }
        }
        self.link(kind, &taken)
    }

    fn dtypes_of(&self, values: &[u16]) -> SmallVec<[DType; 8]> {
        let dtypes = values.iter().map(|&value| self.dtypes[usize::from(value)]);
        dtypes.collect()
    }

    /// Adds a function of unchanged values, and returns the value of its result.
    fn link(&mut self, kind: &StepKind, from: &[u16]) -> Option<u16> {
        if from.is_empty() || from.len() != kind.inputs() || from.len() > MAX_INPUTS {
            return None;
        }
        let dtypes = self.dtypes_of(from);
        let dtype = kind.output(&dtypes)?;
        let call = match (kind.body(&dtypes)?, from) {
            (Body::Same, &[value]) => return (dtypes[0] == dtype).then_some(value),
            (Body::Unary(block), [_]) => LinkCall::Loop(LoopCall::Unary(block)),
            (Body::Binary(block), [_, _]) => LinkCall::Loop(LoopCall::Binary(block)),
            (Body::Ternary(block), [_, _, _]) => LinkCall::Loop(LoopCall::Ternary(block)),
            (Body::Wide(wide), _) => {
                self.wide.push(wide);
                LinkCall::Wide(self.wide.len() as u16 - 1)
            }
            _ => return None,
        };
        let is_binary = matches!(call, LinkCall::Loop(LoopCall::Binary(_)));
        self.links.push(Link {
            call,
            function: is_binary.then(|| kind.clone()),
            steps: [self.step; 2],
            from: from.into(),
        });
        self.dtypes.push(dtype);
        Some(self.dtypes.len() as u16 - 1)
    }

    /// Combines each two consecutive links into one, if the result of the first is used only by the
    /// second.
    fn pair(
        mut self,
        inputs: usize,
        mut outputs: SmallVec<[u16; 4]>,
        mut fold: Option<(Handle<dyn Fold>, u16)>,
    ) -> ChainPlan {
        let mut number = 1;
        while number < self.links.len() {
            let value = (inputs + number - 1) as u16;
            let is_folded = fold.as_ref().is_some_and(|(_, of)| *of == value);
            let is_seen = is_folded || outputs.contains(&value);
            let uses = self.links.iter().flat_map(|link| &link.from);
            let is_handed_on = !is_seen && uses.filter(|&&from| from == value).count() == 1;
            let Some(link) = self.paired(number, value).filter(|_| is_handed_on) else {
                number += 1;
                continue;
            };
            self.links[number] = link;
            self.links.remove(number - 1);
            self.dtypes.remove(usize::from(value));
            let renumber = |of: &mut u16| *of -= u16::from(*of > value);
            self.links
                .iter_mut()
                .flat_map(|link| &mut link.from)
                .for_each(renumber);
            outputs.iter_mut().for_each(renumber);
            if let Some((_, of)) = &mut fold {
                renumber(of);
            }
        }
        self.finish(inputs, outputs, fold)
    }

    /// Returns a link for link `number` and the one before it together, whose result is `value`.
    fn paired(&self, number: usize, value: u16) -> Option<Link> {
        let [first, second] = [&self.links[number - 1], &self.links[number]];
        let [first_function, second_function] =
            [first.function.as_ref()?, second.function.as_ref()?];
        let side = if second.from[0] == value {
            Side::Left
        } else if second.from[1] == value {
            Side::Right
        } else {
            return None;
        };
        let third = match side {
            Side::Left => second.from[1],
            Side::Right => second.from[0],
        };
        let from = [first.from[0], first.from[1], third];
        let dtypes = from.map(|value| self.dtypes[usize::from(value)]);
        let block = first_function.paired(&**second_function, side, dtypes)?;
        Some(Link {
            call: LinkCall::Loop(LoopCall::Ternary(block)),
            function: None,
            steps: [first.steps[0], second.steps[0]],
            from: from.as_slice().into(),
        })
    }

    fn finish(
        self,
        inputs: usize,
        outputs: SmallVec<[u16; 4]>,
        fold: Option<(Handle<dyn Fold>, u16)>,
    ) -> ChainPlan {
        let mut last_use: SmallVec<[u16; 32]> = SmallVec::from_elem(0, self.dtypes.len());
        for (link, number) in self.links.iter().zip(1..) {
            for &value in &link.from {
                last_use[usize::from(value)] = number;
            }
        }
        let end = self.links.len() as u16 + 1;
        for &value in &outputs {
            if usize::from(value) < inputs {
                last_use[usize::from(value)] = end;
            }
        }
        let widest = self.dtypes.iter().map(|dtype| dtype.size()).max();
        let widest = widest.unwrap_or(1);
        let fewest = if fold.is_some() { TERMS } else { 1 };
        let bytes = match self.wide.is_empty() {
            true => BLOCK_BYTES,
            false => WIDE_BLOCK_BYTES,
        };
        let block = (bytes / widest).clamp(fewest, MAX_ELEMENTS);
        ChainPlan {
            dtypes: self.dtypes,
            inputs,
            links: self.links,
            steps: 0,
            outputs,
            output_steps: SmallVec::new(),
            fold,
            wide: self.wide,
            is_long: false,
            last_use,
            block,
            slot_bytes: block * widest,
        }
    }
}
