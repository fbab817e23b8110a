//! Analysis of traces: costs by line, task and kernel ([`stats`]), the loops of a program
//! ([`iterations`]), dependence graphs ([`graph`]), the schedule of a run with a change
//! ([`replay`]), the changes that save most ([`advise`]), and predictions for more ranks
//! ([`simulate`]).

pub mod advise;
pub mod between;
pub mod graph;
pub mod iterations;
pub mod replay;
pub mod simulate;
pub mod stats;
