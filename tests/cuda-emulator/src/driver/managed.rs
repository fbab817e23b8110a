//! Unified memory: allocated, advised, prefetched. Advice is checked, and does not change where
//! pages go.
#![allow(unsafe_code, reason = "calls C functions")]

use super::device::has_unified;
use super::entry::{exports, put};
use crate::cupti::{self, Call};
use crate::host::paging::Location;
use crate::machine::code::Code;
use crate::machine::work::{Body, Origin};
use crate::machine::{Machine, machine};

/// `CU_DEVICE_CPU`.
const CPU: i32 = -1;

/// As `CUmemLocation`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Place {
    kind: u32,
    id: i32,
}

/// Returns the place that a device number of the old functions names.
fn of_device(machine: &Machine, device: i32) -> Result<Location, Code> {
    if device == CPU {
        return Ok(Location::Host);
    }
    let gpu = machine.device(device)?;
    has_unified()
        .then_some(Location::Gpu(gpu))
        .ok_or(Code::INVALID_DEVICE)
}

fn of_place(machine: &Machine, place: Place) -> Result<Location, Code> {
    match place.kind {
        // A device, the host, a NUMA node, or that of this thread.
        1 => of_device(machine, place.id),
        2..=4 => Ok(Location::Host),
        _ => Err(Code::INVALID_VALUE),
    }
}

fn prefetch(
    call: &Call,
    address: u64,
    bytes: usize,
    to: impl FnOnce(&Machine) -> Result<Location, Code>,
    stream: u64,
) -> Result<(), Code> {
    let mut machine = machine();
    machine.here()?;
    let to = to(&machine)?;
    let stream = machine.stream_of(stream)?;
    if bytes == 0 || !machine.is_managed(address, bytes as u64) {
        return Err(Code::INVALID_VALUE);
    }
    let origin = Origin {
        correlation: call.correlation,
        ..Origin::default()
    };
    let bytes = bytes as u64;
    let body = Body::Prefetch { address, bytes, to };
    machine.issue(stream, Vec::new(), body, origin);
    Ok(())
}

fn advise(
    address: u64,
    bytes: usize,
    advice: u32,
    place: impl FnOnce(&Machine) -> Result<Location, Code>,
) -> Result<(), Code> {
    let machine = machine();
    machine.here()?;
    // The first two, about reading, need no place.
    match advice {
        1 | 2 => {}
        3..=6 => drop(place(&machine)?),
        _ => return Err(Code::INVALID_VALUE),
    }
    if bytes == 0 || !machine.is_managed(address, bytes as u64) {
        return Err(Code::INVALID_VALUE);
    }
    Ok(())
}

exports! {
    fn cuMemAllocManaged(address: *mut u64, bytes: usize, flags: u32) = 371, |call| {
        let mut machine = machine();
        let gpu = machine.here()?;
        // For all streams, or for the host at first.
        if bytes == 0 || !matches!(flags, 1 | 2) {
            return Err(Code::INVALID_VALUE);
        }
        let start = machine.take_managed(bytes as u64)?;
        cupti::managed_memory(true, gpu, start, bytes as u64, call.correlation);
        put(address, start)
    }

    fn cuMemAdvise(address: u64, bytes: usize, advice: u32, device: i32) = 457, |_| {
        advise(address, bytes, advice, |machine| of_device(machine, device))
    }

    fn cuMemAdvise_v2(address: u64, bytes: usize, advice: u32, place: Place) = 715, |_| {
        advise(address, bytes, advice, |machine| of_place(machine, place))
    }

    fn cuMemPrefetchAsync(address: u64, bytes: usize, device: i32, stream: u64) = 467, |call| {
        prefetch(call, address, bytes, |machine| of_device(machine, device), stream)
    }

    fn cuMemPrefetchAsync_v2(
        address: u64, bytes: usize, place: Place, flags: u32, stream: u64,
    ) = 716, |call| {
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        prefetch(call, address, bytes, |machine| of_place(machine, place), stream)
    }
}
