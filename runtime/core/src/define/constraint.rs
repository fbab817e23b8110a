//! Constraints on how arrays are cut for the tiles of a task.

use weft_geometry::Projection;

use super::{Extent, Names};

/// A rule by which parts of parameters follow the tiles of a task. Parameters are identified by
/// their position.
///
/// A tile covers indices of the task's shape. That is the shape of the first parameter that follows
/// the tiles index by index: the first [aligned](Constraint::Align) one, else the first one
/// written, else the first one read. A parameter without a constraint follows index by index, and
/// must have that shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// The arrays have one shape, and are cut in the same way.
    Align(Vec<usize>),
    /// Every tile gets all indices along these axes of the parameter, or along all axes if none are
    /// named. If the array is aligned with others, or is written, these axes are not cut.
    Broadcast {
        /// The parameter.
        parameter: usize,
        /// The axes; empty for all.
        axes: Vec<usize>,
    },
    /// A tile also gets the neighbours of its part, where these exist: a halo.
    Halo {
        /// The parameter, which is read.
        parameter: usize,
        /// Number of additional indices below, for each axis; the last one also applies to further
        /// axes.
        low: Vec<u32>,
        /// Number of additional indices above.
        high: Vec<u32>,
    },
    /// One parameter has a fixed number of indices for each index of another, axis by axis.
    Scale {
        /// The factors; the last one also applies to further axes.
        factors: Vec<u32>,
        /// The parameter that follows the tiles index by index.
        small: usize,
        /// The parameter with `factors` times as many indices.
        large: usize,
    },
    /// A tile gets the indices that the values of another parameter name: an image.
    Image {
        /// The parameter whose integer values name indices.
        through: usize,
        /// The parameter of which a tile gets, along its first axis, the range from the lowest to
        /// the highest named index.
        of: usize,
        /// Meaning of the values.
        names: Names,
        /// Whether a tile accesses the indices between the named ones.
        extent: Extent,
    },
    /// Any other projection.
    Project {
        /// The parameter.
        parameter: usize,
        /// The projection by which it follows the tiles.
        projection: Projection,
    },
}
