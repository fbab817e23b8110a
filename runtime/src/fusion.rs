//! Operations that one kernel does together.
//!
//! Operations of elements join a [`Group`] as they come; what comes out is [`Fused`]: one chain of steps for each tile.

mod fused;
mod group;
mod whole;

pub(crate) use fused::{Bound, Fused, Input};
pub(crate) use group::{Group, Joins, Source, step_of};
pub(crate) use whole::{Whole, fold_of};
