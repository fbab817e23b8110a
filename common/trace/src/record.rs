//! The kinds of records, one struct each, in the order of the path of data.
//!
//! On disk a record is a frame: the length of the whole frame (u16), the kind (u8), a reserved
//! byte, and the fields of the struct one after the other (little-endian, unaligned). A tail
//! follows if the kind has one: a string or a list. Every file lists its kinds with their fields
//! ([`KINDS`]), so that a reader of another version can decode known ones, and skip and count the
//! rest.

mod arithmetic;
mod catalogue;
mod code;
mod detail;
mod device;
mod field;
mod frame;
mod losses;
mod machine;
mod memory;
mod program;
mod table;
mod work;

pub use arithmetic::Arithmetic;
pub use code::{
    CodeOrigin, DependencyKind, DeviceWorkKind, MemoryKind, MessageSide, ProcessorKind,
    RuntimeCallKind,
};
pub use detail::{
    CopyRoute, DeviceMemory, FillValue, Gpu, KernelShape, NO_DEVICE, Overhead, PageEvent,
    Synchronization,
};
pub use device::{ApiCall, DeviceClock, DeviceWork, ExternalId, GraphReplay, Nodes};
pub use field::{FieldType, List, Tail};
pub(crate) use frame::FRAME_HEAD;
pub use frame::{Encode, FRAME_MAX, KindInfo};
pub use losses::{LOSS_KINDS, Loss, LossKind, loss};
pub use machine::{Bandwidth, ClockSample, FloatSpeed, Memory, Processor, RankClock};
pub use memory::{Copy, Instance, InstanceEnd, MemoryUse, Message, Store};
pub use program::{IMAGE_WORDS, Image, Operands, Operation, Processors, Tile, VIEWS};
pub use table::{Caller, Name, Provenance, Scope, SourceText};
pub use work::{
    Compile, Dependencies, Edges, Immediate, InternalLaunch, Kernel, Launch, LaunchBytes,
    LaunchWork, Planning, RuntimeCall, Shares, Task, Wait,
};

pub use catalogue::{KINDS, Record};
