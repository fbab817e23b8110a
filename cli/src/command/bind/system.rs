//! What the operating system is asked for: binding to cores and memory, and what goes with a process that waits for a rank.
#![allow(unsafe_code, reason = "the standard library has none of these calls")]

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

/// Keeps this process, and what it becomes, to these hardware threads.
pub(super) fn bind_cpus(cores: &[usize]) -> io::Result<()> {
    // SAFETY: a set of bits, for which all 0 is none.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    for &core in cores {
        if core >= libc::CPU_SETSIZE as usize {
            return Err(io::Error::other(format!("{core} is too large")));
        }
        // SAFETY: the number is below the size of the set.
        unsafe { libc::CPU_SET(core, &mut set) };
    }
    // SAFETY: the set is a live value of that size; 0 is the calling thread, and a process that has one thread.
    let done = unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set) };
    if done == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Has all memory of this process, and of what it becomes, come from these NUMA nodes.
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
    // SAFETY: `set_mempolicy(int mode, const unsigned long *nodemask, unsigned long maxnode)`; the mask is a live value with
    // so many bits.
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

/// Sends bytes to an open file of this process by its number.
pub(super) fn write_to(file: i32, bytes: &[u8]) {
    // SAFETY: the bytes live through the call; a number that is no open file is an error, which changes nothing.
    let _ = unsafe { libc::write(file, bytes.as_ptr().cast(), bytes.len()) };
}

/// Has a standard stream (1: output, 2: errors) go to an open file.
pub(super) fn replace(stream: i32, file: i32) -> io::Result<()> {
    // SAFETY: dup2 of numbers; errors are told.
    let done = unsafe { libc::dup2(file, stream) };
    if done == stream {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// Waits until whoever reads what this process prints through pipes has it all, but not long: a launcher that ends its ranks drops what it has
/// not read.
pub(super) fn wait_until_read() {
    const MOST: Duration = Duration::from_secs(1);
    let start = Instant::now();
    while [1, 2].into_iter().any(|stream| unread(stream) > 0) && start.elapsed() < MOST {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Bytes in the pipe that a stream leads to; 0 where it leads elsewhere.
fn unread(stream: i32) -> i32 {
    // SAFETY: plain data, for which zeros are a valid value.
    let mut about: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: writes to a live value of that type.
    let known = unsafe { libc::fstat(stream, &raw mut about) } == 0;
    if !known || about.st_mode & libc::S_IFMT != libc::S_IFIFO {
        return 0;
    }
    let mut bytes = 0;
    // SAFETY: of a pipe this writes an int, from either end.
    match unsafe { libc::ioctl(stream, libc::FIONREAD, &raw mut bytes) } {
        0 => bytes,
        _ => 0,
    }
}

/// Has the command's process end with this one.
pub(super) fn end_with_this(command: &mut Command) {
    // SAFETY: prctl is async-signal-safe, and touches nothing of this process.
    unsafe {
        command.pre_exec(|| {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            Ok(())
        });
    }
}

/// Has this process lead a session of its own, if it leads no group.
pub(super) fn new_session() -> io::Result<()> {
    // SAFETY: setsid takes nothing and touches no memory.
    match unsafe { libc::setsid() } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Has the command's process lead a session of its own.
pub(super) fn start_in_new_session(command: &mut Command) {
    // SAFETY: setsid is async-signal-safe.
    unsafe {
        command.pre_exec(new_session);
    }
}

/// Ignores signals that ask to end: whoever this process waits for decides about them.
pub(super) fn ignore_requests_to_end() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1] {
        // SAFETY: the disposition is one of the two that need no handler.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// Ends this process by a signal, as if it had been sent to it first.
pub(super) fn end_by(signal: i32) {
    // SAFETY: the default action of a signal needs no handler.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::raise(signal);
    }
}
