//! Functions of NVIDIA's driver, from the library that every other part of Weft uses too.
//!
//! Only the functions that Weft calls are declared: a crate with all functions of CUDA takes
//! seconds to compile. The program does not link to the driver, so it also runs on machines without
//! one.

#![allow(
    non_camel_case_types,
    non_snake_case,
    reason = "types, functions and fields have the names of cuda.h"
)]

use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ulonglong, c_ushort, c_void};
use std::sync::OnceLock;

use libloading::Library;

/// A number instead of an `enum`, because a newer driver may return unknown results.
pub(super) type CUresult = c_uint;
pub(super) type CUdevice = c_int;
pub(super) type CUdeviceptr = c_ulonglong;
pub(super) type CUcontext = *mut CUctx_st;
pub(super) type CUevent = *mut CUevent_st;
pub(super) type CUfunction = *mut CUfunc_st;
pub(super) type CUgraph = *mut CUgraph_st;
pub(super) type CUgraphExec = *mut CUgraphExec_st;
pub(super) type CUgraphNode = *mut CUgraphNode_st;
pub(super) type CUkernel = *mut CUkern_st;
pub(super) type CUmodule = *mut CUmod_st;
pub(super) type CUstream = *mut CUstream_st;

macro_rules! opaque {
    ($($name:ident)*) => {
        $(
            /// An opaque object of the driver.
            #[repr(C)]
            pub(super) struct $name {
                _unused: [u8; 0],
            }
        )*
    };
}

opaque! { CUctx_st CUevent_st CUfunc_st CUgraph_st CUgraphExec_st CUgraphNode_st CUkern_st CUmod_st CUstream_st }

/// `CUDA_ERROR_NOT_INITIALIZED`.
pub(super) const NOT_INITIALIZED: CUresult = 3;

/// Attributes of a GPU.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CUdevice_attribute {
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE = 36,
    CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH = 37,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS = 89,
}

pub(super) const CU_EVENT_DISABLE_TIMING: c_uint = 2;
pub(super) const CU_STREAM_NON_BLOCKING: c_uint = 1;
pub(super) const CU_MEM_ATTACH_GLOBAL: c_uint = 1;
pub(super) const CU_MEM_ADVISE_SET_PREFERRED_LOCATION: c_uint = 3;

#[repr(C)]
pub(super) struct CUuuid {
    pub(super) bytes: [c_char; 16],
}

/// `CUDA_KERNEL_NODE_PARAMS_v2`, the type of parameters of graph functions that end in `_v2`.
#[repr(C)]
pub(super) struct CUDA_KERNEL_NODE_PARAMS {
    pub(super) func: CUfunction,
    pub(super) gridDimX: c_uint,
    pub(super) gridDimY: c_uint,
    pub(super) gridDimZ: c_uint,
    pub(super) blockDimX: c_uint,
    pub(super) blockDimY: c_uint,
    pub(super) blockDimZ: c_uint,
    pub(super) sharedMemBytes: c_uint,
    pub(super) kernelParams: *mut *mut c_void,
    pub(super) extra: *mut *mut c_void,
    pub(super) kern: CUkernel,
    pub(super) ctx: CUcontext,
}

/// The driver's library, under the name that its installers use.
pub(super) const LIBRARY: &str = "libcuda.so.1";

/// The reason why no function can be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    /// The library is missing.
    Missing,
    /// The library lacks a function.
    Lacks(&'static str),
}

static API: OnceLock<Result<Api, Unusable>> = OnceLock::new();

/// Loads the library, once per process. It is never unloaded.
pub(super) fn load() -> Result<(), Unusable> {
    API.get_or_init(|| {
        // SAFETY: NVIDIA's library requires nothing of the process that loads it.
        let library = unsafe { Library::new(LIBRARY) }.map_err(|_| Unusable::Missing)?;
        let library = Box::leak(Box::new(library));
        // SAFETY: the library is the driver, and is never unloaded.
        unsafe { Api::load(library) }.map_err(Unusable::Lacks)
    })
    .as_ref()
    .map(|_| ())
    .map_err(|why| *why)
}

macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        /// All functions that Weft calls.
        struct Api {
            $($name: unsafe extern "C" fn($($type),*) -> CUresult,)*
        }

        impl Api {
            /// # Safety
            /// The library must be the driver, and must never be unloaded.
            unsafe fn load(library: &Library) -> Result<Api, &'static str> {
                Ok(Api {
                    // SAFETY: each function has the signature of cuda.h.
                    $($name: *unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }
                        .map_err(|_| stringify!($name))?,)*
                })
            }
        }

        $(
            /// Calls the driver's function of this name. Returns [`NOT_INITIALIZED`] if [`load`]
            /// has not found the library.
            ///
            /// # Safety
            /// As documented in cuda.h.
            #[inline]
            #[allow(clippy::too_many_arguments, reason = "of NVIDIA's function")]
            pub(super) unsafe fn $name($($argument: $type),*) -> CUresult {
                match API.get() {
                    // SAFETY: as the caller guarantees.
                    Some(Ok(api)) => unsafe { (api.$name)($($argument),*) },
                    _ => NOT_INITIALIZED,
                }
            }
        )*
    };
}

functions! {
    cuCtxEnablePeerAccess(context: CUcontext, flags: c_uint);
    cuCtxPopCurrent_v2(context: *mut CUcontext);
    cuCtxPushCurrent_v2(context: CUcontext);
    cuCtxSetCurrent(context: CUcontext);
    cuCtxSynchronize();
    cuDeviceCanAccessPeer(can: *mut c_int, device: CUdevice, peer: CUdevice);
    cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
    cuDeviceGetAttribute(value: *mut c_int, attribute: CUdevice_attribute, device: CUdevice);
    cuDeviceGetCount(count: *mut c_int);
    cuDeviceGetName(name: *mut c_char, length: c_int, device: CUdevice);
    cuDeviceGetUuid_v2(uuid: *mut CUuuid, device: CUdevice);
    cuDevicePrimaryCtxRelease_v2(device: CUdevice);
    cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
    cuDriverGetVersion(version: *mut c_int);
    cuEventCreate(event: *mut CUevent, flags: c_uint);
    cuEventDestroy_v2(event: CUevent);
    cuEventQuery(event: CUevent);
    cuEventRecord(event: CUevent, stream: CUstream);
    cuEventSynchronize(event: CUevent);
    cuGetErrorName(code: c_uint, text: *mut *const c_char);
    cuGraphAddKernelNode_v2(
        node: *mut CUgraphNode,
        graph: CUgraph,
        dependencies: *const CUgraphNode,
        count: usize,
        params: *const CUDA_KERNEL_NODE_PARAMS
    );
    cuGraphCreate(graph: *mut CUgraph, flags: c_uint);
    cuGraphDestroy(graph: CUgraph);
    cuGraphExecDestroy(exec: CUgraphExec);
    cuGraphExecKernelNodeSetParams_v2(
        exec: CUgraphExec,
        node: CUgraphNode,
        params: *const CUDA_KERNEL_NODE_PARAMS
    );
    cuGraphInstantiateWithFlags(exec: *mut CUgraphExec, graph: CUgraph, flags: c_ulonglong);
    cuGraphLaunch(exec: CUgraphExec, stream: CUstream);
    cuInit(flags: c_uint);
    cuLaunchKernel(
        function: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared: c_uint,
        stream: CUstream,
        params: *mut *mut c_void,
        extra: *mut *mut c_void
    );
    // Under these two names the library keeps the signatures with a device. The header of CUDA 13
    // renames calls to `_v2`, which takes a location.
    cuMemAdvise(address: CUdeviceptr, bytes: usize, advice: c_uint, device: CUdevice);
    cuMemPrefetchAsync(address: CUdeviceptr, bytes: usize, device: CUdevice, stream: CUstream);
    cuMemAllocManaged(address: *mut CUdeviceptr, bytes: usize, flags: c_uint);
    cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize);
    cuMemFreeHost(address: *mut c_void);
    cuMemFree_v2(address: CUdeviceptr);
    cuMemGetInfo_v2(free: *mut usize, total: *mut usize);
    cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, flags: c_uint);
    cuMemcpyAsync(to: CUdeviceptr, from: CUdeviceptr, bytes: usize, stream: CUstream);
    cuMemcpyPeerAsync(
        to: CUdeviceptr,
        to_context: CUcontext,
        from: CUdeviceptr,
        from_context: CUcontext,
        bytes: usize,
        stream: CUstream
    );
    cuMemsetD16Async(to: CUdeviceptr, value: c_ushort, count: usize, stream: CUstream);
    cuMemsetD32Async(to: CUdeviceptr, value: c_uint, count: usize, stream: CUstream);
    cuMemsetD8Async(to: CUdeviceptr, value: c_uchar, count: usize, stream: CUstream);
    cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
    cuModuleLoadData(module: *mut CUmodule, image: *const c_void);
    cuModuleUnload(module: CUmodule);
    cuStreamCreate(stream: *mut CUstream, flags: c_uint);
    cuStreamDestroy_v2(stream: CUstream);
    cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint);
}
