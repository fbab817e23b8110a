//! The run of a chain over all blocks of a tile.

#![allow(unsafe_code, reason = "calls loops with addresses inside of tiles")]

use std::cell::RefCell;
use std::mem::MaybeUninit;
use std::ops::Range;

use super::ahead::fetch;
use super::bind::{Act, Bound, bind};
use super::block::{Wide, WideRun};
use super::fold::Push;
use super::function::MAX_INPUTS;
use super::gather::{Strides, gather, scatter};
use super::plan::{ChainPlan, LoopCall};
use super::walk::{MAX_LOOPS, Operand, Walk};
use crate::ticks::{self, ticks};
use crate::{Handle, Run, Tile, TileRef};

/// A cache line of scratch memory.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
struct Line([MaybeUninit<u8>; 64]);

/// The size of a page. On Intel's processors, a load with the same low 12 bits of the address as an
/// earlier store waits for the store, even on different pages.
const PAGE: usize = 4096;

/// The offsets of slots within a page, relative to the block of an operand, used in turn. They keep
/// loads from having the same low bits as a store that has just begun, in both directions between
/// operand and slots.
const PHASES: [usize; 2] = [PAGE * 3 / 8, PAGE * 5 / 8];

/// The data of a run besides its operands. Each thread reuses its own, so that nothing is allocated
/// after the first runs.
#[derive(Default)]
struct Scratch {
    operands: Vec<Operand>,
    bound: Bound,
    /// The address of each place during a block.
    at: Vec<*mut u8>,
    /// For each operand that was gathered and may be kept, the address that it was gathered from.
    gathered: Vec<*mut u8>,
    lines: Vec<Line>,
    /// The time of each step, and of the fold, in the timed blocks; empty if blocks are not timed.
    times: Vec<u64>,
    sample: Sample,
}

/// The number of blocks that a chain ran over, and how many of them were timed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// The number of all blocks.
    pub blocks: u64,
    /// The number of timed blocks.
    pub timed: u64,
}

impl Sample {
    /// Returns the sums of both.
    #[must_use]
    pub fn with(self, other: Sample) -> Sample {
        Sample {
            blocks: self.blocks + other.blocks,
            timed: self.timed + other.timed,
        }
    }
}

