//! What a recorded program would do on more ranks.
//!
//! 1. [`Program`]: a profile of one rank, written with `--profile-operands`: the operations in order, what they work on, and what
//!    each of them cost. [`Program::stretched`] makes it that of a larger problem.
//! 2. `traffic`: which messages the operations need on so many ranks, by the very code that the runtime asks
//!    ([`weft_geometry`]).
//! 3. [`Machine`] and [`Network`]: what it runs on. Nothing is measured while a run is predicted: the same profile, machine and network
//!    give the same prediction. [`calibrate`] measures what a machine's analysis costs, where that is asked for.
//! 4. [`predict`]: each rank's program, analysis, workers and network, operation by operation, to a [`Prediction`].
//! 5. `table`: predictions as tables.

mod calibrate;
mod costs;
mod engine;
mod error;
mod machine;
mod network;
mod program;
mod rank;
mod recut;
mod stretch;
mod table;
mod traffic;
mod waiting;

pub use calibrate::{Calibrated, calibrate};
pub use engine::{Channels, Line, Prediction, predict};
pub use error::SimulateError;
pub use machine::{ExchangeCosts, Machine};
pub use network::{Link, Network};
pub use program::{Program, SimulatedOperation, Stored};
pub use table::{Scaling, by_channel, by_line, by_ranks};
