//! Random chains with their operands, and their expected results.

use super::*;

/// An input.
#[derive(Debug)]
pub(super) enum In {
    Memory(usize),
    Value(Scalar),
}

/// A chain and its memory.
pub(super) struct RandomChain {
    operands: Vec<Operand>,
    inputs: Vec<In>,
    pub(super) steps: SmallVec<[Step; 8]>,
    /// The step and the operand of each output.
    pub(super) outputs: Vec<(u16, usize)>,
}

impl std::fmt::Debug for RandomChain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:#?}", self.chain())
    }
}

const DIMS: [&[usize]; 14] = [
    &[],
    &[1],
    &[0],
    &[5],
    &[37],
    &[4099],
    &[3, 0],
    &[3, 70],
    &[70, 3],
    &[130, 67],
    &[5, 4, 3],
    &[2, 3, 2, 5],
    &[2, 3, 1, 2, 3, 2],
    &[300, 2, 9],
];

impl RandomChain {
    /// Creates a chain over these inputs that writes every step to memory of its own.
    pub(super) fn all_written(operands: Vec<Operand>, steps: SmallVec<[Step; 8]>) -> RandomChain {
        let inputs = (0..operands.len()).map(In::Memory).collect();
        let dims = operands[0].tile().dims().to_vec();
        let mut drawn = RandomChain {
            operands,
            inputs,
            steps,
            outputs: Vec::new(),
        };
        for (at, dtype) in drawn.dtypes().into_iter().enumerate() {
            drawn.outputs.push((at as u16, drawn.operands.len()));
            drawn.operands.push(Operand::zeros(&dims, dtype));
        }
        drawn
    }

    /// Creates a chain of up to four inputs and six steps.
    pub(super) fn new(draw: &mut Draw) -> RandomChain {
        let dims = DIMS[draw.below(DIMS.len())];
        let is_dense = draw.below(3) == 0;
        let mut drawn = RandomChain {
            operands: Vec::new(),
            inputs: Vec::new(),
            steps: SmallVec::new(),
            outputs: Vec::new(),
        };
        for _ in 0..1 + draw.below(4) {
            let dtype = any_dtype(draw);
            let input = if draw.below(5) == 0 {
                In::Value(draw.value(dtype))
            } else {
                In::Memory({
                    let is_distinct = draw_bool(draw);
                    drawn.memory(draw, dtype, dims, is_dense, is_distinct)
                })
            };
            drawn.inputs.push(input);
        }
        for _ in 0..1 + draw.below(6) {
            let step = drawn.step(draw);
            drawn.steps.push(step);
        }
        drawn.write(draw, dims, is_dense);
        drawn
    }

    /// Chooses the outputs: the last step's result, and possibly another one's.
    fn write(&mut self, draw: &mut Draw, dims: &[usize], is_dense: bool) {
        let dtypes = self.dtypes();
        let last = self.steps.len() - 1;
        let another = draw.below(last + 1);
        for step in [last, another] {
            if self
                .outputs
                .iter()
                .any(|&(known, _)| usize::from(known) == step)
            {
                continue;
            }
            // In place, if the memory of some input has the right dtype and distinct elements.
            let in_place = (0..self.operands.len()).find(|&at| {
                let tile = self.operands[at].tile();
                tile.dtype() == dtypes[step]
                    && (tile.layout().is_contiguous()
                        || tile.layout().strides().iter().all(|&step| step != 0) && dims.len() == 1)
                    && self.outputs.iter().all(|&(_, known)| known != at)
            });
            let operand = match in_place {
                Some(operand) if draw.below(2) == 0 => operand,
                _ => self.memory(draw, dtypes[step], dims, is_dense, true),
            };
            self.outputs.push((step as u16, operand));
        }
    }

    fn memory(
        &mut self,
        draw: &mut Draw,
        dtype: DType,
        dims: &[usize],
        is_dense: bool,
        is_distinct: bool,
    ) -> usize {
        let operand = if is_dense {
            let count = dims.iter().product();
            let values: Vec<Scalar> = (0..count).map(|_| draw.value(dtype)).collect();
            Operand::from_values(dims, &values, dtype)
        } else {
            Operand::new(draw, dtype, dims, is_distinct, |draw| draw.value(dtype))
        };
        self.operands.push(operand);
        self.operands.len() - 1
    }

