//! NVTX version 3 as its C headers have it: names, layouts, constants (`nvToolsExt.h`,
//! `nvtxDetail/nvtxTypes.h`).
//!
//! The ABI is the same on all 64-bit systems with the C calling convention. Only the parts for
//! domains, ranges, marks and names are here. The callback numbers count all slots, so that a tool
//! finds every table full-sized.

#![allow(
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals,
    reason = "the C headers' own names"
)]

use std::ffi::{c_char, c_int, c_uint, c_void};

/// Version of the interface, sent in every event and in the version table.
pub const NVTX_VERSION: u32 = 3;

/// `nvtxEventAttributes_t::size`, in bytes.
pub const NVTX_EVENT_ATTRIB_STRUCT_SIZE: u16 = size_of::<nvtxEventAttributes_t>() as u16;

/// Colour attribute unused.
pub const NVTX_COLOR_UNKNOWN: i32 = 0;
/// `color` holds 0xAARRGGBB.
pub const NVTX_COLOR_ARGB: i32 = 1;

/// Message attribute unused.
pub const NVTX_MESSAGE_UNKNOWN: i32 = 0;
/// `message` holds a C string.
pub const NVTX_MESSAGE_TYPE_ASCII: i32 = 1;
/// `message` holds a handle from `nvtxDomainRegisterStringA`.
pub const NVTX_MESSAGE_TYPE_REGISTERED: i32 = 3;

/// Payload attribute unused.
pub const NVTX_PAYLOAD_UNKNOWN: i32 = 0;
/// `payload` holds a `uint64_t`.
pub const NVTX_PAYLOAD_TYPE_UNSIGNED_INT64: i32 = 1;

/// Export table of [`NvtxExportTableCallbacks`].
pub const NVTX_ETID_CALLBACKS: u32 = 1;
/// Export table of [`NvtxExportTableVersionInfo`].
pub const NVTX_ETID_VERSIONINFO: u32 = 3;

/// Module of the calls without a domain.
pub const NVTX_CB_MODULE_CORE: c_uint = 1;
/// Module of names for CUDA driver objects.
pub const NVTX_CB_MODULE_CUDA: c_uint = 2;
/// Module of names for OpenCL objects.
pub const NVTX_CB_MODULE_OPENCL: c_uint = 3;
/// Module of names for CUDA runtime objects.
pub const NVTX_CB_MODULE_CUDART: c_uint = 4;
/// Module of the calls with a domain.
pub const NVTX_CB_MODULE_CORE2: c_uint = 5;
/// Module of user-defined synchronisation objects.
pub const NVTX_CB_MODULE_SYNC: c_uint = 6;

/// Slots of module CORE; slot 0 is unused in every module.
pub const NVTX_CBID_CORE_SIZE: usize = 16;
/// Slots of module CUDA.
pub const NVTX_CBID_CUDA_SIZE: usize = 9;
/// Slots of module OPENCL.
pub const NVTX_CBID_OPENCL_SIZE: usize = 15;
/// Slots of module CUDART.
pub const NVTX_CBID_CUDART_SIZE: usize = 7;
/// Slots of module CORE2.
pub const NVTX_CBID_CORE2_SIZE: usize = 16;
/// Slots of module SYNC.
pub const NVTX_CBID_SYNC_SIZE: usize = 7;

/// Slot of [`nvtxNameOsThreadA_impl_fntype`] in CORE.
pub const NVTX_CBID_CORE_NameOsThreadA: usize = 14;
/// Slot of [`nvtxDomainMarkEx_impl_fntype`] in CORE2.
pub const NVTX_CBID_CORE2_DomainMarkEx: usize = 1;
/// Slot of [`nvtxDomainRangeStartEx_impl_fntype`] in CORE2.
pub const NVTX_CBID_CORE2_DomainRangeStartEx: usize = 2;
/// Slot of [`nvtxDomainRangeEnd_impl_fntype`] in CORE2.
pub const NVTX_CBID_CORE2_DomainRangeEnd: usize = 3;
/// Slot of [`nvtxDomainRangePushEx_impl_fntype`] in CORE2.
pub const NVTX_CBID_CORE2_DomainRangePushEx: usize = 4;
/// Slot of [`nvtxDomainRangePop_impl_fntype`] in CORE2.
pub const NVTX_CBID_CORE2_DomainRangePop: usize = 5;
/// Slot of [`nvtxDomainNameCategoryA_impl_fntype`] in CORE2.
pub const NVTX_CBID_CORE2_DomainNameCategoryA: usize = 8;
/// Slot of [`nvtxDomainRegisterStringA_impl_fntype`] in CORE2.
pub const NVTX_CBID_CORE2_DomainRegisterStringA: usize = 10;
/// Slot of [`nvtxDomainCreateA_impl_fntype`] in CORE2.
pub const NVTX_CBID_CORE2_DomainCreateA: usize = 12;
/// Slot of [`nvtxDomainDestroy_impl_fntype`] in CORE2.
pub const NVTX_CBID_CORE2_DomainDestroy: usize = 14;
/// Slot of [`nvtxInitialize_impl_fntype`] in CORE2.
pub const NVTX_CBID_CORE2_Initialize: usize = 15;

/// A tool's handle of a domain; opaque. Null is the default domain.
pub type nvtxDomainHandle_t = *mut c_void;
/// A tool's handle of a registered string; opaque.
pub type nvtxStringHandle_t = *mut c_void;
/// A tool's id of a process range.
pub type nvtxRangeId_t = u64;

