//! The parts of `nvToolsExt.h` and `nvtxDetail/nvtxTypes.h` that a tool needs.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// `wchar_t`, 32 bits wide on every system this tool runs on.
pub(crate) type WideChar = i32;

pub(crate) const ETID_CALLBACKS: u32 = 1;
pub(crate) const ETID_VERSIONINFO: u32 = 3;

pub(crate) const MODULE_CORE: c_uint = 1;
pub(crate) const MODULE_CORE2: c_uint = 5;

pub(crate) const VERSION: u16 = 3;

/// `nvtxEventAttributes_v2`; the unions as the bytes they hold.
#[repr(C)]
pub(crate) struct EventAttributes {
    pub(crate) version: u16,
    pub(crate) size: u16,
    pub(crate) category: u32,
    pub(crate) color_type: i32,
    pub(crate) color: u32,
    pub(crate) payload_type: i32,
    pub(crate) reserved0: i32,
    pub(crate) payload: [u8; 8],
    pub(crate) message_type: i32,
    pub(crate) message: *const c_void,
}

pub(crate) type GetExportTable = unsafe extern "C" fn(id: u32) -> *const c_void;

/// Tables are arrays of pointers to the client's function pointers.
pub(crate) type FunctionTable = *mut *mut *const c_void;

#[repr(C)]
pub(crate) struct ExportTableCallbacks {
    pub(crate) struct_size: usize,
    pub(crate) get_module_function_table: Option<
        unsafe extern "C" fn(
            module: c_uint,
            out_table: *mut FunctionTable,
            out_size: *mut c_uint,
        ) -> c_int,
    >,
}

#[repr(C)]
pub(crate) struct ExportTableVersionInfo {
    pub(crate) struct_size: usize,
    pub(crate) version: u32,
    pub(crate) reserved0: u32,
    pub(crate) set_injection_nvtx_version: Option<unsafe extern "C" fn(version: u32)>,
}

pub(crate) type Handle = *mut c_void;
pub(crate) type Text = *const c_char;
pub(crate) type WideText = *const WideChar;
