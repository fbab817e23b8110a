//! `libcufft`, version 12.0: Fourier transforms of lines. Plans have one axis.
#![allow(unsafe_code, reason = "calls C functions")]

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::cupti::{Call, Domain};
use crate::driver::put;
use crate::failing;
use crate::machine::code::Code;
use crate::machine::fft::{Fft, Lines, Shape};
use crate::machine::machine;
use crate::machine::work::{Body, Origin};
use crate::teardown;

/// `cufftResult`.
type Outcome = Result<(), u32>;

const INVALID_PLAN: u32 = 1;
const INVALID_TYPE: u32 = 3;
const INVALID_VALUE: u32 = 4;
const INTERNAL_ERROR: u32 = 5;
const EXEC_FAILED: u32 = 6;
const SETUP_FAILED: u32 = 7;
const INVALID_SIZE: u32 = 8;
const INVALID_DEVICE: u32 = 11;
const NO_WORKSPACE: u32 = 13;
const NOT_IMPLEMENTED: u32 = 14;

/// `cudaLaunchKernel` among CUPTI's numbers of the runtime, which is part of cuFFT.
const LAUNCH: u32 = 211;

/// The longest line that needs no work area and only one kernel, if it is a power of two.
const SHORT: u64 = 64;

struct Plan {
    gpu: usize,
    stream: u64,
    is_auto: bool,
    area: u64,
    /// `cufftType` and lines, once it is made.
    made: Option<(i32, Shape)>,
    lives: Arc<AtomicBool>,
}

impl Plan {
    /// Bytes of the work area.
    fn area_bytes(&self) -> u64 {
        let Some((_, shape)) = &self.made else {
            return 0;
        };
        let width = if shape.is_double { 16 } else { 8 };
        match is_short(shape) {
            true => 0,
            false => shape.length * shape.count * width + 8,
        }
    }
}

fn is_short(shape: &Shape) -> bool {
    shape.length <= SHORT && shape.length.is_power_of_two()
}

static PLANS: Mutex<(i32, BTreeMap<i32, Plan>)> = Mutex::new((0, BTreeMap::new()));

fn with<R>(plan: i32, use_it: impl FnOnce(&mut Plan) -> Result<R, u32>) -> Result<R, u32> {
    let mut plans = PLANS.lock().unwrap_or_else(PoisonError::into_inner);
    use_it(plans.1.get_mut(&plan).ok_or(INVALID_PLAN)?)
}

fn write<T>(to: *mut T, value: T) -> Outcome {
    put(to, value).map_err(|_| INVALID_VALUE)
}

/// Whether the numbers are double, the lines real, and the results real; of a `cufftType`.
fn numbers(kind: i32) -> Result<[bool; 3], u32> {
    match kind {
        0x2a => Ok([false, true, false]),
        0x2c => Ok([false, false, true]),
        0x29 => Ok([false, false, false]),
        0x6a => Ok([true, true, false]),
        0x6c => Ok([true, false, true]),
        0x69 => Ok([true, false, false]),
        _ => Err(INVALID_TYPE),
    }
}

/// Returns the lines of a plan, from the arguments of `cufftMakePlanMany64`: steps are used only if
/// the extent in memory is given.
fn shape(
    kind: i32,
    length: i64,
    batch: i64,
    [input, output]: [Option<(i64, i64)>; 2],
) -> Result<Shape, u32> {
    let [is_double, from_real, to_real] = numbers(kind)?;
    let positive = |value: i64, error: u32| match u64::try_from(value) {
        Ok(value) if value > 0 => Ok(value),
        _ => Err(error),
    };
    let length = positive(length, INVALID_SIZE)?;
    let half = length / 2 + 1;
    let lines = |given: Option<(i64, i64)>, natural: u64| match given {
        None => Ok::<_, u32>(Lines {
            step: 1,
            distance: natural,
        }),
        Some((step, distance)) => Ok(Lines {
            step: positive(step, INVALID_VALUE)?,
            distance: positive(distance, INVALID_VALUE)?,
        }),
    };
    Ok(Shape {
        is_double,
        from_real,
        to_real,
        length,
        count: positive(batch, INVALID_SIZE)?,
        input: lines(input, if to_real { half } else { length })?,
        output: lines(output, if from_real { half } else { length })?,
    })
}

/// Puts the transforms of a plan into its stream.
fn execute(plan: i32, kind: i32, input: u64, output: u64, direction: i32) -> Outcome {
    let (gpu, stream, fft) = with(plan, |plan| {
        let (made, shape) = plan.made.ok_or(INVALID_PLAN)?;
        if made != kind {
            return Err(INVALID_PLAN);
        }
        let complex = if shape.is_double { 16 } else { 8 };
        if input == 0 || output == 0 || direction.abs() != 1 {
            return Err(INVALID_VALUE);
        }
        // Real numbers are read and written in pairs.
        if !input.is_multiple_of(complex) || !output.is_multiple_of(complex) {
            return Err(INVALID_VALUE);
        }
        let bytes = if plan.is_auto { 0 } else { plan.area_bytes() };
        if bytes > 0 && plan.area == 0 {
            return Err(NO_WORKSPACE);
        }
        let fft = Fft {
            shape,
            direction,
            input,
            output,
            area: (plan.area, bytes),
            plan_lives: plan.lives.clone(),
        };
        Ok((plan.gpu, plan.stream, fft))
    })?;
    // Lines that are not short take two kernels.
    if !is_short(&fft.shape) {
        issue(gpu, stream, Body::FftPass(fft.clone()))?;
    }
    issue(gpu, stream, Body::Fft(fft))
}

