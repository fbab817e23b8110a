//! The `.npy` format, versions 1.0 to 3.0: a magic and a version of eight bytes, the length of the
//! header, a Python dictionary as text, and the elements.
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
use crate::shape::Shape;
use weft_core::error::FileCause;

/// The first bytes of every file.
const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// The first bytes of a `.npz` archive.
const ARCHIVE: &[u8; 4] = b"PK\x03\x04";

/// The alignment of the elements in files that are written.
const ALIGNMENT: usize = 64;

/// The number of bytes that are read and converted at a time, which stay in the cache.
const CHUNK: usize = 1 << 18;

/// An array whose header was read; its elements come next.
#[derive(Debug)]
pub(super) struct Opened {
    header: Header,
    /// The size of all elements in bytes.
    pub(super) bytes: usize,
}

/// Reads the header of an array. `length` is the size of the whole file in bytes, if known.
///
/// # Errors
/// Returns an error if it is not an array, has unsupported content, or the file is too short for
/// its elements.
pub(super) fn open(from: &mut impl Read, length: Option<u64>) -> Result<Opened, FileCause> {
    let mut start = [0; 8];
    let found = fill(from, &mut start)?;
    if found >= 4 && start.starts_with(ARCHIVE) {
        return Err(FileCause::Archive);
    }
    if found < start.len() || !start.starts_with(MAGIC) {
        return Err(FileCause::NotNpy);
    }
    let mut size = [0; 4];
    let width = match start[6] {
        1 => 2,
        2 | 3 => 4,
        major => return Err(FileCause::Version(major, start[7])),
    };
    from.read_exact(&mut size[..width])?;
    let mut text = Vec::new();
    let size = u32::from_le_bytes(size);
    if from.take(size.into()).read_to_end(&mut text)? < size as usize {
        return Err(FileCause::Header("the file ends within it".to_owned()));
    }
    // The text is Latin-1 in versions 1.0 and 2.0, and UTF-8 in 3.0. The parts that Weft
    // understands are the same in both.
    let header = Header::parse(&String::from_utf8_lossy(&text))?;
    let shape = Shape::new(&header.dims);
    let Some(bytes) = shape.and_then(|shape| shape.checked_bytes(header.dtype.size())) else {
        let why = format!("shape {:?} is not supported", header.dims);
        return Err(FileCause::Header(why));
    };
    let before = (start.len() + width + text.len()) as u64;
    if let Some(found) = length.map(|length| length.saturating_sub(before))
        && found < bytes as u64
    {
        let expected = bytes as u64;
        return Err(FileCause::Truncated { expected, found });
    }
    Ok(Opened { header, bytes })
}

impl Opened {
    pub(super) fn dtype(&self) -> DType {
        self.header.dtype
    }

    pub(super) fn dims(&self) -> &[usize] {
        &self.header.dims
    }

    /// Whether the first axis is the dense one.
    pub(super) fn is_fortran(&self) -> bool {
        self.header.is_fortran
    }

    /// Reads the elements, in the file's order. Memory is written only as bytes arrive.
    ///
    /// # Errors
    /// Returns an error if there are too few, or there is no memory for them.
    ///
    /// # Panics
    /// Panics if `T` is not the file's type.
    pub(super) fn values<T: Element>(&self, from: &mut impl Read) -> Result<Vec<T>, FileCause> {
        assert_eq!(T::DTYPE, self.header.dtype, "the file has another type");
        let mut values: Vec<T> = Vec::new();
        let count = self.bytes / size_of::<T>();
        let reserved = values.try_reserve_exact(count);
        reserved.map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
        let mut chunk = vec![0; CHUNK];
        while values.len() < count {
            let size = CHUNK.min((count - values.len()) * size_of::<T>());
            let bytes = &mut chunk[..size];
            let found = fill(from, bytes)?;
            if found < size {
                let found = (values.len() * size_of::<T>() + found) as u64;
                let expected = self.bytes as u64;
                return Err(FileCause::Truncated { expected, found });
            }
            if self.header.is_swapped {
                let elements = bytes.chunks_exact_mut(self.header.swap_size);
                elements.for_each(<[u8]>::reverse);
            }
            if self.header.dtype.is_bool() {
                bytes
                    .iter_mut()
                    .for_each(|byte| *byte = u8::from(*byte != 0));
            }
            let at = values.len();
            values.resize(at + size / size_of::<T>(), T::ZERO);
            // SAFETY: the new elements take up as many bytes as the chunk, and the two are
            // disjoint. Every bit pattern is a number, and each `bool` is 0 or 1 as just ensured.
            unsafe {
                let new = values.as_mut_ptr().add(at).cast::<u8>();
                new.copy_from_nonoverlapping(bytes.as_ptr(), size);
            }
        }
        Ok(values)
    }
}

/// Fills the buffer as far as there are bytes. Returns their number.
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

/// An array in encoded form.
pub(super) struct Encoded {
    header: Vec<u8>,
    values: Box<dyn Bytes>,
}

/// Elements with a view of their bytes.
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
    /// Encodes row-major elements.
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
