//! Fusion: operations that run as one kernel.
//!
//! Elementwise operations join a [`Group`] as they come. A closed group becomes [`Fused`]: one
//! chain of steps for each tile. Results of the analysis are cached for groups that come again
//! ([`Replays`]).

mod fused;
mod group;
mod plans;
mod replay;
mod shared;
mod whole;

pub(crate) use fused::{Bound, FOLDED, Form, Fused, Input};
pub(crate) use group::{Group, Joins, Source, Written, step_of};
pub(crate) use replay::{Replay, Replays};
pub(crate) use shared::{Closing, SharedKernel, shared_kernel, split};
pub(crate) use weft_elements::chain::StepKind;
pub(crate) use whole::{Whole, fold_of, gpu_fold_of, line_fold_of};
