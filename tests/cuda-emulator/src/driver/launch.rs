//! Launches.
#![allow(unsafe_code, reason = "calls C functions")]

use super::entry::{NULL, exports};
use crate::cupti::{self, Overhead, clock};
use crate::machine::code::Code;
use crate::machine::handle::{Id, Kind, id};
use crate::machine::work::{Body, KernelCall, Origin};
use crate::machine::{Machine, machine};

/// Reads the arguments of a kernel, each from its address in `params`.
pub(super) fn arguments(
    machine: &Machine,
    function: Id,
    params: *const *const u8,
) -> Result<Vec<Vec<u8>>, Code> {
    let function = machine
        .functions
        .get(&function)
        .ok_or(Code::INVALID_HANDLE)?;
    let parameters = function
        .code
        .parameters(&function.name)
        .ok_or(Code::INVALID_HANDLE)?;
    if params.is_null() && !parameters.sizes.is_empty() {
        return Err(NULL);
    }
    let read = |(at, &bytes): (usize, &usize)| {
        // SAFETY: the program promises a pointer for each parameter of the kernel.
        let from = unsafe { params.add(at).read() };
        if from.is_null() {
            return Err(NULL);
        }
        // SAFETY: the program promises as many bytes there as the parameter has.
        Ok(unsafe { std::slice::from_raw_parts(from, bytes) }.to_vec())
    };
    parameters.sizes.iter().enumerate().map(read).collect()
}

exports! {
    fn cuLaunchKernel(
        function: u64,
        grid_x: u32, grid_y: u32, grid_z: u32,
        block_x: u32, block_y: u32, block_z: u32,
        shared_bytes: u32, stream: u64, params: *const *const u8, extra: *const u8,
    ) = 307, |call| {
        let mut machine = machine();
        let here = machine.here()?;
        let function = id(Kind::Function, function)?;
        let stream = machine.stream_of(stream)?;
        let gpus = (
            machine.functions.get(&function).map(|function| function.gpu),
            machine.streams.get(&stream).map(|stream| stream.gpu),
        );
        if gpus != (Some(here), Some(here)) {
            return Err(Code::INVALID_HANDLE);
        }
        if !extra.is_null() {
            return Err(Code::NOT_SUPPORTED);
        }
        let mut kernel = KernelCall {
            function,
            grid: [grid_x, grid_y, grid_z],
            block: [block_x, block_y, block_z],
            shared_bytes,
            arguments: Vec::new(),
        };
        machine.check_launch(&kernel)?;
        let start = clock::now();
        kernel.arguments = arguments(&machine, function, params)?;
        if let Some(function) = machine.functions.get_mut(&function)
            && !std::mem::replace(&mut function.is_loaded, true)
        {
            cupti::overhead(Overhead::LazyFunctionLoading, start, call.correlation);
        }
        let origin = Origin { correlation: call.correlation, ..Origin::default() };
        machine.issue(stream, Vec::new(), Body::Kernel(kernel), origin);
        Ok(())
    }
}
