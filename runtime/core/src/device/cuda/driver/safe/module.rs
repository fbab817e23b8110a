//! Compiled kernels that are loaded on a GPU.

use std::ffi::CString;
use std::sync::Arc;

use super::super::sys::{self, CUfunction, CUmodule};

use super::super::call::check;
use super::Context;
use crate::error::DriverError;

/// A kernel on a GPU, with its module, which has no other kernel.
#[derive(Debug)]
pub(crate) struct Function {
    handle: CUfunction,
    _module: Module,
}

// SAFETY: a function may be launched from any thread.
unsafe impl Send for Function {}
// SAFETY: the driver's functions may be called from several threads at once.
unsafe impl Sync for Function {}

#[derive(Debug)]
struct Module {
    handle: CUmodule,
    context: Arc<Context>,
}

impl Function {
    /// Loads the kernel `name` of an image: a cubin, or PTX with a zero byte at the end.
    pub(crate) fn new(
        context: &Arc<Context>,
        image: &[u8],
        name: &str,
    ) -> Result<Self, DriverError> {
        let unfit = || DriverError::Compile {
            kernel: name.into(),
            log: "the compiled code has no such kernel".into(),
        };
        let c_name = CString::new(name).map_err(|_| unfit())?;
        let _entered = context.enter()?;
        let mut handle = std::ptr::null_mut();
        // SAFETY: the image is complete: a cubin contains its own length, and a zero byte ends PTX.
        check("cuModuleLoadData", unsafe {
            sys::cuModuleLoadData(&mut handle, image.as_ptr().cast())
        })?;
        let module = Module {
            handle,
            context: context.clone(),
        };
        let mut function = std::ptr::null_mut();
        // SAFETY: the module is alive, and the name ends with a zero byte.
        check("cuModuleGetFunction", unsafe {
            sys::cuModuleGetFunction(&mut function, module.handle, c_name.as_ptr())
        })?;
        Ok(Function {
            handle: function,
            _module: module,
        })
    }

    pub(super) fn handle(&self) -> CUfunction {
        self.handle
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        let _entered = self.context.enter();
        // SAFETY: this value owns the module, and its function is dropped with it.
        let _ = unsafe { sys::cuModuleUnload(self.handle) };
    }
}
