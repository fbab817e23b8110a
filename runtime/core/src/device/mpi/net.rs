//! Calls of MPI.

#![allow(unsafe_code, reason = "calls MPI, which takes addresses")]

use std::ffi::c_int;
use std::mem::{MaybeUninit, forget};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mpi::Threading;
use mpi::ffi;
use smallvec::SmallVec;
use weft_geometry::Ranks;
use weft_trace::file::process_generation;

use super::request::{LentMemory, Request, SUCCESS, StartedTransfer, Unit};
use crate::error::Error;
use crate::rank::{PART_BYTES, PartSize};

/// Number of runtimes in this process that have not finished.
static OPEN: AtomicUsize = AtomicUsize::new(0);
/// Whether this module has initialised MPI. Locked during initialisation.
static BEGUN: Mutex<bool> = Mutex::new(false);
/// Generation of the process that initialised MPI. A forked child has a different one.
static PROCESS: AtomicU64 = AtomicU64::new(0);

/// The communicators of one runtime.
pub(super) struct Net {
    /// Communicator for data.
    comm: ffi::MPI_Comm,
    /// Communicator for control messages.
    control: ffi::MPI_Comm,
    ranks: Ranks,
    /// Number of bits in the largest tag.
    tag_bits: u32,
    part: PartSize,
    buffers: Arc<Buffers>,
}

/// Buffers for packed messages, kept for reuse: new pages from the system cost more than a message.
#[derive(Default)]
pub(super) struct Buffers(Mutex<Vec<Vec<u64>>>);

/// Maximum number of free buffers to keep.
const KEPT: usize = 16;

impl Buffers {
    fn free(&self) -> MutexGuard<'_, Vec<Vec<u64>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a buffer of `words` words with arbitrary contents.
    fn take(&self, words: usize) -> Vec<u64> {
        let mut free = self.free();
        let fits = free.iter().position(|buffer| buffer.capacity() >= words);
        let mut buffer = fits.map_or_else(Vec::new, |at| free.swap_remove(at));
        drop(free);
        buffer.resize(words, 0);
        buffer
    }

    pub(super) fn give_back(&self, buffer: Vec<u64>) {
        let mut free = self.free();
        if free.len() < KEPT && buffer.capacity() > 0 {
            free.push(buffer);
        }
    }
}

// SAFETY: MPI was initialised for calls from all threads. The handle is a number, or an address
// that only MPI reads.
unsafe impl Send for Net {}
// SAFETY: as above; no field changes after the start.
unsafe impl Sync for Net {}

impl Net {
    /// Initialises MPI if necessary and duplicates its communicator. All ranks must make the same
    /// calls in the same order.
    pub(super) fn open() -> Result<Net, Error> {
        // Read before MPI starts: a launcher ends the other ranks if a process exits without MPI.
        let part = std::env::var_os(PART_BYTES);
        let part = part.map_or(Ok(PartSize::MOST), |text| PartSize::parse(&text))?;
        initialize()?;
        let (mut comm, mut control) = (MaybeUninit::uninit(), MaybeUninit::uninit());
        let (mut most, mut is_known): (*const c_int, c_int) = (std::ptr::null(), 0);
        let (mut rank, mut size): (c_int, c_int) = (0, 0);
        let own_part = part.bytes() as c_int;
        let mut part = own_part;
        // SAFETY: MPI has started; the addresses are of variables of the types it writes. Errors
        // end the process, except in messages with data. Ranks that run different programs cause
        // such errors, which are reported.
        let (comm, control, most) = unsafe {
            ffi::MPI_Comm_dup(ffi::RSMPI_COMM_WORLD, comm.as_mut_ptr());
            ffi::MPI_Comm_dup(ffi::RSMPI_COMM_WORLD, control.as_mut_ptr());
            let (comm, control) = (comm.assume_init(), control.assume_init());
            ffi::MPI_Comm_set_errhandler(comm, ffi::RSMPI_ERRORS_RETURN);
            // Both sides of a message must cut it into the same parts.
            ffi::MPI_Allreduce(
                (&raw const own_part).cast(),
                (&raw mut part).cast(),
                1,
                ffi::RSMPI_INT32_T,
                ffi::RSMPI_MIN,
                control,
            );
            ffi::MPI_Comm_get_attr(
                comm,
                ffi::MPI_TAG_UB as c_int,
                (&raw mut most).cast(),
                &mut is_known,
            );
            // The minimum that the MPI standard guarantees.
            let most = if is_known != 0 { *most } else { 32_767 };
            ffi::MPI_Comm_rank(comm, &mut rank);
            ffi::MPI_Comm_size(comm, &mut size);
            (comm, control, most)
        };
        OPEN.fetch_add(1, Ordering::AcqRel);
        let number = |number: c_int| {
            let known = u16::try_from(number);
            known.map_err(|_| Error::Mpi(format!("{number} is out of range for ranks")))
        };
        let ranks = Ranks {
            rank: number(rank)?,
            size: number(size)?,
        };
        Ok(Net {
            comm,
            control,
            ranks,
            part: PartSize::new(part as usize),
            buffers: Arc::default(),
            tag_bits: u32::try_from(most).map_or(15, |most| (most + 1).ilog2()),
        })
    }

