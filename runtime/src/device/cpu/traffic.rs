//! How many bytes a kernel moves between memory and processor, if caches keep what it needs twice.

use smallvec::SmallVec;

use crate::kernel::Tile;

/// The elements of one allocation that views of it cover.
struct Covered {
    data: *mut u8,
    /// The sum of the views' elements, in bytes.
    all: u64,
    /// From the first element to the end of the last, in bytes.
    first: usize,
    end: usize,
}

/// Bytes that reading these tiles takes from memory once. Views of one allocation that share elements count these once: the
/// five views of a stencil are one grid. An axis of step 0 is read once.
///
/// Views of one allocation count at most the interval between their first and last element, and at most the sum of their
/// elements; the exact figure lies below both where views overlap in part and leave gaps.
pub(super) fn bytes_read<'a, 'm: 'a>(tiles: impl IntoIterator<Item = &'a Tile<'m>>) -> u64 {
    let mut covered: SmallVec<[Covered; 8]> = SmallVec::new();
    for tile in tiles {
        let layout = tile.layout();
        let Some((first, last)) = layout.extent() else {
            continue;
        };
        let size = tile.dtype().size();
        let axes = tile.dims().iter().zip(&layout.strides);
        let distinct = axes.filter(|(_, step)| **step != 0);
        let elements: usize = distinct.map(|(&count, _)| count).product();
        let (bytes, first, end) = ((elements * size) as u64, first * size, (last + 1) * size);
        match covered.iter_mut().find(|other| other.data == tile.data()) {
            Some(other) => {
                other.all += bytes;
                other.first = other.first.min(first);
                other.end = other.end.max(end);
            }
            None => covered.push(Covered {
                data: tile.data(),
                all: bytes,
                first,
                end,
            }),
        }
    }
    let of = |covered: &Covered| covered.all.min((covered.end - covered.first) as u64);
    covered.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::kernel::TileRef;
    use crate::kernel::testing::Operand;
    use crate::shape::{Layout, Shape};

    /// A view of a 10 by 10 grid.
    fn view(rows: usize, columns: usize, offset: usize, down: isize) -> Layout {
        let mut layout = Layout::contiguous(Shape::new(&[rows, columns]).unwrap());
        layout.strides[0] = down;
        layout.offset = offset;
        layout
    }

    fn read(tiles: &[TileRef<'_>]) -> u64 {
        bytes_read(tiles.iter().map(|tile| &**tile))
    }

    #[test]
    fn the_views_of_a_stencil_are_one_grid() {
        let grid = Operand::zeros(&[10, 10], DType::F64);
        let views = [11, 1, 12, 10, 21].map(|offset| grid.view(view(8, 8, offset, 10)));
        // From element 1 to element 98.
        assert_eq!(read(&views), 98 * 8);
    }

    #[test]
    fn a_view_alone_counts_its_elements() {
        let grid = Operand::zeros(&[10, 10], DType::F64);
        assert_eq!(read(&[grid.view(view(10, 1, 3, 10))]), 10 * 8);
        // One row for all.
        assert_eq!(read(&[grid.view(view(10, 10, 0, 0))]), 10 * 8);
        let other = Operand::zeros(&[4], DType::F32);
        assert_eq!(read(&[grid.tile(), other.tile()]), 816);
    }
}
