//! Selections and runs of equal elements against sorted lines.

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn selected_places_are_as_in_sorted_order(
        count in prop::sample::select(vec![1usize, 2, 7, 100, 1500]),
        lines in 1usize..4,
        is_last: bool,
        places in 0usize..5,
        seed: u64,
    ) {
        let mut draw = Draw(seed);
        let (dims, axis) = if is_last { ([lines, count], 1) } else { ([count, lines], 0) };
        let mut places: Vec<usize> = (0..places).map(|_| draw.below(count)).collect();
        places.sort_unstable();
        places.dedup();
        for dtype in DType::ALL {
            let input = Operand::new(&mut draw, dtype, &dims, false, |draw| draw.value(dtype));
            let all = input.values();
            let mut sorted = Operand::zeros(&dims, dtype);
            sort(axis, &input.tile(), &mut sorted.tile_mut());
            let mut out = Operand::new(&mut draw, dtype, &dims, true, |draw| draw.value(dtype));
            partition(axis, &places, &input.tile(), &mut out.tile_mut());
            let mut numbers = Operand::zeros(&dims, DType::I64);
            argpartition(axis, &places, &input.tile(), &mut numbers.tile_mut());
            let (sorted, out, numbers) = (sorted.values(), out.values(), numbers.values());
            for line in lines_of(Shape::new(&dims).unwrap(), axis) {
                let of = |values: &[Scalar]| line.iter().map(|at| values[*at]).collect::<Vec<_>>();
                let (expected, placed) = (of(&sorted), of(&out));
                for place in &places {
                    assert_same(&placed[*place..=*place], &expected[*place..=*place], &dtype);
                    for (at, value) in placed.iter().enumerate() {
                        let order = compare(value, &placed[*place]);
                        let is_fine = if at < *place { order.is_le() } else { order.is_ge() };
                        prop_assert!(is_fine);
                    }
                }
                let (mut same, mut expected) = (placed.clone(), expected);
                canonical(&mut same);
                canonical(&mut expected);
                assert_same(&same, &expected, &dtype);
                let named: Vec<Scalar> = numbers_of(&of(&numbers)).iter().map(|at| of(&all)[*at]).collect();
                let mut once = numbers_of(&of(&numbers));
                once.sort_unstable();
                prop_assert!(once.iter().copied().eq(0..count));
                for place in &places {
                    prop_assert!(compare(&named[*place], &placed[*place]).is_eq());
                }
            }
        }
    }

    #[test]
    fn runs_of_equal_elements(count in 0usize..300, values in 1usize..20, seed: u64) {
        let mut draw = Draw(seed);
        for dtype in DType::ALL {
            let few: Vec<Scalar> = (0..values).map(|_| draw.value(dtype)).collect();
            let input = Operand::new(&mut draw, dtype, &[count], false, |draw| few[draw.below(values)]);
            let mut order = Operand::zeros(&[count], DType::I64);
            argsort(0, &input.tile(), &mut order.tile_mut());
            let order = numbers_of(&order.values());
            let all: Vec<Scalar> = order.iter().map(|at| input.values()[*at]).collect();
            let sorted = Operand::from_values(&[count], &all, dtype);
            let starts: Vec<usize> = (0..count)
                .filter(|at| *at == 0 || !compare(&all[at - 1], &all[*at]).is_eq())
                .collect();
            prop_assert_eq!(count_distinct(&sorted.tile()), starts.len());
            let mut firsts = Operand::zeros(&[starts.len()], dtype);
            distinct(&sorted.tile(), &sorted.tile(), &mut firsts.tile_mut());
            let expected: Vec<Scalar> = starts.iter().map(|at| all[*at]).collect();
            assert_same(&firsts.values(), &expected, &dtype);
            let mut lengths = Operand::zeros(&[starts.len()], DType::I64);
            run_lengths(&sorted.tile(), &mut lengths.tile_mut());
            let ends = starts.iter().skip(1).copied().chain([count]);
            let expected: Vec<usize> = starts.iter().zip(ends).map(|(from, to)| to - from).collect();
            prop_assert_eq!(numbers_of(&lengths.values()), expected);
            let places: Vec<Scalar> = order.iter().map(|at| Scalar::I64(*at as i64)).collect();
            let places = Operand::from_values(&[count], &places, DType::I64);
            let mut runs = Operand::zeros(&[count], DType::I64);
            run_numbers(&sorted.tile(), &places.tile(), &mut runs.tile_mut());
            for (at, run) in numbers_of(&runs.values()).iter().enumerate() {
                prop_assert!(compare(&firsts.values()[*run], &input.values()[at]).is_eq());
            }
        }
    }
}

fn numbers_of(values: &[Scalar]) -> Vec<usize> {
    values
        .iter()
        .map(|value| value.to::<i64>() as usize)
        .collect()
}
