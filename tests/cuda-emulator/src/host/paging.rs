//! Pages of unified memory: where each is, and how an access moves it.
//!
//! All pages are in one range of addresses, which stays mapped. A page in a memory that its user
//! does not reach is inaccessible; the handler of signals serves the fault. A page here has 64 KiB,
//! as in the page tables of GPUs.
//!
//! Limits: access is a property of the process, so that while a GPU works, an access of another
//! thread to a page on that GPU causes no fault.
#![allow(unsafe_code, reason = "maps memory, and runs in a handler of signals")]

use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU64, AtomicUsize, Ordering};

use super::GARBAGE;

/// Bytes of a page.
pub(crate) const PAGE: u64 = 64 << 10;
/// Bytes of the range of addresses.
const SPAN: u64 = 1 << 38;
const COUNT: usize = (SPAN / PAGE) as usize;

/// The most GPUs with unified memory.
const GPUS: usize = 16;

/// Not allocated.
const FREE: u8 = 0;
/// Allocated, in no memory yet.
const NOWHERE: u8 = 1;
/// In main memory. GPU `n` has the number `HOST + 1 + n`.
const HOST: u8 = 2;
/// Added if the page has no content yet.
const FRESH: u8 = 0x80;
/// Added while a thread fills the page, which stays closed until then.
const FILLING: u8 = 0x40;

static BASE: AtomicU64 = AtomicU64::new(0);
static STATES: AtomicPtr<AtomicU8> = AtomicPtr::new(ptr::null_mut());
/// The end of the pages in use so far.
static USED: AtomicUsize = AtomicUsize::new(0);
/// Pages on each GPU, and the maximum for which it has room.
static RESIDENT: [AtomicUsize; GPUS] = [const { AtomicUsize::new(0) }; GPUS];
static ROOM: [AtomicUsize; GPUS] = [const { AtomicUsize::new(0) }; GPUS];
/// The next page that may have to make room for another one.
static HAND: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static USER: Cell<User> = const { Cell::new(User::Host) };
}

/// The user of memory on a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum User {
    Host,
    /// A kernel of a GPU.
    Kernel(usize),
    /// A copy or a fill by a GPU, which moves no pages.
    Copy(usize),
}

/// A place of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Location {
    Host,
    Gpu(usize),
}

impl Location {
    fn code(self) -> u8 {
        match self {
            Location::Host => HOST,
            Location::Gpu(gpu) => HOST + 1 + gpu as u8,
        }
    }

    fn of(code: u8) -> Option<Location> {
        match code & !(FRESH | FILLING) {
            FREE | NOWHERE => None,
            HOST => Some(Location::Host),
            gpu => Some(Location::Gpu(usize::from(gpu - HOST - 1))),
        }
    }
}

/// A kind of event of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum What {
    /// The host touched a page that is on a GPU.
    HostFault,
    /// A kernel touched a page that is not on its GPU.
    GpuFault,
    /// Its content moved.
    Moved(Cause),
    /// A kernel uses it in main memory, since its GPU has no room.
    Mapped,
}

/// `CUpti_ActivityUnifiedMemoryMigrationCause`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cause {
    User = 1,
    Coherence = 2,
    Eviction = 4,
}

/// An event of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// The address of the page.
    pub(crate) address: u64,
    pub(crate) what: What,
    /// The previous location of the page, or the location of the memory that is accessed.
    pub(crate) from: Location,
    /// The location that the page moved to, or the location of the processor that accesses it.
    pub(crate) to: Location,
    /// The time on the host's monotonic clock, in ns.
    pub(crate) at: u64,
}

/// Events that were not taken yet: a ring, written by handlers of signals.
static EVENTS: [(AtomicU64, AtomicU64); 1 << 16] =
    [const { (AtomicU64::new(0), AtomicU64::new(0)) }; 1 << 16];
static WRITTEN: AtomicUsize = AtomicUsize::new(0);
static TAKEN: AtomicUsize = AtomicUsize::new(0);
static LOST: AtomicUsize = AtomicUsize::new(0);

