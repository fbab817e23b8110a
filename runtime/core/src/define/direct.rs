//! Plain calls, which need no preparation. Small ones run at once on the elements in place, if
//! operations are not recorded. Others become operations without a second check of the arguments.

#![allow(unsafe_code, reason = "builds the tiles that bodies trust")]

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};
use weft_elements::Tile;
use weft_geometry::{Cut, Projection};

use super::argument::StoreView;
use super::plan::Planned;
use super::{Argument, Definition, Kind};
use crate::dtype::{Scalar, ScalarBits};
use crate::error::CallError;
use crate::memory::{Maker, Store};
use crate::observe::Recorder;
use crate::operation::{CpuTask, Operand, Operands, Request};
use crate::runtime::Core;
use crate::shape::Shape;
use crate::site::Site;

/// An argument that was checked.
enum Checked<'a> {
    Array(&'a StoreView, Kind),
    Value(Scalar),
}

impl Definition {
    /// Makes a plain call: no image, no result of unknown length, no input that overlaps an output.
    /// A small one runs to its end if its stores are not in use and operations are not recorded.
    /// Returns `None` without effect if the call is not plain or is wrong.
    pub(super) fn launch_plain(&self, given: &[Argument<'_>]) -> Option<Result<(), CallError>> {
        let inner = &self.0;
        if !inner.is_plain || given.len() != inner.parameters.len() {
            return None;
        }
        let core = given.iter().find_map(|argument| match argument {
            Argument::Array(view) => Some(&view.core),
            Argument::Scalar(_) => None,
        })?;
        // Checked before the first lock, which another thread may have held when the process was
        // forked.
        let goes_direct = !core.plan.verify && core.goes_direct();
        if !goes_direct {
            core.check_process().ok()?;
        }
        let mut checked: SmallVec<[Checked<'_>; 6]> = SmallVec::new();
        let mut shapes: SmallVec<[Option<Shape>; 6]> = SmallVec::new();
        let mut work = 0;
        for (parameter, argument) in inner.parameters.iter().zip(given) {
            let (one, shape) = match argument {
                Argument::Array(view) => {
                    if !Arc::ptr_eq(&view.core, core) {
                        return None;
                    }
                    self.check_array(parameter, view).ok()?;
                    work = work.max(view.shape().len());
                    (Checked::Array(view, parameter.kind), Some(*view.shape()))
                }
                Argument::Scalar(value) => {
                    let value = self.checked_value(parameter, value).ok()?;
                    (Checked::Value(value), None)
                }
            };
            checked.push(one);
            shapes.push(shape);
        }
        if are_mixed(&checked) {
            return None;
        }
        let planned = self
            .plan(&shapes, || self.planned(&core.cutting, &shapes))
            .ok()?;
        let shape = &planned.cutting.shape;
        work = planned.body.work(shape).max(work);
        // A plan of another runtime may have several tiles.
        if goes_direct && planned.tiles == 1 && work <= core.plan.max_inline_chunk {
            let stores = checked.iter().filter_map(|one| match one {
                Checked::Array(view, _) => Some(&*view.store),
                Checked::Value(_) => None,
            });
            if let Some(_held) = core.at_once_for(&planned.body, shape, || work, stores) {
                // SAFETY: views lie in their stores, which are not in use and are held. Outputs
                // have distinct elements, which was checked, and no written store is given twice.
                let ran = unsafe { self.run_at_once(core, &planned, &checked) };
                if ran.is_some() {
                    return Some(Ok(()));
                }
            }
        }
        submit(core, &planned, &checked)
    }

    /// Runs the body. Returns `None` without effect if an array has no memory.
    ///
    /// # Safety
    /// No other thread may use the stores meanwhile. Views must lie in them, inputs must have been
    /// written, and outputs must have distinct elements in stores that no other argument has.
    unsafe fn run_at_once(
        &self,
        core: &Core,
        planned: &Planned,
        checked: &[Checked<'_>],
    ) -> Option<()> {
        let shape = &planned.cutting.shape;
        let cut = Cut::whole(shape);
        let mut bits: SmallVec<[ScalarBits; 6]> = smallvec![ScalarBits::default(); checked.len()];
        let mut tiles: SmallVec<[Tile<'_>; 6]> = SmallVec::new();
        let maker = || Maker {
            name: self.name(),
            uid: core.uids.next_operation(),
            location: Site::caller(),
        };
        let projections = planned.cutting.projections.iter();
        for ((one, bits), projection) in checked.iter().zip(&mut bits).zip(projections) {
            match one {
                Checked::Array(view, kind) => {
                    let data = data(&view.store, *kind, &core.observers.recorder, maker)?;
                    let part = match projection {
                        Projection::Same => view.layout,
                        projection => projection.part(&view.layout, shape, &cut),
                    };
                    // SAFETY: the instance holds the store's whole shape and is aligned, and a part
                    // lies in its view; the caller guarantees the rest.
                    tiles.push(unsafe { Tile::new(data, view.dtype(), part) });
                }
                Checked::Value(value) => {
                    // SAFETY: the body only reads the value.
                    tiles.push(unsafe { Tile::from_value(value, bits, *shape) });
                }
            }
        }
        let written = || {
            checked.iter().filter_map(|one| match one {
                Checked::Array(view, Kind::Out | Kind::InOut) => Some(view),
                _ => None,
            })
        };
        for view in written() {
            view.store.count_write();
            view.store.overwrites(&view.layout);
        }
        let ran = core.on_program_thread(|| {
            let mut task = CpuTask::new(&mut tiles, shape, &cut);
            planned.body.kernels.cpu(&mut task)
        });
        if let Err(cause) = ran {
            let stores = written().map(|view| &*view.store);
            core.fail_at_once(self.name(), cause, stores);
        }
        Some(())
    }
}

/// Submits a plain call; `None` if the plan is of a runtime that cuts differently.
fn submit(
    core: &Arc<Core>,
    planned: &Planned,
    checked: &[Checked<'_>],
) -> Option<Result<(), CallError>> {
    let cutting = &planned.cutting;
    if core.cuts(&cutting.shape, cutting.tiling).tiles() != planned.tiles {
        return None;
    }
    let mut operands = Operands::default();
    for one in checked {
        operands.push(match one {
            Checked::Array(view, _) => view.operand(),
            Checked::Value(value) => Operand::Scalar(*value),
        });
    }
    let body = planned.body.clone();
    let request = Request::with_operands(body, cutting.shape, operands);
    Some(core.submit(request).map(drop))
}

/// Returns whether a store that is written is given twice.
fn are_mixed(checked: &[Checked<'_>]) -> bool {
    let written = checked
        .iter()
        .enumerate()
        .filter_map(|(at, one)| match one {
            Checked::Array(view, Kind::Out | Kind::InOut) => Some((at, &view.store)),
            _ => None,
        });
    let is_same = |(at, store): (usize, &Arc<Store>)| {
        checked.iter().enumerate().any(|(other, one)| match one {
            Checked::Array(view, _) => other != at && Arc::ptr_eq(&view.store, store),
            Checked::Value(_) => false,
        })
    };
    written.into_iter().any(is_same)
}

/// Returns the address of a store's data. Creates the instance at the first write.
fn data(
    store: &Store,
    kind: Kind,
    recorder: &Recorder,
    maker: impl FnOnce() -> Maker,
) -> Option<*mut u8> {
    let slot = store.slot();
    match store.data(slot) {
        Some(data) => Some(data),
        None if kind == Kind::In => None,
        None => store.data_for(slot, maker(), recorder.now()).ok(),
    }
}
