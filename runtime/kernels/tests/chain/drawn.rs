//! A random chain with its operands.

#![allow(unsafe_code, reason = "runs chains in place")]

use super::user::User;
use smallvec::SmallVec;
use weft_kernels::chain::{ChainPlan, Function, Step, StepKind, Value};
use weft_kernels::dtype::{DType, Scalar};
use weft_kernels::elementwise::functions;
use weft_kernels::testing::{Draw, Operand, assert_same};
use weft_kernels::{BinaryOp, ReduceOp, UnaryOp, elementwise, reduce};

/// The destination of an output.
#[derive(Clone, Copy, Debug)]
enum Target {
    /// Memory of its own, with this number.
    Own(usize),
    /// The place of this input.
    Input(usize),
}

pub(super) struct RandomChain {
    dims: Vec<usize>,
    inputs: Vec<Operand>,
    steps: Vec<Step>,
    outputs: Vec<(u16, Target)>,
    own: Vec<Operand>,
    fold: Option<(ReduceOp, u16)>,
}

impl RandomChain {
    pub(super) fn new(draw: &mut Draw, dims: &[usize]) -> RandomChain {
        let mut drawn = RandomChain {
            dims: dims.to_vec(),
            inputs: Vec::new(),
            steps: Vec::new(),
            outputs: Vec::new(),
            own: Vec::new(),
            fold: None,
        };
        // A chain has few dtypes, so that many values can be combined.
        let dtypes = [0, 1].map(|_| DType::ALL[draw.below(DType::ALL.len())]);
        let mut distinct = Vec::new();
        for _ in 0..1 + draw.below(4) {
            let dtype = dtypes[draw.below(2)];
            distinct.push(draw.below(2) == 0);
            let is_distinct = distinct[distinct.len() - 1];
            let input = Operand::new(draw, dtype, dims, is_distinct, |draw| draw.value(dtype));
            drawn.inputs.push(input);
        }
        let mut values: Vec<(Value, DType)> = Vec::new();
        for (input, operand) in (0..).zip(&drawn.inputs) {
            values.push((Value::Input(input), operand.dtype()));
        }
        for _ in 0..1 + draw.below(12) {
            let (step, dtype) = draw_step(draw, &values, &dtypes);
            values.push((Value::Step(drawn.steps.len() as u16), dtype));
            drawn.steps.push(step);
        }
        let steps = &values[drawn.inputs.len()..];
        let mut taken = vec![false; drawn.inputs.len()];
        for _ in 0..draw.below(4) {
            let step = draw.below(steps.len());
            let dtype = steps[step].1;
            let target = (0..taken.len()).find(|&input| {
                distinct[input] && !taken[input] && drawn.inputs[input].dtype() == dtype
            });
            let target = match target {
                Some(input) if draw.below(3) > 0 => {
                    taken[input] = true;
                    Target::Input(input)
                }
                _ => {
                    let out = Operand::new(draw, dtype, dims, true, |draw| draw.value(dtype));
                    drawn.own.push(out);
                    Target::Own(drawn.own.len() - 1)
                }
            };
            drawn.outputs.push((step as u16, target));
        }
        if drawn.outputs.is_empty() || draw.below(3) == 0 {
            let ops = [
                ReduceOp::Sum,
                ReduceOp::Prod,
                ReduceOp::Any,
                ReduceOp::All,
                ReduceOp::CountNonzero,
                ReduceOp::Max,
                ReduceOp::Min,
            ];
            let is_empty = dims.contains(&0);
            let op = ops[draw.below(if is_empty { 5 } else { 7 })];
            let step = draw.below(steps.len());
            if op.is_defined(steps[step].1) {
                drawn.fold = Some((op, step as u16));
            }
        }
        drawn
    }

    /// Computes a step by a single kernel.
    fn alone(&self, kind: &dyn Function, operands: &[&Operand]) -> Operand {
        let dtypes: Vec<_> = operands.iter().map(|operand| operand.dtype()).collect();
        let mut out = Operand::zeros(&self.dims, kind.output(&dtypes).unwrap());
        let of = |at: usize| operands[at].tile();
        let any: &dyn std::any::Any = kind;
        if let Some(op) = UnaryOp::from_function(kind) {
            elementwise::unary(op, &of(0), &mut out.tile_mut());
        } else if let Some(op) = BinaryOp::from_function(kind) {
            elementwise::binary(op, &of(0), &of(1), &mut out.tile_mut());
        } else if let Some(user) = any.downcast_ref::<User>() {
            return user.alone(operands, &self.dims);
        } else if kind.name() == "where" {
            let mut condition = Operand::zeros(&self.dims, DType::Bool);
            elementwise::cast(&of(0), &mut condition.tile_mut());
            elementwise::select(&condition.tile(), &of(1), &of(2), &mut out.tile_mut());
        } else {
            // A cast or a copy.
            elementwise::cast(&of(0), &mut out.tile_mut());
        }
        out
    }

