//! Sorted lines, merged runs, and places in sorted vectors.

use super::harness::{Cases, On, exactly};
use super::reduce::shape;
use crate::cuda::sort::radix::ALL_HUGE;
use crate::cuda::testing::dtypes;
use crate::dtype::{DType, Scalar};
use crate::kernel::sort::Runs;
use crate::kernel::testing::{Draw, Operand};
use crate::kernel::{interp, search, sort};
use crate::library;

/// Lines that a block sorts, alone or together, and lines of several tiles.
const SHAPES: [&[usize]; 10] = [
    &[1],
    &[0],
    &[300],
    &[2048],
    &[2049],
    &[7000],
    &[40, 70],
    &[700, 3],
    &[3, 1, 2500],
    &[2, 3, 4, 5],
];

/// Returns a random value, either any or one of few, so that many are equal.
fn drawn(draw: &mut Draw, dtype: DType, is_any: bool) -> Scalar {
    if is_any {
        draw.value(dtype)
    } else {
        Scalar::I64(draw.below(9) as i64 - 4).cast(dtype)
    }
}

fn sorts(shapes: &[&[usize]], dtypes: &[DType], seed: u64) -> Cases {
    let mut cases = Cases::new();
    let mut draw = Draw(seed);
    for &dims in shapes {
        for axis in 0..dims.len() {
            for &dtype in dtypes {
                let is_any = draw.below(2) == 0;
                let input = Operand::new(&mut draw, dtype, dims, false, |draw| {
                    drawn(draw, dtype, is_any)
                });
                let what = format!("{dtype} {dims:?} along {axis} {:?}", input.layout);

                let out = Operand::new(&mut draw, dtype, dims, true, |draw| draw.value(dtype));
                let mut wanted = out.with_bytes(&out.bytes());
                sort::sort(axis, &input.tile(), &mut wanted.tile_mut());
                let operands = [On::Tile(&input), On::Tile(&out)];
                let body = library::sort::sort(axis as u8);
                let expected = vec![exactly(1, wanted)];
                cases.add(
                    format!("sort {what}"),
                    body,
                    shape(dims),
                    &operands,
                    expected,
                );

                let integers = |draw: &mut Draw| draw.value(DType::I64);
                let out = Operand::new(&mut draw, DType::I64, dims, true, integers);
                let mut wanted = out.with_bytes(&out.bytes());
                sort::argsort(axis, &input.tile(), &mut wanted.tile_mut());
                let operands = [On::Tile(&input), On::Tile(&out)];
                let body = library::sort::argsort(axis as u8);
                let expected = vec![exactly(1, wanted)];
                cases.add(
                    format!("argsort {what}"),
                    body,
                    shape(dims),
                    &operands,
                    expected,
                );
            }
        }
    }
    cases
}

/// Returns sorts of long lines that number elements with 64 bits.
fn huge_sorts(dtypes: &[DType]) -> Cases {
    ALL_HUGE.set(true);
    let cases = sorts(&[&[7000], &[3, 1, 2500]], dtypes, 8);
    ALL_HUGE.set(false);
    cases
}

/// Returns a dense sorted vector, and the numbers of its elements starting at `first`.
fn sorted(values: &[Scalar], dtype: DType, first: usize) -> [Operand; 2] {
    let dims = [values.len()];
    let [mut sorted, mut numbers] = [dtype, DType::I64].map(|dtype| Operand::zeros(&dims, dtype));
    sort::sort_numbered(
        first,
        &Operand::from_values(&dims, values, dtype).tile(),
        &mut sorted.tile_mut(),
        &mut numbers.tile_mut(),
    );
    [sorted, numbers]
}

/// Merges vectors of some lengths, which are sorted in runs.
fn merges(lengths: &[usize], dtypes: &[DType], seed: u64) -> Cases {
    let mut cases = Cases::new();
    let mut draw = Draw(seed);
    for &length in lengths {
        for &dtype in dtypes {
            let dims = [length];
            let (runs, width) = (1 + draw.below(7), 1 << draw.below(2));
            let runs = Runs {
                length,
                runs: runs.min(length.max(1)),
                width,
            };
            let is_any = draw.below(2) == 0;
            let drawn: Vec<Scalar> = (0..length)
                .map(|_| drawn(&mut draw, dtype, is_any))
                .collect();
            let first = draw.below(1000);
            let [values, numbers] = sorted(&drawn, dtype, first);
            let input = Operand::from_values(&dims, &drawn, dtype);
            let outs = [dtype, DType::I64].map(|dtype| Operand::zeros(&dims, dtype));
            cases.add_tile(
                format!("sort numbered {length} {dtype} from {first}"),
                library::sort::argsort_runs(),
                [first + length, first],
                &[On::Tile(&input), On::Tile(&outs[0]), On::Tile(&outs[1])],
                vec![exactly(1, values), exactly(2, numbers)],
            );

            // Each pair of runs is sorted, as a CPU merges them.
            let mut runs_in_order = [vec![], vec![]];
            for run in (0..runs.runs).step_by(width) {
                let (start, end) = (runs.start(run), runs.start(run + width));
                let run = sorted(&drawn[start..end], dtype, start);
                for (all, run) in runs_in_order.iter_mut().zip(run) {
                    all.extend(run.values());
                }
            }
            let [sorted, sorted_numbers] = [
                Operand::from_values(&dims, &runs_in_order[0], dtype),
                Operand::from_values(&dims, &runs_in_order[1], DType::I64),
            ];
            let (low, high) = (draw.below(length + 1), draw.below(length + 1));
            let (low, high) = (low.min(high), low.max(high));
            let part = [high - low];
            let [mut values, mut numbers] =
                [dtype, DType::I64].map(|dtype| Operand::zeros(&part, dtype));
            sort::merge_numbered(
                runs,
                low,
                [&sorted.tile(), &sorted_numbers.tile()],
                [&mut values.tile_mut(), &mut numbers.tile_mut()],
            );
            let outs = [dtype, DType::I64].map(|dtype| Operand::zeros(&part, dtype));
            let operands = [
                On::Tile(&sorted),
                On::Tile(&sorted_numbers),
                On::Tile(&outs[0]),
                On::Tile(&outs[1]),
            ];
            cases.add_tile(
                format!("merge numbered {runs:?} {dtype} from {low} to {high}"),
                library::sort::merge_numbered(runs.runs as u32, width as u32),
                [length, low],
                &operands,
                vec![exactly(2, values), exactly(3, numbers)],
            );
        }
    }
    cases
}

