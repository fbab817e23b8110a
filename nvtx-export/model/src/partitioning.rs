//! Dependent partitioning: index spaces computed from data and from each other. Runs of Legion
//! record it.

use super::SourceIndex;
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// One computation of index spaces.
#[derive(Clone, Copy, Debug)]
pub struct Partitioning {
    /// The file it was read from.
    pub source: SourceIndex,
    /// Its UID.
    pub uid: Uid,
    /// The computation; `None` if the file has an unknown kind.
    pub kind: Option<PartitioningKind>,
    /// The operation that needed it.
    pub operation: Option<Uid>,
    /// The time of the request.
    pub created: Timestamp,
    /// The time at which it was ready to begin.
    pub ready: Timestamp,
    /// Start of the computation.
    pub start: Timestamp,
    /// End of the computation.
    pub end: Timestamp,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal;)*) => {
        /// Computations of index spaces, numbered from 0 as in Legion.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum PartitioningKind {
            $($(#[$doc])* $name),*
        }

        impl PartitioningKind {
            /// All kinds, in the order of Legion's numbers.
            pub const ALL: &'static [PartitioningKind] = &[$(PartitioningKind::$name),*];

            /// Returns its name in outputs.
            pub const fn name(self) -> &'static str {
                match self { $(PartitioningKind::$name => $word),* }
            }
        }
    };
}

kinds! {
    /// Union of two index spaces.
    Union = "union";
    /// Union of each pair.
    Unions = "unions";
    /// Union of many index spaces.
    UnionReduction = "union reduction";
    /// Intersection of two index spaces.
    Intersection = "intersection";
    /// Intersection of each pair.
    Intersections = "intersections";
    /// Intersection of many index spaces.
    IntersectionReduction = "intersection reduction";
    /// Difference of two index spaces.
    Difference = "difference";
    /// Difference of each pair.
    Differences = "differences";
    /// Parts of about the same size.
    Equal = "equal partition";
    /// Parts by the values of a field.
    ByField = "partition by field";
    /// Targets of the pointers in a part.
    ByImage = "partition by image";
    /// Targets of the ranges in a part.
    ByImageRange = "partition by image range";
    /// Elements whose pointers lead into a part.
    ByPreimage = "partition by preimage";
    /// Elements whose ranges lead into a part.
    ByPreimageRange = "partition by preimage range";
    /// Pointers from the elements of one index space to those of another.
    Association = "create association";
    /// Parts in proportion to weights.
    ByWeights = "partition by weights";
}

impl PartitioningKind {
    /// Returns Legion's number for it (`DepPartOpKind`).
    pub const fn code(self) -> i32 {
        self as i32
    }

    /// Returns the kind with this number.
    pub fn from_code(code: u64) -> Option<Self> {
        let place = usize::try_from(code).ok()?;
        Self::ALL.get(place).copied()
    }
}

/// The word for an unknown kind in outputs.
pub const UNKNOWN: &str = "partitioning";

impl Partitioning {
    /// Returns the name of the computation.
    pub fn name(&self) -> &'static str {
        self.kind.map_or(UNKNOWN, PartitioningKind::name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitioning_kinds_decode_from_codes() {
        for kind in PartitioningKind::ALL {
            let code = u64::try_from(kind.code()).unwrap();
            assert_eq!(PartitioningKind::from_code(code), Some(*kind));
        }
        assert_eq!(
            PartitioningKind::from_code(8),
            Some(PartitioningKind::Equal)
        );
        assert_eq!(PartitioningKind::from_code(16), None);
        // This is -1 as an unsigned 32-bit number.
        assert_eq!(PartitioningKind::from_code(u64::from(u32::MAX)), None);
    }
}
