//! Sorting networks: the words of up to 16 rows are sorted in registers.
//!
//! First the words of each lane are sorted. Each further level merges the first half of these
//! sequences with the second half. A sequence then has two chunks, in two lanes; after the last
//! level one sequence fills all lanes. Chunk `q` of it is in the lane whose number is `q` with the
//! bits in reverse.

#![allow(
    unsafe_code,
    reason = "reads and writes the words that the caller vouches for"
)]

use super::unit::{Lanes, Places, Unit};

/// Sorts `count` words at `at`, at most those of `ROWS` rows.
///
/// # Safety
/// The words are there, and nothing else accesses them meanwhile.
#[inline(always)]
pub(super) unsafe fn sort_rows<W: Lanes, const ROWS: usize>(unit: Unit, at: *mut W, count: usize) {
    // Rows without words are at the first place, since an access to an absent page takes long even
    // if it accesses nothing.
    let of_row = |from: usize| match count.saturating_sub(from) {
        0 => (at, 0),
        left => (at.wrapping_add(from), left),
    };
    let mut rows: [W::Row; ROWS] = std::array::from_fn(|row| {
        let (from, left) = of_row(row * W::LANES);
        // SAFETY: only words below `count` are accessed, which the caller promises.
        unsafe { W::load(unit, from, left) }
    });
    sort_lanes::<W, ROWS>(unit, &mut rows);
    if W::LANES > 8 {
        merge::<W, ROWS, 8>(unit, &mut rows);
    }
    merge::<W, ROWS, 4>(unit, &mut rows);
    merge::<W, ROWS, 2>(unit, &mut rows);
    merge::<W, ROWS, 1>(unit, &mut rows);
    exchange_bits::<W, ROWS>(unit, &mut rows);
    let bits = W::LANES.min(ROWS).trailing_zeros();
    let mut row = 0;
    while row < ROWS {
        // The lowest bits of a row's number are now the highest bits of the chunk's, in reverse.
        let chunk = (row << (usize::BITS - bits)).reverse_bits();
        let place = chunk * (ROWS >> bits) + (row >> bits);
        let (to, left) = of_row(place * W::LANES);
        // SAFETY: as above.
        unsafe { W::store(unit, to, left, rows[row]) };
        row += 1;
    }
}

/// Puts the smaller words of two rows into the first of them.
#[inline(always)]
fn order<W: Lanes>(unit: Unit, rows: &mut [W::Row], a: usize, b: usize) {
    [rows[a], rows[b]] = W::order(unit, rows[a], rows[b]);
}

/// Orders pairs of rows.
macro_rules! pairs {
    ($unit:ident, $rows:ident: $($a:literal $b:literal),*) => {{
        $(order::<W>($unit, $rows, $a, $b);)*
    }};
}

/// Sorts the words of each lane by the smallest known networks (Knuth: The Art of Computer
/// Programming, volume 3, 5.3.4; that for 16 words is Green's).
#[inline(always)]
fn sort_lanes<W: Lanes, const ROWS: usize>(unit: Unit, rows: &mut [W::Row; ROWS]) {
    let rows = rows.as_mut_slice();
    match ROWS {
        2 => pairs!(unit, rows: 0 1),
        4 => pairs!(unit, rows: 0 2, 1 3, 0 1, 2 3, 1 2),
        8 => pairs!(unit, rows: 0 2, 1 3, 4 6, 5 7, 0 4, 1 5, 2 6, 3 7, 0 1, 2 3, 4 5, 6 7,
            2 4, 3 5, 1 4, 3 6, 1 2, 3 4, 5 6),
        _ => pairs!(unit, rows: 0 1, 2 3, 4 5, 6 7, 8 9, 10 11, 12 13, 14 15,
            0 2, 1 3, 4 6, 5 7, 8 10, 9 11, 12 14, 13 15,
            0 4, 1 5, 2 6, 3 7, 8 12, 9 13, 10 14, 11 15,
            0 8, 1 9, 2 10, 3 11, 4 12, 5 13, 6 14, 7 15,
            5 10, 6 9, 3 12, 13 14, 4 8, 7 11, 1 2,
            1 4, 7 13, 2 8, 11 14,
            2 4, 5 6, 9 10, 11 13, 3 8, 7 12,
            6 8, 10 12, 3 5, 7 9,
            3 4, 5 6, 7 8, 9 10, 11 12,
            6 7, 8 9),
    }
}

/// The places of a row of the lanes without (or with) the bit `apart` of two rows. Those of the
/// first row come first. `turned` is the set of other bits to invert.
const fn places(lanes: usize, is_upper: bool, apart: usize, turned: usize) -> Places {
    let mut places = [0; 16];
    let mut lane = 0;
    while lane < lanes {
        let from = if is_upper {
            lane | apart
        } else {
            lane & !apart
        };
        let of_second = if lane & apart == 0 { 0 } else { lanes };
        places[lane * (16 / lanes)] = ((from ^ turned) + of_second) as u32;
        lane += 1;
    }
    places
}