fn searches(dtypes: &[DType], seed: u64) -> Cases {
    let mut cases = Cases::new();
    let mut draw = Draw(seed);
    for &dtype in dtypes {
        for (length, dims) in [
            (0, &[5][..]),
            (1, &[70]),
            (1000, &[30, 40]),
            (37, &[2, 3, 4, 5]),
        ] {
            let is_any = draw.below(2) == 0;
            let any = Operand::new(&mut draw, dtype, &[length], false, |draw| {
                drawn(draw, dtype, is_any)
            });
            let mut sorted = any.with_bytes(&any.bytes());
            sort::sort(0, &any.tile(), &mut sorted.tile_mut());
            let values = Operand::new(&mut draw, dtype, dims, false, |draw| {
                drawn(draw, dtype, is_any)
            });
            let integers = |draw: &mut Draw| draw.value(DType::I64);
            let out = Operand::new(&mut draw, DType::I64, dims, true, integers);
            for right in [false, true] {
                let mut wanted = out.with_bytes(&out.bytes());
                search::search(
                    right,
                    &sorted.tile(),
                    &values.tile(),
                    &mut wanted.tile_mut(),
                );
                cases.add(
                    format!("search {dims:?} in {length} of {dtype}, right {right}"),
                    library::search::search(right),
                    shape(dims),
                    &[On::Tile(&sorted), On::Tile(&values), On::Tile(&out)],
                    vec![exactly(2, wanted)],
                );
            }
        }
    }
    cases
}

fn interpolations(seed: u64) -> Cases {
    let mut cases = Cases::new();
    let mut draw = Draw(seed);
    let ends = [[None, None], [Some(-3.5), None], [None, Some(f64::NAN)]];
    for (number, (length, dims)) in [
        (1, &[70][..]),
        (2, &[5]),
        (1000, &[30, 40]),
        (37, &[3, 4, 5]),
    ]
    .into_iter()
    .enumerate()
    {
        let mut whole = |dims: &[usize], is_out| {
            Operand::new(&mut draw, DType::F64, dims, is_out, |draw| {
                Scalar::F64(draw.below(200) as f64)
            })
        };
        let any = whole(&[length], false);
        let mut x = any.with_bytes(&any.bytes());
        sort::sort(0, &any.tile(), &mut x.tile_mut());
        let (at, y, out) = (
            whole(dims, false),
            whole(&[length], false),
            whole(dims, true),
        );
        let ends = ends[number % ends.len()];
        let mut wanted = out.with_bytes(&out.bytes());
        interp::interpolate(
            ends,
            &at.tile(),
            &x.tile(),
            &y.tile(),
            &mut wanted.tile_mut(),
        );
        cases.add(
            format!("interpolation at {dims:?} between {length} points"),
            library::search::interpolate(ends),
            shape(dims),
            &[On::Tile(&at), On::Tile(&x), On::Tile(&y), On::Tile(&out)],
            vec![exactly(3, wanted)],
        );
    }
    cases
}

#[test]
fn sorts_lines_in_order() {
    let all: Vec<DType> = dtypes().collect();
    sorts(&SHAPES, &all, 1).check();
}

#[test]
fn sorts_lines_of_many_digits() {
    // The number of a line has a second digit.
    sorts(&[&[257, 2049]], &[DType::U8], 2).check();
}

#[test]
fn sorts_by_numbers_of_64_bits() {
    huge_sorts(&[DType::U8, DType::I64, DType::F64, DType::C64, DType::C128]).check();
}

#[test]
fn merges_sorted_runs() {
    let all: Vec<DType> = dtypes().collect();
    merges(&[1, 10, 3000], &all, 3).check();
}

#[test]
fn searches_sorted_vectors() {
    let all: Vec<DType> = dtypes().collect();
    searches(&all, 4).check();
}

#[test]
fn interpolates_between_points() {
    interpolations(8).check();
}

/// Returns all kernels, for the compiler.
pub(super) fn all() -> Vec<Cases> {
    let all: Vec<DType> = dtypes().collect();
    let flat: [&[usize]; 3] = [&[300], &[7000], &[3, 2500]];
    vec![
        sorts(&flat, &all, 5),
        huge_sorts(&all),
        merges(&[3000], &all, 6),
        searches(&all, 7),
        interpolations(9),
    ]
}
