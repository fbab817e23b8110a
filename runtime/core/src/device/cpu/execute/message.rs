//! Between a message's one operand and words in which its elements stand one after the other.

use smallvec::SmallVec;
use weft_elements::{Tile, copy_elements};
use weft_geometry::Cut;

use super::Tiles;
use crate::operation::Operand;
use crate::shape::Layout;

/// Words from an element on, as elements of the dtype and shape of a tile.
///
/// # Safety
/// There are words enough, for as long as the tile is used, and nobody writes them meanwhile but through it.
unsafe fn packed<'a>(words: *mut u64, first: usize, like: &Tile<'_>) -> Tile<'a> {
    let layout = Layout {
        offset: first,
        ..Layout::contiguous(like.layout().shape)
    };
    // SAFETY: as the caller promises.
    unsafe { Tile::new(words.cast(), like.dtype(), layout) }
}

impl Tiles<'_> {
    /// Where the elements of a message's one operand begin, where they lie one after the other.
    pub(crate) fn in_row(&self) -> Option<*mut u8> {
        match self.tiles.as_slice() {
            [tile] if tile.layout().is_contiguous() && !self.has_gaps() => Some(tile.first()),
            _ => None,
        }
    }

    /// Whether a message leaves out something between the first and the last element that it moves.
    fn has_gaps(&self) -> bool {
        let all = Cut::whole(&self.operation.shape);
        self.operation.body.operand(0).projection.has_gaps(&all)
    }

    /// The parts of its one store that a message moves.
    fn pieces(&self) -> SmallVec<[Layout; 1]> {
        let all = Cut::whole(&self.operation.shape);
        self.operation.pieces(0, &all)
    }

    /// Each of those, with how many elements stand before it.
    fn each_piece(&self, mut visit: impl FnMut(&Layout, usize)) {
        let mut first = 0;
        for piece in self.pieces() {
            visit(&piece, first);
            first += piece.shape.len();
        }
    }

    /// Copies what a message moves out.
    ///
    /// # Panics
    /// If there are fewer words than its elements fill.
    pub(crate) fn pack_all(&self, words: &mut [u64]) {
        let to: *mut u8 = words.as_mut_ptr().cast();
        let copied = self.each_row(words.len(), |place, at, bytes| {
            // SAFETY: the row's elements have been written, and its words are the caller's alone: `each_row` has looked at both.
            unsafe { std::ptr::copy_nonoverlapping(place, to.add(at), bytes) }
        });
        if !copied {
            self.each_piece(|piece, first| self.pack_from(first, piece, words));
        }
    }

    /// Copies in what a message has moved.
    ///
    /// # Panics
    /// As [`pack_all`](Self::pack_all).
    pub(crate) fn unpack_all(&self, words: &[u64]) {
        let from: *const u8 = words.as_ptr().cast();
        let copied = self.each_row(words.len(), |place, at, bytes| {
            // SAFETY: as above; the task alone has the elements, since it writes them.
            unsafe { std::ptr::copy_nonoverlapping(from.add(at), place, bytes) }
        });
        if !copied {
            self.each_piece(|piece, first| self.unpack_from(first, piece, words));
        }
    }

    /// Calls `copy` with each run of a part with gaps whose elements lie one after the other, where all of them do: with its first element, where
    /// it stands in the words in bytes, and how many bytes it has. Runs may be very many and short, for which a layout each takes too long.
    ///
    /// # Panics
    /// If there are fewer words than the runs fill.
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
        // Axes before it have one index, so that what a run has is one row.
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

    /// Copies the elements of a view of a message's one store out.
    ///
    /// # Panics
    /// If the view does not lie in the store, or there are fewer words than its elements fill.
    pub(crate) fn pack(&self, view: &Layout, words: &mut [u64]) {
        self.pack_from(0, view, words);
    }

    /// Copies elements into a view of a message's one store.
    ///
    /// # Panics
    /// As [`pack`](Self::pack).
    pub(crate) fn unpack(&self, view: &Layout, words: &[u64]) {
        self.unpack_from(0, view, words);
    }

    /// Whether a view lies in a message's one store, and its elements behind so many others fill no more than so many words.
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
            // SAFETY: the view lies in the store, all of whose elements that the message is of have been written; there are as many
            // words as the elements need, which are the caller's alone.
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