    /// Returns a step that is defined for existing values.
    fn step(&self, draw: &mut Draw) -> Step {
        let results = self.dtypes();
        let inputs = (0..self.inputs.len() as u16).map(Value::Input);
        let values: Vec<Value> = inputs
            .chain((0..results.len() as u16).map(Value::Step))
            .collect();
        let dtype = |value: Value| self.dtype(value, &results);
        loop {
            let value = values[draw.below(values.len())];
            let of_one_dtype: Vec<Value> = values
                .iter()
                .copied()
                .filter(|&other| dtype(other) == dtype(value))
                .collect();
            let other = of_one_dtype[draw.below(of_one_dtype.len())];
            let (kind, inputs): (StepKind, SmallVec<[Value; 3]>) = match draw.below(6) {
                0 => {
                    let op = UnaryOp::ALL[draw.below(UnaryOp::ALL.len())];
                    if op.output_dtype(dtype(value)).is_none() || ulps(&op.into()) > 0 {
                        continue;
                    }
                    (op.into(), smallvec![value])
                }
                1 => (functions::cast(any_dtype(draw)).into(), smallvec![value]),
                2 => (
                    functions::select().into(),
                    smallvec![values[draw.below(values.len())], value, other],
                ),
                3 => (StepKind::COPY, smallvec![value]),
                _ => {
                    let op = BinaryOp::ALL[draw.below(BinaryOp::ALL.len())];
                    let output = op.output_dtype(dtype(value));
                    if output.is_none() || ulps(&op.into()) > 0 {
                        continue;
                    }
                    (op.into(), smallvec![value, other])
                }
            };
            return Step { kind, inputs };
        }
    }

    fn dtype(&self, value: Value, results: &[DType]) -> DType {
        match value {
            Value::Input(at) => match &self.inputs[usize::from(at)] {
                In::Memory(at) => self.operands[*at].tile().dtype(),
                In::Value(value) => value.dtype(),
            },
            Value::Step(at) => results[usize::from(at)],
        }
    }

    /// Returns the dtypes of the steps' results.
    pub(super) fn dtypes(&self) -> Vec<DType> {
        let mut results = Vec::new();
        for step in &self.steps {
            let inputs = step.inputs.iter();
            let dtypes: Vec<DType> = inputs.map(|&value| self.dtype(value, &results)).collect();
            results.push(step.kind.output(&dtypes).unwrap());
        }
        results
    }

    pub(super) fn chain(&self) -> Chain {
        let inputs = self.inputs.iter().map(|input| match input {
            In::Memory(at) => DeviceOperand::Tile(device_tile(&self.operands[*at])),
            In::Value(value) => DeviceOperand::Scalar(*value),
        });
        let outputs = self
            .outputs
            .iter()
            .map(|&(step, at)| (step, device_tile(&self.operands[at])));
        let outputs: SmallVec<[(u16, DeviceTile); 2]> = outputs.collect();
        Chain {
            shape: outputs[0].1.layout.shape,
            inputs: inputs.collect(),
            steps: self.steps.clone(),
            outputs,
        }
    }

    /// Returns the contents of the outputs, with their steps.
    pub(super) fn results(&self) -> Vec<(u16, Vec<Scalar>)> {
        self.outputs
            .iter()
            .map(|&(step, at)| (step, self.operands[at].values()))
            .collect()
    }

    /// Returns the contents of all memory outside of the outputs.
    pub(super) fn outside(&self) -> Vec<Scalar> {
        let is_output = |at: usize| self.outputs.iter().any(|&(_, output)| output == at);
        let operands = self.operands.iter().enumerate();
        operands
            .flat_map(|(at, operand)| {
                let others = operand.others().into_iter().map(|(_, value)| value);
                others
                    .chain(if is_output(at) {
                        Vec::new()
                    } else {
                        operand.values()
                    })
                    .collect::<Vec<_>>()
            })
            .collect()
    }

    /// Returns the results of the CPU's kernels, one step after the other, for each output.
    pub(super) fn on_cpu(&self) -> Vec<Vec<Scalar>> {
        let shape = self.operands[self.outputs[0].1].layout.shape;
        let dims = shape.dims();
        let read = |input: &In| match input {
            In::Memory(at) => Operand::from_values(
                dims,
                &self.operands[*at].values(),
                self.operands[*at].tile().dtype(),
            ),
            In::Value(value) => {
                Operand::from_values(dims, &vec![*value; shape.len()], value.dtype())
            }
        };
        let inputs: Vec<Operand> = self.inputs.iter().map(read).collect();
        let mut results: Vec<Operand> = Vec::new();
        for (step, dtype) in self.steps.iter().zip(self.dtypes()) {
            let mut out = Operand::zeros(dims, dtype);
            let of = |at: usize| match step.inputs[at] {
                Value::Input(at) => inputs[usize::from(at)].tile(),
                Value::Step(at) => results[usize::from(at)].tile(),
            };
            match (
                UnaryOp::from_function(&*step.kind),
                BinaryOp::from_function(&*step.kind),
            ) {
                (Some(op), _) => elementwise::unary(op, &of(0), &mut out.tile_mut()),
                (_, Some(op)) => elementwise::binary(op, &of(0), &of(1), &mut out.tile_mut()),
                _ if step.inputs.len() == 3 => {
                    let mut condition = Operand::zeros(dims, DType::Bool);
                    elementwise::cast(&of(0), &mut condition.tile_mut());
                    elementwise::select(&condition.tile(), &of(1), &of(2), &mut out.tile_mut());
                }
                // A cast or a copy.
                _ => elementwise::cast(&of(0), &mut out.tile_mut()),
            }
            results.push(out);
        }
        self.outputs
            .iter()
            .map(|&(step, _)| results[usize::from(step)].values())
            .collect()
    }
}

fn draw_bool(draw: &mut Draw) -> bool {
    draw.below(2) == 0
}
