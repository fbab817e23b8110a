//! An NVTX tool for tests: it records every call it receives, one JSON object per line.
//!
//! The library is loaded by any program that speaks NVTX version 3, whatever its client, through
//! `NVTX_INJECTION64_PATH`, and follows NVIDIA's headers (`nvToolsExt.h`, `nvtxDetail/nvtxTypes.h`)
//! and nothing else. Violations of the headers' contract are recorded as [`Event::Fault`].
//!
//! - `NVTX_RECORDER_OUT`: the file to append to. Without it the tool refuses to start.
//! - `NVTX_RECORDER_LEAVE_OUT`: calls left unfilled, separated by commas, by their C names
//!   (`nvtxDomainRangePop`).
//!
//! Tests link it as a Rust library too: [`library`] finds the tool, [`read`] reads what it wrote,
//! and [`Step`] is a program of NVTX calls that any client can play.

mod abi;
mod call;
mod entry;
mod event;
mod output;
mod program;
mod state;

pub use event::{Attributes, Event, Message, Payload, Record};
pub use output::{library, read};
pub use program::{Label, Step, domains, from_json, sample, to_json};
