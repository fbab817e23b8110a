//! A client of NVTX, NVIDIA's annotation interface, that needs no C compiler and no vendor library.
//!
//! A program does not link NVTX: it asks for a tool through the environment and calls what the tool put into a table
//! of function pointers. NVIDIA's headers do this in C; this module does the same in three layers:
//!
//! 1. `sys`: the names, layouts and constants of the headers, unchanged.
//! 2. `result`: finding the tool, serving it our tables, calling through them; codes become a [`LoadError`].
//! 3. `safe`: [`Tool`], [`Domain`], [`RegisteredString`], [`RangeGuard`], [`Color`].
//!
//! Ask [`tool`] once, keep `Option<Domain>`, and a range with no tool attached costs one test:
//!
//! ```text
//! let domain = nvtx::tool().map(|tool| nvtx::Domain::create(tool, "weft"));
//! let text = domain.as_ref().map(|domain| domain.register("ADD stencil.rs:12"));
//! let _range = domain.as_ref().zip(text.as_ref()).map(|(domain, text)| domain.push(text, 1, nvtx::Color(0xff4e79a7), uid));
//! ```
//!
//! Nothing here panics. A tool that was asked for and did not load is no tool, and [`load_error`] says why.

// The module also stands alone in tests, and the runtime need not call all of the interface.
#![allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "a leaf: its whole interface is kept, whoever uses it"
)]

mod result;
mod safe;
pub mod sys;

pub use result::{LoadError, Origin};
pub use safe::{
    Color, Domain, ProcessRange, RangeGuard, RegisteredString, Tool, load_error, name_thread, tool,
};
