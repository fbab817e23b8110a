//! Jobs that are a chain of one step.

use smallvec::{SmallVec, smallvec};

use super::super::{Chain, DeviceOperand, DeviceTile, Job, Step, StepKind, Value};
use crate::operation::Fusion;

impl Chain {
    /// Returns the chain of an elementwise job; `None` for any other job.
    pub(crate) fn from_job(job: &Job<'_>) -> Option<Chain> {
        let (last, inputs) = job.operands.split_last()?;
        let DeviceOperand::Tile(out) = *last else {
            return None;
        };
        let Fusion::Step { kind, keeps } = &job.body.fusion else {
            return None;
        };
        let mut operands: SmallVec<[DeviceOperand; 8]> = inputs.into();
        if *keeps {
            operands.push(*last);
        }
        let values = (0..operands.len() as u16).map(Value::Input).collect();
        let kind = kind.clone();
        Some(Chain::single(kind, values, operands, out))
    }

    /// Creates a chain of one step.
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
