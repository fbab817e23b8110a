//! Selection by masks, counts of numbers, and checks of exponents.

use super::harness::{Cases, On, exactly};
use super::reduce::shape;
use crate::cuda::testing::dtypes;
use crate::dtype::{DType, Scalar};
use crate::kernel::testing::{Draw, Operand};
use crate::kernel::{ScanOp, count, histogram, pack, scan};
use crate::library;
use weft_kernels::Tile;

const LENGTHS: [usize; 6] = [0, 1, 100, 4096, 5000, 20_000];

/// Returns a mask, the counts of its blocks, their running sums, and the number of set elements.
fn masks(draw: &mut Draw, length: usize) -> (Operand, Operand, Operand, usize) {
    let of_8 = draw.below(9);
    let mask = Operand::new(draw, DType::Bool, &[length], false, |draw| {
        Scalar::Bool(draw.below(8) < of_8)
    });
    let blocks = length.div_ceil(pack::BLOCK);
    let mut counts = Operand::zeros(&[blocks], DType::I64);
    pack::count_blocks(&mask.tile(), &mut counts.tile_mut());
    let mut ends = Operand::zeros(&[blocks], DType::I64);
    scan::scan(ScanOp::CumSum, 0, &counts.tile(), &mut ends.tile_mut());
    let set = ends
        .values()
        .last()
        .map_or(0, |last| last.to::<i64>() as usize);
    (mask, counts, ends, set)
}

fn selections(lengths: &[usize], dtypes: &[DType], seed: u64) -> Cases {
    let mut cases = Cases::new();
    let mut draw = Draw(seed);
    let integers = |draw: &mut Draw| draw.value(DType::I64);
    for &length in lengths {
        let (mask, counts, ends, set) = masks(&mut draw, length);
        let blocks = [length.div_ceil(pack::BLOCK)];
        let out = Operand::new(&mut draw, DType::I64, &blocks, true, integers);
        let mut wanted = out.with_bytes(&out.bytes());
        pack::count_blocks(&mask.tile(), &mut wanted.tile_mut());
        assert_eq!(wanted.values(), counts.values());
        cases.add(
            format!("counts of {length}"),
            library::pack::count_blocks(),
            shape(&blocks),
            &[On::Tile(&mask), On::Tile(&out)],
            vec![exactly(1, wanted)],
        );

        // A random range of the selected elements.
        let (low, high) = (draw.below(set + 1), draw.below(set + 1));
        let (low, high) = (low.min(high), low.max(high));
        let part = [high - low];
        let out = Operand::new(&mut draw, DType::I64, &part, true, integers);
        let mut wanted = out.with_bytes(&out.bytes());
        pack::positions(low, &mask.tile(), &ends.tile(), &mut wanted.tile_mut());
        cases.add_tile(
            format!("positions {low} to {high} of {set} in {length}"),
            library::pack::positions(),
            [set, low],
            &[On::Tile(&mask), On::Tile(&ends), On::Tile(&out)],
            vec![exactly(2, wanted)],
        );
        for &dtype in dtypes {
            let (start, end) = (draw.below(length + 1), draw.below(length + 1));
            let unpacked = [start.min(end), start.max(end)];
            type Selection = fn(usize, &Tile<'_>, &Tile<'_>, &Tile<'_>, &mut Tile<'_>);
            let both = [
                (
                    "pack",
                    library::pack::pack(),
                    pack::pack as Selection,
                    [set, length],
                    [low, high],
                ),
                (
                    "unpack",
                    library::pack::unpack(),
                    pack::unpack,
                    [length, set],
                    unpacked,
                ),
            ];
            for (name, body, select, [whole, given], [low, high]) in both {
                let value = |draw: &mut Draw| draw.value(dtype);
                let values = Operand::new(&mut draw, dtype, &[given], false, value);
                let out = Operand::new(&mut draw, dtype, &[high - low], true, value);
                let mut wanted = out.with_bytes(&out.bytes());
                select(
                    low,
                    &mask.tile(),
                    &ends.tile(),
                    &values.tile(),
                    &mut wanted.tile_mut(),
                );
                cases.add_tile(
                    format!("{name} {dtype}, {given} to {low} to {high} of {whole}"),
                    body,
                    [whole, low],
                    &[
                        On::Tile(&mask),
                        On::Tile(&ends),
                        On::Tile(&values),
                        On::Tile(&out),
                    ],
                    vec![exactly(3, wanted)],
                );
            }
        }
    }
    cases
}

