//! Memory: allocated and freed.
#![allow(unsafe_code, reason = "calls C functions")]

use super::entry::{exports, put};
use crate::cupti;
use crate::host::paging;
use crate::machine::access::Space;
use crate::machine::code::Code;
use crate::machine::{context, machine};
use crate::report::report;

exports! {
    fn cuMemAlloc_v2(address: *mut u64, bytes: usize) = 243, |call| {
        let mut machine = machine();
        let gpu = machine.here()?;
        if bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        if machine.random.one_in(4) {
            machine.run_all_of(gpu);
            machine.healthy(gpu)?;
        }
        let machine = &mut *machine;
        let start = machine.gpus[gpu].memory.take(bytes as u64, &mut machine.random);
        let start = start.ok_or(Code::OUT_OF_MEMORY)?;
        cupti::memory(true, gpu, start, bytes as u64, call.correlation);
        put(address, start)
    }

    fn cuMemFree_v2(address: u64) = 245, |call| {
        let mut machine = machine();
        if address == 0 {
            return Ok(());
        }
        let here = machine.gpu_of(context::current())?;
        if machine.is_managed(address, 1) {
            // Work that uses it may be in any stream.
            (0..machine.gpus.len()).for_each(|gpu| machine.run_all_of(gpu));
            let bytes = machine.give_managed(address).ok_or(Code::INVALID_VALUE)?;
            cupti::managed_memory(false, here, address, bytes, call.correlation);
            return machine.healthy(here);
        }
        let gpu = machine.owner(address).ok_or(Code::INVALID_VALUE)?;
        // Programs must not count on this wait; half of the time there is none.
        if machine.random.one_in(2) {
            machine.run_all_of(gpu);
        }
        let bytes = machine.gpus[gpu].memory.holding(address, 0).map_or(0, |one| one.bytes);
        let spoilt = machine.gpus[gpu].memory.give(address).map_err(|()| Code::INVALID_VALUE)?;
        if let Some(at) = spoilt {
            report(&format!("byte {at} of an allocation of {bytes} bytes was written"));
            machine.gpus[gpu].sticky.get_or_insert(Code::ILLEGAL_ADDRESS);
        }
        cupti::memory(false, gpu, address, bytes, call.correlation);
        machine.healthy(here)
    }

    fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) = 242, |_| {
        let machine = machine();
        let gpu = machine.here()?;
        let memory = &machine.gpus[gpu].memory;
        put(free, machine.room_for_pages(gpu).saturating_sub(paging::resident(gpu)) as usize)?;
        put(total, memory.capacity as usize)
    }

    fn cuMemHostAlloc(address: *mut u64, bytes: usize, _flags: u32) = 39, |_| {
        let mut machine = machine();
        machine.here()?;
        if bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        put(address, machine.take_pinned(bytes as u64)?)
    }

    fn cuMemAllocHost_v2(address: *mut u64, bytes: usize) = 294, |_| {
        let mut machine = machine();
        machine.here()?;
        if bytes == 0 {
            return Err(Code::INVALID_VALUE);
        }
        put(address, machine.take_pinned(bytes as u64)?)
    }

    fn cuMemFreeHost(address: u64) = 38, |_| {
        let mut machine = machine();
        machine.gpu_of(context::current())?;
        machine.give_pinned(address)
    }

    fn cuMemHostRegister_v2(address: u64, bytes: usize, _flags: u32) = 379, |_| {
        let mut machine = machine();
        machine.here()?;
        if bytes == 0 || address == 0 {
            return Err(Code::INVALID_VALUE);
        }
        machine.register(address, bytes as u64)
    }

    fn cuMemHostUnregister(address: u64) = 302, |_| { machine().unregister(address) }

    fn cuMemHostGetDevicePointer_v2(device: *mut u64, address: u64, flags: u32) = 247, |_| {
        if flags != 0 || !machine().is_pinned(address, 1) {
            return Err(Code::INVALID_VALUE);
        }
        put(device, address)
    }

    fn cuPointerGetAttribute(value: *mut u8, which: u32, address: u64) = 310, |_| {
        let place = machine().place(address, 1).map_err(|_| Code::INVALID_VALUE)?;
        let gpu = match place {
            Space::Device(gpu) => Some(gpu),
            Space::Pinned | Space::Managed => None,
            Space::Pageable => return Err(Code::INVALID_VALUE),
        };
        match which {
            // The context; 1 host, 2 device; the device's address; the device's number.
            1 => put(value.cast(), context::context(gpu.unwrap_or(0))),
            2 => put(value.cast(), if place == Space::Pinned { 1_u32 } else { 2 }),
            8 => put(value.cast(), u32::from(place == Space::Managed)),
            3 => put(value.cast(), address),
            9 => put(value.cast(), gpu.unwrap_or(0) as i32),
            _ => Err(Code::NOT_SUPPORTED),
        }
    }
}
