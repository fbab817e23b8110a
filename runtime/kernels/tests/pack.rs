//! Selections, their places and their inverse, compared with plain loops.

use proptest::prelude::*;
use weft_kernels::dtype::{DType, Scalar};
use weft_kernels::pack::*;
use weft_kernels::testing::{Draw, Operand, assert_same};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn selects_every_dtype_layout_and_cut(
        length in prop::sample::select(vec![0, 1, 7, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 5]),
        one_in in prop::sample::select(vec![1usize, 2, 50, 10_000]),
        tiles in 1usize..5,
        seed: u64,
    ) {
        let mut draw = Draw(seed);
        let mask = Operand::new(&mut draw, DType::Bool, &[length], false, |draw| {
            Scalar::Bool(draw.below(one_in) == 0)
        });
        let set: Vec<usize> = mask
            .values()
            .iter()
            .enumerate()
            .filter_map(|(at, value)| value.to::<bool>().then_some(at))
            .collect();
        let mut counts = Operand::zeros(&[length.div_ceil(BLOCK)], DType::I64);
        count_blocks(&mask.tile(), &mut counts.tile_mut());
        let mut sum = 0;
        let ends: Vec<Scalar> = counts.values().iter().map(|count| {
            sum += count.to::<i64>();
            Scalar::I64(sum)
        }).collect();
        prop_assert_eq!(sum as usize, set.len());
        let ends = Operand::from_values(&[ends.len()], &ends, DType::I64);

        let mut places = Operand::zeros(&[set.len()], DType::I64);
        for tile in 0..tiles {
            let [from, to] = [tile, tile + 1].map(|tile| set.len() * tile / tiles);
            let part = places.layout.tile(&[from], &[to]);
            positions(from, &mask.tile(), &ends.tile(), &mut places.view_mut(part));
        }
        let expected: Vec<Scalar> = set.iter().map(|&at| Scalar::I64(at as i64)).collect();
        assert_same(&places.values(), &expected, &"places");

        for dtype in DType::ALL {
            let values = Operand::new(&mut draw, dtype, &[length], false, |draw| draw.value(dtype));
            let mut out = Operand::new(&mut draw, dtype, &[set.len()], true, |draw| draw.value(dtype));
            let outside = out.others();
            for tile in 0..tiles {
                let [from, to] = [tile, tile + 1].map(|tile| set.len() * tile / tiles);
                let part = out.layout.tile(&[from], &[to]);
                pack(from, &mask.tile(), &ends.tile(), &values.tile(), &mut out.view_mut(part));
            }
            let all = values.values();
            let expected: Vec<Scalar> = set.iter().map(|&at| all[at]).collect();
            assert_same(&out.values(), &expected, &dtype);
            prop_assert_eq!(format!("{outside:?}"), format!("{:?}", out.others()));

            let mut spread = Operand::new(&mut draw, dtype, &[length], true, |draw| draw.value(dtype));
            for tile in 0..tiles {
                let [from, to] = [tile, tile + 1].map(|tile| length * tile / tiles);
                let part = spread.layout.tile(&[from], &[to]);
                unpack(from, &mask.tile(), &ends.tile(), &out.tile(), &mut spread.view_mut(part));
            }
            let mut expected = vec![Scalar::zero(dtype); length];
            set.iter().for_each(|&at| expected[at] = all[at]);
            assert_same(&spread.values(), &expected, &dtype);
        }
    }
}

/// The row-major numbers of the elements that are not 0.
fn set_places(mask: &Operand) -> Vec<usize> {
    let values = mask.values();

    let is_set = |value: &Scalar| value.cast(DType::Bool).to::<bool>();
    (0..values.len())
        .filter(|at| is_set(&values[*at]))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn whole_masks_of_every_type_shape_and_layout(
        dims in prop::collection::vec(prop::sample::select(vec![0usize, 1, 2, 3, 7, 8, 9, 40]), 1..4),
        one_in in prop::sample::select(vec![1usize, 2, 50, 10_000]),
        seed: u64,
    ) {
        let mut draw = Draw(seed);
        for dtype in [DType::Bool, DType::I32, DType::F16, DType::F64, DType::C64] {
            let mask = Operand::new(&mut draw, dtype, &dims, false, |draw| {
                Scalar::Bool(draw.below(one_in) == 0).cast(dtype)
            });
            let set = set_places(&mask);
            prop_assert_eq!(count_set(&mask.tile()), set.len());

            let mut found = Operand::zeros(&[dims.len(), set.len()], DType::I64);
            indices(&mask.tile(), &mut found.tile_mut());
            let expected: Vec<Scalar> = (0..dims.len()).flat_map(|axis| {
                let inner: usize = dims[axis + 1..].iter().product();
                let length = dims[axis];
                set.iter().map(move |at| Scalar::I64((at / inner.max(1) % length.max(1)) as i64)).collect::<Vec<_>>()
            }).collect();
            assert_same(&found.values(), &expected, &"indices");

            let of = [DType::U8, DType::F32, DType::F64, DType::C128][draw.below(4)];
            let values = Operand::new(&mut draw, of, &dims, false, |draw| draw.value(of));
            let all = values.values();
            let expected: Vec<Scalar> = set.iter().map(|at| all[*at]).collect();
            let mut out = Operand::zeros(&[set.len()], of);
            select(&mask.tile(), &values.tile(), &mut out.tile_mut());
            assert_same(&out.values(), &expected, &"selected");

            let count = 1 + draw.below(2 * set.len() + 1);
            let given = Operand::new(&mut draw, of, &[count], false, |draw| draw.value(of));
            let mut placed = Operand::new(&mut draw, of, &dims, true, |draw| draw.value(of));
            let mut expected = placed.values();
            for (n, at) in set.iter().enumerate() {
                expected[*at] = given.values()[n % count];
            }
            place(&mask.tile(), &given.tile(), &mut placed.tile_mut());
            assert_same(&placed.values(), &expected, &"placed");
        }
    }
}

