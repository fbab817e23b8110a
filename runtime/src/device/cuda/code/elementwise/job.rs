//! Jobs that are a chain of one step.

use smallvec::{SmallVec, smallvec};

use super::super::{Chain, DeviceOperand, DeviceTile, Job, Step, StepKind, Value};
use crate::kernel::elementwise::functions;
use crate::operation::{Body, Generator};

impl Chain {
    /// The chain that does an elementwise job; `None` of any other.
    pub(crate) fn of(job: &Job<'_>) -> Option<Chain> {
        use Value::Input;
        let (last, inputs) = job.operands.split_last()?;
        let DeviceOperand::Tile(out) = *last else {
            return None;
        };
        let mut operands: SmallVec<[DeviceOperand; 8]> = inputs.into();
        let (kind, values): (StepKind, SmallVec<[Value; 3]>) = match job.body {
            Body::Unary(op) => (op.into(), smallvec![Input(0)]),
            Body::Binary(op) => (op.into(), smallvec![Input(0), Input(1)]),
            Body::Select => (
                functions::select().into(),
                smallvec![Input(0), Input(1), Input(2)],
            ),
            Body::PutMask => {
                operands.push(*last);
                (
                    functions::select().into(),
                    smallvec![Input(0), Input(1), Input(2)],
                )
            }
            Body::Cast => (functions::cast(out.dtype).into(), smallvec![Input(0)]),
            Body::Copy | Body::Load | Body::Read => (StepKind::COPY, smallvec![Input(0)]),
            Body::Generate(Generator::Fill(value)) => {
                operands = smallvec![DeviceOperand::Scalar(value.cast(out.dtype))];
                (StepKind::COPY, smallvec![Input(0)])
            }
            _ => return None,
        };
        Some(Chain::single(kind, values, operands, out))
    }

    /// A chain of one step.
    pub(crate) fn single(
        kind: StepKind,
        values: SmallVec<[Value; 3]>,
        inputs: SmallVec<[DeviceOperand; 8]>,
        out: DeviceTile,
    ) -> Chain {
        Chain {
            shape: out.layout.shape,
            inputs,
            steps: smallvec![Step {
                kind,
                inputs: values,
            }],
            outputs: smallvec![(0, out)],
        }
    }
}
