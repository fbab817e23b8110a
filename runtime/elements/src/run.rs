//! The innermost loop over operands.

/// The innermost loop of a nest.
#[derive(Clone, Copy, Debug)]
pub struct Run<const N: usize> {
    /// Where each operand starts.
    pub at: [*mut u8; N],
    /// From one element of an operand to the next, in bytes.
    pub steps: [isize; N],
    /// The number of rounds, at least one.
    pub count: usize,
}
