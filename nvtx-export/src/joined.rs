//! The joined trace: columnar tables in memory, one family of tables a file, every time on one clock.
//!
//! A row names another by its [`Uid`](weft_trace::id::Uid) within a [`RunIndex`], or by a small index into a table of
//! this module. Texts are interned once for all sources ([`Strings`]).

mod call;
mod data;
mod device;
mod diagnostic;
mod events;
mod extent;
mod incomplete;
mod index;
mod kernel;
mod loss;
mod machine;
mod message;
mod meta;
mod program;
mod range;
mod session;
mod source;
mod spans;
mod strings;
mod times;
mod work;

pub use call::{ApiCall, process_of, thread_of};
pub use data::{Copy, Instance, MemoryUse, Store};
pub use device::{
    ClockError, Detail, DetailIndex, DeviceMemory, DeviceSample, FailedCall, GpuProcessor,
    GraphNode, InternalLaunch, RankLook, Synchronization, WallSample,
};
pub use diagnostic::{Diagnostic, Urgency};
pub use events::{Activity, ActivityKind, EventGraph, EventId, Pause, Trigger};
pub(crate) use incomplete::KIND as DROPPED_KIND;
pub use incomplete::{Incomplete, incomplete};
pub use index::{Index, Served};
pub use kernel::{Kernel, KernelIndex, KernelKind, Method, Outcome, Reason, Recorder};
pub use loss::{LossRow, Severity};
pub use machine::{Memory, Processor};
pub use message::{End, Message, MessageIndex, Side};
pub use meta::Meta;
pub use program::{
    CutFor, Operands, Operation, OperationCall, ProvenanceIndex, ProvenanceRow, Provenances, Tile,
};
pub use range::{RangeIndex, RangeKind, RangeRow, RangeTask};
pub use session::{Gpu, Session};
pub use source::{RunIndex, Source, SourceIndex, SourceKind};
pub use spans::{CallColumns, RangeColumns, Spans, StartedColumns, Threads};
pub use strings::{StringIndex, Strings};
pub use times::{Family, Moment, TimeOf};
pub(crate) use work::WAIT;
pub use work::{Dependency, Launch, LaunchIndex, RuntimeCall, Split, Task, Wait, WaitKind};

use crate::critical::Step;
use rustc_hash::FxHashMap;
use weft_trace::id::ProcessorId;