/// One in this many blocks is timed: a reading of the clock takes about as long as a step over a
/// block.
const TIMED: u64 = 64;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl ChainPlan {
    /// Runs the chain over one tile. Inputs and outputs must have the same shape; the step is 0 if
    /// one element is used for all. The tile of the fold must have one element. An output may be
    /// exactly the view of an input of its dtype, and may share no element with any other operand.
    ///
    /// # Panics
    /// Panics unless the tiles have the dtypes of the plan and one shape, and if there are no
    /// elements and the fold has no result for that case.
    pub fn run(&self, inputs: &[TileRef], outputs: &mut [Tile], fold: Option<&mut Tile>) {
        self.run_timed(inputs, outputs, fold, &mut []);
    }

    /// Like [`run`](Self::run), and adds to `times` the time of each step in a sample of the
    /// blocks, followed by that of the fold. The unit is unspecified. If `times` is empty, nothing
    /// is timed. Returns the size of the sample.
    ///
    /// # Panics
    /// Panics like [`run`](Self::run), and unless `times` is empty or has an element for each step
    /// and for the fold.
    pub fn run_timed(
        &self,
        inputs: &[TileRef],
        outputs: &mut [Tile],
        fold: Option<&mut Tile>,
        times: &mut [u64],
    ) -> Sample {
        let timed = usize::from(self.steps) + usize::from(self.fold.is_some());
        assert!(
            times.is_empty() || times.len() == timed,
            "a time for each step"
        );
        self.check(inputs, outputs);
        assert_eq!(
            self.fold.is_some(),
            fold.is_some(),
            "a fold has a tile for its result"
        );
        let Some(((op, value), tile)) = self.fold.as_ref().zip(fold) else {
            return self.execute(inputs, outputs, times, &mut |_, _| {});
        };
        let dtype = self.dtypes[usize::from(*value)];
        let mut tiles = operands(inputs, outputs);
        if tiles.any(|tile| tile.layout().shape.is_empty()) {
            op.reduce_empty(dtype, tile);
            return Sample::default();
        }
        let mut sample = Sample::default();
        let mut feed = |push: &mut Push<'_>| sample = self.execute(inputs, outputs, times, push);
        // SAFETY: the value has as many initialised elements at the pushed addresses as the pushed
        // numbers say.
        unsafe { op.run(dtype, &mut feed, tile) };
        sample
    }

    fn check(&self, inputs: &[TileRef], outputs: &[Tile]) {
        assert_eq!(inputs.len(), self.inputs, "a tile for each input");
        assert_eq!(outputs.len(), self.outputs.len(), "a tile for each output");
        let mut tiles = operands(inputs, outputs);
        let shape = tiles.clone().next().map(|tile| tile.layout().shape);
        assert!(
            tiles.all(|tile| Some(tile.layout().shape) == shape),
            "operands of one kernel differ in shape"
        );
        for (tile, dtype) in inputs.iter().zip(&self.dtypes) {
            assert_eq!(tile.dtype(), *dtype, "the dtype of an input");
        }
        for (output, tile) in outputs.iter().enumerate() {
            assert_eq!(
                tile.dtype(),
                self.output_dtype(output),
                "the dtype of an output"
            );
        }
    }

    /// Runs all blocks. `fold` receives the elements of the value that is reduced.
    fn execute(
        &self,
        inputs: &[TileRef],
        outputs: &[Tile],
        times: &mut [u64],
        fold: &mut Push<'_>,
    ) -> Sample {
        let tiles = operands(inputs, outputs);
        if tiles.clone().any(|tile| tile.layout().shape.is_empty()) {
            return Sample::default();
        }
        with_scratch(|scratch| {
            scratch.times.clear();
            scratch.times.resize(times.len(), 0);
            scratch.sample = Sample::default();
            let in_order = self.fold.is_some();
            let walk = Walk::new(tiles, in_order, &mut scratch.operands);
            if in_order || !walk.is_crosswise(&scratch.operands) {
                scratch.pass(self, walk, fold);
            } else {
                scratch.crosswise(self, walk, fold);
            }
            for (total, time) in times.iter_mut().zip(&scratch.times) {
                *total += time;
            }
            scratch.sample
        })
    }
}

/// Calls `body` with the scratch of the thread, or with a new one if a user's function runs a chain
/// within a chain.
fn with_scratch<R>(body: impl FnOnce(&mut Scratch) -> R) -> R {
    SCRATCH.with(|kept| match kept.try_borrow_mut() {
        Ok(mut scratch) => body(&mut scratch),
        Err(_) => body(&mut Scratch::default()),
    })
}

/// Returns all tiles, in the order of the plan's operands.
fn operands<'a>(
    inputs: &'a [TileRef<'a>],
    outputs: &'a [Tile<'a>],
) -> impl Iterator<Item = &'a Tile<'a>> + Clone {
    inputs.iter().map(|input| &**input).chain(outputs)
}

impl Scratch {
    /// Runs a chain with crosswise operands: first the columns that do not fill a square, then the
    /// others.
    fn crosswise(&mut self, plan: &ChainPlan, walk: Walk, fold: &mut Push<'_>) {
        let last = walk.depth - 1;
        let rest = walk.rest();
        let whole = walk.counts[last] - rest;
        if rest > 0 {
            self.advance(last, whole as isize);
            self.pass(plan, walk.with_innermost(rest), fold);
            self.advance(last, -(whole as isize));
        }
        let squares = walk.with_innermost(whole).squares(&mut self.operands);
        self.pass(plan, squares, fold);
    }

    /// Runs a chain over some of the loops.
    fn pass(&mut self, plan: &ChainPlan, walk: Walk, fold: &mut Push<'_>) {
        let walk = walk.in_blocks(plan.block, plan.fold.is_some());
        bind(plan, &walk, &self.operands, &mut self.bound);
        self.place(plan.slot_bytes);
        self.all_blocks(plan, &walk, fold);
    }

    /// Advances a loop by `rounds` rounds.
    fn advance(&mut self, level: usize, rounds: isize) {
        for Operand { at, steps, .. } in &mut self.operands {
            *at = at.wrapping_offset(steps[level] * rounds);
        }
    }

