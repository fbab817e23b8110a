//! Tasks of a user's own: what they compute, with how many workers, and what goes wrong.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "tests"
)]

mod built;
mod concurrent;
mod cuda;
mod drawn;
mod elementwise;
mod failures;
mod foreign;
mod images;
mod nested;
mod profiled;
mod scopes;
#[path = "../support/runtimes.rs"]
mod support;
mod verify;
