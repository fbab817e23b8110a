//! Chains of elementwise operations, computed together one tile at a time.
//!
//! A [`ChainPlan`] is a chain of steps, each a function of inputs and of earlier steps, with the
//! loop of every step for its dtypes. A run takes a tile in blocks that stay in the L1 cache: every
//! step computes one block before the next block begins. Values that only later steps need never
//! reach main memory.
//!
//! 1. `plan`: looks up the loops of steps, when operations are analysed.
//! 2. `walk`: cuts tiles into blocks. An operand that is dense within each block is used in place.
//! 3. `bind`: finds the place of each value of a block, and the order of work.
//! 4. `run`: computes all blocks.
//!
//! Each step rounds as it would alone, and a fold gets its terms in order. Results are those of the
//! single kernels, bit for bit.
//!
//! This module knows no particular functions. Functions are [`Function`]s and reductions [`Fold`]s,
//! from the library or from users.

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
