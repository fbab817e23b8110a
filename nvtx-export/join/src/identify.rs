//! Stage 2: identities. Matches processes of sessions to files, messages of ranges to tasks, and
//! UIDs to rows. Times are still on the clocks of their sources, and are not used here.

mod bodies;
mod lookup;
mod owners;
pub mod related;
mod text;

pub(crate) use bodies::Case;
pub use lookup::Lookup;
pub use owners::Owners;