/// Lengths around those of bytes, vectors and parts.
fn lengths() -> impl Iterator<Item = usize> {
    (0..140).chain([511, 512, 513, 519, 520, 1024, 1037])
}

#[test]
fn finds_set_elements_around_the_ends_of_groups_and_parts() {
    let mut draw = Draw(7);
    for length in lengths() {
        for one_in in [1, 2, 9] {
            let marks: Vec<Scalar> = (0..length)
                .map(|_| Scalar::Bool(draw.below(one_in) == 0))
                .collect();
            let mask = Operand::from_values(&[length], &marks, DType::Bool);
            let set = set_places(&mask);
            let mut found = Operand::zeros(&[1, set.len()], DType::I64);
            indices(&mask.tile(), &mut found.tile_mut());
            let expected: Vec<Scalar> = set.iter().map(|at| Scalar::I64(*at as i64)).collect();
            assert_same(&found.values(), &expected, &format!("of {length} marks"));
        }
    }
}

#[test]
fn packs_and_unpacks_bits_of_every_length_order_and_layout() {
    let mut draw = Draw(11);
    for (length, order) in
        lengths().flat_map(|length| [BitOrder::Big, BitOrder::Little].map(|order| (length, order)))
    {
        for (is_plain, lines) in [(true, 1), (false, 1), (false, 3)] {
            let what = format!("{lines} lines of {length}, {order:?}");
            let count = length.div_ceil(BITS);
            let draw_bool = |draw: &mut Draw| Scalar::Bool(draw.below(2) == 0);
            let marks = match is_plain {
                true => {
                    let values: Vec<Scalar> = (0..length).map(|_| draw_bool(&mut draw)).collect();
                    Operand::from_values(&[lines, length], &values, DType::Bool)
                }
                false => Operand::new(&mut draw, DType::Bool, &[lines, length], false, draw_bool),
            };
            let mut expected = vec![0; lines * count];
            for (at, mark) in marks.values().iter().enumerate() {
                let (line, at) = (at / length, at % length);
                let bit = match order {
                    BitOrder::Big => BITS - 1 - at % BITS,
                    BitOrder::Little => at % BITS,
                };
                expected[line * count + at / BITS] |= u8::from(mark.to::<bool>()) << bit;
            }
            let expected: Vec<Scalar> = expected.into_iter().map(Scalar::U8).collect();
            let dims = [lines, count];
            let mut bytes = match is_plain {
                true => Operand::zeros(&dims, DType::U8),
                false => Operand::new(&mut draw, DType::U8, &dims, true, |_| Scalar::U8(9)),
            };
            let outside = bytes.others();
            pack_bits(order, &marks.tile(), &mut bytes.tile_mut());
            assert_same(&bytes.values(), &expected, &what);
            assert_eq!(
                format!("{outside:?}"),
                format!("{:?}", bytes.others()),
                "{what}"
            );

            let dims = [lines, count * BITS];
            let mut bits = match is_plain {
                true => Operand::zeros(&dims, DType::U8),
                false => Operand::new(&mut draw, DType::U8, &dims, true, |_| Scalar::U8(9)),
            };
            let outside = bits.others();
            unpack_bits(order, &bytes.tile(), &mut bits.tile_mut());
            let marks = marks.values();
            let expected: Vec<Scalar> = (0..lines * count * BITS)
                .map(|at| (at / (count * BITS), at % (count * BITS)))
                .map(|(line, at)| at < length && marks[line * length + at].to::<bool>())
                .map(|mark| Scalar::U8(u8::from(mark)))
                .collect();
            assert_same(&bits.values(), &expected, &what);
            assert_eq!(
                format!("{outside:?}"),
                format!("{:?}", bits.others()),
                "{what}"
            );
        }
    }
}