fn now() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: writes a time; handlers of signals may call it.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn note(page: usize, what: What, from: Location, to: Location) {
    let what: u64 = match what {
        What::HostFault => 1,
        What::GpuFault => 2,
        What::Mapped => 3,
        What::Moved(Cause::User) => 4,
        What::Moved(Cause::Coherence) => 5,
        What::Moved(Cause::Eviction) => 6,
    };
    let places = u64::from(from.code()) << 8 | u64::from(to.code());
    let mut at = WRITTEN.load(Ordering::Relaxed);
    loop {
        if at - TAKEN.load(Ordering::Acquire) >= EVENTS.len() {
            LOST.fetch_add(1, Ordering::Relaxed);
            return;
        }
        match WRITTEN.compare_exchange(at, at + 1, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => break,
            Err(other) => at = other,
        }
    }
    let (place, time) = &EVENTS[at % EVENTS.len()];
    place.store((page as u64) << 32 | what << 16 | places, Ordering::Relaxed);
    time.store(now(), Ordering::Release);
}

/// Returns the events since the last call, in their order, and the number of those that did not
/// fit. One thread at a time may call this.
pub(crate) fn take_events() -> (Vec<Event>, usize) {
    let mut events = Vec::new();
    let end = WRITTEN.load(Ordering::Relaxed);
    for at in TAKEN.load(Ordering::Relaxed)..end {
        let (place, time) = &EVENTS[at % EVENTS.len()];
        let at_time = loop {
            match time.swap(0, Ordering::Acquire) {
                0 => std::hint::spin_loop(),
                time => break time,
            }
        };
        let packed = place.load(Ordering::Relaxed);
        let what = match packed >> 16 & 0xff {
            1 => What::HostFault,
            2 => What::GpuFault,
            3 => What::Mapped,
            4 => What::Moved(Cause::User),
            5 => What::Moved(Cause::Coherence),
            _ => What::Moved(Cause::Eviction),
        };
        let place = |code: u64| Location::of(code as u8).unwrap_or(Location::Host);
        events.push(Event {
            address: BASE.load(Ordering::Relaxed) + (packed >> 32) * PAGE,
            what,
            from: place(packed >> 8),
            to: place(packed),
            at: at_time,
        });
    }
    TAKEN.store(end, Ordering::Release);
    (events, LOST.swap(0, Ordering::Relaxed))
}

/// Maps the range of addresses, once. `None` if the system has none.
fn base() -> Option<u64> {
    let known = BASE.load(Ordering::Acquire);
    if known != 0 {
        return Some(known);
    }
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let map = |bytes: usize, access: i32| {
        // SAFETY: a separate mapping at an address that the system chooses; it is never unmapped.
        let start = unsafe { libc::mmap(ptr::null_mut(), bytes, access, flags, -1, 0) };
        (start != libc::MAP_FAILED).then_some(start)
    };
    let states = map(COUNT, libc::PROT_READ | libc::PROT_WRITE)?;
    let start = map((SPAN + PAGE) as usize, libc::PROT_NONE)? as u64;
    STATES.store(states.cast(), Ordering::Release);
    super::signals::serve_faults(serve);
    BASE.store(start.next_multiple_of(PAGE), Ordering::Release);
    Some(start.next_multiple_of(PAGE))
}

fn states() -> &'static [AtomicU8] {
    let states = STATES.load(Ordering::Acquire);
    if states.is_null() {
        return &[];
    }
    // SAFETY: the mapping has as many bytes, begins as zeros, and is never unmapped.
    unsafe { std::slice::from_raw_parts(states, COUNT) }
}

fn set_access(first: usize, pages: usize, allowed: bool) {
    let access = if allowed {
        libc::PROT_READ | libc::PROT_WRITE
    } else {
        libc::PROT_NONE
    };
    let start = BASE.load(Ordering::Acquire) + first as u64 * PAGE;
    // SAFETY: the pages are in the range, of which Rust has no reference.
    unsafe { libc::mprotect(start as *mut _, pages * PAGE as usize, access) };
}

/// Opens the pages whose states are allowed, and closes the others.
fn set_all(allowed: impl Fn(u8) -> bool) {
    let used = USED.load(Ordering::Acquire);
    let states = states();
    let of = |page: usize| allowed(states[page].load(Ordering::Acquire));
    let mut page = 0;
    while page < used {
        let first = page;
        let is_open = of(page);
        while page < used && of(page) == is_open {
            page += 1;
        }
        set_access(first, page - first, is_open);
    }
}

/// Allocates pages. `None` if the range is used up: pages are never reused.
pub(crate) fn allocate(bytes: u64) -> Option<u64> {
    let base = base()?;
    let first = USED.load(Ordering::Relaxed);
    let pages = bytes.div_ceil(PAGE) as usize;
    // A page that stays inaccessible follows.
    let end = first.checked_add(pages + 1).filter(|&end| end <= COUNT)?;
    for state in &states()[first..first + pages] {
        state.store(NOWHERE | FRESH, Ordering::Release);
    }
    USED.store(end, Ordering::Release);
    Some(base + first as u64 * PAGE)
}

