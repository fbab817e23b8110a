//! `libcublas`, version 13.0: products of matrices, and factors of batches.
#![allow(unsafe_code, reason = "calls C functions")]

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::cupti::{Call, Domain};
use crate::cusolver::launch;
use crate::driver::put;
use crate::failing;
use crate::machine::gemm::{Gemm, Transposition};
use crate::machine::solver::{At, C, D, Elements, Routine, S, SolverCall, Workspace, Z};
use crate::machine::work::{Body, Origin};
use crate::machine::{context, machine};

/// `cublasStatus_t`.
type Outcome = Result<(), u32>;

const NOT_INITIALIZED: u32 = 1;
const INVALID_VALUE: u32 = 7;
const EXECUTION_FAILED: u32 = 13;
const INTERNAL_ERROR: u32 = 14;
const NOT_SUPPORTED: u32 = 15;

#[derive(Clone, Copy, Debug, Default)]
struct Handle {
    gpu: usize,
    stream: u64,
    math_mode: u32,
    device_scalars: bool,
}

const TF32: u32 = 3;
/// `cudaLaunchKernel` among CUPTI's numbers of the runtime: cuBLAS calls the runtime, which is part
/// of it.
const LAUNCH: u32 = 211;

static HANDLES: Mutex<(u64, BTreeMap<u64, Handle>)> = Mutex::new((0xcb1a_5000, BTreeMap::new()));

fn with<R>(handle: u64, use_it: impl FnOnce(&mut Handle) -> Result<R, u32>) -> Result<R, u32> {
    let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
    use_it(handles.1.get_mut(&handle).ok_or(NOT_INITIALIZED)?)
}

fn write<T>(to: *mut T, value: T) -> Outcome {
    put(to, value).map_err(|_| INVALID_VALUE)
}

/// Puts a product into the handle's stream.
fn issue(handle: u64, gemm: Gemm, least_steps: [u64; 3]) -> Outcome {
    let handle = with(handle, |handle| Ok(*handle))?;
    let steps = [gemm.a.1, gemm.b.1, gemm.c.1];
    if steps
        .iter()
        .zip(least_steps)
        .any(|(&step, least)| step < least.max(1))
        || handle.device_scalars
    {
        return Err(INVALID_VALUE);
    }
    if gemm.m == 0 || gemm.n == 0 {
        return Ok(());
    }
    let gemm = Gemm {
        is_tf32: handle.math_mode & 0xf == TF32,
        ..gemm
    };
    let call = Call::enter(Domain::Runtime, LAUNCH);
    let issued = (|| {
        let mut machine = machine();
        let here = machine.here()?;
        let stream = machine.stream_of(handle.stream)?;
        if here != handle.gpu
            || machine
                .streams
                .get(&stream)
                .is_none_or(|stream| stream.gpu != here)
        {
            return Err(crate::machine::code::Code::INVALID_HANDLE);
        }
        let origin = Origin {
            correlation: call.correlation,
            ..Origin::default()
        };
        machine.issue(stream, Vec::new(), Body::Gemm(gemm), origin);
        Ok(())
    })();
    call.leave(issued.err().map_or(0, |code| code.0));
    issued.map_err(|_| EXECUTION_FAILED)
}

/// A factor in host memory.
trait Factor: Copy {
    const ELEMENTS: Elements;
    fn parts(self) -> [f64; 2];
}

impl Factor for f32 {
    const ELEMENTS: Elements = S;
    fn parts(self) -> [f64; 2] {
        [self.into(), 0.0]
    }
}

impl Factor for f64 {
    const ELEMENTS: Elements = D;
    fn parts(self) -> [f64; 2] {
        [self, 0.0]
    }
}

/// `cuComplex` and `cuDoubleComplex`.
type Complex<T> = [T; 2];

impl Factor for Complex<f32> {
    const ELEMENTS: Elements = C;
    fn parts(self) -> [f64; 2] {
        self.map(f64::from)
    }
}

impl Factor for Complex<f64> {
    const ELEMENTS: Elements = Z;
    fn parts(self) -> [f64; 2] {
        self
    }
}

