//! Colours of ranges.

/// A colour, 0xAARRGGBB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Color(pub u32);
