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
