//! `--verify`: runs the body of a user's task on guarded copies.
//!
//! Each array that a tile works on is copied. The copy covers the whole view and a guard on both
//! sides. Elements that the tile does not declare hold a pattern instead of values. The body runs
//! four times: twice on the same copies, once with another pattern in elements that are only
//! written, and once with another pattern in all elements that are not declared. The runs reveal
//! these errors:
//!
//! - Results that differ between the same copies depend on something else: the order of tiles, a
//!   race, or a state of the body's own.
//! - If a pattern outside of the part is gone, or an input has changed, the body has written
//!   elements that it must not write.
//! - If an output has the pattern of each run, the body has not written it. If it differs
//!   otherwise, the body has read it before writing it.
//! - Results that differ with the other pattern depend on elements that are not declared, such as a
//!   halo.

#![allow(
    unsafe_code,
    reason = "copies elements between addresses, and lends copies to a body"
)]

use std::cell::{Cell, UnsafeCell};
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};
use weft_elements::Tile;
use weft_geometry::{Access, Cut, Tiling};
use weft_trace::id::TaskUid;

use super::execute::Tiles;
use crate::device::{Bodies, Run};
use crate::dtype::DType;
use crate::error::Cause;
use crate::operation::{CpuTask, Guard, Operand, Operation};
use crate::shape::{Layout, Shape};
use crate::words;

/// Size of the guard on each side of a copy in bytes; a multiple of all alignments.
const GUARD: usize = 4096;

/// Byte patterns for elements that are not declared. As floats they are numbers that change if
/// small numbers are added. Neither is a valid `bool`.
const PATTERNS: [u8; 2] = [0x41, 0x42];

/// The elements that are filled with the other pattern.
#[derive(Clone)]
enum OtherPattern {
    /// None.
    Nowhere,
    /// Arrays that are only written.
    Outputs,
    /// All arrays.
    Everywhere,
    /// A range of elements of one array.
    In(usize, std::ops::Range<usize>),
}

impl OtherPattern {
    /// Returns the elements of one array that are filled with the other pattern.
    fn within(&self, at: usize, one: &Guarded) -> Option<std::ops::Range<usize>> {
        let all = 0..one.shadow.count;
        match self {
            OtherPattern::Nowhere => None,
            OtherPattern::Outputs => (one.access == Access::Write).then_some(all),
            OtherPattern::Everywhere => Some(all),
            OtherPattern::In(of, range) => (*of == at).then(|| range.clone()),
        }
    }
}

/// Memory of a copy, in words for their alignment. A body that keeps such an array may read it even
/// after the runs.
struct Words(Box<[UnsafeCell<u128>]>);

// SAFETY: all reads and writes go through addresses, by one run of the body at a time.
unsafe impl Sync for Words {}

/// The guarded copy of an array.
struct Shadow {
    words: Arc<Words>,
    /// Size of an element in bytes.
    size: usize,
    /// The element of the store at the start of the copy, directly after the guard.
    lowest: usize,
    /// Number of elements in the copy.
    count: usize,
    /// For each element, whether the tile declares it.
    is_declared: Vec<bool>,
    /// The whole view, for the indices in messages.
    view: Layout,
}

/// Calls `visit` with the index and the offset of each element of a layout.
fn each_element(layout: &Layout, mut visit: impl FnMut(&[usize], usize)) {
    let shape: Shape = layout.shape;
    for position in 0..shape.len() {
        let index = shape.unravel(position);
        let index = &index[..shape.rank()];
        visit(index, layout.offset_of(index));
    }
}

impl Shadow {
    /// Creates the copy of a view, of which a tile declares `parts`.
    fn new(view: &Layout, parts: &[Layout], dtype: DType) -> Shadow {
        let (lowest, highest) = view.extent().unwrap_or((view.offset, view.offset));
        let size = dtype.size();
        let count = highest - lowest + 1;
        let bytes = (count * size).next_multiple_of(16) + 2 * GUARD;
        let mut is_declared = vec![false; count];
        for part in parts {
            each_element(part, |_, offset| {
                if let Some(place) = offset.checked_sub(lowest)
                    && let Some(place) = is_declared.get_mut(place)
                {
                    *place = true;
                }
            });
        }
        Shadow {
            words: Arc::new(Words((0..bytes / 16).map(|_| UnsafeCell::new(0)).collect())),
            size,
            lowest,
            count,
            is_declared,
            view: *view,
        }
    }

