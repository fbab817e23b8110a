//! cuBLAS: products of matrices, and factors of batches of matrices.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::Arc;

use weft_config::machine::library::CudaLibrary;

use super::super::super::api::WORKSPACE;
use super::super::super::factor::{Factoring, Routine};
use super::super::super::work::{Address, Gemm};
use super::super::column_major::{Operand, Product};
use super::vendor::{Loaded, Typed, Vendor};
use super::{Context, DeviceMemory, Stream};
use crate::dtype::DType;
use crate::error::DriverError;

/// `cublasHandle_t`.
type Handle = *mut c_void;

/// `CUBLAS_DEFAULT_MATH`.
const DEFAULT_MATH: u32 = 0;
/// `CUBLAS_TF32_TENSOR_OP_MATH`.
const TF32_TENSOR_OP_MATH: u32 = 3;

/// The functions. The library is also found in toolkits and Python environments, and a missing
/// function is an error.
struct Functions {
    create: unsafe extern "C" fn(*mut Handle) -> u32,
    destroy: unsafe extern "C" fn(Handle) -> u32,
    set_stream: unsafe extern "C" fn(Handle, *mut c_void) -> u32,
    set_workspace: unsafe extern "C" fn(Handle, *mut c_void, usize) -> u32,
    set_math_mode: unsafe extern "C" fn(Handle, u32) -> u32,
    gemm: Typed<Gemms>,
    getrf_batched: Typed<GetrfBatched>,
    getrs_batched: Typed<GetrsBatched>,
    status_name: unsafe extern "C" fn(u32) -> *const c_char,
    _library: Vendor,
}

/// `cublasSgemm_v2_64` and its like. Elements are behind pointers.
type Gemms = unsafe extern "C" fn(
    Handle,
    u32,
    u32,
    i64,
    i64,
    i64,
    *const c_void,
    *const c_void,
    i64,
    *const c_void,
    i64,
    *const c_void,
    *mut c_void,
    i64,
) -> u32;

/// `cublasSgetrfBatched` and its like: matrices are named by a vector of addresses.
type GetrfBatched = unsafe extern "C" fn(
    Handle,
    c_int,
    *const *mut c_void,
    c_int,
    *mut c_int,
    *mut c_int,
    c_int,
) -> u32;

/// `cublasSgetrsBatched` and its like. The last `info` is on the host.
type GetrsBatched = unsafe extern "C" fn(
    Handle,
    u32,
    c_int,
    c_int,
    *const *const c_void,
    c_int,
    *const c_int,
    *const *mut c_void,
    c_int,
    *mut c_int,
    c_int,
) -> u32;

impl Functions {
    fn get() -> Result<&'static Functions, DriverError> {
        static FUNCTIONS: Loaded<Functions> = Loaded::new();
        FUNCTIONS.get(Functions::load)
    }

    fn load() -> Result<Functions, DriverError> {
        let library = Vendor::load(CudaLibrary::Cublas)?;
        // SAFETY: the fields have the types that cublas_v2.h and cublas_api.h of CUDA 12.0 and
        // later declare.
        unsafe {
            Ok(Functions {
                create: library.function("cublasCreate_v2")?,
                destroy: library.function("cublasDestroy_v2")?,
                set_stream: library.function("cublasSetStream_v2")?,
                set_workspace: library.function("cublasSetWorkspace_v2")?,
                set_math_mode: library.function("cublasSetMathMode")?,
                gemm: Typed::load(
                    &library,
                    [
                        "cublasSgemm_v2_64",
                        "cublasDgemm_v2_64",
                        "cublasCgemm_v2_64",
                        "cublasZgemm_v2_64",
                    ],
                )?,
                getrf_batched: Typed::load(
                    &library,
                    [
                        "cublasSgetrfBatched",
                        "cublasDgetrfBatched",
                        "cublasCgetrfBatched",
                        "cublasZgetrfBatched",
                    ],
                )?,
                getrs_batched: Typed::load(
                    &library,
                    [
                        "cublasSgetrsBatched",
                        "cublasDgetrsBatched",
                        "cublasCgetrsBatched",
                        "cublasZgetrsBatched",
                    ],
                )?,
                status_name: library.function("cublasGetStatusName")?,
                _library: library,
            })
        }
    }
}

impl Functions {
    fn check(&self, call: &'static str, code: u32) -> Result<(), DriverError> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: accepts any number.
        let text = unsafe { (self.status_name)(code) };
        let name = if text.is_null() {
            "a status without a name".into()
        } else {
            // SAFETY: cuBLAS returns a zero-terminated text of its own.
            let text = unsafe { CStr::from_ptr(text) };
            text.to_string_lossy().into_owned()
        };
        Err(DriverError::Call { call, code, name })
    }
}

/// A complex number, aligned as NVIDIA's types are. A routine for real numbers reads only the real
/// part.
#[repr(C, align(16))]
struct Number<T>([T; 2]);

/// cuBLAS for one stream, used by one thread at a time.
pub(crate) struct Blas {
    handle: Handle,
    functions: &'static Functions,
    context: Arc<Context>,
    /// The workspace, if the driver allocated it.
    _workspace: Option<DeviceMemory>,
}

// SAFETY: a handle may be used from any thread, by one at a time; its users take it by `&mut`.
unsafe impl Send for Blas {}

impl std::fmt::Debug for Blas {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Blas").finish_non_exhaustive()
    }
}

