//! Events.
#![allow(unsafe_code, reason = "calls C functions")]

use super::entry::{exports, put};
use crate::cupti::{Call, SyncKind};
use crate::machine::code::Code;
use crate::machine::handle::{Kind, handle, id};
use crate::machine::machine;
use crate::machine::stream::Event;
use crate::machine::work::{Body, Origin};

const BLOCKING_SYNC: u32 = 1;
const DISABLE_TIMING: u32 = 2;
const INTERPROCESS: u32 = 4;

fn record(call: &Call, event: u64, stream: u64) -> Result<(), Code> {
    let mut machine = machine();
    let event = machine.event_of(event)?;
    let stream = machine.stream_of(stream)?;
    let gpu = machine.streams.get(&stream).map(|stream| stream.gpu);
    if machine.events.get(&event).map(|event| event.gpu) != gpu {
        return Err(Code::INVALID_HANDLE);
    }
    let origin = Origin {
        correlation: call.correlation,
        ..Origin::default()
    };
    let item = machine.issue(stream, Vec::new(), Body::Record(event), origin);
    if let Some(event) = machine.events.get_mut(&event) {
        event.record = Some(item);
        event.reached = None;
    }
    Ok(())
}

/// Returns the milliseconds between two events, with the driver's resolution of half a microsecond.
fn elapsed(start: u64, end: u64) -> Result<f32, Code> {
    let mut machine = machine();
    let mut times = [0; 2];
    for (time, event) in times.iter_mut().zip([start, end]) {
        let event = machine.event_of(event)?;
        let event = machine.events.get(&event).ok_or(Code::INVALID_HANDLE)?;
        let record = event
            .record
            .filter(|_| event.has_time)
            .ok_or(Code::INVALID_HANDLE)?;
        if !machine.queues.has_run(record) {
            return Err(Code::NOT_READY);
        }
        *time = event.reached.unwrap_or(0);
    }
    let nanos = times[1] as i64 - times[0] as i64;
    Ok((nanos / 500 * 500) as f32 / 1e6)
}

exports! {
    fn cuEventCreate(event: *mut u64, flags: u32) = 118, |_| {
        if flags & !(BLOCKING_SYNC | DISABLE_TIMING | INTERPROCESS) != 0 {
            return Err(Code::INVALID_VALUE);
        }
        let mut machine = machine();
        let gpu = machine.here()?;
        let id = machine.number();
        let has_time = flags & DISABLE_TIMING == 0;
        machine.events.insert(id, Event { gpu, record: None, reached: None, has_time });
        put(event, handle(Kind::Event, id))
    }

    fn cuEventRecord(event: u64, stream: u64) = 119, |call| { record(call, event, stream) }

    fn cuEventRecordWithFlags(event: u64, stream: u64, _flags: u32) = 587, |call| { record(call, event, stream) }

    fn cuEventQuery(event: u64) = 120, |_| {
        let mut machine = machine();
        let event = machine.event_of(event)?;
        // Time passes between two looks.
        while !machine.random.one_in(4) {
            machine.step();
        }
        let (gpu, record) = machine.events.get(&event).map_or((0, None), |event| (event.gpu, event.record));
        machine.healthy(gpu)?;
        let has_run = record.is_none_or(|record| machine.queues.has_run(record));
        if has_run { Ok(()) } else { Err(Code::NOT_READY) }
    }

    fn cuEventSynchronize(event: u64) = 121, |call| {
        let mut machine = machine();
        let event = machine.event_of(event)?;
        let (gpu, record) = machine.events.get(&event).map_or((0, None), |event| (event.gpu, event.record));
        if let Some(record) = record {
            machine.run_until(record);
        }
        call.waited(SyncKind::Event, gpu, 0, event as u32);
        machine.healthy(gpu)
    }

    fn cuEventDestroy_v2(event: u64) = 325, |_| {
        let id = id(Kind::Event, event)?;
        machine().events.remove(&id).map(drop).ok_or(Code::INVALID_HANDLE)
    }

    fn cuEventElapsedTime(milliseconds: *mut f32, start: u64, end: u64) = 123, |_| {
        put(milliseconds, elapsed(start, end)?)
    }

    fn cuEventElapsedTime_v2(milliseconds: *mut f32, start: u64, end: u64) = 780, |_| {
        put(milliseconds, elapsed(start, end)?)
    }
}
