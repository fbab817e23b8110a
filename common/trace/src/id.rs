//! Identity: UIDs, which are unique over a run, and small indices into the tables of one file.
//!
//! A UID has 63 bits, so that it fits SQLite's signed integer, and is never 0. The rank is in the
//! top 15 bits, a sequence number in the lower 48. Tasks, copies, fills, stores, instances and
//! launches share the sequence. An operation is the same on all ranks, so its UID has
//! [`Rank::REPLICATED`] instead of a rank.

use std::fmt;
use std::num::NonZeroU64;

/// The number of bits of the sequence number in a UID.
const SEQUENCE_BITS: u32 = 48;

/// The largest sequence number.
const SEQUENCE_MAX: u64 = (1 << SEQUENCE_BITS) - 1;

/// The UUID of a GPU, assigned by the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GpuUuid([u8; 16]);

impl GpuUuid {
    /// Creates a UUID from its bytes; `None` for all zeros, which no GPU has.
    pub fn from_bytes(bytes: [u8; 16]) -> Option<Self> {
        (bytes != [0; 16]).then_some(GpuUuid(bytes))
    }

    /// Returns the bytes.
    pub const fn bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

/// Formats the UUID as the driver's tools do, without `GPU-`.
impl fmt::Display for GpuUuid {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, byte) in self.0.iter().enumerate() {
            if matches!(at, 4 | 6 | 8 | 10) {
                to.write_str("-")?;
            }
            write!(to, "{byte:02x}")?;
        }
        Ok(())
    }
}

/// A number that distinguishes the calls of an interpreted program, by their instruction and the
/// calls that led to them.
///
/// Bit 31 is set, which no column reaches. Bit 0 alternates between consecutive executions of a
/// call, so that all operations of one execution have equal numbers. Bit 1 is set if the program
/// called through functions of the front end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallNumber(u32);

impl CallNumber {
    /// The number of a call whose stack was too deep to read.
    pub const TOO_DEEP: CallNumber = CallNumber(u32::MAX);
    const MARK: u32 = 1 << 31;
    const IS_ODD: u32 = 1;
    const IS_INDIRECT: u32 = 2;

    /// Creates a number from a hash of the instruction and of those that led to it.
    pub const fn new(hash: u64, is_odd: bool, is_indirect: bool) -> Self {
        let folded = (hash ^ (hash >> 32)) as u32;
        let place = (folded & !(Self::MARK | Self::IS_ODD | Self::IS_INDIRECT)) | Self::MARK;
        let indirect = if is_indirect { Self::IS_INDIRECT } else { 0 };
        let number = CallNumber(place | indirect | is_odd as u32);
        if number.place() == Self::TOO_DEEP.place() {
            return CallNumber(Self::MARK | indirect | is_odd as u32);
        }
        number
    }

    /// Creates a call number from the number in a record; `None` if that is a column.
    pub const fn from_number(number: u32) -> Option<Self> {
        if number & Self::MARK == 0 {
            return None;
        }
        Some(CallNumber(number))
    }

    /// Returns the number for records.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// Returns the bits that are equal for all executions of one call.
    pub const fn place(self) -> u32 {
        self.0 & !Self::IS_ODD
    }

    /// Returns the bit that alternates between consecutive executions of a call.
    pub const fn is_odd(self) -> bool {
        self.0 & Self::IS_ODD != 0
    }

    /// Whether the program called through functions of the front end, which may submit several
    /// operations.
    pub const fn is_indirect(self) -> bool {
        self.0 & Self::IS_INDIRECT != 0
    }
}

/// One process of a run, 0 to 32,766.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(u16);

impl Rank {
    /// The rank bits of operations, which are the same on every rank.
    pub const REPLICATED: Rank = Rank(0x7fff);

    /// Creates a rank; `None` above 32,766.
    pub const fn new(rank: u16) -> Option<Self> {
        if rank < Self::REPLICATED.0 {
            Some(Rank(rank))
        } else {
            None
        }
    }

    /// Returns the rank as a number.
    pub const fn get(self) -> u16 {
        self.0
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A 63-bit unique id, never 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uid(NonZeroU64);

impl Uid {
    /// Creates the UID of `rank` with this sequence number; `None` if the number is 0 or has more
    /// than 48 bits.
    pub const fn new(rank: Rank, sequence: u64) -> Option<Self> {
        if sequence == 0 || sequence > SEQUENCE_MAX {
            return None;
        }
        match NonZeroU64::new((rank.0 as u64) << SEQUENCE_BITS | sequence) {
            Some(raw) => Some(Uid(raw)),
            None => None,
        }
    }

    /// Creates a UID from a number in a file or a payload; `None` for 0 and for numbers of 64 bits.
    pub const fn from_raw(raw: u64) -> Option<Self> {
        if raw >> 63 != 0 {
            return None;
        }
        match NonZeroU64::new(raw) {
            Some(raw) => Some(Uid(raw)),
            None => None,
        }
    }

    /// Returns the number for NVTX payloads, CUPTI external ids and SQLite.
    pub const fn raw(self) -> u64 {
        self.0.get()
    }

    /// Returns the rank bits.
    pub const fn rank(self) -> Rank {
        Rank((self.0.get() >> SEQUENCE_BITS) as u16)
    }

    /// Returns the sequence number.
    pub const fn sequence(self) -> u64 {
        self.0.get() & SEQUENCE_MAX
    }
}

impl fmt::Debug for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.rank(), self.sequence())
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw().fmt(f)
    }
}

macro_rules! uid_kinds {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub Uid);

        impl $name {
            /// Returns the number for NVTX payloads, CUPTI external ids and SQLite.
            pub const fn raw(self) -> u64 {
                self.0.raw()
            }
        }

        impl From<Uid> for $name {
            fn from(uid: Uid) -> Self {
                $name(uid)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

uid_kinds! {
    /// An operation: one logical step that the program asked for.
    OperationUid,
    /// A task, a copy or a fill.
    TaskUid,
    /// A launch. The launch of an unfused task has the task's own UID.
    LaunchUid,
    /// A store: the data of a logical array.
    StoreUid,
    /// An instance: an allocation.
    InstanceUid,
}

macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident($int:ty)),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $int);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

indices! {
    /// A processor of one rank (a row of its processor records).
    ProcessorId(u16),
    /// A memory of one rank (a row of its memory records).
    MemoryId(u16),
    /// A string of one file. 0 is the empty string and is never defined.
    NameId(u32),
    /// A source position of one file. 0 means unknown and is never defined.
    ProvenanceId(u32),
    /// A scope of one file. 0 means none and is never defined.
    ScopeId(u32),
    /// A stack of calls of one file. 0 means none and is never defined.
    StackId(u32),
    /// An image of one file: less than 2^56. 0 is never defined.
    ImageId(u64),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uid_keeps_rank_and_sequence_within_63_bits() {
        let uid = Uid::new(Rank::REPLICATED, SEQUENCE_MAX).unwrap();
        assert_eq!(
            (uid.rank(), uid.sequence()),
            (Rank::REPLICATED, SEQUENCE_MAX)
        );
        assert!(i64::try_from(uid.raw()).is_ok());
        assert_eq!(Uid::from_raw(uid.raw()), Some(uid));
    }

    #[test]
    fn rejects_zero_and_64_bit_uids() {
        assert_eq!(Uid::new(Rank::default(), 0), None);
        assert_eq!(Uid::new(Rank::default(), SEQUENCE_MAX + 1), None);
        assert_eq!(Uid::from_raw(0), None);
        assert_eq!(Uid::from_raw(1 << 63), None);
        assert_eq!(Rank::new(0x7fff), None);
    }
}
