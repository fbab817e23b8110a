//! `libcusolver`, version 12.0: factors of matrices, eigenvalues and singular values.
#![allow(unsafe_code, reason = "calls C functions")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::cupti::{Call, Domain};
use crate::driver::put;
use crate::failing;
use crate::machine::code::Code;
use crate::machine::solver::{
    At, C, D, Eigenvalues, Elements, Routine, S, SolverCall, Workspace, Z,
};
use crate::machine::work::{Body, Origin};
use crate::machine::{context, machine};
use crate::teardown;

/// `cusolverStatus_t`.
pub(crate) type Outcome = Result<(), u32>;

const NOT_INITIALIZED: u32 = 1;
const INVALID_VALUE: u32 = 3;
const EXECUTION_FAILED: u32 = 6;
const INTERNAL_ERROR: u32 = 7;
const NOT_SUPPORTED: u32 = 9;
const INVALID_WORKSPACE: u32 = 31;

/// `cudaLaunchKernel` among CUPTI's numbers of the runtime.
const LAUNCH: u32 = 211;

/// The handle of the only set of parameters.
const PARAMS: u64 = 0xc501_0001;

#[derive(Clone, Copy, Debug)]
struct Handle {
    gpu: usize,
    stream: u64,
}

static HANDLES: Mutex<(u64, BTreeMap<u64, Handle>)> = Mutex::new((0xc501_5000, BTreeMap::new()));

fn with<R>(handle: u64, use_it: impl FnOnce(&mut Handle) -> Result<R, u32>) -> Result<R, u32> {
    let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
    use_it(handles.1.get_mut(&handle).ok_or(NOT_INITIALIZED)?)
}

fn write<T>(to: *mut T, value: T) -> Outcome {
    put(to, value).map_err(|_| INVALID_VALUE)
}

/// Puts a routine into a stream of the current GPU: two kernels, as libraries launch several.
pub(crate) fn launch(gpu: usize, stream: u64, call: SolverCall) -> Result<(), Code> {
    for is_rest in [false, true] {
        let entered = Call::enter(Domain::Runtime, LAUNCH);
        let issued = (|| {
            let mut machine = machine();
            let here = machine.here()?;
            let stream = machine.stream_of(stream)?;
            let of_stream = machine.streams.get(&stream).map(|stream| stream.gpu);
            if here != gpu || of_stream != Some(here) {
                return Err(Code::INVALID_HANDLE);
            }
            let origin = Origin {
                correlation: entered.correlation,
                ..Origin::default()
            };
            let body = Body::Solver(SolverCall { is_rest, ..call });
            machine.issue(stream, Vec::new(), body, origin);
            Ok(())
        })();
        entered.leave(issued.err().map_or(0, |code| code.0));
        issued?;
    }
    Ok(())
}

fn issue(handle: u64, call: SolverCall) -> Outcome {
    let Handle { gpu, stream } = with(handle, |handle| Ok(*handle))?;
    launch(gpu, stream, call).map_err(|_| EXECUTION_FAILED)
}

fn size(value: i64) -> Result<u64, u32> {
    u64::try_from(value).map_err(|_| INVALID_VALUE)
}

/// A matrix, if its columns do not overlap.
fn matrix(start: u64, rows: i64, columns: i64, step: i64) -> Result<At, u32> {
    let (rows, columns, step) = (size(rows)?, size(columns)?, size(step)?);
    match step < rows.max(1) {
        true => Err(INVALID_VALUE),
        false => Ok(At {
            start,
            rows,
            columns,
            step,
        }),
    }
}

/// Returns the elements' type of a `cudaDataType`.
fn elements_of(number: u32) -> Result<Elements, u32> {
    match number {
        0 => Ok(S),
        1 => Ok(D),
        4 => Ok(C),
        5 => Ok(Z),
        _ => Err(NOT_SUPPORTED),
    }
}

/// Returns the elements' type, if all types are the same.
fn elements(types: &[u32]) -> Result<Elements, u32> {
    let [first, rest @ ..] = types else {
        return Err(NOT_SUPPORTED);
    };
    match rest.iter().all(|other| other == first) {
        true => elements_of(*first),
        false => Err(NOT_SUPPORTED),
    }
}

