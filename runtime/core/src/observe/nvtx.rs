//! A client of NVTX, NVIDIA's annotation interface, that needs no C compiler and no vendor library.
//!
//! A program does not link NVTX. It finds a tool through the environment, and calls the functions
//! that the tool puts into a table. NVIDIA's headers do this in C; this module does the same in
//! three layers:
//!
//! 1. `sys`: the names, layouts and constants of the headers, unchanged.
//! 2. `result`: finds the tool, serves it our tables, calls through them, and converts codes to
//!    [`LoadError`].
//! 3. `safe`: [`Tool`], [`Domain`], [`RegisteredString`], [`RangeGuard`], [`Color`].
//!
//! Call [`tool`] once and keep an `Option<Domain>`; then a range without an attached tool costs one
//! test:
//!
//! ```text
//! let domain = nvtx::tool().map(|tool| nvtx::Domain::create(tool, "weft"));
//! let text = domain.as_ref().map(|domain| domain.register("ADD stencil.rs:12"));
//! let _range = domain.as_ref().zip(text.as_ref()).map(|(domain, text)| domain.push(text, 1, nvtx::Color(0xff4e79a7), uid));
//! ```
//!
//! Nothing here panics. A tool that failed to load counts as no tool, and [`load_error`] returns
//! the reason.

// Tests also use this module by itself, and the runtime does not call all of the interface.
#![allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "a leaf: its whole interface is kept, whether used or not"
)]

mod result;
mod safe;
pub mod sys;

pub use result::{LoadError, Origin};
pub use safe::{
    Color, Domain, ProcessRange, RangeGuard, RegisteredString, Tool, load_error, name_thread, tool,
};
