//! CUPTI's functions, called through a table; codes as errors.

#![allow(
    unsafe_code,
    reason = "CUPTI's functions are called by the signatures of its headers"
)]

mod load;
mod walk;

use std::ffi::{CStr, c_char, c_void};
use std::ptr::{null, null_mut};

use weft_trace::cupti::ApiKind;

use super::error::CuptiError;
use super::sys::{self, *};

pub(super) use load::api;

macro_rules! table {
    ($($name:ident),* $(,)?) => {
        /// The functions of the loaded library. It is never unloaded: its thread-local destructors
        /// call it when a thread ends.
        #[allow(non_snake_case, reason = "the names of NVIDIA's headers")]
        pub(super) struct Api {
            $($name: sys::$name,)*
        }

        impl Api {
            /// Looks up all functions.
            ///
            /// # Safety
            /// The library is CUPTI, and stays loaded.
            unsafe fn load(library: &libloading::Library) -> Result<Api, &'static str> {
                Ok(Api {
                    $($name: {
                        let symbol = concat!(stringify!($name), "\0").as_bytes();
                        // SAFETY: CUPTI's function of this name has this type.
                        match unsafe { library.get::<sys::$name>(symbol) } {
                            Ok(function) => *function,
                            Err(_) => return Err(stringify!($name)),
                        }
                    },)*
                })
            }
        }
    };
}

table!(
    cuptiGetTimestamp,
    cuptiGetResultString,
    cuptiSubscribe,
    cuptiUnsubscribe,
    cuptiEnableCallback,
    cuptiGetCallbackName,
    cuptiGetGraphNodeId,
    cuptiSetThreadIdType,
    cuptiActivityConfigureUnifiedMemoryCounter,
    cuptiActivityRegisterCallbacks,
    cuptiActivityEnable,
    cuptiActivityDisable,
    cuptiActivityFlushAll,
    cuptiActivityGetNextRecord,
    cuptiActivityGetNumDroppedRecords,
    cuptiActivityPushExternalCorrelationId,
    cuptiActivityPopExternalCorrelationId,
);

/// The registration for callbacks; a process has at most one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subscriber(CUpti_SubscriberHandle);

// SAFETY: a handle that any thread may pass to CUPTI.
unsafe impl Send for Subscriber {}
// SAFETY: as above.
unsafe impl Sync for Subscriber {}

impl Api {
    /// `cuptiSubscribe`.
    pub(super) fn subscribe(&self, callback: CUpti_CallbackFunc) -> Result<Subscriber, CuptiError> {
        let mut handle = null_mut();
        // SAFETY: the handle is writable, and the callback is a function, which outlives the
        // subscription.
        match unsafe { (self.cuptiSubscribe)(&mut handle, callback, null_mut()) } {
            CUPTI_SUCCESS => Ok(Subscriber(handle)),
            // Versions before 12.x report that the limit is reached.
            CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED | CUPTI_ERROR_MAX_LIMIT_REACHED => {
                Err(CuptiError::Held)
            }
            code => Err(self.error("cuptiSubscribe", code)),
        }
    }

    /// `cuptiUnsubscribe`.
    pub(super) fn unsubscribe(&self, subscriber: Subscriber) -> Result<(), CuptiError> {
        // SAFETY: the handle came from `subscribe`.
        self.check("cuptiUnsubscribe", unsafe {
            (self.cuptiUnsubscribe)(subscriber.0)
        })
    }

    /// `cuptiEnableCallback`.
    pub(super) fn enable_callback(
        &self,
        subscriber: Subscriber,
        domain: u32,
        callback: u32,
    ) -> Result<(), CuptiError> {
        // SAFETY: the handle came from `subscribe`.
        self.check("cuptiEnableCallback", unsafe {
            (self.cuptiEnableCallback)(1, subscriber.0, domain, callback)
        })
    }

    /// `cuptiSetThreadIdType`: threads by the numbers of the operating system.
    pub(super) fn number_threads_as_the_system(&self) -> Result<(), CuptiError> {
        // SAFETY: takes a number.
        self.check("cuptiSetThreadIdType", unsafe {
            (self.cuptiSetThreadIdType)(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM)
        })
    }

    /// `cuptiActivityRegisterCallbacks`.
    pub(super) fn register(
        &self,
        request: CUpti_BuffersCallbackRequestFunc,
        complete: CUpti_BuffersCallbackCompleteFunc,
    ) -> Result<(), CuptiError> {
        // SAFETY: both are functions.
        self.check("cuptiActivityRegisterCallbacks", unsafe {
            (self.cuptiActivityRegisterCallbacks)(request, complete)
        })
    }

    /// `cuptiActivityEnable`.
    pub(super) fn enable(&self, kind: u32) -> Result<(), CuptiError> {
        // SAFETY: takes a number.
        self.check("cuptiActivityEnable", unsafe {
            (self.cuptiActivityEnable)(kind)
        })
    }

