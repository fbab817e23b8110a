//! cuFFT: Fourier transforms.

use std::ffi::{c_int, c_void};
use std::sync::{Arc, Once};

use weft_config::machine::library::CudaLibrary;
use weft_trace::time::{self, Timestamp};

use super::super::super::work::{Address, Fft, LineSteps, Transform, TransformKind};
use super::vendor::{Loaded, Vendor};
use super::{Context, Stream};
use crate::at_exit;
use crate::dtype::DType;
use crate::error::DriverError;

/// Maximum number of plans to keep per GPU. Each takes some memory of the GPU for its factors,
/// which cuFFT allocates itself.
const LIMIT: usize = 32;

/// `cufftHandle`.
type Handle = c_int;

/// `CUFFT_FORWARD`.
const FORWARD: c_int = -1;
/// `CUFFT_INVERSE`.
const INVERSE: c_int = 1;

/// The functions of the library.
struct Functions {
    create: unsafe extern "C" fn(*mut Handle) -> u32,
    destroy: unsafe extern "C" fn(Handle) -> u32,
    set_auto_allocation: unsafe extern "C" fn(Handle, c_int) -> u32,
    set_stream: unsafe extern "C" fn(Handle, *mut c_void) -> u32,
    set_work_area: unsafe extern "C" fn(Handle, *mut c_void) -> u32,
    make_plan_many: MakePlanMany,
    c2c: Directed,
    z2z: Directed,
    r2c: Undirected,
    d2z: Undirected,
    c2r: Undirected,
    z2d: Undirected,
    _library: Vendor,
}

/// `cufftMakePlanMany64`.
type MakePlanMany = unsafe extern "C" fn(
    Handle,
    c_int,
    *mut i64,
    *mut i64,
    i64,
    i64,
    *mut i64,
    i64,
    i64,
    c_int,
    i64,
    *mut usize,
) -> u32;

/// `cufftExecC2C`, `cufftExecZ2Z`.
type Directed = unsafe extern "C" fn(Handle, *mut c_void, *mut c_void, c_int) -> u32;

/// `cufftExecR2C` and similar functions.
type Undirected = unsafe extern "C" fn(Handle, *mut c_void, *mut c_void) -> u32;

impl Functions {
    fn get() -> Result<&'static Functions, DriverError> {
        static FUNCTIONS: Loaded<Functions> = Loaded::new();
        FUNCTIONS.get(Functions::load)
    }

    fn load() -> Result<Functions, DriverError> {
        let library = Vendor::load(CudaLibrary::Cufft)?;
        // SAFETY: the fields have the types that cufft.h of CUDA 12.0 and later declares.
        unsafe {
            Ok(Functions {
                create: library.function("cufftCreate")?,
                destroy: library.function("cufftDestroy")?,
                set_auto_allocation: library.function("cufftSetAutoAllocation")?,
                set_stream: library.function("cufftSetStream")?,
                set_work_area: library.function("cufftSetWorkArea")?,
                make_plan_many: library.function("cufftMakePlanMany64")?,
                c2c: library.function("cufftExecC2C")?,
                z2z: library.function("cufftExecZ2Z")?,
                r2c: library.function("cufftExecR2C")?,
                d2z: library.function("cufftExecD2Z")?,
                c2r: library.function("cufftExecC2R")?,
                z2d: library.function("cufftExecZ2D")?,
                _library: library,
            })
        }
    }
}

fn check(call: &'static str, code: u32) -> Result<(), DriverError> {
    match code {
        0 => Ok(()),
        _ => Err(DriverError::Call {
            call,
            code,
            name: name(code).into(),
        }),
    }
}

/// Returns the name of a `cufftResult`, for which the library has no function.
fn name(code: u32) -> &'static str {
    match code {
        1 => "CUFFT_INVALID_PLAN",
        2 => "CUFFT_ALLOC_FAILED",
        3 => "CUFFT_INVALID_TYPE",
        4 => "CUFFT_INVALID_VALUE",
        5 => "CUFFT_INTERNAL_ERROR",
        6 => "CUFFT_EXEC_FAILED",
        7 => "CUFFT_SETUP_FAILED",
        8 => "CUFFT_INVALID_SIZE",
        9 => "CUFFT_UNALIGNED_DATA",
        11 => "CUFFT_INVALID_DEVICE",
        13 => "CUFFT_NO_WORKSPACE",
        14 => "CUFFT_NOT_IMPLEMENTED",
        16 => "CUFFT_NOT_SUPPORTED",
        17 => "CUFFT_MISSING_DEPENDENCY",
        18 => "CUFFT_NVRTC_FAILURE",
        19 => "CUFFT_NVJITLINK_FAILURE",
        _ => "a status without a name",
    }
}

