//! Primary contexts of GPUs, which other libraries of the process, such as cuBLAS, use too.

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::sys::{self, CUcontext, CUdevice, CUdevice_attribute};

use super::super::super::api::{GpuId, GpuInfo};
use super::super::call::{self, check};
use crate::error::DriverError;
use weft_trace::id::GpuUuid;

thread_local! {
    /// Serial number of the current context of a thread of Weft; 0 if unknown. `None` for threads
    /// of the program.
    static CURRENT: Cell<Option<u64>> = const { Cell::new(None) };
}

/// The primary context of a GPU.
#[derive(Debug)]
pub(crate) struct Context {
    handle: CUcontext,
    device: CUdevice,
    gpu: GpuId,
    /// Number of the context. Unlike a handle it is never reused.
    serial: u64,
}

// SAFETY: a context may be used from any thread that makes it current.
unsafe impl Send for Context {}
// SAFETY: the driver's functions may be called from several threads at once.
unsafe impl Sync for Context {}

/// Marks the calling thread as one of Weft, whose current context no other code changes.
pub(crate) fn enter_thread() {
    if CURRENT.get().is_none() {
        CURRENT.set(Some(0));
    }
}

/// Declares that the current context of the calling thread may have changed.
pub(super) fn forget_current() {
    if CURRENT.get().is_some() {
        CURRENT.set(Some(0));
    }
}

/// Guard that keeps the context current on this thread.
#[must_use]
pub(crate) struct Entered {
    /// Whether the context was pushed, so that the previous one becomes current again.
    is_pushed: bool,
}

impl Drop for Entered {
    fn drop(&mut self) {
        if self.is_pushed {
            let mut popped = std::ptr::null_mut();
            // SAFETY: pops the context that `Context::enter` has pushed.
            let _ = unsafe { sys::cuCtxPopCurrent_v2(&mut popped) };
        }
    }
}

impl Context {
    /// Retains the primary context of a GPU, whose number counts from the driver's `first` on. The
    /// driver must have been started.
    pub(crate) fn new(gpu: GpuId, first: usize) -> Result<Arc<Context>, DriverError> {
        static SERIAL: AtomicU64 = AtomicU64::new(1);
        let mut device = 0;
        let ordinal = c_int::try_from(first + usize::from(gpu.0)).unwrap_or(c_int::MAX);
        // SAFETY: writes a device.
        check("cuDeviceGet", unsafe {
            sys::cuDeviceGet(&mut device, ordinal)
        })?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: writes a context of a device that the driver returned.
        check("cuDevicePrimaryCtxRetain", unsafe {
            sys::cuDevicePrimaryCtxRetain(&mut handle, device)
        })?;
        Ok(Arc::new(Context {
            handle,
            device,
            gpu,
            serial: SERIAL.fetch_add(1, Ordering::Relaxed),
        }))
    }

    /// Makes the context current on this thread.
    #[inline]
    pub(crate) fn enter(&self) -> Result<Entered, DriverError> {
        match CURRENT.get() {
            Some(current) if current == self.serial => {}
            Some(_) => {
                // SAFETY: the context is alive.
                check("cuCtxSetCurrent", unsafe {
                    sys::cuCtxSetCurrent(self.handle)
                })?;
                CURRENT.set(Some(self.serial));
            }
            None => {
                // SAFETY: the context is alive, and is popped before this thread continues with its
                // own.
                check("cuCtxPushCurrent_v2", unsafe {
                    sys::cuCtxPushCurrent_v2(self.handle)
                })?;
                return Ok(Entered { is_pushed: true });
            }
        }
        Ok(Entered { is_pushed: false })
    }

    /// Returns the GPU of this context.
    pub(crate) fn gpu(&self) -> GpuId {
        self.gpu
    }

    /// Returns the GPU's ordinal among those that the process sees.
    pub(super) fn device(&self) -> c_int {
        self.device
    }

