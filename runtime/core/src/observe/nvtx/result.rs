//! The calls of NVTX through the tables that a tool has filled. Calls without a function do
//! nothing.

#![allow(unsafe_code, reason = "calls through the function pointers of a tool")]

use std::ffi::{CStr, c_int};
use std::ptr::null_mut;
use std::sync::atomic::Ordering;

use super::sys::*;

mod load;
mod table;

pub(super) use load::load;
pub use load::{LoadError, Origin};

/// Returns the function in a slot, if any. `F` must be the `fn` type of that slot.
macro_rules! slot {
    ($module:ident[$slot:ident]: $function:ty) => {{
        let pointer = table::$module[$slot].load(Ordering::Acquire);
        // SAFETY: a slot is null, which is `None`, or was set by a tool: a function of the slot's
        // type.
        unsafe { std::mem::transmute::<NvtxFunctionPointer, Option<$function>>(pointer) }
    }};
}

/// `nvtxDomainCreateA`: returns a handle, null if the tool has no domains (null is the default
/// domain).
pub(super) fn domain_create(name: &CStr) -> nvtxDomainHandle_t {
    match slot!(CORE2[NVTX_CBID_CORE2_DomainCreateA]: nvtxDomainCreateA_impl_fntype) {
        // SAFETY: the name is a C string; the tool copies it.
        Some(call) => unsafe { call(name.as_ptr()) },
        None => null_mut(),
    }
}

/// `nvtxDomainDestroy`.
///
/// # Safety
/// `domain` came from [`domain_create`]; neither it nor its strings are used again.
pub(super) unsafe fn domain_destroy(domain: nvtxDomainHandle_t) {
    if let Some(call) = slot!(CORE2[NVTX_CBID_CORE2_DomainDestroy]: nvtxDomainDestroy_impl_fntype) {
        // SAFETY: the caller's promise.
        unsafe { call(domain) };
    }
}

/// `nvtxDomainRegisterStringA`: returns a handle, null if the tool registers no strings.
///
/// # Safety
/// `domain` came from [`domain_create`] and is not destroyed.
pub(super) unsafe fn domain_register_string(
    domain: nvtxDomainHandle_t,
    text: &CStr,
) -> nvtxStringHandle_t {
    match slot!(CORE2[NVTX_CBID_CORE2_DomainRegisterStringA]: nvtxDomainRegisterStringA_impl_fntype)
    {
        // SAFETY: the caller's promise; the tool copies the string.
        Some(call) => unsafe { call(domain, text.as_ptr()) },
        None => null_mut(),
    }
}

/// `nvtxDomainNameCategoryA`.
///
/// # Safety
/// `domain` came from [`domain_create`] and is not destroyed.
pub(super) unsafe fn domain_name_category(domain: nvtxDomainHandle_t, category: u32, name: &CStr) {
    if let Some(call) =
        slot!(CORE2[NVTX_CBID_CORE2_DomainNameCategoryA]: nvtxDomainNameCategoryA_impl_fntype)
    {
        // SAFETY: the caller's promise; the tool copies the name.
        unsafe { call(domain, category, name.as_ptr()) };
    }
}

/// `nvtxDomainMarkEx`.
///
/// # Safety
/// `domain` came from [`domain_create`] and is not destroyed; `event` is valid for it.
pub(super) unsafe fn domain_mark(domain: nvtxDomainHandle_t, event: &nvtxEventAttributes_t) {
    if let Some(call) = slot!(CORE2[NVTX_CBID_CORE2_DomainMarkEx]: nvtxDomainMarkEx_impl_fntype) {
        // SAFETY: the caller's promise.
        unsafe { call(domain, event) };
    }
}

/// `nvtxDomainRangePushEx`: returns whether the tool took the call, so that a pop is due.
///
/// # Safety
/// See [`domain_mark`].
#[inline]
pub(super) unsafe fn domain_range_push(
    domain: nvtxDomainHandle_t,
    event: &nvtxEventAttributes_t,
) -> bool {
    match slot!(CORE2[NVTX_CBID_CORE2_DomainRangePushEx]: nvtxDomainRangePushEx_impl_fntype) {
        Some(call) => {
            // The returned level of nesting is not needed, and an error is the tool's own affair.
            // SAFETY: the caller's promise.
            let _level: c_int = unsafe { call(domain, event) };
            true
        }
        None => false,
    }
}

/// `nvtxDomainRangePop`.
///
/// # Safety
/// `domain` came from [`domain_create`] and is not destroyed.
#[inline]
pub(super) unsafe fn domain_range_pop(domain: nvtxDomainHandle_t) {
    if let Some(call) = slot!(CORE2[NVTX_CBID_CORE2_DomainRangePop]: nvtxDomainRangePop_impl_fntype)
    {
        // SAFETY: the caller's promise.
        let _level: c_int = unsafe { call(domain) };
    }
}

/// `nvtxDomainRangeStartEx`: returns the id that ends the range; `None` if the tool has no such
/// ranges.
///
/// # Safety
/// See [`domain_mark`].
pub(super) unsafe fn domain_range_start(
    domain: nvtxDomainHandle_t,
    event: &nvtxEventAttributes_t,
) -> Option<nvtxRangeId_t> {
    slot!(CORE2[NVTX_CBID_CORE2_DomainRangeStartEx]: nvtxDomainRangeStartEx_impl_fntype)
        // SAFETY: the caller's promise.
        .map(|call| unsafe { call(domain, event) })
}

/// `nvtxDomainRangeEnd`.
///
/// # Safety
/// `domain` came from [`domain_create`] and is not destroyed; `range` came from
/// [`domain_range_start`] on it.
pub(super) unsafe fn domain_range_end(domain: nvtxDomainHandle_t, range: nvtxRangeId_t) {
    if let Some(call) = slot!(CORE2[NVTX_CBID_CORE2_DomainRangeEnd]: nvtxDomainRangeEnd_impl_fntype)
    {
        // SAFETY: the caller's promise.
        unsafe { call(domain, range) };
    }
}

/// `nvtxNameOsThreadA`.
pub(super) fn name_os_thread(thread: u32, name: &CStr) {
    if let Some(call) = slot!(CORE[NVTX_CBID_CORE_NameOsThreadA]: nvtxNameOsThreadA_impl_fntype) {
        // SAFETY: the name is a C string; the tool copies it.
        unsafe { call(thread, name.as_ptr()) };
    }
}
