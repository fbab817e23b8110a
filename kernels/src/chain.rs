//! Elementwise operations done together, one tile at a time.
//!
//! A [`ChainPlan`] is a chain of steps, each a function of inputs and of earlier steps, with the loop of every step
//! looked up for its dtypes. Running it takes a tile in blocks that stay in the first cache: every step runs over one
//! block before the next block is begun, so that what only later steps need never goes to memory.
//!
//! 1. `plan`: steps to loops, when the operations are analysed.
//! 2. `walk`: tiles to blocks. Operands that are neighbours throughout a block are used where they lie.
//! 3. `bind`: where each value of a block lies, and what is done to it in which order.
//! 4. `run`: all blocks.
//!
//! Each step rounds as it would alone, and a fold takes its terms as `kernel::order` says: results are those of
//! the single kernels, bit for bit.

mod ahead;
mod bind;
mod fold;
mod gather;
mod plan;
mod run;
mod step;
mod walk;

pub use plan::ChainPlan;
pub use run::Sample;
pub use step::{Step, StepKind, Value};
