//! Operations that one kernel does together.

mod group;

pub(crate) use group::{Folded, Group, Joins, Source, Written, step_of};
