//! Memory: a [`Store`] is the data of a logical array, an instance holds it in one memory, and a
//! pool allocates from that memory.

mod accesses;
mod bandwidth;
mod explain;
mod failed;
mod host;
mod instance;
mod memories;
mod numa;
mod pool;
mod residence;
mod slot;
mod small;
mod spans;
mod status;
mod store;
mod supply;
mod turn;
mod uses;

pub(crate) use accesses::{AccessingTask, Accessor, Follows, Retention};
pub(crate) use bandwidth::{SHORT, enough, last_caches, measure};
pub(crate) use explain::{explain, held_stores};
pub(crate) use failed::FailureCell;
pub use host::{HostData, bytes_of, copy_out, element_of, set_element_of};
pub(crate) use instance::{Instance, Memory, OutOfMemory};
pub(crate) use memories::Memories;
pub(crate) use numa::memory_nodes;
pub(crate) use pool::{Block, Figures, Holder, Maker, Pool};
pub(crate) use residence::{Located, Need, Place, SwappedInstance, Transfer};
pub(crate) use slot::{Buffer, BufferSwap};
pub(crate) use spans::Span;
pub use status::PoolStatus;
pub use store::Store;
pub(crate) use supply::{Refusal, Supply, System};
pub(crate) use turn::{thread, use_turns_of};
pub(crate) use uses::{Point, Uses};
pub use weft_trace::record::MemoryKind;

// Public paths only: nothing below the runtime uses them.
pub use crate::runtime::{pool_status, reclaim};
