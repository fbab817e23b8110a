//! Dependent partitioning: computations of index spaces from data and from each other. Runs of Legion have them.

use super::SourceIndex;
use weft_trace::id::Uid;
use weft_trace::time::Timestamp;

/// One computation of index spaces.
#[derive(Clone, Copy, Debug)]
pub struct Partitioning {
    /// Where it was read.
    pub source: SourceIndex,
    /// Its UID.
    pub uid: Uid,
    /// What was computed; `None` where the file has a kind that is not known.
    pub kind: Option<PartitioningKind>,
    /// The operation that it was needed for.
    pub operation: Option<Uid>,
    /// When it was asked for.
    pub created: Timestamp,
    /// When it could begin.
    pub ready: Timestamp,
    /// When it began.
    pub start: Timestamp,
    /// When it ended.
    pub end: Timestamp,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident = $word:literal;)*) => {
        /// What is computed of index spaces, by Legion's numbers from 0.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum PartitioningKind {
            $($(#[$doc])* $name),*
        }

        impl PartitioningKind {
            /// All kinds, by Legion's numbers.
            pub const ALL: &'static [PartitioningKind] = &[$(PartitioningKind::$name),*];

            /// The word for it in outputs.
            pub const fn name(self) -> &'static str {
                match self { $(PartitioningKind::$name => $word),* }
            }
        }
    };
}

kinds! {
    /// The union of two.
    Union = "union";
    /// Unions of pairs.
    Unions = "unions";
    /// The union of many.
    UnionReduction = "union reduction";
    /// What two have in common.
    Intersection = "intersection";
    /// What pairs have in common.
    Intersections = "intersections";
    /// What many have in common.
    IntersectionReduction = "intersection reduction";
    /// One without another.
    Difference = "difference";
    /// Of pairs, one without the other.
    Differences = "differences";
    /// Parts of about the same size.
    Equal = "equal partition";
    /// Parts by the values of a field.
    ByField = "partition by field";
    /// Where pointers of a part lead.
    ByImage = "partition by image";
    /// Where ranges of a part lead.
    ByImageRange = "partition by image range";
    /// Whose pointers lead into a part.
    ByPreimage = "partition by preimage";
    /// Whose ranges lead into a part.
    ByPreimageRange = "partition by preimage range";
    /// Pointers from the elements of one to those of another.
    Association = "create association";
    /// Parts in proportion to weights.
    ByWeights = "partition by weights";
}

impl PartitioningKind {
    /// Legion's number of it (`DepPartOpKind`).
    pub const fn code(self) -> i32 {
        self as i32
    }

    /// The kind of this number.
    pub fn from_code(code: u64) -> Option<Self> {
        let place = usize::try_from(code).ok()?;
        Self::ALL.get(place).copied()
    }
}

/// The word for what is computed where that is not known.
pub const UNKNOWN: &str = "partitioning";

impl Partitioning {
    /// What it is called.
    pub fn name(&self) -> &'static str {
        self.kind.map_or(UNKNOWN, PartitioningKind::name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_known_by_its_number() {
        for kind in PartitioningKind::ALL {
            let code = u64::try_from(kind.code()).unwrap();
            assert_eq!(PartitioningKind::from_code(code), Some(*kind));
        }
        assert_eq!(
            PartitioningKind::from_code(8),
            Some(PartitioningKind::Equal)
        );
        assert_eq!(PartitioningKind::from_code(16), None);
        // -1, as 32 bits without a sign.
        assert_eq!(PartitioningKind::from_code(u64::from(u32::MAX)), None);
    }
}
