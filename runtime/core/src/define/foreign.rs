//! Bodies that are functions of C, or of any language that can be called like C: `runtime/core/include/weft_task.h` declares what they are given.

#![allow(
    unsafe_code,
    reason = "calls functions by their address, and gives them addresses"
)]

use std::any::Any;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fmt;
use std::ptr;

use smallvec::SmallVec;
use weft_elements::Tile;
use weft_elements::nest::Nest;

use super::{BodyError, Builder, Context, CpuBody, Kind};

/// The version of [`RawTask`] and [`RawOperand`].
pub const ABI: u32 = 1;

/// Bytes of a text that says why a function failed.
const MESSAGE: usize = 512;

/// The part of one argument that belongs to a tile: `weft_operand` in C.
#[repr(C)]
#[derive(Debug)]
pub struct RawOperand {
    /// The first element.
    pub data: *mut c_void,
    /// The number of the dtype in [`DType::ALL`](crate::dtype::DType::ALL).
    pub dtype: i32,
    /// 0 of what is read, 1 written, 2 both, 3 contributed to, 4 of a single value.
    pub access: i32,
    /// How many axes it has.
    pub axes: i32,
    /// 0.
    pub reserved: i32,
    /// Elements along each axis.
    pub extents: *const i64,
    /// Bytes between neighbours along each axis.
    pub strides: *const i64,
    /// The index in the whole array of its first element, along each axis.
    pub first: *const i64,
    /// The name of the parameter.
    pub name: *const c_char,
}

/// One tile of a call: `weft_task` in C.
#[repr(C)]
#[derive(Debug)]
pub struct RawTask {
    /// [`ABI`].
    pub abi: u32,
    /// How many operands there are.
    pub count: i32,
    /// They, in the order of the parameters.
    pub operands: *const RawOperand,
    /// The number of the tile.
    pub tile: i64,
    /// How many tiles there are.
    pub tiles: i64,
    /// Axes of the task's shape.
    pub axes: i64,
    /// The task's shape.
    pub shape: *const i64,
    /// The first index of the tile along each axis.
    pub first: *const i64,
    /// One past its last.
    pub end: *const i64,
    /// Null: the tile lies in main memory.
    pub stream: *mut c_void,
    /// What was given with the function.
    pub user: *mut c_void,
    /// Room for a text that says why the function failed.
    pub message: *mut c_char,
    /// Its bytes.
    pub message_size: usize,
}

/// A function that does a task on one tile: 0, or a code of its own where it fails.
pub type ForeignFunction = unsafe extern "C" fn(*const RawTask) -> c_int;

/// A body that is a function of C.
pub struct Foreign {
    function: ForeignFunction,
    user: *mut c_void,
    /// Keeps the function and what it uses.
    _owner: Option<Box<dyn Any + Send + Sync>>,
}

// SAFETY: the function may be called on any thread, several times at once, as `Foreign::new` demands; the address is only handed on.
unsafe impl Send for Foreign {}
// SAFETY: as above.
unsafe impl Sync for Foreign {}

impl Foreign {
    /// The body that calls `function`, with `user` in its task.
    ///
    /// # Safety
    /// As long as the body lives the function may be called on any thread, several times at once. It reads what it is given, writes only
    /// elements of operands that are no inputs, writes every element of outputs, keeps no address beyond its return, does not unwind, and
    /// writes no more than the given room to the message.
    pub unsafe fn new(function: ForeignFunction, user: *mut c_void) -> Foreign {
        Foreign {
            function,
            user,
            _owner: None,
        }
    }

    /// The same, which keeps what the function needs, such as the library that it is in, until the body ends.
    #[must_use]
    pub fn with_owner(self, owner: Box<dyn Any + Send + Sync>) -> Foreign {
        Foreign {
            _owner: Some(owner),
            ..self
        }
    }
}

impl fmt::Debug for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "function at {:p}", self.function as *const ())
    }
}

/// Numbers of axes, for as long as a function runs.
type Numbers = SmallVec<[i64; 4]>;

/// What the addresses in one operand lead to.
struct Parts {
    extents: Numbers,
    strides: Numbers,
    first: Numbers,
    name: CString,
}

