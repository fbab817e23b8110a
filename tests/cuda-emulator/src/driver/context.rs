//! Primary contexts, and the current one.
#![allow(unsafe_code, reason = "calls C functions")]

use super::entry::{exports, put};
use crate::cupti::SyncKind;
use crate::machine::code::Code;
use crate::machine::{context, machine};

exports! {
    fn cuDevicePrimaryCtxRetain(context: *mut u64, device: i32) = 386, |_| {
        let mut machine = machine();
        let gpu = machine.device(device)?;
        machine.gpus[gpu].retained += 1;
        put(context, context::context(gpu))
    }

    fn cuDevicePrimaryCtxRelease_v2(device: i32) = 544, |_| {
        let mut machine = machine();
        let gpu = machine.device(device)?;
        match machine.gpus[gpu].retained {
            0 => return Err(Code::INVALID_CONTEXT),
            1 => machine.end_context(gpu),
            _ => machine.gpus[gpu].retained -= 1,
        }
        Ok(())
    }

    fn cuDevicePrimaryCtxReset_v2(device: i32) = 545, |_| {
        let mut machine = machine();
        let gpu = machine.device(device)?;
        machine.end_context(gpu);
        Ok(())
    }

    fn cuDevicePrimaryCtxSetFlags_v2(device: i32, _flags: u32) = 546, |_| {
        machine().device(device).map(drop)
    }

    fn cuDevicePrimaryCtxGetState(device: i32, flags: *mut u32, active: *mut i32) = 392, |_| {
        let machine = machine();
        let gpu = machine.device(device)?;
        put(flags, 0)?;
        put(active, i32::from(machine.gpus[gpu].retained > 0))
    }

    fn cuCtxSetCurrent(context: u64) = 303, |_| {
        if context != 0 {
            machine().gpu_of(context)?;
        }
        context::set_current(context);
        Ok(())
    }

    fn cuCtxGetCurrent(context: *mut u64) = 304, |_| { put(context, context::current()) }

    fn cuCtxPushCurrent_v2(context: u64) = 323, |_| {
        machine().gpu_of(context)?;
        context::push_current(context);
        Ok(())
    }

    fn cuCtxPopCurrent_v2(context: *mut u64) = 324, |_| {
        let popped = context::pop_current()?;
        if context.is_null() { Ok(()) } else { put(context, popped) }
    }

    fn cuCtxGetDevice(device: *mut i32) = 16, |_| {
        let gpu = machine().gpu_of(context::current())?;
        put(device, gpu as i32)
    }

    fn cuCtxSynchronize() = 17, |call| {
        let mut machine = machine();
        let gpu = machine.here()?;
        machine.run_all_of(gpu);
        call.waited(SyncKind::Context, gpu, 0, 0);
        machine.healthy(gpu)
    }

    fn cuCtxGetStreamPriorityRange(least: *mut i32, greatest: *mut i32) = 370, |_| {
        machine().here()?;
        put(least, 0)?;
        put(greatest, -5)
    }
}
