//! Memory with checked bounds.
#![allow(unsafe_code, reason = "maps memory")]

use std::ptr;

const PAGE: usize = 4096;
/// Alignment of the start, that of CUDA's widest loads.
const ALIGN: usize = 16;
const CANARY: u8 = 0xc5;

/// Memory for a kernel that begins with garbage and ends, up to 15 bytes, at an inaccessible page.
#[derive(Debug)]
pub struct Memory {
    mapping: *mut libc::c_void,
    mapped: usize,
    start: *mut u8,
    bytes: usize,
}

// SAFETY: the mapping belongs to this value alone.
unsafe impl Send for Memory {}

impl Memory {
    /// Allocates memory; its start is a multiple of 16. Holds bytes that make a NaN of either type.
    ///
    /// # Panics
    /// Panics if the system has no memory.
    #[allow(clippy::panic, reason = "a test cannot continue")]
    pub fn new(bytes: usize) -> Memory {
        let rounded = bytes.next_multiple_of(ALIGN);
        let inner = rounded.next_multiple_of(PAGE).max(PAGE);
        let mapped = inner + 2 * PAGE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a separate mapping at an address that the system chooses.
        let mapping = unsafe { libc::mmap(ptr::null_mut(), mapped, libc::PROT_NONE, flags, -1, 0) };
        if mapping == libc::MAP_FAILED {
            panic!("no memory for {bytes} bytes");
        }
        // SAFETY: inside the mapping.
        let low = unsafe { mapping.byte_add(PAGE) };
        // SAFETY: these pages are inside the mapping.
        unsafe { libc::mprotect(low, inner, libc::PROT_READ | libc::PROT_WRITE) };
        // SAFETY: these bytes are inside the pages made accessible.
        let start: *mut u8 = unsafe { low.byte_add(inner - rounded) }.cast();
        // SAFETY: as above.
        unsafe {
            ptr::write_bytes(low.cast::<u8>(), CANARY, inner);
            for at in 0..bytes {
                start
                    .add(at)
                    .write(super::module::GARBAGE.to_le_bytes()[at % 8]);
            }
        }
        Memory {
            mapping,
            mapped,
            start,
            bytes,
        }
    }

    /// Allocates memory with these elements.
    pub fn of<T: Copy>(elements: &[T]) -> Memory {
        let memory = Memory::new(size_of_val(elements));
        // SAFETY: the memory is as large as the elements; both are valid and apart.
        unsafe { ptr::copy_nonoverlapping(elements.as_ptr().cast(), memory.start, memory.bytes) };
        memory
    }

    /// Returns the first byte's address, as an argument of a kernel.
    pub fn address(&self) -> u64 {
        self.start as u64
    }

    /// Returns its elements. Every bit pattern must be a valid `T`.
    ///
    /// # Panics
    /// Panics if a byte beyond either end was written.
    #[allow(clippy::panic, reason = "a test fails by panicking")]
    pub fn read<T: Copy>(&self) -> Vec<T> {
        if let Some(at) = self.written_beyond() {
            panic!("byte {at} of memory of {} bytes was written", self.bytes);
        }
        let count = self.bytes / size_of::<T>();
        // SAFETY: the bytes are mapped; the caller chose a type of which all bits are values.
        (0..count)
            .map(|at| unsafe { self.start.cast::<T>().add(at).read_unaligned() })
            .collect()
    }

    /// Returns the place of a write beyond either end, relative to the start.
    pub fn written_beyond(&self) -> Option<isize> {
        let low = self.mapping as isize + PAGE as isize - self.start as isize;
        let before = low..0;
        let end = self.mapping as usize + self.mapped - PAGE;
        let after = self.bytes as isize..(end - self.start as usize) as isize;
        // SAFETY: these bytes are mapped.
        before
            .chain(after)
            .find(|&at| unsafe { self.start.offset(at).read() } != CANARY)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own.
        unsafe { libc::munmap(self.mapping, self.mapped) };
    }
}
