//! Replays and advice on traces that are made so that something is to be found, or nothing.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod devices;
mod gpu_only;
mod host;
mod random;
mod ranks;
mod real;
mod scene;
