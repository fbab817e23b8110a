//! The code of a kernel.

/// A compiled kernel.
#[derive(Debug)]
pub(crate) struct Image {
    /// Name of the entry point.
    pub(crate) name: String,
    /// First 8 bytes of the SHA-256 of the source, in big-endian order.
    pub(crate) source: u64,
    /// Architecture: `sm_90`, or `compute_90` for PTX that the driver compiles.
    pub(crate) target: String,
    /// A cubin, or PTX with a zero byte at the end.
    pub(crate) bytes: Vec<u8>,
}
