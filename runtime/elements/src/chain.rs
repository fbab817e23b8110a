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
//! Each step rounds as it would alone, and a fold gets its terms in order: results are those of the single kernels, bit
//! for bit.
//!
//! What steps do is not known here: functions are [`Function`]s and reductions [`Fold`]s, those of the library and those that a user
//! brings alike.

mod ahead;
mod bind;
mod block;
mod fold;
mod function;
mod gather;
mod plan;
mod run;
mod step;
mod walk;

pub use block::{Block, Wide, WideRun, copy_block};
pub use fold::{Fold, Push, TERMS};
pub use function::{Body, Function, MAX_INPUTS, Side, StepKind};
pub use plan::ChainPlan;
pub use run::Sample;
pub use step::{Step, Value};
