//! Results of unknown length: the elements found by each tile, one tile after the other.

#![allow(unsafe_code, reason = "reads and writes elements by their addresses")]

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

use weft_elements::{Handle, Tile, copy_elements};
use weft_geometry::{Along, Image, Projection, Rest, Tiling};

use super::argument::StoreView;
use crate::dtype::{DType, Element};
use crate::error::{CallError, Cause, Error};
use crate::operation::{Body, CpuTask, Declared, Descriptor, Kernels, Request};
use crate::shape::{Layout, Shape};

/// The elements found by a tile: their number, and their bytes.
#[derive(Clone, Default)]
struct TileResult {
    count: usize,
    words: Vec<u128>,
}

/// The elements found by the tiles of a call, by tile number. Each rank has those of its own tiles.
pub(super) struct Collector {
    dtype: DType,
    tiles: Mutex<Vec<TileResult>>,
}

impl Collector {
    pub(super) fn new(dtype: DType, tiles: usize) -> Collector {
        Collector {
            dtype,
            tiles: Mutex::new(vec![TileResult::default(); tiles]),
        }
    }

    fn tiles(&self) -> std::sync::MutexGuard<'_, Vec<TileResult>> {
        self.tiles.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put(&self, tile: usize, found: TileResult) {
        if let Some(place) = self.tiles().get_mut(tile) {
            *place = found;
        }
    }

    /// Stores the elements found by a tile, of the collector's dtype.
    ///
    /// `bytes` are those of `count` elements.
    fn keep(&self, tile: usize, count: usize, bytes: &[u8]) {
        let mut words = vec![0_u128; bytes.len().div_ceil(size_of::<u128>())];
        // SAFETY: they are plain bytes, and the words have room for them.
        unsafe {
            let to = words.as_mut_ptr().cast::<u8>();
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len());
        }
        self.put(tile, TileResult { count, words });
    }

    /// Stores the elements found by a tile, given as the bytes of contiguous elements. Returns
    /// their number, or `None` if the bytes are not a whole number of elements.
    pub(super) fn keep_bytes(&self, tile: usize, bytes: &[u8]) -> Option<usize> {
        let size = self.dtype.size();
        if !bytes.len().is_multiple_of(size) {
            return None;
        }
        let count = bytes.len() / size;
        match self.dtype {
            // Other bytes are not valid `bool`s.
            DType::Bool => {
                let made: Vec<u8> = bytes.iter().map(|byte| u8::from(*byte != 0)).collect();
                self.keep(tile, count, &made);
            }
            _ => self.keep(tile, count, bytes),
        }
        Some(count)
    }

    fn take(&self, tile: usize) -> TileResult {
        self.tiles()
            .get_mut(tile)
            .map(std::mem::take)
            .unwrap_or_default()
    }
}

/// The result of a tile: a vector that its body adds elements to. The vectors of all tiles, in
/// order, form the result of the call.
pub struct Unbound<'t, T: Element> {
    values: Vec<T>,
    collector: Arc<Collector>,
    number: usize,
    count: &'t mut i64,
}

impl<'t, T: Element> Unbound<'t, T> {
    pub(super) fn new(collector: Arc<Collector>, number: usize, count: &'t mut i64) -> Self {
        Unbound {
            values: Vec::new(),
            collector,
            number,
            count,
        }
    }
}

impl<T: Element> Deref for Unbound<'_, T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.values
    }
}

impl<T: Element> DerefMut for Unbound<'_, T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.values
    }
}

impl<T: Element> Drop for Unbound<'_, T> {
    fn drop(&mut self) {
        *self.count = self.values.len() as i64;
        let count = self.values.len();
        // SAFETY: elements are plain bytes without padding.
        let bytes = unsafe {
            let first = self.values.as_ptr().cast::<u8>();
            std::slice::from_raw_parts(first, count * size_of::<T>())
        };
        self.collector.keep(self.number, count, bytes);
    }
}

/// Sets a tile's count to 0, and returns it.
///
/// `tile` must have this single count.
pub(super) fn count_of<'t>(tile: &'t mut Tile<'_>) -> &'t mut i64 {
    let place = tile.first().cast::<i64>();
    // SAFETY: the tile has one element of `i64`, which only this task writes.
    unsafe {
        place.write(0);
        &mut *place
    }
}

/// Kernel that copies the elements found by tiles to the result.
struct Gathered(Arc<Collector>);

impl Hash for Gathered {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.dtype.hash(state);
    }
}

impl fmt::Debug for Gathered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("gather of results")
    }
}

impl Kernels for Gathered {
    fn cpu(&self, task: &mut CpuTask<'_, '_>) -> Result<(), Cause> {
        let (first, end) = task.cut().tiles();
        let [out] = task.expect();
        let layout = *out.layout();
        let mut done = 0;
        for number in first..end {
            let TileResult { count, words } = self.0.take(number);
            let count = count.min(layout.shape.len() - done);
            let Some(shape) = Shape::new(&[count]) else {
                continue;
            };
            let part = layout.tile(&[done], &[done + count]);
            // SAFETY: the words hold `count` elements, and the part lies in the tile, which only
            // this task writes.
            unsafe {
                let from = Tile::new(
                    words.as_ptr().cast_mut().cast(),
                    out.dtype(),
                    Layout::contiguous(shape),
                );
                copy_elements(&from, &mut Tile::new(out.data(), out.dtype(), part));
            }
            done += count;
        }
        Ok(())
    }
}

/// Waits for the counts of all tiles, which follow a task of this shape and tiling, and returns the
/// result.
pub(super) fn result(
    collector: &Arc<Collector>,
    counts: &StoreView,
    (shape, tiling): (Shape, Tiling),
) -> Result<StoreView, Error> {
    let core = &counts.core;
    let counts: Vec<i64> = counts.read()?;
    let mut end = 0_usize;
    let ranges = counts.iter().map(|count| {
        let first = end;
        end += usize::try_from(*count).unwrap_or(0);
        (first, end)
    });
    let along = Along::Image(Arc::new(Image::of_bounds(ranges)));
    let whole = Shape::new(&[end]).ok_or_else(|| CallError::Shape {
        operation: "task",
        why: format!("a result of {end} elements is too large"),
    })?;
    let out = StoreView::unwritten(core, collector.dtype, whole)?;
    let projection = Projection::of_axes([along], Rest::Whole);
    let gathered = Gathered(collector.clone());
    let descriptor = Descriptor::new("results", vec![Declared::write(projection)], gathered);
    let body: Body = Handle::shared(Arc::new(descriptor.tiled(tiling)));
    let operands = std::iter::once(out.operand()).collect();
    core.submit(Request::new(body, shape, operands))?;
    Ok(out)
}