    fn start(&self) -> *mut u8 {
        self.words.0.as_ptr().cast_mut().cast()
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: every word is 16 initialised bytes, and the length is that of all words.
        unsafe { std::slice::from_raw_parts(self.start(), self.words.0.len() * 16) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        let length = self.words.0.len() * 16;
        // SAFETY: as above; the body, which alone has the address too, does not run.
        unsafe { std::slice::from_raw_parts_mut(self.start(), length) }
    }

    /// Returns the byte position of an element of the copy.
    fn place(&self, element: usize) -> usize {
        GUARD + element * self.size
    }

    /// Returns the bytes of an element.
    fn element(&self, element: usize) -> &[u8] {
        let first = self.place(element);
        &self.bytes()[first..first + self.size]
    }

    /// Fills the copy with the first pattern, the elements of `other` with the second one, and the
    /// declared elements with `values`, if the body may read them.
    fn fill(&mut self, other: Option<std::ops::Range<usize>>, values: Option<&Tile<'_>>) {
        self.bytes_mut().fill(PATTERNS[0]);
        if let Some(range) = other {
            let (first, end) = (self.place(range.start), self.place(range.end));
            let (first, end) = match range.start == 0 && range.end == self.count {
                true => (0, self.bytes().len()),
                false => (first, end),
            };
            self.bytes_mut()[first..end].fill(PATTERNS[1]);
        }
        let Some(values) = values else { return };
        let (data, size, lowest) = (values.data(), self.size, self.lowest);
        let mut copies: Vec<(usize, usize)> = Vec::new();
        each_element(values.layout(), |_, offset| {
            if self.is_declared[offset - lowest] {
                copies.push((offset, GUARD + (offset - lowest) * size));
            }
        });
        let bytes = self.bytes_mut();
        for (offset, to) in copies {
            // SAFETY: the element belongs to the tile, is initialised, and is not written
            // meanwhile.
            let from =
                unsafe { std::slice::from_raw_parts(data.wrapping_add(offset * size), size) };
            bytes[to..to + size].copy_from_slice(from);
        }
    }

    /// Returns the address of element 0 of the store, which layouts count from.
    fn origin(&mut self) -> *mut u8 {
        let first = self.bytes_mut().as_mut_ptr().wrapping_add(GUARD);
        first.wrapping_sub(self.lowest * self.size)
    }

    /// Returns the index of an element of the copy in the view. An element between those of the
    /// view is named by its offset in the store.
    fn name(&self, element: usize) -> String {
        let offset = self.lowest + element;
        let mut found = None;
        each_element(&self.view, |index, other| {
            if other == offset && found.is_none() {
                found = Some(index.to_vec());
            }
        });
        match found {
            Some(index) => format!("{index:?}"),
            None => format!("element {offset} of its memory, between the elements of the view"),
        }
    }

    /// Returns the first undeclared element that has changed, or the place in the guard that has.
    fn overwritten(&self, before: &[u8]) -> Option<String> {
        let after = self.bytes();
        let at = (0..after.len()).find(|&at| {
            let is_own = at
                .checked_sub(GUARD)
                .and_then(|at| self.is_declared.get(at / self.size))
                .copied()
                .unwrap_or(false);
            !is_own && after[at] != before[at]
        })?;
        let end = GUARD + self.count * self.size;
        Some(match at {
            at if at < GUARD => format!("{} bytes before its first element", GUARD - at),
            at if at >= end => format!("{} bytes after its last element", at - end + 1),
            at => self.name((at - GUARD) / self.size),
        })
    }
}

/// An array of a tile, with its copy.
struct Guarded {
    operand: usize,
    access: Access,
    dtype: DType,
    part: Layout,
    shadow: Shadow,
}

/// The runs of a body on copies.
struct Verified<'a> {
    bodies: &'a dyn Bodies,
    operation: &'a Operation,
    task: TaskUid,
    cut: &'a Cut,
    /// Kind of the next run.
    next: Cell<Run>,
}

