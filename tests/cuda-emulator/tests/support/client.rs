//! A client of the driver, by cudarc's bindings.
#![allow(dead_code, reason = "each test target uses a part of it")]

use std::ffi::{CString, c_void};
use std::ptr;

use cudarc::driver::sys;
use cudarc::nvrtc::safe::{CompileOptions, compile_ptx_with_opts};

/// Runs a test's body in its own process.
pub(crate) fn emulated(body: impl FnOnce()) {
    emulated_with(&[], body);
}

/// Runs a test's body in its own process with these variables.
pub(crate) fn emulated_with(variables: &[(&str, &str)], body: impl FnOnce()) {
    cuda_emulator::emulated(variables, body);
}

/// Runs a body that is to fail; returns its exit code and stderr.
pub(crate) fn end_of(
    variables: &[(&str, &str)],
    body: impl FnOnce(),
) -> Option<(Option<i32>, String)> {
    let output = cuda_emulator::end_of(variables, body)?;
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.push_str(&String::from_utf8_lossy(&output.stderr));
    Some((output.status.code(), said))
}

/// Checks that a call succeeded.
#[track_caller]
pub(crate) fn check(result: sys::CUresult) {
    assert_eq!(result, sys::CUresult::CUDA_SUCCESS);
}

/// A GPU, whose context is the calling thread's.
pub(crate) struct Gpu {
    pub(crate) context: sys::CUcontext,
}

impl Gpu {
    pub(crate) fn new(ordinal: i32) -> Gpu {
        cudarc::driver::result::init().expect("a driver");
        let mut context = ptr::null_mut();
        // SAFETY: the place is our own.
        unsafe { check(sys::cuDevicePrimaryCtxRetain(&raw mut context, ordinal)) };
        let gpu = Gpu { context };
        gpu.enter();
        gpu
    }

    pub(crate) fn enter(&self) -> &Gpu {
        // SAFETY: the context exists.
        unsafe { check(sys::cuCtxSetCurrent(self.context)) };
        self
    }

    pub(crate) fn stream(&self) -> sys::CUstream {
        let mut stream = ptr::null_mut();
        // SAFETY: the place is our own.
        unsafe { check(sys::cuStreamCreate(&raw mut stream, 1)) };
        stream
    }

    pub(crate) fn event(&self) -> sys::CUevent {
        let mut event = ptr::null_mut();
        // SAFETY: the place is our own.
        unsafe { check(sys::cuEventCreate(&raw mut event, 2)) };
        event
    }

    pub(crate) fn allocate(&self, bytes: usize) -> u64 {
        let mut address = 0;
        // SAFETY: the place is our own.
        unsafe { check(sys::cuMemAlloc_v2(&raw mut address, bytes)) };
        address
    }

    pub(crate) fn pinned<T>(&self, count: usize) -> *mut T {
        let mut address = ptr::null_mut();
        // SAFETY: the place is our own.
        unsafe {
            check(sys::cuMemHostAlloc(
                &raw mut address,
                count * size_of::<T>(),
                3,
            ))
        };
        address.cast()
    }

    /// Returns the contents of device memory, after everything has run.
    pub(crate) fn read<T: Copy>(&self, address: u64, count: usize) -> Vec<T> {
        let mut read: Vec<T> = Vec::with_capacity(count);
        // SAFETY: room for `count` elements; all bits are values of the types that tests use.
        unsafe {
            check(sys::cuCtxSynchronize());
            check(sys::cuMemcpyDtoH_v2(
                read.as_mut_ptr().cast(),
                address,
                count * size_of::<T>(),
            ));
            read.set_len(count);
        }
        read
    }

    pub(crate) fn module(&self, source: &str) -> sys::CUmodule {
        let options = CompileOptions {
            options: vec![
                "--gpu-architecture=compute_90".to_owned(),
                "--fmad=false".to_owned(),
            ],
            ..CompileOptions::default()
        };
        let ptx = compile_ptx_with_opts(source, options).expect("the source compiles");
        let image = CString::new(ptx.to_src()).expect("text");
        let mut module = ptr::null_mut();
        // SAFETY: PTX, ended by a zero byte.
        unsafe {
            check(sys::cuModuleLoadData(
                &raw mut module,
                image.as_ptr().cast(),
            ))
        };
        module
    }

    pub(crate) fn kernel(&self, source: &str, name: &str) -> sys::CUfunction {
        let module = self.module(source);
        let name = CString::new(name).expect("a name");
        let mut function = ptr::null_mut();
        // SAFETY: the module is loaded; the place is our own.
        unsafe {
            check(sys::cuModuleGetFunction(
                &raw mut function,
                module,
                name.as_ptr(),
            ))
        };
        function
    }

    pub(crate) fn try_launch(
        &self,
        function: sys::CUfunction,
        stream: sys::CUstream,
        grid: [u32; 3],
        block: [u32; 3],
        args: &[u64],
    ) -> sys::CUresult {
        let mut params: Vec<*mut c_void> = args
            .iter()
            .map(|arg| (&raw const *arg).cast_mut().cast())
            .collect();
        let (params, none) = (params.as_mut_ptr(), ptr::null_mut());
        let ([x, y, z], [i, j, k]) = (grid, block);
        // SAFETY: as many arguments as the kernel has parameters, each as wide or wider.
        unsafe { sys::cuLaunchKernel(function, x, y, z, i, j, k, 0, stream, params, none) }
    }

    #[track_caller]
    pub(crate) fn launch(
        &self,
        function: sys::CUfunction,
        stream: sys::CUstream,
        grid: [u32; 3],
        block: [u32; 3],
        args: &[u64],
    ) {
        check(self.try_launch(function, stream, grid, block, args));
    }
}
