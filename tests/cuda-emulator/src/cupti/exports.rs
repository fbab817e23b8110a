//! The functions of `cupti_activity.h`, `cupti_callbacks.h` and `cupti_result.h`.
#![allow(unsafe_code, reason = "calls C functions")]

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::activity::Timed;
use super::callbacks::{self, Function};
use super::session::{CHANGED, Completed, Requested, kind, session, version};
use super::{call, clock, deliver, unfinished_kernel};
use crate::driver::put;
use crate::failing;
use crate::machine::handle::{Kind, id};
use crate::machine::machine;
use crate::machine::work::Body;
use crate::teardown;

/// `CUptiResult`.
type Outcome = Result<(), u32>;

const INVALID_PARAMETER: u32 = 1;
const SIZE_NOT_SUFFICIENT: u32 = 10;
const MAX_LIMIT_REACHED: u32 = 12;
const QUEUE_EMPTY: u32 = 18;
const INVALID_KIND: u32 = 21;
const UNKNOWN: u32 = 999;

fn write<T>(to: *mut T, value: T) -> Outcome {
    put(to, value).map_err(|_| INVALID_PARAMETER)
}

macro_rules! exports {
    ($(fn $name:ident($($arg:ident: $type:ty),* $(,)?) $body:block)*) => {
        $(
            #[unsafe(no_mangle)]
            #[allow(non_snake_case, reason = "the name in C")]
            extern "C" fn $name($($arg: $type),*) -> u32 {
                teardown::CUPTI.enter_or_abort(stringify!($name));
                if let Some(code) = failing::failure(stringify!($name), UNKNOWN) {
                    return code;
                }
                let run = move || -> Outcome { $body };
                run().err().unwrap_or(0)
            }
        )*
    };
}

/// Records kernels that have not run, without times; they are not reported again.
fn tell_unfinished() {
    let mut machine = machine();
    let unfinished: Vec<_> = machine
        .queues
        .items()
        .filter_map(|item| match &item.body {
            Body::Kernel(call) => {
                let time = Timed {
                    start: 0,
                    end: 0,
                    gpu: item.gpu as u32,
                    origin: item.origin,
                };
                Some((item.id, machine.kernel_work(call), time))
            }
            _ => None,
        })
        .collect();
    for (item, work, time) in unfinished {
        if machine.told_unfinished.insert(item) {
            unfinished_kernel(work, time);
        }
    }
}

fn flush(is_forced: bool) {
    if is_forced {
        tell_unfinished();
    }
    deliver::start();
    let mut held = session();
    held.flushes_wanted += 1;
    let mine = held.flushes_wanted;
    CHANGED.notify_all();
    while held.flushes_done < mine {
        held = held.wait(1000);
    }
}

/// The next record, found by the sizes of the kinds.
fn next(buffer: *mut u8, bytes: usize, record: *mut *mut u8) -> Outcome {
    if buffer.is_null() || record.is_null() {
        return Err(INVALID_PARAMETER);
    }
    let size_at = |at: usize| {
        // SAFETY: the client promises `bytes` bytes, which contain records.
        let kind = unsafe { buffer.add(at).cast::<u32>().read_unaligned() };
        version().bytes(kind).ok_or(INVALID_KIND)
    };
    // SAFETY: the client promises a pointer there.
    let last = unsafe { record.read() };
    let at = if last.is_null() {
        0
    } else {
        let at = (last as usize)
            .checked_sub(buffer as usize)
            .filter(|at| at + 4 <= bytes);
        let at = at.ok_or(INVALID_PARAMETER)?;
        at + size_at(at)?
    };
    if at + 4 > bytes {
        return Err(MAX_LIMIT_REACHED);
    }
    if at + size_at(at)? > bytes {
        return Err(MAX_LIMIT_REACHED);
    }
    write(record, buffer.wrapping_add(at))
}

