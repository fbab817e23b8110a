//! The ABI of pip's `nvidia-nvtx` 13.5: interface version 2, with registered domains, scopes and
//! strings.

use super::{
    nvtxPayloadData_t, nvtxPayloadEnumAttr_t, nvtxPayloadSchemaAttr_t, nvtxwResultCode_t,
    nvtxwSessionAttributes_t,
};
use std::ffi::{c_char, c_void};

/// The backend's entry point.
pub(crate) const GET_INTERFACE: &[u8] = b"nvtxwGetInterface\0";

/// The environment variable that names the backend for all users of NVIDIA's loader.
pub(crate) const NVTXW_LIBRARY_ENV_VAR: &str = "NVTXW3_LIBRARY";

/// The version of [`nvtxwInterface_t`].
pub(crate) const NVTXW_INTERFACE_VERSION: i32 = 2;

/// The backend has the call but does not support it.
pub(crate) const NVTXW_RESULT_NOT_SUPPORTED: nvtxwResultCode_t = 7;

/// No scope.
pub(crate) const NVTX_SCOPE_NONE: u64 = 0;
/// The root of all scopes.
pub(crate) const NVTX_SCOPE_ROOT: u64 = 1;

/// No time domain: the source of the timestamps is not specified.
pub(crate) const NVTX_TIME_DOMAIN_ID_NONE: u64 = 0;
/// Nanoseconds since 1970 (UTC). A timestamp type that can be used as a time domain.
pub(crate) const NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_REALTIME: u64 = 12;

/// The schema's events are ranges that nest within their stream.
pub(crate) const NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_PUSHPOP: u64 = 2 << 3;
/// The schema's events are ranges that may overlap in any way.
pub(crate) const NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_STARTEND: u64 = 3 << 3;

/// An opaque session.
pub(crate) type nvtxwSessionHandle_t = *mut c_void;
/// An opaque stream.
pub(crate) type nvtxwStreamHandle_t = *mut c_void;
/// An opaque domain, owned by its session.
pub(crate) type nvtxDomainHandle_t = *mut c_void;
/// An opaque string, owned by its domain.
pub(crate) type nvtxStringHandle_t = *mut c_void;

/// The attributes of a domain.
#[repr(C)]
pub(crate) struct nvtxwDomainAttributes_t {
    /// Size of this struct.
    pub(crate) structSize: usize,
    /// Its name.
    pub(crate) name: *const c_char,
}

/// The attributes of a scope.
#[repr(C)]
pub(crate) struct nvtxScopeAttr_t {
    /// Size of this struct.
    pub(crate) structSize: usize,
    /// Nodes separated by `/`. In names, `\` precedes `/`, `[` and `]`.
    pub(crate) path: *const c_char,
    /// The scope that the path begins at.
    pub(crate) parentScope: u64,
    /// 0: the backend chooses the id.
    pub(crate) scopeId: u64,
}

/// The attributes of a stream.
#[repr(C)]
pub(crate) struct nvtxwStreamAttributes_t {
    /// Size of this struct.
    pub(crate) structSize: usize,
    /// Its name, unique in the session.
    pub(crate) name: *const c_char,
    /// The domain of all its events.
    pub(crate) domain: nvtxDomainHandle_t,
    /// The scope of its events.
    pub(crate) scopeId: u64,
    /// The time domain of its times.
    pub(crate) timeDomainId: u64,
    /// The set of events that the order holds for.
    pub(crate) orderInterleaving: i16,
    /// The kind of order.
    pub(crate) orderingType: i16,
    /// The kind of deviation from the order.
    pub(crate) orderingSkid: i32,
    /// The amount of deviation from the order.
    pub(crate) orderingSkidAmount: i64,
}

/// A function that Weft does not call.
pub(crate) type Unused = Option<unsafe extern "C" fn()>;

