//! Domains, their strings and their ranges.

#![allow(
    unsafe_code,
    reason = "handles of a tool go back to it; their lifetimes are kept here"
)]

use std::marker::PhantomData;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::{result, sys};
use super::{Color, Tool, c_string};

/// A named group of ranges, categories and strings; destroyed when dropped.
#[derive(Debug)]
pub struct Domain {
    handle: sys::nvtxDomainHandle_t,
    /// Distinguishes domains: a tool may give a new domain the handle of a destroyed one.
    number: u64,
}

// SAFETY: a handle is a name for the tool's own object, and NVTX calls may come from any thread at
// any time.
unsafe impl Send for Domain {}
// SAFETY: as above.
unsafe impl Sync for Domain {}

impl Domain {
    /// Creates a domain. Tools show domains of the same name as one.
    pub fn create(_tool: &'static Tool, name: &str) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            handle: result::domain_create(&c_string(name)),
            number: NEXT.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// Registers a text, so that events carry a handle instead of the text. Register each text once
    /// and keep it: the tool holds it as long as the domain lives.
    pub fn register(&self, text: &str) -> RegisteredString {
        // SAFETY: the domain is alive.
        let handle = unsafe { result::domain_register_string(self.handle, &c_string(text)) };
        RegisteredString {
            handle,
            domain: self.number,
        }
    }

    /// Names a category. `id` 0 means no category and cannot be named.
    pub fn name_category(&self, id: u32, name: &str) {
        // SAFETY: the domain is alive.
        unsafe { result::domain_name_category(self.handle, id, &c_string(name)) };
    }

    /// Opens a range on this thread; it closes when the guard is dropped. Ranges of a thread nest.
    #[inline]
    pub fn push(
        &self,
        text: &RegisteredString,
        category: u32,
        color: Color,
        payload: u64,
    ) -> RangeGuard<'_> {
        let event = self.event(text, category, color, payload);
        // SAFETY: the domain is alive, and `event` contains only handles that belong to it.
        let pushed = unsafe { result::domain_range_push(self.handle, &event) };
        RangeGuard {
            domain: self,
            pushed,
            this_thread: PhantomData,
        }
    }

    /// Starts a range that may end on another thread; it ends when the returned value is dropped.
    pub fn start(
        &self,
        text: &RegisteredString,
        category: u32,
        color: Color,
        payload: u64,
    ) -> ProcessRange<'_> {
        let event = self.event(text, category, color, payload);
        // SAFETY: as in `push`.
        let id = unsafe { result::domain_range_start(self.handle, &event) };
        ProcessRange { domain: self, id }
    }

    /// Marks an instant.
    pub fn mark(&self, text: &RegisteredString, category: u32, color: Color, payload: u64) {
        let event = self.event(text, category, color, payload);
        // SAFETY: as in `push`.
        unsafe { result::domain_mark(self.handle, &event) };
    }

    /// Makes an event of this domain. A text of another domain is omitted: the tool may no longer
    /// have it.
    #[inline]
    fn event(
        &self,
        text: &RegisteredString,
        category: u32,
        color: Color,
        payload: u64,
    ) -> sys::nvtxEventAttributes_t {
        let known = text.domain == self.number && !text.handle.is_null();
        let (message_type, handle) = if known {
            (sys::NVTX_MESSAGE_TYPE_REGISTERED, text.handle)
        } else {
            (sys::NVTX_MESSAGE_UNKNOWN, null_mut())
        };
        sys::nvtxEventAttributes_t {
            version: sys::NVTX_VERSION as u16,
            size: sys::NVTX_EVENT_ATTRIB_STRUCT_SIZE,
            category,
            colorType: sys::NVTX_COLOR_ARGB,
            color: color.0,
            payloadType: sys::NVTX_PAYLOAD_TYPE_UNSIGNED_INT64,
            reserved0: 0,
            payload: sys::nvtxPayload_t { ullValue: payload },
            messageType: message_type,
            message: sys::nvtxMessageValue_t { registered: handle },
        }
    }
}

impl Drop for Domain {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: ranges borrow the domain, so none is open; its strings are recognised by
            // number.
            unsafe { result::domain_destroy(self.handle) };
        }
    }
}

/// A text registered with the tool, for events of the domain that registered it.
#[derive(Debug, Clone, Copy)]
pub struct RegisteredString {
    handle: sys::nvtxStringHandle_t,
    domain: u64,
}

// SAFETY: a handle is a name for the tool's own object, see `Domain`.
unsafe impl Send for RegisteredString {}
// SAFETY: as above.
unsafe impl Sync for RegisteredString {}

/// An open range of this thread; dropping it closes the range. Drop guards in reverse order of
/// their creation.
#[derive(Debug)]
#[must_use = "the range closes when the guard is dropped"]
pub struct RangeGuard<'domain> {
    domain: &'domain Domain,
    /// False if the tool took no push, so that no pop is due.
    pushed: bool,
    /// Bound to the thread that opened the range.
    this_thread: PhantomData<*const ()>,
}

impl Drop for RangeGuard<'_> {
    #[inline]
    fn drop(&mut self) {
        if self.pushed {
            // SAFETY: the domain is alive.
            unsafe { result::domain_range_pop(self.domain.handle) };
        }
    }
}

/// A started range; dropping it, on any thread, ends the range.
#[derive(Debug)]
#[must_use = "the range ends when the value is dropped"]
pub struct ProcessRange<'domain> {
    domain: &'domain Domain,
    /// `None` if the tool took no start, so that no end is due.
    id: Option<sys::nvtxRangeId_t>,
}

impl Drop for ProcessRange<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            // SAFETY: the domain is alive, and the range is its own.
            unsafe { result::domain_range_end(self.domain.handle, id) };
        }
    }
}