fn access(kind: Kind) -> i32 {
    match kind {
        Kind::In => 0,
        // The builder refuses results of unknown length for such a body.
        Kind::Out | Kind::Unbound => 1,
        Kind::InOut => 2,
        Kind::Reduce(_) => 3,
        Kind::Scalar => 4,
    }
}

impl CpuBody for Foreign {
    fn run(&self, context: &mut Context<'_, '_>) -> Result<(), BodyError> {
        let numbers =
            |of: &mut dyn Iterator<Item = usize>| -> Numbers { of.map(|one| one as i64).collect() };
        let shape = numbers(&mut context.shape().iter().copied());
        let first = numbers(&mut context.ranges().iter().map(|range| range.start));
        let end = numbers(&mut context.ranges().iter().map(|range| range.end));
        let (tile, tiles) = (context.tile() as i64, context.tiles() as i64);
        let mut given: SmallVec<[_; 4]> = context.take().collect();
        let parts = given.iter_mut().map(|one| {
            let name = CString::new(one.name())?;
            let is_value = one.parameter().kind == Kind::Scalar;
            let firsts = one.bounds().iter().map(|(first, _)| *first);
            let first = numbers(&mut firsts.filter(|_| !is_value));
            let tile = one.as_tile();
            let axes = if is_value { 0 } else { tile.layout().rank() };
            Ok(Parts {
                extents: numbers(&mut tile.dims().iter().copied().take(axes)),
                strides: (0..axes)
                    .map(|axis| tile.byte_stride(axis) as i64)
                    .collect(),
                first,
                name,
            })
        });
        let parts = parts.collect::<Result<SmallVec<[Parts; 4]>, BodyError>>()?;
        let operands = given.iter_mut().zip(&parts).map(|(one, parts)| RawOperand {
            data: one.as_tile().first().cast(),
            dtype: one.dtype() as i32,
            access: access(one.parameter().kind),
            axes: parts.extents.len() as i32,
            reserved: 0,
            extents: parts.extents.as_ptr(),
            strides: parts.strides.as_ptr(),
            first: parts.first.as_ptr(),
            name: parts.name.as_ptr(),
        });
        let operands: SmallVec<[RawOperand; 4]> = operands.collect();
        let mut message = [0_u8; MESSAGE];
        let task = RawTask {
            abi: ABI,
            count: operands.len() as i32,
            operands: operands.as_ptr(),
            tile,
            tiles,
            axes: shape.len() as i64,
            shape: shape.as_ptr(),
            first: first.as_ptr(),
            end: end.as_ptr(),
            stream: ptr::null_mut(),
            user: self.user,
            message: message.as_mut_ptr().cast(),
            message_size: MESSAGE,
        };
        // SAFETY: what the task leads to lives until the function has returned. The tiles are lent: those of outputs are this task's alone,
        // inputs are not written meanwhile. The function does no more than `Foreign::new` allows.
        match unsafe { (self.function)(&raw const task) } {
            0 => Ok(()),
            code => Err(why(&message, code)),
        }
    }

    fn is_foreign(&self) -> bool {
        true
    }

    fn fills_unbound(&self) -> bool {
        false
    }
}

/// Why a function failed: in its own words where it has some.
fn why(message: &[u8; MESSAGE], code: c_int) -> BodyError {
    match CStr::from_bytes_until_nul(message) {
        Ok(text) if !text.is_empty() => text.to_string_lossy().into(),
        _ => format!("it returned {code}").into(),
    }
}

/// Has each element of a tile of booleans be 0 or 1, whatever byte a foreign function has written there: any but 0 is true.
pub(super) fn make_booleans(tile: &mut Tile<'_>) {
    Nest::new([&*tile]).for_each_run(&mut |run| {
        for number in 0..run.count as isize {
            let at = run.at[0].wrapping_offset(run.steps[0] * number);
            // SAFETY: an element of the tile, which is one byte, is initialised and this task's alone; a run stays inside the tile.
            unsafe { at.write(u8::from(at.read() != 0)) };
        }
    });
}

impl Builder {
    /// What does it on a CPU: a function of C, which gets `user` in its task.
    ///
    /// # Safety
    /// As [`Foreign::new`], for as long as the task is there.
    #[must_use]
    pub unsafe fn foreign(self, function: ForeignFunction, user: *mut c_void) -> Builder {
        // SAFETY: the caller's promise.
        self.cpu(unsafe { Foreign::new(function, user) })
    }
}
