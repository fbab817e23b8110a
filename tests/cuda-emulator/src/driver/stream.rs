//! Streams.
#![allow(unsafe_code, reason = "calls C functions")]

use super::entry::{exports, put};
use crate::cupti::SyncKind;
use crate::machine::code::Code;
use crate::machine::handle::{Kind, handle, id};
use crate::machine::work::{Body, Origin};
use crate::machine::{context, machine};

const NON_BLOCKING: u32 = 1;

fn create(stream: *mut u64, flags: u32, priority: i32) -> Result<(), Code> {
    if flags & !NON_BLOCKING != 0 {
        return Err(Code::INVALID_VALUE);
    }
    let mut machine = machine();
    let gpu = machine.here()?;
    let made = machine.make_stream(gpu, flags & NON_BLOCKING == 0, priority.clamp(-5, 0));
    put(stream, handle(Kind::Stream, made))
}

exports! {
    fn cuStreamCreate(stream: *mut u64, flags: u32) = 124, |_| { create(stream, flags, 0) }

    fn cuStreamCreateWithPriority(stream: *mut u64, flags: u32, priority: i32) = 367, |_| {
        create(stream, flags, priority)
    }

    // Work in the stream still runs.
    fn cuStreamDestroy_v2(stream: u64) = 326, |_| {
        let id = id(Kind::Stream, stream)?;
        machine().streams.remove(&id).map(drop).ok_or(Code::INVALID_HANDLE)
    }

    fn cuStreamQuery(stream: u64) = 125, |_| {
        let mut machine = machine();
        let stream = machine.stream_of(stream)?;
        if machine.random.one_in(2) {
            machine.step();
        }
        let gpu = machine.streams.get(&stream).map_or(0, |stream| stream.gpu);
        machine.healthy(gpu)?;
        if machine.queues.last_of(stream).is_some() { Err(Code::NOT_READY) } else { Ok(()) }
    }

    fn cuStreamSynchronize(stream: u64) = 126, |call| {
        let mut machine = machine();
        let stream = machine.stream_of(stream)?;
        if let Some(last) = machine.queues.last_of(stream) {
            machine.run_until(last);
        }
        let (gpu, number) = machine.streams.get(&stream).map_or((0, 0), |stream| (stream.gpu, stream.number));
        call.waited(SyncKind::Stream, gpu, number, 0);
        machine.healthy(gpu)
    }

    fn cuStreamWaitEvent(stream: u64, event: u64, flags: u32) = 295, |call| {
        let mut machine = machine();
        if flags > 1 {
            return Err(Code::INVALID_VALUE);
        }
        let stream = machine.stream_of(stream)?;
        let event = machine.event_of(event)?;
        let record = machine.events.get(&event).and_then(|event| event.record);
        let record = record.filter(|&record| !machine.queues.has_run(record));
        if let Some(record) = record {
            let origin = Origin { correlation: call.correlation, ..Origin::default() };
            machine.issue(stream, vec![record], Body::Nothing, origin);
        }
        let (gpu, number) = machine.streams.get(&stream).map_or((0, 0), |stream| (stream.gpu, stream.number));
        call.waited(SyncKind::WaitEvent, gpu, number, event as u32);
        Ok(())
    }

    fn cuStreamGetCtx(stream: u64, context: *mut u64) = 483, |_| {
        let mut machine = machine();
        let stream = machine.stream_of(stream)?;
        let gpu = machine.streams.get(&stream).map_or(0, |stream| stream.gpu);
        put(context, context::context(gpu))
    }

    fn cuStreamGetFlags(stream: u64, flags: *mut u32) = 369, |_| {
        let mut machine = machine();
        let stream = machine.stream_of(stream)?;
        put(flags, machine.streams.get(&stream).map_or(0, |stream| u32::from(!stream.is_blocking)))
    }

    fn cuStreamGetPriority(stream: u64, priority: *mut i32) = 368, |_| {
        let mut machine = machine();
        let stream = machine.stream_of(stream)?;
        put(priority, machine.streams.get(&stream).map_or(0, |stream| stream.priority))
    }

    fn cuStreamIsCapturing(stream: u64, status: *mut u32) = 499, |_| {
        machine().stream_of(stream)?;
        put(status, 0)
    }
}
