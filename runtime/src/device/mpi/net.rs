//! MPI itself.

#![allow(unsafe_code, reason = "calls MPI, which takes addresses")]

use std::ffi::c_int;
use std::mem::{MaybeUninit, forget};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use mpi::Threading;
use mpi::ffi;
use weft_geometry::Ranks;

use crate::error::Error;

/// Runtimes of this process that have not finished.
static OPEN: AtomicUsize = AtomicUsize::new(0);
/// Whether MPI was begun here; held while it is.
static BEGUN: Mutex<bool> = Mutex::new(false);

/// A runtime's own world of messages.
pub(super) struct Net {
    /// Data.
    comm: ffi::MPI_Comm,
    /// What else ranks tell each other.
    control: ffi::MPI_Comm,
    ranks: Ranks,
    /// Bits of the largest tag.
    tag_bits: u32,
}

// SAFETY: MPI was begun with support for calls of all threads; the handle is a number, or an address that MPI alone reads.
unsafe impl Send for Net {}
// SAFETY: as above; nothing is changed after the start.
unsafe impl Sync for Net {}

/// A message under way, with the memory that it is sent from or comes to.
pub(super) struct Request {
    handle: ffi::MPI_Request,
    /// What is sent, or comes.
    words: Vec<u64>,
    /// What a collective call is made with.
    _given: Vec<u64>,
}

// SAFETY: as of the network; the words belong to MPI alone until it says that it is done.
unsafe impl Send for Request {}

impl Net {
    /// Begins MPI where it has not begun. All ranks open as many, in one order.
    pub(super) fn open() -> Result<Net, Error> {
        begin()?;
        let (mut comm, mut control) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        let (mut most, mut is_known): (*const c_int, c_int) = (std::ptr::null(), 0);
        let (mut rank, mut size): (c_int, c_int) = (0, 0);
        // SAFETY: MPI has begun; the addresses are of variables of the types it writes. Errors end the process.
        let (comm, control, most) = unsafe {
            ffi::MPI_Comm_dup(ffi::RSMPI_COMM_WORLD, comm.as_mut_ptr());
            ffi::MPI_Comm_dup(ffi::RSMPI_COMM_WORLD, control.as_mut_ptr());
            let comm = comm.assume_init();
            ffi::MPI_Comm_get_attr(
                comm,
                ffi::MPI_TAG_UB as c_int,
                (&raw mut most).cast(),
                &mut is_known,
            );
            // MPI promises as much where it does not say.
            let most = if is_known != 0 { *most } else { 32_767 };
            ffi::MPI_Comm_rank(comm, &mut rank);
            ffi::MPI_Comm_size(comm, &mut size);
            (comm, control.assume_init(), most)
        };
        OPEN.fetch_add(1, Ordering::AcqRel);
        let number = |number: c_int| {
            let known = u16::try_from(number);
            known.map_err(|_| Error::Mpi(format!("{number} is no rank that Weft can have")))
        };
        let ranks = Ranks {
            rank: number(rank)?,
            size: number(size)?,
        };
        Ok(Net {
            comm,
            control,
            ranks,
            tag_bits: u32::try_from(most).map_or(15, |most| (most + 1).ilog2()),
        })
    }

    pub(super) fn ranks(&self) -> Ranks {
        self.ranks
    }

    /// Says that nothing is sent or received any more.
    pub(super) fn close(&self) {
        OPEN.fetch_sub(1, Ordering::AcqRel);
    }

    /// The rank after this one, after the last the first.
    pub(super) fn next(&self) -> u16 {
        (self.ranks.rank + 1) % self.ranks.size
    }

    /// The rank before this one.
    pub(super) fn before(&self) -> u16 {
        (self.ranks.rank + self.ranks.size - 1) % self.ranks.size
    }

    /// Begins to send data.
    pub(super) fn send(&self, words: Vec<u64>, to: u16, tag: u32) -> Request {
        // Bits that MPI has no room for are those that only guard.
        let tag = tag & (u32::MAX >> (32 - self.tag_bits));
        self.send_on(self.comm, words, to, tag as c_int)
    }

    /// Begins to send what is no data.
    pub(super) fn tell(&self, words: Vec<u64>, to: u16, tag: i32) -> Request {
        self.send_on(self.control, words, to, tag)
    }

    fn send_on(&self, comm: ffi::MPI_Comm, words: Vec<u64>, to: u16, tag: c_int) -> Request {
        let mut handle = MaybeUninit::uninit();
        // SAFETY: the words stay where they are until MPI says that they are sent: the request holds them, and does not end before.
        let handle = unsafe {
            ffi::MPI_Isend(
                words.as_ptr().cast(),
                words.len() as c_int,
                ffi::RSMPI_UINT64_T,
                c_int::from(to),
                tag,
                comm,
                handle.as_mut_ptr(),
            );
            handle.assume_init()
        };
        Request::new(handle, words)
    }

    /// Begins to receive at most so many words of data.
    pub(super) fn receive(&self, most: usize, from: u16, tag: u32) -> Request {
        let tag = tag & (u32::MAX >> (32 - self.tag_bits));
        self.receive_on(self.comm, most, from, tag as c_int)
    }

    /// Begins to receive what is no data.
    pub(super) fn hear(&self, most: usize, from: u16, tag: i32) -> Request {
        self.receive_on(self.control, most, from, tag)
    }

