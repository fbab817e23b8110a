//! Drawn chains over operands anywhere in memory, beside the single kernels one after the other.

#![allow(unsafe_code, reason = "runs chains in place")]

mod drawn;

use proptest::prelude::*;
use smallvec::smallvec;
use weft_kernels::chain::*;
use weft_kernels::dtype::{DType, Scalar};
use weft_kernels::shape::{Layout, Shape};
use weft_kernels::testing::{Draw, Operand, assert_same};
use weft_kernels::{BinaryOp, ReduceOp, UnaryOp, elementwise};

use drawn::Drawn;

/// Shapes: any rank; rows too short for a block, about as long as one, and longer; empty ones.
fn dims() -> impl Strategy<Value = Vec<usize>> {
    let small = prop::collection::vec(0usize..5, 0..=5);
    let long = prop::sample::select(vec![
        1usize, 33, 63, 64, 127, 128, 511, 513, 1024, 1025, 2100, 5000,
    ]);
    let rows = (1usize..7, long.clone()).prop_map(|(rows, long)| vec![rows, long]);
    let columns = (long.clone(), 1usize..5).prop_map(|(long, columns)| vec![long, columns]);
    let deep =
        (1usize..5, 1usize..40, 1usize..4, 1usize..9).prop_map(|(a, b, c, d)| vec![a, b, c, d]);
    let square = (1usize..3, 2usize..70, 33usize..100).prop_map(|(a, b, c)| vec![a, b, c]);
    prop_oneof![
        2 => square,
        2 => small,
        2 => long.prop_map(|long| vec![long]),
        2 => rows,
        2 => columns,
        2 => deep,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_chain_gives_what_its_steps_give_alone(dims in dims(), seed: u64) {
        Drawn::new(&mut Draw(seed), &dims).check();
    }
}

fn step(kind: StepKind, inputs: &[Value]) -> Step {
    Step {
        kind,
        inputs: inputs.into(),
    }
}

#[test]
fn outputs_can_change_places_with_inputs() {
    let numbers = |from: i64| (from..from + 3000).map(Scalar::I64).collect::<Vec<_>>();
    let [a, b] = [0, 10_000].map(|from| Operand::of(&[3000], &numbers(from), DType::I64));
    let steps = [0, 1].map(|input| step(StepKind::Copy, &[Value::Input(input)]));
    let plan = ChainPlan::new(&[DType::I64; 2], &steps, &[1, 0], None).unwrap();
    // SAFETY: outputs of a chain may be the views of inputs.
    let mut outputs = unsafe { [a.tile_in_place(), b.tile_in_place()] };
    plan.run(&[a.tile(), b.tile()], &mut outputs, None);
    assert_same(&a.values(), &numbers(10_000), &"the first");
    assert_same(&b.values(), &numbers(0), &"the second");
}

#[test]
fn what_is_read_later_is_not_overwritten_before() {
    let values: Vec<_> = (0..3000).map(Scalar::I64).collect();
    let a = Operand::of(&[3000], &values, DType::I64);
    let mut out = Operand::zeros(&[3000], DType::I64);
    // The first step's result goes to the place of the input, which the second step reads.
    let steps = [
        step(StepKind::Unary(UnaryOp::Neg), &[Value::Input(0)]),
        step(
            StepKind::Binary(BinaryOp::Add),
            &[Value::Input(0), Value::Step(0)],
        ),
    ];
    let plan = ChainPlan::new(&[DType::I64], &steps, &[0, 1], None).unwrap();
    // SAFETY: an output of a chain may be the view of an input.
    let own = unsafe { a.tile_in_place() };
    plan.run(&[a.tile()], &mut [own, out.tile_mut()], None);
    assert_same(&out.values(), &vec![Scalar::I64(0); 3000], &"the sum");
    assert_eq!(a.values()[7], Scalar::I64(-7));
}

#[test]
fn a_row_that_is_kept_for_all_blocks_stays_as_it_is() {
    // Rows too short for a block: the row is brought together once, after other values have come and gone.
    let rows = 3000;
    let values: Vec<_> = (0..3 * rows as i64).map(Scalar::I64).collect();
    let a = Operand::of(&[rows, 3], &values, DType::I64);
    let row = Operand::of(&[3], &[5, 6, 7].map(Scalar::I64), DType::I64);
    let repeated = row.view(row.layout.broadcast_to(a.layout.shape).unwrap());
    let mut out = Operand::zeros(&[rows, 3], DType::I64);
    let add = |first, second| step(StepKind::Binary(BinaryOp::Add), &[first, second]);
    let steps = [
        add(Value::Input(0), Value::Input(0)),
        add(Value::Step(0), Value::Input(0)),
        add(Value::Step(1), Value::Input(1)),
        add(Value::Step(2), Value::Input(0)),
    ];
    let plan = ChainPlan::new(&[DType::I64; 2], &steps, &[3], None).unwrap();
    plan.run(&[a.tile(), repeated], &mut [out.tile_mut()], None);
    let expected: Vec<_> = (0..3 * rows as i64)
        .map(|at| Scalar::I64(4 * at + 5 + at % 3))
        .collect();
    assert_same(
        &out.values(),
        &expected,
        &"four times the first and the row",
    );
}

#[test]
fn forty_steps_of_many_inputs() {
    let dims = [3, 1030];
    let mut draw = Draw(5);
    let inputs: Vec<Operand> = (0..24)
        .map(|_| {
            Operand::new(&mut draw, DType::F64, &dims, false, |draw| {
                draw.tame(DType::F64)
            })
        })
        .collect();
    let mut steps = vec![step(StepKind::Unary(UnaryOp::Sqrt), &[Value::Input(0)])];
    for at in 0..39u16 {
        let op = [BinaryOp::Add, BinaryOp::Mul, BinaryOp::Sub][usize::from(at % 3)];
        let inputs = [Value::Step(at), Value::Input(at % 24)];
        steps.push(step(StepKind::Binary(op), &inputs));
    }
    let mut out = Operand::zeros(&dims, DType::F64);
    let plan = ChainPlan::new(&[DType::F64; 24], &steps, &[39], None).unwrap();
    let tiles: Vec<_> = inputs.iter().map(Operand::tile).collect();
    plan.run(&tiles, &mut [out.tile_mut()], None);
    let mut expected = Operand::zeros(&dims, DType::F64);
    elementwise::unary(UnaryOp::Sqrt, &tiles[0], &mut expected.tile_mut());
    for step in &steps[1..] {
        let (StepKind::Binary(op), Value::Input(input)) = (step.kind, step.inputs[1]) else {
            unreachable!()
        };
        let mut next = Operand::zeros(&dims, DType::F64);
        elementwise::binary(
            op,
            &expected.tile(),
            &tiles[usize::from(input)],
            &mut next.tile_mut(),
        );
        expected = next;
    }
    assert_same(&out.values(), &expected.values(), &"the last step");
}

#[test]
fn inner_parts_larger_than_the_second_cache() {
    // Of rows that fill no block, and begin at no cache line: 4 MB.
    let dims = [500, 1003];
    let part = |first: usize| {
        let mut layout = Layout::contiguous(Shape::new(&[499, 1001]).unwrap());
        layout.strides[0] = dims[1] as isize;
        layout.offset = first;
        layout
    };
    let count = (dims[0] * dims[1]) as i64;
    let values: Vec<_> = (0..count).map(Scalar::I64).collect();
    let floats: Vec<_> = (0..count).map(|n| Scalar::F64(n as f64)).collect();
    for (dtype, values) in [(DType::I64, values), (DType::F64, floats)] {
        let input = Operand::of(&dims, &values, dtype);
        let mut out = Operand::zeros(&dims, dtype);
        let add = |first, second| step(StepKind::Binary(BinaryOp::Add), &[first, second]);
        let steps = [
            add(Value::Input(0), Value::Input(1)),
            add(Value::Step(0), Value::Input(2)),
            add(Value::Step(1), Value::Input(0)),
        ];
        let plan = ChainPlan::new(&[dtype; 3], &steps, &[2], None).unwrap();
        let inputs = [0, 1, 2].map(|first| input.view(part(first)));
        plan.run(&inputs, &mut [out.view_mut(part(1))], None);
        for (at, got) in out.values().into_iter().enumerate() {
            let is_inner = at / dims[1] < 499 && (1..=1001).contains(&(at % dims[1]));
            // The element before, itself, the one behind, and the one before.
            let expected = if is_inner { 4 * at as i64 - 1 } else { 0 };
            let expected = match dtype {
                DType::I64 => Scalar::I64(expected),
                _ => Scalar::F64(expected as f64),
            };
            assert_eq!(got, expected, "{dtype} at {at}");
        }
    }
}

#[test]
fn a_fold_of_nothing_is_what_a_reduction_gives() {
    let empty = Operand::zeros(&[0, 4], DType::F32);
    let mut out = Operand::of(&[], &[Scalar::F32(5.0)], DType::F32);
    let steps = [step(StepKind::Unary(UnaryOp::Exp), &[Value::Input(0)])];
    let plan = ChainPlan::new(&[DType::F32], &steps, &[], Some((ReduceOp::Sum, 0))).unwrap();
    plan.run(&[empty.tile()], &mut [], Some(&mut out.tile_mut()));
    assert_same(&out.values(), &[Scalar::F32(0.0)], &"a sum of nothing");
}

#[test]
fn what_has_no_meaning_is_no_plan() {
    let plan = |dtypes: &[DType], step: Step, outputs: &[u16]| {
        ChainPlan::new(dtypes, &[step], outputs, None).is_some()
    };
    let inputs: [_; 2] = [0, 1].map(Value::Input);
    let add = step(StepKind::Binary(BinaryOp::Add), &inputs);
    assert!(plan(&[DType::F64, DType::F64], add.clone(), &[0]));
    assert!(!plan(&[DType::F64, DType::F32], add.clone(), &[0]));
    assert!(!plan(&[DType::F64], add.clone(), &[0]));
    assert!(!plan(&[DType::F64, DType::F64], add, &[1]));
    let later = Step {
        kind: StepKind::Copy,
        inputs: smallvec![Value::Step(0)],
    };
    assert!(!plan(&[DType::F64], later, &[0]));
    let bits = step(StepKind::Unary(UnaryOp::BitNot), &inputs[..1]);
    assert!(!plan(&[DType::F64], bits, &[0]));
    let fold = Some((ReduceOp::ArgMax, 0));
    let copy = [step(StepKind::Copy, &inputs[..1])];
    assert!(ChainPlan::new(&[DType::F64], &copy, &[], fold).is_none());
}

/// A chain of cheap steps and a dear one, over so many elements: its times, and the size of the sample.
fn timed(elements: usize) -> (Vec<u64>, Sample) {
    let input = Operand::zeros(&[elements], DType::F64);
    let mut out = Operand::zeros(&[elements], DType::F64);
    let steps = [
        step(StepKind::Unary(UnaryOp::Neg), &[Value::Input(0)]),
        step(StepKind::Unary(UnaryOp::Sin), &[Value::Step(0)]),
        step(StepKind::Unary(UnaryOp::Abs), &[Value::Step(1)]),
    ];
    let plan = ChainPlan::new(&[DType::F64], &steps, &[2], None).unwrap();
    let mut times = vec![0; 3];
    let sample = plan.run_timed(&[input.tile()], &mut [out.tile_mut()], None, &mut times);
    (times, sample)
}

#[test]
fn one_block_of_sixty_four_is_timed_and_the_first() {
    let (_, small) = timed(100);
    assert_eq!((small.blocks, small.timed), (1, 1));
    let (times, large) = timed(1 << 20);
    assert!(large.blocks > 256, "{large:?}");
    assert_eq!(large.timed, large.blocks.div_ceil(64));
    assert!(times.iter().all(|time| *time > 0), "{times:?}");
    assert_eq!(timed(0), (vec![0; 3], Sample::default()));
}