    pub(super) fn ranks(&self) -> Ranks {
        self.ranks
    }

    /// Declares that this runtime sends and receives nothing more.
    pub(super) fn close(&self) {
        OPEN.fetch_sub(1, Ordering::AcqRel);
    }

    /// Returns the next rank; the first one follows the last.
    pub(super) fn next(&self) -> u16 {
        (self.ranks.rank + 1) % self.ranks.size
    }

    /// Returns the previous rank; the last one precedes the first.
    pub(super) fn before(&self) -> u16 {
        (self.ranks.rank + self.ranks.size - 1) % self.ranks.size
    }

    /// Cuts a tag to the size that MPI allows. The bits cut off only guard against different
    /// programs.
    fn tag(&self, tag: u32) -> c_int {
        (tag & (u32::MAX >> (32 - self.tag_bits))) as c_int
    }

    /// Returns a buffer of `words` words with arbitrary contents, for a packed message.
    pub(super) fn buffer(&self, words: usize) -> Vec<u64> {
        self.buffers.take(words)
    }

    /// Starts sending data.
    pub(super) fn send(&self, words: Vec<u64>, to: u16, tag: u32) -> Request {
        let request = self.send_on((self.comm, self.part), words, to, self.tag(tag));
        request.from(&self.buffers)
    }

    /// Starts sending an empty message in place of `bytes` bytes of data that will never come.
    pub(super) fn send_nothing(&self, bytes: usize, to: u16, tag: u32) -> Request {
        let tag = self.tag(tag);
        let begun = self.part.parts(bytes).map(|_| {
            // SAFETY: the count is 0, so no element is read.
            unsafe { begin_send(self.comm, std::ptr::dangling(), (Unit::Words, 0), to, tag) }
        });
        Request::new(begun, Vec::new())
    }

    /// Starts sending data directly from a store.
    pub(super) fn send_in_place(&self, from: LentMemory, to: u16, tag: u32) -> Request {
        let (start, tag) = (from.start(), self.tag(tag));
        let begun = self.part.parts(from.bytes()).map(|part| {
            let count = Unit::for_bytes(part.len());
            // SAFETY: `LentMemory` guarantees that these bytes are initialized and not written; the
            // request holds it.
            unsafe { begin_send(self.comm, start.add(part.start), count, to, tag) }
        });
        // Collected here because the request takes ownership of `from`.
        let begun: SmallVec<[StartedTransfer; 1]> = begun.collect();
        Request::in_place(begun, from)
    }

