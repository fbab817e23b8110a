//! The `.npy` format, versions 1.0 to 3.0: eight bytes that say what it is, the length of the header, a Python dictionary
//! as text, and the elements.
//!
//! <https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html>

#![allow(
    unsafe_code,
    reason = "elements are read and written as the bytes they are"
)]

mod header;

use std::io::{self, Read, Write};

use header::Header;

use crate::dtype::{DType, Element};
use crate::error::FileCause;
use crate::shape::Shape;

/// What every file begins with.
const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// What a `.npz` archive begins with.
const ARCHIVE: &[u8; 4] = b"PK\x03\x04";

/// The bytes at whose multiples elements begin in files that are written.
const ALIGNMENT: usize = 64;

/// An array as it stands in a file.
pub(super) struct Loaded {
    pub(super) dtype: DType,
    pub(super) dims: Vec<usize>,
    /// Whether the first axis is the dense one.
    pub(super) is_fortran: bool,
    /// The elements, in this machine's order of bytes.
    bytes: Vec<u8>,
}

impl Loaded {
    /// The elements in the file's order.
    ///
    /// # Panics
    /// If `T` is another type than the file's.
    pub(super) fn values<T: Element>(&self) -> Vec<T> {
        assert_eq!(T::DTYPE, self.dtype, "the file has another type");
        let count = self.bytes.len() / size_of::<T>();
        let mut values = vec![T::ZERO; count];
        // SAFETY: both are so many bytes long and apart; every bit pattern is a number, and `read` has seen to it that a
        // `bool` is 0 or 1.
        unsafe {
            values
                .as_mut_ptr()
                .cast::<u8>()
                .copy_from_nonoverlapping(self.bytes.as_ptr(), count * size_of::<T>());
        }
        values
    }
}

/// Reads one array.
///
/// # Errors
/// It is none, holds what Weft does not know, or ends too early.
pub(super) fn read(from: &mut impl Read) -> Result<Loaded, FileCause> {
    let mut start = [0; 8];
    let found = fill(from, &mut start)?;
    if found >= 4 && start.starts_with(ARCHIVE) {
        return Err(FileCause::Archive);
    }
    if found < start.len() || !start.starts_with(MAGIC) {
        return Err(FileCause::NotNpy);
    }
    let mut length = [0; 4];
    match start[6] {
        1 => from.read_exact(&mut length[..2])?,
        2 | 3 => from.read_exact(&mut length)?,
        major => return Err(FileCause::Version(major, start[7])),
    }
    let mut text = Vec::new();
    let length = u32::from_le_bytes(length);
    if from.take(length.into()).read_to_end(&mut text)? < length as usize {
        return Err(FileCause::Header("the file ends within it".to_owned()));
    }
    // Latin-1 in versions 1.0 and 2.0, UTF-8 in 3.0; what Weft understands of it is the same in both.
    let header = Header::parse(&String::from_utf8_lossy(&text))?;
    let shape = Shape::new(&header.dims);
    let expected = shape.and_then(|shape| shape.checked_bytes(header.dtype.size()));
    let Some(expected) = expected else {
        let why = format!("{:?} is no shape that Weft handles", header.dims);
        return Err(FileCause::Header(why));
    };
    // What the header promises is not to be believed before it is there.
    let mut bytes = Vec::new();
    from.take(expected as u64).read_to_end(&mut bytes)?;
    if bytes.len() < expected {
        let (expected, found) = (expected as u64, bytes.len() as u64);
        return Err(FileCause::Truncated { expected, found });
    }
    if header.is_swapped {
        bytes
            .chunks_exact_mut(header.swap_size)
            .for_each(<[u8]>::reverse);
    }
    if header.dtype.is_bool() {
        bytes
            .iter_mut()
            .for_each(|byte| *byte = u8::from(*byte != 0));
    }
    Ok(Loaded {
        dtype: header.dtype,
        dims: header.dims,
        is_fortran: header.is_fortran,
        bytes,
    })
}

/// Fills the buffer as far as there are bytes; returns how many.
fn fill(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut found = 0;
    while found < buffer.len() {
        match from.read(&mut buffer[found..]) {
            Ok(0) => break,
            Ok(count) => found += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// An array to be written.
pub(super) struct Encoded {
    header: Vec<u8>,
    values: Box<dyn Bytes>,
}

/// Elements that can be looked at as bytes.
trait Bytes {
    fn bytes(&self) -> &[u8];
}

impl<T: Element> Bytes for Vec<T> {
    fn bytes(&self) -> &[u8] {
        // SAFETY: elements have no padding, and are initialised.
        unsafe { std::slice::from_raw_parts(self.as_ptr().cast(), size_of_val(self.as_slice())) }
    }
}

impl Encoded {
    /// Row-major elements.
    pub(super) fn new<T: Element>(dims: Vec<usize>, values: Vec<T>) -> Encoded {
        let header = header::written(T::DTYPE, &dims);
        Encoded {
            header,
            values: Box::new(values),
        }
    }

    /// Writes the file.
    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        to.write_all(&self.header)?;
        to.write_all(self.values.bytes())
    }
}
