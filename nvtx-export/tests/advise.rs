//! Replays and advice on traces that are made to contain a finding, or none.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod devices;
mod gpu_only;
mod host;
mod random;
mod ranks;
mod real;
mod scene;
