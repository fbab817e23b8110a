//! Pinning of threads to cores.
//!
//! The cores are those that this process may use; several ranks of a node each have their own. One
//! hardware thread of each core comes first, so two workers share a core only if there are more
//! workers than cores. Neighbouring workers have neighbouring hardware thread numbers, which mostly
//! belong to one NUMA node.

#![allow(unsafe_code, reason = "asks and tells the operating system")]

use std::mem::MaybeUninit;
use std::sync::OnceLock;

use weft_config::{Level, Plan};

use crate::observe::{Log, Subsystem};

/// Returns a hardware thread for each CPU worker, and then for each thread of the OMP groups.
/// Returns none if threads are not pinned. If the plan says that they should be, the reason is
/// logged.
pub(crate) fn cores(plan: &Plan, log: &Log) -> std::vec::IntoIter<usize> {
    if !plan.pin_cpus {
        return Vec::new().into_iter();
    }
    let wanted = plan.cpus + plan.omps * plan.omp_threads;
    let mut cores = allowed();
    if !plan.cores.is_empty() {
        cores.retain(|cpu| plan.cores.contains(cpu));
    }
    if cores.len() < wanted {
        log.say(
            Subsystem::Runtime,
            Level::Warn,
            format_args!(
                "no thread was pinned: {wanted} threads need as many hardware threads, but this process has {}",
                cores.len()
            ),
        );
        return Vec::new().into_iter();
    }
    cores.sort_by_key(|cpu| (place_in_core(*cpu), *cpu));
    cores.into_iter()
}

/// The hardware threads of the process, from before any of its threads was pinned.
static PROCESS: OnceLock<Vec<usize>> = OnceLock::new();

/// Remembers the hardware threads of the calling thread, for threads that are later started from a
/// pinned one.
pub(crate) fn remember() {
    PROCESS.get_or_init(allowed);
}

/// Lets the calling thread run on all hardware threads of the process, if threads are pinned. A
/// thread inherits the pinning of the thread that started it.
pub(crate) fn unpin(are_pinned: bool) {
    let Some(process) = PROCESS.get().filter(|_| are_pinned) else {
        return;
    };
    // SAFETY: the type is a set of bits; all bits 0 is the empty set.
    let mut set: libc::cpu_set_t = unsafe { MaybeUninit::zeroed().assume_init() };
    for cpu in process {
        // SAFETY: the number comes from such a set.
        unsafe { libc::CPU_SET(*cpu, &mut set) };
    }
    // SAFETY: the set is a live value of that size; 0 is the calling thread. If the call fails, the
    // thread stays pinned.
    unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set) };
}

/// Pins the calling thread to a hardware thread. A failure is logged, and the thread stays as it
/// was.
pub(crate) fn pin(cpu: Option<usize>, log: &Log) {
    let Some(cpu) = cpu else {
        return;
    };
    // SAFETY: the type is a set of bits; all bits 0 is the empty set.
    let mut set: libc::cpu_set_t = unsafe { MaybeUninit::zeroed().assume_init() };
    // SAFETY: the number comes from such a set.
    unsafe { libc::CPU_SET(cpu, &mut set) };
    // SAFETY: the set is a live value of that size; 0 is the calling thread.
    let done = unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set) };
    if done != 0 {
        let error = std::io::Error::last_os_error();
        log.say(
            Subsystem::Runtime,
            Level::Warn,
            format_args!("a thread is not pinned to hardware thread {cpu}: {error}"),
        );
    }
}

/// Returns the hardware threads that this process may use; none if the operating system does not
/// report them.
pub(crate) fn allowed() -> Vec<usize> {
    // SAFETY: the type is a set of bits; all bits 0 is the empty set.
    let mut set: libc::cpu_set_t = unsafe { MaybeUninit::zeroed().assume_init() };
    // SAFETY: the set is a live value of that size.
    let found = unsafe { libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &raw mut set) };
    if found != 0 {
        return Vec::new();
    }
    (0..libc::CPU_SETSIZE as usize)
        // SAFETY: the number is below the size of the set.
        .filter(|cpu| unsafe { libc::CPU_ISSET(*cpu, &set) })
        .collect()
}

/// Returns the position of a hardware thread within its core; 0 if unknown.
fn place_in_core(cpu: usize) -> usize {
    let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
    let list = std::fs::read_to_string(path).unwrap_or_default();
    place_in(&list, cpu)
}

/// Returns the position of a number in a list such as `0-1,8-9`.
fn place_in(list: &str, cpu: usize) -> usize {
    let mut place = 0;
    for range in list.trim().split(',') {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (Ok(first), Ok(last)) = (first.parse::<usize>(), last.parse::<usize>()) else {
            return 0;
        };
        if (first..=last).contains(&cpu) {
            return place + cpu - first;
        }
        place += (last + 1).saturating_sub(first);
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_positions_in_cpu_lists() {
        assert_eq!(place_in("0,64\n", 0), 0);
        assert_eq!(place_in("0,64\n", 64), 1);
        assert_eq!(place_in("2-3", 3), 1);
        assert_eq!(place_in("0-1,8-9", 9), 3);
        assert_eq!(place_in("", 5), 0);
    }

    #[test]
    fn pinned_thread_stays_on_its_cpu() {
        let log = Log::new(&weft_config::LogSpec::default(), 0);
        let cpu = allowed()[0];
        let found = std::thread::spawn(move || {
            pin(Some(cpu), &log);
            allowed()
        });
        assert_eq!(found.join().unwrap(), [cpu]);
    }
}