/// The functions of a backend. Later minor versions fill reserved slots.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct nvtxwInterface_t {
    /// Begins a session.
    pub(crate) SessionBegin: Option<
        unsafe extern "C" fn(
            *const nvtxwSessionAttributes_t,
            *mut nvtxwSessionHandle_t,
        ) -> nvtxwResultCode_t,
    >,
    /// Ends a session, and writes the output.
    pub(crate) SessionEnd: Option<unsafe extern "C" fn(nvtxwSessionHandle_t) -> nvtxwResultCode_t>,
    /// Registers a domain.
    pub(crate) DomainRegister: Option<
        unsafe extern "C" fn(
            nvtxwSessionHandle_t,
            *const nvtxwDomainAttributes_t,
            *mut nvtxDomainHandle_t,
        ) -> nvtxwResultCode_t,
    >,
    /// Names a category.
    pub(crate) CategoryRegister:
        Option<unsafe extern "C" fn(nvtxDomainHandle_t, u32, *const c_char) -> nvtxwResultCode_t>,
    /// Registers a string.
    pub(crate) StringRegister: Option<
        unsafe extern "C" fn(
            nvtxDomainHandle_t,
            *const c_char,
            *mut nvtxStringHandle_t,
        ) -> nvtxwResultCode_t,
    >,
    /// Registers a resource.
    pub(crate) ResourceRegister: Unused,
    /// Registers a scope.
    pub(crate) ScopeRegister: Option<
        unsafe extern "C" fn(
            nvtxDomainHandle_t,
            *const nvtxScopeAttr_t,
            *mut u64,
        ) -> nvtxwResultCode_t,
    >,
    /// Registers a schema.
    pub(crate) SchemaRegister: Option<
        unsafe extern "C" fn(
            nvtxDomainHandle_t,
            *const nvtxPayloadSchemaAttr_t,
            *mut u64,
        ) -> nvtxwResultCode_t,
    >,
    /// Registers an enumeration.
    pub(crate) EnumRegister: Option<
        unsafe extern "C" fn(
            nvtxDomainHandle_t,
            *const nvtxPayloadEnumAttr_t,
            *mut u64,
        ) -> nvtxwResultCode_t,
    >,
    /// Registers a counter.
    pub(crate) CounterRegister: Unused,
    /// Registers a time domain.
    pub(crate) TimeDomainRegister: Unused,
    /// Opens a stream.
    pub(crate) StreamOpen: Option<
        unsafe extern "C" fn(
            nvtxwSessionHandle_t,
            *const nvtxwStreamAttributes_t,
            *mut nvtxwStreamHandle_t,
        ) -> nvtxwResultCode_t,
    >,
    /// Closes a stream.
    pub(crate) StreamClose: Option<unsafe extern "C" fn(nvtxwStreamHandle_t) -> nvtxwResultCode_t>,
    /// Writes one event.
    pub(crate) EventWrite: Option<
        unsafe extern "C" fn(
            nvtxwStreamHandle_t,
            *const nvtxPayloadData_t,
            usize,
        ) -> nvtxwResultCode_t,
    >,
    /// Writes events of one schema.
    pub(crate) EventBatchWrite: Unused,
    /// Writes a sample of a counter.
    pub(crate) CounterWrite: Unused,
    /// Writes that a counter has no value.
    pub(crate) CounterNoValueWrite: Unused,
    /// Writes samples.
    pub(crate) CounterBatchWrite: Unused,
    /// Relates two time domains.
    pub(crate) TimeSyncPointWrite: Unused,
    /// Relates two time domains by several points.
    pub(crate) TimeSyncPointTableWrite: Unused,
    /// Relates two time domains by a linear function.
    pub(crate) TimestampConversionFactorWrite: Unused,
    /// Slots for later minor versions.
    pub(crate) reserved: [Unused; 43],
}

/// [`GET_INTERFACE`]: returns the functions of a version.
pub(crate) type nvtxwGetInterface_t =
    unsafe extern "C" fn(i32, *mut *const c_void) -> nvtxwResultCode_t;

/// The names of the result codes, by code.
pub(crate) const RESULTS: [&str; 8] = [
    "SUCCESS",
    "FAILED",
    "INVALID_ARGUMENT",
    "LIBRARY_NOT_FOUND",
    "LIBRARY_LOAD_FAILED",
    "LIBRARY_SYMBOL_MISSING",
    "INTERFACE_VERSION_NOT_SUPPORTED",
    "NOT_SUPPORTED",
];
