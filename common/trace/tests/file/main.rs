//! The `.prof` file: records that are written are read back, or their loss is counted.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

mod damage;
mod deaths;
mod disk;
mod forks;
mod heap;
mod round_trip;
mod support;
mod threads;
mod victim;