fn counts(seed: u64) -> Cases {
    let mut cases = Cases::new();
    let mut draw = Draw(seed);
    for length in [0, 1, 3000] {
        for bins in [1, 10, 5000] {
            let numbers = Operand::new(&mut draw, DType::I64, &[length], false, |draw| {
                Scalar::I64(draw.below(bins) as i64)
            });
            let mut wanted = Operand::zeros(&[bins], DType::I64);
            let before: Vec<Scalar> = (0..bins).map(|_| draw.value(DType::I64)).collect();
            let out = Operand::from_values(&[bins], &before, DType::I64);
            count::count(&numbers.tile(), None, &mut wanted.tile_mut()).unwrap();
            cases.add(
                format!("{bins} bins of {length}"),
                library::count::count(true),
                shape(&[length]),
                &[On::Tile(&numbers), On::Tile(&out)],
                vec![exactly(1, wanted)],
            );
            // The order of the weights decides the bits of their sums.
            let weights = Operand::new(&mut draw, DType::F64, &[length], false, |draw| {
                draw.tame(DType::F64)
            });
            let mut wanted = Operand::zeros(&[bins], DType::F64);
            let before: Vec<Scalar> = (0..bins).map(|_| draw.value(DType::F64)).collect();
            let out = Operand::from_values(&[bins], &before, DType::F64);
            let sums = count::count(
                &numbers.tile(),
                Some(&weights.tile()),
                &mut wanted.tile_mut(),
            );
            sums.unwrap();
            cases.add(
                format!("weights of {bins} bins of {length}"),
                library::count::count_weights(true),
                shape(&[length]),
                &[On::Tile(&numbers), On::Tile(&weights), On::Tile(&out)],
                vec![exactly(2, wanted)],
            );
        }
    }
    for dims in [&[5][..], &[30, 40], &[2, 3, 4, 5]] {
        let so_far = Operand::new(&mut draw, DType::I64, dims, false, |draw| {
            Scalar::I64(draw.below(100) as i64)
        });
        let indices = Operand::new(&mut draw, DType::I64, dims, false, |draw| {
            Scalar::I64(draw.below(14) as i64 - 7)
        });
        let out = Operand::new(&mut draw, DType::I64, dims, true, |draw| {
            draw.value(DType::I64)
        });
        let mut wanted = out.with_bytes(&out.bytes());
        count::ravel(7, &so_far.tile(), &indices.tile(), &mut wanted.tile_mut()).unwrap();
        let zeros = Operand::from_values(&[], &[Scalar::I64(0)], DType::I64);
        let mut first_wanted = out.with_bytes(&out.bytes());
        let mut still = zeros.layout;
        still.shape = shape(dims);
        count::ravel(
            7,
            &zeros.view(still),
            &indices.tile(),
            &mut first_wanted.tile_mut(),
        )
        .unwrap();
        cases.add(
            format!("first of ravel {dims:?}"),
            library::count::ravel(7),
            shape(dims),
            &[
                On::Scalar(Scalar::I64(0)),
                On::Tile(&indices),
                On::Tile(&out),
            ],
            vec![exactly(1, first_wanted)],
        );
        cases.add(
            format!("ravel {dims:?}"),
            library::count::ravel(7),
            shape(dims),
            &[On::Tile(&so_far), On::Tile(&indices), On::Tile(&out)],
            vec![exactly(2, wanted)],
        );
    }
    cases
}

#[test]
fn selects_elements_by_mask() {
    let all: Vec<DType> = dtypes().collect();
    selections(&LENGTHS, &all, 1).check();
}

