//! cuSOLVER: factors of matrices, eigenvalues and singular values.

mod host;

use std::ffi::{c_char, c_int, c_void};

use weft_config::machine::library::CudaLibrary;

use super::super::super::factor::{Factoring, Routine, Vectors};
use super::super::super::work::Address;
use super::Stream;
use super::vendor::{Loaded, Typed, Vendor};
use crate::at_exit;
use crate::dtype::DType;
use crate::error::DriverError;
use host::HostMemory;

/// `cusolverDnHandle_t` and `cusolverDnParams_t`.
type Opaque = *mut c_void;
type Status = u32;
/// `cudaDataType`.
type DataType = u32;

/// `CUBLAS_FILL_MODE_UPPER`.
const UPPER: u32 = 1;
/// `CUBLAS_OP_N`.
const NOT_TRANSPOSED: u32 = 0;
/// `CUSOLVER_EIG_MODE_NOVECTOR`.
const NO_VECTORS: u32 = 0;

macro_rules! functions {
    (
        $($field:ident = $name:literal($($type:ty),* $(,)?);)*
        @typed $($of_each:ident = $names:expr, ($($argument:ty),* $(,)?);)*
        @newer $($newer:ident = $newer_name:literal($($newer_type:ty),* $(,)?);)*
    ) => {
        /// The functions. The library is also found in toolkits and Python environments. A missing
        /// function is an error; if a newer one is missing, only calls of it fail.
        struct Functions {
            $($field: unsafe extern "C" fn($($type),*) -> Status,)*
            $($of_each: Typed<unsafe extern "C" fn($($argument),*) -> Status>,)*
            $($newer: Result<unsafe extern "C" fn($($newer_type),*) -> Status, DriverError>,)*
            _library: Vendor,
        }

        impl Functions {
            fn load() -> Result<Functions, DriverError> {
                let library = Vendor::load(CudaLibrary::Cusolver)?;
                // SAFETY: the fields have the types that cusolverDn.h of CUDA 12.0 and later
                // declares.
                unsafe {
                    Ok(Functions {
                        $($field: library.function($name)?,)*
                        $($of_each: Typed::load(&library, $names)?,)*
                        $($newer: library.function($newer_name),)*
                        _library: library,
                    })
                }
            }
        }
    };
}

