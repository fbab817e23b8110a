//! What the operating system offers, as safe calls: system calls by rustix; by the C library what only it has, which is
//! signals, what runs at exit and at forks, and reserving space on file systems that cannot.

#![allow(unsafe_code, reason = "calls into the C library")]

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::process::{Resource, Signal, getpid, getrlimit, kill_process};
use rustix::thread::{MembarrierCommand, membarrier};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicPtr, Ordering, fence};
use std::time::Duration;

/// Makes the file system promise space for `from..to` and grows the file to `to`.
pub(crate) fn reserve(file: &File, from: u64, to: u64) -> io::Result<()> {
    let (Ok(from), Ok(size)) = (i64::try_from(from), i64::try_from(to.saturating_sub(from))) else {
        return Err(io::ErrorKind::FileTooLarge.into());
    };
    loop {
        // SAFETY: the descriptor is open for as long as `file` is.
        match unsafe { libc::posix_fallocate(file.as_raw_fd(), from, size) } {
            0 => return Ok(()),
            libc::EINTR => {}
            error => return Err(io::Error::from_raw_os_error(error)),
        }
    }
}

/// The size that files of this process may have (RLIMIT_FSIZE).
pub(crate) fn largest_file() -> u64 {
    getrlimit(Resource::Fsize).current.unwrap_or(u64::MAX)
}

/// The addresses that this process may have (RLIMIT_AS), if they are limited.
pub(crate) fn address_space() -> Option<u64> {
    getrlimit(Resource::As).current
}

/// Something a thread can sleep on and a signal handler can ring.
#[derive(Debug)]
pub(crate) struct Bell(OwnedFd);

impl Bell {
    pub(crate) fn new() -> io::Result<Self> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        Ok(Bell(eventfd(0, flags)?))
    }

    /// Wakes the sleeper, or its next sleep. Never blocks.
    pub(crate) fn ring(&self) {
        ring_at(self.0.as_fd());
    }

    pub(crate) fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// Sleeps until it rings, at most for so long; `None` means for as long as it takes.
    pub(crate) fn sleep(&self, most: Option<Duration>) {
        let most = most.and_then(|most| Timespec::try_from(most).ok());
        // An interrupted sleep is one that ends early.
        let _ = poll(&mut [PollFd::new(&self.0, PollFlags::IN)], most.as_ref());
        // It may not have rung.
        let _ = rustix::io::read(&self.0, &mut [0; 8]);
    }
}

/// Rings the bell with this descriptor; may be called in a signal handler. False: there is no bell.
pub(crate) fn ring(fd: RawFd) -> bool {
    if fd < 0 {
        return false;
    }
    // SAFETY: bells are never dropped, so that the descriptor is open for good.
    ring_at(unsafe { BorrowedFd::borrow_raw(fd) })
}

/// One system call, async-signal-safe. Where rustix goes through the C library, errno is put back.
fn ring_at(bell: BorrowedFd<'_>) -> bool {
    // SAFETY: errno is this thread's own.
    let errno = unsafe { *libc::__errno_location() };
    let rung = rustix::io::write(bell, &1u64.to_ne_bytes()) == Ok(8);
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
    rung
}

/// The id of this process, from the kernel.
pub(crate) fn pid() -> i32 {
    getpid().as_raw_pid()
}

/// Keeps all signals away from this thread.
pub(crate) fn block_signals() {
    // SAFETY: the set is initialised by sigfillset before it is read.
    unsafe {
        let mut all = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
    }
}

/// Whether SIGTERM does what it does by default.
pub(crate) fn sigterm_is_default() -> bool {
    // SAFETY: `old` may be written by the call; a null new action changes nothing.
    unsafe {
        let mut old: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGTERM, std::ptr::null(), &mut old) == 0
            && old.sa_sigaction == libc::SIG_DFL
    }
}

/// Calls `handler` on SIGTERM. It may only do what is async-signal-safe.
pub(crate) fn on_sigterm(handler: extern "C" fn(libc::c_int)) {
    // SAFETY: the action is initialised; the handler is a function with the C ABI that lives forever.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(libc::SIGTERM, &action, std::ptr::null_mut());
    }
}

/// Ends this process the way SIGTERM does by default. In a signal handler, once it returns.
pub(crate) fn end_by_sigterm() {
    // SAFETY: the action and the set are initialised; all calls are async-signal-safe.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = libc::SIG_DFL;
        libc::sigaction(libc::SIGTERM, &action, std::ptr::null_mut());
        let _ = kill_process(getpid(), Signal::TERM);
        let mut term = std::mem::zeroed();
        libc::sigemptyset(&mut term);
        libc::sigaddset(&mut term, libc::SIGTERM);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &term, std::ptr::null_mut());
    }
}

/// Calls `at_exit` when the process exits, and `in_child` in the child after each fork.
pub(crate) fn on_exit_and_fork(at_exit: extern "C" fn(), in_child: unsafe extern "C" fn()) {
    // SAFETY: the functions live forever.
    unsafe {
        libc::atexit(at_exit);
        libc::pthread_atfork(None, None, Some(in_child));
    }
}

/// The latest of a few values that are kept for good. Read without a lock, so that a fork cannot leave it locked.
#[derive(Debug)]
pub(crate) struct Latest<T>(AtomicPtr<T>);

impl<T: Sync> Latest<T> {
    pub(crate) const fn none() -> Self {
        Latest(AtomicPtr::new(std::ptr::null_mut()))
    }

    pub(crate) fn get(&self) -> Option<&'static T> {
        // SAFETY: the pointer is null or was leaked from a box, in `replace`, and is never freed.
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }

    /// Puts `new` in the place of `old`, unless another thread was faster. Either way the answer is what is there.
    pub(crate) fn replace(&self, old: Option<&'static T>, new: T) -> Option<&'static T> {
        let old = old.map_or(std::ptr::null_mut(), |old| {
            std::ptr::from_ref(old).cast_mut()
        });
        let new = Box::into_raw(Box::new(new));
        let order = Ordering::AcqRel;
        if let Err(_faster) = self.0.compare_exchange(old, new, order, Ordering::Acquire) {
            // SAFETY: nobody else has seen this box.
            drop(unsafe { Box::from_raw(new) });
        }
        self.get()
    }
}

/// Asks for [`barrier_in_all_threads`] to work in this process.
pub(crate) fn register_barrier() {
    // Where the kernel has no such call, the fence below is all there is.
    let _ = membarrier(MembarrierCommand::RegisterPrivateExpedited);
}

/// A full memory barrier in every running thread of this process. False: in this thread only.
pub(crate) fn barrier_in_all_threads() -> bool {
    fence(Ordering::SeqCst);
    membarrier(MembarrierCommand::PrivateExpedited).is_ok()
}