impl Blas {
    /// Creates a handle for a stream. `tf32` allows rounding operands to TF32. `given` is the
    /// address of a workspace; without it the handle allocates one.
    pub(crate) fn new(
        stream: &Stream,
        tf32: bool,
        given: Option<Address>,
    ) -> Result<Self, DriverError> {
        let functions = Functions::get()?;
        let _entered = stream.enter()?;
        let own = match given {
            Some(_) => None,
            None => Some(DeviceMemory::new(stream.context(), WORKSPACE)?),
        };
        let workspace = given.or_else(|| own.as_ref().map(DeviceMemory::address));
        let mut handle: Handle = std::ptr::null_mut();
        // SAFETY: writes a handle of the GPU whose context is current.
        let code = unsafe { (functions.create)(&mut handle) };
        functions.check("cublasCreate_v2", code)?;
        let blas = Blas {
            handle,
            functions,
            context: stream.context().clone(),
            _workspace: own,
        };
        let math = if tf32 {
            TF32_TENSOR_OP_MATH
        } else {
            DEFAULT_MATH
        };
        // SAFETY: handle and stream are alive.
        let code = unsafe { (functions.set_stream)(handle, stream.handle().cast()) };
        functions.check("cublasSetStream_v2", code)?;
        let workspace = address(workspace.unwrap_or(0));
        // SAFETY: the workspace stays allocated while the handle has work in the stream. Setting
        // the stream resets the workspace, so it is set after that.
        let code = unsafe { (functions.set_workspace)(handle, workspace, WORKSPACE) };
        functions.check("cublasSetWorkspace_v2", code)?;
        // SAFETY: the handle is alive.
        let code = unsafe { (functions.set_math_mode)(handle, math) };
        functions.check("cublasSetMathMode", code)?;
        Ok(blas)
    }

    /// Puts a product into the stream.
    ///
    /// # Safety
    /// The matrices must stay allocated, and the result must have no other user, until the product
    /// has run. The stream's context must be current.
    pub(crate) unsafe fn product(&mut self, gemm: &Gemm) -> Result<(), DriverError> {
        let (name, call) = self.functions.gemm.select(gemm.dtype);
        let [one, zero]: [*const c_void; 2] = match gemm.dtype.real() {
            DType::F32 => [&Number([1.0_f32, 0.0]), &Number([0.0; 2])]
                .map(|number| ptr::from_ref(number).cast()),
            _ => [&Number([1.0_f64, 0.0]), &Number([0.0; 2])]
                .map(|number| ptr::from_ref(number).cast()),
        };
        let Product { m, n, k, a, b, c } = Product::from_gemm(gemm);
        let pointer = |operand: &Operand| address::<c_void>(operand.start);
        // SAFETY: as the caller guarantees; both factors are on the host, which is what a new
        // handle expects.
        let code = unsafe {
            call(
                self.handle,
                a.transposition as u32,
                b.transposition as u32,
                m,
                n,
                k,
                one,
                pointer(&a),
                a.leading,
                pointer(&b),
                b.leading,
                zero,
                pointer(&c),
                c.leading,
            )
        };
        self.functions.check(name, code)
    }
}

/// A batched routine, with its sizes as cuBLAS takes them.
struct Batch {
    n: c_int,
    count: c_int,
    a: Address,
    pivots: Address,
    /// Number of columns and addresses of right sides, if the routine solves with factors.
    sides: Option<(c_int, Address)>,
}

impl Batch {
    fn from_routine(routine: &Routine) -> Option<Batch> {
        let int = |size: usize| c_int::try_from(size).ok();
        Some(match *routine {
            Routine::GetrfBatched {
                n,
                a,
                pivots,
                count,
            } => Batch {
                n: int(n)?,
                count: int(count)?,
                a,
                pivots,
                sides: None,
            },
            Routine::GetrsBatched {
                n,
                sides,
                a,
                pivots,
                b,
                count,
            } => Batch {
                n: int(n)?,
                count: int(count)?,
                a,
                pivots,
                sides: Some((int(sides)?, b)),
            },
            _ => return None,
        })
    }
}

fn address<T>(address: Address) -> *mut T {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

impl Blas {
    /// Puts a batched routine into the stream; it must be one of [cuBLAS](Routine::is_of_cublas).
    ///
    /// # Safety
    /// As for [`product`](Self::product), for all matrices of the batch and the vectors of their
    /// addresses.
    pub(crate) unsafe fn factor(&mut self, factoring: &Factoring) -> Result<(), DriverError> {
        let Some(batch) = Batch::from_routine(&factoring.routine) else {
            return Err(DriverError::Call {
                call: "cublasXgetrfBatched",
                code: 7,
                name: "sizes that do not fit 31 bits".to_owned(),
            });
        };
        let Batch {
            n,
            count,
            a,
            pivots,
            sides,
        } = batch;
        let info = address(factoring.info);
        let (name, getrf) = self.functions.getrf_batched.select(factoring.dtype);
        let Some((sides, b)) = sides else {
            // SAFETY: as the caller guarantees.
            let code =
                unsafe { getrf(self.handle, n, address(a), n, address(pivots), info, count) };
            return self.functions.check(name, code);
        };
        let (name, getrs) = self.functions.getrs_batched.select(factoring.dtype);
        let mut verdict = 0;
        // SAFETY: as the caller guarantees. `verdict`, which concerns only the arguments, is
        // written before the call returns.
        let code = unsafe {
            getrs(
                self.handle,
                0,
                n,
                sides,
                address(a),
                n,
                address(pivots),
                address(b),
                n,
                &mut verdict,
                count,
            )
        };
        self.functions.check(name, code)
    }
}

impl Drop for Blas {
    fn drop(&mut self) {
        let _entered = self.context.enter();
        // SAFETY: this value owns the handle; the workspace is freed after it.
        let _ = unsafe { (self.functions.destroy)(self.handle) };
    }
}
