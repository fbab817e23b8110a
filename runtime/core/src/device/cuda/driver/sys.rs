//! Functions of NVIDIA's driver, of the library that every other part of Weft asks too.
//!
//! `cudarc` has their types. It would load `libcuda.so` before `libcuda.so.1`: the stub of a toolkit, or another version.

#![allow(
    non_snake_case,
    reason = "functions and fields have the names of cuda.h"
)]

use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ulonglong, c_ushort, c_void};
use std::sync::OnceLock;

pub(super) use cudarc::driver::sys::{
    CUDA_KERNEL_NODE_PARAMS, CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUevent,
    CUevent_flags, CUfunction, CUgraph, CUgraphExec, CUgraphNode, CUmodule, CUresult, CUstream,
    CUstream_flags, CUuuid,
};
use libloading::Library;

/// The driver's library, by the name that its installers give it.
pub(super) const LIBRARY: &str = "libcuda.so.1";

/// Why no function can be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unusable {
    /// There is no library.
    Missing,
    /// It lacks a function.
    Lacks(&'static str),
}

static API: OnceLock<Result<Api, Unusable>> = OnceLock::new();

/// Loads the library, once for the process and for good.
pub(super) fn load() -> Result<(), Unusable> {
    API.get_or_init(|| {
        // SAFETY: NVIDIA's library asks nothing of the process that loads it.
        let library = unsafe { Library::new(LIBRARY) }.map_err(|_| Unusable::Missing)?;
        let library = Box::leak(Box::new(library));
        // SAFETY: it is the driver, and is never unloaded.
        unsafe { Api::of(library) }.map_err(Unusable::Lacks)
    })
    .as_ref()
    .map(|_| ())
    .map_err(|why| *why)
}

macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*);)*) => {
        /// Every function that is called.
        struct Api {
            $($name: unsafe extern "C" fn($($type),*) -> CUresult,)*
        }

        impl Api {
            /// # Safety
            /// The library is the driver, and is never unloaded.
            unsafe fn of(library: &Library) -> Result<Api, &'static str> {
                Ok(Api {
                    // SAFETY: each has the signature of cuda.h.
                    $($name: *unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) }
                        .map_err(|_| stringify!($name))?,)*
                })
            }
        }

        $(
            /// The driver's function of this name; `CUDA_ERROR_NOT_INITIALIZED` if [`load`] has not found the library.
            ///
            /// # Safety
            /// As in cuda.h.
            #[inline]
            #[allow(clippy::too_many_arguments, reason = "of NVIDIA's function")]
            pub(super) unsafe fn $name($($argument: $type),*) -> CUresult {
                match API.get() {
                    // SAFETY: the caller's promise.
                    Some(Ok(api)) => unsafe { (api.$name)($($argument),*) },
                    _ => CUresult::CUDA_ERROR_NOT_INITIALIZED,
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
