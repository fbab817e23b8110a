//! Two elementwise functions, for tests of chains.

#![allow(unsafe_code, reason = "a function is a promise about its loops")]

use std::ops;

use crate::dtype::DType;
use weft_elements::chain::{Block, Body, Function, StepKind};
use weft_elements::{Handle, Run};

/// A function of two floats of the same type.
#[derive(Debug)]
struct Arithmetic {
    name: &'static str,
    operator: &'static str,
    f32s: Block<3>,
    f64s: Block<3>,
}

static ADD: Arithmetic = Arithmetic {
    name: "add",
    operator: "+",
    f32s: sums::<f32>,
    f64s: sums::<f64>,
};

static MUL: Arithmetic = Arithmetic {
    name: "mul",
    operator: "*",
    f32s: products::<f32>,
    f64s: products::<f64>,
};

/// `a + b`.
pub(crate) const SUM: StepKind = Handle::fixed(&ADD);

/// `a * b`.
pub(crate) const PRODUCT: StepKind = Handle::fixed(&MUL);

// SAFETY: the loops match the dtypes that `body` is called with.
unsafe impl Function for Arithmetic {
    fn name(&self) -> &str {
        self.name
    }

    fn inputs(&self) -> usize {
        2
    }

    fn output(&self, inputs: &[DType]) -> Option<DType> {
        match *inputs {
            [DType::F32, DType::F32] => Some(DType::F32),
            [DType::F64, DType::F64] => Some(DType::F64),
            _ => None,
        }
    }

    fn body(&self, inputs: &[DType]) -> Option<Body> {
        match self.output(inputs)? {
            DType::F32 => Some(Body::Binary(self.f32s)),
            _ => Some(Body::Binary(self.f64s)),
        }
    }

    fn has_cuda(&self) -> bool {
        true
    }

    fn cuda(&self, arguments: &[String], _inputs: &[DType]) -> Option<String> {
        Some(arguments.join(&format!(" {} ", self.operator)))
    }
}

/// # Safety
/// As for a [`Block`] of `T`.
unsafe fn sums<T: Copy + ops::Add<Output = T>>(run: Run<3>) {
    // SAFETY: as the caller guarantees.
    unsafe { each(run, |a: T, b| a + b) }
}

/// # Safety
/// As for a [`Block`] of `T`.
unsafe fn products<T: Copy + ops::Mul<Output = T>>(run: Run<3>) {
    // SAFETY: as the caller guarantees.
    unsafe { each(run, |a: T, b| a * b) }
}

/// # Safety
/// As for a [`Block`] of `T`.
unsafe fn each<T: Copy>(run: Run<3>, function: impl Fn(T, T) -> T) {
    for at in 0..run.count as isize {
        let place = |operand: usize| {
            let start = run.at[operand];
            start.wrapping_offset(at * run.steps[operand]).cast::<T>()
        };
        // SAFETY: as the caller guarantees.
        unsafe { place(2).write(function(place(0).read(), place(1).read())) };
    }
}