    /// Starts receiving data directly into a store.
    pub(super) fn receive_in_place(&self, to: LentMemory, from: u16, tag: u32) -> Request {
        let (start, tag) = (to.start(), self.tag(tag));
        let begun = self.part.parts(to.bytes()).map(|part| {
            let count = Unit::for_bytes(part.len());
            // SAFETY: `LentMemory` guarantees that these bytes exist and have no other user; the
            // request holds it.
            unsafe { begin_receive(self.comm, start.add(part.start), count, from, tag) }
        });
        let begun: SmallVec<[StartedTransfer; 1]> = begun.collect();
        Request::in_place(begun, to)
    }

    /// Starts receiving at most `words.len()` words of data.
    pub(super) fn receive(&self, words: Vec<u64>, from: u16, tag: u32) -> Request {
        let request = self.receive_on((self.comm, self.part), words, from, self.tag(tag));
        request.from(&self.buffers)
    }

    /// Starts a gather: each rank sends its words to all ranks. `counts` has the number of words of
    /// each rank. The length of `given` is this rank's count, and that of `all` is the sum of all
    /// counts. All ranks must make such calls in the same order.
    ///
    /// # Panics
    /// Panics if the length of `counts`, `given` or `all` is wrong.
    pub(super) fn gather(&self, given: Vec<u64>, all: Vec<u64>, counts: &[usize]) -> Request {
        let own = counts.get(usize::from(self.ranks.rank));
        assert_eq!(
            counts.len(),
            usize::from(self.ranks.size),
            "one count per rank"
        );
        assert_eq!(own, Some(&given.len()), "as many words as were announced");
        assert_eq!(counts.iter().sum::<usize>(), all.len(), "room for all");
        let request = match size_of_val(&all[..]) <= self.part.bytes() {
            true => self.gather_at_once(given, all, counts),
            false => self.gather_in_parts(&given, all, counts),
        };
        request.from(&self.buffers)
    }

    /// Gathers by one call.
    fn gather_at_once(&self, given: Vec<u64>, mut all: Vec<u64>, counts: &[usize]) -> Request {
        let mut at = 0;
        let places = counts.iter().map(|count| {
            let place = at;
            at += *count as c_int;
            place
        });
        let places: Vec<c_int> = places.collect();
        let mut arrays: Vec<c_int> = counts.iter().map(|count| *count as c_int).collect();
        arrays.extend(places);
        // SAFETY: the request holds all of these in place until MPI is done. `all` has room for the
        // words of all ranks, and their number fits into an `int`.
        let begun = unsafe {
            begin(|handle| {
                ffi::MPI_Iallgatherv(
                    given.as_ptr().cast(),
                    given.len() as c_int,
                    ffi::RSMPI_UINT64_T,
                    all.as_mut_ptr().cast(),
                    arrays.as_ptr(),
                    arrays.as_ptr().add(counts.len()),
                    ffi::RSMPI_UINT64_T,
                    self.comm,
                    handle,
                )
            })
        };
        let begun = begun.map(|handle| (handle, Unit::Words));
        Request::new([begun], all).with(given, arrays)
    }

    /// Gathers more data than one call can count or address: each rank broadcasts its words in
    /// parts.
    fn gather_in_parts(&self, given: &[u64], mut all: Vec<u64>, counts: &[usize]) -> Request {
        let own = usize::from(self.ranks.rank);
        let before: usize = counts[..own].iter().sum();
        all[before..before + given.len()].copy_from_slice(given);
        let start: *mut u64 = all.as_mut_ptr();
        let (mut at, mut begun) = (0, Vec::new());
        for (rank, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            for part in self.part.parts(count * size_of::<u64>()) {
                let words = part.len() / size_of::<u64>();
                // SAFETY: the request holds the words in place until MPI is done. The parts of all
                // ranks are consecutive and fill `all`, as `gather` asserts.
                let part = unsafe {
                    begin(|handle| {
                        ffi::MPI_Ibcast(
                            start.add(at).cast(),
                            words as c_int,
                            ffi::RSMPI_UINT64_T,
                            rank as c_int,
                            self.comm,
                            handle,
                        )
                    })
                };
                begun.push(part.map(|handle| (handle, Unit::Words)));
                at += words;
            }
        }
        Request::new(begun, all)
    }

