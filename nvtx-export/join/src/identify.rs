//! Stage 2: who is who. Which inputs are the same recording, and of one run; which process of a session wrote which file, which tasks the messages of ranges can mean, where UIDs lead to. Times
//! are still on the clocks of their sources, and do not matter here.

mod bodies;
mod lookup;
mod owners;
pub(crate) mod related;
mod runs;
mod same;
mod text;

pub(crate) use bodies::Case;
pub use lookup::Lookup;
pub(crate) use owners::Owners;
pub use runs::runs_of;
pub use same::GIVEN_TWICE;
pub(crate) use same::{Recordings, note as note_same};