    /// Runs the steps alone, then the chain, and compares all outputs.
    pub(super) fn check(&self) {
        let mut alone: Vec<Operand> = Vec::new();
        for step in &self.steps {
            let operands: Vec<&Operand> = step
                .inputs
                .iter()
                .map(|value| match *value {
                    Value::Input(input) => &self.inputs[usize::from(input)],
                    Value::Step(step) => &alone[usize::from(step)],
                })
                .collect();
            alone.push(self.alone(&*step.kind, &operands));
        }
        let folded = self.fold.map(|(op, step)| {
            let input = &alone[usize::from(step)];
            let mut out = Operand::zeros(&[], op.output_dtype(input.dtype()));
            reduce::partial(op, &input.tile(), &mut out.tile_mut());
            out
        });
        let expected: Vec<_> = self
            .outputs
            .iter()
            .map(|(step, _)| alone[usize::from(*step)].values())
            .collect();
        let outside: Vec<_> = self.written().map(Operand::others).collect();

        let dtypes: Vec<_> = self.inputs.iter().map(Operand::dtype).collect();
        let steps: Vec<_> = self.outputs.iter().map(|(step, _)| *step).collect();
        let fold = self.fold.map(|(op, step)| (op.into(), step));
        let plan = ChainPlan::new(&dtypes, &self.steps, &steps, fold).unwrap();
        let inputs: Vec<_> = self.inputs.iter().map(Operand::tile).collect();
        // SAFETY: outputs of a chain may be the views of inputs, and each is another operand.
        let outputs = self.written().map(|out| unsafe { out.tile_in_place() });
        let mut outputs: Vec<_> = outputs.collect();
        let mut got = folded.as_ref().map(|out| Operand::zeros(&[], out.dtype()));
        let mut fold = got.as_mut().map(Operand::tile_mut);
        plan.run(&inputs, &mut outputs, fold.as_mut());

        for ((number, operand), expected) in self.written().enumerate().zip(&expected) {
            assert_same(
                &operand.values(),
                expected,
                &format!("output {number} of {self:?}"),
            );
        }
        for (operand, before) in self.written().zip(&outside) {
            for ((_, before), (at, after)) in before.iter().zip(operand.others()) {
                assert_same(
                    &[after],
                    &[*before],
                    &format!("outside at {at} of {self:?}"),
                );
            }
        }
        if let (Some(got), Some(expected)) = (got, folded) {
            assert_same(
                &got.values(),
                &expected.values(),
                &format!("the fold of {self:?}"),
            );
        }
    }

    fn written(&self) -> impl Iterator<Item = &Operand> {
        self.outputs.iter().map(|(_, target)| match *target {
            Target::Own(own) => &self.own[own],
            Target::Input(input) => &self.inputs[input],
        })
    }
}

/// A user's function, which depends on all its values and on its own number.
fn mixed(own: i64, inputs: usize, to: DType) -> StepKind {
    User::step("mixed", inputs, to, move |values| {
        let mix =
            |mixed: i64, value: &Scalar| mixed.wrapping_mul(31).wrapping_add(value.to::<i64>());
        Scalar::I64(values.iter().fold(own, mix))
    })
}

/// Returns a random step of the available values, and the dtype of its result.
fn draw_step(draw: &mut Draw, values: &[(Value, DType)], dtypes: &[DType; 2]) -> (Step, DType) {
    // Later values are more likely, so that chains become long.
    let any = |draw: &mut Draw| {
        values[values.len() - 1 - draw.below(values.len()).min(draw.below(values.len()))]
    };
    let like = |draw: &mut Draw, dtype: DType| {
        let fitting: Vec<_> = values.iter().filter(|value| value.1 == dtype).collect();
        *fitting[draw.below(fitting.len())]
    };
    let (first, dtype) = any(draw);
    let step = |kind, inputs: &[Value]| Step {
        kind,
        inputs: SmallVec::from_slice(inputs),
    };
    loop {
        match draw.below(12) {
            0..=2 => {
                let op = UnaryOp::ALL[draw.below(UnaryOp::ALL.len())];
                if let Some(to) = op.output_dtype(dtype) {
                    return (step(op.into(), &[first]), to);
                }
            }
            3..=6 => {
                let op = BinaryOp::ALL[draw.below(BinaryOp::ALL.len())];
                if let Some(to) = op.output_dtype(dtype) {
                    let (second, _) = like(draw, dtype);
                    return (step(op.into(), &[first, second]), to);
                }
            }
            7 => {
                let (condition, _) = any(draw);
                let (second, _) = like(draw, dtype);
                return (
                    step(functions::select().into(), &[condition, first, second]),
                    dtype,
                );
            }
            8 => {
                let to = dtypes[draw.below(2)];
                return (step(functions::cast(to).into(), &[first]), to);
            }
            9 | 10 => {
                // Sometimes as many inputs as a function can have.
                let most = if draw.below(8) == 0 { 15 } else { 6 };
                let inputs: Vec<_> = (0..1 + draw.below(most)).map(|_| any(draw).0).collect();
                let to = dtypes[draw.below(2)];
                let kind = mixed(draw.next() as i64, inputs.len(), to);
                return (step(kind, &inputs), to);
            }
            _ => return (step(StepKind::COPY, &[first]), dtype),
        }
    }
}

impl std::fmt::Debug for RandomChain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (number, input) in self.inputs.iter().enumerate() {
            writeln!(f, "input {number}: {} {:?}", input.dtype(), input.layout)?;
        }
        for (number, step) in self.steps.iter().enumerate() {
            writeln!(f, "step {number}: {:?} of {:?}", step.kind, step.inputs)?;
        }
        for (own, number) in self.own.iter().zip(0..) {
            writeln!(f, "memory {number}: {} {:?}", own.dtype(), own.layout)?;
        }
        write!(f, "outputs {:?}, fold {:?}", self.outputs, self.fold)
    }
}
