//! A user's function with CUDA C of its own.

#![allow(unsafe_code, reason = "a function is a promise about its loops")]

use std::sync::Arc;

use weft_core::Handle;
use weft_core::chain::{Body, Function};

use super::*;

/// A function that adds half of the sum of the other inputs to the first.
#[derive(Debug)]
struct Halved {
    inputs: usize,
}

// SAFETY: there is no loop.
unsafe impl Function for Halved {
    fn name(&self) -> &str {
        "a half of the others"
    }

    fn inputs(&self) -> usize {
        self.inputs
    }

    fn output(&self, inputs: &[DType]) -> Option<DType> {
        let is_fine =
            inputs.len() == self.inputs && inputs.iter().all(|&dtype| dtype == DType::F64);
        is_fine.then_some(DType::F64)
    }

    fn body(&self, _inputs: &[DType]) -> Option<Body> {
        None
    }

    fn gpu_name(&self) -> &str {
        "halved"
    }

    fn has_cuda(&self) -> bool {
        true
    }

    fn cuda(&self, arguments: &[String], _inputs: &[DType]) -> Option<String> {
        let (first, others) = arguments.split_first()?;
        Some(format!("{first} + user_half({})", others.join(" + ")))
    }

    fn cuda_definitions(&self) -> Option<&str> {
        Some("WEFT_INLINE double user_half(double a) { return a / 2; }\n")
    }
}

#[test]
fn user_function_compiles_within_a_chain() {
    let halved = || -> StepKind { Handle::shared(Arc::new(Halved { inputs: 5 })) };
    let made = |kind: StepKind| {
        let values = |from: i64| (from..from + 1000).map(|at| Scalar::F64(at as f64));
        let operands = (0..5).map(|at| {
            let values: Vec<_> = values(at).collect();
            Operand::from_values(&[1000], &values, DType::F64)
        });
        let mut last = step(kind.clone(), &[0, 1, 2, 3, 4]);
        last.inputs[2] = Value::Step(0);
        let steps = [
            step(UnaryOp::Neg.into(), &[0]),
            step(kind, &[0, 1, 2, 3, 4]),
            last,
        ];
        RandomChain::all_written(operands.collect(), steps.as_slice().into())
    };
    let [drawn, alike] = [made(halved()), made(halved())];
    let kernel = launch(&drawn.chain()).unwrap().kernel;
    let other = launch(&alike.chain()).unwrap().kernel;
    assert_ne!(kernel, other, "different functions, under any name");
    assert_eq!(kernel.name(), other.name());
    assert!(
        kernel.name().starts_with("weft_neg_halved_halved_f64_"),
        "{}",
        kernel.name()
    );
    let source = kernel.source();
    assert_eq!(source, other.source());
    assert_eq!(source.matches("double user_half(").count(), 1, "{source}");
    assert!(
        source.contains("s2 = a0 + user_half(a1 + s0 + a3 + a4);"),
        "{source}"
    );
    if !can_run() {
        return;
    }
    run(&Work::Kernel(launch(&drawn.chain()).unwrap()));
    let results = drawn.results();
    for at in 0..1000 {
        let x = at as f64;
        let expected = [-x, x + (4.0 * x + 10.0) / 2.0, x + (2.0 * x + 8.0) / 2.0];
        for ((step, got), expected) in results.iter().zip(expected) {
            assert_eq!(got[at], Scalar::F64(expected), "step {step} at {at}");
        }
    }
}
