//! Records as bytes: fields at the offsets that NVIDIA's headers give them, in the sizes of one
//! version.

/// A version of CUPTI with its own record layouts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// 12.4.
    V12,
    /// 13.0.
    V13,
}

impl Version {
    /// Returns the result of `cuptiGetVersion`.
    pub(crate) fn number(self) -> u32 {
        match self {
            Version::V12 => 22,
            Version::V13 => 130_001,
        }
    }

    /// Returns the bytes of a record of this kind; `None` if this version has no such records.
    pub(crate) fn bytes(self, kind: u32) -> Option<usize> {
        use super::session::kind;
        let (old, new) = match kind {
            kind::MEMCPY => (88, 96),
            kind::MEMSET => (88, 88),
            kind::KERNEL | kind::CONCURRENT_KERNEL => (208, 216),
            kind::DRIVER | kind::RUNTIME => (40, 40),
            kind::OVERHEAD => (56, 56),
            kind::MEMCPY2 => (96, 96),
            kind::SYNCHRONIZATION => (40, 56),
            kind::EXTERNAL_CORRELATION => (24, 24),
            kind::UNIFIED_MEMORY_COUNTER => (64, 104),
            kind::MEMORY2 => (120, 128),
            _ => return None,
        };
        Some(if self == Version::V12 { old } else { new })
    }
}

/// A record under construction. Fields beyond its size are left out, as in older versions.
pub(crate) struct Record(Vec<u8>);

impl Record {
    /// Creates an empty record of this kind.
    pub(crate) fn new(kind: u32, version: Version) -> Record {
        let mut record = Record(vec![0; version.bytes(kind).unwrap_or(8)]);
        record.put(0, kind.to_le_bytes());
        record
    }

    fn put<const N: usize>(&mut self, at: usize, bytes: [u8; N]) {
        if let Some(place) = self.0.get_mut(at..at + N) {
            place.copy_from_slice(&bytes);
        }
    }

    pub(crate) fn u8(mut self, at: usize, value: u8) -> Record {
        self.put(at, [value]);
        self
    }

    pub(crate) fn u16(mut self, at: usize, value: u16) -> Record {
        self.put(at, value.to_le_bytes());
        self
    }

    pub(crate) fn u32(mut self, at: usize, value: u32) -> Record {
        self.put(at, value.to_le_bytes());
        self
    }

    pub(crate) fn u64(mut self, at: usize, value: u64) -> Record {
        self.put(at, value.to_le_bytes());
        self
    }

    /// Writes successive values of 32 bits.
    pub(crate) fn all_u32<const N: usize>(mut self, at: usize, values: [u32; N]) -> Record {
        for (number, value) in values.into_iter().enumerate() {
            self.put(at + 4 * number, value.to_le_bytes());
        }
        self
    }

    pub(crate) fn done(self) -> Vec<u8> {
        self.0
    }
}
