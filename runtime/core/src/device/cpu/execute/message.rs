//! Copies between a message's operand and packed words.

use smallvec::SmallVec;
use weft_elements::{Tile, copy_elements};
use weft_geometry::Cut;

use super::Tiles;
use crate::operation::Operand;
use crate::shape::Layout;

/// Returns packed words, starting at element `first`, as a tile with the dtype and shape of `like`.
///
/// # Safety
/// There must be enough words for as long as the tile is used, and only the tile may write them
/// meanwhile.
unsafe fn packed<'a>(words: *mut u64, first: usize, like: &Tile<'_>) -> Tile<'a> {
    let layout = Layout {
        offset: first,
        ..Layout::contiguous(like.layout().shape)
    };
    // SAFETY: as the caller guarantees.
    unsafe { Tile::new(words.cast(), like.dtype(), layout) }
}

impl Tiles<'_> {
    /// Returns the address of the first element of a message's operand, if its elements are
    /// contiguous.
    pub(crate) fn in_row(&self) -> Option<*mut u8> {
        match self.tiles.as_slice() {
            [tile] if tile.layout().is_contiguous() && !self.has_gaps() => Some(tile.first()),
            _ => None,
        }
    }

    /// Returns whether a message leaves out elements between the first and the last that it moves.
    fn has_gaps(&self) -> bool {
        let all = Cut::whole(&self.operation.shape);
        self.operation.body.operand(0).projection.has_gaps(&all)
    }

    /// Returns the parts of its one store that a message moves.
    fn pieces(&self) -> SmallVec<[Layout; 1]> {
        let all = Cut::whole(&self.operation.shape);
        self.operation.pieces(0, &all)
    }

    /// Calls `visit` with each of these parts, and with the number of elements before it.
    fn each_piece(&self, mut visit: impl FnMut(&Layout, usize)) {
        let mut first = 0;
        for piece in self.pieces() {
            visit(&piece, first);
            first += piece.shape.len();
        }
    }

    /// Copies the elements that a message moves into words.
    ///
    /// # Panics
    /// Panics if the elements do not fit into the words.
    pub(crate) fn pack_all(&self, words: &mut [u64]) {
        let to: *mut u8 = words.as_mut_ptr().cast();
        let copied = self.each_row(words.len(), |place, at, bytes| {
            // SAFETY: the row's elements have been written, and only the caller uses the words;
            // `each_row` has checked both ranges.
            unsafe { std::ptr::copy_nonoverlapping(place, to.add(at), bytes) }
        });
        if !copied {
            self.each_piece(|piece, first| self.pack_from(first, piece, words));
        }
    }

    /// Copies words into the elements that a message moves.
    ///
    /// # Panics
    /// See [`pack_all`](Self::pack_all).
    pub(crate) fn unpack_all(&self, words: &[u64]) {
        let from: *const u8 = words.as_ptr().cast();
        let copied = self.each_row(words.len(), |place, at, bytes| {
            // SAFETY: as above; only this task uses the elements, since it writes them.
            unsafe { std::ptr::copy_nonoverlapping(from.add(at), place, bytes) }
        });
        if !copied {
            self.each_piece(|piece, first| self.unpack_from(first, piece, words));
        }
    }

    /// Calls `copy` with the runs of a part with gaps, if the elements of every run are contiguous.
    /// Its arguments are the address of the run's first element, the position in the words in
    /// bytes, and the size in bytes. There may be very many short runs, so a layout for each would
    /// be too slow.
    ///
    /// # Panics
    /// Panics if the runs do not fit into the words.
    fn each_row(&self, words: usize, mut copy: impl FnMut(*mut u8, usize, usize)) -> bool {
        let ([tile], [Operand::Array { store, layout, .. }]) =
            (self.tiles.as_slice(), self.operation.operands.as_slice())
        else {
            return false;
        };
        let all = Cut::whole(&self.operation.shape);
        let projection = &self.operation.body.operand(0).projection;
        let Some((axis, runs)) = projection.runs(&all) else {
            return false;
        };
        let is_in_store = layout
            .extent()
            .is_some_and(|(_, last)| last < store.shape.len());
        // The axes before it have extent 1, so every run is contiguous.
        let is_first = layout.shape.dims()[..axis]
            .iter()
            .all(|extent| *extent == 1);
        if !is_first || !layout.is_contiguous() || !is_in_store {
            return false;
        }
        let extent = layout.shape.dims()[axis];
        let row = layout.shape.len() / extent.max(1) * store.dtype.size();
        let start = tile.data().wrapping_add(layout.offset * store.dtype.size());
        let mut at = 0;
        for (first, end) in runs.iter() {
            assert!(first < end && *end <= extent, "a run in its axis");
            let bytes = (end - first) * row;
            assert!(
                at + bytes <= words * size_of::<u64>(),
                "a message of {runs:?}"
            );
            copy(start.wrapping_add(first * row), at, bytes);
            at += bytes;
        }
        true
    }

    /// Copies the elements of a view of a message's store into words.
    ///
    /// # Panics
    /// Panics if the view does not lie in the store, or its elements do not fit into the words.
    pub(crate) fn pack(&self, view: &Layout, words: &mut [u64]) {
        self.pack_from(0, view, words);
    }

    /// Copies words into the elements of a view of a message's store.
    ///
    /// # Panics
    /// Like [`pack`](Self::pack).
    pub(crate) fn unpack(&self, view: &Layout, words: &[u64]) {
        self.unpack_from(0, view, words);
    }

    /// Returns whether a view lies in a message's store, and its elements fit into `words` words
    /// after `first` others.
    fn fits(&self, first: usize, view: &Layout, words: usize) -> bool {
        let [Operand::Array { store, .. }] = self.operation.operands.as_slice() else {
            return false;
        };
        let end = first.checked_add(view.shape.len());
        let bytes = end.and_then(|end| end.checked_mul(store.dtype.size()));
        view.extent()
            .is_none_or(|(_, last)| last < store.shape.len())
            && bytes.is_some_and(|bytes| bytes <= words * size_of::<u64>())
    }

    fn pack_from(&self, first: usize, view: &Layout, words: &mut [u64]) {
        assert!(self.fits(first, view, words.len()), "a message of {view:?}");
        if let [input] = self.tiles.as_slice() {
            // SAFETY: the view lies in the store, whose elements that the message moves have been
            // written. The words have room for the elements, and only the caller uses them.
            unsafe {
                let input = Tile::new(input.data(), input.dtype(), *view);
                copy_elements(&input, &mut packed(words.as_mut_ptr(), first, &input));
            }
        }
    }

    fn unpack_from(&self, first: usize, view: &Layout, words: &[u64]) {
        assert!(self.fits(first, view, words.len()), "a message of {view:?}");
        if let [out] = self.tiles.as_slice() {
            // SAFETY: as above; the words are only read.
            unsafe {
                let mut out = Tile::new(out.data(), out.dtype(), *view);
                let words = packed(words.as_ptr().cast_mut(), first, &out);
                copy_elements(&words, &mut out);
            }
        }
    }
}
