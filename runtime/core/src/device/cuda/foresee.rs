//! Early compilation of kernels that the program will need.
//!
//! The analysis runs ahead of the thread that issues. While that thread waits for the compiler, the
//! kernels of later operations are compiled as well. No addresses are known yet, so these kernels
//! assume the alignment of whole arrays.

use std::sync::atomic::{AtomicU32, Ordering};

use smallvec::SmallVec;

use super::api::GpuId;
use super::code::{self, Chain, DeviceOperand, DeviceTile, FoldedChain, Job};
use super::gpus::Gpus;
use super::work::Work;
use crate::dtype::DType;
use crate::fusion::{Group, Source, Whole};
use crate::operation::{GpuKernels, Operand, Operation, Role};
use crate::shape::Layout;
use weft_geometry::Cut;

/// Number of operations to examine after a kernel was missing.
const LOOKS: u32 = 1024;

/// Placeholder for an address that is not known yet.
const SOMEWHERE: u64 = 1 << 20;

/// Number of operations that are still to be examined.
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
    /// Makes the analysis examine the next operations, because a kernel was missing.
    pub(super) fn restart(&self) {
        self.looks.store(LOOKS, Ordering::Relaxed);
    }

    fn takes_a_look(&self) -> bool {
        let looks = self.looks.load(Ordering::Relaxed);
        if looks > 0 {
            // Only the analysis decrements the counter.
            self.looks.store(looks - 1, Ordering::Relaxed);
        }
        looks > 0
    }
}

impl Gpus {
    /// Starts to prepare the kernel of a group. `hidden` is a bit set of the steps whose results it
    /// does not write.
    pub(crate) fn foresee_group(&self, group: &Group<Whole>, hidden: u64) {
        // With several GPUs each holds parts of arrays, whose alignment is not known.
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
        if let [_] = self.driver.gpus() {
            let work = match (&group.folded, group.members.last()) {
                (Some(folded), Some(Whole(operation))) => {
                    let Some(Operand::Array { store, layout, .. }) = operation.operands.last()
                    else {
                        return;
                    };
                    let folded = FoldedChain {
                        chain,
                        step: folded.step,
                        out: tile(store.dtype, *layout),
                    };
                    code::folded(&operation.body, &folded, SOMEWHERE)
                }
                _ => code::chain(&chain),
            };
            self.foresee_all(work.as_slice());
        }
    }

    /// Starts to prepare the kernels of an operation.
    pub(crate) fn foresee(&self, operation: &Operation, verify: bool) {
        let [_] = self.driver.gpus() else { return };
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
        self.foresee_all(&code::work(&job, SOMEWHERE));
    }

    fn foresee_all(&self, works: &[Work]) {
        for work in works {
            if let Work::Kernel(launch) = work {
                self.driver.foresee(GpuId(0), &launch.kernel);
            }
        }
    }
}

fn tile(dtype: DType, layout: Layout) -> DeviceTile {
    DeviceTile {
        start: SOMEWHERE,
        dtype,
        layout,
    }
}