    /// Gives every place an address. Those of operands change from block to block.
    fn place(&mut self, slot_bytes: usize) {
        let slot = (slot_bytes + PAGE).div_ceil(size_of::<Line>());
        let slots = self.bound.steps.len() - self.operands.len();
        if self.lines.len() < slots * slot {
            let line = Line([MaybeUninit::uninit(); 64]);
            self.lines.resize(slots * slot, line);
        }
        self.at.clear();
        self.at
            .extend(self.operands.iter().map(|operand| operand.at));
        let lines = self.lines.as_mut_ptr();
        self.at
            .extend((0..slots).map(|number| lines.wrapping_add(number * slot).cast::<u8>()));
        self.gathered.clear();
        self.gathered
            .resize(self.operands.len(), std::ptr::null_mut());
    }

    fn all_blocks(&mut self, plan: &ChainPlan, walk: &Walk, fold: &mut Push<'_>) {
        let mut number = 0_u64;
        let mut index = [0; MAX_LOOPS];
        'next: loop {
            for first in (0..walk.counts[walk.cut]).step_by(walk.rows) {
                for (at, operand) in self.at.iter_mut().zip(&self.operands) {
                    let step = operand.steps[walk.cut];
                    *at = operand.at.wrapping_offset(step * first as isize);
                }
                self.move_slots(plan.slot_bytes);
                for &operand in &self.bound.ahead {
                    let operand = usize::from(operand);
                    let bytes = walk.rows * walk.unit * self.operands[operand].size;
                    fetch(self.at[operand].wrapping_add(bytes), bytes);
                }
                let rows = walk.rows.min(walk.counts[walk.cut] - first);
                let is_timed = !self.times.is_empty() && number.is_multiple_of(TIMED);
                self.one_block(&plan.wide, walk, rows, is_timed, fold);
                self.sample.timed += u64::from(is_timed);
                number += 1;
            }
            for level in (0..walk.cut).rev() {
                index[level] += 1;
                let rounds = if index[level] < walk.counts[level] {
                    1
                } else {
                    index[level] = 0;
                    1 - walk.counts[level] as isize
                };
                self.advance(level, rounds);
                if rounds == 1 {
                    continue 'next;
                }
            }
            self.sample.blocks += number;
            return;
        }
    }

    /// Moves the slots of the next block within their room.
    fn move_slots(&mut self, slot_bytes: usize) {
        let Some(reference) = self.bound.reference else {
            return;
        };
        let reference = self.at[reference].addr() / size_of::<Line>() * size_of::<Line>();
        let room = (slot_bytes + PAGE).div_ceil(size_of::<Line>());
        let first = self.operands.len();
        let lines = self.lines.as_mut_ptr();
        let slots = self.at[first..]
            .iter_mut()
            .zip(&self.bound.is_kept[first..]);
        for (number, (at, is_kept)) in slots.enumerate() {
            if !is_kept {
                let begin = lines.wrapping_add(number * room).cast::<u8>();
                let wanted = reference + PHASES[number % PHASES.len()];
                *at = begin.wrapping_add(wanted.wrapping_sub(begin.addr()) % PAGE);
            }
        }
    }

    fn one_block(
        &mut self,
        wide: &[Handle<dyn Wide>],
        walk: &Walk,
        rows: usize,
        is_timed: bool,
        fold: &mut Push<'_>,
    ) {
        let mut counts = [0; MAX_LOOPS];
        counts[0] = rows;
        let inside = walk.inside();
        counts[1..=inside.len()].copy_from_slice(inside);
        let mut block = Block {
            walk,
            counts: &counts[..=inside.len()],
            count: rows * walk.unit,
            operands: &self.operands,
            at: &self.at,
            gathered: &mut self.gathered,
            wide,
            bound: &self.bound,
        };
        if !is_timed {
            for act in &self.bound.acts {
                block.act(act, fold);
            }
            return;
        }
        let reading = ticks::cost();
        let mut last = ticks();
        for (act, owners) in self.bound.acts.iter().zip(&self.bound.owners) {
            block.act(act, fold);
            let now = ticks();
            let [first, second] = owners.map(usize::from);
            // Two steps in one loop are equal amounts of work, so each gets half of the time.
            let half = now.saturating_sub(last + reading) / 2;
            self.times[first] += half;
            self.times[second] += half;
            last = now;
        }
    }
}

