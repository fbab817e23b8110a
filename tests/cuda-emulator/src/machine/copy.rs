//! Copies and fills.
#![allow(unsafe_code, reason = "moves bytes by address")]

use std::ptr;

use super::Machine;
use super::access::Space;
use super::code::Code;
use super::work::Source;

impl Machine {
    /// Copies bytes. Both ranges are checked at this moment.
    pub(super) fn copy(&mut self, from: &Source, to: u64, bytes: u64) -> Result<(), Code> {
        self.place(to, bytes)?;
        let from = match from {
            Source::Address(from) => {
                self.place(*from, bytes)?;
                *from
            }
            Source::Staged(staged) => staged.as_ptr() as u64,
        };
        self.open_memory();
        // SAFETY: ranges in device memory are allocated and open; that ranges in host memory are
        // valid, the program promised. The ranges may overlap.
        unsafe { ptr::copy(from as *const u8, to as *mut u8, bytes as usize) };
        Ok(())
    }

    /// Fills memory with a repeated pattern.
    pub(super) fn fill(
        &mut self,
        to: u64,
        pattern: u32,
        width: u64,
        count: u64,
    ) -> Result<(), Code> {
        if self.place(to, width * count)? == Space::Pageable {
            return Err(Code::ILLEGAL_ADDRESS);
        }
        self.open_memory();
        // SAFETY: the range is allocated or pinned, and open; `cuMemset*` checked its alignment.
        unsafe {
            match width {
                1 => ptr::write_bytes(to as *mut u8, pattern as u8, count as usize),
                2 => std::slice::from_raw_parts_mut(to as *mut u16, count as usize)
                    .fill(pattern as u16),
                _ => std::slice::from_raw_parts_mut(to as *mut u32, count as usize).fill(pattern),
            }
        }
        Ok(())
    }

    /// The current bytes of pageable memory.
    ///
    /// # Safety
    /// The bytes must be readable.
    pub(crate) unsafe fn staged(from: u64, bytes: u64) -> Source {
        // SAFETY: the caller's promise.
        Source::Staged(
            unsafe { std::slice::from_raw_parts(from as *const u8, bytes as usize) }.to_vec(),
        )
    }
}
