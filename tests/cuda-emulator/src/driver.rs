//! `libcuda`: the functions of `cuda.h`, version 13.0.

mod context;
mod copy;
mod device;
mod entry;
mod errors;
mod event;
mod graph;
mod launch;
mod managed;
mod memory;
mod module;
mod peer;
mod stream;

use std::sync::LazyLock;

pub(crate) use entry::put;

/// All functions, with CUPTI's numbers; 0 if CUPTI's number is unknown.
pub(crate) static FUNCTIONS: LazyLock<Vec<(&str, u32)>> = LazyLock::new(|| {
    let parts = [
        context::FUNCTIONS,
        copy::FUNCTIONS,
        device::FUNCTIONS,
        errors::FUNCTIONS,
        event::FUNCTIONS,
        graph::FUNCTIONS,
        launch::FUNCTIONS,
        managed::FUNCTIONS,
        memory::FUNCTIONS,
        module::FUNCTIONS,
        peer::FUNCTIONS,
        stream::FUNCTIONS,
    ];
    parts.concat()
});
