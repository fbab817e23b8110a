//! Steps to loops.

use smallvec::SmallVec;

use super::{Step, StepKind, Value};
use crate::dtype::DType;
use crate::elementwise::{
    Block, Side, binary_block, cast_block, pair_block, select_block, unary_block,
};
use crate::order::BLOCK;
use crate::{BinaryOp, ReduceOp};

/// The most bytes of one value of a block: the operands of a few loops and what they hand on stay in a first cache of
/// 32 KiB together with the lines that come next.
const BLOCK_BYTES: usize = 2 << 10;

/// The most elements of a block; a multiple of the terms of a fold's block, as all numbers of elements are.
const MAX_ELEMENTS: usize = 2048;

/// A chain of elementwise steps, with its loops looked up.
pub struct ChainPlan {
    /// The dtype of each value: inputs first, then links.
    pub(super) dtypes: SmallVec<[DType; 32]>,
    /// The number of inputs.
    pub(super) inputs: usize,
    /// What is computed, in order. Steps that only pass a value on are none.
    pub(super) links: Vec<Link>,
    /// The number of steps it was made of.
    pub(super) steps: u16,
    /// The value that each output is.
    pub(super) outputs: SmallVec<[u16; 4]>,
    /// The step whose result each output is.
    pub(super) output_steps: SmallVec<[u16; 4]>,
    /// What is folded, and how.
    pub(super) fold: Option<(ReduceOp, u16)>,
    /// For each value the time of its last use: that of link `i` is `i + 1`, and outputs that are written last have the
    /// time after all links.
    pub(super) last_use: SmallVec<[u16; 32]>,
    /// The most elements of a block.
    pub(super) block: usize,
    /// Bytes of the widest value of a block.
    pub(super) slot_bytes: usize,
}

/// One loop over a block.
#[derive(Clone, Copy)]
pub(super) struct Link {
    pub(super) call: LoopCall,
    /// Which binary operation it is, if it is one.
    op: Option<BinaryOp>,
    /// The steps it computes: one twice, or two.
    pub(super) steps: [u16; 2],
    /// The values it takes; beyond the number that the loop takes they mean nothing.
    pub(super) from: [u16; 3],
}

/// A loop with its number of operands.
#[derive(Clone, Copy)]
pub(super) enum LoopCall {
    Unary(Block<2>),
    Binary(Block<3>),
    /// Two binary operations; the third value goes into the second one.
    Pair(Block<4>),
    Select(Block<4>),
}

impl Link {
    /// The values it takes.
    pub(super) fn from(&self) -> &[u16] {
        let count = match self.call {
            LoopCall::Unary(_) => 1,
            LoopCall::Binary(_) => 2,
            LoopCall::Pair(_) | LoopCall::Select(_) => 3,
        };
        &self.from[..count]
    }
}

impl ChainPlan {
    /// A plan for inputs of these dtypes. `outputs` are the steps whose results are written, in the order of the tiles
    /// that [`run`](ChainPlan::run) is given; `fold` reduces one step's result to one value a tile.
    ///
    /// `None` where a step has no meaning for the dtypes it would get, takes a value that is not there yet, or the
    /// reduction gives an index, or is not defined.
    pub fn new(
        inputs: &[DType],
        steps: &[Step],
        outputs: &[u16],
        fold: Option<(ReduceOp, u16)>,
    ) -> Option<ChainPlan> {
        let mut builder = Builder {
            dtypes: inputs.into(),
            links: Vec::with_capacity(steps.len()),
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
            values.push(builder.add(step.kind, &from)?);
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
                (!op.is_index() && op.is_defined(dtype)).then_some(Some((op, value)))?
            }
            None => None,
        };
        let plan = builder.pair(inputs.len(), outputs, fold);
        Some(ChainPlan {
            steps: steps.len() as u16,
            output_steps,
            ..plan
        })
    }

    /// The dtype of an output.
    pub(super) fn output_dtype(&self, output: usize) -> DType {
        self.dtypes[usize::from(self.outputs[output])]
    }

    /// The time after all links.
    pub(super) fn end(&self) -> u16 {
        self.links.len() as u16 + 1
    }
}

