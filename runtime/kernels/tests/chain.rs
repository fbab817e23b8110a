//! Random chains over operands with any memory layout, compared with single kernels one after the
//! other.

#![allow(unsafe_code, reason = "runs chains in place")]

mod drawn;
mod user;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use proptest::prelude::*;
use smallvec::smallvec;
use weft_kernels::chain::*;
use weft_kernels::dtype::{DType, Scalar};
use weft_kernels::elementwise::functions;
use weft_kernels::shape::{Layout, Shape};
use weft_kernels::testing::{Draw, Operand, assert_same};
use weft_kernels::{BinaryOp, Handle, ReduceOp, UnaryOp, elementwise, reduce};

use drawn::RandomChain;
use user::{Digest, User};

/// Generates shapes of any rank: empty, with rows too short for a block, about as long as one, and
/// longer.
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
    fn chain_matches_its_separate_steps(dims in dims(), seed: u64) {
        RandomChain::new(&mut Draw(seed), &dims).check();
    }
}

fn step(kind: StepKind, inputs: &[Value]) -> Step {
    Step {
        kind,
        inputs: inputs.into(),
    }
}

#[test]
fn outputs_may_swap_with_inputs() {
    let numbers = |from: i64| (from..from + 3000).map(Scalar::I64).collect::<Vec<_>>();
    let [a, b] = [0, 10_000].map(|from| Operand::from_values(&[3000], &numbers(from), DType::I64));
    let steps = [0, 1].map(|input| step(StepKind::COPY, &[Value::Input(input)]));
    let plan = ChainPlan::new(&[DType::I64; 2], &steps, &[1, 0], None).unwrap();
    // SAFETY: outputs of a chain may be the views of inputs.
    let mut outputs = unsafe { [a.tile_in_place(), b.tile_in_place()] };
    plan.run(&[a.tile(), b.tile()], &mut outputs, None);
    assert_same(&a.values(), &numbers(10_000), &"the first");
    assert_same(&b.values(), &numbers(0), &"the second");
}

#[test]
fn keeps_inputs_until_their_last_read() {
    let values: Vec<_> = (0..3000).map(Scalar::I64).collect();
    let a = Operand::from_values(&[3000], &values, DType::I64);
    let mut out = Operand::zeros(&[3000], DType::I64);
    // The first step's result replaces the input, which the second step reads.
    let steps = [
        step(UnaryOp::Neg.into(), &[Value::Input(0)]),
        step(BinaryOp::Add.into(), &[Value::Input(0), Value::Step(0)]),
    ];
    let plan = ChainPlan::new(&[DType::I64], &steps, &[0, 1], None).unwrap();
    // SAFETY: an output of a chain may be the view of an input.
    let own = unsafe { a.tile_in_place() };
    plan.run(&[a.tile()], &mut [own, out.tile_mut()], None);
    assert_same(&out.values(), &vec![Scalar::I64(0); 3000], &"the sum");
    assert_eq!(a.values()[7], Scalar::I64(-7));
}

