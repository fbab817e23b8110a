//! Kernels that the program will need, begun to be made ready before their turn comes.
//!
//! The analysis runs ahead of the thread that issues. While that waits for the compiler, the kernels of what comes after are
//! compiled as well. No memory is known yet: the kernels are those for memory that is aligned as whole arrays are.

use std::sync::atomic::{AtomicU32, Ordering};

use smallvec::SmallVec;

use super::api::GpuId;
use super::code::{self, Chain, DeviceOperand, DeviceTile, Job};
use super::gpus::Gpus;
use super::work::Work;
use crate::fusion::{Group, Source, Whole};
use crate::operation::{GpuKernels, Operand, Operation, Role};
use crate::shape::Layout;
use weft_geometry::Cut;

/// The number of operations to look at after a kernel was missing.
const LOOKS: u32 = 1024;

/// An address that stands for memory that is not known yet.
const SOMEWHERE: u64 = 1 << 20;

/// Whether to look at operations.
#[derive(Debug)]
pub(super) struct Foresight {
    looks: AtomicU32,
}

impl Default for Foresight {
    fn default() -> Foresight {
        Foresight {
            looks: AtomicU32::new(LOOKS),
        }
    }
}

impl Foresight {
    /// Has the next operations looked at: a kernel was missing.
    pub(super) fn renew(&self) {
        self.looks.store(LOOKS, Ordering::Relaxed);
    }

    fn takes_a_look(&self) -> bool {
        let looks = self.looks.load(Ordering::Relaxed);
        if looks > 0 {
            // Only the analysis counts down.
            self.looks.store(looks - 1, Ordering::Relaxed);
        }
        looks > 0
    }
}

impl Gpus {
    /// Begins to make the kernel of a group ready, which does not write the results of the steps whose bits are set in `hidden`.
    pub(crate) fn foresee_group(&self, group: &Group<Whole>, hidden: u64) {
        // Of several GPUs each has parts of arrays, whose alignment is not known.
        if !self.hold_all || !self.foresight.takes_a_look() {
            return;
        }
        let inputs = group.sources.iter().map(|source| match source {
            Source::Scalar(scalar) => DeviceOperand::Scalar(*scalar),
            Source::View(view) => DeviceOperand::Tile(tile(view.store.dtype, view.layout)),
        });
        let outputs = group.visible_but(hidden).into_iter().map(|at| {
            let written = &group.written[at];
            let view = &written.view;
            (written.step, tile(view.store.dtype, view.layout))
        });
        let chain = Chain {
            shape: group.shape,
            inputs: inputs.collect(),
            outputs: outputs.collect(),
            steps: group.steps.clone(),
        };
        if let [info] = self.driver.gpus() {
            self.foresee_all(code::chain(&chain, info).as_slice());
        }
    }

    /// Begins to make the kernels of an operation ready.
    pub(crate) fn foresee(&self, operation: &Operation, verify: bool) {
        let [info] = self.driver.gpus() else { return };
        let computes = matches!(operation.body.role, Role::Compute | Role::Copy);
        if !self.hold_all
            || !self.foresight.takes_a_look()
            || !computes
            || operation.shape.is_empty()
            || !self.runs(operation)
        {
            return;
        }
        let cut = Cut::whole(&operation.shape);
        let operands = operation.operands.iter().enumerate();
        let operands: SmallVec<[DeviceOperand; 4]> = operands
            .filter_map(|(index, operand)| match operand {
                Operand::Array { store, layout, .. } => {
                    let part = operation.part(index, &cut).unwrap_or(*layout);
                    Some(DeviceOperand::Tile(tile(store.dtype, part)))
                }
                Operand::Scalar(scalar) => Some(DeviceOperand::Scalar(*scalar)),
                Operand::Host(_) => None,
            })
            .collect();
        let kernels = &operation.body.kernels;
        let verify = verify && kernels.is_body();
        let finds_faults = kernels.gpu().is_some_and(GpuKernels::finds_faults);
        let job = Job {
            fault: if verify || finds_faults { SOMEWHERE } else { 0 },
            body: &operation.body,
            operands: &operands,
            first: operation.first(&cut),
            whole: operation.shape,
            cut,
            verify,
        };
        self.foresee_all(&code::work(&job, SOMEWHERE, info));
    }

    fn foresee_all(&self, works: &[Work]) {
        for work in works {
            if let Work::Kernel(launch) = work {
                self.driver.foresee(GpuId(0), &launch.kernel);
            }
        }
    }
}

fn tile(dtype: crate::dtype::DType, layout: Layout) -> DeviceTile {
    DeviceTile {
        start: SOMEWHERE,
        dtype,
        layout,
    }
}
