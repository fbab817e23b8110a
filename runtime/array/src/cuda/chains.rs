//! Every step on every dtype, over operands with any memory layout, compared with the CPU's
//! kernels.

mod drawn;
mod folded;
mod user;

use smallvec::{SmallVec, smallvec};
use weft_core::chain::{Step, StepKind, Value};
use weft_core::cuda::{DeviceOperand, DeviceTile, Kernel, Launch, Work};
use weft_core::testing;

use super::testing::{can_run, compile_all, device_tile, dtypes, nvrtc, run};
use crate::dtype::{DType, Scalar};
use crate::kernel::elementwise::{self, functions};
use crate::kernel::testing::{Draw, Operand, assert_same, near, same};
use crate::kernel::{BinaryOp, UnaryOp};
use crate::shape::{Layout, Shape};
use drawn::RandomChain;

/// Steps that one kernel computes together.
#[derive(Debug)]
struct Chain {
    shape: Shape,
    inputs: SmallVec<[DeviceOperand; 8]>,
    steps: SmallVec<[Step; 8]>,
    outputs: SmallVec<[(u16, DeviceTile); 2]>,
}

impl Chain {
    fn single(
        kind: StepKind,
        inputs: SmallVec<[Value; 3]>,
        operands: SmallVec<[DeviceOperand; 8]>,
        out: DeviceTile,
    ) -> Chain {
        Chain {
            shape: out.layout.shape,
            inputs: operands,
            steps: smallvec![Step { kind, inputs }],
            outputs: smallvec![(0, out)],
        }
    }
}

fn built(chain: &Chain) -> weft_core::cuda::Chain {
    testing::chain(chain.shape, &chain.inputs, &chain.steps, &chain.outputs)
}

fn launch(chain: &Chain) -> Option<Launch> {
    testing::launch_chain(&built(chain))
}

/// Returns the kernel of `(a + b) * c` over dense vectors of `f64`.
fn chain_of_two() -> Kernel {
    let layout = Layout::contiguous(Shape::new(&[1000]).unwrap());
    let tile = |at: u64| DeviceTile {
        start: at << 20,
        dtype: DType::F64,
        layout,
    };
    let step = |op, inputs: [Value; 2]| Step {
        kind: BinaryOp::into(op),
        inputs: inputs.as_slice().into(),
    };
    let chain = Chain {
        shape: layout.shape,
        inputs: (1..4).map(|at| DeviceOperand::Tile(tile(at))).collect(),
        steps: [
            step(BinaryOp::Add, [Value::Input(0), Value::Input(1)]),
            step(BinaryOp::Mul, [Value::Step(0), Value::Input(2)]),
        ]
        .into_iter()
        .collect(),
        outputs: [(1, tile(4))].as_slice().into(),
    };
    launch(&chain).unwrap().kernel
}

fn step(kind: StepKind, inputs: &[u16]) -> Step {
    Step {
        kind,
        inputs: inputs.iter().map(|&at| Value::Input(at)).collect(),
    }
}

/// Returns all unary steps on one dtype.
fn unary_steps(dtype: DType) -> Vec<Step> {
    let ops = UnaryOp::ALL
        .iter()
        .filter(|op| op.output_dtype(dtype).is_some());
    ops.map(|&op| step(op.into(), &[0])).collect()
}

/// Returns all other steps on one dtype, with a condition as input 2.
fn other_steps(dtype: DType) -> Vec<Step> {
    let ops = BinaryOp::ALL
        .iter()
        .filter(|op| op.output_dtype(dtype).is_some());
    let binary = ops.map(|&op| step(op.into(), &[0, 1]));
    let casts = dtypes().map(|to| step(functions::cast(to).into(), &[0]));
    let last = [
        step(functions::select().into(), &[2, 0, 1]),
        step(functions::select().into(), &[0, 1, 0]),
        step(StepKind::COPY, &[1]),
    ];
    binary.chain(casts).chain(last).collect()
}

/// Returns a random dtype with code.
fn any_dtype(draw: &mut Draw) -> DType {
    let all: Vec<DType> = dtypes().collect();
    all[draw.below(all.len())]
}

/// Returns special values of a dtype.
fn edges(dtype: DType) -> Vec<Scalar> {
    let floats = [
        0.0,
        1.0,
        2.0,
        0.5,
        2.5,
        3.5,
        31.0,
        32.0,
        64.0,
        3e9,
        1e19,
        1e-300,
        1e300,
        f64::INFINITY,
    ];
    let signed = floats.into_iter().flat_map(|value| [value, -value]);
    let floats = signed.chain([f64::NAN]).map(Scalar::from);
    let ends = [
        i8::MIN.into(),
        i8::MAX.into(),
        i16::MIN.into(),
        i16::MAX.into(),
        u8::MAX.into(),
        u16::MAX.into(),
        i64::MIN,
        i64::MAX,
        i32::MIN.into(),
        i32::MAX.into(),
        u32::MAX.into(),
    ];
    let mut edges: Vec<Scalar> = floats
        .chain(ends.map(Scalar::from))
        .map(|value| value.cast(dtype))
        .collect();
    edges.dedup_by(|a, b| same(a, b));
    edges
}

/// Creates a chain with dense vectors as inputs and outputs, which writes every step. Its first
/// inputs hold all pairs of [`edges`].
fn all_written(dtype: DType, steps: Vec<Step>, draw: &mut Draw) -> RandomChain {
    let edges = edges(dtype);
    let count = edges.len();
    let length = count * count + 700;
    let values = |draw: &mut Draw, edge: &dyn Fn(usize) -> Scalar| {
        let value = |at: usize| {
            if at < count * count {
                edge(at)
            } else {
                draw.value(dtype)
            }
        };
        let values: Vec<Scalar> = (0..length).map(value).collect();
        Operand::from_values(&[length], &values, dtype)
    };
    let left = values(draw, &|at| edges[at / count]);
    let right = values(draw, &|at| edges[at % count]);
    let condition = Operand::new(draw, DType::Bool, &[length], true, |draw| {
        draw.value(DType::Bool)
    });
    RandomChain::all_written(vec![left, right, condition], steps.into())
}

