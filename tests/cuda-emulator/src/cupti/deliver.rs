//! The thread that delivers records to the client.
#![allow(unsafe_code, reason = "calls the client, writes into its buffers")]

use std::ptr;
use std::sync::Once;
use std::thread;

use super::clock;
use super::overhead::{self, Overhead};
use super::session::{CHANGED, Completed, Requested, kind, session};
use crate::report::report;

/// Starts the thread.
pub(super) fn start() {
    static STARTED: Once = Once::new();
    STARTED.call_once(|| {
        let started = thread::Builder::new()
            .name("emulated CUPTI".to_owned())
            .spawn(run);
        if let Err(error) = started {
            report(&format!("no thread for CUPTI: {error}"));
        }
    });
}

fn run() {
    loop {
        let mut held = session();
        let mut is_late = false;
        while !held.is_due() && !is_late {
            let period = held.period;
            held = held.wait(if period == 0 {
                60_000
            } else {
                u64::from(period)
            });
            is_late = period != 0 && !held.waiting.is_empty();
        }
        let wanted = held.flushes_wanted;
        let mut groups = std::mem::take(&mut held.waiting);
        for at in (1..groups.len()).rev() {
            let other = held.random.below(at + 1);
            groups.swap(at, other);
        }
        let buffers = held.buffers;
        let tells_overhead = held.is_enabled(kind::OVERHEAD);
        drop(held);
        let start = clock::now();
        let mut lost = groups.iter().map(Vec::len).sum::<usize>();
        let mut told = 0;
        if let Some((requested, completed)) = buffers {
            let mut groups = groups.into_iter().peekable();
            while groups.peek().is_some() {
                let Some(done) = fill(requested, completed, &mut groups) else {
                    break;
                };
                told += done;
            }
            lost -= told;
        }
        let mut held = session();
        held.dropped += lost as u64;
        if tells_overhead && told > 0 {
            let record = overhead::record(&held, Overhead::BufferFlush, start, 0);
            held.waiting.push(vec![record]);
        }
        held.flushes_done = held.flushes_done.max(wanted);
        drop(held);
        CHANGED.notify_all();
    }
}

/// Requests one buffer, fills it and returns it to the client. Returns the number of records in it;
/// `None` without a buffer.
fn fill(
    requested: Requested,
    completed: Completed,
    groups: &mut std::iter::Peekable<impl Iterator<Item = Vec<Vec<u8>>>>,
) -> Option<usize> {
    let (mut buffer, mut bytes, mut most) = (ptr::null_mut(), 0, 0);
    // SAFETY: the client registered this function; the places are writable.
    unsafe { requested(&raw mut buffer, &raw mut bytes, &raw mut most) };
    if buffer.is_null() || bytes == 0 {
        return None;
    }
    if !(buffer as usize).is_multiple_of(8) {
        report("the buffer for CUPTI's records is not aligned to 8 bytes");
        return None;
    }
    let (mut used, mut count) = (0, 0);
    while let Some(group) = groups.peek() {
        let needed: usize = group.iter().map(Vec::len).sum();
        if used + needed > bytes || most != 0 && count + group.len() > most {
            break;
        }
        for record in group {
            // SAFETY: the client promised as many bytes, of which `used` are used.
            unsafe { ptr::copy_nonoverlapping(record.as_ptr(), buffer.add(used), record.len()) };
            used += record.len();
        }
        count += group.len();
        groups.next();
    }
    // SAFETY: the client registered this function, and the buffer is the one it gave.
    unsafe { completed(ptr::null_mut(), 0, buffer, bytes, used) };
    // Another buffer too small for a single group would be requested forever.
    (count > 0).then_some(count)
}