struct Builder {
    dtypes: SmallVec<[DType; 32]>,
    links: Vec<Link>,
    /// The step that links are made for.
    step: u16,
}

impl Builder {
    /// Adds what a step needs, and gives the value that is its result.
    fn add(&mut self, kind: StepKind, from: &[u16]) -> Option<u16> {
        let dtype = |at: usize| Some(self.dtypes[usize::from(*from.get(at)?)]);
        let first = dtype(0)?;
        match (kind, from) {
            (StepKind::Unary(op), &[a]) => {
                let block = unary_block(op, first)?;
                Some(self.link(LoopCall::Unary(block), [a, 0, 0], op.output_dtype(first)?))
            }
            (StepKind::Binary(op), &[a, b]) => {
                if dtype(1)? != first {
                    return None;
                }
                let block = binary_block(op, first)?;
                let value = self.link(LoopCall::Binary(block), [a, b, 0], op.output_dtype(first)?);
                if let Some(link) = self.links.last_mut() {
                    link.op = Some(op);
                }
                Some(value)
            }
            (StepKind::Select, &[condition, a, b]) => {
                let result = dtype(1)?;
                if dtype(2)? != result {
                    return None;
                }
                let condition = self.cast(condition, DType::Bool);
                Some(self.link(
                    LoopCall::Select(select_block(result)),
                    [condition, a, b],
                    result,
                ))
            }
            (StepKind::Cast(to), &[a]) => Some(self.cast(a, to)),
            (StepKind::Copy, &[a]) => Some(a),
            _ => None,
        }
    }

    fn cast(&mut self, value: u16, to: DType) -> u16 {
        let from = self.dtypes[usize::from(value)];
        if from == to {
            return value;
        }
        self.link(LoopCall::Unary(cast_block(from, to)), [value, 0, 0], to)
    }

    fn link(&mut self, call: LoopCall, from: [u16; 3], dtype: DType) -> u16 {
        self.links.push(Link {
            call,
            op: None,
            steps: [self.step; 2],
            from,
        });
        self.dtypes.push(dtype);
        self.dtypes.len() as u16 - 1
    }

    /// Makes one link of each two that follow one another where the first one's result goes to the second alone.
    fn pair(
        mut self,
        inputs: usize,
        mut outputs: SmallVec<[u16; 4]>,
        mut fold: Option<(ReduceOp, u16)>,
    ) -> ChainPlan {
        let mut number = 1;
        while number < self.links.len() {
            let value = (inputs + number - 1) as u16;
            let is_seen = outputs.contains(&value) || fold.is_some_and(|(_, of)| of == value);
            let uses = self.links.iter().flat_map(Link::from);
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

    /// The link that does what link `number` and the one before it do, whose result is `value`.
    fn paired(&self, number: usize, value: u16) -> Option<Link> {
        let [first, second] = [&self.links[number - 1], &self.links[number]];
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
        let block = pair_block(first.op?, second.op?, side, self.dtypes[usize::from(value)])?;
        Some(Link {
            call: LoopCall::Pair(block),
            op: None,
            steps: [first.steps[0], second.steps[0]],
            from: [first.from[0], first.from[1], third],
        })
    }

    fn finish(
        self,
        inputs: usize,
        outputs: SmallVec<[u16; 4]>,
        fold: Option<(ReduceOp, u16)>,
    ) -> ChainPlan {
        let mut last_use: SmallVec<[u16; 32]> = SmallVec::from_elem(0, self.dtypes.len());
        for (link, number) in self.links.iter().zip(1..) {
            for &value in link.from() {
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
        let fewest = if fold.is_some() { BLOCK } else { 1 };
        let block = (BLOCK_BYTES / widest).clamp(fewest, MAX_ELEMENTS);
        ChainPlan {
            dtypes: self.dtypes,
            inputs,
            links: self.links,
            steps: 0,
            outputs,
            output_steps: SmallVec::new(),
            fold,
            last_use,
            block,
            slot_bytes: block * widest,
        }
    }
}