/// The payload of an event; `payloadType` selects the valid member.
#[repr(C)]
#[derive(Clone, Copy)]
pub union nvtxPayload_t {
    /// Type 1.
    pub ullValue: u64,
    /// Type 2.
    pub llValue: i64,
    /// Type 3.
    pub dValue: f64,
    /// Type 4.
    pub uiValue: u32,
    /// Type 5.
    pub iValue: i32,
    /// Type 6.
    pub fValue: f32,
}

/// The message of an event; `messageType` selects the valid member.
#[repr(C)]
#[derive(Clone, Copy)]
pub union nvtxMessageValue_t {
    /// Type 1: bytes ended by a NUL.
    pub ascii: *const c_char,
    /// Type 2: `wchar_t`s ended by a zero.
    pub unicode: *const c_void,
    /// Type 3.
    pub registered: nvtxStringHandle_t,
}

/// The attributes of a mark or of the start of a range (`nvtxEventAttributes_v2`).
#[repr(C)]
#[derive(Clone, Copy)]
pub struct nvtxEventAttributes_t {
    /// [`NVTX_VERSION`].
    pub version: u16,
    /// [`NVTX_EVENT_ATTRIB_STRUCT_SIZE`].
    pub size: u16,
    /// The caller's number for a group of events; 0 is none.
    pub category: u32,
    /// Type of `color`.
    pub colorType: i32,
    /// The colour.
    pub color: u32,
    /// Type of `payload`.
    pub payloadType: i32,
    /// Zero.
    pub reserved0: i32,
    /// The payload.
    pub payload: nvtxPayload_t,
    /// Type of `message`.
    pub messageType: i32,
    /// The message.
    pub message: nvtxMessageValue_t,
}

/// One function pointer as a tool sees it: to be cast to the type of its slot.
pub type NvtxFunctionPointer = *mut c_void;
/// A module's table: pointers to the slots that hold function pointers.
pub type NvtxFunctionTable = *mut *mut NvtxFunctionPointer;

/// Returns the export table with an id such as [`NVTX_ETID_CALLBACKS`]; null for unknown ids.
pub type NvtxGetExportTableFunc_t = unsafe extern "C" fn(exportTableId: u32) -> *const c_void;
/// `InitializeInjectionNvtx2` of a tool: fills the tables; 0 means that it refused.
pub type NvtxInitializeInjectionNvtxFunc_t =
    unsafe extern "C" fn(exportTable: NvtxGetExportTableFunc_t) -> c_int;
/// Gives a tool the table of one module: 1 for a known module, 0 for others.
pub type NvtxGetModuleFunctionTable = unsafe extern "C" fn(
    callback_module: c_uint,
    out_table: *mut NvtxFunctionTable,
    out_size: *mut c_uint,
) -> c_int;

/// Export table through which a tool reaches the function tables.
#[repr(C)]
pub struct NvtxExportTableCallbacks {
    /// Size of this struct in bytes.
    pub struct_size: usize,
    /// Returns the table of a module.
    pub GetModuleFunctionTable: NvtxGetModuleFunctionTable,
}

/// Export table with the program's version of NVTX.
#[repr(C)]
pub struct NvtxExportTableVersionInfo {
    /// Size of this struct in bytes.
    pub struct_size: usize,
    /// [`NVTX_VERSION`].
    pub version: u32,
    /// Zero.
    pub reserved0: u32,
    /// Called by a tool with its own version.
    pub SetInjectionNvtxVersion: unsafe extern "C" fn(version: u32),
}

/// Names a thread of the operating system.
pub type nvtxNameOsThreadA_impl_fntype = unsafe extern "C" fn(threadId: u32, name: *const c_char);
/// Marks an instant.
pub type nvtxDomainMarkEx_impl_fntype =
    unsafe extern "C" fn(domain: nvtxDomainHandle_t, eventAttrib: *const nvtxEventAttributes_t);
/// Starts a range that may end on any thread.
pub type nvtxDomainRangeStartEx_impl_fntype = unsafe extern "C" fn(
    domain: nvtxDomainHandle_t,
    eventAttrib: *const nvtxEventAttributes_t,
) -> nvtxRangeId_t;
/// Ends a started range.
pub type nvtxDomainRangeEnd_impl_fntype =
    unsafe extern "C" fn(domain: nvtxDomainHandle_t, id: nvtxRangeId_t);
/// Opens a range nested on the calling thread; returns its level, or a negative number.
pub type nvtxDomainRangePushEx_impl_fntype = unsafe extern "C" fn(
    domain: nvtxDomainHandle_t,
    eventAttrib: *const nvtxEventAttributes_t,
) -> c_int;
/// Closes the innermost range of the calling thread; returns its level, or a negative number.
pub type nvtxDomainRangePop_impl_fntype = unsafe extern "C" fn(domain: nvtxDomainHandle_t) -> c_int;
/// Names a category of a domain.
pub type nvtxDomainNameCategoryA_impl_fntype =
    unsafe extern "C" fn(domain: nvtxDomainHandle_t, category: u32, name: *const c_char);
/// Registers a string with a domain.
pub type nvtxDomainRegisterStringA_impl_fntype =
    unsafe extern "C" fn(domain: nvtxDomainHandle_t, string: *const c_char) -> nvtxStringHandle_t;
/// Creates a domain.
pub type nvtxDomainCreateA_impl_fntype =
    unsafe extern "C" fn(name: *const c_char) -> nvtxDomainHandle_t;
/// Destroys a domain and its strings.
pub type nvtxDomainDestroy_impl_fntype = unsafe extern "C" fn(domain: nvtxDomainHandle_t);
/// Tells a tool that initialisation is wanted; the argument is null.
pub type nvtxInitialize_impl_fntype = unsafe extern "C" fn(reserved: *const c_void);