    /// Starts sending a control message.
    pub(super) fn tell(&self, words: Vec<u64>, to: u16, tag: i32) -> Request {
        self.send_on((self.control, PartSize::MOST), words, to, tag)
    }

    fn send_on(
        &self,
        (comm, size): (ffi::MPI_Comm, PartSize),
        words: Vec<u64>,
        to: u16,
        tag: c_int,
    ) -> Request {
        let start: *const u8 = words.as_ptr().cast();
        let begun = size.parts(size_of_val(&words[..])).map(|part| {
            let count = Unit::for_bytes(part.len());
            // SAFETY: the request holds the words in place until MPI has sent them, and does not
            // end before.
            unsafe { begin_send(comm, start.add(part.start), count, to, tag) }
        });
        let begun: SmallVec<[StartedTransfer; 1]> = begun.collect();
        Request::new(begun, words)
    }

    /// Starts receiving a control message of at most `most` words.
    pub(super) fn hear(&self, most: usize, from: u16, tag: i32) -> Request {
        self.receive_on((self.control, PartSize::MOST), vec![0; most], from, tag)
    }

    /// Returns the maximum size of the data that one call of MPI moves.
    pub(super) fn part(&self) -> PartSize {
        self.part
    }

    /// Returns the number of words in the next control message, if one waits to be received.
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

    /// Starts reducing the ranks' numbers to their element-wise maximum.
    pub(super) fn most(&self, given: Vec<u64>) -> Request {
        let mut words = vec![0; given.len()];
        // SAFETY: the request holds both in place until MPI is done.
        let begun = unsafe {
            begin(|handle| {
                ffi::MPI_Iallreduce(
                    given.as_ptr().cast(),
                    words.as_mut_ptr().cast(),
                    words.len() as c_int,
                    ffi::RSMPI_UINT64_T,
                    ffi::RSMPI_MAX,
                    self.control,
                    handle,
                )
            })
        };
        let begun = begun.map(|handle| (handle, Unit::Words));
        Request::new([begun], words).with(given, Vec::new())
    }

    /// Starts broadcasting the words of rank `one`. All ranks must pass the same number of words.
    pub(super) fn give_all(&self, mut words: Vec<u64>, one: u16) -> Request {
        // SAFETY: the request holds the words in place until MPI is done.
        let begun = unsafe {
            begin(|handle| {
                ffi::MPI_Ibcast(
                    words.as_mut_ptr().cast(),
                    words.len() as c_int,
                    ffi::RSMPI_UINT64_T,
                    c_int::from(one),
                    self.control,
                    handle,
                )
            })
        };
        Request::new([begun.map(|handle| (handle, Unit::Words))], words)
    }

    /// Returns the text of an MPI error code.
    pub(super) fn explain(&self, code: c_int) -> String {
        let mut text = vec![0_u8; ffi::MPI_MAX_ERROR_STRING as usize];
        let mut length: c_int = 0;
        // SAFETY: the buffer has room for the longest text of MPI.
        unsafe { ffi::MPI_Error_string(code, text.as_mut_ptr().cast(), &mut length) };
        text.truncate(usize::try_from(length).unwrap_or(0));
        String::from_utf8_lossy(&text).trim().to_owned()
    }

    /// Ends all ranks.
    pub(super) fn abort(&self) {
        // SAFETY: the call takes no addresses.
        unsafe { ffi::MPI_Abort(ffi::RSMPI_COMM_WORLD, 1) };
    }

    fn receive_on(
        &self,
        (comm, size): (ffi::MPI_Comm, PartSize),
        mut words: Vec<u64>,
        from: u16,
        tag: c_int,
    ) -> Request {
        let start: *mut u8 = words.as_mut_ptr().cast();
        let begun = size.parts(size_of_val(&words[..])).map(|part| {
            let count = Unit::for_bytes(part.len());
            // SAFETY: as in `send_on`; the request owns the words and shows them only when it is
            // done.
            unsafe { begin_receive(comm, start.add(part.start), count, from, tag) }
        });
        let begun: SmallVec<[StartedTransfer; 1]> = begun.collect();
        Request::new(begun, words)
    }
}

