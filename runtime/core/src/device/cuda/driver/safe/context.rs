//! Contexts: the primary one of each GPU, which other libraries of the process (cuBLAS, for one) use too.

use std::cell::Cell;
use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::super::sys::{self, CUcontext, CUdevice, CUdevice_attribute};

use super::super::super::api::{GpuId, GpuInfo};
use super::super::super::error::DriverError;
use super::super::call::{self, check};
use weft_trace::id::GpuUuid;

thread_local! {
    /// The context that is current on this thread, where the thread is Weft's own; 0 where none is yet.
    /// `None`: the thread is somebody else's.
    static CURRENT: Cell<Option<u64>> = const { Cell::new(None) };
}

/// The primary context of a GPU.
#[derive(Debug)]
pub(crate) struct Context {
    handle: CUcontext,
    device: CUdevice,
    gpu: GpuId,
    /// Unlike the handle, never used again.
    serial: u64,
}

// SAFETY: a context may be used from any thread that makes it current.
unsafe impl Send for Context {}
// SAFETY: the driver's functions may be called from several threads at once.
unsafe impl Sync for Context {}

/// Says that the calling thread is Weft's own: nobody else changes its current context.
pub(crate) fn enter_thread() {
    if CURRENT.get().is_none() {
        CURRENT.set(Some(0));
    }
}

/// Says that the current context of the calling thread may be another one now.
pub(super) fn forget_current() {
    if CURRENT.get().is_some() {
        CURRENT.set(Some(0));
    }
}

/// As long as this lives the context is current on this thread.
#[must_use]
pub(crate) struct Entered {
    /// Whether another one may have been current, which becomes so again.
    is_pushed: bool,
}

impl Drop for Entered {
    fn drop(&mut self) {
        if self.is_pushed {
            let mut popped = std::ptr::null_mut();
            // SAFETY: takes off what `Context::enter` has put on.
            let _ = unsafe { sys::cuCtxPopCurrent_v2(&mut popped) };
        }
    }
}

impl Context {
    /// Takes the primary context of a GPU, whose number counts from the driver's `first` one on. The driver has been started.
    pub(crate) fn new(gpu: GpuId, first: usize) -> Result<Arc<Context>, DriverError> {
        static SERIAL: AtomicU64 = AtomicU64::new(1);
        let mut device = 0;
        let ordinal = c_int::try_from(first + usize::from(gpu.0)).unwrap_or(c_int::MAX);
        // SAFETY: writes a device.
        check("cuDeviceGet", unsafe {
            sys::cuDeviceGet(&mut device, ordinal)
        })?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: writes a context of a device that the driver named.
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

    /// Makes it current on this thread.
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
                // SAFETY: the context is alive, and is taken off before this thread goes on with its own.
                check("cuCtxPushCurrent_v2", unsafe {
                    sys::cuCtxPushCurrent_v2(self.handle)
                })?;
                return Ok(Entered { is_pushed: true });
            }
        }
        Ok(Entered { is_pushed: false })
    }

    /// Which GPU's.
    pub(crate) fn gpu(&self) -> GpuId {
        self.gpu
    }

    /// The GPU's ordinal among those that the process sees.
    pub(super) fn device(&self) -> c_int {
        self.device
    }

    /// For calls that name a context.
    pub(super) fn handle(&self) -> CUcontext {
        self.handle
    }

    /// Waits for all work of the GPU that this context's streams hold.
    pub(crate) fn synchronize(&self) -> Result<(), DriverError> {
        let _entered = self.enter()?;
        // SAFETY: waits, and changes nothing.
        check("cuCtxSynchronize", unsafe { sys::cuCtxSynchronize() })
    }

    /// Looks at the GPU.
    pub(crate) fn info(&self) -> Result<GpuInfo, DriverError> {
        let mut text = [0u8; 256];
        // SAFETY: writes at most the given number of bytes, which leaves a zero at the end.
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
        })
    }

    /// The UUID of the GPU; `None` if the driver does not say.
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

    /// Lets kernels of this GPU use the memory of another, where the machine can do that; says whether.
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
        // SAFETY: gives back what `new` has taken; nothing that needs it is alive, since all hold it.
        let _ = unsafe { sys::cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}

/// Bytes a second by the clock of memory in kHz, which moves twice a cycle, and the width of its bus in bits.
fn bandwidth(kilohertz: u32, bits: u32) -> Option<u64> {
    let bytes = 2 * u64::from(kilohertz) * 1000 * u64::from(bits) / 8;
    (bytes > 0).then_some(bytes)
}
