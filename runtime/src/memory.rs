//! Where data is: a [`Store`] is a logical array's data, an [`Instance`] holds it in a memory, a [`Pool`] is the memory.

mod host;
mod instance;
mod pool;
mod region;
mod store;

pub(crate) use host::{HostData, copy_out};
pub(crate) use instance::SystemMemory;
pub(crate) use pool::{OutOfMemory, Pool};
pub(crate) use region::Region;
pub(crate) use store::Store;
