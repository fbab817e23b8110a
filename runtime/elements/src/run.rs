//! The innermost loop over operands.

/// The innermost loop of a nest.
#[derive(Clone, Copy, Debug)]
pub struct Run<const N: usize> {
    /// The address of each operand's first element.
    pub at: [*mut u8; N],
    /// The step of each operand in bytes.
    pub steps: [isize; N],
    /// The number of rounds, at least one.
    pub count: usize,
}