/// Everything that the inputs hold, on one clock, with each kernel's launch or the reason for having none.
#[derive(Debug, Default)]
pub struct Joined {
    /// The inputs, in the order given.
    pub sources: Vec<Source>,
    /// Every text.
    pub strings: Strings,
    /// Source positions.
    pub provenances: Provenances,
    /// Operations; one row a run, though every rank records them.
    pub operations: Vec<Operation>,
    /// What operations work on; a row a rank that recorded it.
    pub operands: Vec<Operands>,
    /// What the operations of each rank are cut for.
    pub cut_for: Vec<CutFor>,
    /// When other ranks than the one of the row called for operations.
    pub operation_calls: Vec<OperationCall>,
    /// Tiles of operations that were cut.
    pub tiles: Vec<Tile>,
    /// Tasks.
    pub tasks: Vec<Task>,
    /// Launches.
    pub launches: Vec<Launch>,
    /// Why one task waited for another.
    pub dependencies: Vec<Dependency>,
    /// Times in which a task, or the program, could not go on.
    pub waits: Vec<Wait>,
    /// What the runtime itself did; not the waits of the program, which are in `waits`.
    pub runtime_calls: Vec<RuntimeCall>,
    /// What profiles of Legion say about causes; each run's events are its own.
    pub events: EventGraph,
    /// Logical arrays.
    pub stores: Vec<Store>,
    /// Physical allocations.
    pub instances: Vec<Instance>,
    /// How much of each memory was in use, where that was recorded.
    pub memory_uses: Vec<MemoryUse>,
    /// Copies between memories.
    pub copies: Vec<Copy>,
    /// Messages between ranks; each has a row among the copies.
    pub messages: Vec<Message>,
    /// Processors.
    pub processors: Vec<Processor>,
    /// Memories.
    pub memories: Vec<Memory>,
    /// Calls of the CUDA runtime and driver.
    pub calls: Vec<ApiCall>,
    /// NVTX ranges.
    pub ranges: Vec<RangeRow>,
    /// Recordings of Nsight Systems.
    pub sessions: Vec<Session>,
    /// Physical work: kernels, memcpys, memsets and whole CUDA graphs.
    pub kernels: Vec<Kernel>,
    /// For each kernel its launch, or why it has none. As long as `kernels`.
    pub outcomes: Vec<Outcome>,
    /// For each kernel the innermost range around its launch, if any. As long as `kernels`.
    pub kernel_ranges: Vec<Option<RangeIndex>>,
    /// What CUPTI in the process told of many kernels at once.
    pub details: Vec<Detail>,
    /// Calls of CUDA that failed, as CUPTI in the process saw them.
    pub failed_calls: Vec<FailedCall>,
    /// Calls that waited for a device, as CUPTI in the process saw them.
    pub synchronizations: Vec<Synchronization>,
    /// Memory that CUDA gave or took back, as CUPTI in the process saw it.
    pub device_memory: Vec<DeviceMemory>,
    /// What Nsight Systems said about its own recording.
    pub diagnostics: Vec<Diagnostic>,
    /// Processors that are GPUs.
    pub gpus: Vec<GpuProcessor>,
    /// What each node of a CUDA graph stood for, by replay.
    pub graph_nodes: Vec<GraphNode>,
    /// Launches that the runtime made for itself.
    pub internal_launches: Vec<InternalLaunch>,
    /// Instants on the clock of CUPTI and on that of the source. Before [`clock`](crate::clock) only.
    pub device_samples: Vec<DeviceSample>,
    /// Instants on the wall clock and on that of the source.
    pub wall_samples: Vec<WallSample>,
    /// Looks of ranks at each other's clocks, on the clocks of their sources.
    pub rank_looks: Vec<RankLook>,
    /// Ranges without a UID that were matched to a task by name, provenance and time; one to one.
    pub range_tasks: Vec<RangeTask>,
    /// How far the times of each source may be off on the base clock.
    pub clock_errors: Vec<ClockError>,
    /// The critical path as it was written, of a trace that was read back.
    pub critical_path: Option<Vec<Step>>,
    /// What is known to be missing.
    pub losses: Vec<LossRow>,
    /// Facts about the trace and how it was joined.
    pub meta: Meta,
    /// Databases made of reports, kept as long as the trace, for their tables are copied from them.
    pub converted: Vec<crate::input::nsys::Converted>,
}

impl Joined {
    /// Number of kernels with a launch.
    pub fn linked(&self) -> usize {
        let linked = |outcome: &&Outcome| matches!(outcome, Outcome::Linked { .. });
        self.outcomes.iter().filter(linked).count()
    }

    /// Whether an input was damaged and read only up to the damage.
    pub fn is_partial(&self) -> bool {
        self.losses
            .iter()
            .any(|loss| loss.severity == Severity::Damage && loss.value > 0)
    }

    /// The run of a source.
    pub fn run_of(&self, source: SourceIndex) -> RunIndex {
        self.sources
            .get(source.0 as usize)
            .map_or(RunIndex(u32::MAX), |source| source.run)
    }

    /// How far the times of a source may be off on the base clock.
    pub fn clock_error(&self, source: SourceIndex) -> ClockError {
        let error = self.clock_errors.get(source.0 as usize);
        error.copied().unwrap_or_default()
    }

    /// Processors by their source and id.
    pub fn processors_by_id(&self) -> FxHashMap<(SourceIndex, ProcessorId), &Processor> {
        let rows = self.processors.iter();
        rows.map(|processor| ((processor.source, processor.id), processor))
            .collect()
    }

    /// Earliest start of a task, launch, kernel or range; `None` where there is none of them.
    pub fn first_instant(&self) -> Option<weft_trace::time::Timestamp> {
        let shown = [
            Family::Operations,
            Family::Tasks,
            Family::Launches,
            Family::Kernels,
            Family::Ranges,
        ];
        let mut first = None;
        self.times(|of, time| {
            let begins = matches!(of.moment, Moment::Before | Moment::Start);
            if begins && shown.contains(&of.family) {
                first = Some(first.map_or(time, |first| time.min(first)));
            }
        });
        first
    }
}
