//! System calls for binding to cores and memory, and for processes that wait for a rank.
#![allow(
    unsafe_code,
    reason = "a system call that no library has, an open file that is known by number, and code between fork and exec"
)]

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use rustix::fs::{FileType, fstat};
use rustix::io::ioctl_fionread;
use rustix::process::{Signal, getpid, kill_process, set_parent_process_death_signal, setsid};
use rustix::stdio::{dup2_stderr, dup2_stdout};
use rustix::thread::{CpuSet, sched_setaffinity};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};

/// Binds this process, and the program it becomes, to these hardware threads.
pub(super) fn bind_cpus(cores: &[usize]) -> io::Result<()> {
    let mut set = CpuSet::new();
    for &core in cores {
        if core >= CpuSet::MAX_CPU {
            return Err(io::Error::other(format!("{core} is too large")));
        }
        set.set(core);
    }
    // The process has one thread.
    Ok(sched_setaffinity(None, &set)?)
}

/// Binds the memory of this process, and of the program it becomes, to these NUMA nodes.
pub(super) fn bind_memory(nodes: &[usize]) -> io::Result<()> {
    const WORDS: usize = 16;
    const BITS: usize = u64::BITS as usize;
    let mut mask = [0_u64; WORDS];
    for &node in nodes {
        match mask.get_mut(node / BITS) {
            Some(word) => *word |= 1 << (node % BITS),
            None => return Err(io::Error::other(format!("{node} is too large"))),
        }
    }
    // SAFETY: `set_mempolicy(int mode, const unsigned long *nodemask, unsigned long maxnode)`; the
    // mask is a live value with that many bits.
    let done = unsafe {
        libc::syscall(
            libc::SYS_set_mempolicy,
            libc::MPOL_BIND,
            mask.as_ptr(),
            WORDS * BITS,
        )
    };
    if done == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Writes bytes to an open file of this process, by its number.
pub(super) fn write_to(file: i32, bytes: &[u8]) {
    if file < 0 {
        return;
    }
    // SAFETY: the parent process has left the file open for this process, and nothing here closes
    // it. A number that is not an open file causes an error, and nothing changes.
    let file = unsafe { BorrowedFd::borrow_raw(file) };
    let _ = rustix::io::write(file, bytes);
}

/// The standard streams that a process writes.
#[derive(Clone, Copy, Debug)]
pub(super) enum StandardStream {
    Output,
    Errors,
}

/// Redirects a standard stream to an open file.
pub(super) fn replace(stream: StandardStream, file: &File) -> io::Result<()> {
    match stream {
        StandardStream::Output => dup2_stdout(file)?,
        StandardStream::Errors => dup2_stderr(file)?,
    }
    Ok(())
}

/// Waits, but not long, until the output in pipes has been read: a launcher that ends its ranks
/// drops unread output.
pub(super) fn wait_until_read() {
    const MAX_WAIT: Duration = Duration::from_secs(1);
    let start = Instant::now();
    let unread = || unread(io::stdout()) > 0 || unread(io::stderr()) > 0;
    while unread() && start.elapsed() < MAX_WAIT {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Returns the number of bytes in the pipe of a stream; 0 if it is not a pipe.
fn unread(stream: impl AsFd) -> u64 {
    let is_pipe =
        fstat(&stream).is_ok_and(|known| FileType::from_raw_mode(known.st_mode) == FileType::Fifo);
    match is_pipe {
        true => ioctl_fionread(&stream).unwrap_or(0),
        false => 0,
    }
}

/// Makes the command's process end with this one.
pub(super) fn end_with_this(command: &mut Command) {
    // SAFETY: prctl is async-signal-safe, and touches nothing of this process.
    unsafe {
        command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::KILL))?));
    }
}

/// Makes this process lead a new session, unless it leads a group.
pub(super) fn new_session() -> io::Result<()> {
    setsid()?;
    Ok(())
}

/// Makes the command's process lead a new session.
pub(super) fn start_in_new_session(command: &mut Command) {
    // SAFETY: setsid is async-signal-safe.
    unsafe {
        command.pre_exec(new_session);
    }
}

/// Ignores termination signals: the process that this one waits for handles them.
pub(super) fn ignore_requests_to_end() {
    let seen = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGUSR1] {
        // If a signal cannot be caught, this process ends, and the rank with it.
        let _ = signal_hook::flag::register(signal, seen.clone());
    }
}

/// Ends this process by a signal, as if it had been sent to it first.
pub(super) fn end_by(signal: i32) {
    match Signal::from_named_raw(signal) {
        // This signal cannot have a handler.
        Some(Signal::KILL) => drop(kill_process(getpid(), Signal::KILL)),
        _ => drop(signal_hook::low_level::emulate_default_handler(signal)),
    }
}