    /// `cuptiActivityConfigureUnifiedMemoryCounter`, which chooses kinds of counters for
    /// [`enable`](Self::enable).
    pub(super) fn choose_counters(
        &self,
        counters: &mut [CUpti_ActivityUnifiedMemoryCounterConfig],
    ) -> Result<(), CuptiError> {
        let count = u32::try_from(counters.len()).unwrap_or(0);
        // SAFETY: reads as many structs.
        self.check("cuptiActivityConfigureUnifiedMemoryCounter", unsafe {
            (self.cuptiActivityConfigureUnifiedMemoryCounter)(counters.as_mut_ptr(), count)
        })
    }

    /// `cuptiActivityDisable`.
    pub(super) fn disable(&self, kind: u32) -> Result<(), CuptiError> {
        // SAFETY: takes a number.
        self.check("cuptiActivityDisable", unsafe {
            (self.cuptiActivityDisable)(kind)
        })
    }

    /// `cuptiActivityFlushAll`: flushes buffers whose activities have ended; if forced, all
    /// buffers.
    pub(super) fn flush(&self, is_forced: bool) -> Result<(), CuptiError> {
        let flag = if is_forced {
            CUPTI_ACTIVITY_FLAG_FLUSH_FORCED
        } else {
            0
        };
        // SAFETY: takes a number.
        self.check("cuptiActivityFlushAll", unsafe {
            (self.cuptiActivityFlushAll)(flag)
        })
    }

    /// `cuptiActivityGetNumDroppedRecords`: the number since the last call.
    pub(super) fn dropped(&self, context: CUcontext, stream: u32) -> Result<usize, CuptiError> {
        let mut dropped = 0;
        // SAFETY: the context was passed by CUPTI with the buffer; the number is writable.
        let code =
            unsafe { (self.cuptiActivityGetNumDroppedRecords)(context, stream, &mut dropped) };
        self.check("cuptiActivityGetNumDroppedRecords", code)?;
        Ok(dropped)
    }

    /// `cuptiActivityPushExternalCorrelationId`: returns whether the id was taken.
    #[inline]
    pub(super) fn push(&self, id: u64) -> bool {
        // SAFETY: takes numbers.
        let code = unsafe {
            (self.cuptiActivityPushExternalCorrelationId)(
                CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0,
                id,
            )
        };
        code == CUPTI_SUCCESS
    }

    /// `cuptiActivityPopExternalCorrelationId`.
    #[inline]
    pub(super) fn pop(&self) {
        let mut last = 0;
        // A thread pops what it pushed, so this cannot fail.
        // SAFETY: the number is writable.
        unsafe {
            (self.cuptiActivityPopExternalCorrelationId)(
                CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0,
                &mut last,
            )
        };
    }

    /// `cuptiGetTimestamp`, in ns; `None` if it fails.
    pub(super) fn timestamp(&self) -> Option<u64> {
        let mut now = 0;
        // SAFETY: the number is writable.
        let code = unsafe { (self.cuptiGetTimestamp)(&mut now) };
        (code == CUPTI_SUCCESS && now != 0).then_some(now)
    }

    /// `cuptiGetCallbackName`: the name of a function of CUDA.
    pub(super) fn function_name(&self, kind: ApiKind, function: u32) -> Option<String> {
        let domain = match kind {
            ApiKind::Driver => CUPTI_CB_DOMAIN_DRIVER_API,
            ApiKind::Runtime => CUPTI_CB_DOMAIN_RUNTIME_API,
        };
        let mut name = null();
        // SAFETY: the pointer is writable.
        let code = unsafe { (self.cuptiGetCallbackName)(domain, function, &mut name) };
        (code == CUPTI_SUCCESS).then(|| text(name)).flatten()
    }

    /// `cuptiGetGraphNodeId`; `None` if the node has no id.
    ///
    /// # Safety
    /// The node exists.
    pub(super) unsafe fn node_id(&self, node: *mut c_void) -> Option<u64> {
        let mut id = 0;
        // SAFETY: the caller's promise; the number is writable.
        let code = unsafe { (self.cuptiGetGraphNodeId)(node, &mut id) };
        (code == CUPTI_SUCCESS).then_some(id)
    }

    fn check(&self, call: &'static str, code: CUptiResult) -> Result<(), CuptiError> {
        match code {
            CUPTI_SUCCESS => Ok(()),
            code => Err(self.error(call, code)),
        }
    }

    fn error(&self, call: &'static str, code: CUptiResult) -> CuptiError {
        let mut name = null();
        // SAFETY: the pointer is writable.
        let known = unsafe { (self.cuptiGetResultString)(code, &mut name) } == CUPTI_SUCCESS;
        let name = known.then(|| text(name)).flatten();
        CuptiError::Call {
            call,
            code,
            name: name.unwrap_or_else(|| "unknown".to_owned()),
        }
    }
}

/// Copies a string that CUPTI owns.
fn text(name: *const c_char) -> Option<String> {
    if name.is_null() {
        return None;
    }
    // SAFETY: not null; CUPTI's names are C strings that stay valid.
    let name = unsafe { CStr::from_ptr(name) };
    Some(name.to_string_lossy().into_owned())
}