/// Verifies the body of an operation on a tile, and copies its results to the tile.
pub(super) fn run(
    bodies: &dyn Bodies,
    operation: &Operation,
    task: TaskUid,
    tiles: &mut Tiles<'_>,
    cut: &Cut,
) -> Result<(), Cause> {
    let verified = Verified {
        bodies,
        operation,
        task,
        cut,
        next: Cell::new(Run::First),
    };
    let operands = tiles.all();
    let mut guarded: SmallVec<[Guarded; 4]> = SmallVec::new();
    for (index, operand) in operation.operands.iter().enumerate() {
        let (Operand::Array { layout, .. }, Some(tile)) = (operand, operands.get(index)) else {
            continue;
        };
        guarded.push(Guarded {
            operand: index,
            access: operation.access(index),
            dtype: tile.dtype(),
            part: *tile.layout(),
            shadow: Shadow::new(layout, &operation.pieces(index, cut), tile.dtype()),
        });
    }
    let (before, ran) = verified.attempt(operands, &mut guarded, OtherPattern::Nowhere);
    // A write to an undeclared element may be the reason for a failure, so it is reported first.
    verified.check_written(&guarded, &before)?;
    ran?;
    let results = outputs(&guarded);
    verified.once(operands, &mut guarded, OtherPattern::Nowhere)?;
    if let Some((at, index)) = difference(&guarded, &results) {
        let name = verified.name(guarded[at].operand);
        return Err(Cause::Undeclared(format!(
            "{name} at {index} differs when the body runs again on the same elements: it depends on something other than its \
             operands, such as the order of tiles, another thread, or its own state"
        )));
    }
    verified.once(operands, &mut guarded, OtherPattern::Outputs)?;
    verified.check_unwritten(&guarded, &results)?;
    let is_read_before = difference(&guarded, &results).is_some();
    verified.once(operands, &mut guarded, OtherPattern::Everywhere)?;
    if is_read_before || difference(&guarded, &results).is_some() {
        return Err(verified.undeclared(operands, &mut guarded, &results)?);
    }
    // The results of the last run equal those of the first.
    for one in &guarded {
        if one.access == Access::Read {
            continue;
        }
        let Some(tile) = operands.get(one.operand) else {
            continue;
        };
        each_element(&one.part, |_, offset| {
            let from = one.shadow.element(offset - one.shadow.lowest);
            let to = tile.data().wrapping_add(offset * one.shadow.size);
            // SAFETY: the element is the tile's, which this task writes.
            unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), to, from.len()) };
        });
    }
    Ok(())
}

/// Returns the copies of the arrays that are written, with the patterns around their parts.
fn outputs(guarded: &[Guarded]) -> Vec<Vec<u8>> {
    let all = guarded.iter();
    all.map(|one| match one.access {
        Access::Read => Vec::new(),
        Access::Write | Access::ReadWrite => one.shadow.bytes().to_vec(),
    })
    .collect()
}

/// Returns the array and the index of the first written element that differs from `results`.
fn difference(guarded: &[Guarded], results: &[Vec<u8>]) -> Option<(usize, String)> {
    guarded
        .iter()
        .zip(results)
        .enumerate()
        .find_map(|(at, (one, before))| {
            if before.is_empty() {
                return None;
            }
            let shadow = &one.shadow;
            let differs = |element: &usize| {
                let first = shadow.place(*element);
                shadow.is_declared[*element]
                    && shadow.element(*element) != &before[first..first + shadow.size]
            };
            let element = (0..shadow.count).find(differs)?;
            Some((at, shadow.name(element)))
        })
}

