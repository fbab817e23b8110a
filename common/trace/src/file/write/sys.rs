//! Safe wrappers of system calls, by rustix. The C library is used for what rustix lacks: signals,
//! handlers at exit and at forks, and reserving space on file systems that do not support it.

#![allow(unsafe_code, reason = "calls into the C library")]

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::process::{Resource, Signal, getpid, getrlimit, kill_process};
use rustix::thread::{MembarrierCommand, membarrier};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicPtr, Ordering, fence};
use std::time::Duration;

/// Reserves space in the file system for `from..to`, and grows the file to `to`.
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

/// Returns the largest size of files of this process (RLIMIT_FSIZE).
pub(crate) fn largest_file() -> u64 {
    getrlimit(Resource::Fsize).current.unwrap_or(u64::MAX)
}

/// Returns the limit of this process's address space (RLIMIT_AS), if any.
pub(crate) fn address_space() -> Option<u64> {
    getrlimit(Resource::As).current
}

/// A wake-up that a signal handler can trigger and a thread can sleep on.
#[derive(Debug)]
pub(crate) struct Bell(OwnedFd);

impl Bell {
    pub(crate) fn new() -> io::Result<Self> {
        let flags = EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK;
        Ok(Bell(eventfd(0, flags)?))
    }

    /// Wakes the sleeper, or makes the next sleep return at once. Never blocks.
    pub(crate) fn ring(&self) {
        ring_at(self.0.as_fd());
    }

    pub(crate) fn fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// Sleeps until the bell rings, for at most `most`; forever if `None`.
    pub(crate) fn sleep(&self, most: Option<Duration>) {
        let most = most.and_then(|most| Timespec::try_from(most).ok());
        // An interrupted sleep ends early.
        let _ = poll(&mut [PollFd::new(&self.0, PollFlags::IN)], most.as_ref());
        // The read fails if the bell did not ring.
        let _ = rustix::io::read(&self.0, &mut [0; 8]);
    }
}

/// Rings the bell with this descriptor; may be called in a signal handler. Returns `false` if there
/// is no bell.
pub(crate) fn ring(fd: RawFd) -> bool {
    if fd < 0 {
        return false;
    }
    // SAFETY: bells are never dropped, so the descriptor stays open.
    ring_at(unsafe { BorrowedFd::borrow_raw(fd) })
}

/// Makes one system call, which is async-signal-safe. rustix may go through the C library, so errno
/// is restored.
fn ring_at(bell: BorrowedFd<'_>) -> bool {
    // SAFETY: errno belongs to this thread.
    let errno = unsafe { *libc::__errno_location() };
    let rung = rustix::io::write(bell, &1u64.to_ne_bytes()) == Ok(8);
    // SAFETY: as above.
    unsafe { *libc::__errno_location() = errno };
    rung
}

/// Returns the id of this process, from the kernel.
pub(crate) fn pid() -> i32 {
    getpid().as_raw_pid()
}

/// Blocks all signals in this thread.
pub(crate) fn block_signals() {
    // SAFETY: the set is initialised by sigfillset before it is read.
    unsafe {
        let mut all = std::mem::zeroed();
        libc::sigfillset(&mut all);
        libc::pthread_sigmask(libc::SIG_BLOCK, &all, std::ptr::null_mut());
    }
}

/// Whether SIGTERM has its default action.
pub(crate) fn sigterm_is_default() -> bool {
    // SAFETY: `old` may be written by the call; a null new action changes nothing.
    unsafe {
        let mut old: libc::sigaction = std::mem::zeroed();
        libc::sigaction(libc::SIGTERM, std::ptr::null(), &mut old) == 0
            && old.sa_sigaction == libc::SIG_DFL
    }
}

/// Calls `handler` on SIGTERM. It must be async-signal-safe.
pub(crate) fn on_sigterm(handler: extern "C" fn(libc::c_int)) {
    // SAFETY: the action is initialised; the handler is a function with the C ABI that lives
    // forever.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_RESTART;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(libc::SIGTERM, &action, std::ptr::null_mut());
    }
}

/// Ends this process with the default action of SIGTERM; in a signal handler, after it returns.
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
    // SAFETY: the functions are static.
    unsafe {
        libc::atexit(at_exit);
        libc::pthread_atfork(None, None, Some(in_child));
    }
}

/// The latest of a few values that are never freed. It is read without a lock, which a fork could
/// leave locked.
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

    /// Replaces `old` by `new`, unless another thread was faster. Returns the current value in both
    /// cases.
    pub(crate) fn replace(&self, old: Option<&'static T>, new: T) -> Option<&'static T> {
        let old = old.map_or(std::ptr::null_mut(), |old| {
            std::ptr::from_ref(old).cast_mut()
        });
        let new = Box::into_raw(Box::new(new));
        let order = Ordering::AcqRel;
        if let Err(_faster) = self.0.compare_exchange(old, new, order, Ordering::Acquire) {
            // SAFETY: no other thread has this pointer.
            drop(unsafe { Box::from_raw(new) });
        }
        self.get()
    }
}

/// Registers this process for [`barrier_in_all_threads`].
pub(crate) fn register_barrier() {
    // On kernels without this call, only the fence below takes effect.
    let _ = membarrier(MembarrierCommand::RegisterPrivateExpedited);
}

/// A full memory barrier in every running thread of this process. Returns `false` if it was in this
/// thread only.
pub(crate) fn barrier_in_all_threads() -> bool {
    fence(Ordering::SeqCst);
    membarrier(MembarrierCommand::PrivateExpedited).is_ok()
}
