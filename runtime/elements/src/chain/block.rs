//! Loops over one run of elements.

#![allow(unsafe_code, reason = "loops over operands by their addresses")]

use crate::Run;
use crate::dtype::DType;

/// A loop over one run of `N` operands, for a given function and dtypes: the inputs first, then the
/// output.
///
/// # Safety
/// For callers: the run's inputs must hold elements of the block's dtypes, and the output must have
/// room for the results. The output must share no element with an input, or be exactly the view of
/// an input with elements of the same size.
pub type Block<const N: usize> = unsafe fn(Run<N>);

/// A loop over any number of inputs, which may have data of its own: the captures of a closure, or
/// the context of a function in another language.
pub trait Wide: Send + Sync {
    /// Computes the results of a run.
    ///
    /// # Safety
    /// See [`Block`].
    unsafe fn run(&self, run: WideRun<'_>);
}

/// A run over any number of operands: the inputs first, then the output, all with the same number
/// of elements.
#[derive(Clone, Copy, Debug)]
pub struct WideRun<'a> {
    /// The address of each operand's first element.
    pub at: &'a [*mut u8],
    /// The step of each operand in bytes; 0 if one element is used for all.
    pub steps: &'a [isize],
    /// The number of elements, at least one.
    pub count: usize,
}

/// Returns the loop that copies elements bit by bit.
pub fn copy_block(dtype: DType) -> Block<2> {
    match dtype.size() {
        1 => copy_words::<u8>,
        2 => copy_words::<u16>,
        4 => copy_words::<u32>,
        8 => copy_words::<u64>,
        _ => copy_words::<[u64; 2]>,
    }
}

/// Copies elements of the size of `W`.
///
/// # Safety
/// See [`Block`].
unsafe fn copy_words<W: Copy>(run: Run<2>) {
    let size = size_of::<W>() as isize;
    let Run {
        at: [mut from, mut to],
        steps,
        count,
    } = run;
    // SAFETY: the caller's promise. `ptr::copy` allows input and output to be the same view.
    unsafe {
        match steps {
            [step, out] if step == size && out == size => {
                std::ptr::copy(from.cast::<W>(), to.cast::<W>(), count);
            }
            [0, out] if out == size => {
                let word = from.cast::<W>().read();
                for i in 0..count {
                    to.cast::<W>().add(i).write(word);
                }
            }
            [from_step, to_step] => {
                for _ in 0..count {
                    to.cast::<W>().write(from.cast::<W>().read());
                    from = from.wrapping_offset(from_step);
                    to = to.wrapping_offset(to_step);
                }
            }
        }
    }
}
