//! Stage 2: who is who. Which process of a session wrote which file, which tasks the messages of ranges can mean, where UIDs lead to. Times
//! are still on the clocks of their sources, and do not matter here.

mod bodies;
mod lookup;
mod owners;
pub mod related;
mod text;

pub(crate) use bodies::Case;
pub use lookup::Lookup;
pub use owners::Owners;
