//! The conversion of a source to the base clock.

use super::conversion::Conversion;
use super::edge::Tie;
use weft_model::SourceIndex;

/// The conversion of one source to the base clock.
#[derive(Clone, Copy, Debug)]
pub struct Alignment {
    /// The tie to the next clock on the path; `None` for the base, and for a source without ties,
    /// whose times are unchanged.
    pub tie: Option<Tie>,
    /// The source whose clock it is tied to; `None` if that is the base, or reads the same clock.
    pub through: Option<SourceIndex>,
    /// The conversion from its clock to the base.
    pub conversion: Conversion,
    /// An estimate of the largest error, in ns.
    pub error: u64,
}
