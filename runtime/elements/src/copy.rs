//! Copies of elements, and blocks over all elements of tiles.

#![allow(unsafe_code, reason = "loops over operands by their addresses")]

use crate::chain::{Block, copy_block};
use crate::dtype::{Scalar, ScalarBits};
use crate::nest::Nest;
use crate::shape::{Layout, MAX_DIMS};
use crate::{Run, Tile, TileRef};

/// Copies `input` to `out`, bit by bit. The output may be exactly the view of the input; otherwise
/// it must share no element with it.
///
/// # Panics
/// Panics unless the shapes and dtypes are equal.
pub fn copy_elements(input: &Tile, out: &mut Tile) {
    assert_eq!(input.dtype(), out.dtype(), "a copy keeps the type");
    if let Some(repeats) = Repeats::find(input, out) {
        // SAFETY: by the promises of the tiles, which are not one view, as their steps differ.
        return unsafe {
            match out.dtype().size() {
                1 => repeats.copy::<u8>(),
                2 => repeats.copy::<u16>(),
                4 => repeats.copy::<u32>(),
                8 => repeats.copy::<u64>(),
                _ => repeats.copy::<[u64; 2]>(),
            }
        };
    }
    let block = copy_block(out.dtype());
    // SAFETY: the tiles have elements of that size, and are exactly one view or disjoint, by their
    // promises.
    unsafe { over([input, out], block) };
}

/// A copy that repeats each element a few times. A loop over so few copies costs more than they do.
struct Repeats {
    from: *const u8,
    /// The step between elements in bytes.
    step: isize,
    to: *mut u8,
    count: usize,
    times: usize,
}

impl Repeats {
    /// The largest number of copies of an element.
    const MOST: usize = 8;

    /// Returns the copy, if elements repeat along the last axis of `input` and lie in one line, and
    /// `out` has no gaps.
    fn find(input: &Tile, out: &Tile) -> Option<Repeats> {
        let (times, outer) = out.dims().split_last()?;
        let (strides, last) = (&input.layout().strides[..outer.len()], outer.len());
        let is_repeated = input.layout().strides[last] == 0 && (2..=Self::MOST).contains(times);
        if !is_repeated || outer.is_empty() || input.dims() != out.dims() {
            return None;
        }
        let shape = out.layout().shape;
        if shape.is_empty() || out.layout().strides != Layout::contiguous(shape).strides {
            return None;
        }
        let mut apart = strides[outer.len() - 1];
        let step = apart;
        for (axis, count) in outer.iter().enumerate().rev() {
            if strides[axis] != apart {
                return None;
            }
            apart *= *count as isize;
        }
        Some(Repeats {
            from: input.first(),
            step: step * input.dtype().size() as isize,
            to: out.first(),
            count: shape.len() / times,
            times: *times,
        })
    }

    /// # Safety
    /// The tiles must have elements of the size of `W`, keep their promises, and be disjoint.
    unsafe fn copy<W: Copy>(&self) {
        // SAFETY: the caller's promise.
        unsafe {
            match self.times {
                2 => self.spread::<W, 2>(),
                3..=4 => self.spread::<W, 4>(),
                _ => self.spread::<W, { Self::MOST }>(),
            }
        }
    }

    /// Writes `N` copies of each element, at least as many as there are. The next element
    /// overwrites the excess.
    ///
    /// # Safety
    /// See [`Repeats::copy`].
    #[inline(always)]
    unsafe fn spread<W: Copy, const N: usize>(&self) {
        let times = self.times;
        let total = self.count * times;
        // The elements from which `N` copies end inside of the output.
        let safe = total.checked_sub(N).map_or(0, |last| last / times + 1);
        let (mut from, to) = (self.from, self.to.cast::<W>());
        for number in 0..self.count {
            // SAFETY: the caller's promise; the copies end inside of the output.
            unsafe {
                let value = from.cast::<W>().read();
                let to = to.add(number * times);
                if number < safe {
                    to.cast::<[W; N]>().write([value; N]);
                } else {
                    for copy in 0..times {
                        to.add(copy).write(value);
                    }
                }
            }
            from = from.wrapping_offset(self.step);
        }
    }
}

/// Runs a block over every run of the tiles.
///
/// # Safety
/// The block must be for the dtypes of the tiles, whose promises must hold.
///
/// # Panics
/// Panics if the tiles differ in shape.
pub unsafe fn over<const N: usize>(tiles: [&Tile; N], block: Block<N>) {
    // Small operations are mostly on dense vectors, and building a nest of loops takes longer than
    // adding them.
    if let Some(run) = dense(tiles) {
        // SAFETY: by the promises of the tiles; the run is all of them.
        return unsafe { block(run) };
    }
    // SAFETY: by the promises of the tiles; a run stays inside them.
    Nest::new(tiles).for_each_run(&mut |run| unsafe { block(run) });
}

/// Returns dense vectors of one length as one run.
fn dense<const N: usize>(tiles: [&Tile; N]) -> Option<Run<N>> {
    let [count] = *tiles[N - 1].dims() else {
        return None;
    };
    let is_dense = |tile: &&Tile| tile.dims() == [count] && tile.layout().strides[0] == 1;
    if count == 0 || !tiles.iter().all(is_dense) {
        return None;
    }
    Some(Run {
        at: tiles.map(|tile| tile.first()),
        steps: tiles.map(|tile| tile.dtype().size() as isize),
        count,
    })
}

/// Sets all elements of `out` to `value`, cast to the dtype of `out`.
pub fn fill_elements(value: Scalar, out: &mut Tile) {
    let value = value.cast(out.dtype());
    let bits = ScalarBits::from_scalar(&value);
    let layout = Layout {
        shape: out.layout().shape,
        strides: [0; MAX_DIMS],
        offset: 0,
    };
    // SAFETY: every element of the tile is the value, which lives as long as the call and is only
    // read.
    let from = unsafe { TileRef::new(bits.bytes.as_ptr(), value.dtype(), layout) };
    copy_elements(&from, out);
}
