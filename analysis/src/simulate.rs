//! Simulation of a recorded program on more ranks.
//!
//! 1. [`Program`]: a profile of one rank, written with `--profile-operands`: the operations in
//!    order, their operands and their costs. [`Program::stretched`] turns it into that of a larger
//!    problem.
//! 2. `traffic`: the messages that the operations need on a given number of ranks, computed by the
//!    same code as in the runtime ([`weft_geometry`]).
//! 3. [`Machine`] and [`Network`]: the target of the simulation. Nothing is measured while a run is
//!    predicted: the same profile, machine and network give the same prediction. [`calibrate`]
//!    measures the costs of a machine's analysis, on request.
//! 4. [`predict`]: simulates each rank's program, analysis, workers and network, operation by
//!    operation; returns a [`Prediction`].
//! 5. `table`: predictions as tables.

mod calibrate;
mod costs;
mod engine;
mod error;
mod extract;
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