/// Frees the pages of an allocation.
pub(crate) fn free(start: u64, bytes: u64) {
    let first = page_of(start);
    let pages = bytes.div_ceil(PAGE) as usize;
    for state in &states()[first..first + pages] {
        leave_gpu(state.swap(FREE, Ordering::AcqRel));
    }
    set_access(first, pages, false);
    // SAFETY: the pages are in the range, and no allocation uses them; their content is dropped.
    unsafe { libc::madvise(start as *mut _, pages * PAGE as usize, libc::MADV_DONTNEED) };
}

fn page_of(address: u64) -> usize {
    ((address - BASE.load(Ordering::Acquire)) / PAGE) as usize
}

/// Counts a page that is no longer where `state` says.
fn leave_gpu(state: u8) {
    if let Some(Location::Gpu(gpu)) = Location::of(state) {
        RESIDENT[gpu].fetch_sub(1, Ordering::Relaxed);
    }
}

/// Returns the bytes on a GPU.
pub(crate) fn resident(gpu: usize) -> u64 {
    let pages = RESIDENT
        .get(gpu)
        .map_or(0, |pages| pages.load(Ordering::Relaxed));
    pages as u64 * PAGE
}

/// Closes the pages of GPUs when it is dropped, and opens those of the host.
struct Leave;

impl Drop for Leave {
    fn drop(&mut self) {
        USER.set(User::Host);
        set_all(|state| state == HOST);
    }
}

/// Runs a kernel of a GPU that has `room` bytes for pages. It may touch those on the GPU.
pub(crate) fn in_kernel<R>(gpu: usize, room: u64, run: impl FnOnce() -> R) -> R {
    if BASE.load(Ordering::Acquire) == 0 || gpu >= GPUS {
        return run();
    }
    ROOM[gpu].store((room / PAGE) as usize, Ordering::Relaxed);
    let own = Location::Gpu(gpu).code();
    set_all(|state| state == own);
    USER.set(User::Kernel(gpu));
    let _leave = Leave;
    run()
}

/// Runs a copy or a fill of a GPU, which moves no pages.
pub(crate) fn in_copy<R>(gpu: usize, room: u64, run: impl FnOnce() -> R) -> R {
    if BASE.load(Ordering::Acquire) == 0 || gpu >= GPUS {
        return run();
    }
    ROOM[gpu].store((room / PAGE) as usize, Ordering::Relaxed);
    set_all(|state| state & FRESH == 0 && state >= HOST);
    USER.set(User::Copy(gpu));
    let _leave = Leave;
    run()
}

/// Moves pages to a place.
pub(crate) fn prefetch(start: u64, bytes: u64, to: Location, room: u64) {
    if let Location::Gpu(gpu) = to {
        ROOM[gpu].store((room / PAGE) as usize, Ordering::Relaxed);
    }
    for page in page_of(start)..=page_of(start + bytes - 1) {
        let state = states()[page].load(Ordering::Acquire);
        if state == FREE || Location::of(state) == Some(to) {
            continue;
        }
        if enter(page, to, Cause::User) {
            set_access(page, 1, to == Location::Host && state & FRESH == 0);
        }
    }
}

/// Notes that a page moves to a place that has room, or gets it from another page. Returns false if
/// there is no room at all.
fn enter(page: usize, to: Location, cause: Cause) -> bool {
    if let Location::Gpu(gpu) = to {
        while RESIDENT[gpu].load(Ordering::Relaxed) >= ROOM[gpu].load(Ordering::Relaxed) {
            if !evict(gpu, page) {
                return false;
            }
        }
        RESIDENT[gpu].fetch_add(1, Ordering::Relaxed);
    }
    let state = &states()[page];
    let before = state.load(Ordering::Acquire);
    state.store(to.code() | before & (FRESH | FILLING), Ordering::Release);
    leave_gpu(before);
    if let (Some(from), 0) = (Location::of(before), before & FRESH) {
        note(page, What::Moved(cause), from, to);
    }
    true
}