fn issue(gpu: usize, stream: u64, body: Body) -> Outcome {
    let call = Call::enter(Domain::Runtime, LAUNCH);
    let issued = (|| {
        let mut machine = machine();
        let here = machine.here()?;
        let stream = machine.stream_of(stream)?;
        let of = machine.streams.get(&stream).map(|stream| stream.gpu);
        if here != gpu || of != Some(gpu) {
            return Err(Code::INVALID_HANDLE);
        }
        let origin = Origin {
            correlation: call.correlation,
            ..Origin::default()
        };
        machine.issue(stream, Vec::new(), body, origin);
        Ok(())
    })();
    call.leave(issued.err().map_or(0, |code| code.0));
    issued.map_err(|_| EXEC_FAILED)
}

macro_rules! exports {
    ($(fn $name:ident($($arg:ident: $type:ty),* $(,)?) $body:block)*) => {
        $(
            #[unsafe(no_mangle)]
            #[allow(non_snake_case, clippy::too_many_arguments, reason = "the function in C")]
            extern "C" fn $name($($arg: $type),*) -> u32 {
                teardown::CUFFT.enter_or_abort(stringify!($name));
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
    fn cufftCreate(plan: *mut i32) {
        let gpu = machine().here().map_err(|_| SETUP_FAILED)?;
        let mut plans = PLANS.lock().unwrap_or_else(PoisonError::into_inner);
        plans.0 += 1;
        let number = plans.0;
        let new = Plan {
            gpu,
            stream: 0,
            is_auto: true,
            area: 0,
            made: None,
            lives: Arc::new(AtomicBool::new(true)),
        };
        plans.1.insert(number, new);
        write(plan, number)
    }

    // It does not wait for the GPU: transforms that have not run fail.
    fn cufftDestroy(plan: i32) {
        let mut plans = PLANS.lock().unwrap_or_else(PoisonError::into_inner);
        let gone = plans.1.remove(&plan).ok_or(INVALID_PLAN)?;
        gone.lives.store(false, Ordering::SeqCst);
        Ok(())
    }

    fn cufftSetAutoAllocation(plan: i32, is_auto: i32) {
        with(plan, |plan| {
            plan.is_auto = is_auto != 0;
            Ok(())
        })
    }

    fn cufftMakePlanMany64(
        plan: i32, rank: i32, n: *const i64, inembed: *const i64, istride: i64, idist: i64, onembed: *const i64, ostride: i64, odist: i64,
        kind: i32, batch: i64, bytes: *mut usize,
    ) {
        if rank < 1 || n.is_null() {
            return Err(INVALID_VALUE);
        }
        if rank > 1 {
            return Err(NOT_IMPLEMENTED);
        }
        // SAFETY: the program promises as many lengths as there are axes.
        let length = unsafe { n.read() };
        let input = (!inembed.is_null()).then_some((istride, idist));
        let output = (!onembed.is_null()).then_some((ostride, odist));
        let shape = shape(kind, length, batch, [input, output])?;
        let here = machine().here().map_err(|_| SETUP_FAILED)?;
        with(plan, |plan| {
            if plan.made.is_some() {
                return Err(INVALID_PLAN);
            }
            if plan.gpu != here {
                return Err(INVALID_DEVICE);
            }
            plan.made = Some((kind, shape));
            write(bytes, plan.area_bytes() as usize)
        })
    }

    fn cufftGetSize(plan: i32, bytes: *mut usize) {
        with(plan, |plan| write(bytes, plan.area_bytes() as usize))
    }

    fn cufftSetWorkArea(plan: i32, area: u64) {
        with(plan, |plan| {
            plan.area = area;
            plan.is_auto = false;
            Ok(())
        })
    }

    fn cufftSetStream(plan: i32, stream: u64) {
        with(plan, |plan| {
            plan.stream = stream;
            Ok(())
        })
    }

    fn cufftExecC2C(plan: i32, input: u64, output: u64, direction: i32) { execute(plan, 0x29, input, output, direction) }

    fn cufftExecZ2Z(plan: i32, input: u64, output: u64, direction: i32) { execute(plan, 0x69, input, output, direction) }

    fn cufftExecR2C(plan: i32, input: u64, output: u64) { execute(plan, 0x2a, input, output, -1) }

    fn cufftExecD2Z(plan: i32, input: u64, output: u64) { execute(plan, 0x6a, input, output, -1) }

    fn cufftExecC2R(plan: i32, input: u64, output: u64) { execute(plan, 0x2c, input, output, 1) }

    fn cufftExecZ2D(plan: i32, input: u64, output: u64) { execute(plan, 0x6c, input, output, 1) }

    fn cufftGetVersion(version: *mut i32) { write(version, 12_000) }

    // Major, minor and patch.
    fn cufftGetProperty(property: i32, value: *mut i32) {
        match property {
            0 => write(value, 12),
            1 | 2 => write(value, 0),
            _ => Err(INVALID_TYPE),
        }
    }
}