#[test]
fn gathered_row_stays_intact_across_blocks() {
    // Rows are too short for a block. A row is gathered once, after other values were computed and
    // freed.
    let rows = 3000;
    let values: Vec<_> = (0..3 * rows as i64).map(Scalar::I64).collect();
    let a = Operand::from_values(&[rows, 3], &values, DType::I64);
    let row = Operand::from_values(&[3], &[5, 6, 7].map(Scalar::I64), DType::I64);
    let repeated = row.view(row.layout.broadcast_to(a.layout.shape).unwrap());
    let mut out = Operand::zeros(&[rows, 3], DType::I64);
    let add = |first, second| step(BinaryOp::Add.into(), &[first, second]);
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
fn runs_forty_steps_of_many_inputs() {
    let dims = [3, 1030];
    let mut draw = Draw(5);
    let inputs: Vec<Operand> = (0..24)
        .map(|_| {
            Operand::new(&mut draw, DType::F64, &dims, false, |draw| {
                draw.tame(DType::F64)
            })
        })
        .collect();
    let mut steps = vec![step(UnaryOp::Sqrt.into(), &[Value::Input(0)])];
    for at in 0..39u16 {
        let op = [BinaryOp::Add, BinaryOp::Mul, BinaryOp::Sub][usize::from(at % 3)];
        let inputs = [Value::Step(at), Value::Input(at % 24)];
        steps.push(step(op.into(), &inputs));
    }
    let mut out = Operand::zeros(&dims, DType::F64);
    let plan = ChainPlan::new(&[DType::F64; 24], &steps, &[39], None).unwrap();
    let tiles: Vec<_> = inputs.iter().map(Operand::tile).collect();
    plan.run(&tiles, &mut [out.tile_mut()], None);
    let mut expected = Operand::zeros(&dims, DType::F64);
    elementwise::unary(UnaryOp::Sqrt, &tiles[0], &mut expected.tile_mut());
    for step in &steps[1..] {
        let Value::Input(input) = step.inputs[1] else {
            unreachable!()
        };
        let op = BinaryOp::from_function(&*step.kind).unwrap();
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
fn runs_inner_parts_larger_than_second_level_cache() {
    // Rows that do not fill a block or start at a cache line, in 4 MB.
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
        let input = Operand::from_values(&dims, &values, dtype);
        let mut out = Operand::zeros(&dims, dtype);
        let add = |first, second| step(BinaryOp::Add.into(), &[first, second]);
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
            // The element before, the element itself, the next one, and again the one before.
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
fn fold_of_empty_input_matches_reduction() {
    let empty = Operand::zeros(&[0, 4], DType::F32);
    let mut out = Operand::from_values(&[], &[Scalar::F32(5.0)], DType::F32);
    let steps = [step(UnaryOp::Exp.into(), &[Value::Input(0)])];
    let plan = ChainPlan::new(&[DType::F32], &steps, &[], Some((ReduceOp::Sum.into(), 0))).unwrap();
    plan.run(&[empty.tile()], &mut [], Some(&mut out.tile_mut()));
    assert_same(&out.values(), &[Scalar::F32(0.0)], &"a sum of nothing");
}

/// Returns floats of any magnitude, possibly with one element for all.
fn floats(draw: &mut Draw, dims: &[usize], is_distinct: bool) -> Operand {
    Operand::new(draw, DType::F64, dims, is_distinct, |draw| {
        draw.tame(DType::F64)
    })
}

#[test]
fn user_function_of_five_inputs_runs_within_a_chain() {
    let dims = [7, 1030];
    let draw = &mut Draw(11);
    let inputs: Vec<_> = (0..5).map(|at| floats(draw, &dims, at == 4)).collect();
    // Captured data.
    let weights = vec![0.5, -2.0, 3.0, 0.25, 7.0];
    let weighted = move |values: &[Scalar]| {
        let terms = values.iter().zip(&weights);
        Scalar::F64(
            terms
                .map(|(value, weight)| value.to::<f64>() * weight)
                .sum(),
        )
    };
    let user = User::step("weighted", 5, DType::F64, weighted.clone());
    let all = [
        Value::Step(0),
        Value::Input(1),
        Value::Input(2),
        Value::Input(3),
        Value::Input(2),
    ];
    let steps = [
        step(UnaryOp::Neg.into(), &[Value::Input(0)]),
        step(user, &all),
        step(BinaryOp::Mul.into(), &[Value::Step(1), Value::Input(4)]),
        step(BinaryOp::Add.into(), &[Value::Step(2), Value::Step(0)]),
    ];
    let mut own = Operand::zeros(&dims, DType::F64);
    let mut sum = Operand::zeros(&[], DType::F64);
    let expected: Vec<_> = {
        let values: Vec<Vec<f64>> = inputs
            .iter()
            .map(|input| input.values().iter().map(Scalar::to).collect())
            .collect();
        let count = dims.iter().product();
        let of = |at: usize| {
            let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|input: usize| values[input][at]);
            let made = weighted(&[-a, b, c, d, c].map(Scalar::F64));
            (made, Scalar::F64(made.to::<f64>() * e + -a))
        };
        (0..count).map(of).collect()
    };
    let dtypes = [DType::F64; 5];
    let plan = ChainPlan::new(&dtypes, &steps, &[1, 3], Some((ReduceOp::Sum.into(), 3))).unwrap();
    let tiles: Vec<_> = inputs.iter().map(Operand::tile).collect();
    // SAFETY: an output of a chain may be the view of an input.
    let in_place = unsafe { inputs[4].tile_in_place() };
    let mut times = vec![0; 5];
    let outputs = &mut [own.tile_mut(), in_place];
    plan.run_timed(&tiles, outputs, Some(&mut sum.tile_mut()), &mut times);
    assert!(times[1] > 0, "{times:?}");
    let (made, last): (Vec<_>, Vec<_>) = expected.into_iter().unzip();
    assert_same(&own.values(), &made, &"the user's function");
    assert_same(&inputs[4].values(), &last, &"the last step, in place");
    let mut expected = Operand::zeros(&[], DType::F64);
    let last = Operand::from_values(&dims, &last, DType::F64);
    reduce::partial(ReduceOp::Sum, &last.tile(), &mut expected.tile_mut());
    assert_same(&sum.values(), &expected.values(), &"the sum");
}

#[test]
fn user_function_of_scalars_runs_once() {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = calls.clone();
    let user = User::step("counted", 2, DType::I64, move |values: &[Scalar]| {
        counted.fetch_add(1, Ordering::Relaxed);
        Scalar::I64(values[0].to::<i64>() * values[1].to::<i64>())
    });
    let [a, b] = [6, 7].map(|value| Operand::from_values(&[], &[Scalar::I64(value)], DType::I64));
    let mut out = Operand::zeros(&[50], DType::I64);
    let shape = Shape::new(&[50]).unwrap();
    let inputs = [&a, &b].map(|of| of.view(of.layout.broadcast_to(shape).unwrap()));
    let steps = [step(user, &[Value::Input(0), Value::Input(1)])];
    let plan = ChainPlan::new(&[DType::I64; 2], &steps, &[0], None).unwrap();
    plan.run(&inputs, &mut [out.tile_mut()], None);
    assert_same(&out.values(), &[Scalar::I64(42); 50], &"the product");
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

#[test]
fn user_function_may_run_a_chain() {
    let double = [step(BinaryOp::Add.into(), &[Value::Input(0); 2])];
    let inner = ChainPlan::new(&[DType::I64], &double, &[0], None).unwrap();
    let user = User::step("nested", 1, DType::I64, move |values: &[Scalar]| {
        let input = Operand::from_values(&[], values, DType::I64);
        let mut out = Operand::zeros(&[], DType::I64);
        inner.run(&[input.tile()], &mut [out.tile_mut()], None);
        out.values()[0]
    });
    let values: Vec<_> = (0..3000).map(Scalar::I64).collect();
    let input = Operand::from_values(&[3000], &values, DType::I64);
    let mut out = Operand::zeros(&[3000], DType::I64);
    let steps = [
        step(user, &[Value::Input(0)]),
        step(UnaryOp::Neg.into(), &[Value::Step(0)]),
    ];
    let plan = ChainPlan::new(&[DType::I64], &steps, &[1], None).unwrap();
    plan.run(&[input.tile()], &mut [out.tile_mut()], None);
    let expected: Vec<_> = (0..3000).map(|at| Scalar::I64(-2 * at)).collect();
    assert_same(&out.values(), &expected, &"twice the input, negated");
}

#[test]
fn user_fold_receives_all_terms_in_order() {
    let draw = &mut Draw(12);
    let fold: Handle<dyn Fold> = Handle::shared(Arc::new(Digest));
    for dims in [&[3, 1030][..], &[5000], &[20, 4, 7], &[0]] {
        let input = floats(draw, dims, false);
        let mut out = Operand::zeros(&[], DType::U64);
        let steps = [step(UnaryOp::Neg.into(), &[Value::Input(0)])];
        let plan = ChainPlan::new(&[DType::F64], &steps, &[], Some((fold.clone(), 0))).unwrap();
        plan.run(&[input.tile()], &mut [], Some(&mut out.tile_mut()));
        let terms = input.values().into_iter();
        let expected = Digest::hash(terms.flat_map(|term| (-term.to::<f64>()).to_ne_bytes()));
        assert_same(
            &out.values(),
            &[Scalar::U64(expected)],
            &format!("{dims:?}"),
        );
    }
    let copy = [step(StepKind::COPY, &[Value::Input(0)])];
    assert!(ChainPlan::new(&[DType::C64], &copy, &[], Some((fold, 0))).is_none());
}

#[test]
fn function_names_are_unique() {
    let unary = UnaryOp::ALL.iter().map(|op| op.function());
    let binary = BinaryOp::ALL.iter().map(|op| op.function());
    let casts = DType::ALL.into_iter().map(functions::cast);
    let all: Vec<StepKind> = unary
        .chain(binary)
        .chain(casts)
        .chain([functions::select()])
        .map(StepKind::from)
        .chain([StepKind::COPY])
        .collect();
    let distinct = |of: fn(&StepKind) -> &str| all.iter().map(of).collect::<HashSet<_>>().len();
    assert_eq!(distinct(|kind| kind.name()), all.len());
    assert_eq!(distinct(|kind| kind.gpu_name()), all.len());
    assert_eq!(all.iter().collect::<HashSet<_>>().len(), all.len());
    for op in UnaryOp::ALL {
        assert_eq!(UnaryOp::from_function(op.function()), Some(*op));
        assert_eq!(BinaryOp::from_function(op.function()), None);
    }
    for op in BinaryOp::ALL {
        assert_eq!(BinaryOp::from_function(op.function()), Some(*op));
    }
    for dtype in DType::ALL {
        assert_eq!(functions::cast(dtype).output(&[DType::Bool]), Some(dtype));
        assert_eq!(functions::cast(dtype).name(), format!("cast_{dtype}"));
    }
    for op in ReduceOp::ALL {
        assert_eq!(ReduceOp::from_fold(op.fold()), Some(*op));
    }
}

#[test]
fn rejects_invalid_chain_plans() {
    let plan = |dtypes: &[DType], step: Step, outputs: &[u16]| {
        ChainPlan::new(dtypes, &[step], outputs, None).is_some()
    };
    let inputs: [_; 2] = [0, 1].map(Value::Input);
    let add = step(BinaryOp::Add.into(), &inputs);
    assert!(plan(&[DType::F64, DType::F64], add.clone(), &[0]));
    assert!(!plan(&[DType::F64, DType::F32], add.clone(), &[0]));
    assert!(!plan(&[DType::F64], add.clone(), &[0]));
    assert!(!plan(&[DType::F64, DType::F64], add, &[1]));
    let later = Step {
        kind: StepKind::COPY,
        inputs: smallvec![Value::Step(0)],
    };
    assert!(!plan(&[DType::F64], later, &[0]));
    let bits = step(UnaryOp::BitNot.into(), &inputs[..1]);
    assert!(!plan(&[DType::F64], bits, &[0]));
    let user = |inputs| User::step("any", inputs, DType::F64, |values: &[Scalar]| values[0]);
    assert!(plan(
        &[DType::F64],
        step(user(15), &[Value::Input(0); 15]),
        &[0]
    ));
    assert!(!plan(
        &[DType::F64],
        step(user(14), &[Value::Input(0); 15]),
        &[0]
    ));
    assert!(!plan(
        &[DType::F64],
        step(user(16), &[Value::Input(0); 16]),
        &[0]
    ));
    assert!(!plan(&[DType::F64], step(user(0), &[]), &[0]));
    let fold = Some((ReduceOp::ArgMax.into(), 0));
    let copy = [step(StepKind::COPY, &inputs[..1])];
    assert!(ChainPlan::new(&[DType::F64], &copy, &[], fold).is_none());
}

/// Runs a chain of cheap steps and an expensive one over `elements` elements. Returns its times and
/// the size of the sample.
fn timed(elements: usize) -> (Vec<u64>, Sample) {
    let input = Operand::zeros(&[elements], DType::F64);
    let mut out = Operand::zeros(&[elements], DType::F64);
    let steps = [
        step(UnaryOp::Neg.into(), &[Value::Input(0)]),
        step(UnaryOp::Sin.into(), &[Value::Step(0)]),
        step(UnaryOp::Abs.into(), &[Value::Step(1)]),
    ];
    let plan = ChainPlan::new(&[DType::F64], &steps, &[2], None).unwrap();
    let mut times = vec![0; 3];
    let sample = plan.run_timed(&[input.tile()], &mut [out.tile_mut()], None, &mut times);
    (times, sample)
}

#[test]
fn times_the_first_of_every_64_blocks() {
    let (_, small) = timed(100);
    assert_eq!((small.blocks, small.timed), (1, 1));
    let (times, large) = timed(1 << 20);
    assert!(large.blocks > 256, "{large:?}");
    assert_eq!(large.timed, large.blocks.div_ceil(64));
    assert!(times.iter().all(|time| *time > 0), "{times:?}");
    assert_eq!(timed(0), (vec![0; 3], Sample::default()));
}