#[allow(clippy::too_many_arguments, reason = "cuBLAS's own")]
fn gemm<T: Factor>(
    handle: u64,
    transposes: [u32; 2],
    sizes: [i64; 3],
    alpha: *const T,
    a: (u64, i64),
    b: (u64, i64),
    beta: *const T,
    c: (u64, i64),
) -> Outcome {
    let is_aligned =
        |factor: *const T| !factor.is_null() && (factor as u64).is_multiple_of(T::ELEMENTS.width());
    if !is_aligned(alpha) || !is_aligned(beta) {
        return Err(INVALID_VALUE);
    }
    let unsigned = |value: i64| u64::try_from(value).map_err(|_| INVALID_VALUE);
    let [m, n, k] = sizes;
    let (m, n, k) = (unsigned(m)?, unsigned(n)?, unsigned(k)?);
    let [first, second] = transposes.map(Transposition::new);
    let transposes = [first, second].map(|which| which.ok_or(INVALID_VALUE));
    let transposes = [transposes[0]?, transposes[1]?];
    // SAFETY: the program promises scalars in host memory.
    let (alpha, beta) = unsafe { (alpha.read().parts(), beta.read().parts()) };
    let matrix = |(start, step): (u64, i64)| Ok::<_, u32>((start, unsigned(step)?));
    let product = Gemm {
        elements: T::ELEMENTS,
        is_tf32: false,
        transposes,
        m,
        n,
        k,
        alpha,
        beta,
        a: matrix(a)?,
        b: matrix(b)?,
        c: matrix(c)?,
    };
    let least = [
        if transposes[0] == Transposition::No {
            m
        } else {
            k
        },
        if transposes[1] == Transposition::No {
            k
        } else {
            n
        },
        m,
    ];
    issue(handle, product, least)
}

/// A square matrix of a batch, or the right sides for one, named by a vector of addresses.
fn of_batch(addresses: u64, n: i32, columns: i32, step: i32) -> Result<At, u32> {
    let size = |value: i32| u64::try_from(value).map_err(|_| INVALID_VALUE);
    let (rows, columns, step) = (size(n)?, size(columns)?, size(step)?);
    match step < rows.max(1) {
        true => Err(INVALID_VALUE),
        false => Ok(At {
            start: addresses,
            rows,
            columns,
            step,
        }),
    }
}

fn getrf_batched(
    handle: u64,
    elements: Elements,
    n: i32,
    (a, step): (u64, i32),
    pivots: u64,
    infos: u64,
    count: i32,
) -> Outcome {
    let routine = Routine::GetrfBatched {
        a: of_batch(a, n, n, step)?,
        pivots,
        count: u64::try_from(count).map_err(|_| INVALID_VALUE)?,
    };
    batch(handle, routine, elements, infos)
}

#[allow(clippy::too_many_arguments, reason = "cuBLAS's own")]
fn getrs_batched(
    handle: u64,
    elements: Elements,
    transposition: u32,
    [n, sides]: [i32; 2],
    (a, lda): (u64, i32),
    pivots: u64,
    (b, ldb): (u64, i32),
    info: *mut i32,
    count: i32,
) -> Outcome {
    // It is about the arguments, and on the host.
    write(info, 0)?;
    if transposition == 2 && elements.is_complex {
        return Err(NOT_SUPPORTED);
    }
    let routine = Routine::GetrsBatched {
        a: of_batch(a, n, n, lda)?,
        pivots,
        b: of_batch(b, n, sides, ldb)?,
        transposed: transposition != 0,
        count: u64::try_from(count).map_err(|_| INVALID_VALUE)?,
    };
    batch(handle, routine, elements, 0)
}

/// Puts a routine over a batch into the handle's stream.
fn batch(handle: u64, routine: Routine, elements: Elements, info: u64) -> Outcome {
    let Handle { gpu, stream, .. } = with(handle, |handle| Ok(*handle))?;
    let call = SolverCall {
        routine,
        elements,
        info,
        workspace: Workspace::NONE,
        is_rest: false,
    };
    launch(gpu, stream, call).map_err(|_| EXECUTION_FAILED)
}

macro_rules! exports {
    ($(fn $name:ident($($arg:ident: $type:ty),* $(,)?) $body:block)*) => {
        $(
            #[unsafe(no_mangle)]
            #[allow(non_snake_case, clippy::too_many_arguments, reason = "the function in C")]
            extern "C" fn $name($($arg: $type),*) -> u32 {
                if let Some(code) = failing::failure(stringify!($name), INTERNAL_ERROR) {
                    return code;
                }
                let run = move || -> Outcome { $body };
                run().err().unwrap_or(0)
            }
        )*
    };
}

