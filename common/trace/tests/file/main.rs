//! The `.prof` file: what comes back of what was written, whatever happens in between.

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