/// Moves a page other than `kept` from a GPU to main memory; returns false if there is none.
fn evict(gpu: usize, kept: usize) -> bool {
    let used = USED.load(Ordering::Acquire);
    let own = Location::Gpu(gpu).code();
    for _ in 0..used {
        let page = HAND.fetch_add(1, Ordering::Relaxed) % used;
        let state = states()[page].load(Ordering::Acquire);
        if state & !FRESH != own || page == kept {
            continue;
        }
        let to = if state & FRESH == 0 {
            HOST
        } else {
            NOWHERE | FRESH
        };
        states()[page].store(to, Ordering::Release);
        set_access(page, 1, false);
        leave_gpu(state);
        if state & FRESH == 0 {
            let cause = What::Moved(Cause::Eviction);
            note(page, cause, Location::Gpu(gpu), Location::Host);
        }
        return true;
    }
    false
}

/// Garbage for one page.
static CONTENT: [u64; PAGE as usize / 8] = [GARBAGE; PAGE as usize / 8];

/// Fills a closed page with garbage before its first use. Returns false if the system does not
/// write to closed pages.
fn fill_closed(page: usize) -> bool {
    let start = BASE.load(Ordering::Acquire) + page as u64 * PAGE;
    let flags = libc::O_WRONLY | libc::O_CLOEXEC;
    // SAFETY: the path is a C string. Each use opens the file: after a fork, an older one would
    // refer to the parent's memory.
    let file = unsafe { libc::open(c"/proc/self/mem".as_ptr(), flags) };
    if file < 0 {
        return false;
    }
    let content = CONTENT.as_ptr().cast();
    // SAFETY: reads as many bytes, and writes them to a page of which Rust has no reference.
    let written = unsafe { libc::pwrite(file, content, PAGE as usize, start as i64) };
    // SAFETY: the file was opened here.
    unsafe { libc::close(file) };
    written == PAGE as isize
}

/// Fills an open page with garbage before its first use.
fn fill_open(page: usize) {
    let start = BASE.load(Ordering::Acquire) + page as u64 * PAGE;
    for at in 0..PAGE / 8 {
        // SAFETY: the page was just made accessible.
        unsafe { (start as *mut u64).add(at as usize).write_volatile(GARBAGE) };
    }
}

/// Claims the filling of a page if it has no content yet, and returns its state. Waits while
/// another thread fills it; returns `None` then.
fn claim(page: usize) -> Option<u8> {
    let state = &states()[page];
    let mut waited = false;
    loop {
        let found = state.load(Ordering::Acquire);
        if found & FILLING != 0 {
            waited = true;
            // SAFETY: the call has no preconditions; handlers of signals may make it.
            unsafe { libc::sched_yield() };
            continue;
        }
        if waited {
            return None;
        }
        if found & FRESH == 0 {
            return Some(found);
        }
        let claimed = found | FILLING;
        let order = (Ordering::AcqRel, Ordering::Acquire);
        if state
            .compare_exchange(found, claimed, order.0, order.1)
            .is_ok()
        {
            return Some(claimed);
        }
    }
}

/// Serves a fault: moves the page to its user. Returns false if the address is of no allocated
/// page. Handlers of signals call this, so it neither allocates nor locks.
fn serve(address: u64) -> bool {
    let base = BASE.load(Ordering::Acquire);
    if base == 0 || !(base..base + SPAN).contains(&address) {
        return false;
    }
    let page = page_of(address);
    if states()[page].load(Ordering::Acquire) == FREE {
        return false;
    }
    // The access is repeated once another thread has filled the page.
    let Some(state) = claim(page) else {
        return true;
    };
    let from = Location::of(state).unwrap_or(Location::Host);
    let stay = HOST | state & (FRESH | FILLING);
    match USER.get() {
        User::Host => {
            if from != Location::Host {
                if state & FRESH == 0 {
                    note(page, What::HostFault, from, Location::Host);
                }
                enter(page, Location::Host, Cause::Coherence);
            } else {
                states()[page].store(stay, Ordering::Release);
            }
        }
        User::Kernel(gpu) => {
            let to = Location::Gpu(gpu);
            // The content of a prefetched page already exists.
            if Location::of(state) != Some(to) {
                note(page, What::GpuFault, from, to);
                if !enter(page, to, Cause::Coherence) {
                    note(page, What::Mapped, Location::Host, to);
                    states()[page].store(stay, Ordering::Release);
                }
            }
        }
        User::Copy(gpu) => {
            if Location::of(state).is_none() && !enter(page, Location::Gpu(gpu), Cause::Coherence) {
                states()[page].store(stay, Ordering::Release);
            }
        }
    }
    let is_filled = state & FRESH == 0 || fill_closed(page);
    set_access(page, 1, true);
    if !is_filled {
        fill_open(page);
    }
    states()[page].fetch_and(!(FRESH | FILLING), Ordering::AcqRel);
    true
}
