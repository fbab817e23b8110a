//! Every step on every dtype, over operands anywhere in memory, against the CPU's kernels.

mod drawn;

use smallvec::{SmallVec, smallvec};

use super::super::testing::{can_run, compile_all, device_tile, gpu, run};
use super::super::{DeviceTile, Step};
use super::*;
use crate::dtype::{DType, Scalar};
use crate::kernel::elementwise;
use crate::kernel::testing::{Draw, Operand, assert_same, same};
use crate::kernel::{BinaryOp, UnaryOp};
use drawn::Drawn;

fn step(kind: StepKind, inputs: &[u16]) -> Step {
    Step {
        kind,
        inputs: inputs.iter().map(|&at| Value::Input(at)).collect(),
    }
}

/// Every unary step on one dtype.
fn unary_steps(dtype: DType) -> Vec<Step> {
    let ops = UnaryOp::ALL
        .iter()
        .filter(|op| op.output_dtype(dtype).is_some());
    ops.map(|&op| step(StepKind::Unary(op), &[0])).collect()
}

/// Every other step on one dtype, with a condition as input 2.
fn other_steps(dtype: DType) -> Vec<Step> {
    let ops = BinaryOp::ALL
        .iter()
        .filter(|op| op.output_dtype(dtype).is_some());
    let binary = ops.map(|&op| step(StepKind::Binary(op), &[0, 1]));
    let casts = DType::ALL
        .into_iter()
        .map(|to| step(StepKind::Cast(to), &[0]));
    let last = [
        step(StepKind::Select, &[2, 0, 1]),
        step(StepKind::Select, &[0, 1, 0]),
        step(StepKind::Copy, &[1]),
    ];
    binary.chain(casts).chain(last).collect()
}

/// A chain whose inputs and outputs are dense vectors, every step of which is written.
fn all_written(dtype: DType, steps: Vec<Step>, length: usize, draw: &mut Draw) -> Drawn {
    let dtypes = [dtype, dtype, DType::Bool];
    let inputs =
        dtypes.map(|dtype| Operand::new(draw, dtype, &[length], true, |draw| draw.value(dtype)));
    Drawn::all_written(inputs.into(), steps.into())
}

/// How far results may be from the CPU's, in units of the last place.
fn ulps(kind: StepKind) -> u64 {
    use BinaryOp::{Atan2, Hypot, Pow};
    match kind {
        StepKind::Binary(Atan2 | Hypot | Pow) => 4,
        // Rust makes these of other functions, with more roundings.
        StepKind::Unary(UnaryOp::Asinh | UnaryOp::Acosh | UnaryOp::Atanh) => 16,
        StepKind::Unary(
            UnaryOp::Cbrt
            | UnaryOp::Exp
            | UnaryOp::Exp2
            | UnaryOp::Expm1
            | UnaryOp::Log
            | UnaryOp::Log2
            | UnaryOp::Log10
            | UnaryOp::Log1p
            | UnaryOp::Sin
            | UnaryOp::Cos
            | UnaryOp::Tan
            | UnaryOp::Asin
            | UnaryOp::Acos
            | UnaryOp::Atan
            | UnaryOp::Sinh
            | UnaryOp::Cosh
            | UnaryOp::Tanh,
        ) => 4,
        _ => 0,
    }
}

/// Whether two floats are at most so many steps of the last place apart.
fn near(got: &Scalar, expected: &Scalar, ulps: u64) -> bool {
    // Numbers the floats in their order.
    let number = |scalar: &Scalar| match *scalar {
        Scalar::F32(value) => {
            let bits = i64::from(value.to_bits() as i32);
            Some(if bits < 0 {
                i64::from(i32::MIN) - bits
            } else {
                bits
            })
        }
        Scalar::F64(value) => {
            let bits = value.to_bits() as i64;
            Some(if bits < 0 {
                i64::MIN.wrapping_sub(bits)
            } else {
                bits
            })
        }
        _ => None,
    };
    same(got, expected)
        || matches!((number(got), number(expected)), (Some(a), Some(b)) if a.abs_diff(b) <= ulps)
}

#[track_caller]
fn check(drawn: &Drawn) {
    let expected = drawn.on_cpu();
    let outside = drawn.outside();
    let launch = launch(&drawn.chain(), &gpu());
    if let Some(launch) = launch {
        run(&Work::Kernel(launch));
    }
    for ((step, got), expected) in drawn.results().iter().zip(&expected) {
        let step = &drawn.steps[usize::from(*step)];
        let ulps = if drawn.steps.len() == drawn.outputs.len() {
            ulps(step.kind)
        } else {
            0
        };
        assert_eq!(got.len(), expected.len());
        for (at, (got, expected)) in got.iter().zip(expected).enumerate() {
            assert!(
                near(got, expected, ulps),
                "{step:?}: element {at} is {got:?}, not {expected:?}\n{drawn:?}"
            );
        }
    }
    assert_same(
        &drawn.outside(),
        &outside,
        &format_args!("outside of the outputs: {drawn:?}"),
    );
}

#[test]
fn every_step_on_every_dtype() {
    if !can_run() {
        return;
    }
    for (seed, dtype) in DType::ALL.into_iter().enumerate() {
        for steps in [unary_steps(dtype), other_steps(dtype)] {
            check(&all_written(dtype, steps, 1500, &mut Draw(seed as u64)));
        }
    }
}

#[test]
fn chains_over_operands_anywhere() {
    if !can_run() {
        return;
    }
    for seed in 0..48 {
        check(&Drawn::new(&mut Draw(seed)));
    }
}

#[test]
fn every_kernel_compiles() {
    let mut draw = Draw(0);
    let mut kernels = Vec::new();
    for dtype in DType::ALL {
        for steps in [unary_steps(dtype), other_steps(dtype)] {
            let drawn = all_written(dtype, steps, 100, &mut draw);
            kernels.extend(launch(&drawn.chain(), &gpu()).map(|launch| launch.kernel));
        }
    }
    for seed in 0..150 {
        let drawn = Drawn::new(&mut Draw(seed));
        kernels.extend(launch(&drawn.chain(), &gpu()).map(|launch| launch.kernel));
    }
    compile_all(kernels);
}
