//! What a trace says: what each line, task and kernel cost ([`stats`]), which loops a program has ([`iterations`]), what depends on what
//! ([`graph`]), how long the run takes with a change ([`replay`]), which changes save most ([`advise`]), and how long it would take on more
//! ranks ([`simulate`]).

pub mod advise;
pub mod between;
pub mod graph;
pub mod iterations;
pub mod replay;
pub mod simulate;
pub mod stats;
