//! The joined trace: tables of columns in memory, one family of tables per file, with all times on
//! one clock.
//!
//! A row refers to another by its [`Uid`](weft_trace::id::Uid) within a [`RunIndex`], or by a small
//! index into a table of this module. Texts are interned once for all sources ([`Strings`]).

mod call;
mod converted;
mod data;
mod device;
mod diagnostic;
mod error;
mod estimate;
mod events;
mod extent;
mod floats;
mod folded;
mod format;
mod gpus;
mod images;
mod incomplete;
mod index;
mod kernel;
pub mod lanes;
pub mod launch_message;
mod loss;
mod machine;
mod memory_limit;
mod message;
mod meta;
mod nested;
mod overhead;
mod pages;
mod partitioning;
pub mod printable;
mod program;
mod progress;
mod range;
pub mod rows;
mod session;
mod source;
mod spans;
mod step;
mod strings;
pub mod table;
pub mod text;
mod threads;
mod timed;
mod times;
mod window;
mod work;

pub use call::{ApiCall, process_of, thread_of};
pub use converted::Converted;
pub use data::{Copy, Instance, MemoryUse, MessageIndex, Store};
pub use device::{
    ClockError, Detail, DetailIndex, DeviceMemory, DeviceSample, FailedCall, GpuProcessor,
    GraphNode, InternalLaunch, RankLook, Synchronization, WallSample,
};
pub use diagnostic::{Diagnostic, Urgency};
pub use error::{ExportError, PreambleError};
pub use estimate::DeviceTimes;
pub use events::{Activity, ActivityKind, EventGraph, EventId, Pause, Trigger};
pub use floats::{Floats, several};
pub use folded::{Folded, fold};
pub use format::{Format, LEGION_MAGIC};
pub use gpus::{Gpus, ProcessorKey};
pub use images::Images;
pub use incomplete::{Incomplete, KIND as DROPPED_KIND, incomplete};
pub use index::{Index, Served};
pub use kernel::{
    Kernel, KernelIndex, KernelKind, LaunchBytes, LaunchWork, Method, Outcome, Reason, Recorder,
    Route, Traffic,
};
pub use loss::{IMAGES_MISSING, LossRow, Severity};
pub use machine::{Bandwidth, BandwidthOrigin, FloatSpeed, Memory, Processor};
pub use memory_limit::{MemoryLimit, available};
pub use message::{End, Message, Side};
pub use meta::Meta;
pub use overhead::{Overhead, OverheadKind};
pub use pages::{NoPageKernel, PageEvent, PageEventKind, page_kernels};
pub use partitioning::{Partitioning, PartitioningKind, UNKNOWN as UNKNOWN_PARTITIONING};
pub use program::{
    CutFor, Interned, Operands, Operation, OperationCall, ProvenanceIndex, ProvenanceRow,
    Provenances, RowIndex, ScopeIndex, ScopeRow, Scopes, SourceText, StackIndex, StackRow, Stacks,
    Tile,
};
pub use progress::{Progress, Watch};
pub use range::{RangeIndex, RangeKind, RangeRow, RangeTask};
pub use session::{Gpu, Session};
pub use source::{RunIndex, Source, SourceIndex, SourceKind};
pub use spans::{CallColumns, RangeColumns, Spans, StartedColumns, Threads};
pub use step::{PathStep, StepKind};
pub use strings::{StringIndex, Strings};
pub use threads::{cores, start_threads};
pub use timed::{
    Flaw, RecordKind, Rows, Timed, Untimed, check as check_times, is_possible, loss as untimed_loss,
};
pub use times::{Family, Moment, TimeOf};
pub use window::Window;
pub use work::{
    COMPILE, Compilation, Dependency, Launch, LaunchIndex, RuntimeCall, ShareOrigin, Task, WAIT,
    Wait, WaitKind,
};

use rustc_hash::FxHashMap;
use std::ops::{Deref, DerefMut};
use weft_trace::id::ProcessorId;
use weft_trace::time::Timestamp;

/// The content of all inputs. Readers fill it with times on the clocks of their sources; the
/// alignment puts all on one clock.
#[derive(Debug, Default)]
pub struct Recording {
    /// The inputs, in the order given.
    pub sources: Vec<Source>,
    /// Every text.
    pub strings: Strings,
    /// The operations of the program.
    pub program: Program,
    /// The tasks, copies and messages of the runtime.
    pub work: Work,
    /// The records of CUPTI and Nsight Systems.
    pub devices: Devices,
    /// The processors and memories.
    pub machine: Machine,
    /// Its completeness and accuracy.
    pub quality: Quality,
}

