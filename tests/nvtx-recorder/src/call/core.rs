//! Module CORE: calls without a domain, which belong to the default domain.

#![allow(unsafe_code, reason = "C functions that read a client's pointers")]

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use super::read;
use crate::abi::{EventAttributes, Handle, Text, WideText};
use crate::entry::Call;
use crate::event::{Attributes, Event, Message};
use crate::state::{State, with};

macro_rules! call {
    ($slot:literal, $name:literal, $function:ident) => {
        Call {
            slot: $slot,
            name: $name,
            function: $function as *const c_void,
        }
    };
}

/// Every call of the module.
pub(crate) static CORE: [Call; 15] = [
    call!(1, "nvtxMarkEx", mark),
    call!(2, "nvtxMarkA", mark_text),
    call!(3, "nvtxMarkW", mark_wide),
    call!(4, "nvtxRangeStartEx", range_start),
    call!(5, "nvtxRangeStartA", range_start_text),
    call!(6, "nvtxRangeStartW", range_start_wide),
    call!(7, "nvtxRangeEnd", range_end),
    call!(8, "nvtxRangePushEx", range_push),
    call!(9, "nvtxRangePushA", range_push_text),
    call!(10, "nvtxRangePushW", range_push_wide),
    call!(11, "nvtxRangePop", range_pop),
    call!(12, "nvtxNameCategoryA", name_category),
    call!(13, "nvtxNameCategoryW", name_category_wide),
    call!(14, "nvtxNameOsThreadA", name_thread),
    call!(15, "nvtxNameOsThreadW", name_thread_wide),
];

const DEFAULT_DOMAIN: Handle = null_mut();

fn write_mark(state: &mut State, attributes: Attributes) {
    state.write(Event::Mark {
        domain: None,
        attributes,
    });
}

fn write_start(state: &mut State, attributes: Attributes) -> u64 {
    let range = state.start(DEFAULT_DOMAIN);
    state.write(Event::Start {
        domain: None,
        range,
        attributes,
    });
    range
}

fn write_push(state: &mut State, attributes: Attributes) -> c_int {
    let level = state.open(DEFAULT_DOMAIN);
    state.write(Event::Push {
        domain: None,
        level,
        attributes,
    });
    level
}

// SAFETY of all below: the client passes what the headers describe: strings that end, attributes
// that live during the call.

unsafe fn ascii(state: &mut State, text: Text) -> Attributes {
    // SAFETY: see above.
    read::message_only(Message::Ascii(unsafe { read::text(state, text) }))
}

unsafe fn unicode(state: &mut State, text: WideText) -> Attributes {
    // SAFETY: see above.
    read::message_only(Message::Unicode(unsafe { read::wide_text(state, text) }))
}

macro_rules! events {
    ($($name:ident($kind:ty, $read:path) -> $answer:ty: $write:ident;)*) => {$(
        unsafe extern "C" fn $name(argument: $kind) -> $answer {
            with(|state| {
                // SAFETY: see above.
                let attributes = unsafe { $read(state, argument) };
                $write(state, attributes)
            })
        }
    )*};
}

unsafe fn described(state: &mut State, event: *const EventAttributes) -> Attributes {
    // SAFETY: see above.
    unsafe { read::attributes(state, DEFAULT_DOMAIN, event) }
}

events! {
    mark(*const EventAttributes, described) -> (): write_mark;
    mark_text(Text, ascii) -> (): write_mark;
    mark_wide(WideText, unicode) -> (): write_mark;
    range_start(*const EventAttributes, described) -> u64: write_start;
    range_start_text(Text, ascii) -> u64: write_start;
    range_start_wide(WideText, unicode) -> u64: write_start;
    range_push(*const EventAttributes, described) -> c_int: write_push;
    range_push_text(Text, ascii) -> c_int: write_push;
    range_push_wide(WideText, unicode) -> c_int: write_push;
}

unsafe extern "C" fn range_end(range: u64) {
    with(|state| {
        state.end(DEFAULT_DOMAIN, range);
        state.write(Event::End {
            domain: None,
            range,
        });
    });
}

unsafe extern "C" fn range_pop() -> c_int {
    with(|state| {
        let level = state.close(DEFAULT_DOMAIN);
        state.write(Event::Pop {
            domain: None,
            level,
        });
        level
    })
}

unsafe extern "C" fn name_category(category: u32, name: Text) {
    with(|state| {
        // SAFETY: see above.
        let name = unsafe { read::text(state, name) };
        state.write(Event::CategoryName {
            domain: None,
            category,
            name,
        });
    });
}

unsafe extern "C" fn name_category_wide(category: u32, name: WideText) {
    with(|state| {
        // SAFETY: see above.
        let name = unsafe { read::wide_text(state, name) };
        state.write(Event::CategoryName {
            domain: None,
            category,
            name,
        });
    });
}

unsafe extern "C" fn name_thread(thread: u32, name: Text) {
    with(|state| {
        // SAFETY: see above.
        let name = unsafe { read::text(state, name) };
        state.write(Event::ThreadName {
            named: thread,
            name,
        });
    });
}

unsafe extern "C" fn name_thread_wide(thread: u32, name: WideText) {
    with(|state| {
        // SAFETY: see above.
        let name = unsafe { read::wide_text(state, name) };
        state.write(Event::ThreadName {
            named: thread,
            name,
        });
    });
}