    /// Words of what is no data and waits to be received.
    pub(super) fn announced(&self, from: u16, tag: i32) -> Option<usize> {
        let (mut is_there, mut count): (c_int, c_int) = (0, 0);
        let mut status = MaybeUninit::<ffi::MPI_Status>::zeroed();
        // SAFETY: the addresses are of variables of the types that MPI writes.
        unsafe {
            ffi::MPI_Iprobe(
                c_int::from(from),
                tag,
                self.control,
                &mut is_there,
                status.as_mut_ptr(),
            );
            if is_there != 0 {
                ffi::MPI_Get_count(status.as_ptr(), ffi::RSMPI_UINT64_T, &mut count);
            }
        }
        (is_there != 0).then_some(usize::try_from(count).unwrap_or(0))
    }

    /// Begins to find the greatest of every rank's numbers, place by place.
    pub(super) fn most(&self, given: Vec<u64>) -> Request {
        let mut words = vec![0; given.len()];
        let mut handle = MaybeUninit::uninit();
        // SAFETY: both stay where they are until MPI says that it is done: the request holds them.
        let handle = unsafe {
            ffi::MPI_Iallreduce(
                given.as_ptr().cast(),
                words.as_mut_ptr().cast(),
                words.len() as c_int,
                ffi::RSMPI_UINT64_T,
                ffi::RSMPI_MAX,
                self.control,
                handle.as_mut_ptr(),
            );
            handle.assume_init()
        };
        Request {
            _given: given,
            ..Request::new(handle, words)
        }
    }

    /// Begins to give every rank what one has; all have as many words.
    pub(super) fn from_one(&self, mut words: Vec<u64>, one: u16) -> Request {
        let mut handle = MaybeUninit::uninit();
        // SAFETY: the words stay where they are until MPI says that it is done: the request holds them.
        let handle = unsafe {
            ffi::MPI_Ibcast(
                words.as_mut_ptr().cast(),
                words.len() as c_int,
                ffi::RSMPI_UINT64_T,
                c_int::from(one),
                self.control,
                handle.as_mut_ptr(),
            );
            handle.assume_init()
        };
        Request::new(handle, words)
    }

    /// Ends all ranks.
    pub(super) fn abort(&self) {
        // SAFETY: takes no addresses.
        unsafe { ffi::MPI_Abort(ffi::RSMPI_COMM_WORLD, 1) };
    }

    fn receive_on(&self, comm: ffi::MPI_Comm, most: usize, from: u16, tag: c_int) -> Request {
        let mut words = vec![0_u64; most];
        let mut handle = MaybeUninit::uninit();
        // SAFETY: as in `send`; nobody looks at the words meanwhile.
        let handle = unsafe {
            ffi::MPI_Irecv(
                words.as_mut_ptr().cast(),
                words.len() as c_int,
                ffi::RSMPI_UINT64_T,
                c_int::from(from),
                tag,
                comm,
                handle.as_mut_ptr(),
            );
            handle.assume_init()
        };
        Request::new(handle, words)
    }
}

impl Request {
    fn new(handle: ffi::MPI_Request, words: Vec<u64>) -> Request {
        Request {
            handle,
            words,
            _given: Vec::new(),
        }
    }

    /// What came or was sent, once that is done.
    pub(super) fn into_words(self) -> Vec<u64> {
        self.words
    }

    /// How many words were sent or came, once that is done.
    pub(super) fn test(&mut self) -> Option<usize> {
        let (mut done, mut count): (c_int, c_int) = (0, 0);
        let mut status = MaybeUninit::<ffi::MPI_Status>::zeroed();
        // SAFETY: the handle is that of a message under way, and is not used again once it is done.
        unsafe {
            ffi::MPI_Test(&mut self.handle, &mut done, status.as_mut_ptr());
            if done != 0 {
                ffi::MPI_Get_count(status.as_ptr(), ffi::RSMPI_UINT64_T, &mut count);
            }
        }
        (done != 0).then_some(usize::try_from(count).unwrap_or(0))
    }

    /// What came.
    pub(super) fn words(&self) -> &[u64] {
        &self.words
    }
}

/// Begins MPI once in a process, and ends it with the process.
fn begin() -> Result<(), Error> {
    let mut begun = BEGUN
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    if *begun {
        return Ok(());
    }
    let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Multiple) else {
        return Err(Error::Mpi(
            "something else in this process has begun it".to_owned(),
        ));
    };
    // It ends when the process does: another runtime may be started until then.
    forget(universe);
    if threading != Threading::Multiple {
        let why = "this library was built without support for threads (MPI_THREAD_MULTIPLE)";
        return Err(Error::Mpi(why.to_owned()));
    }
    // SAFETY: the function is one of this program, takes nothing and does not unwind.
    unsafe { libc::atexit(end) };
    *begun = true;
    Ok(())
}

/// Ends MPI; where a runtime has not finished, the other ranks would wait for it for ever, and are ended too.
extern "C" fn end() {
    // SAFETY: MPI has begun; the addresses are of variables of the types it writes.
    unsafe {
        let mut ended: c_int = 0;
        ffi::MPI_Finalized(&mut ended);
        if ended != 0 {
            return;
        }
        match OPEN.load(Ordering::Acquire) {
            0 => ffi::MPI_Finalize(),
            _ => ffi::MPI_Abort(ffi::RSMPI_COMM_WORLD, 1),
        };
    }
}
