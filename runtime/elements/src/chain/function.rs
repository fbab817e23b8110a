//! What a step of a chain does: functions that any library can bring.

#![allow(unsafe_code, reason = "a function is a promise about its loops")]

use std::any::Any;
use std::fmt::Debug;
use std::hash::Hasher;

use super::{Block, Wide};
use crate::Handle;
use crate::dtype::DType;

/// The most inputs of a function.
pub const MAX_INPUTS: usize = 15;

/// A function of elements that fusion can join to others: the result at an index depends on the inputs at this index alone,
/// and is the same wherever they lie and however many are computed at a time.
///
/// # Safety
/// The loops that [`body`](Function::body) and [`paired`](Function::paired) give for some dtypes read inputs of these dtypes, and write
/// results of the dtype that [`output`](Function::output) gives for them, as a [`Block`] or a [`Wide`] does. What the methods give for the
/// same arguments is always the same.
pub unsafe trait Function: Any + Debug + Send + Sync {
    /// What it is called, in every run alike. Two of one name do the same.
    fn name(&self) -> &str;

    /// The number of its inputs: one at least, [`MAX_INPUTS`] at most.
    fn inputs(&self) -> usize;

    /// The dtype of its result for inputs of these dtypes; `None` if it is not defined for them.
    fn output(&self, inputs: &[DType]) -> Option<DType>;

    /// The loop for inputs of these dtypes, for which it is defined; `None` if there is none. Inputs that go through a function
    /// [`before`](Function::before) have the dtypes of its results.
    fn body(&self, inputs: &[DType]) -> Option<Body>;

    /// The function of one input, and of no other function before it, through which input number `input` goes first where the inputs have
    /// these dtypes; `None` if it is taken as it is. The result has one dtype either way.
    fn before(&self, input: usize, inputs: &[DType]) -> Option<StepKind> {
        _ = (input, inputs);
        None
    }

    /// Whether an input is a condition, which is `bool` by nature whatever dtypes the others have.
    fn is_condition(&self, input: usize) -> bool {
        _ = input;
        false
    }

    /// One loop over runs of (a, b, c, result) for this function of `a` and `b`, and for `next`, which takes the result of this one on
    /// `side` and `c` on the other one. Each rounds as it does alone. `None` if there is no such loop, or it would not be faster than
    /// both.
    fn paired(&self, next: &dyn Function, side: Side, inputs: [DType; 3]) -> Option<Block<4>> {
        _ = (next, side, inputs);
        None
    }

    /// Whether a processor computes its results for about as long as it takes to move them from memory and back, as those of an exponential.
    fn is_long(&self) -> bool {
        false
    }

    /// What it is called in names of kernels for GPUs: letters, digits and underscores.
    fn gpu_name(&self) -> &str {
        self.name()
    }

    /// The expression in CUDA C that is its result for these arguments, which are names of inputs that have these dtypes; `None` where
    /// it has no code for GPUs.
    fn cuda(&self, arguments: &[String], inputs: &[DType]) -> Option<String> {
        _ = (arguments, inputs);
        None
    }

    /// Definitions in CUDA C that its expression needs, all of whose names are its own.
    fn cuda_definitions(&self) -> Option<&str> {
        None
    }

    /// Whether [`cuda`](Function::cuda) has an expression for inputs of any dtypes that there is code for and that it is defined for; without, it
    /// runs on CPUs.
    fn has_cuda(&self) -> bool {
        false
    }

    /// Its name, where its user wrote its definitions, which need not compile.
    fn cuda_author(&self) -> Option<&str> {
        None
    }

    /// Gives a hash what tells it from other functions, in every run alike.
    fn hash_name(&self, state: &mut dyn Hasher) {
        state.write(self.name().as_bytes());
    }
}

/// What a step does to the elements of one index.
pub type StepKind = Handle<dyn Function>;

/// How a function computes its results.
#[derive(Clone)]
pub enum Body {
    /// Not at all: the result is its only input.
    Same,
    /// By a loop over one input.
    Unary(Block<2>),
    /// By a loop over two inputs.
    Binary(Block<3>),
    /// By a loop over three inputs.
    Ternary(Block<4>),
    /// By a loop over any number of inputs, which may have data of its own.
    Wide(Handle<dyn Wide>),
}

/// Which input of a function is the result of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// `(a first b) second c`.
    Left,
    /// `c second (a first b)`.
    Right,
}

impl StepKind {
    /// The function whose result is its input.
    pub const COPY: StepKind = Handle::fixed(&IDENTITY);
}

/// The number keeps it from having no bytes.
#[derive(Debug)]
struct Identity(u8);

static IDENTITY: Identity = Identity(4);

// SAFETY: there is no loop.
unsafe impl Function for Identity {
    fn name(&self) -> &str {
        "copy"
    }

    fn inputs(&self) -> usize {
        1
    }

    fn output(&self, inputs: &[DType]) -> Option<DType> {
        match *inputs {
            [dtype] => Some(dtype),
            _ => None,
        }
    }

    fn body(&self, _inputs: &[DType]) -> Option<Body> {
        Some(Body::Same)
    }

    fn has_cuda(&self) -> bool {
        true
    }

    fn cuda(&self, arguments: &[String], _inputs: &[DType]) -> Option<String> {
        arguments.first().cloned()
    }

    fn hash_name(&self, state: &mut dyn Hasher) {
        state.write_isize(self.0.into());
    }
}
