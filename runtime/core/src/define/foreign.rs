//! Bodies that are functions of C, or of any language with C's calling convention.
//! `runtime/core/include/weft_task.h` declares their arguments.

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

/// Version of [`RawTask`] and [`RawOperand`].
pub const ABI: u32 = 1;

/// Size in bytes of the buffer for an error message.
const MESSAGE: usize = 512;

/// The part of one argument that belongs to a tile: `weft_operand` in C.
#[repr(C)]
#[derive(Debug)]
pub struct RawOperand {
    /// Address of the first element.
    pub data: *mut c_void,
    /// Number of the dtype in [`DType::ALL`](crate::dtype::DType::ALL).
    pub dtype: i32,
    /// 0 if read, 1 if written, 2 if read and written, 3 if contributed to, 4 for a single value.
    pub access: i32,
    /// Number of axes.
    pub axes: i32,
    /// Always 0.
    pub reserved: i32,
    /// Number of elements along each axis.
    pub extents: *const i64,
    /// Distance between neighbours along each axis, in bytes.
    pub strides: *const i64,
    /// Index of the first element in the whole array, along each axis.
    pub first: *const i64,
    /// Name of the parameter.
    pub name: *const c_char,
}

/// One tile of a call: `weft_task` in C.
#[repr(C)]
#[derive(Debug)]
pub struct RawTask {
    /// Version of these structures, [`ABI`].
    pub abi: u32,
    /// Number of operands.
    pub count: i32,
    /// The operands, in the order of the parameters.
    pub operands: *const RawOperand,
    /// Number of the tile.
    pub tile: i64,
    /// Number of tiles.
    pub tiles: i64,
    /// Number of axes of the task's shape.
    pub axes: i64,
    /// Shape of the whole task.
    pub shape: *const i64,
    /// First index of the tile along each axis.
    pub first: *const i64,
    /// One past the last index of the tile along each axis.
    pub end: *const i64,
    /// Null, because the tile is in main memory.
    pub stream: *mut c_void,
    /// The pointer given with the function.
    pub user: *mut c_void,
    /// Buffer for a message about the failure of the function.
    pub message: *mut c_char,
    /// Size of the buffer in bytes.
    pub message_size: usize,
}

/// A function that runs a task on one tile. It returns 0, or its own code if it fails.
pub type ForeignFunction = unsafe extern "C" fn(*const RawTask) -> c_int;

/// A body that is a function of C.
pub struct Foreign {
    function: ForeignFunction,
    user: *mut c_void,
    /// Keeps the function and its data alive.
    _owner: Option<Box<dyn Any + Send + Sync>>,
}

// SAFETY: `Foreign::new` requires that the function may be called on any thread, several times at
// once; the address is only passed on.
unsafe impl Send for Foreign {}
// SAFETY: as above.
unsafe impl Sync for Foreign {}

impl Foreign {
    /// Creates a body that calls `function`, with `user` in its task.
    ///
    /// # Safety
    /// As long as the body lives, the function must allow calls on any thread, several at once. It
    /// must write only elements of operands that are not inputs, and every element of outputs. It
    /// must not keep an address beyond its return, must not unwind, and must not write more than
    /// `message_size` bytes to the message.
    pub unsafe fn new(function: ForeignFunction, user: *mut c_void) -> Foreign {
        Foreign {
            function,
            user,
            _owner: None,
        }
    }

    /// Keeps `owner`, such as the library of the function, alive until the body is dropped.
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

/// Numbers by axis, which live while a function runs.
type Numbers = SmallVec<[i64; 4]>;

/// The data that the addresses in one operand point to.
struct Parts {
    extents: Numbers,
    strides: Numbers,
    first: Numbers,
    name: CString,
}

fn access(kind: Kind) -> i32 {
    match kind {
        Kind::In => 0,
        // The builder rejects results of unknown length for such a body.
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
        // SAFETY: the data that the task points to lives until the function has returned. The tiles
        // are borrowed: those of outputs belong to this task alone, and inputs are not written
        // meanwhile. The function does no more than `Foreign::new` allows.
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

/// Returns the error of a failed function: its message if it has written one, else its code.
fn why(message: &[u8; MESSAGE], code: c_int) -> BodyError {
    match CStr::from_bytes_until_nul(message) {
        Ok(text) if !text.is_empty() => text.to_string_lossy().into(),
        _ => format!("it returned {code}").into(),
    }
}

/// Sets each element of a tile of booleans to 0 or 1, since a foreign function may have written any
/// byte; any but 0 is true.
pub(super) fn make_booleans(tile: &mut Tile<'_>) {
    Nest::new([&*tile]).for_each_run(&mut |run| {
        for number in 0..run.count as isize {
            let at = run.at[0].wrapping_offset(run.steps[0] * number);
            // SAFETY: the element is one byte of the tile, is initialised and belongs to this task
            // alone; a run stays inside the tile.
            unsafe { at.write(u8::from(at.read() != 0)) };
        }
    });
}

impl Builder {
    /// Sets the body for CPUs to a function of C, which gets `user` in its task.
    ///
    /// # Safety
    /// As for [`Foreign::new`], while the task exists.
    #[must_use]
    pub unsafe fn foreign(self, function: ForeignFunction, user: *mut c_void) -> Builder {
        // SAFETY: as the caller guarantees.
        self.cpu(unsafe { Foreign::new(function, user) })
    }
}
