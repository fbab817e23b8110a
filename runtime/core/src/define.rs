//! Tasks that users define: functions of tiles of arrays, and the constraints by which arrays are
//! cut for them.
//!
//! A [`Definition`] has the parameters of a task, the constraints on how they are cut, and its
//! bodies by kind of processor. A call of it is an operation like any other: it returns at once,
//! runs tile by tile, and is recorded with the line of the call.
//!
//! 1. [`Builder`]: collects parameters, [`Constraint`]s and bodies, and checks them once.
//! 2. [`Definition::launch`]: checks the arguments of a call, and makes them operands with
//!    projections.
//! 3. [`Context`]: holds the arguments of a body for one tile: [`In`], [`Out`], [`InOut`] and
//!    [`Reduce`] views, and single values.

mod argument;
mod body;
mod builder;
mod communicator;
mod constraint;
mod context;
mod cuda;
mod definition;
mod direct;
mod elementwise;
mod error;
mod foreign;
mod gpu;
mod image;
mod kept;
mod kernel;
mod launch;
mod parameter;
mod plan;
mod reduction;
mod remedy;
mod unbound;
mod view;

pub use argument::{Argument, StoreView, Stored};
pub use body::CpuBody;
pub use builder::Builder;
pub use communicator::Communicator;
pub use constraint::Constraint;
pub use context::{BodyArgument, Context};
pub use cuda::CUDA_HEADER;
pub use definition::Definition;
pub use elementwise::Elementwise;
pub use error::DefinitionError;
pub use foreign::{ABI, Foreign, ForeignFunction, RawOperand, RawTask};
pub use gpu::{GpuBody, GpuContext, GpuGiven};
pub use image::{Extent, Names};
pub use kept::ArgumentMemory;
pub use parameter::{Kind, Parameter};
pub use reduction::Reduction;
pub use unbound::Unbound;

pub use crate::error::{BodyError, ExchangeError};
pub use view::{In, InOut, Out, Reduce};
