//! Modules and functions.
#![allow(unsafe_code, reason = "calls C functions")]

use std::ffi::{CStr, c_char};

use super::entry::{NULL, exports, put};
use crate::cupti::{self, Call, Overhead, clock};
use crate::machine::code::Code;
use crate::machine::handle::{Kind, handle, id};
use crate::machine::machine;
use crate::nvrtc::image;

fn load(call: &Call, module: *mut u64, data: *const u8) -> Result<(), Code> {
    if data.is_null() {
        return Err(NULL);
    }
    let gpu = machine().here()?;
    // SAFETY: the program promises an image, which contains its length.
    let image = unsafe { image::read(data) }?;
    let start = clock::now();
    let loaded = machine().load(gpu, &image)?;
    if !image.arch.is_real {
        cupti::overhead(Overhead::DriverCompiler, start, call.correlation);
    }
    put(module, handle(Kind::Module, loaded))
}

exports! {
    fn cuModuleLoadData(module: *mut u64, data: *const u8) = 19, |call| { load(call, module, data) }

    fn cuModuleLoadDataEx(
        module: *mut u64, data: *const u8, _count: u32, _options: *const u32, _values: *const u64,
    ) = 20, |call| { load(call, module, data) }

    fn cuModuleUnload(module: u64) = 22, |_| { machine().unload(id(Kind::Module, module)?) }

    fn cuModuleGetFunction(function: *mut u64, module: u64, name: *const c_char) = 23, |_| {
        if name.is_null() {
            return Err(NULL);
        }
        // SAFETY: the program promises a string.
        let name = unsafe { CStr::from_ptr(name) }.to_str().map_err(|_| Code::NOT_FOUND)?;
        let found = machine().function(id(Kind::Module, module)?, name)?;
        put(function, handle(Kind::Function, found))
    }

    fn cuFuncGetModule(module: *mut u64, function: u64) = 566, |_| {
        let id = id(Kind::Function, function)?;
        let machine = machine();
        let function = machine.functions.get(&id).ok_or(Code::INVALID_HANDLE)?;
        put(module, handle(Kind::Module, function.module))
    }

    fn cuFuncGetAttribute(value: *mut i32, which: u32, function: u64) = 85, |_| {
        let id = id(Kind::Function, function)?;
        let machine = machine();
        let function = machine.functions.get(&id).ok_or(Code::INVALID_HANDLE)?;
        let most = function.code.parameters(&function.name).map_or(1024, |parameters| parameters.max_threads);
        put(value, match which {
            // Threads of a block, static shared memory, registers, versions, dynamic shared memory.
            0 => most as i32,
            1 => function.code.shared_bytes() as i32,
            4 => 32,
            5 | 6 => 90,
            8 => function.most_dynamic as i32,
            2 | 3 | 7 | 9..=15 => 0,
            _ => return Err(Code::INVALID_VALUE),
        })
    }

    fn cuFuncSetAttribute(function: u64, which: u32, value: i32) = 481, |_| {
        let id = id(Kind::Function, function)?;
        let mut machine = machine();
        let function = machine.functions.get_mut(&id).ok_or(Code::INVALID_HANDLE)?;
        if which == 8 {
            if !(0..=227 * 1024).contains(&value) {
                return Err(Code::INVALID_VALUE);
            }
            function.most_dynamic = value as u32;
        }
        Ok(())
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut i32, function: u64, threads: i32, _shared_bytes: usize,
    ) = 374, |_| {
        let id = id(Kind::Function, function)?;
        machine().functions.get(&id).map(drop).ok_or(Code::INVALID_HANDLE)?;
        if !(1..=1024).contains(&threads) {
            return Err(Code::INVALID_VALUE);
        }
        put(blocks, 2048 / ((threads + 31) / 32 * 32))
    }
}
