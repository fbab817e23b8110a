//! The calls the tool takes, one function for each.

mod core;
mod core2;
mod read;

pub(crate) use self::core::CORE;
pub(crate) use core2::CORE2;
