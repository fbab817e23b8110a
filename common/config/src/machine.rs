//! The resources that this process may use, and the libraries and tools of the machine.

mod around;
pub mod bundle;
mod component;
pub mod cores;
pub mod gpu;
pub mod inventory;
pub mod library;
mod memory;
mod process;
mod shared;
pub mod tool;

pub use around::allowed;
pub use component::{Component, State};
pub use inventory::Inventory;
pub use process::Machine;
pub use shared::Shared;
