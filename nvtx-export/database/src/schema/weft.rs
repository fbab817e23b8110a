//! Weft's own tables.

mod data;
mod facts;
mod kernel;
mod overhead;
mod pages;
mod program;
mod work;

pub use data::*;
pub use facts::*;
pub use kernel::*;
pub use overhead::*;
pub use pages::*;
pub use program::*;
pub use work::*;

use super::Table;

/// The version of Weft's tables. The first number changes if a column is removed or changes its
/// meaning.
pub const VERSION: &str = "2.9";

/// Weft's own tables, in the order in which they are created.
pub const WEFT_TABLES: [Table; 40] = [
    SourceRow::TABLE,
    RankRow::TABLE,
    ProvenanceRow::TABLE,
    ScopeRow::TABLE,
    StackRow::TABLE,
    SourceTextRow::TABLE,
    OperationRow::TABLE,
    OperationCallRow::TABLE,
    TileRow::TABLE,
    OperandRow::TABLE,
    TaskRow::TABLE,
    LaunchRow::TABLE,
    LaunchTaskRow::TABLE,
    KernelRow::TABLE,
    KernelTaskRow::TABLE,
    UnmatchedRow::TABLE,
    RangeTaskRow::TABLE,
    KernelRangeRow::TABLE,
    RangeRow::TABLE,
    PageEventRow::TABLE,
    OverheadRow::TABLE,
    DependencyRow::TABLE,
    WaitRow::TABLE,
    RuntimeCallRow::TABLE,
    CompileRow::TABLE,
    StoreRow::TABLE,
    InstanceRow::TABLE,
    MemoryUseRow::TABLE,
    CopyRow::TABLE,
    MessageRow::TABLE,
    PartitioningRow::TABLE,
    CriticalRow::TABLE,
    ProcessorRow::TABLE,
    MemoryRow::TABLE,
    BandwidthRow::TABLE,
    FloatSpeedRow::TABLE,
    LossRow::TABLE,
    UntimedRow::TABLE,
    DiagnosticRow::TABLE,
    MetaRow::TABLE,
];

/// The indexes of these tables.
pub const INDEXES: &str = "
CREATE INDEX weft_operation_uid ON WEFT_OPERATION (uid);
CREATE INDEX weft_task_uid ON WEFT_TASK (uid, sourceId);
CREATE INDEX weft_task_operation ON WEFT_TASK (opUid);
CREATE INDEX weft_launch_uid ON WEFT_LAUNCH (uid, sourceId);
CREATE INDEX weft_launch_task_launch ON WEFT_LAUNCH_TASK (launchUid);
CREATE INDEX weft_kernel_task_kernel ON WEFT_KERNEL_TASK (kernelId);
CREATE INDEX weft_kernel_task_task ON WEFT_KERNEL_TASK (taskUid, sourceId);
CREATE INDEX weft_copy_uid ON WEFT_COPY (uid, sourceId);
CREATE INDEX weft_message_uid ON WEFT_MESSAGE (uid, sourceId);
CREATE INDEX weft_dependency_to ON WEFT_DEPENDENCY (toUid);
";