/// Returns the allowed distance from the CPU's results, in units in the last place.
fn ulps(kind: &StepKind) -> u64 {
    let unary = UnaryOp::from_function(&**kind).map(UnaryOp::gpu_ulps);
    let binary = || BinaryOp::from_function(&**kind).map(BinaryOp::gpu_ulps);
    unary.or_else(binary).unwrap_or(0)
}

#[track_caller]
fn check(drawn: &RandomChain) {
    let expected = drawn.on_cpu();
    let outside = drawn.outside();
    let launch = launch(&drawn.chain());
    if let Some(launch) = launch {
        run(&Work::Kernel(launch));
    }
    for ((step, got), expected) in drawn.results().iter().zip(&expected) {
        let step = &drawn.steps[usize::from(*step)];
        let ulps = if drawn.steps.len() == drawn.outputs.len() {
            ulps(&step.kind)
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
fn runs_every_step_on_every_dtype() {
    if !can_run() {
        return;
    }
    for (seed, dtype) in dtypes().enumerate() {
        for steps in [unary_steps(dtype), other_steps(dtype)] {
            check(&all_written(dtype, steps, &mut Draw(seed as u64)));
        }
    }
}

#[test]
fn runs_chains_over_any_operand_layout() {
    if !can_run() {
        return;
    }
    for seed in 0..48 {
        check(&RandomChain::new(&mut Draw(seed)));
    }
}

/// Runs a chain's launch with 64-bit indices, even if 32 bits are enough.
fn run_wide(drawn: &RandomChain) {
    let Some(mut launch) = launch(&drawn.chain()) else {
        return;
    };
    testing::widen_indices(&mut launch.kernel);
    run(&Work::Kernel(launch));
}

#[test]
fn wide_indices_give_identical_results() {
    if !can_run() {
        return;
    }
    for seed in 100..112 {
        let drawn = RandomChain::new(&mut Draw(seed));
        let expected = drawn.on_cpu();
        run_wide(&drawn);
        for ((_, got), expected) in drawn.results().iter().zip(&expected) {
            assert_same(got, expected, &format_args!("{drawn:?}"));
        }
    }
}

#[test]
fn kernel_names_describe_their_steps() {
    let rows = Layout::contiguous(Shape::new(&[40, 60]).unwrap());
    let inner = rows.slice(1, Some(1), Some(-1), 1).unwrap();
    let name = |kind: StepKind, dtypes: &[DType], layout: Layout| {
        let tile = |(at, &dtype): (usize, &DType)| DeviceTile {
            start: 4096 * (at as u64 + 1),
            dtype,
            layout,
        };
        let mut tiles: Vec<DeviceTile> = dtypes.iter().enumerate().map(tile).collect();
        let out = tiles.pop().unwrap();
        let values = (0..tiles.len() as u16).map(Value::Input).collect();
        let inputs = tiles.into_iter().map(DeviceOperand::Tile).collect();
        launch(&Chain::single(kind, values, inputs, out))
            .unwrap()
            .kernel
            .name()
    };
    use DType::{Bool, F32, F64};
    assert_eq!(
        name(BinaryOp::Less.into(), &[F64, F64, Bool], rows),
        "weft_lt_f64"
    );
    assert_eq!(
        name(functions::cast(F32).into(), &[F64, F32], rows),
        "weft_cast_f32_f64"
    );
    assert_eq!(
        name(functions::select().into(), &[Bool, F32, F32, F32], rows),
        "weft_where_f32"
    );
    assert_eq!(name(StepKind::COPY, &[F32, F32], rows), "weft_copy_f32");
    let strided = name(BinaryOp::Add.into(), &[F64, F64, F64], inner);
    assert!(
        strided.starts_with("weft_add_f64_") && strided.len() == "weft_add_f64_".len() + 8,
        "{strided}"
    );
    assert_eq!(chain_of_two().name(), "weft_add_mul_f64");
}

#[test]
fn reads_dense_operands_in_16_byte_packs() {
    let Some(nvrtc) = nvrtc() else { return };
    let kernel = chain_of_two();
    let ptx = nvrtc.ptx(&kernel.name(), &kernel.source(), 90).unwrap();
    let ptx = String::from_utf8_lossy(&ptx);
    // Two packs of each of three inputs.
    assert_eq!(ptx.matches("ld.global.v2").count(), 6, "{ptx}");
    assert_eq!(ptx.matches("st.global.v2").count(), 2, "{ptx}");
    let first_store = ptx.find("st.global").unwrap();
    assert!(
        ptx.rfind("ld.global.v2").unwrap() < first_store,
        "loads come first"
    );
    assert!(
        !ptx.contains("fma."),
        "products and sums are rounded one by one"
    );
}

#[test]
fn every_kernel_compiles() {
    let mut draw = Draw(0);
    let mut kernels = Vec::new();
    for dtype in dtypes() {
        for steps in [unary_steps(dtype), other_steps(dtype)] {
            let drawn = all_written(dtype, steps, &mut draw);
            kernels.extend(launch(&drawn.chain()).map(|launch| launch.kernel));
        }
    }
    for seed in 0..150 {
        let drawn = RandomChain::new(&mut Draw(seed));
        kernels.extend(launch(&drawn.chain()).map(|launch| launch.kernel));
    }
    compile_all(kernels);
}
