//! A request under way in MPI.

#![allow(unsafe_code, reason = "calls MPI, which takes addresses")]

use std::ffi::c_int;
use std::mem::{MaybeUninit, forget, take};
use std::sync::Arc;

use mpi::ffi;
use smallvec::SmallVec;

use super::net::Buffers;
use crate::operation::Operation;

/// Return value of MPI functions on success: the standard defines MPI_SUCCESS as 0.
pub(super) const SUCCESS: c_int = 0;

/// Contiguous elements of a store, lent to MPI, which sends or receives them in place.
pub(super) struct LentMemory {
    start: *mut u8,
    bytes: usize,
    /// Holds the store, and thereby the memory.
    _holder: Arc<Operation>,
}

impl LentMemory {
    /// Lends `bytes` bytes at `start`, which belong to a store of `holder`.
    ///
    /// # Safety
    /// The bytes must lie in one instance of that store, which stays in place while `holder` is
    /// held. Until the request that takes them is done, they must have no other writer. Bytes that
    /// receive a message must have no other reader either. Bytes to send must be initialized.
    pub(super) unsafe fn new(start: *mut u8, bytes: usize, holder: Arc<Operation>) -> LentMemory {
        LentMemory {
            start,
            bytes,
            _holder: holder,
        }
    }

    /// Returns the address of the first byte.
    pub(super) fn start(&self) -> *mut u8 {
        self.start
    }

    /// Returns the number of bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// Unit in which a message is counted.
#[derive(Clone, Copy)]
pub(super) enum Unit {
    /// Words of eight bytes.
    Words,
    /// Bytes, for sizes that are not a multiple of eight.
    Bytes,
}

impl Unit {
    /// Returns the unit for a part of `bytes` bytes, and the number of units.
    pub(super) fn for_bytes(bytes: usize) -> (Unit, c_int) {
        match bytes.is_multiple_of(8) {
            true => (Unit::Words, (bytes / 8) as c_int),
            false => (Unit::Bytes, bytes as c_int),
        }
    }

    pub(super) fn datatype(self) -> ffi::MPI_Datatype {
        // SAFETY: these are constants of the MPI library.
        unsafe {
            match self {
                Unit::Words => ffi::RSMPI_UINT64_T,
                Unit::Bytes => ffi::RSMPI_UINT8_T,
            }
        }
    }
}

/// A part of a message that MPI has started, and its unit; or the code of MPI's error.
pub(super) type StartedTransfer = Result<(ffi::MPI_Request, Unit), c_int>;

/// A message under way, with the memory that it is sent from or received into.
pub(super) struct Request {
    /// Parts that are not done.
    parts: SmallVec<[(ffi::MPI_Request, Unit); 1]>,
    /// The words that are sent or received.
    words: Vec<u64>,
    /// The elements that are sent or received in place.
    lent: Option<LentMemory>,
    /// Input of a collective call.
    _given: Vec<u64>,
    /// Number of words of each rank in a collective call, and their offsets.
    _counts: Vec<c_int>,
    /// The pool that the words return to.
    buffers: Option<Arc<Buffers>>,
    moved: usize,
    /// MPI's error. No part is tested after it.
    error: Option<c_int>,
}

// SAFETY: as for `Net`; the words belong to MPI alone until it has finished the message.
unsafe impl Send for Request {}

impl Request {
    /// Creates a request that owns its words.
    pub(super) fn new(
        begun: impl IntoIterator<Item = StartedTransfer>,
        words: Vec<u64>,
    ) -> Request {
        let mut error = None;
        let parts = begun
            .into_iter()
            .filter_map(|part| part.map_err(|code| error = Some(code)).ok())
            .collect();
        Request {
            parts,
            words,
            lent: None,
            _given: Vec::new(),
            _counts: Vec::new(),
            buffers: None,
            moved: 0,
            error,
        }
    }

    /// Adds the input of a collective call, which stays in place until the call is done.
    pub(super) fn with(mut self, given: Vec<u64>, counts: Vec<c_int>) -> Request {
        self._given = given;
        self._counts = counts;
        self
    }

    /// Creates a request for elements of a store.
    pub(super) fn in_place(
        begun: impl IntoIterator<Item = StartedTransfer>,
        lent: LentMemory,
    ) -> Request {
        let mut request = Request::new(begun, Vec::new());
        request.lent = Some(lent);
        request
    }

    /// Returns the words to `buffers` when the request is dropped.
    pub(super) fn from(mut self, buffers: &Arc<Buffers>) -> Request {
        self.buffers = Some(buffers.clone());
        self
    }

    /// Returns whether the whole message was sent or received, or has failed.
    pub(super) fn is_done(&mut self) -> bool {
        // Parts finish in order: if the last one is done, the others mostly are.
        while let (Some((handle, unit)), None) = (self.parts.last_mut(), self.error) {
            let (mut done, mut count): (c_int, c_int) = (0, 0);
            let mut status = MaybeUninit::<ffi::MPI_Status>::zeroed();
            // SAFETY: the handle is of a message under way, and is not used again once that is
            // done.
            let code = unsafe {
                let code = ffi::MPI_Test(handle, &mut done, status.as_mut_ptr());
                if code == SUCCESS && done != 0 {
                    ffi::MPI_Get_count(status.as_ptr(), unit.datatype(), &mut count);
                }
                code
            };
            if code != SUCCESS {
                self.error = Some(code);
                return true;
            }
            if done == 0 {
                return false;
            }
            // Bytes received as words may not fill a word; they count as received nevertheless.
            self.moved += usize::try_from(count).unwrap_or(1);
            self.parts.pop();
        }
        true
    }

    /// Returns MPI's error code if the message failed.
    pub(super) fn error(&self) -> Option<c_int> {
        self.error
    }

    /// Waits until the message is done, and returns the words that were sent or received.
    pub(super) fn finish(mut self) -> Vec<u64> {
        while !self.is_done() {
            std::thread::yield_now();
        }
        self.into_words()
    }

    /// Returns the amount of a point-to-point message that was sent or received, in its unit.
    pub(super) fn moved(&self) -> usize {
        self.moved
    }

    /// Returns the received words.
    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns the words that were sent or received, once the request is done.
    pub(super) fn into_words(mut self) -> Vec<u64> {
        take(&mut self.words)
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        let words = take(&mut self.words);
        if !self.parts.is_empty() || self.error.is_some() {
            // The process ends during the message: MPI may still access this memory.
            forget((words, take(&mut self._given), take(&mut self._counts)));
            forget(self.lent.take());
        } else if let Some(buffers) = &self.buffers {
            buffers.give_back(words);
        }
    }
}
