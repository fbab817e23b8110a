//! A message that MPI was asked for.

#![allow(unsafe_code, reason = "calls MPI, which takes addresses")]

use std::ffi::c_int;
use std::mem::{MaybeUninit, forget, take};
use std::sync::Arc;

use mpi::ffi;
use smallvec::SmallVec;

use super::net::Buffers;
use crate::operation::Operation;

/// What MPI's functions return where all is well: MPI_SUCCESS is 0 by the standard.
pub(super) const SUCCESS: c_int = 0;

/// Elements of a store, one after the other, lent to MPI: they are sent from where they are, or come to where they belong.
pub(super) struct Lent {
    start: *mut u8,
    bytes: usize,
    /// Holds the store, and so the memory.
    _holder: Arc<Operation>,
}

impl Lent {
    /// Lends `bytes` bytes at `start`, which belong to a store of `holder`.
    ///
    /// # Safety
    /// They lie in one instance of that store, which stays where it is as long as `holder` is held. Until the request that they are
    /// given to is done, nobody else writes them, and of a message that is received, nobody reads them either. What is sent is
    /// initialized.
    pub(super) unsafe fn new(start: *mut u8, bytes: usize, holder: Arc<Operation>) -> Lent {
        Lent {
            start,
            bytes,
            _holder: holder,
        }
    }

    /// Address of the first byte.
    pub(super) fn start(&self) -> *mut u8 {
        self.start
    }

    /// How many there are.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// What a message counts in.
#[derive(Clone, Copy)]
pub(super) enum Unit {
    /// Words of eight bytes.
    Words,
    /// Bytes, where they fill no words.
    Bytes,
}

impl Unit {
    /// The unit of so many bytes of a part, and how many they are.
    pub(super) fn of(bytes: usize) -> (Unit, c_int) {
        match bytes.is_multiple_of(8) {
            true => (Unit::Words, (bytes / 8) as c_int),
            false => (Unit::Bytes, bytes as c_int),
        }
    }

    pub(super) fn datatype(self) -> ffi::MPI_Datatype {
        // SAFETY: constants of the MPI library.
        unsafe {
            match self {
                Unit::Words => ffi::RSMPI_UINT64_T,
                Unit::Bytes => ffi::RSMPI_UINT8_T,
            }
        }
    }
}

/// A part of a message that MPI was asked for, and what it counts in; or the code of MPI's error.
pub(super) type Begun = Result<(ffi::MPI_Request, Unit), c_int>;

/// A message under way, with the memory that it is sent from or comes to.
pub(super) struct Request {
    /// Parts that are not done.
    parts: SmallVec<[(ffi::MPI_Request, Unit); 1]>,
    /// What is sent, or comes.
    words: Vec<u64>,
    /// Where that is, if it is in a store.
    lent: Option<Lent>,
    /// What a collective call is made with.
    _given: Vec<u64>,
    /// How much each rank gives to it, and where that comes.
    _counts: Vec<c_int>,
    /// Whose words these are.
    buffers: Option<Arc<Buffers>>,
    moved: usize,
    /// MPI's error, after which nothing of it is done.
    error: Option<c_int>,
}

// SAFETY: as of the network; the words belong to MPI alone until it says that it is done.
unsafe impl Send for Request {}

impl Request {
    /// One of words that it holds.
    pub(super) fn new(begun: impl IntoIterator<Item = Begun>, words: Vec<u64>) -> Request {
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

    /// The same with what a collective call is made with, which stays where it is until the call is done.
    pub(super) fn with(mut self, given: Vec<u64>, counts: Vec<c_int>) -> Request {
        self._given = given;
        self._counts = counts;
        self
    }

    /// One of elements of a store.
    pub(super) fn in_place(begun: impl IntoIterator<Item = Begun>, lent: Lent) -> Request {
        let mut request = Request::new(begun, Vec::new());
        request.lent = Some(lent);
        request
    }

    /// The same, whose words go back to where they are used again.
    pub(super) fn from(mut self, buffers: &Arc<Buffers>) -> Request {
        self.buffers = Some(buffers.clone());
        self
    }

    /// Whether everything was sent or has come, or MPI has failed to do so.
    pub(super) fn is_done(&mut self) -> bool {
        // Parts go in order: where the last is done, the others mostly are.
        while let (Some((handle, unit)), None) = (self.parts.last_mut(), self.error) {
            let (mut done, mut count): (c_int, c_int) = (0, 0);
            let mut status = MaybeUninit::<ffi::MPI_Status>::zeroed();
            // SAFETY: the handle is that of a message under way, and is not used again once it is done.
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
            // Bytes that came for words may fill none: something came all the same.
            self.moved += usize::try_from(count).unwrap_or(1);
            self.parts.pop();
        }
        true
    }

    /// MPI's error code, where it has failed.
    pub(super) fn error(&self) -> Option<c_int> {
        self.error
    }

    /// Waits until it is done, and gives what came or was sent.
    pub(super) fn finish(mut self) -> Vec<u64> {
        while !self.is_done() {
            std::thread::yield_now();
        }
        self.into_words()
    }

    /// How much of a message between two ranks was sent or has come, in its unit.
    pub(super) fn moved(&self) -> usize {
        self.moved
    }

    /// What came.
    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }

    /// What came or was sent, once that is done.
    pub(super) fn into_words(mut self) -> Vec<u64> {
        take(&mut self.words)
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        let words = take(&mut self.words);
        if !self.parts.is_empty() || self.error.is_some() {
            // The process ends in the middle of it: MPI may still write there.
            forget((words, take(&mut self._given), take(&mut self._counts)));
            forget(self.lent.take());
        } else if let Some(buffers) = &self.buffers {
            buffers.give_back(words);
        }
    }
}