/// A block of elements.
struct Block<'a> {
    walk: &'a Walk,
    /// The rounds of each loop starting with the cut one.
    counts: &'a [usize],
    /// The number of elements.
    count: usize,
    operands: &'a [Operand],
    /// The address of each place.
    at: &'a [*mut u8],
    /// See [`Scratch`].
    gathered: &'a mut [*mut u8],
    /// See [`ChainPlan`].
    wide: &'a [Handle<dyn Wide>],
    bound: &'a Bound,
}

impl Block<'_> {
    /// Does one act on the block. The act is not copied, since reading bytes that were just stored
    /// in pieces of another size waits for the store.
    #[inline]
    fn act(&mut self, act: &Act, fold: &mut Push<'_>) {
        let (walk, count) = (self.walk, self.count);
        match *act {
            Act::LoopCall {
                call,
                places,
                steps,
                is_one,
            } => {
                let count = if is_one { 1 } else { count };
                let at = places.map(|place| self.at[usize::from(place)]);
                // SAFETY: by the promises of the tiles, the operands' places hold a block of them.
                // Slots have room for a block, and hold the results of earlier loops.
                unsafe {
                    match call {
                        LoopCall::Unary(block) => block(run(at, steps, count)),
                        LoopCall::Binary(block) => block(run(at, steps, count)),
                        LoopCall::Ternary(block) => block(run(at, steps, count)),
                    }
                }
            }
            Act::Wide {
                number,
                first,
                operands,
                is_one,
            } => {
                let all = first as usize..first as usize + usize::from(operands);
                let count = if is_one { 1 } else { count };
                self.wide(usize::from(number), all, count);
            }
            Act::Gather {
                operand,
                place,
                is_kept,
            } => {
                let operand = usize::from(operand);
                let from = self.at[operand];
                // Later blocks of the same rows are not longer than the first.
                if is_kept && std::mem::replace(&mut self.gathered[operand], from) == from {
                    return;
                }
                let Operand { steps, size, .. } = &self.operands[operand];
                let steps = &steps[walk.cut..walk.depth];
                // SAFETY: as above.
                unsafe {
                    let to = self.at[usize::from(place)];
                    gather(from, self.strides(steps), *size, to);
                }
            }
            Act::Scatter {
                place,
                step,
                operand,
            } => {
                let to = self.at[usize::from(operand)];
                let Operand { steps, size, .. } = &self.operands[usize::from(operand)];
                let steps = &steps[walk.cut..walk.depth];
                // SAFETY: as above.
                unsafe {
                    let from = self.at[usize::from(place)];
                    scatter(from, step, to, self.strides(steps), *size);
                }
            }
            Act::Fold { place } => fold(self.at[usize::from(place)], count),
        }
    }

    /// Not inlined, since most chains have no such loop.
    #[inline(never)]
    fn wide(&self, number: usize, all: Range<usize>, count: usize) {
        let places = &self.bound.wide_places[all.clone()];
        let mut at = [std::ptr::null_mut(); MAX_INPUTS + 1];
        for (at, &place) in at.iter_mut().zip(places) {
            *at = self.at[usize::from(place)];
        }
        // SAFETY: as for other loops.
        unsafe {
            self.wide[number].run(WideRun {
                at: &at[..places.len()],
                steps: &self.bound.wide_steps[all],
                count,
            });
        }
    }

    fn strides<'b>(&'b self, steps: &'b [isize]) -> Strides<'b> {
        let counts = self.counts;
        Strides { counts, steps }
    }
}

/// Returns the first `N` operands as a run.
#[inline(always)]
fn run<const N: usize>(at: [*mut u8; 4], steps: [isize; 4], count: usize) -> Run<N> {
    const {
        assert!(N <= 4, "a loop has at most four operands");
    }
    Run {
        at: std::array::from_fn(|place| at[place]),
        steps: std::array::from_fn(|place| steps[place]),
        count,
    }
}
