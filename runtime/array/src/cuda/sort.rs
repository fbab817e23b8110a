//! Sorted lines, and merged runs of a vector.

mod key;
pub(super) mod radix;

use smallvec::{SmallVec, smallvec};

pub(crate) use self::key::SortKernelKey;

use self::key::Elements;
use super::loops::{Form, THREADS, arguments, blocks};
use super::nest::{Nest, Strided};
use super::reduce::lines::{is_wide, without};
use super::{DeviceTile, Job, Kernel};
use crate::kernel::sort::Runs;
use weft_core::cuda::{Address, Args, Launch, Work};

/// The most elements of a line that a block sorts in shared memory: `SORT_SHORT` in `sort.cuh`.
const SHORT: usize = 2048;

/// Lines of a tile along an axis that are sorted.
pub(crate) struct Lines<'a> {
    elements: Elements,
    axis: usize,
    input: &'a DeviceTile,
    /// The output for the sorted elements, if any.
    values: Option<&'a DeviceTile>,
    /// The output for their numbers, if any.
    numbers: Option<&'a DeviceTile>,
    /// The number of the first element.
    first_number: usize,
    /// The loops over the lines of the three tiles.
    nest: Nest,
    is_wide: bool,
    lines: usize,
    count: usize,
    /// The number of low bytes in which words differ.
    bytes: usize,
}

fn launch(key: SortKernelKey, grid: usize, args: Args) -> Work {
    Work::Kernel(Launch {
        kernel: Kernel::from_source(key),
        grid: blocks(grid),
        block: blocks(THREADS),
        args,
    })
}

impl<'a> Lines<'a> {
    /// Plans a sort of lines along an axis; `None` without elements. At least one of `values` and
    /// `numbers` must be given.
    pub(super) fn new(
        axis: usize,
        input: &'a DeviceTile,
        values: Option<&'a DeviceTile>,
        numbers: Option<&'a DeviceTile>,
        first_number: usize,
    ) -> Option<Lines<'a>> {
        let shape = input.layout.shape;
        let all = [Some(input), values, numbers];
        let line = |tile: Option<&DeviceTile>| {
            tile.map_or(Strided::NOWHERE, |tile| {
                Strided::from_tile(&without(tile, axis))
            })
        };
        let nest = Nest::new(shape.without(axis), &all.map(line))?;
        let count = shape.dims()[axis];
        let tiles = all.map(|tile| tile.map_or(Strided::NOWHERE, Strided::from_tile));
        (count > 0).then(|| Lines {
            elements: Elements::for_dtype(input.dtype, numbers.is_some()),
            axis,
            input,
            values,
            numbers,
            first_number,
            is_wide: is_wide(shape, &tiles),
            nest,
            lines: shape.len() / count,
            count,
            bytes: input.dtype.size(),
        })
    }

    /// Sorts only by the lowest `bytes` bytes of each word, which is enough for a line of small
    /// unsigned integers.
    pub(super) fn by_low_bytes(self, bytes: usize) -> Lines<'a> {
        debug_assert_eq!(
            self.lines, 1,
            "the number of a line follows the bytes of a word"
        );
        Lines {
            bytes: bytes.min(self.bytes),
            ..self
        }
    }

    fn is_short(&self) -> bool {
        self.count <= SHORT
    }

    /// Returns the step between elements of a line.
    fn step(&self, tile: &DeviceTile) -> isize {
        tile.layout.strides[self.axis]
    }

    fn first(&self, tile: &DeviceTile) -> Address {
        Strided::from_tile(tile).first
    }

    /// Whether the lines of a tile follow each other in memory, in the order in which the loops
    /// visit them.
    fn is_dense(&self, tile: &DeviceTile) -> bool {
        let operands = [Some(self.input), self.values, self.numbers];
        let same =
            |other: &Option<&DeviceTile>| other.is_some_and(|other| std::ptr::eq(other, tile));
        let Some(operand) = operands.iter().position(same) else {
            return false;
        };
        // There is one loop over all lines, or none.
        let follow = match self.nest.loops.len() {
            0 => true,
            1 => self.nest.step(0, operand) == self.count as isize,
            _ => false,
        };
        follow && self.step(tile) == 1 && self.nest.first[operand] == self.first(tile)
    }

    /// Returns the number of bytes of device memory for the work.
    pub(super) fn scratch(&self) -> usize {
        if self.is_short() {
            0
        } else {
            self.radix_scratch()
        }
    }

    /// Returns the work.
    pub(super) fn work(&self, scratch: Address) -> SmallVec<[Work; 2]> {
        if self.is_short() {
            smallvec![self.short()]
        } else {
            self.radix(scratch)
        }
    }

    fn short(&self) -> Work {
        let room = self.count.next_power_of_two();
        let together = (2 * THREADS / room).max(1);
        let step = |tile: Option<&DeviceTile>| tile.map_or(0, |tile| self.step(tile)) as u64;
        let mut args: Args = self.nest.first.iter().copied().collect();
        args.extend([self.lines, self.count, room].map(|count| count as u64));
        args.extend([
            step(Some(self.input)),
            step(self.values),
            step(self.numbers),
            self.first_number as u64,
        ]);
        args.extend(arguments(&self.nest, &[0, 1, 2]));
        let form = Form::new(&self.nest, &[0, 1, 2], self.is_wide);
        let key = SortKernelKey::Short(self.elements, form);
        launch(key, self.lines.div_ceil(together), args)
    }
}

/// Returns the work that merges each two runs of a vector to a tile of the output, with the numbers
/// of elements if there are any [values, numbers]; `None` without elements. All operands are dense.
pub(super) fn merge(
    job: &Job<'_>,
    runs: Runs,
    [input, out]: [&DeviceTile; 2],
    numbers: Option<[&DeviceTile; 2]>,
) -> Option<Work> {
    let count = out.layout.shape.len();
    let first = |tile: &DeviceTile| Strided::from_tile(tile).first;
    let [numbers_in, numbers_out] = numbers.map_or([0, 0], |tiles| tiles.map(first));
    let mut args: Args = smallvec![first(input), numbers_in, first(out), numbers_out];
    let counts = [runs.length, runs.runs, runs.width, job.first[0], count];
    args.extend(counts.map(|count| count as u64));
    let elements = Elements::for_dtype(out.dtype, numbers.is_some());
    (count > 0).then(|| {
        launch(
            SortKernelKey::Merge(elements),
            count.div_ceil(THREADS),
            args,
        )
    })
}