/// Returns whether the MPI library reports that it takes addresses in GPU memory. The MPI standard
/// has no such query. Open MPI and MPICH have this extension; other libraries may lack it.
pub(super) fn takes_device_memory() -> bool {
    // SAFETY: the name is a C string. The function with this name takes no arguments and returns an
    // `int`, as <https://docs.open-mpi.org> and MPICH's documentation say.
    unsafe {
        let found = libc::dlsym(libc::RTLD_DEFAULT, c"MPIX_Query_cuda_support".as_ptr());
        if found.is_null() {
            return false;
        }
        let query: extern "C" fn() -> c_int = std::mem::transmute(found);
        query() == 1
    }
}

/// Calls a function of MPI that starts an operation and writes its handle.
///
/// # Safety
/// MPI must allow the call, and the call must write the handle if it succeeds.
unsafe fn begin(
    call: impl FnOnce(*mut ffi::MPI_Request) -> c_int,
) -> Result<ffi::MPI_Request, c_int> {
    let mut handle = MaybeUninit::uninit();
    match call(handle.as_mut_ptr()) {
        // SAFETY: the caller's promise.
        SUCCESS => Ok(unsafe { handle.assume_init() }),
        code => Err(code),
    }
}

/// Starts sending from memory that must not change until the request is done.
///
/// # Safety
/// `from` must point to `count` initialized units, which are neither freed nor written before MPI
/// has finished the request.
unsafe fn begin_send(
    comm: ffi::MPI_Comm,
    from: *const u8,
    (unit, count): (Unit, c_int),
    to: u16,
    tag: c_int,
) -> StartedTransfer {
    let (data, to) = (from.cast(), c_int::from(to));
    // SAFETY: the caller's promise.
    let begun = unsafe {
        begin(|handle| ffi::MPI_Isend(data, count, unit.datatype(), to, tag, comm, handle))
    };
    begun.map(|handle| (handle, unit))
}

/// Starts receiving into memory that must have no other user until the request is done.
///
/// # Safety
/// `to` must have room for `count` units, which are neither freed nor used otherwise before MPI has
/// finished the request.
unsafe fn begin_receive(
    comm: ffi::MPI_Comm,
    to: *mut u8,
    (unit, count): (Unit, c_int),
    from: u16,
    tag: c_int,
) -> StartedTransfer {
    let (data, from) = (to.cast(), c_int::from(from));
    // SAFETY: the caller's promise.
    let begun = unsafe {
        begin(|handle| ffi::MPI_Irecv(data, count, unit.datatype(), from, tag, comm, handle))
    };
    begun.map(|handle| (handle, unit))
}

/// Initialises MPI once per process, and finalizes it when the process exits.
fn initialize() -> Result<(), Error> {
    let mut begun = BEGUN.lock().unwrap_or_else(PoisonError::into_inner);
    if *begun {
        return Ok(());
    }
    let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Multiple) else {
        return Err(Error::Mpi(
            "other code in this process has initialised it".to_owned(),
        ));
    };
    // MPI ends with the process, because another runtime may start until then.
    forget(universe);
    if threading != Threading::Multiple {
        let why = "this library was built without support for threads (MPI_THREAD_MULTIPLE)";
        return Err(Error::Mpi(why.to_owned()));
    }
    // SAFETY: the function belongs to this program, takes no arguments and does not unwind.
    unsafe { libc::atexit(end) };
    PROCESS.store(process_generation(), Ordering::Release);
    *begun = true;
    Ok(())
}

/// Finalizes MPI. If a runtime has not finished, the other ranks would wait for it forever, so all
/// ranks are ended.
extern "C" fn end() {
    if PROCESS.load(Ordering::Acquire) != process_generation() {
        return;
    }
    // SAFETY: MPI has started; the addresses are of variables of the types it writes.
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