/// Returns the `cufftType`, which identifies the input and output types of a transform.
fn numbers(transform: &Transform) -> c_int {
    use TransformKind::{Forward, Inverse, RealForward, RealInverse};
    let of_floats = match transform.kind {
        RealForward => 0x2a,
        RealInverse => 0x2c,
        Forward | Inverse => 0x29,
    };
    match transform.real {
        DType::F32 => of_floats,
        _ => of_floats + 0x40,
    }
}

/// Returns the transform that a plan is made for: one plan for complex numbers serves both
/// directions.
fn planned(transform: &Transform) -> Transform {
    let kind = match transform.kind {
        TransformKind::Inverse => TransformKind::Forward,
        other => other,
    };
    Transform { kind, ..*transform }
}

/// The plans of one GPU, the most recently used last. Used by one thread at a time.
#[derive(Debug, Default)]
pub(crate) struct Plans(Vec<Plan>);

/// Start and end of the creation of a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
}

impl Plans {
    /// Loads the library.
    ///
    /// # Errors
    /// Returns an error if it is not installed, or is too old.
    pub(crate) fn can_be_made() -> Result<(), DriverError> {
        Functions::get().map(drop)
    }

    /// Returns the size in bytes of the work area of transforms. Creates their plan if there is
    /// none.
    ///
    /// # Errors
    /// Returns an error if cuFFT cannot create the plan.
    pub(crate) fn area(
        &mut self,
        context: &Arc<Context>,
        transform: &Transform,
    ) -> Result<usize, DriverError> {
        Ok(self.find(context, transform)?.area)
    }

    /// Returns the times of a plan's creation to the first caller.
    pub(crate) fn take_times(&mut self, transform: &Transform) -> Option<Times> {
        let planned = planned(transform);
        let mut plans = self.0.iter_mut();
        plans.find(|plan| plan.transform == planned)?.times.take()
    }

    /// Puts transforms into a stream.
    ///
    /// # Errors
    /// Returns an error if cuFFT cannot create the plan, or rejects the transforms.
    ///
    /// # Safety
    /// The lines, the results and the work area must stay allocated until the transforms have run,
    /// and the last two must have no other user.
    pub(crate) unsafe fn run(&mut self, stream: &Stream, fft: &Fft) -> Result<(), DriverError> {
        let plan = self.find(stream.context(), &fft.transform)?;
        let functions = plan.functions;
        let _entered = stream.enter()?;
        // Kernels get stream and work area as arguments, so a plan may get other ones while earlier
        // transforms run.
        // SAFETY: plan and stream are alive.
        let code = unsafe { (functions.set_stream)(plan.handle, stream.handle().cast()) };
        check("cufftSetStream", code)?;
        // SAFETY: as the caller guarantees.
        let code = unsafe { (functions.set_work_area)(plan.handle, pointer(fft.area)) };
        check("cufftSetWorkArea", code)?;
        let (input, output) = (pointer(fft.input), pointer(fft.output));
        let is_float = fft.transform.real == DType::F32;
        let undirected = |call: Undirected| {
            // SAFETY: as the caller guarantees; the plan determines the extent of the transforms.
            unsafe { call(plan.handle, input, output) }
        };
        let directed = |call: Directed, direction| {
            // SAFETY: as above.
            unsafe { call(plan.handle, input, output, direction) }
        };
        use TransformKind::{Forward, Inverse, RealForward, RealInverse};
        let (call, code) = match (fft.transform.kind, is_float) {
            (Forward, true) => ("cufftExecC2C", directed(functions.c2c, FORWARD)),
            (Forward, false) => ("cufftExecZ2Z", directed(functions.z2z, FORWARD)),
            (Inverse, true) => ("cufftExecC2C", directed(functions.c2c, INVERSE)),
            (Inverse, false) => ("cufftExecZ2Z", directed(functions.z2z, INVERSE)),
            (RealForward, true) => ("cufftExecR2C", undirected(functions.r2c)),
            (RealForward, false) => ("cufftExecD2Z", undirected(functions.d2z)),
            (RealInverse, true) => ("cufftExecC2R", undirected(functions.c2r)),
            (RealInverse, false) => ("cufftExecZ2D", undirected(functions.z2d)),
        };
        check(call, code)
    }