functions! {
    create = "cusolverDnCreate"(*mut Opaque);
    destroy = "cusolverDnDestroy"(Opaque);
    set_stream = "cusolverDnSetStream"(Opaque, Opaque);
    create_params = "cusolverDnCreateParams"(*mut Opaque);
    destroy_params = "cusolverDnDestroyParams"(Opaque);
    potrf_size = "cusolverDnXpotrf_bufferSize"(
        Opaque, Opaque, u32, i64, DataType, *const c_void, i64, DataType, *mut usize, *mut usize,
    );
    potrf = "cusolverDnXpotrf"(
        Opaque, Opaque, u32, i64, DataType, *mut c_void, i64, DataType, *mut c_void, usize, *mut c_void, usize, *mut c_int,
    );
    getrf_size = "cusolverDnXgetrf_bufferSize"(
        Opaque, Opaque, i64, i64, DataType, *const c_void, i64, DataType, *mut usize, *mut usize,
    );
    getrf = "cusolverDnXgetrf"(
        Opaque, Opaque, i64, i64, DataType, *mut c_void, i64, *mut i64, DataType, *mut c_void, usize, *mut c_void, usize,
        *mut c_int,
    );
    getrs = "cusolverDnXgetrs"(
        Opaque, Opaque, u32, i64, i64, DataType, *const c_void, i64, *const i64, DataType, *mut c_void, i64, *mut c_int,
    );
    geqrf_size = "cusolverDnXgeqrf_bufferSize"(
        Opaque, Opaque, i64, i64, DataType, *const c_void, i64, DataType, *const c_void, DataType, *mut usize, *mut usize,
    );
    geqrf = "cusolverDnXgeqrf"(
        Opaque, Opaque, i64, i64, DataType, *mut c_void, i64, DataType, *mut c_void, DataType, *mut c_void, usize,
        *mut c_void, usize, *mut c_int,
    );
    syevd_size = "cusolverDnXsyevd_bufferSize"(
        Opaque, Opaque, u32, u32, i64, DataType, *const c_void, i64, DataType, *const c_void, DataType, *mut usize,
        *mut usize,
    );
    syevd = "cusolverDnXsyevd"(
        Opaque, Opaque, u32, u32, i64, DataType, *mut c_void, i64, DataType, *mut c_void, DataType, *mut c_void, usize,
        *mut c_void, usize, *mut c_int,
    );
    gesvd_size = "cusolverDnXgesvd_bufferSize"(
        Opaque, Opaque, c_char, c_char, i64, i64, DataType, *const c_void, i64, DataType, *const c_void, DataType,
        *const c_void, i64, DataType, *const c_void, i64, DataType, *mut usize, *mut usize,
    );
    gesvd = "cusolverDnXgesvd"(
        Opaque, Opaque, c_char, c_char, i64, i64, DataType, *mut c_void, i64, DataType, *mut c_void, DataType,
        *mut c_void, i64, DataType, *mut c_void, i64, DataType, *mut c_void, usize, *mut c_void, usize, *mut c_int,
    );
    @typed
    orgqr_size = [
        "cusolverDnSorgqr_bufferSize", "cusolverDnDorgqr_bufferSize", "cusolverDnCungqr_bufferSize",
        "cusolverDnZungqr_bufferSize",
    ], (
        Opaque, c_int, c_int, c_int, *const c_void, c_int, *const c_void, *mut c_int,
    );
    orgqr = ["cusolverDnSorgqr", "cusolverDnDorgqr", "cusolverDnCungqr", "cusolverDnZungqr"], (
        Opaque, c_int, c_int, c_int, *mut c_void, c_int, *const c_void, *mut c_void, c_int, *mut c_int,
    );
    potrf_batched = [
        "cusolverDnSpotrfBatched", "cusolverDnDpotrfBatched", "cusolverDnCpotrfBatched", "cusolverDnZpotrfBatched",
    ], (
        Opaque, u32, c_int, *mut *mut c_void, c_int, *mut c_int, c_int,
    );
    @newer
    geev_size = "cusolverDnXgeev_bufferSize"(
        Opaque, Opaque, u32, u32, i64, DataType, *const c_void, i64, DataType, *const c_void, DataType, *const c_void,
        i64, DataType, *const c_void, i64, DataType, *mut usize, *mut usize,
    );
    geev = "cusolverDnXgeev"(
        Opaque, Opaque, u32, u32, i64, DataType, *mut c_void, i64, DataType, *mut c_void, DataType, *mut c_void, i64,
        DataType, *mut c_void, i64, DataType, *mut c_void, usize, *mut c_void, usize, *mut c_int,
    );
}

impl Functions {
    fn get() -> Result<&'static Functions, DriverError> {
        static FUNCTIONS: Loaded<Functions> = Loaded::new();
        FUNCTIONS.get(Functions::load)
    }
}

fn check(call: &'static str, code: Status) -> Result<(), DriverError> {
    let name = match code {
        0 => return Ok(()),
        1 => "CUSOLVER_STATUS_NOT_INITIALIZED",
        2 => "CUSOLVER_STATUS_ALLOC_FAILED",
        3 => "CUSOLVER_STATUS_INVALID_VALUE",
        4 => "CUSOLVER_STATUS_ARCH_MISMATCH",
        5 => "CUSOLVER_STATUS_MAPPING_ERROR",
        6 => "CUSOLVER_STATUS_EXECUTION_FAILED",
        7 => "CUSOLVER_STATUS_INTERNAL_ERROR",
        8 => "CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
        9 => "CUSOLVER_STATUS_NOT_SUPPORTED",
        31 => "CUSOLVER_STATUS_INVALID_WORKSPACE",
        _ => "a status without a name",
    };
    let name = name.to_owned();
    Err(DriverError::Call { call, code, name })
}

/// cuSOLVER for one stream, used by one thread at a time.
pub(crate) struct Solver {
    handle: Opaque,
    params: Opaque,
    functions: &'static Functions,
    context: std::sync::Arc<super::Context>,
    /// Host memory of the routines in the stream. Dropped after the driver has waited for the GPU.
    host: HostMemory,
}

// SAFETY: a handle may be used from any thread, by one at a time; its users take it by `&mut`.
unsafe impl Send for Solver {}