    /// Returns the handle for calls of the driver.
    pub(super) fn handle(&self) -> CUcontext {
        self.handle
    }

    /// Waits for all work in this context's streams.
    pub(crate) fn synchronize(&self) -> Result<(), DriverError> {
        let _entered = self.enter()?;
        // SAFETY: the call waits and changes nothing.
        check("cuCtxSynchronize", unsafe { sys::cuCtxSynchronize() })
    }

    /// Returns the properties of the GPU.
    pub(crate) fn info(&self) -> Result<GpuInfo, DriverError> {
        let mut text = [0u8; 256];
        // SAFETY: writes at most the given number of bytes, so the last byte stays zero.
        check("cuDeviceGetName", unsafe {
            sys::cuDeviceGetName(
                text.as_mut_ptr().cast(),
                text.len() as c_int - 1,
                self.device,
            )
        })?;
        let name = std::ffi::CStr::from_bytes_until_nul(&text).unwrap_or(c"");
        let (mut free, mut memory) = (0, 0);
        let _entered = self.enter()?;
        // SAFETY: writes two numbers.
        check("cuMemGetInfo_v2", unsafe {
            sys::cuMemGetInfo_v2(&mut free, &mut memory)
        })?;
        use CUdevice_attribute as A;
        let clock = self.attribute(A::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
        let width = self.attribute(A::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
        Ok(GpuInfo {
            name: name.to_string_lossy().into_owned(),
            memory: memory as u64,
            free: free as u64,
            capability: (
                self.attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
                self.attribute(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
            ),
            multiprocessors: self.attribute(A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
            bandwidth: bandwidth(clock.unwrap_or(0), width.unwrap_or(0)),
            uuid: self.uuid(),
            has_unified: self.attribute(A::CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS)? != 0,
        })
    }

    /// Returns the UUID of the GPU; `None` if the driver does not report one.
    fn uuid(&self) -> Option<GpuUuid> {
        let mut uuid = sys::CUuuid { bytes: [0; 16] };
        // SAFETY: writes 16 bytes.
        let result = unsafe { sys::cuDeviceGetUuid_v2(&mut uuid, self.device) };
        check("cuDeviceGetUuid_v2", result).ok()?;
        GpuUuid::from_bytes(uuid.bytes.map(|byte| byte as u8))
    }

    fn attribute(&self, which: CUdevice_attribute) -> Result<u32, DriverError> {
        let mut value = 0;
        // SAFETY: writes one number.
        check("cuDeviceGetAttribute", unsafe {
            sys::cuDeviceGetAttribute(&mut value, which, self.device)
        })?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// Lets kernels of this GPU use the memory of another, if the machine supports that. Returns
    /// whether it does.
    pub(crate) fn reach(&self, other: &Context) -> Result<bool, DriverError> {
        let mut can = 0;
        // SAFETY: writes one number.
        check("cuDeviceCanAccessPeer", unsafe {
            sys::cuDeviceCanAccessPeer(&mut can, self.device, other.device)
        })?;
        if can == 0 {
            return Ok(false);
        }
        let _entered = self.enter()?;
        // SAFETY: both contexts are alive.
        let result = unsafe { sys::cuCtxEnablePeerAccess(other.handle, 0) };
        if result != call::PEER_ACCESS_ALREADY_ENABLED {
            check("cuCtxEnablePeerAccess", result)?;
        }
        Ok(true)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: releases what `new` has retained. All objects that need the context hold it, so
        // none is alive.
        let _ = unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}

/// Returns the bandwidth in bytes per second, for a memory clock in kHz, which transfers twice per
/// cycle, and a bus width in bits.
fn bandwidth(kilohertz: u32, bits: u32) -> Option<u64> {
    let bytes = 2 * u64::from(kilohertz) * 1000 * u64::from(bits) / 8;
    (bytes > 0).then_some(bytes)
}
