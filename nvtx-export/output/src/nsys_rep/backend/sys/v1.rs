//! The ABI of the crate `nvtxw` 0.1.0: interface CORE_V1, a domain by its name in each stream.

use super::{
    nvtxPayloadData_t, nvtxPayloadEnumAttr_t, nvtxPayloadSchemaAttr_t, nvtxwResultCode_t,
    nvtxwSessionAttributes_t,
};
use std::ffi::{c_char, c_void};

/// The backend's entry point.
pub(crate) const LOAD_IMPLEMENTATION: &[u8] = b"nvtxwLoadImplementation\0";

/// The id of [`nvtxwInterfaceCore_t`]. The newer ABI gives the same number another meaning.
pub(crate) const NVTXW3_INTERFACE_ID_CORE_V1: i32 = 2;

/// An opaque session, by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct nvtxwSessionHandle_t {
    /// The backend's own.
    pub(crate) opaque: *mut c_void,
}

/// An opaque stream, by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct nvtxwStreamHandle_t {
    /// The backend's own.
    pub(crate) opaque: *mut c_void,
}

/// What a stream is opened with.
#[repr(C)]
pub(crate) struct nvtxwStreamAttributes_t {
    /// Size of this struct.
    pub(crate) struct_size: usize,
    /// Its name, unique in the session.
    pub(crate) name: *const c_char,
    /// The domain of all its events.
    pub(crate) nvtxDomainName: *const c_char,
    /// Where its events belong: nodes with `/` between them.
    pub(crate) eventScopePath: *const c_char,
    /// Of what the order is.
    pub(crate) orderInterleaving: i16,
    /// Which order.
    pub(crate) orderingType: i16,
    /// How exact it is.
    pub(crate) orderingSkid: i32,
    /// By how much it is not.
    pub(crate) orderingSkidAmount: i64,
}

/// What a scope is registered with.
#[repr(C)]
pub(crate) struct nvtxwEventScopeAttributes_t {
    /// Size of this struct.
    pub(crate) struct_size: usize,
    /// Nodes with `/` between them.
    pub(crate) path: *const c_char,
    /// Its id, unique within the domain.
    pub(crate) scopeId: u64,
}

/// The functions of a backend.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct nvtxwInterfaceCore_t {
    /// Size of this struct: those of later backends are larger.
    pub(crate) struct_size: usize,
    /// Begins a session.
    pub(crate) SessionBegin: Option<
        unsafe extern "C" fn(
            *mut nvtxwSessionHandle_t,
            *const nvtxwSessionAttributes_t,
        ) -> nvtxwResultCode_t,
    >,
    /// Ends it; the output is written.
    pub(crate) SessionEnd: Option<unsafe extern "C" fn(nvtxwSessionHandle_t) -> nvtxwResultCode_t>,
    /// Opens a stream.
    pub(crate) StreamOpen: Option<
        unsafe extern "C" fn(
            *mut nvtxwStreamHandle_t,
            nvtxwSessionHandle_t,
            *const nvtxwStreamAttributes_t,
        ) -> nvtxwResultCode_t,
    >,
    /// Closes it.
    pub(crate) StreamClose: Option<unsafe extern "C" fn(nvtxwStreamHandle_t) -> nvtxwResultCode_t>,
    /// Registers a scope.
    pub(crate) EventScopeRegister: Option<
        unsafe extern "C" fn(
            nvtxwStreamHandle_t,
            *const nvtxwEventScopeAttributes_t,
        ) -> nvtxwResultCode_t,
    >,
    /// Registers a schema.
    pub(crate) SchemaRegister: Option<
        unsafe extern "C" fn(
            nvtxwStreamHandle_t,
            *const nvtxPayloadSchemaAttr_t,
        ) -> nvtxwResultCode_t,
    >,
    /// Registers an enumeration.
    pub(crate) EnumRegister: Option<
        unsafe extern "C" fn(
            nvtxwStreamHandle_t,
            *const nvtxPayloadEnumAttr_t,
        ) -> nvtxwResultCode_t,
    >,
    /// Writes payloads that are one or more events.
    pub(crate) EventWrite: Option<
        unsafe extern "C" fn(
            nvtxwStreamHandle_t,
            *const nvtxPayloadData_t,
            usize,
        ) -> nvtxwResultCode_t,
    >,
}

/// Gives the functions of an interface.
pub(crate) type nvtxwGetInterface_t =
    unsafe extern "C" fn(i32, *mut *const c_void) -> nvtxwResultCode_t;

/// [`LOAD_IMPLEMENTATION`]: takes a configuration or null, gives the function that gives the functions.
pub(crate) type nvtxwLoadImplementation_t =
    unsafe extern "C" fn(*const c_char, *mut Option<nvtxwGetInterface_t>) -> nvtxwResultCode_t;

/// The names of the result codes, by code.
pub(crate) const RESULTS: [&str; 12] = [
    "SUCCESS",
    "FAILED",
    "INVALID_ARGUMENT",
    "INVALID_INIT_MODE",
    "LIBRARY_NOT_FOUND",
    "CONFIG_NOT_FOUND",
    "LOADER_SYMBOL_MISSING",
    "LOADER_FAILED",
    "INTERFACE_ID_NOT_SUPPORTED",
    "CONFIG_MISSING_LOADER_INFO",
    "UNSUPPORTED_LOADER_MODE",
    "ENV_VAR_NOT_FOUND",
];
