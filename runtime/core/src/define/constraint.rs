//! How arrays are cut for the tiles of a task.

use weft_geometry::Projection;

use super::{Extent, Names};

/// How the parts of parameters follow the tiles of a task. Parameters are named by their position.
///
/// A tile covers indices of the task's shape, which is that of the first parameter that follows it index by index: of the first that is
/// [aligned](Constraint::Align), else of the first one written, else of the first one read. A parameter without a constraint follows it index
/// by index, and must have that shape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// They have one shape, and are cut alike.
    Align(Vec<usize>),
    /// Every tile gets all of these axes of the parameter, or of all axes where none are named. Of an array that is aligned with others, or
    /// that is written, such axes are not cut.
    Broadcast {
        /// The parameter.
        parameter: usize,
        /// The axes; empty for all.
        axes: Vec<usize>,
    },
    /// A tile also gets neighbours of its part, where there are any: a halo.
    Halo {
        /// The parameter, which is read.
        parameter: usize,
        /// Indices more below, for each axis; the last one counts for the axes behind it.
        low: Vec<u32>,
        /// Indices more above.
        high: Vec<u32>,
    },
    /// So many indices of one parameter for each index of the other, axis by axis.
    Scale {
        /// The factors; the last one counts for the axes behind it.
        factors: Vec<u32>,
        /// The parameter that follows the tiles index by index.
        small: usize,
        /// The parameter with so many more.
        large: usize,
    },
    /// A tile gets what the values of another parameter name: an image.
    Image {
        /// The parameter with the names, of integers.
        through: usize,
        /// The parameter of which a tile gets, along its first axis, from the lowest to the highest index that is named.
        of: usize,
        /// What the names are.
        names: Names,
        /// Whether it touches what lies between them.
        extent: Extent,
    },
    /// Any other way.
    Project {
        /// The parameter.
        parameter: usize,
        /// How it follows the tiles.
        projection: Projection,
    },
}
