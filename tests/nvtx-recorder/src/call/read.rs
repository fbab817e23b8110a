//! Conversion of a client's arguments to records.

#![allow(unsafe_code, reason = "reads through a client's pointers")]

use std::ffi::{CStr, c_void};

use crate::abi::{EventAttributes, Handle, Text, VERSION, WideChar, WideText};
use crate::event::{Attributes, Message, Payload};
use crate::state::State;

/// Reads a C string. Null is a fault and reads as an empty string.
pub(super) unsafe fn text(state: &mut State, text: Text) -> String {
    if text.is_null() {
        state.fault("a null pointer where a string belongs");
        return String::new();
    }
    // SAFETY: the client passes a string ended by a NUL.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

/// Reads a string of `wchar_t`, one code point each.
pub(super) unsafe fn wide_text(state: &mut State, text: WideText) -> String {
    if text.is_null() {
        state.fault("a null pointer where a wide string belongs");
        return String::new();
    }
    let mut length = 0;
    // SAFETY: the client passes a string ended by a zero, and reading stops there.
    while unsafe { *text.add(length) } != 0 {
        length += 1;
    }
    // SAFETY: that many characters were just read.
    let characters: &[WideChar] = unsafe { std::slice::from_raw_parts(text, length) };
    characters
        .iter()
        .map(|character| {
            char::from_u32(character.cast_unsigned()).unwrap_or(char::REPLACEMENT_CHARACTER)
        })
        .collect()
}

/// Reads the attributes of an event of `domain`.
pub(super) unsafe fn attributes(
    state: &mut State,
    domain: Handle,
    event: *const EventAttributes,
) -> Attributes {
    // SAFETY: the client passes null or a struct that lives during the call.
    let Some(event) = (unsafe { event.as_ref() }) else {
        state.fault("an event without attributes");
        return message_only(Message::None);
    };
    if event.version != VERSION || usize::from(event.size) != size_of::<EventAttributes>() {
        state.fault(format!(
            "attributes of version {}, {} bytes",
            event.version, event.size
        ));
    }
    if event.reserved0 != 0 {
        state.fault(format!("reserved0 is {}", event.reserved0));
    }
    Attributes {
        version: event.version,
        size: event.size,
        category: event.category,
        color: color(state, event),
        payload: payload(state, event),
        // SAFETY: the client's pointer, of the type it names.
        message: unsafe { message(state, domain, event.message_type, event.message) },
    }
}

/// Returns the attributes of a call that passes a message only.
pub(super) fn message_only(message: Message) -> Attributes {
    Attributes {
        version: 0,
        size: 0,
        category: 0,
        color: None,
        payload: Payload::None,
        message,
    }
}

fn color(state: &mut State, event: &EventAttributes) -> Option<u32> {
    match event.color_type {
        0 => None,
        1 => Some(event.color),
        other => {
            state.fault(format!("no colour has type {other}"));
            None
        }
    }
}

fn payload(state: &mut State, event: &EventAttributes) -> Payload {
    let eight = event.payload;
    let four = [eight[0], eight[1], eight[2], eight[3]];
    match event.payload_type {
        0 => Payload::None,
        1 => Payload::U64(u64::from_ne_bytes(eight)),
        2 => Payload::I64(i64::from_ne_bytes(eight)),
        3 => Payload::F64(f64::from_ne_bytes(eight)),
        4 => Payload::U32(u32::from_ne_bytes(four)),
        5 => Payload::I32(i32::from_ne_bytes(four)),
        6 => Payload::F32(f32::from_ne_bytes(four)),
        other => {
            state.fault(format!("no payload has type {other}"));
            Payload::None
        }
    }
}

unsafe fn message(state: &mut State, domain: Handle, kind: i32, message: *const c_void) -> Message {
    match kind {
        0 => Message::None,
        // SAFETY: type 1 is a C string.
        1 => Message::Ascii(unsafe { text(state, message.cast()) }),
        // SAFETY: type 2 is a wide string.
        2 => Message::Unicode(unsafe { wide_text(state, message.cast()) }),
        3 => state
            .string(domain, message.addr())
            .map_or(Message::None, Message::Registered),
        other => {
            state.fault(format!("no message has type {other}"));
            Message::None
        }
    }
}