exports! {
    fn cublasCreate_v2(handle: *mut u64) {
        let gpu = machine().here().map_err(|_| NOT_INITIALIZED)?;
        let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
        handles.0 += 16;
        let number = handles.0;
        handles.1.insert(number, Handle { gpu, ..Handle::default() });
        write(handle, number)
    }

    // It waits for the GPU.
    fn cublasDestroy_v2(handle: u64) {
        let gpu = with(handle, |handle| Ok(handle.gpu))?;
        HANDLES.lock().unwrap_or_else(PoisonError::into_inner).1.remove(&handle);
        let mut machine = machine();
        if machine.gpu_of(context::context(gpu)).is_ok() {
            machine.run_all_of(gpu);
        }
        Ok(())
    }

    fn cublasGetVersion_v2(_handle: u64, version: *mut i32) { write(version, 130_000) }

    fn cublasSetStream_v2(handle: u64, stream: u64) {
        with(handle, |handle| {
            handle.stream = stream;
            Ok(())
        })
    }

    fn cublasGetStream_v2(handle: u64, stream: *mut u64) { with(handle, |handle| write(stream, handle.stream)) }

    fn cublasSetWorkspace_v2(handle: u64, workspace: u64, _bytes: usize) {
        if !workspace.is_multiple_of(256) {
            return Err(INVALID_VALUE);
        }
        with(handle, |_| Ok(()))
    }

    fn cublasSetMathMode(handle: u64, mode: u32) {
        with(handle, |handle| {
            handle.math_mode = mode;
            Ok(())
        })
    }

    fn cublasGetMathMode(handle: u64, mode: *mut u32) { with(handle, |handle| write(mode, handle.math_mode)) }

    fn cublasSetPointerMode_v2(handle: u64, mode: u32) {
        with(handle, |handle| {
            handle.device_scalars = mode != 0;
            Ok(())
        })
    }

    fn cublasGetPointerMode_v2(handle: u64, mode: *mut u32) {
        with(handle, |handle| write(mode, u32::from(handle.device_scalars)))
    }

    fn cublasSetAtomicsMode(handle: u64, _mode: u32) { with(handle, |_| Ok(())) }
}

/// The functions of one type: its letter's names.
macro_rules! typed {
    ($elements:ident, $of:ty, $gemm:ident, $gemm_64:ident, $getrf:ident, $getrs:ident) => {
        exports! {
            fn $gemm(
                handle: u64, op_a: u32, op_b: u32, m: i32, n: i32, k: i32, alpha: *const $of,
                a: u64, lda: i32, b: u64, ldb: i32, beta: *const $of, c: u64, ldc: i32,
            ) {
                let sizes = [m, n, k].map(i64::from);
                gemm(handle, [op_a, op_b], sizes, alpha, (a, lda.into()), (b, ldb.into()), beta, (c, ldc.into()))
            }

            fn $gemm_64(
                handle: u64, op_a: u32, op_b: u32, m: i64, n: i64, k: i64, alpha: *const $of,
                a: u64, lda: i64, b: u64, ldb: i64, beta: *const $of, c: u64, ldc: i64,
            ) {
                gemm(handle, [op_a, op_b], [m, n, k], alpha, (a, lda), (b, ldb), beta, (c, ldc))
            }

            fn $getrf(handle: u64, n: i32, a: u64, lda: i32, pivots: u64, infos: u64, count: i32) {
                getrf_batched(handle, $elements, n, (a, lda), pivots, infos, count)
            }

            fn $getrs(
                handle: u64, op: u32, n: i32, sides: i32, a: u64, lda: i32, pivots: u64, b: u64, ldb: i32,
                info: *mut i32, count: i32,
            ) {
                getrs_batched(handle, $elements, op, [n, sides], (a, lda), pivots, (b, ldb), info, count)
            }
        }
    };
}

typed!(
    S,
    f32,
    cublasSgemm_v2,
    cublasSgemm_v2_64,
    cublasSgetrfBatched,
    cublasSgetrsBatched
);
typed!(
    D,
    f64,
    cublasDgemm_v2,
    cublasDgemm_v2_64,
    cublasDgetrfBatched,
    cublasDgetrsBatched
);
typed!(
    C,
    Complex<f32>,
    cublasCgemm_v2,
    cublasCgemm_v2_64,
    cublasCgetrfBatched,
    cublasCgetrsBatched
);
typed!(
    Z,
    Complex<f64>,
    cublasZgemm_v2,
    cublasZgemm_v2_64,
    cublasZgetrfBatched,
    cublasZgetrsBatched
);

fn name(code: u32) -> &'static str {
    match code {
        0 => "CUBLAS_STATUS_SUCCESS\0",
        NOT_INITIALIZED => "CUBLAS_STATUS_NOT_INITIALIZED\0",
        3 => "CUBLAS_STATUS_ALLOC_FAILED\0",
        INVALID_VALUE => "CUBLAS_STATUS_INVALID_VALUE\0",
        8 => "CUBLAS_STATUS_ARCH_MISMATCH\0",
        11 => "CUBLAS_STATUS_MAPPING_ERROR\0",
        EXECUTION_FAILED => "CUBLAS_STATUS_EXECUTION_FAILED\0",
        INTERNAL_ERROR => "CUBLAS_STATUS_INTERNAL_ERROR\0",
        NOT_SUPPORTED => "CUBLAS_STATUS_NOT_SUPPORTED\0",
        _ => "unknown status\0",
    }
}

#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the name in C")]
extern "C" fn cublasGetStatusName(code: u32) -> *const u8 {
    name(code).as_ptr()
}

#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the name in C")]
extern "C" fn cublasGetStatusString(code: u32) -> *const u8 {
    name(code).as_ptr()
}
