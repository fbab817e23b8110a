//! From an operation to its kernel, over the memory of its operands.

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
use crate::operation::{CpuTask, Operand, Operation, Role};
use crate::recycle::{Recycle, recycled};
use crate::runtime::Cutting;
use crate::shape::{Layout, MAX_DIMS};
use crate::traffic::{View, read_by};
use weft_elements::{Tile, copy_elements};

recycled!(Tile<'static>);

/// The operands of one task, in memory.
pub(crate) struct Tiles<'a> {
    operation: &'a Operation,
    tiles: Recycle<Tile<'static>>,
    /// What the tiles of single values point to: boxed, so that moving this does not move them.
    _values: Option<Box<[ScalarBits]>>,
}

// SAFETY: they are addresses and where elements lie. Who shares them works on parts that do not meet.
unsafe impl Sync for Tiles<'_> {}

impl<'a> Tiles<'a> {
    /// Finds the memory of every operand; makes instances for what is written and has none.
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
                // A rank that has nothing of a store may copy it whole all the same: nobody reads what it has not.
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
        // SAFETY: the operation holds the store, and the store the instance. Whoever reads comes after the writer; a store
        // that nobody wrote cannot be named by a program, whose arrays all come from a writing call.
        unsafe { Tiles::at(operation, cut, data) }
    }

    /// Takes the memory of every operand from `data`: the address of element 0 of the store, of which the task touches a part.
    ///
    /// # Safety
    /// The address is of an instance of the whole store that lives as long as the tiles, and what the task reads of it has been
    /// written there.
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
                    // SAFETY: the instance holds the store's whole shape, is aligned to a cache line, and stays and holds
                    // what is read, as the caller promises. The layout was checked to lie in the shape when the view was
                    // made, and a tile lies in its view. Tasks whose regions meet run one after the other, and tiles of
                    // one operation do not meet.
                    unsafe { Tile::new(data, store.dtype, *part) }
                }
                Operand::Scalar(scalar) => {
                    let values =
                        values.get_or_insert_with(|| vec![ScalarBits::default(); count].into());
                    let place = &mut values[index];
                    *place = ScalarBits::of(scalar);
                    let data = place.bytes.as_mut_ptr();
                    let shape = operation.part_shape(cut);
                    let layout = Layout {
                        shape,
                        strides: [0; MAX_DIMS],
                        offset: 0,
                    };
                    // SAFETY: every element of the layout is the value, which lives in the box as long as the tiles;
                    // it is only read.
                    unsafe { Tile::new(data, scalar.dtype(), layout) }
                }
                Operand::Host(host) => {
                    let whole = Layout::contiguous(operation.shape);
                    let part = operation.part(index, cut).unwrap_or(whole);
                    // SAFETY: the values are as many as the operation's shape has elements (checked at the call), the
                    // operation holds them, and they are only read.
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

    /// Every operand.
    pub(super) fn all(&mut self) -> &mut [Tile<'static>] {
        &mut self.tiles
    }

    /// The part of these that lies in one tile of the task.
    pub(super) fn part(&self, cut: &Cut) -> Tiles<'a> {
        let data =
            |index: usize, _: &Store, _: &Layout, _| Ok::<_, Infallible>(self.tiles[index].data());
        // SAFETY: the addresses are of whole stores, and hold for a part of the task as they do for all of it.
        let Ok(part) = unsafe { Tiles::at(self.operation, cut, data) };
        part
    }

    /// Bytes that the kernel writes.
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

    /// Bytes that the kernel reads, each counted once.
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
    /// The data is such that there is no result.
    pub(crate) fn run(&mut self, cut: &Cut) -> Result<(), Cause> {
        let operation = self.operation;
        if let (Some((store, from)), [input, out]) = (copied(operation), self.tiles.as_mut_slice())
        {
            copy_held(store, from, input, out);
            return Ok(());
        }
        // A kernel reads and writes its operands as they are declared.
        let task = CpuTask::new(&mut self.tiles, &operation.shape, cut);
        let mut task = task.of(&operation.operands);
        operation.body.kernels.cpu(&mut task)
    }
}

/// The store whose one place an operation copies to the other, and from which, where this rank holds parts of it.
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

/// Copies what one place of a store holds of a row of its elements to the other.
fn copy_held(store: &Store, from: Buffer, input: &Tile<'_>, out: &mut Tile<'_>) {
    for span in store.held_within(from, input.layout()) {
        let Some(held) = span.row() else {
            continue;
        };
        // SAFETY: the tiles are of the same elements, one after the other, in the store's two places; these are some of them.
        unsafe {
            let input = Tile::new(input.data(), input.dtype(), held);
            copy_elements(&input, &mut Tile::new(out.data(), out.dtype(), held));
        }
    }
}
