//! The ABI of the crate `nvtxw` 0.1.0: interface CORE_V1, with domains given by name in each
//! stream.

use super::{
    nvtxPayloadData_t, nvtxPayloadEnumAttr_t, nvtxPayloadSchemaAttr_t, nvtxwResultCode_t,
    nvtxwSessionAttributes_t,
};
use std::ffi::{c_char, c_void};

/// The backend's entry point.
pub(crate) const LOAD_IMPLEMENTATION: &[u8] = b"nvtxwLoadImplementation\0";

/// The id of [`nvtxwInterfaceCore_t`]. In the newer ABI the same number has another meaning.
pub(crate) const NVTXW3_INTERFACE_ID_CORE_V1: i32 = 2;

/// An opaque session, by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct nvtxwSessionHandle_t {
    /// Private to the backend.
    pub(crate) opaque: *mut c_void,
}

/// An opaque stream, by value.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct nvtxwStreamHandle_t {
    /// Private to the backend.
    pub(crate) opaque: *mut c_void,
}

/// The attributes of a stream.
#[repr(C)]
pub(crate) struct nvtxwStreamAttributes_t {
    /// Size of this struct.
    pub(crate) struct_size: usize,
    /// Its name, unique in the session.
    pub(crate) name: *const c_char,
    /// The domain of all its events.
    pub(crate) nvtxDomainName: *const c_char,
    /// The scope of its events: nodes separated by `/`.
    pub(crate) eventScopePath: *const c_char,
    /// The set of events that the order holds for.
    pub(crate) orderInterleaving: i16,
    /// The kind of order.
    pub(crate) orderingType: i16,
    /// The kind of deviation from the order.
    pub(crate) orderingSkid: i32,
    /// The amount of deviation from the order.
    pub(crate) orderingSkidAmount: i64,
}

/// The attributes of a scope.
#[repr(C)]
pub(crate) struct nvtxwEventScopeAttributes_t {
    /// Size of this struct.
    pub(crate) struct_size: usize,
    /// Nodes separated by `/`.
    pub(crate) path: *const c_char,
    /// Its id, unique within the domain.
    pub(crate) scopeId: u64,
}

/// The functions of a backend.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct nvtxwInterfaceCore_t {
    /// Size of this struct. Later backends have larger ones.
    pub(crate) struct_size: usize,
    /// Begins a session.
    pub(crate) SessionBegin: Option<
        unsafe extern "C" fn(
            *mut nvtxwSessionHandle_t,
            *const nvtxwSessionAttributes_t,
        ) -> nvtxwResultCode_t,
    >,
    /// Ends a session, and writes the output.
    pub(crate) SessionEnd: Option<unsafe extern "C" fn(nvtxwSessionHandle_t) -> nvtxwResultCode_t>,
    /// Opens a stream.
    pub(crate) StreamOpen: Option<
        unsafe extern "C" fn(
            *mut nvtxwStreamHandle_t,
            nvtxwSessionHandle_t,
            *const nvtxwStreamAttributes_t,
        ) -> nvtxwResultCode_t,
    >,
    /// Closes a stream.
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
    /// Writes the payloads of one or more events.
    pub(crate) EventWrite: Option<
        unsafe extern "C" fn(
            nvtxwStreamHandle_t,
            *const nvtxPayloadData_t,
            usize,
        ) -> nvtxwResultCode_t,
    >,
}

/// Returns the functions of an interface.
pub(crate) type nvtxwGetInterface_t =
    unsafe extern "C" fn(i32, *mut *const c_void) -> nvtxwResultCode_t;

/// [`LOAD_IMPLEMENTATION`]: takes a configuration or null, and returns the function that returns
/// interfaces.
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
