//! Chains of elementwise operations: one kernel for each chain, its dtypes and its kind of layout.
//!
//! If all operands are dense, or one element for all indices, a kernel has one loop and reads packs
//! of 16 bytes. Otherwise it has as many loops as the steps need, and threads along the three
//! innermost ones.

mod function;
mod job;
mod key;
mod launch;
mod source;

use super::super::work::Work;
use super::Chain;
use super::nest::{Nest, Strided};
use super::{DeviceOperand, StepKind, Value};

pub use function::ChainFunction;
pub(crate) use key::ChainKernelKey;
pub(super) use launch::launch;

/// Returns the work of a chain: a copy or a fill if it only copies or fills contiguous bytes, else
/// a kernel; `None` if there is nothing to do.
pub(super) fn work(chain: &Chain) -> Option<Work> {
    if let ([step], [input], [(0, out)]) = (&*chain.steps, &*chain.inputs, &*chain.outputs)
        && step.kind == StepKind::COPY
        && step.inputs[..] == [Value::Input(0)]
    {
        let size = out.dtype.size();
        match input {
            DeviceOperand::Tile(input) => {
                let nest = Nest::new(
                    chain.shape,
                    &[Strided::from_tile(input), Strided::from_tile(out)],
                )?;
                let [from, to] = [nest.first[0], nest.first[1]];
                if from == to && input.layout == out.layout {
                    return None;
                }
                if is_dense(&nest) {
                    let bytes = chain.shape.len() * size;
                    return Some(Work::Copy { from, to, bytes });
                }
            }
            DeviceOperand::Scalar(value) => {
                let nest = Nest::new(chain.shape, &[Strided::from_tile(out)])?;
                let words = super::c::words(value.cast(out.dtype));
                if is_dense(&nest)
                    && let Some((pattern, width)) = pattern(&words, size)
                {
                    return Some(Work::Fill {
                        to: nest.first[0],
                        pattern,
                        width: width as u8,
                        count: chain.shape.len() * size / width,
                    });
                }
            }
        }
    }
    launch(chain).map(Work::Kernel)
}

/// Returns whether every operand is contiguous.
fn is_dense(nest: &Nest) -> bool {
    match &nest.loops[..] {
        [] => true,
        [each] => each.steps.iter().all(|&step| step == 1),
        _ => false,
    }
}

/// Returns the bytes of an element as a pattern of at most four bytes, and its width; `None` if
/// they do not repeat such a pattern.
fn pattern(words: &[u64], size: usize) -> Option<(u32, usize)> {
    let low = words[0] as u32;
    if size < 8 {
        return Some((low, size));
    }
    let halves = words
        .iter()
        .flat_map(|word| [*word as u32, (word >> 32) as u32]);
    halves
        .into_iter()
        .all(|half| half == low)
        .then_some((low, 4))
}

#[cfg(test)]
mod tests;
