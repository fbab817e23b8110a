//! Copies and fills.
#![allow(unsafe_code, reason = "calls C functions")]

use super::entry::exports;
use crate::cupti::Call;
use crate::machine::access::Space;
use crate::machine::code::Code;
use crate::machine::work::{Body, Origin, Source};
use crate::machine::{Machine, machine};

/// Whether the caller waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wait {
    /// Until the copy has run.
    Yes,
    /// Only where pageable memory is in it.
    No,
}

/// The kind of memory that a function expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Host,
    Device,
    Any,
}

fn fits(place: Result<Space, Code>, side: Side) -> bool {
    match side {
        Side::Any => true,
        Side::Host => matches!(place, Ok(Space::Pinned | Space::Pageable | Space::Managed)),
        // Device addresses that are not allocated are reported when the copy runs.
        Side::Device => !matches!(place, Ok(Space::Pageable)),
    }
}

fn copy(
    call: &Call,
    to: (u64, Side),
    from: (u64, Side),
    bytes: usize,
    stream: u64,
    wait: Wait,
) -> Result<(), Code> {
    let mut machine = machine();
    machine.here()?;
    let stream = machine.stream_of(stream)?;
    let bytes = bytes as u64;
    if bytes == 0 {
        return Ok(());
    }
    let places = (machine.place(to.0, bytes), machine.place(from.0, bytes));
    if !fits(places.0, to.1) || !fits(places.1, from.1) {
        return Err(Code::INVALID_VALUE);
    }
    // Pageable memory is read before the call returns, at once or when the copy has its turn;
    // written before it returns.
    let reads_pageable = places.1 == Ok(Space::Pageable);
    let is_staged = reads_pageable && machine.random.one_in(2);
    let source = if is_staged {
        // SAFETY: the program promises that it can be read.
        unsafe { Machine::staged(from.0, bytes) }
    } else {
        Source::Address(from.0)
    };
    let origin = Origin {
        correlation: call.correlation,
        ..Origin::default()
    };
    let body = Body::Copy {
        from: source,
        to: to.0,
        bytes,
    };
    let item = machine.issue(stream, Vec::new(), body, origin);
    let between_devices = matches!(places, (Ok(Space::Device(_)), Ok(Space::Device(_))));
    let waits = wait == Wait::Yes && !between_devices;
    if waits || places.0 == Ok(Space::Pageable) || reads_pageable && !is_staged {
        machine.run_until(item);
    }
    let gpu = machine.streams.get(&stream).map(|stream| stream.gpu);
    gpu.map_or(Ok(()), |gpu| machine.healthy(gpu))
}

fn peer_copy(
    call: &Call,
    to: (u64, u64),
    from: (u64, u64),
    bytes: usize,
    stream: u64,
    wait: Wait,
) -> Result<(), Code> {
    let owners = [to, from].map(|(address, context)| {
        let machine = machine();
        let owner = machine.gpu_of(context);
        // The address does not belong to the GPU that the function names.
        owner.and_then(|gpu| {
            let is_there = machine.owner(address).is_none_or(|other| other == gpu);
            is_there.then_some(()).ok_or(Code::INVALID_VALUE)
        })
    });
    owners.into_iter().collect::<Result<(), Code>>()?;
    copy(
        call,
        (to.0, Side::Device),
        (from.0, Side::Device),
        bytes,
        stream,
        wait,
    )
}

fn fill(
    call: &Call,
    to: u64,
    pattern: u32,
    width: u64,
    count: usize,
    stream: u64,
) -> Result<(), Code> {
    let mut machine = machine();
    machine.here()?;
    let stream = machine.stream_of(stream)?;
    if count == 0 {
        return Ok(());
    }
    let count = count as u64;
    if !to.is_multiple_of(width) || machine.place(to, width * count) == Ok(Space::Pageable) {
        return Err(Code::INVALID_VALUE);
    }
    let origin = Origin {
        correlation: call.correlation,
        ..Origin::default()
    };
    machine.issue(
        stream,
        Vec::new(),
        Body::Fill {
            to,
            pattern,
            width,
            count,
        },
        origin,
    );
    Ok(())
}

exports! {
    fn cuMemcpy(to: u64, from: u64, bytes: usize) = 305, |call| {
        copy(call, (to, Side::Any), (from, Side::Any), bytes, 0, Wait::Yes)
    }

    fn cuMemcpyAsync(to: u64, from: u64, bytes: usize, stream: u64) = 306, |call| {
        copy(call, (to, Side::Any), (from, Side::Any), bytes, stream, Wait::No)
    }

    fn cuMemcpyHtoD_v2(to: u64, from: u64, bytes: usize) = 276, |call| {
        copy(call, (to, Side::Device), (from, Side::Host), bytes, 0, Wait::Yes)
    }

    fn cuMemcpyHtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: u64) = 277, |call| {
        copy(call, (to, Side::Device), (from, Side::Host), bytes, stream, Wait::No)
    }

    fn cuMemcpyDtoH_v2(to: u64, from: u64, bytes: usize) = 278, |call| {
        copy(call, (to, Side::Host), (from, Side::Device), bytes, 0, Wait::Yes)
    }

    fn cuMemcpyDtoHAsync_v2(to: u64, from: u64, bytes: usize, stream: u64) = 279, |call| {
        copy(call, (to, Side::Host), (from, Side::Device), bytes, stream, Wait::No)
    }

    fn cuMemcpyDtoD_v2(to: u64, from: u64, bytes: usize) = 280, |call| {
        copy(call, (to, Side::Device), (from, Side::Device), bytes, 0, Wait::Yes)
    }

    fn cuMemcpyDtoDAsync_v2(to: u64, from: u64, bytes: usize, stream: u64) = 281, |call| {
        copy(call, (to, Side::Device), (from, Side::Device), bytes, stream, Wait::No)
    }

    fn cuMemcpyPeer(to: u64, to_context: u64, from: u64, from_context: u64, bytes: usize) = 318, |call| {
        peer_copy(call, (to, to_context), (from, from_context), bytes, 0, Wait::Yes)
    }

    fn cuMemcpyPeerAsync(
        to: u64, to_context: u64, from: u64, from_context: u64, bytes: usize, stream: u64,
    ) = 319, |call| {
        peer_copy(call, (to, to_context), (from, from_context), bytes, stream, Wait::No)
    }

    fn cuMemsetD8_v2(to: u64, value: u8, count: usize) = 249, |call| {
        fill(call, to, u32::from(value), 1, count, 0)
    }

    fn cuMemsetD16_v2(to: u64, value: u16, count: usize) = 250, |call| {
        fill(call, to, u32::from(value), 2, count, 0)
    }

    fn cuMemsetD32_v2(to: u64, value: u32, count: usize) = 251, |call| { fill(call, to, value, 4, count, 0) }

    fn cuMemsetD8Async(to: u64, value: u8, count: usize, stream: u64) = 216, |call| {
        fill(call, to, u32::from(value), 1, count, stream)
    }

    fn cuMemsetD16Async(to: u64, value: u16, count: usize, stream: u64) = 218, |call| {
        fill(call, to, u32::from(value), 2, count, stream)
    }

    fn cuMemsetD32Async(to: u64, value: u32, count: usize, stream: u64) = 220, |call| {
        fill(call, to, value, 4, count, stream)
    }
}