/// A recording on one clock, with each kernel's launch or the reason for having none. Code that
/// needs no links takes the [`Recording`] inside.
#[derive(Debug, Default)]
pub struct Trace {
    /// The content of all inputs.
    pub recording: Recording,
    /// The results of the join.
    pub links: Links,
}

impl Deref for Trace {
    type Target = Recording;

    fn deref(&self) -> &Recording {
        &self.recording
    }
}

impl DerefMut for Trace {
    fn deref_mut(&mut self) -> &mut Recording {
        &mut self.recording
    }
}

/// The operations of a program, their operands, and the source lines that submitted them.
#[derive(Debug, Default)]
pub struct Program {
    /// Source positions.
    pub provenances: Provenances,
    /// Parts of the program that it named.
    pub scopes: Scopes,
    /// Calls that led to the user's calls, if recorded.
    pub stacks: Stacks,
    /// The text of source files.
    pub source_texts: Vec<SourceText>,
    /// Operations, one row per run even though every rank records them.
    pub operations: Vec<Operation>,
    /// Operands of operations, one row per rank that recorded them.
    pub operands: Vec<Operands>,
    /// Images that the operands refer to.
    pub images: Images,
    /// The processors for which each rank divides operations.
    pub cut_for: Vec<CutFor>,
    /// Calls of an operation by ranks other than the one of its row.
    pub operation_calls: Vec<OperationCall>,
    /// Tiles of operations with several tasks.
    pub tiles: Vec<Tile>,
    /// Logical arrays.
    pub stores: Vec<Store>,
}

/// The work of a runtime: tasks, copies, messages, NVTX ranges, and the reasons for waits.
#[derive(Debug, Default)]
pub struct Work {
    /// Tasks.
    pub tasks: Rows<Task>,
    /// Launches.
    pub launches: Rows<Launch>,
    /// Dependences between tasks.
    pub dependencies: Vec<Dependency>,
    /// Waits of tasks and of the program.
    pub waits: Rows<Wait>,
    /// Calls of the runtime, without waits of the program, which are in `waits`.
    pub runtime_calls: Rows<RuntimeCall>,
    /// Kernels that were prepared for GPUs.
    pub compilations: Rows<Compilation>,
    /// Causes recorded in Legion profiles; event ids are unique within a run.
    pub events: EventGraph,
    /// Physical allocations.
    pub instances: Rows<Instance>,
    /// Samples of the use of each memory, if recorded.
    pub memory_uses: Rows<MemoryUse>,
    /// Copies between memories.
    pub copies: Rows<Copy>,
    /// Dependent partitioning of runs of Legion.
    pub partitionings: Rows<Partitioning>,
    /// Messages between ranks; each has a row among the copies.
    pub messages: Rows<Message>,
    /// NVTX ranges.
    pub ranges: Rows<RangeRow>,
    /// Launches of the runtime itself.
    pub internal_launches: Vec<InternalLaunch>,
}

/// Devices and CUDA calls, recorded by CUPTI and Nsight Systems.
#[derive(Debug, Default)]
pub struct Devices {
    /// Calls of the CUDA runtime and driver.
    pub calls: Rows<ApiCall>,
    /// Recordings of Nsight Systems.
    pub sessions: Vec<Session>,
    /// Physical work: kernels, memcpys, memsets and whole CUDA graphs.
    pub kernels: Rows<Kernel>,
    /// Details from CUPTI in the process, shared by many kernels.
    pub details: Vec<Detail>,
    /// Failed CUDA calls, recorded by CUPTI in the process.
    pub failed_calls: Vec<FailedCall>,
    /// Calls that waited for a GPU, recorded by CUPTI in the process.
    pub synchronizations: Rows<Synchronization>,
    /// CUDA allocations and releases, recorded by CUPTI in the process.
    pub device_memory: Rows<DeviceMemory>,
    /// Faults and moves of pages of unified memory.
    pub page_events: Rows<PageEvent>,
    /// Time that CUPTI, Nsight Systems or the driver took in addition to the work.
    pub overheads: Rows<Overhead>,
    /// Processors that are GPUs.
    pub gpus: Vec<GpuProcessor>,
    /// The launch that each node of a CUDA graph executed, by replay.
    pub graph_nodes: Vec<GraphNode>,
    /// Bytes that launches on GPUs read and write. The join assigns them to kernels.
    pub launch_bytes: Vec<LaunchBytes>,
    /// The work that launches on GPUs issued.
    pub launch_work: Vec<LaunchWork>,
    /// Sources in whose processes CUPTI recorded.
    pub cupti_sources: Vec<SourceIndex>,
    /// Databases exported from reports, kept as long as the trace because their tables are copied.
    pub converted: Vec<crate::Converted>,
}