/// Like [`elements`], but the values are real even for complex matrices.
fn elements_and_real(types: &[u32], real: u32) -> Result<Elements, u32> {
    let (elements, real) = (elements(types)?, elements_of(real)?);
    match real.is_complex || real.is_double != elements.is_double {
        true => Err(NOT_SUPPORTED),
        false => Ok(elements),
    }
}

/// Like [`elements`], but the eigenvalues may be complex even for real matrices.
fn elements_and_complex(types: &[u32], of_w: u32, w: u64) -> Result<(Elements, Eigenvalues), u32> {
    let (elements, values) = (elements(types)?, elements_of(of_w)?);
    if values.is_double != elements.is_double || (elements.is_complex && !values.is_complex) {
        return Err(NOT_SUPPORTED);
    }
    let values = match values.is_complex {
        true => Eigenvalues::Complex(w),
        false => Eigenvalues::Apart(w),
    };
    Ok((elements, values))
}

/// Returns the right eigenvectors' matrix, if there is one. The left ones are not supported.
fn eigenvectors(
    [left, right]: [u32; 2],
    n: i64,
    vr: u64,
    [ldvl, ldvr]: [i64; 2],
) -> Result<Option<At>, u32> {
    if left != 0 || right > 1 || ldvl < 1 || ldvr < 1 {
        return Err(INVALID_VALUE);
    }
    (right == 1).then(|| matrix(vr, n, n, ldvr)).transpose()
}

/// The bytes of workspace on the device and on the host that a routine of this many elements
/// reports.
fn sizes(elements: i64, on_host: bool) -> Result<(u64, u64), u32> {
    Ok((64 + 8 * size(elements)?, if on_host { 100 } else { 0 }))
}

/// Writes both sizes.
fn tell(sizes: (u64, u64), device: *mut u64, host: *mut u64) -> Outcome {
    write(device, sizes.0)?;
    write(host, sizes.1)
}

/// The workspace, if it is as large as the routine reported. On the host it gets a mark, which
/// must be there when the routine runs.
fn workspace(
    asked: (u64, u64),
    (device, device_bytes): (u64, u64),
    (host, host_bytes): (*mut u8, u64),
) -> Result<Workspace, u32> {
    static MARKS: AtomicU64 = AtomicU64::new(1);
    if device_bytes < asked.0 || host_bytes < asked.1 || (asked.1 > 0 && host.is_null()) {
        return Err(INVALID_WORKSPACE);
    }
    let device = (device, asked.0);
    if asked.1 == 0 {
        return Ok(Workspace {
            device,
            host: (0, 0),
        });
    }
    for at in 0..asked.1 as usize {
        // SAFETY: the program promises host memory of this size.
        unsafe { host.wrapping_add(at).write(0xff) };
    }
    let mark = MARKS.fetch_add(1, Ordering::Relaxed);
    // SAFETY: as above; a workspace on the host has 100 bytes.
    unsafe { host.cast::<u64>().write_unaligned(mark) };
    Ok(Workspace {
        device,
        host: (host as u64, mark),
    })
}

/// Parses letters for vectors: `all` and `few` are their numbers.
fn vectors(letter: i8, start: u64, [all, few]: [i64; 2]) -> Result<Option<(u64, i64)>, u32> {
    match letter as u8 {
        b'N' => Ok(None),
        b'S' => Ok(Some((start, few))),
        b'A' => Ok(Some((start, all))),
        _ => Err(INVALID_VALUE),
    }
}

fn orgqr_size([m, n, k]: [i32; 3], step: i32, size: *mut i32) -> Outcome {
    if m < 0 || n < 0 || n > m || k < 0 || k > n || step < m.max(1) {
        return Err(INVALID_VALUE);
    }
    write(size, 8 + n)
}

#[allow(clippy::too_many_arguments, reason = "cuSOLVER's own")]
fn orgqr(
    handle: u64,
    elements: Elements,
    [m, n, k]: [i32; 3],
    (a, step): (u64, i32),
    tau: u64,
    (work, given): (u64, i32),
    info: u64,
) -> Outcome {
    let mut asked = 0;
    orgqr_size([m, n, k], step, &mut asked)?;
    if given < asked {
        return Err(INVALID_VALUE);
    }
    let routine = Routine::Orgqr {
        a: matrix(a, m.into(), n.into(), step.into())?,
        tau,
        reflections: k as u64,
    };
    let workspace = Workspace {
        device: (work, asked as u64 * elements.width()),
        host: (0, 0),
    };
    let call = SolverCall {
        routine,
        elements,
        info,
        workspace,
        is_rest: false,
    };
    issue(handle, call)
}

