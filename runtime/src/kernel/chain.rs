//! Elementwise operations done together, one tile at a time.
//!
//! A [`ChainPlan`] is a chain of steps, each a function of inputs and of earlier steps, with the loop of every step
//! looked up for its dtypes. Running it takes a tile in blocks that stay in the first cache: every step runs over one
//! block before the next block is begun, so that what only later steps need never goes to memory.
//!
//! Each step rounds as it would alone, and a sum takes its terms as [`order`](super::order) says: results are those of
//! the single kernels, bit for bit.

mod step;

pub(crate) use step::{Step, StepKind, Value};