/// Processors and memories, with their speeds.
#[derive(Debug, Default)]
pub struct Machine {
    /// Processors.
    pub processors: Vec<Processor>,
    /// Memories.
    pub memories: Vec<Memory>,
    /// Known speeds of memories; at most one for each memory of a source.
    pub bandwidths: Vec<Bandwidth>,
    /// Known speeds of processors; at most one for each width of a source.
    pub float_speeds: Vec<FloatSpeed>,
}

/// The results of the join.
#[derive(Debug, Default)]
pub struct Links {
    /// The launch of each kernel, or why it has none. As long as `kernels`.
    pub outcomes: Vec<Outcome>,
    /// The innermost range around each kernel's launch, if any. As long as `kernels`.
    pub kernel_ranges: Vec<Option<RangeIndex>>,
    /// The start of the call that launched each kernel, if recorded. As long as `kernels`.
    pub kernel_calls: Vec<Option<Timestamp>>,
    /// Ranges without a UID that were matched to a task by name, source line and time, one to one.
    pub range_tasks: Vec<RangeTask>,
    /// The critical path of a joined database.
    pub critical_path: Option<Vec<PathStep>>,
}

/// Missing and omitted records, and the errors of clocks.
#[derive(Debug, Default)]
pub struct Quality {
    /// Diagnostics of Nsight Systems about its recording.
    pub diagnostics: Vec<Diagnostic>,
    /// Instants on CUPTI's clock and on the source's clock. Empty once the clocks are aligned.
    pub device_samples: Vec<DeviceSample>,
    /// Instants on the wall clock and on the source's clock.
    pub wall_samples: Vec<WallSample>,
    /// Ranks' readings of each other's clocks, on the clocks of their sources.
    pub rank_looks: Vec<RankLook>,
    /// The largest possible error of each source's times on the base clock.
    pub clock_errors: Vec<ClockError>,
    /// The part of the run that was kept; `None` for all of it.
    pub part: Option<Window>,
    /// Records with impossible times, which are in no other table.
    pub untimed: Vec<Untimed>,
    /// Records that are known to be missing.
    pub losses: Vec<LossRow>,
    /// Properties of the trace and of the join.
    pub meta: Meta,
}

impl Trace {
    /// Returns the number of kernels with a launch.
    pub fn linked(&self) -> usize {
        let linked = |outcome: &&Outcome| matches!(outcome, Outcome::Linked { .. });
        self.links.outcomes.iter().filter(linked).count()
    }
}

impl Recording {
    /// Returns whether an input was damaged, and read only up to the damage.
    pub fn is_partial(&self) -> bool {
        self.quality
            .losses
            .iter()
            .any(|loss| loss.severity == Severity::Damage && loss.value > 0)
    }

    /// Returns the run of a source.
    pub fn run_of(&self, source: SourceIndex) -> RunIndex {
        self.sources
            .get(source.0 as usize)
            .map_or(RunIndex(u32::MAX), |source| source.run)
    }

    /// Returns the largest possible error of a source's times on the base clock.
    pub fn clock_error(&self, source: SourceIndex) -> ClockError {
        let error = self.quality.clock_errors.get(source.0 as usize);
        error.copied().unwrap_or_default()
    }

    /// Returns the processors by source and id.
    pub fn processors_by_id(&self) -> FxHashMap<(SourceIndex, ProcessorId), &Processor> {
        let rows = self.machine.processors.iter();
        rows.map(|processor| ((processor.source, processor.id), processor))
            .collect()
    }

    /// Returns the earliest start of a task, launch, kernel or range, if there is any.
    pub fn first_instant(&self) -> Option<Timestamp> {
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
