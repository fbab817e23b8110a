//! Devices and their properties.
#![allow(unsafe_code, reason = "calls C functions")]

use super::entry::{exports, put, set_ready};
use crate::machine::code::Code;
use crate::machine::context::CAPABILITY;
use crate::machine::machine;

/// The driver's version: CUDA 13.0.
const VERSION: i32 = 13_000;

/// Whether host and GPUs can use unified memory at the same time: not with
/// `$WEFT_EMULATED_UNSHARED`.
pub(super) fn has_unified() -> bool {
    std::env::var_os("WEFT_EMULATED_UNSHARED").is_none()
}

fn attribute(which: u32, gpu: usize) -> Option<i32> {
    Some(match which {
        // Threads of a block, and its extents; blocks of a grid.
        1..=3 => 1024,
        4 => 64,
        5 => i32::MAX,
        6 | 7 => 65_535,
        // Shared memory of a block, constant memory, threads of a warp.
        8 => 48 * 1024,
        9 => 64 * 1024,
        10 => 32,
        // Registers of a block, clock in kHz, multiprocessors.
        12 | 82 => 65_536,
        13 => 1_980_000,
        16 => 4,
        // No limit of time, not integrated, maps host memory.
        17 | 18 => 0,
        19 | 31 | 32 => 1,
        20 => 0,
        // PCI's numbers.
        33 => gpu as i32 + 1,
        34 | 50 => 0,
        // Memory clock in kHz, bits of the bus, bytes of the L2 cache, threads of a multiprocessor.
        36 => 3_201_000,
        37 => 6144,
        38 => 50 << 20,
        39 => 2048,
        40 => 3,
        41 | 78..=80 | 83 => 1,
        89 => i32::from(has_unified()),
        75 => CAPABILITY.0 as i32,
        76 => CAPABILITY.1 as i32,
        81 => 228 * 1024,
        84 => 0,
        95 => 1,
        97 => 227 * 1024,
        106 => 32,
        115 => 0,
        0 | 151.. => return None,
        _ => 0,
    })
}

/// As `CUuuid`.
#[repr(C)]
struct Uuid([u8; 16]);

exports! {
    fn cuInit(flags: u32) = 1, |_| {
        if flags != 0 {
            return Err(Code::INVALID_VALUE);
        }
        if machine().gpus.is_empty() {
            return Err(Code::NO_DEVICE);
        }
        set_ready();
        Ok(())
    }

    fn cuDriverGetVersion(version: *mut i32) = 2, |_| { put(version, VERSION) }

    fn cuDeviceGetCount(count: *mut i32) = 4, |_| { put(count, machine().gpus.len() as i32) }

    fn cuDeviceGet(device: *mut i32, ordinal: i32) = 3, |_| {
        machine().device(ordinal)?;
        put(device, ordinal)
    }

    fn cuDeviceGetName(name: *mut u8, room: i32, device: i32) = 5, |_| {
        machine().device(device)?;
        let text = b"Emulated GPU";
        for at in 0..room.max(0) as usize {
            let byte = text.get(at).copied().unwrap_or(0);
            put(name.wrapping_add(at), if at + 1 == room as usize { 0 } else { byte })?;
        }
        Ok(())
    }

    fn cuDeviceTotalMem_v2(bytes: *mut usize, device: i32) = 259, |_| {
        let machine = machine();
        let gpu = machine.device(device)?;
        put(bytes, machine.gpus[gpu].memory.capacity as usize)
    }

    fn cuDeviceGetAttribute(value: *mut i32, which: u32, device: i32) = 9, |_| {
        let gpu = machine().device(device)?;
        put(value, attribute(which, gpu).ok_or(Code::INVALID_VALUE)?)
    }

    fn cuDeviceGetUuid(uuid: *mut Uuid, device: i32) = 482, |_| {
        let gpu = machine().device(device)?;
        put(uuid, Uuid([0xe5 + gpu as u8; 16]))
    }

    fn cuDeviceGetUuid_v2(uuid: *mut Uuid, device: i32) = 647, |_| {
        let gpu = machine().device(device)?;
        put(uuid, Uuid([0xe5 + gpu as u8; 16]))
    }

    fn cuDeviceGetPCIBusId(text: *mut u8, room: i32, device: i32) = 332, |_| {
        let gpu = machine().device(device)?;
        let id = format!("0000:{:02x}:00.0\0", gpu + 1);
        if (room as usize) < id.len() {
            return Err(Code::INVALID_VALUE);
        }
        id.bytes().enumerate().try_for_each(|(at, byte)| put(text.wrapping_add(at), byte))
    }
}