/// Returns checks of exponents, of which those below 0 are faults.
fn exponents() -> Cases {
    let mut cases = Cases::new();
    for dtype in dtypes().filter(|dtype| dtype.is_integer()) {
        for value in [0, 5, -1, -100] {
            let value = Scalar::I64(value).cast(dtype);
            let is_wrong = value.integer().is_some_and(|value| value < 0);
            let least = Operand::from_values(&[1], &[value], dtype);
            let out = Operand::from_values(&[1], &[Scalar::I64(7).cast(dtype)], dtype);
            let zero = Operand::zeros(&[1], dtype);
            cases.add_part(
                format!("exponent {value:?}"),
                library::exponent::check(),
                shape(&[1]),
                Default::default(),
                &[On::Tile(&least), On::Tile(&out)],
                vec![exactly(1, zero)],
                is_wrong.then_some((0, 0)),
            );
        }
    }
    cases
}

#[test]
fn negative_exponents_are_faults() {
    exponents().check();
}

#[test]
fn counts_occurrences_and_indices() {
    counts(2).check();
}

/// Returns counts of values between edges: of every dtype with an order, with few and many bins.
fn histograms(lengths: &[usize], dtypes: &[DType], seed: u64) -> Cases {
    let mut cases = Cases::new();
    let mut draw = Draw(seed);
    for &dtype in dtypes.iter().filter(|dtype| !dtype.is_complex()) {
        for &length in lengths {
            for bins in [1, 10, 3000] {
                let mut edges: Vec<Scalar> = (0..=bins).map(|_| draw.tame(dtype)).collect();
                edges.sort_by(|a, b| a.to::<f64>().total_cmp(&b.to::<f64>()));
                let edges = Operand::from_values(&[bins + 1], &edges, dtype);
                // Values are also NaN, outside of the edges, and the edges themselves.
                let known = edges.values();
                let values = Operand::new(&mut draw, dtype, &[length], false, |draw| {
                    match draw.below(3) {
                        0 => known[draw.below(known.len())],
                        1 => draw.tame(dtype),
                        _ => draw.value(dtype),
                    }
                });
                let mut wanted = Operand::zeros(&[bins], DType::I64);
                let (from, to) = (&edges.tile(), &mut wanted.tile_mut());
                histogram::histogram(from, &values.tile(), None, to);
                let before: Vec<Scalar> = (0..bins).map(|_| draw.value(DType::I64)).collect();
                let out = Operand::from_values(&[bins], &before, DType::I64);
                cases.add(
                    format!("{length} values of {dtype} in {bins} bins"),
                    library::count::histogram(true, false),
                    shape(&[length]),
                    &[On::Tile(&edges), On::Tile(&values), On::Tile(&out)],
                    vec![exactly(2, wanted)],
                );
            }
        }
    }
    cases
}

#[test]
fn counts_values_between_edges() {
    let all: Vec<DType> = dtypes().collect();
    histograms(&[0, 1, 3000], &all, 7).check();
}

#[test]
fn out_of_range_indices_are_faults() {
    let mut cases = Cases::new();
    let mut draw = Draw(3);
    for wrong in [-1, 7] {
        let mut numbers: Vec<Scalar> = (0..100)
            .map(|_| Scalar::I64(draw.below(7) as i64))
            .collect();
        numbers[50] = Scalar::I64(wrong);
        let numbers = Operand::from_values(&[100], &numbers, DType::I64);
        let out = Operand::zeros(&[7], DType::I64);
        cases.add_part(
            format!("{wrong} in 7 bins"),
            library::count::count(true),
            shape(&[100]),
            Default::default(),
            &[On::Tile(&numbers), On::Tile(&out)],
            vec![],
            Some((wrong, 7)),
        );
        let weights = Operand::zeros(&[100], DType::F64);
        let sums = Operand::zeros(&[7], DType::F64);
        cases.add_part(
            format!("weights of {wrong} in 7 bins"),
            library::count::count_weights(true),
            shape(&[100]),
            Default::default(),
            &[On::Tile(&numbers), On::Tile(&weights), On::Tile(&sums)],
            vec![],
            Some((wrong, 7)),
        );
    }
    cases.check();
}

/// Returns all kernels, for the compiler.
pub(super) fn all() -> Vec<Cases> {
    let all: Vec<DType> = dtypes().collect();
    let histograms = histograms(&[1], &all, 8);
    vec![
        selections(&[5000], &all, 4),
        counts(5),
        exponents(),
        histograms,
    ]
}