impl Verified<'_> {
    fn name(&self, operand: usize) -> String {
        let name = self.operation.body.kernels.operand_name(operand);
        name.map_or_else(|| format!("operand {operand}"), str::to_owned)
    }

    /// Runs the body once.
    fn once(
        &self,
        operands: &mut [Tile<'static>],
        guarded: &mut [Guarded],
        other: OtherPattern,
    ) -> Result<(), Cause> {
        self.attempt(operands, guarded, other).1
    }

    /// Runs the body once. Also returns the contents of the copies before the run, even if the body
    /// fails.
    fn attempt(
        &self,
        operands: &mut [Tile<'static>],
        guarded: &mut [Guarded],
        other: OtherPattern,
    ) -> (Vec<Vec<u8>>, Result<(), Cause>) {
        let mut before = Vec::with_capacity(guarded.len());
        let mut tiles: SmallVec<[Tile<'_>; 4]> = SmallVec::new();
        for (at, one) in guarded.iter_mut().enumerate() {
            let values = operands.get(one.operand);
            let values = values.filter(|_| one.access != Access::Write);
            let other = other.within(at, one);
            one.shadow.fill(other, values);
            before.push(one.shadow.bytes().to_vec());
        }
        let mut guards: SmallVec<[Guard; 4]> = smallvec![None; operands.len()];
        let mut copies = guarded.iter_mut().peekable();
        for (index, operand) in operands.iter_mut().enumerate() {
            match copies.next_if(|one| one.operand == index) {
                Some(one) => {
                    guards[index] = Some(one.shadow.words.clone());
                    let (origin, dtype) = (one.shadow.origin(), one.dtype);
                    // SAFETY: the copy has every element of the view, aligned, and no other user.
                    // Elements that are read hold values, or a pattern that is a value of every
                    // dtype but `bool`.
                    tiles.push(unsafe { Tile::new(origin, dtype, one.part) });
                }
                None => tiles.push(operand.reborrow()),
            }
        }
        let task = CpuTask::new(&mut tiles, &self.operation.shape, self.cut);
        let mut task = task.guarded(&guards);
        let run = self.next.replace(Run::Again);
        let body = || self.operation.body.kernels.cpu(&mut task);
        let ran = self.bodies.run(self.operation, self.task, run, body);
        (before, ran)
    }

    /// Finds writes to elements that the body must not write.
    fn check_written(&self, guarded: &[Guarded], before: &[Vec<u8>]) -> Result<(), Cause> {
        for (one, before) in guarded.iter().zip(before) {
            let name = self.name(one.operand);
            if one.access == Access::Read {
                let shadow = &one.shadow;
                let mut elements = 0..shadow.count;
                let changed = elements.find(|element| {
                    let first = shadow.place(*element);
                    shadow.element(*element) != &before[first..first + shadow.size]
                });
                if let Some(element) = changed {
                    return Err(Cause::Undeclared(format!(
                        "it writes to {name} at {}, which it only reads; declare {name} as InOut or Out",
                        shadow.name(element)
                    )));
                }
            }
            if let Some(index) = one.shadow.overwritten(before) {
                return Err(Cause::Undeclared(format!(
                    "it writes to {name} at {index}, which is not in its tile"
                )));
            }
        }
        Ok(())
    }

    /// Finds outputs that hold the pattern of each run, which were not written.
    fn check_unwritten(&self, guarded: &[Guarded], first: &[Vec<u8>]) -> Result<(), Cause> {
        for (one, first) in guarded.iter().zip(first) {
            if one.access != Access::Write || one.dtype == DType::Bool {
                continue;
            }
            let shadow = &one.shadow;
            let is_pattern = |bytes: &[u8], pattern: u8| bytes.iter().all(|byte| *byte == pattern);
            let is_unwritten = |element: &usize| {
                let place = shadow.place(*element);
                is_pattern(&first[place..place + shadow.size], PATTERNS[0])
                    && is_pattern(shadow.element(*element), PATTERNS[1])
            };
            let mut elements = (0..shadow.count).filter(|element| shadow.is_declared[*element]);
            if let Some(element) = elements.clone().find(is_unwritten) {
                let name = self.name(one.operand);
                if elements.all(|element| is_unwritten(&element)) {
                    return Err(Cause::Undeclared(format!(
                        "it does not write {name} at {}, nor at any other index: {}",
                        shadow.name(element),
                        words::assign(&name)
                    )));
                }
                return Err(Cause::Undeclared(format!(
                    "it does not write {name} at {}; an Out must be written everywhere, an InOut need not be",
                    shadow.name(element)
                )));
            }
        }
        Ok(())
    }

    /// Finds the undeclared element that the results depend on, by bisecting the elements with the
    /// other pattern.
    fn undeclared(
        &self,
        operands: &mut [Tile<'static>],
        guarded: &mut [Guarded],
        results: &[Vec<u8>],
    ) -> Result<Cause, Cause> {
        // Tiles that run together must all make the same number of runs.
        let is_alone = !matches!(self.operation.body.tiling, Tiling::Together { .. });
        for at in (0..guarded.len()).filter(|_| is_alone) {
            let mut range = 0..guarded[at].shadow.count;
            let mut depends = |guarded: &mut [Guarded], range: &std::ops::Range<usize>| {
                self.once(operands, guarded, OtherPattern::In(at, range.clone()))?;
                Ok::<bool, Cause>(difference(guarded, results).is_some())
            };
            if !depends(guarded, &range)? {
                continue;
            }
            let name = self.name(guarded[at].operand);
            let is_output = guarded[at].access == Access::Write;
            while range.len() > 1 {
                let middle = range.start + range.len() / 2;
                let (low, high) = (range.start..middle, middle..range.end);
                range = match depends(guarded, &low)? {
                    true => low,
                    false => high,
                };
            }
            if !depends(guarded, &range)? {
                return Ok(Cause::Undeclared(format!(
                    "it reads {name} outside of the array: its results depend on memory outside of it"
                )));
            }
            let shadow = &guarded[at].shadow;
            let index = shadow.name(range.start);
            return Ok(Cause::Undeclared(match shadow.is_declared[range.start] {
                true if is_output => format!(
                    "it reads {name} at {index} before it writes it; declare {name} as InOut"
                ),
                _ => {
                    let operand = guarded[at].operand;
                    let projection = &self.operation.body.operand(operand).projection;
                    let remedy = match projection.has_image() {
                        true => format!("add it to the image of {name}, or broadcast {name}"),
                        false => format!("declare a halo, or broadcast {name}"),
                    };
                    format!("it reads {name} at {index}, which its tile does not have; {remedy}")
                }
            }));
        }
        Ok(Cause::Undeclared(
            "its results depend on elements that it does not declare".to_owned(),
        ))
    }
}
