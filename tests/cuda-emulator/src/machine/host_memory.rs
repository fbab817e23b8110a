//! Host memory of the driver: allocated or registered.
#![allow(unsafe_code, reason = "maps memory")]

use std::ptr;

use super::Machine;
use super::code::Code;
use crate::host::GARBAGE;

/// A range of host memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostRange {
    pub(crate) bytes: u64,
    /// Bytes mapped for it; 0 if it is the program's own.
    mapped: usize,
}

const PAGE: usize = 4096;

impl Machine {
    /// Allocates pinned memory, full of garbage.
    pub(crate) fn take_pinned(&mut self, bytes: u64) -> Result<u64, Code> {
        let mapped = (bytes as usize).next_multiple_of(PAGE);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a separate mapping at an address that the system chooses.
        let start = unsafe { libc::mmap(ptr::null_mut(), mapped, access, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(Code::OUT_OF_MEMORY);
        }
        // SAFETY: the mapping is writable and not shared yet.
        unsafe { std::slice::from_raw_parts_mut(start.cast::<u64>(), mapped / 8) }.fill(GARBAGE);
        self.host.insert(start as u64, HostRange { bytes, mapped });
        Ok(start as u64)
    }

    /// Frees pinned memory, even if it is still in use.
    pub(crate) fn give_pinned(&mut self, start: u64) -> Result<(), Code> {
        let range = self
            .host
            .get(&start)
            .filter(|range| range.mapped > 0)
            .copied();
        let range = range.ok_or(Code::INVALID_VALUE)?;
        self.host.remove(&start);
        // SAFETY: the mapping is the driver's own; the program gave it back.
        unsafe { libc::munmap(start as *mut libc::c_void, range.mapped) };
        Ok(())
    }

    /// Registers memory of the program.
    pub(crate) fn register(&mut self, start: u64, bytes: u64) -> Result<(), Code> {
        let end = start.checked_add(bytes).ok_or(Code::INVALID_VALUE)?;
        let below = self.host.range(..end).next_back();
        if below.is_some_and(|(&low, range)| low + range.bytes > start) {
            return Err(Code::HOST_MEMORY_ALREADY_REGISTERED);
        }
        self.host.insert(start, HostRange { bytes, mapped: 0 });
        Ok(())
    }

    /// Unregisters memory of the program.
    pub(crate) fn unregister(&mut self, start: u64) -> Result<(), Code> {
        match self.host.get(&start) {
            Some(range) if range.mapped == 0 => {
                self.host.remove(&start);
                Ok(())
            }
            _ => Err(Code::HOST_MEMORY_NOT_REGISTERED),
        }
    }

    /// Returns whether all these bytes are in host memory of the driver.
    pub(crate) fn is_pinned(&self, start: u64, bytes: u64) -> bool {
        let below = self.host.range(..=start).next_back();
        below.is_some_and(|(&low, range)| {
            start < low + range.bytes && start.saturating_add(bytes) <= low + range.bytes
        })
    }
}
