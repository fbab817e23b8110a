//! Runs of equal elements of a sorted vector. All NaN are equal, and so are -0.0 and 0.0.

use super::element;
use super::order::Ordered;
use crate::Tile;
use crate::dtype::{DType, with_comparable, with_complex};
use crate::elementwise::with_word;
use crate::pack::whole::{GROUP, PART, pack, pick, sum};

/// The number of distinct elements.
///
/// # Panics
/// If the tile is not a vector.
pub fn count_distinct(sorted: &Tile) -> usize {
    let mut count = 0;
    each_part(sorted, &mut |_, marks| count += sum(marks));
    count
}

/// `out` = the elements of `given` at the places where runs of equal elements of `sorted` begin.
/// All are vectors; `given` may be `sorted` itself.
///
/// # Panics
/// If the shapes or types do not fit, or `out` has gaps.
pub fn distinct(sorted: &Tile, given: &Tile, out: &mut Tile) {
    assert_eq!(given.dtype(), out.dtype(), "elements keep their type");
    assert_eq!(given.dims(), sorted.dims(), "one for each element");
    let (count, step, mut rank) = (length(out), given.byte_stride(0), 0);
    assert!(count < 2 || out.layout().strides[0] == 1, "without gaps");
    with_word!(out.dtype(), W => {
        let room: &mut [W] = match count {
            0 => &mut [],
            // SAFETY: by the promises made for the tile, a vector of `count` elements without gaps.
            _ => unsafe { std::slice::from_raw_parts_mut(out.first().cast::<W>(), count) },
        };
        each_part(sorted, &mut |start, marks| {
            // SAFETY: by the promises made for the tile, which has an element for each mark.
            let value = |n| unsafe { element::<W>(given.first(), step, start + n) };
            rank += pack(marks, &mut room[rank..], value);
        });
    });
    assert_eq!(rank, count, "the vector is not the one that was counted");
}

/// `out` (`i64`) = the lengths of the runs of equal elements of `sorted`.
///
/// # Panics
/// If the shapes or types do not fit.
pub fn run_lengths(sorted: &Tile, out: &mut Tile) {
    assert_eq!(out.dtype(), DType::I64, "lengths are i64");
    let (all, count, step) = (length(sorted), length(out), out.byte_stride(0));
    let write = |rank: usize, value: i64| {
        assert!(rank < count, "the vector is not the one that was counted");
        let to = out.first().wrapping_offset(step * rank as isize);
        // SAFETY: by the promises made for the tile, which has this place.
        unsafe { to.cast::<i64>().write(value) };
    };
    let (mut places, mut rank, mut last) = ([0; PART + GROUP], 0, 0);
    each_part(sorted, &mut |start, marks| {
        let picked = pick(marks, start as i64, &mut places);
        for place in &places[..picked] {
            if rank > 0 {
                write(rank - 1, place - last);
            }
            (rank, last) = (rank + 1, *place);
        }
    });
    if rank > 0 {
        write(rank - 1, all as i64 - last);
    }
    assert_eq!(rank, count, "the vector is not the one that was counted");
}

/// `out[numbers[i]]` (`i64`) = the number of the run to which element `i` of `sorted` belongs. All
/// are vectors of one length; `numbers` (`i64`) has each place once.
///
/// # Panics
/// If the shapes or types do not fit, or a number lies outside.
pub fn run_numbers(sorted: &Tile, numbers: &Tile, out: &mut Tile) {
    let dtypes = [numbers.dtype(), out.dtype()];
    assert_eq!(dtypes, [DType::I64; 2], "numbers are i64");
    let all = length(sorted);
    assert_eq!([length(numbers), length(out)], [all; 2], "one for each");
    let steps = [numbers.byte_stride(0), out.byte_stride(0)];
    let mut run = -1;
    each_part(sorted, &mut |start, marks| {
        for (n, mark) in marks.iter().enumerate() {
            run += i64::from(*mark);
            // SAFETY: by the promises made for the tile, which has an element for each mark.
            let place = unsafe { element::<i64>(numbers.first(), steps[0], start + n) };
            assert!((0..all as i64).contains(&place), "a place of the vector");
            let to = out.first().wrapping_offset(steps[1] * place as isize);
            // SAFETY: by the promises made for the tile, which has this place.
            unsafe { to.cast::<i64>().write(run) };
        }
    });
}

/// The length of a vector.
fn length(tile: &Tile) -> usize {
    let &[length] = tile.dims() else {
        unreachable!("a vector, not {:?}", tile.dims());
    };
    length
}

/// Calls `body` with a mark for each element of a part, and the number of the first: 1 where it
/// differs from the one before.
#[inline(always)]
fn each_part(sorted: &Tile, body: &mut impl FnMut(usize, &[u8])) {
    let (count, from, step) = (length(sorted), sorted.first(), sorted.byte_stride(0));
    let mut buffer = [0; PART];
    macro_rules! parts {
        ($T:ty) => {
            for start in (0..count).step_by(PART) {
                let marks = &mut buffer[..PART.min(count - start)];
                // SAFETY: by the promises made for the tile, which has an element for each mark.
                let rank = |n| unsafe { element::<$T>(from, step, start + n) }.rank();
                for (n, mark) in marks.iter_mut().enumerate().skip(usize::from(start == 0)) {
                    // SAFETY: as above; the first element has no mark to compute.
                    let before = unsafe { element::<$T>(from, step, start + n - 1) }.rank();
                    *mark = u8::from(rank(n) != before);
                }
                if start == 0 {
                    marks[0] = 1;
                }
                body(start, marks);
            }
        };
    }
    with_comparable!(sorted.dtype(), T => parts!(T),
        else with_complex!(sorted.dtype(), T => parts!(T),
            else unreachable!("what is not complex is compared")));
}
