//! Module CORE2: calls with a domain.

#![allow(unsafe_code, reason = "C functions that read a client's pointers")]

use std::ffi::{c_int, c_void};

use super::read;
use crate::abi::{EventAttributes, Handle, Text, WideText};
use crate::entry::Call;
use crate::event::Event;
use crate::state::with;

macro_rules! call {
    ($slot:literal, $name:literal, $function:ident) => {
        Call {
            slot: $slot,
            name: $name,
            function: $function as *const c_void,
        }
    };
}

/// Every call of the module but those on resources, which describe objects and not events.
pub(crate) static CORE2: [Call; 13] = [
    call!(1, "nvtxDomainMarkEx", mark),
    call!(2, "nvtxDomainRangeStartEx", range_start),
    call!(3, "nvtxDomainRangeEnd", range_end),
    call!(4, "nvtxDomainRangePushEx", range_push),
    call!(5, "nvtxDomainRangePop", range_pop),
    call!(8, "nvtxDomainNameCategoryA", name_category),
    call!(9, "nvtxDomainNameCategoryW", name_category_wide),
    call!(10, "nvtxDomainRegisterStringA", register_string),
    call!(11, "nvtxDomainRegisterStringW", register_string_wide),
    call!(12, "nvtxDomainCreateA", create),
    call!(13, "nvtxDomainCreateW", create_wide),
    call!(14, "nvtxDomainDestroy", destroy),
    call!(15, "nvtxInitialize", initialize),
];

// SAFETY of all below: the client passes what the headers describe: strings that end, attributes
// that live during the call, handles that this tool gave out (and which are looked up, never
// followed).

unsafe extern "C" fn mark(domain: Handle, event: *const EventAttributes) {
    with(|state| {
        // SAFETY: see above.
        let attributes = unsafe { read::attributes(state, domain, event) };
        let domain = state.domain(domain);
        state.write(Event::Mark { domain, attributes });
    });
}

unsafe extern "C" fn range_start(domain: Handle, event: *const EventAttributes) -> u64 {
    with(|state| {
        // SAFETY: see above.
        let attributes = unsafe { read::attributes(state, domain, event) };
        let range = state.start(domain);
        let domain = state.domain(domain);
        state.write(Event::Start {
            domain,
            range,
            attributes,
        });
        range
    })
}

unsafe extern "C" fn range_end(domain: Handle, range: u64) {
    with(|state| {
        state.end(domain, range);
        let domain = state.domain(domain);
        state.write(Event::End { domain, range });
    });
}

unsafe extern "C" fn range_push(domain: Handle, event: *const EventAttributes) -> c_int {
    with(|state| {
        // SAFETY: see above.
        let attributes = unsafe { read::attributes(state, domain, event) };
        let level = state.open(domain);
        let domain = state.domain(domain);
        state.write(Event::Push {
            domain,
            level,
            attributes,
        });
        level
    })
}

unsafe extern "C" fn range_pop(domain: Handle) -> c_int {
    with(|state| {
        let level = state.close(domain);
        let domain = state.domain(domain);
        state.write(Event::Pop { domain, level });
        level
    })
}

unsafe extern "C" fn name_category(domain: Handle, category: u32, name: Text) {
    with(|state| {
        // SAFETY: see above.
        let name = unsafe { read::text(state, name) };
        let domain = state.domain(domain);
        state.write(Event::CategoryName {
            domain,
            category,
            name,
        });
    });
}

unsafe extern "C" fn name_category_wide(domain: Handle, category: u32, name: WideText) {
    with(|state| {
        // SAFETY: see above.
        let name = unsafe { read::wide_text(state, name) };
        let domain = state.domain(domain);
        state.write(Event::CategoryName {
            domain,
            category,
            name,
        });
    });
}

// Handles pass through `with` as addresses, because it needs a default for "not started".
unsafe extern "C" fn register_string(domain: Handle, text: Text) -> Handle {
    let handle = with(|state| {
        // SAFETY: see above.
        let text = unsafe { read::text(state, text) };
        state.register(domain, text).addr()
    });
    std::ptr::without_provenance_mut(handle)
}

unsafe extern "C" fn register_string_wide(domain: Handle, text: WideText) -> Handle {
    let handle = with(|state| {
        // SAFETY: see above.
        let text = unsafe { read::wide_text(state, text) };
        state.register(domain, text).addr()
    });
    std::ptr::without_provenance_mut(handle)
}

unsafe extern "C" fn create(name: Text) -> Handle {
    let handle = with(|state| {
        // SAFETY: see above.
        let name = unsafe { read::text(state, name) };
        state.create_domain(name).addr()
    });
    std::ptr::without_provenance_mut(handle)
}

unsafe extern "C" fn create_wide(name: WideText) -> Handle {
    let handle = with(|state| {
        // SAFETY: see above.
        let name = unsafe { read::wide_text(state, name) };
        state.create_domain(name).addr()
    });
    std::ptr::without_provenance_mut(handle)
}

unsafe extern "C" fn destroy(domain: Handle) {
    with(|state| state.destroy_domain(domain));
}

unsafe extern "C" fn initialize(_reserved: *const c_void) {
    with(|state| state.write(Event::Initialize));
}
