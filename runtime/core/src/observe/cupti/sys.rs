//! The parts of `cupti.h` that are used, under their own names.

#![allow(
    non_camel_case_types,
    non_snake_case,
    reason = "the names of NVIDIA's headers"
)]

use std::ffi::{c_char, c_void};

pub(super) type CUptiResult = u32;
pub(super) const CUPTI_SUCCESS: CUptiResult = 0;
pub(super) const CUPTI_ERROR_MAX_LIMIT_REACHED: CUptiResult = 12;
pub(super) const CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED: CUptiResult = 39;

pub(super) type CUcontext = *mut c_void;
pub(super) type CUgraphNode = *mut c_void;
pub(super) type CUpti_SubscriberHandle = *mut c_void;

pub(super) const CUPTI_CB_DOMAIN_DRIVER_API: u32 = 1;
pub(super) const CUPTI_CB_DOMAIN_RUNTIME_API: u32 = 2;
pub(super) const CUPTI_CB_DOMAIN_RESOURCE: u32 = 3;
pub(super) const CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED: u32 = 20;
pub(super) const CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0: u32 = 3;
pub(super) const CUPTI_ACTIVITY_FLAG_FLUSH_FORCED: u32 = 1;
pub(super) const CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM: u32 = 1;

/// The argument of a callback about resources.
#[repr(C)]
pub(super) struct CUpti_ResourceData {
    pub(super) context: CUcontext,
    pub(super) resourceHandle: *mut c_void,
    pub(super) resourceDescriptor: *mut c_void,
}

/// The target of `resourceDescriptor` in callbacks about graphs.
#[repr(C)]
pub(super) struct CUpti_GraphData {
    pub(super) graph: *mut c_void,
    pub(super) originalGraph: *mut c_void,
    pub(super) node: CUgraphNode,
    pub(super) originalNode: CUgraphNode,
    pub(super) nodeType: u32,
    pub(super) dependency: CUgraphNode,
    pub(super) graphExec: *mut c_void,
}

/// A choice of a kind of counter of unified memory.
#[repr(C)]
pub(super) struct CUpti_ActivityUnifiedMemoryCounterConfig {
    /// Deprecated.
    pub(super) scope: u32,
    pub(super) kind: u32,
    /// Deprecated.
    pub(super) deviceId: u32,
    pub(super) enable: u32,
}

/// `CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_ALL_DEVICES`.
pub(super) const ALL_DEVICES: u32 = 2;
/// The last `CUpti_ActivityUnifiedMemoryCounterKind` that every version has: remote map.
pub(super) const LAST_COUNTER: u32 = 7;

pub(super) type cuptiActivityConfigureUnifiedMemoryCounter =
    unsafe extern "C" fn(*mut CUpti_ActivityUnifiedMemoryCounterConfig, u32) -> CUptiResult;
pub(super) type CUpti_CallbackFunc =
    unsafe extern "C" fn(userdata: *mut c_void, domain: u32, cbid: u32, cbdata: *const c_void);
pub(super) type CUpti_BuffersCallbackRequestFunc =
    unsafe extern "C" fn(buffer: *mut *mut u8, size: *mut usize, maxNumRecords: *mut usize);
pub(super) type CUpti_BuffersCallbackCompleteFunc = unsafe extern "C" fn(
    context: CUcontext,
    streamId: u32,
    buffer: *mut u8,
    size: usize,
    validSize: usize,
);

pub(super) type cuptiGetVersion = unsafe extern "C" fn(*mut u32) -> CUptiResult;
pub(super) type cuptiGetTimestamp = unsafe extern "C" fn(*mut u64) -> CUptiResult;
pub(super) type cuptiGetResultString =
    unsafe extern "C" fn(CUptiResult, *mut *const c_char) -> CUptiResult;
pub(super) type cuptiSubscribe = unsafe extern "C" fn(
    *mut CUpti_SubscriberHandle,
    CUpti_CallbackFunc,
    *mut c_void,
) -> CUptiResult;
pub(super) type cuptiUnsubscribe = unsafe extern "C" fn(CUpti_SubscriberHandle) -> CUptiResult;
pub(super) type cuptiEnableCallback =
    unsafe extern "C" fn(u32, CUpti_SubscriberHandle, u32, u32) -> CUptiResult;
pub(super) type cuptiGetCallbackName =
    unsafe extern "C" fn(u32, u32, *mut *const c_char) -> CUptiResult;
pub(super) type cuptiGetGraphNodeId = unsafe extern "C" fn(CUgraphNode, *mut u64) -> CUptiResult;
pub(super) type cuptiSetThreadIdType = unsafe extern "C" fn(u32) -> CUptiResult;
pub(super) type cuptiActivityRegisterCallbacks = unsafe extern "C" fn(
    CUpti_BuffersCallbackRequestFunc,
    CUpti_BuffersCallbackCompleteFunc,
) -> CUptiResult;
pub(super) type cuptiActivityEnable = unsafe extern "C" fn(u32) -> CUptiResult;
pub(super) type cuptiActivityDisable = unsafe extern "C" fn(u32) -> CUptiResult;
pub(super) type cuptiActivityFlushAll = unsafe extern "C" fn(u32) -> CUptiResult;
pub(super) type cuptiActivityGetNextRecord =
    unsafe extern "C" fn(*mut u8, usize, *mut *mut u8) -> CUptiResult;
pub(super) type cuptiActivityGetNumDroppedRecords =
    unsafe extern "C" fn(CUcontext, u32, *mut usize) -> CUptiResult;
pub(super) type cuptiActivityPushExternalCorrelationId =
    unsafe extern "C" fn(u32, u64) -> CUptiResult;
pub(super) type cuptiActivityPopExternalCorrelationId =
    unsafe extern "C" fn(u32, *mut u64) -> CUptiResult;
