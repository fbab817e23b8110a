//! Execution of an operation's kernel over the memory of its operands.

#![allow(unsafe_code, reason = "builds the tiles that kernels trust")]

#[cfg(feature = "mpi")]
mod message;

use std::convert::Infallible;
use std::sync::Arc;

use weft_geometry::{Access, Cut};
use weft_trace::time::Timestamp;

use crate::dtype::ScalarBits;
use crate::error::Cause;
use crate::memory::{Buffer, OutOfMemory, Store};
use crate::operation::Cutting;
use crate::operation::{CpuTask, Operand, Operation, Role};
use crate::recycle::{Recycle, recycled};
use crate::shape::{Layout, MAX_DIMS};
use crate::traffic::{View, read_by};
use weft_elements::{Tile, copy_elements};

recycled!(Tile<'static>);

/// The operands of one task, in memory.
pub(crate) struct Tiles<'a> {
    operation: &'a Operation,
    tiles: Recycle<Tile<'static>>,
    /// The values that tiles of single values point to. They are boxed, so that moving this struct
    /// does not move them.
    _values: Option<Box<[ScalarBits]>>,
}

// SAFETY: the fields are addresses and layouts. Threads that share them work on disjoint parts.
unsafe impl Sync for Tiles<'_> {}

impl<'a> Tiles<'a> {
    /// Finds the memory of every operand, and creates missing instances for outputs.
    pub(crate) fn new(
        cutting: &Cutting,
        operation: &'a Operation,
        cut: &Cut,
        start: Timestamp,
    ) -> Result<Tiles<'a>, OutOfMemory> {
        let data = |index, store: &Store, part: &Layout, access| {
            let (slot, maker) = (operation.slot(index), operation.maker());
            let own = || {
                let tiling = operation.body.tiling;
                let cuts = cutting.own_cuts(&operation.shape, tiling, operation.is_shared());
                match cuts.count() {
                    0 => None,
                    _ => operation.part(index, &cuts.all()),
                }
            };
            match access {
                // A rank that holds no part of a store may still copy all of it: elements that it
                // does not hold are never read.
                Access::Read => match store.data(slot) {
                    Some(data) => Ok(data),
                    None => store.place_for(slot, maker, start),
                },
                Access::Write if store.is_in_parts() && copied(operation).is_some() => {
                    store.copy_for(slot, part, maker, start)
                }
                Access::Write | Access::ReadWrite => store.part_for(slot, part, own, maker, start),
            }
        };
        // SAFETY: the operation holds the store, and the store the instance. Readers run after the
        // writer. A program cannot name a store that was never written, because every array comes
        // from a call that writes it.
        unsafe { Tiles::at(operation, cut, data) }
    }

    /// Takes the memory of every operand from `data`, which returns the address of element 0 of the
    /// store. Its layout is the part that the task uses.
    ///
    /// # Safety
    /// The address must be of an instance of the whole store that lives as long as the tiles. The
    /// elements that the task reads must have been written there.
    pub(crate) unsafe fn at<E>(
        operation: &'a Operation,
        cut: &Cut,
        mut data: impl FnMut(usize, &Store, &Layout, Access) -> Result<*mut u8, E>,
    ) -> Result<Tiles<'a>, E> {
        let mut tiles = Recycle::default();
        let is_whole = cut.is_all() && operation.body.is_of_elements();
        let count = operation.operands.len();
        let mut values: Option<Box<[ScalarBits]>> = None;
        for (index, operand) in operation.operands.iter().enumerate() {
            tiles.push(match operand {
                Operand::Array { store, layout, .. } => {
                    let access = operation.access(index);
                    let part = match is_whole {
                        true => None,
                        false => operation.part(index, cut),
                    };
                    let part = part.as_ref().unwrap_or(layout);
                    let data = data(index, store, part, access)?;
                    // SAFETY: the instance holds the store's whole shape, is aligned to a cache
                    // line, stays in place and holds the elements to read, as the caller
                    // guarantees. The layout was checked to lie in the shape when the view was
                    // made, and a tile lies in its view. Tasks whose regions overlap run one after
                    // the other, and the tiles of one operation are disjoint.
                    unsafe { Tile::new(data, store.dtype, *part) }
                }
                Operand::Scalar(scalar) => {
                    let values =
                        values.get_or_insert_with(|| vec![ScalarBits::default(); count].into());
                    let place = &mut values[index];
                    *place = ScalarBits::from_scalar(scalar);
                    let data = place.bytes.as_mut_ptr();
                    let shape = operation.part_shape(cut);
                    let layout = Layout {
                        shape,
                        strides: [0; MAX_DIMS],
                        offset: 0,
                    };
                    // SAFETY: every element of the layout is the value, which lives in the box as
                    // long as the tiles; it is only read.
                    unsafe { Tile::new(data, scalar.dtype(), layout) }
                }
                Operand::Host(host) => {
                    let whole = Layout::contiguous(operation.shape);
                    let part = operation.part(index, cut).unwrap_or(whole);
                    // SAFETY: the number of values equals the number of elements of the operation's
                    // shape (checked at the call). The operation holds the values, and they are
                    // only read.
                    unsafe { Tile::new(host.start().cast_mut(), host.dtype(), part) }
                }
            });
        }
        Ok(Tiles {
            operation,
            tiles,
            _values: values,
        })
    }

    /// Returns the tiles of all operands.
    pub(super) fn all(&mut self) -> &mut [Tile<'static>] {
        &mut self.tiles
    }

    /// Returns the part of these tiles that lies in one tile of the task.
    pub(super) fn part(&self, cut: &Cut) -> Tiles<'a> {
        let data =
            |index: usize, _: &Store, _: &Layout, _| Ok::<_, Infallible>(self.tiles[index].data());
        // SAFETY: the addresses are of whole stores, so they hold for a part of the task as for all
        // of it.
        let Ok(part) = unsafe { Tiles::at(self.operation, cut, data) };
        part
    }

    /// Returns the number of bytes that the kernel writes.
    pub(crate) fn bytes_written(&self) -> u64 {
        if self.operation.body.writes_nothing {
            return 0;
        }
        let declared = self.operation.body.operands.iter();
        let outputs = declared
            .zip(&self.tiles)
            .filter(|(declared, _)| declared.access != Access::Read);
        outputs
            .map(|(_, tile)| (tile.layout().shape.len() * tile.dtype().size()) as u64)
            .sum()
    }

    /// Returns the number of bytes that the kernel reads, each counted once.
    pub(crate) fn bytes_read(&self, cut: &Cut) -> u64 {
        read_by(self.operation, cut, |at| {
            self.tiles.get(at).map(|tile| View {
                data: tile.data().addr() as u64,
                size: tile.dtype().size(),
                layout: tile.layout(),
            })
        })
    }

    /// Runs the kernel.
    ///
    /// # Errors
    /// Returns an error if the kernel has no result for this data.
    pub(crate) fn run(&mut self, cut: &Cut) -> Result<(), Cause> {
        let operation = self.operation;
        if let (Some((store, from)), [input, out]) = (copied(operation), self.tiles.as_mut_slice())
        {
            copy_held(store, from, input, out);
            return Ok(());
        }
        // A kernel reads and writes its operands as declared.
        let task = CpuTask::new(&mut self.tiles, &operation.shape, cut);
        let mut task = task.with_operands(&operation.operands);
        operation.body.kernels.cpu(&mut task)
    }
}

/// Returns the store that an operation copies between its two buffers, and the source buffer, if
/// this rank holds parts of the store.
fn copied(operation: &Operation) -> Option<(&Store, Buffer)> {
    match (operation.body.role, operation.operands.as_slice()) {
        (
            Role::Copy,
            [
                Operand::Array { store, .. },
                Operand::Array { store: other, .. },
            ],
        ) if store.is_in_parts()
            && Arc::ptr_eq(store, other)
            && operation.slot(0) != operation.slot(1) =>
        {
            Some((store, operation.slot(0)))
        }
        _ => None,
    }
}

/// Copies the parts of a row that one buffer of a store holds to the other buffer.
fn copy_held(store: &Store, from: Buffer, input: &Tile<'_>, out: &mut Tile<'_>) {
    for span in store.held_within(from, input.layout()) {
        let Some(held) = span.row() else {
            continue;
        };
        // SAFETY: the tiles are the same contiguous elements in the store's two buffers; `held` is
        // a part of them.
        unsafe {
            let input = Tile::new(input.data(), input.dtype(), held);
            copy_elements(&input, &mut Tile::new(out.data(), out.dtype(), held));
        }
    }
}