fn potrf_batched(
    handle: u64,
    elements: Elements,
    uplo: u32,
    n: i32,
    (a, step): (u64, i32),
    infos: u64,
    count: i32,
) -> Outcome {
    let a = matrix(a, n.into(), n.into(), step.into())?;
    let routine = Routine::PotrfBatched {
        a,
        upper: uplo == 1,
        count: size(count.into())?,
    };
    let call = SolverCall {
        routine,
        elements,
        info: infos,
        workspace: Workspace::NONE,
        is_rest: false,
    };
    issue(handle, call)
}

macro_rules! exports {
    ($(fn $name:ident($($arg:ident: $type:ty),* $(,)?) $body:block)*) => {
        $(
            #[unsafe(no_mangle)]
            #[allow(non_snake_case, clippy::too_many_arguments, reason = "the function in C")]
            extern "C" fn $name($($arg: $type),*) -> u32 {
                teardown::CUSOLVER.enter_or_abort(stringify!($name));
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
    fn cusolverDnCreate(handle: *mut u64) {
        let gpu = machine().here().map_err(|_| NOT_INITIALIZED)?;
        let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
        handles.0 += 16;
        let number = handles.0;
        handles.1.insert(number, Handle { gpu, stream: 0 });
        teardown::CUSOLVER.begin_work();
        write(handle, number)
    }

    // It waits for the GPU.
    fn cusolverDnDestroy(handle: u64) {
        let gpu = with(handle, |handle| Ok(handle.gpu))?;
        HANDLES.lock().unwrap_or_else(PoisonError::into_inner).1.remove(&handle);
        let mut machine = machine();
        if machine.gpu_of(context::context(gpu)).is_ok() {
            machine.run_all_of(gpu);
        }
        Ok(())
    }

    fn cusolverDnSetStream(handle: u64, stream: u64) {
        with(handle, |handle| {
            handle.stream = stream;
            Ok(())
        })
    }

    fn cusolverDnCreateParams(params: *mut u64) { write(params, PARAMS) }

    fn cusolverDnDestroyParams(params: u64) {
        if params == PARAMS { Ok(()) } else { Err(NOT_INITIALIZED) }
    }

    fn cusolverGetProperty(which: i32, value: *mut i32) { write(value, if which == 0 { 12 } else { 0 }) }

    fn cusolverDnXpotrf_bufferSize(
        handle: u64, _params: u64, _uplo: u32, n: i64, of: u32, _a: u64, lda: i64, compute: u32,
        device: *mut u64, host: *mut u64,
    ) {
        with(handle, |_| Ok(()))?;
        elements(&[of, compute])?;
        matrix(0, n, n, lda)?;
        tell(sizes(n, false)?, device, host)
    }

    fn cusolverDnXpotrf(
        handle: u64, _params: u64, uplo: u32, n: i64, of: u32, a: u64, lda: i64, compute: u32,
        device: u64, device_bytes: u64, host: *mut u8, host_bytes: u64, info: u64,
    ) {
        let routine = Routine::Potrf { a: matrix(a, n, n, lda)?, upper: uplo == 1 };
        let workspace = workspace(sizes(n, false)?, (device, device_bytes), (host, host_bytes))?;
        issue(handle, SolverCall { routine, elements: elements(&[of, compute])?, info, workspace, is_rest: false })
    }

    fn cusolverDnXgetrf_bufferSize(
        handle: u64, _params: u64, m: i64, n: i64, of: u32, _a: u64, lda: i64, compute: u32,
        device: *mut u64, host: *mut u64,
    ) {
        with(handle, |_| Ok(()))?;
        elements(&[of, compute])?;
        matrix(0, m, n, lda)?;
        tell(sizes(m, true)?, device, host)
    }

    fn cusolverDnXgetrf(
        handle: u64, _params: u64, m: i64, n: i64, of: u32, a: u64, lda: i64, pivots: u64, compute: u32,
        device: u64, device_bytes: u64, host: *mut u8, host_bytes: u64, info: u64,
    ) {
        if m != n {
            return Err(NOT_SUPPORTED);
        }
        let routine = Routine::Getrf { a: matrix(a, m, n, lda)?, pivots };
        let workspace = workspace(sizes(m, true)?, (device, device_bytes), (host, host_bytes))?;
        issue(handle, SolverCall { routine, elements: elements(&[of, compute])?, info, workspace, is_rest: false })
    }

    fn cusolverDnXgetrs(
        handle: u64, _params: u64, transposition: u32, n: i64, sides: i64, of: u32, a: u64, lda: i64, pivots: u64,
        of_b: u32, b: u64, ldb: i64, info: u64,
    ) {
        let elements = elements(&[of, of_b])?;
        if transposition == 2 && elements.is_complex {
            return Err(NOT_SUPPORTED);
        }
        let routine = Routine::Getrs {
            a: matrix(a, n, n, lda)?,
            pivots,
            b: matrix(b, n, sides, ldb)?,
            transposed: transposition != 0,
        };
        issue(handle, SolverCall { routine, elements, info, workspace: Workspace::NONE, is_rest: false })
    }

    fn cusolverDnXgeqrf_bufferSize(
        handle: u64, _params: u64, m: i64, n: i64, of: u32, _a: u64, lda: i64, of_tau: u32, _tau: u64, compute: u32,
        device: *mut u64, host: *mut u64,
    ) {
        with(handle, |_| Ok(()))?;
        elements(&[of, of_tau, compute])?;
        matrix(0, m, n, lda)?;
        tell(sizes(n, false)?, device, host)
    }

    fn cusolverDnXgeqrf(
        handle: u64, _params: u64, m: i64, n: i64, of: u32, a: u64, lda: i64, of_tau: u32, tau: u64, compute: u32,
        device: u64, device_bytes: u64, host: *mut u8, host_bytes: u64, info: u64,
    ) {
        let routine = Routine::Geqrf { a: matrix(a, m, n, lda)?, tau };
        let workspace = workspace(sizes(n, false)?, (device, device_bytes), (host, host_bytes))?;
        let elements = elements(&[of, of_tau, compute])?;
        issue(handle, SolverCall { routine, elements, info, workspace, is_rest: false })
    }

    fn cusolverDnXsyevd_bufferSize(
        handle: u64, _params: u64, job: u32, _uplo: u32, n: i64, of: u32, _a: u64, lda: i64, of_w: u32, _w: u64,
        compute: u32, device: *mut u64, host: *mut u64,
    ) {
        with(handle, |_| Ok(()))?;
        elements_and_real(&[of, compute], of_w)?;
        matrix(0, n, n, lda)?;
        tell(sizes(n * (1 + i64::from(job)), true)?, device, host)
    }

    fn cusolverDnXsyevd(
        handle: u64, _params: u64, job: u32, uplo: u32, n: i64, of: u32, a: u64, lda: i64, of_w: u32, w: u64,
        compute: u32, device: u64, device_bytes: u64, host: *mut u8, host_bytes: u64, info: u64,
    ) {
        let a = matrix(a, n, n, lda)?;
        let routine = Routine::Syevd { a, values: w, upper: uplo == 1, vectors: job == 1 };
        let asked = sizes(n * (1 + i64::from(job)), true)?;
        let workspace = workspace(asked, (device, device_bytes), (host, host_bytes))?;
        let elements = elements_and_real(&[of, compute], of_w)?;
        issue(handle, SolverCall { routine, elements, info, workspace, is_rest: false })
    }

    fn cusolverDnXgeev_bufferSize(
        handle: u64, _params: u64, job_vl: u32, job_vr: u32, n: i64, of: u32, _a: u64, lda: i64, of_w: u32, _w: u64,
        of_vl: u32, _vl: u64, ldvl: i64, of_vr: u32, _vr: u64, ldvr: i64, compute: u32, device: *mut u64, host: *mut u64,
    ) {
        with(handle, |_| Ok(()))?;
        elements_and_complex(&[of, of_vl, of_vr, compute], of_w, 0)?;
        matrix(0, n, n, lda)?;
        eigenvectors([job_vl, job_vr], n, 0, [ldvl, ldvr])?;
        tell(sizes(n * (2 + i64::from(job_vr)), true)?, device, host)
    }

    fn cusolverDnXgeev(
        handle: u64, _params: u64, job_vl: u32, job_vr: u32, n: i64, of: u32, a: u64, lda: i64, of_w: u32, w: u64,
        of_vl: u32, _vl: u64, ldvl: i64, of_vr: u32, vr: u64, ldvr: i64, compute: u32, device: u64, device_bytes: u64,
        host: *mut u8, host_bytes: u64, info: u64,
    ) {
        let (elements, values) = elements_and_complex(&[of, of_vl, of_vr, compute], of_w, w)?;
        let vectors = eigenvectors([job_vl, job_vr], n, vr, [ldvl, ldvr])?;
        let routine = Routine::Geev { a: matrix(a, n, n, lda)?, values, vectors };
        let asked = sizes(n * (2 + i64::from(job_vr)), true)?;
        let workspace = workspace(asked, (device, device_bytes), (host, host_bytes))?;
        issue(handle, SolverCall { routine, elements, info, workspace, is_rest: false })
    }

    fn cusolverDnXgesvd_bufferSize(
        handle: u64, _params: u64, job_u: i8, job_vt: i8, m: i64, n: i64, of: u32, _a: u64, lda: i64, of_s: u32, _s: u64,
        of_u: u32, _u: u64, ldu: i64, of_vt: u32, _vt: u64, ldvt: i64, compute: u32, device: *mut u64, host: *mut u64,
    ) {
        with(handle, |_| Ok(()))?;
        elements_and_real(&[of, of_u, of_vt, compute], of_s)?;
        if m < n || ldu < m || ldvt < n {
            return Err(INVALID_VALUE);
        }
        matrix(0, m, n, lda)?;
        vectors(job_u, 0, [m, n])?;
        vectors(job_vt, 0, [n, n])?;
        tell(sizes(m, true)?, device, host)
    }

    fn cusolverDnXgesvd(
        handle: u64, _params: u64, job_u: i8, job_vt: i8, m: i64, n: i64, of: u32, a: u64, lda: i64, of_s: u32, s: u64,
        of_u: u32, u: u64, ldu: i64, of_vt: u32, vt: u64, ldvt: i64, compute: u32, device: u64, device_bytes: u64,
        host: *mut u8, host_bytes: u64, info: u64,
    ) {
        if m < n {
            return Err(INVALID_VALUE);
        }
        let u = vectors(job_u, u, [m, n])?.map(|(start, columns)| matrix(start, m, columns, ldu)).transpose()?;
        let vt = vectors(job_vt, vt, [n, n])?.map(|(start, columns)| matrix(start, n, columns, ldvt)).transpose()?;
        let routine = Routine::Gesvd { a: matrix(a, m, n, lda)?, s, u, vt };
        let workspace = workspace(sizes(m, true)?, (device, device_bytes), (host, host_bytes))?;
        let elements = elements_and_real(&[of, of_u, of_vt, compute], of_s)?;
        issue(handle, SolverCall { routine, elements, info, workspace, is_rest: false })
    }
}

/// The functions of one type: its letter's names.
macro_rules! typed {
    ($elements:ident, $size:ident, $orgqr:ident, $potrf:ident) => {
        exports! {
            fn $size(handle: u64, m: i32, n: i32, k: i32, _a: u64, lda: i32, _tau: u64, size: *mut i32) {
                with(handle, |_| Ok(()))?;
                orgqr_size([m, n, k], lda, size)
            }

            fn $orgqr(
                handle: u64, m: i32, n: i32, k: i32, a: u64, lda: i32, tau: u64, work: u64, elements: i32, info: u64,
            ) {
                orgqr(handle, $elements, [m, n, k], (a, lda), tau, (work, elements), info)
            }

            fn $potrf(handle: u64, uplo: u32, n: i32, a: u64, lda: i32, infos: u64, count: i32) {
                potrf_batched(handle, $elements, uplo, n, (a, lda), infos, count)
            }
        }
    };
}

typed!(
    S,
    cusolverDnSorgqr_bufferSize,
    cusolverDnSorgqr,
    cusolverDnSpotrfBatched
);
typed!(
    D,
    cusolverDnDorgqr_bufferSize,
    cusolverDnDorgqr,
    cusolverDnDpotrfBatched
);
typed!(
    C,
    cusolverDnCungqr_bufferSize,
    cusolverDnCungqr,
    cusolverDnCpotrfBatched
);
typed!(
    Z,
    cusolverDnZungqr_bufferSize,
    cusolverDnZungqr,
    cusolverDnZpotrfBatched
);