impl std::fmt::Debug for Solver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Solver").finish_non_exhaustive()
    }
}

/// Sizes in bytes of the memory that a routine needs for itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sizes {
    device: usize,
    host: usize,
}

fn pointer<T>(address: Address) -> *mut T {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

/// Converts a size for most functions. The library rejects one that does not fit.
fn long(size: usize) -> i64 {
    i64::try_from(size).unwrap_or(i64::MAX)
}

/// Converts a size for functions that count in 32 bits.
fn int(call: &'static str, size: usize) -> Result<c_int, DriverError> {
    c_int::try_from(size).map_err(|_| DriverError::Call {
        call,
        code: 3,
        name: "a matrix whose sizes do not fit 31 bits".to_owned(),
    })
}

/// Returns the letter for the vectors that `gesvd` computes.
fn job(vectors: Vectors) -> c_char {
    (match vectors {
        Vectors::None => b'N',
        Vectors::Thin => b'S',
        Vectors::All => b'A',
    }) as c_char
}

impl Solver {
    /// Loads cuSOLVER, once per process.
    pub(crate) fn can_factor() -> Result<(), DriverError> {
        Functions::get().map(drop)
    }

    /// Returns an error if cuSOLVER has no routine for eigenvalues of any matrices, as before CUDA
    /// 12.6.
    pub(crate) fn can_find_eigenvalues() -> Result<(), DriverError> {
        let functions = Functions::get()?;
        functions.geev_size.clone()?;
        functions.geev.clone().map(drop)
    }

    pub(crate) fn new(stream: &Stream) -> Result<Self, DriverError> {
        let functions = Functions::get()?;
        let _entered = stream.enter()?;
        let mut handle: Opaque = std::ptr::null_mut();
        // SAFETY: writes a handle of the GPU whose context is current.
        check("cusolverDnCreate", unsafe {
            (functions.create)(&mut handle)
        })?;
        let mut solver = Solver {
            handle,
            params: std::ptr::null_mut(),
            functions,
            context: stream.context().clone(),
            host: HostMemory::default(),
        };
        // SAFETY: handle and stream are alive.
        check("cusolverDnSetStream", unsafe {
            (functions.set_stream)(handle, stream.handle().cast())
        })?;
        // SAFETY: writes a set of parameters, which this value destroys.
        check("cusolverDnCreateParams", unsafe {
            (functions.create_params)(&mut solver.params)
        })?;
        // The library may have registered functions that run at exit.
        at_exit::move_to_front();
        Ok(solver)
    }

    /// Returns the number of bytes of device memory that a routine needs for itself.
    pub(crate) fn workspace(&self, factoring: &Factoring) -> Result<usize, DriverError> {
        Ok(self.sizes(factoring)?.device)
    }

    fn sizes(&self, factoring: &Factoring) -> Result<Sizes, DriverError> {
        let Solver {
            handle,
            params,
            functions,
            ..
        } = *self;
        let (of, real) = (
            data_type(factoring.dtype),
            data_type(factoring.dtype.real()),
        );
        let mut sizes = Sizes::default();
        let (on_device, on_host) = (&raw mut sizes.device, &raw mut sizes.host);
        // The functions do not read the matrices.
        let none = std::ptr::null();
        // SAFETY: each function writes two numbers and reads no matrix.
        let (call, code) = unsafe {
            match factoring.routine {
                Routine::Potrf { n, .. } => (
                    "cusolverDnXpotrf_bufferSize",
                    (functions.potrf_size)(
                        handle,
                        params,
                        UPPER,
                        long(n),
                        of,
                        none,
                        long(n),
                        of,
                        on_device,
                        on_host,
                    ),
                ),
                Routine::Getrf { n, .. } => (
                    "cusolverDnXgetrf_bufferSize",
                    (functions.getrf_size)(
                        handle,
                        params,
                        long(n),
                        long(n),
                        of,
                        none,
                        long(n),
                        of,
                        on_device,
                        on_host,
                    ),
                ),
                Routine::Geqrf { m, n, .. } => (
                    "cusolverDnXgeqrf_bufferSize",
                    (functions.geqrf_size)(
                        handle,
                        params,
                        long(m),
                        long(n),
                        of,
                        none,
                        long(m),
                        of,
                        none,
                        of,
                        on_device,
                        on_host,
                    ),
                ),
                Routine::Orgqr { m, k, .. } => return self.orgqr_size(factoring.dtype, m, k),
                Routine::Syevd { n, vectors, .. } => (
                    "cusolverDnXsyevd_bufferSize",
                    (functions.syevd_size)(
                        handle,
                        params,
                        u32::from(vectors),
                        UPPER,
                        long(n),
                        of,
                        none,
                        long(n),
                        real,
                        none,
                        of,
                        on_device,
                        on_host,
                    ),
                ),
                Routine::Geev { n, vectors, .. } => (
                    "cusolverDnXgeev_bufferSize",
                    functions.geev_size.clone()?(
                        handle,
                        params,
                        NO_VECTORS,
                        u32::from(vectors.is_some()),
                        long(n),
                        of,
                        none,
                        long(n),
                        data_type(factoring.dtype.complex()),
                        none,
                        of,
                        none,
                        long(n),
                        of,
                        none,
                        long(n),
                        of,
                        on_device,
                        on_host,
                    ),
                ),
                Routine::Gesvd { m, n, vectors, .. } => (
                    "cusolverDnXgesvd_bufferSize",
                    (functions.gesvd_size)(
                        handle,
                        params,
                        job(vectors),
                        job(vectors),
                        long(m),
                        long(n),
                        of,
                        none,
                        long(m),
                        real,
                        none,
                        of,
                        none,
                        long(m),
                        of,
                        none,
                        long(n),
                        of,
                        on_device,
                        on_host,
                    ),
                ),
                Routine::PotrfBatched { .. }
                | Routine::Getrs { .. }
                | Routine::GetrfBatched { .. }
                | Routine::GetrsBatched { .. } => return Ok(sizes),
            }
        };
        check(call, code)?;
        Ok(sizes)
    }

    fn orgqr_size(&self, dtype: DType, m: usize, k: usize) -> Result<Sizes, DriverError> {
        let (call, orgqr_size) = self.functions.orgqr_size.select(dtype);
        let (rows, columns) = (int(call, m)?, int(call, k)?);
        let (handle, mut elements) = (self.handle, 0);
        let none = std::ptr::null();
        // SAFETY: writes a number and reads no matrix.
        let code = unsafe {
            orgqr_size(
                handle,
                rows,
                columns,
                columns,
                none,
                rows,
                none,
                &mut elements,
            )
        };
        check(call, code)?;
        let elements = usize::try_from(elements).unwrap_or(0);
        Ok(Sizes {
            device: elements * dtype.size(),
            host: 0,
        })
    }

    /// Puts a routine into the stream.
    ///
    /// # Safety
    /// The operands must stay allocated until the routine has run, and those that it writes must
    /// have no other user. The stream's context must be current.
    pub(crate) unsafe fn run(
        &mut self,
        stream: &Stream,
        factoring: &Factoring,
    ) -> Result<(), DriverError> {
        let Factoring {
            routine,
            dtype,
            info,
            workspace,
        } = *factoring;
        let sizes = self.sizes(factoring)?;
        let mut memory = self.host.take(sizes.host)?;
        let on_host = memory.start();
        let Solver {
            handle,
            params,
            functions,
            ..
        } = *self;
        let (of, real) = (data_type(dtype), data_type(dtype.real()));
        let (info, space) = (pointer(info), pointer(workspace));
        let (on_device, host) = (sizes.device, sizes.host);
        // SAFETY: as the caller guarantees; the host's memory is not used again before the routine
        // has run, and sizes are those that the library asked for.
        let (call, code) = unsafe {
            match routine {
                Routine::Potrf { n, a } => (
                    "cusolverDnXpotrf",
                    (functions.potrf)(
                        handle,
                        params,
                        UPPER,
                        long(n),
                        of,
                        pointer(a),
                        long(n),
                        of,
                        space,
                        on_device,
                        on_host,
                        host,
                        info,
                    ),
                ),
                Routine::Getrf { n, a, pivots } => (
                    "cusolverDnXgetrf",
                    (functions.getrf)(
                        handle,
                        params,
                        long(n),
                        long(n),
                        of,
                        pointer(a),
                        long(n),
                        pointer(pivots),
                        of,
                        space,
                        on_device,
                        on_host,
                        host,
                        info,
                    ),
                ),
                Routine::Getrs {
                    n,
                    sides,
                    a,
                    pivots,
                    b,
                } => (
                    "cusolverDnXgetrs",
                    (functions.getrs)(
                        handle,
                        params,
                        NOT_TRANSPOSED,
                        long(n),
                        long(sides),
                        of,
                        pointer(a),
                        long(n),
                        pointer(pivots),
                        of,
                        pointer(b),
                        long(n),
                        info,
                    ),
                ),
                Routine::Geqrf { m, n, a, tau } => (
                    "cusolverDnXgeqrf",
                    (functions.geqrf)(
                        handle,
                        params,
                        long(m),
                        long(n),
                        of,
                        pointer(a),
                        long(m),
                        of,
                        pointer(tau),
                        of,
                        space,
                        on_device,
                        on_host,
                        host,
                        info,
                    ),
                ),
                Routine::Syevd {
                    n,
                    a,
                    values,
                    vectors,
                } => (
                    "cusolverDnXsyevd",
                    (functions.syevd)(
                        handle,
                        params,
                        u32::from(vectors),
                        UPPER,
                        long(n),
                        of,
                        pointer(a),
                        long(n),
                        real,
                        pointer(values),
                        of,
                        space,
                        on_device,
                        on_host,
                        host,
                        info,
                    ),
                ),
                Routine::Geev {
                    n,
                    a,
                    values,
                    vectors,
                } => (
                    "cusolverDnXgeev",
                    functions.geev.clone()?(
                        handle,
                        params,
                        NO_VECTORS,
                        u32::from(vectors.is_some()),
                        long(n),
                        of,
                        pointer(a),
                        long(n),
                        data_type(dtype.complex()),
                        pointer(values),
                        of,
                        std::ptr::null_mut(),
                        long(n),
                        of,
                        pointer(vectors.unwrap_or(0)),
                        long(n),
                        of,
                        space,
                        on_device,
                        on_host,
                        host,
                        info,
                    ),
                ),
                Routine::Gesvd {
                    m,
                    n,
                    a,
                    s,
                    u,
                    vt,
                    vectors,
                } => (
                    "cusolverDnXgesvd",
                    (functions.gesvd)(
                        handle,
                        params,
                        job(vectors),
                        job(vectors),
                        long(m),
                        long(n),
                        of,
                        pointer(a),
                        long(m),
                        real,
                        pointer(s),
                        of,
                        pointer(u),
                        long(m),
                        of,
                        pointer(vt),
                        long(n),
                        of,
                        space,
                        on_device,
                        on_host,
                        host,
                        info,
                    ),
                ),
                Routine::Orgqr { m, k, a, tau } => {
                    let (call, orgqr) = functions.orgqr.select(dtype);
                    let (m, k) = (int(call, m)?, int(call, k)?);
                    let elements = int(call, on_device / dtype.size())?;
                    let code = orgqr(
                        handle,
                        m,
                        k,
                        k,
                        pointer(a),
                        m,
                        pointer(tau),
                        space,
                        elements,
                        info,
                    );
                    (call, code)
                }
                Routine::PotrfBatched { n, a, count } => {
                    let (call, potrf) = functions.potrf_batched.select(dtype);
                    let (n, count) = (int(call, n)?, int(call, count)?);
                    let code = potrf(handle, UPPER, n, pointer(a), n, info, count);
                    (call, code)
                }
                Routine::GetrfBatched { .. } | Routine::GetrsBatched { .. } => {
                    unreachable!("{routine:?} is cuBLAS's")
                }
            }
        };
        // Also if the call failed: it may have put a part of its work into the stream.
        self.host.give_back(memory, stream)?;
        check(call, code)
    }
}

/// Returns the `cudaDataType` of elements.
fn data_type(dtype: DType) -> DataType {
    match dtype {
        DType::F32 => 0,
        DType::C64 => 4,
        DType::C128 => 5,
        _ => 1,
    }
}

impl Drop for Solver {
    fn drop(&mut self) {
        let _entered = self.context.enter();
        // SAFETY: this value owns both, and does not use them after this.
        unsafe {
            if !self.params.is_null() {
                let _ = (self.functions.destroy_params)(self.params);
            }
            let _ = (self.functions.destroy)(self.handle);
        }
    }
}