/// The lanes without the bit `APART` of both rows.
#[inline(always)]
fn lower<W: Lanes, const APART: usize>(unit: Unit, a: W::Row, b: W::Row) -> W::Row {
    W::pick(unit, a, b, const { &places(W::LANES, false, APART, 0) })
}

/// The lanes with the bit `APART` of both rows.
#[inline(always)]
fn upper<W: Lanes, const APART: usize>(unit: Unit, a: W::Row, b: W::Row) -> W::Row {
    W::pick(unit, a, b, const { &places(W::LANES, true, APART, 0) })
}

/// Merges each sequence with that `APART` lanes on.
#[inline(always)]
fn merge<W: Lanes, const ROWS: usize, const APART: usize>(unit: Unit, rows: &mut [W::Row; ROWS]) {
    // The first sequence against the second in reverse: the other row, and the last chunk first.
    let mut row = 0;
    while row < ROWS / 2 {
        let (a, b) = (rows[row], rows[ROWS - 1 - row]);
        let x = lower::<W, APART>(unit, a, b);
        let turned = const { &places(W::LANES, true, APART, (W::LANES - 1) & !(2 * APART - 1)) };
        let y = W::pick(unit, b, a, turned);
        let [least, most] = W::order(unit, x, y);
        rows[row] = lower::<W, APART>(unit, least, most);
        rows[ROWS - 1 - row] = upper::<W, APART>(unit, least, most);
        row += 1;
    }
    // Half of the chunks against the other half, then halves of these.
    if APART * 2 < W::LANES {
        // The lowest bit of a chunk's number is the highest of a lane's.
        match APART * 2 {
            2 => halve::<W, ROWS, 2>(unit, rows),
            4 => halve::<W, ROWS, 4>(unit, rows),
            _ => halve::<W, ROWS, 8>(unit, rows),
        }
    }
    if APART * 4 < W::LANES {
        match APART * 4 {
            4 => halve::<W, ROWS, 4>(unit, rows),
            _ => halve::<W, ROWS, 8>(unit, rows),
        }
    }
    if APART * 8 < W::LANES {
        halve::<W, ROWS, 8>(unit, rows);
    }
    // Half of the rows of a chunk against the other half, then halves of these.
    let mut apart = ROWS / 2;
    while apart > 0 {
        let mut row = 0;
        while row < ROWS {
            if row & apart == 0 {
                order::<W>(unit, rows, row, row + apart);
            }
            row += 1;
        }
        apart /= 2;
    }
}

/// Orders each word and that `APART` lanes on.
#[inline(always)]
fn halve<W: Lanes, const ROWS: usize, const APART: usize>(unit: Unit, rows: &mut [W::Row; ROWS]) {
    let mut row = 0;
    while row < ROWS {
        let (a, b) = (rows[row], rows[row + 1]);
        let (x, y) = (lower::<W, APART>(unit, a, b), upper::<W, APART>(unit, a, b));
        let [least, most] = W::order(unit, x, y);
        rows[row] = lower::<W, APART>(unit, least, most);
        rows[row + 1] = upper::<W, APART>(unit, least, most);
        row += 2;
    }
}

/// Exchanges the bits of the numbers of rows and lanes. Then each row has neighbours of the
/// sequence.
#[inline(always)]
fn exchange_bits<W: Lanes, const ROWS: usize>(unit: Unit, rows: &mut [W::Row; ROWS]) {
    exchange_bit::<W, ROWS, 1>(unit, rows);
    exchange_bit::<W, ROWS, 2>(unit, rows);
    exchange_bit::<W, ROWS, 4>(unit, rows);
    exchange_bit::<W, ROWS, 8>(unit, rows);
    if ROWS * 2 < W::LANES {
        let mut row = 0;
        while row < ROWS {
            let turned = const { &turned(W::LANES, ROWS) };
            rows[row] = W::pick(unit, rows[row], rows[row], turned);
            row += 1;
        }
    }
}

#[inline(always)]
fn exchange_bit<W: Lanes, const ROWS: usize, const BIT: usize>(
    unit: Unit,
    rows: &mut [W::Row; ROWS],
) {
    if BIT >= ROWS || BIT >= W::LANES {
        return;
    }
    let mut row = 0;
    while row < ROWS {
        if row & BIT == 0 {
            let (a, b) = (rows[row], rows[row + BIT]);
            rows[row] = lower::<W, BIT>(unit, a, b);
            rows[row + BIT] = upper::<W, BIT>(unit, a, b);
        }
        row += 1;
    }
}

/// The places of lanes whose numbers have the bits from `rows` on in reverse.
const fn turned(lanes: usize, rows: usize) -> Places {
    let mut places = [0; 16];
    let mut lane = 0;
    while lane < lanes {
        let (mut from, mut low, mut high) = (lane % rows, rows, lanes / 2);
        while low < lanes {
            if lane & low != 0 {
                from |= high;
            }
            (low, high) = (low * 2, high / 2);
        }
        places[lane * (16 / lanes)] = from as u32;
        lane += 1;
    }
    places
}
