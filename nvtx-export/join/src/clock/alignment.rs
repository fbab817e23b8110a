//! How a source is put on the base clock.

use super::conversion::Conversion;
use super::edge::Tie;
use weft_model::SourceIndex;

/// How one source is put on the base clock.
#[derive(Clone, Copy, Debug)]
pub struct Alignment {
    /// What ties it to the next clock on the way; `None` for the base, and where nothing ties it and its times stand
    /// as they are.
    pub tie: Option<Tie>,
    /// The source whose clock it is tied to; `None` if that is the base or reads the same clock.
    pub through: Option<SourceIndex>,
    /// Its clock to the base.
    pub conversion: Conversion,
    /// How far that may be off, as far as can be told, in ns.
    pub error: u64,
}
