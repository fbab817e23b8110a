//! Functions for the steps of chains, which any library can provide.

#![allow(unsafe_code, reason = "a function is a promise about its loops")]

use std::any::Any;
use std::fmt::Debug;
use std::hash::Hasher;

use super::{Block, Wide};
use crate::Handle;
use crate::dtype::DType;

/// The most inputs of a function.
pub const MAX_INPUTS: usize = 15;

/// A function of elements that can be fused with others. The result at an index depends only on the
/// inputs at this index. It is the same for any memory layout, and any number of elements computed
/// at a time.
///
/// # Safety
/// The loops that [`body`](Function::body) and [`paired`](Function::paired) return for some dtypes
/// must read inputs of these dtypes. They must write results of the dtype that
/// [`output`](Function::output) returns for them, as a [`Block`] or a [`Wide`] does. The methods
/// must always return the same for the same arguments.
pub unsafe trait Function: Any + Debug + Send + Sync {
    /// Returns the name, which is the same in every run. Two functions with one name must be the
    /// same.
    fn name(&self) -> &str;

    /// Returns the number of inputs, from one to [`MAX_INPUTS`].
    fn inputs(&self) -> usize;

    /// Returns the dtype of the result for inputs of these dtypes; `None` if the function is not
    /// defined for them.
    fn output(&self, inputs: &[DType]) -> Option<DType>;

    /// Returns the loop for inputs of these dtypes, for which the function is defined; `None` if
    /// there is none. An input that first goes through a function [`before`](Function::before) has
    /// the dtype of that function's result.
    fn body(&self, inputs: &[DType]) -> Option<Body>;

    /// Returns the function that is applied to input number `input` first, if the inputs have these
    /// dtypes; `None` if the input is used unchanged. It must have one input and no function before
    /// it. It does not change the dtype of the result.
    fn before(&self, input: usize, inputs: &[DType]) -> Option<StepKind> {
        _ = (input, inputs);
        None
    }

    /// Whether an input is a condition, which is always `bool`, regardless of the other dtypes.
    fn is_condition(&self, input: usize) -> bool {
        _ = input;
        false
    }

    /// Returns one loop over runs of (a, b, c, result) that computes this function of `a` and `b`,
    /// and then `next` of this result, on `side`, and `c`. Each rounds as it does alone. Returns
    /// `None` if there is no such loop, or it would not be faster than two.
    fn paired(&self, next: &dyn Function, side: Side, inputs: [DType; 3]) -> Option<Block<4>> {
        _ = (next, side, inputs);
        None
    }

    /// Whether computing the results takes about as long as moving them from memory and back, as
    /// for an exponential.
    fn is_long(&self) -> bool {
        false
    }

    /// Returns the name in names of GPU kernels: letters, digits and underscores.
    fn gpu_name(&self) -> &str {
        self.name()
    }

    /// Returns the result as a CUDA C expression of `arguments`, which are names of inputs with
    /// these dtypes; `None` if there is no code for GPUs.
    fn cuda(&self, arguments: &[String], inputs: &[DType]) -> Option<String> {
        _ = (arguments, inputs);
        None
    }

    /// Returns CUDA C definitions that the expression needs. Their names must not be used by other
    /// functions.
    fn cuda_definitions(&self) -> Option<&str> {
        None
    }

    /// Whether [`cuda`](Function::cuda) has an expression for inputs of any dtypes with code for
    /// GPUs for which the function is defined. If not, it runs on CPUs.
    fn has_cuda(&self) -> bool {
        false
    }

    /// Returns the function's name if its CUDA C definitions are a user's, which may fail to
    /// compile.
    fn cuda_author(&self) -> Option<&str> {
        None
    }

    /// Hashes what distinguishes the function from others, the same in every run.
    fn hash_name(&self, state: &mut dyn Hasher) {
        state.write(self.name().as_bytes());
    }
}

/// The function of a step.
pub type StepKind = Handle<dyn Function>;

/// The way in which a function computes its results.
#[derive(Clone)]
pub enum Body {
    /// No computation: the result is the only input.
    Same,
    /// A loop over one input.
    Unary(Block<2>),
    /// A loop over two inputs.
    Binary(Block<3>),
    /// A loop over three inputs.
    Ternary(Block<4>),
    /// A loop over any number of inputs, which may have data of its own.
    Wide(Handle<dyn Wide>),
}

/// The input of a function that is the result of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// `(a first b) second c`.
    Left,
    /// `c second (a first b)`.
    Right,
}

impl StepKind {
    /// The function that returns its input.
    pub const COPY: StepKind = Handle::fixed(&IDENTITY);
}

/// The field gives the type a size, so that its address is unique.
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
