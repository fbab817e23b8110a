//! Operations that one kernel does together.
//!
//! Operations of elements join a [`Group`] as they come; what comes out is [`Fused`]: one chain of steps for each tile. What
//! comes again is not worked out again ([`Replays`]).

mod fused;
mod group;
mod plans;
mod replay;
mod shared;
mod whole;

pub(crate) use fused::{Bound, Fused, Input};
pub(crate) use group::{Group, Joins, Source, Written, step_of};
pub(crate) use replay::{Form, Replay, Replays};
pub(crate) use shared::{Closing, SharedKernel, shared_kernel, split};
pub(crate) use weft_elements::chain::StepKind;
pub(crate) use whole::{Whole, fold_of};
