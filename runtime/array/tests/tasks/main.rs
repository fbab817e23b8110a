//! User tasks: their results with various numbers of workers, and their errors.

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