    /// Returns the plan for transforms, and creates it if there is none.
    fn find(
        &mut self,
        context: &Arc<Context>,
        transform: &Transform,
    ) -> Result<&Plan, DriverError> {
        let transform = &planned(transform);
        let known = self.0.iter().position(|plan| plan.transform == *transform);
        let plan = match known {
            Some(at) => self.0.remove(at),
            None => {
                if self.0.len() >= LIMIT {
                    // Streams may still contain transforms of the plan that is removed.
                    context.synchronize()?;
                    self.0.remove(0);
                }
                match Plan::new(context, transform) {
                    // Those that are kept have memory for their factors.
                    Err(error) if error.lacks_memory() && !self.0.is_empty() => {
                        context.synchronize()?;
                        self.0.clear();
                        Plan::new(context, transform)?
                    }
                    made => made?,
                }
            }
        };
        self.0.push(plan);
        // One was pushed.
        let last = self.0.len() - 1;
        Ok(&self.0[last])
    }
}

fn pointer(address: Address) -> *mut c_void {
    std::ptr::with_exposed_provenance_mut(address as usize)
}

/// A plan of cuFFT for some transforms on one GPU.
struct Plan {
    transform: Transform,
    handle: Handle,
    /// Size of the work area in bytes.
    area: usize,
    /// Times of the plan's creation; `None` once they were read.
    times: Option<Times>,
    functions: &'static Functions,
    context: Arc<Context>,
}

impl std::fmt::Debug for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut plan = f.debug_struct("Plan");
        plan.field("transform", &self.transform)
            .finish_non_exhaustive()
    }
}

/// The first calls of the process, each of which may register functions that run at exit.
static CREATED: Once = Once::new();
static PLANNED: Once = Once::new();

impl Plan {
    fn new(context: &Arc<Context>, transform: &Transform) -> Result<Plan, DriverError> {
        let functions = Functions::get()?;
        let start = time::now();
        let _entered = context.enter()?;
        let mut handle = 0;
        // SAFETY: writes a handle of the GPU whose context is current.
        let code = unsafe { (functions.create)(&mut handle) };
        // The first call may register functions that run at exit.
        CREATED.call_once(at_exit::move_to_front);
        check("cufftCreate", code)?;
        let mut plan = Plan {
            transform: *transform,
            handle,
            area: 0,
            times: None,
            functions,
            context: context.clone(),
        };
        // SAFETY: this value owns the plan.
        let code = unsafe { (functions.set_auto_allocation)(handle, 0) };
        check("cufftSetAutoAllocation", code)?;
        let wide = |count: usize| {
            // No array has more elements.
            i64::try_from(count).unwrap_or(i64::MAX)
        };
        let LineSteps { step, distance } = transform.input;
        let LineSteps {
            step: output_step,
            distance: output_distance,
        } = transform.output;
        let mut length = wide(transform.length);
        // For a single axis the extent in memory has no meaning, but without it cuFFT ignores the
        // steps.
        let (mut around, mut output_around) = (length, length);
        // SAFETY: plan and lengths have one axis; all lengths are read before the call returns.
        let code = unsafe {
            (functions.make_plan_many)(
                handle,
                1,
                &mut length,
                &mut around,
                wide(step),
                wide(distance),
                &mut output_around,
                wide(output_step),
                wide(output_distance),
                numbers(transform),
                wide(transform.lines),
                &mut plan.area,
            )
        };
        PLANNED.call_once(at_exit::move_to_front);
        check("cufftMakePlanMany64", code)?;
        let end = time::now();
        plan.times = Some(Times { start, end });
        Ok(plan)
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        let _entered = self.context.enter();
        // SAFETY: this value owns the handle. None of its work is in a stream: the owner
        // synchronizes before it drops the plan.
        let _ = unsafe { (self.functions.destroy)(self.handle) };
    }
}