exports! {
    fn cuptiGetVersion(number: *mut u32) { write(number, version().number()) }

    fn cuptiGetTimestamp(time: *mut u64) { write(time, clock::now()) }

    fn cuptiSubscribe(handle: *mut u64, function: Option<Function>, data: usize) {
        let function = function.ok_or(INVALID_PARAMETER)?;
        let given = callbacks::subscribe(function, data)?;
        write(handle, given)
    }

    fn cuptiUnsubscribe(handle: u64) { callbacks::unsubscribe(handle) }

    fn cuptiEnableCallback(on: u32, handle: u64, domain: u32, number: u32) {
        callbacks::enable(on != 0, handle, domain, Some(number))
    }

    fn cuptiEnableDomain(on: u32, handle: u64, domain: u32) {
        callbacks::enable(on != 0, handle, domain, None)
    }

    fn cuptiActivityRegisterCallbacks(requested: Option<Requested>, completed: Option<Completed>) {
        let buffers = requested.zip(completed).ok_or(INVALID_PARAMETER)?;
        session().buffers = Some(buffers);
        deliver::start();
        Ok(())
    }

    fn cuptiActivityEnable(kind: u32) {
        let mut session = session();
        session.version().bytes(kind).ok_or(INVALID_KIND)?;
        // The two kinds of kernels exclude each other.
        let other = match kind {
            kind::KERNEL => Some(kind::CONCURRENT_KERNEL),
            kind::CONCURRENT_KERNEL => Some(kind::KERNEL),
            _ => None,
        };
        if other.is_some_and(|other| session.enabled.contains(&other)) {
            return Err(14);
        }
        session.enabled.insert(kind);
        Ok(())
    }

    fn cuptiActivityConfigureUnifiedMemoryCounter(config: *const u8, count: u32) {
        // Four numbers each: the scope, the kind, the device, and whether to record it.
        if config.is_null() || count == 0 {
            return Err(INVALID_PARAMETER);
        }
        // SAFETY: the client promises as many structs of four numbers.
        let all = unsafe { std::slice::from_raw_parts(config.cast::<[u32; 4]>(), count as usize) };
        if all.iter().any(|one| !(1..=8).contains(&one[1])) {
            return Err(INVALID_PARAMETER);
        }
        let chosen = all.iter().filter(|one| one[3] != 0).map(|one| one[1]);
        session().counters = chosen.collect();
        Ok(())
    }

    fn cuptiActivityDisable(kind: u32) {
        let mut session = session();
        session.version().bytes(kind).ok_or(INVALID_KIND)?;
        session.enabled.remove(&kind);
        Ok(())
    }

    fn cuptiActivityEnableDriverApi(number: u32, on: u8) {
        session().calls.insert((kind::DRIVER, number), on != 0);
        Ok(())
    }

    fn cuptiActivityEnableRuntimeApi(number: u32, on: u8) {
        session().calls.insert((kind::RUNTIME, number), on != 0);
        Ok(())
    }

    fn cuptiActivityGetNumDroppedRecords(_context: u64, _stream: u32, count: *mut usize) {
        let dropped = std::mem::take(&mut session().dropped);
        write(count, dropped as usize)
    }

    fn cuptiActivityGetNextRecord(buffer: *mut u8, bytes: usize, record: *mut *mut u8) {
        next(buffer, bytes, record)
    }

    fn cuptiActivityFlushAll(flags: u32) {
        flush(flags & 1 != 0);
        Ok(())
    }

    fn cuptiActivityFlushPeriod(milliseconds: u32) {
        session().period = milliseconds;
        CHANGED.notify_all();
        Ok(())
    }

    fn cuptiActivityPushExternalCorrelationId(kind: u32, id: u64) {
        if !(1..=7).contains(&kind) {
            return Err(INVALID_PARAMETER);
        }
        call::push(kind, id);
        Ok(())
    }

    fn cuptiActivityPopExternalCorrelationId(kind: u32, last: *mut u64) {
        let popped = call::pop(kind).ok_or(QUEUE_EMPTY)?;
        if last.is_null() { Ok(()) } else { write(last, popped) }
    }

    fn cuptiActivitySetAttribute(which: u32, bytes: *mut usize, value: *const u8) {
        if bytes.is_null() || value.is_null() || which > 8 {
            return Err(INVALID_PARAMETER);
        }
        // SAFETY: the client guarantees a value of the given size.
        let given = unsafe { std::slice::from_raw_parts(value, bytes.read()) }.to_vec();
        session().attributes.insert(which, given);
        Ok(())
    }

    fn cuptiActivityGetAttribute(which: u32, bytes: *mut usize, value: *mut u8) {
        if bytes.is_null() || which > 8 {
            return Err(INVALID_PARAMETER);
        }
        let session = session();
        let known = session.attributes.get(&which).cloned();
        let known = known.unwrap_or_else(|| 3_200_000_usize.to_le_bytes().to_vec());
        // SAFETY: the client guarantees that it gives the available size.
        if unsafe { bytes.read() } < known.len() {
            return Err(SIZE_NOT_SUFFICIENT);
        }
        write(bytes, known.len())?;
        known.iter().enumerate().try_for_each(|(at, &byte)| write(value.wrapping_add(at), byte))
    }

    fn cuptiSetThreadIdType(which: u32) {
        if which > 1 {
            return Err(INVALID_PARAMETER);
        }
        session().has_system_threads = which == 1;
        Ok(())
    }

    fn cuptiGetGraphNodeId(node: u64, number: *mut u64) {
        write(number, id(Kind::Node, node).map_err(|_| INVALID_PARAMETER)?)
    }

    fn cuptiGetGraphId(graph: u64, number: *mut u32) {
        write(number, id(Kind::Graph, graph).map_err(|_| INVALID_PARAMETER)? as u32)
    }

    fn cuptiGetDeviceId(context: u64, number: *mut u32) {
        let gpu = machine().gpu_of(context).map_err(|_| 3_u32)?;
        write(number, gpu as u32)
    }

    fn cuptiGetContextId(context: u64, number: *mut u32) {
        let gpu = machine().gpu_of(context).map_err(|_| 3_u32)?;
        write(number, gpu as u32 + 1)
    }

    fn cuptiGetStreamIdEx(_context: u64, stream: u64, _per_thread: u8, number: *mut u32) {
        let mut machine = machine();
        let stream = machine.stream_of(stream).map_err(|_| 20_u32)?;
        write(number, machine.streams.get(&stream).map_or(0, |stream| stream.number))
    }

    fn cuptiGetCallbackName(domain: u32, number: u32, name: *mut u64) {
        let text = super::names::name(domain, number).ok_or(INVALID_PARAMETER)?;
        write(name, crate::machine::function::c_name(text))
    }

    fn cuptiGetResultString(code: u32, text: *mut u64) {
        static TEXTS: Mutex<BTreeMap<u32, u64>> = Mutex::new(BTreeMap::new());
        let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
        let made = texts.entry(code).or_insert_with(|| {
            crate::machine::function::c_name(super::names::result(code).unwrap_or("<unknown>"))
        });
        write(text, *made)
    }

    fn cuptiFinalize() { Ok(()) }
}
