//! Stage 1: bytes, or a database, to rows of [`Joined`](crate::joined::Joined), each on the clock of its own source.
//!
//! The format of an input is recognised by its content ([`mod@format`]). No program is run here except `nsys`, which
//! alone can read its own reports.

pub mod format;
pub mod joined;
pub mod legion;
pub mod nsys;
pub mod prof;
