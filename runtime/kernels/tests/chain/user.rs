//! A function and a fold, as users could provide them.

#![allow(unsafe_code, reason = "reads and writes elements by their addresses")]

use std::fmt;
use std::hash::Hasher;
use std::sync::Arc;

use weft_kernels::chain::{Body, Fold, Function, Push, StepKind, Wide, WideRun};
use weft_kernels::dtype::{DType, Element, Scalar, with_element};
use weft_kernels::testing::Operand;
use weft_kernels::{Handle, Tile, elementwise};

type OfValues = dyn Fn(&[Scalar]) -> Scalar + Send + Sync;

/// A function of `inputs` values of any dtypes, computed by a closure, with results of one dtype.
pub(super) struct User {
    name: String,
    inputs: usize,
    to: DType,
    of: Arc<OfValues>,
}

impl User {
    pub(super) fn step(
        name: &str,
        inputs: usize,
        to: DType,
        of: impl Fn(&[Scalar]) -> Scalar + Send + Sync + 'static,
    ) -> StepKind {
        let (name, of) = (name.to_owned(), Arc::new(of));
        let user = User {
            name,
            inputs,
            to,
            of,
        };
        Handle::shared(Arc::new(user))
    }

    /// Computes the function of each index of some operands.
    pub(super) fn alone(&self, inputs: &[&Operand], dims: &[usize]) -> Operand {
        let inputs: Vec<Vec<Scalar>> = inputs.iter().map(|input| input.values()).collect();
        let count = dims.iter().product();
        let at = |index: usize| inputs.iter().map(|input| input[index]).collect::<Vec<_>>();
        let values: Vec<_> = (0..count)
            .map(|index| (self.of)(&at(index)).cast(self.to))
            .collect();
        Operand::from_values(dims, &values, self.to)
    }
}

impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} values", self.name, self.inputs)
    }
}

// SAFETY: the loop is for the dtypes of its inputs and of the results.
unsafe impl Function for User {
    fn name(&self) -> &str {
        &self.name
    }

    fn inputs(&self) -> usize {
        self.inputs
    }

    fn output(&self, inputs: &[DType]) -> Option<DType> {
        (inputs.len() == self.inputs).then_some(self.to)
    }

    fn body(&self, inputs: &[DType]) -> Option<Body> {
        let of_dtypes = OfDtypes {
            inputs: inputs.to_vec(),
            to: self.to,
            of: self.of.clone(),
        };
        Some(Body::Wide(Handle::shared(Arc::new(of_dtypes))))
    }
}

struct OfDtypes {
    inputs: Vec<DType>,
    to: DType,
    of: Arc<OfValues>,
}

impl Wide for OfDtypes {
    unsafe fn run(&self, run: WideRun<'_>) {
        assert!(run.at.len() == run.steps.len() && run.at.len() == self.inputs.len() + 1);
        let out = self.inputs.len();
        for index in 0..run.count as isize {
            let at = |operand: usize| run.at[operand].wrapping_offset(run.steps[operand] * index);
            let inputs = self.inputs.iter().enumerate();
            let values: Vec<_> = inputs
                .map(|(operand, dtype)| {
                    // SAFETY: the caller's promise.
                    with_element!(*dtype, T => unsafe { at(operand).cast::<T>().read() }.to_scalar())
                })
                .collect();
            let result = (self.of)(&values);
            // SAFETY: the caller's promise.
            with_element!(self.to, T => unsafe { at(out).cast::<T>().write(result.to()) });
        }
    }
}

/// A number that depends on the bytes of all terms and on their order.
#[derive(Debug)]
pub(super) struct Digest;

impl Digest {
    pub(super) fn hash(bytes: impl IntoIterator<Item = u8>) -> u64 {
        let mut hasher = std::collections::hash_map::DefaultHasher::new();
        bytes.into_iter().for_each(|byte| hasher.write_u8(byte));
        hasher.finish()
    }
}

impl Fold for Digest {
    fn name(&self) -> &str {
        "digest"
    }

    fn output(&self, input: DType) -> Option<DType> {
        (!input.is_complex()).then_some(DType::U64)
    }

    unsafe fn run(&self, input: DType, feed: &mut dyn FnMut(&mut Push<'_>), out: &mut Tile) {
        let mut all = Vec::new();
        feed(&mut |at, count| {
            // SAFETY: the caller's promise.
            all.extend_from_slice(unsafe { std::slice::from_raw_parts(at, count * input.size()) });
        });
        elementwise::fill(Digest::hash(all).into(), out);
    }

    fn reduce_empty(&self, _input: DType, out: &mut Tile) {
        elementwise::fill(Digest::hash([]).into(), out);
    }
}
