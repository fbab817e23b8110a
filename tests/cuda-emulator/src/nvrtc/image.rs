//! The output of the emulated NVRTC, which the emulated driver loads: the source, in a format that
//! a real driver rejects.
#![allow(
    unsafe_code,
    reason = "reads an image of which only the start is known"
)]

use crate::machine::code::Code;
use crate::machine::context::CAPABILITY;

/// A target of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arch {
    /// `sm_90`, not `compute_90`.
    pub(crate) is_real: bool,
    pub(crate) number: u32,
}

impl Arch {
    pub(crate) fn parse(text: &str) -> Option<Arch> {
        let real = text.strip_prefix("sm_");
        let number = real.or_else(|| text.strip_prefix("compute_"))?;
        let number = number.trim_end_matches(['a', 'f']).parse().ok()?;
        Some(Arch {
            is_real: real.is_some(),
            number,
        })
    }

    /// Checks whether the emulated GPUs can run it.
    fn fits(self, is_cubin: bool) -> Result<(), Code> {
        let (major, minor) = CAPABILITY;
        let fits = if is_cubin {
            self.number / 10 == major && self.number % 10 <= minor
        } else {
            self.number <= major * 10 + minor
        };
        let code = if is_cubin {
            Code::NO_BINARY_FOR_GPU
        } else {
            Code::INVALID_PTX
        };
        fits.then_some(()).ok_or(code)
    }
}

/// An image that can be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) arch: Arch,
    pub(crate) fuses: bool,
    pub(crate) source: String,
}

const CUBIN: &[u8; 8] = b"\x7fELF-EMU";
const PTX: &[u8; 8] = b"//PTXEMU";
const END: &str = "\n//END\n";

impl Image {
    /// Returns the image as a cubin, or as PTX, with a final zero byte like NVRTC's.
    pub(crate) fn bytes(&self, is_cubin: bool) -> Vec<u8> {
        let mut bytes = if is_cubin { CUBIN } else { PTX }.to_vec();
        let flags = format!(
            "{:05}{}{:012}",
            self.arch.number,
            u8::from(self.fuses),
            self.source.len()
        );
        bytes.extend(flags.bytes());
        bytes.extend(self.source.bytes());
        bytes.extend(END.bytes());
        if !is_cubin {
            bytes.push(0);
        }
        bytes
    }
}

/// Reads an image. Rejects one that ends too early, or PTX without a final zero byte, which a
/// driver would read beyond.
///
/// # Safety
/// `from` points to an image of the emulated NVRTC, or to at least 8 bytes whose start shows that
/// they are not one.
pub(crate) unsafe fn read(from: *const u8) -> Result<Image, Code> {
    // SAFETY: the caller's promise.
    let bytes =
        |at: usize, count: usize| unsafe { std::slice::from_raw_parts(from.add(at), count) };
    let mark = bytes(0, 8);
    let is_cubin = mark == CUBIN;
    if !is_cubin && mark != PTX {
        return Err(Code::INVALID_IMAGE);
    }
    let wrong = if is_cubin {
        Code::INVALID_IMAGE
    } else {
        Code::INVALID_PTX
    };
    let field = |at, count| std::str::from_utf8(bytes(at, count)).map_err(|_| wrong);
    let number = field(8, 5)?.parse().map_err(|_| wrong)?;
    let fuses = field(13, 1)? == "1";
    let length: usize = field(14, 12)?.parse().map_err(|_| wrong)?;
    let source = field(26, length)?.to_owned();
    if field(26 + length, END.len())? != END
        || !is_cubin && bytes(26 + length + END.len(), 1) != [0]
    {
        return Err(wrong);
    }
    let arch = Arch {
        is_real: is_cubin,
        number,
    };
    arch.fits(is_cubin)?;
    Ok(Image {
        arch,
        fuses,
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_survive_a_round_trip() {
        let image = |number| Image {
            arch: Arch {
                is_real: true,
                number,
            },
            fuses: true,
            source: "extern \"C\" __global__ void k() {}".to_owned(),
        };
        let read = |bytes: &[u8]| {
            // SAFETY: the bytes are an image.
            unsafe { super::read(bytes.as_ptr()) }
        };
        assert_eq!(read(&image(90).bytes(true)), Ok(image(90)));
        assert_eq!(read(&image(80).bytes(true)), Err(Code::NO_BINARY_FOR_GPU));
        assert_eq!(read(&image(100).bytes(true)), Err(Code::NO_BINARY_FOR_GPU));
        assert!(read(&image(80).bytes(false)).is_ok());
        assert_eq!(read(&image(100).bytes(false)), Err(Code::INVALID_PTX));
        let mut ptx = image(90).bytes(false);
        *ptx.last_mut().expect("bytes") = 1;
        assert_eq!(read(&ptx), Err(Code::INVALID_PTX));
        assert_eq!(read(b"\x7fELF\x02\x01\x01\x00"), Err(Code::INVALID_IMAGE));
    }
}
