//! Profiles of several ranks as one trace.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod brute;
mod clocks;
mod critical;
mod messages;
mod run;
pub(crate) mod simulated;
