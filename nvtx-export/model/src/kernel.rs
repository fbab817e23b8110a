//! Physical work and its links to launches.

use super::{DetailIndex, LaunchIndex, SourceIndex, StringIndex};
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::time::Timestamp;

/// A row of [`Devices::kernels`](crate::Devices::kernels). Written to files as index + 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KernelIndex(pub u32);

macro_rules! words {
    ($($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),* $(,)? })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$vdoc])* $variant),*
        }

        impl $name {
            /// All variants.
            pub const ALL: &'static [$name] = &[$($name::$variant),*];

            /// Returns its name in outputs.
            pub const fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $text),*
                }
            }

            /// Returns the variant with this name.
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|value| value.name() == name)
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    )*};
}

pub(super) use words;

words! {
    /// The recorder of a kernel.
    Recorder {
        /// The runtime itself, on a CPU.
        Host = "host",
        /// CUPTI in the process.
        Cupti = "cupti",
        /// Nsight Systems.
        Nsys = "nsys",
    }
    /// The kind of a device's work.
    KernelKind {
        /// A CUDA kernel, or a loop over one tile on a CPU.
        Kernel = "kernel",
        /// A copy.
        Memcpy = "memcpy",
        /// A fill.
        Memset = "memset",
        /// A whole CUDA graph, recorded in place of its nodes.
        Graph = "graph",
    }
    /// The method by which a kernel's launch was found.
    Method {
        /// The runtime recorded the launch, or the launches of a CUDA graph that has as many
        /// kernels.
        Recorded = "recorded",
        /// By CUPTI's external correlation.
        ExternalId = "external_id",
        /// The launching call lies in the innermost UID-carrying range of its own thread.
        Range = "range",
        /// By task name, source line and time.
        NameTime = "name_time",
    }
    /// The reason why a kernel has no launch.
    Reason {
        /// No recorded API call started it.
        NoApiCall = "no_api_call",
        /// Its API call lies in no range of its thread.
        OutsideRanges = "outside_ranges",
        /// It lies in ranges, but none carries a UID.
        RangeWithoutUid = "range_without_uid",
        /// No input has a launch with the UID.
        UnknownUid = "unknown_uid",
        /// No launch was found, and that input is known to lack records.
        LostRecords = "lost_records",
        /// It is internal work of the runtime.
        RuntimeInternal = "runtime_internal",
    }
}

/// A kernel, memcpy, memset or whole CUDA graph.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The recorder of the kernel.
    pub recorder: Recorder,
    /// The kind of work.
    pub kind: KernelKind,
    /// Its name.
    pub name: StringIndex,
    /// The rank it ran for.
    pub rank: Option<u16>,
    /// The processor of that rank, if known.
    pub processor: Option<ProcessorId>,
    /// The GPU, by a number that is unique in the source. In a source of one process, it is the
    /// CUDA device.
    pub device: Option<i64>,
    /// The CUDA stream.
    pub stream: Option<i64>,
    /// The CUDA context.
    pub context: Option<i64>,
    /// The CUDA graph it was launched as part of.
    pub graph: Option<i64>,
    /// The CUDA graph node it is an execution of.
    pub graph_node: Option<i64>,
    /// CUPTI's correlation id.
    pub correlation: Option<i64>,
    /// Start of execution.
    pub start: Timestamp,
    /// End of execution.
    pub end: Timestamp,
    /// The bytes it read and wrote.
    pub traffic: Traffic,
    /// The launch that the runtime recorded for it.
    pub recorded: Option<Uid>,
    /// The launch whose UID was pushed as CUPTI's external correlation id when the kernel was
    /// started.
    pub external: Option<Uid>,
    /// The process that started it, as numbered by Nsight Systems.
    pub process: Option<i64>,
    /// Details from CUPTI in the process, shared with similar kernels.
    pub detail: Option<DetailIndex>,
    /// The GPUs of a copy between two GPUs.
    pub route: Option<Route>,
}

/// The GPUs between which a copy went, numbered as in [`Kernel::device`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Route {
    /// The GPU of the memory that is read.
    pub from: i64,
    /// The GPU of the memory that is written.
    pub to: i64,
}

/// Bytes moved between memory and processor, each counted once; `None` if unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes that are read.
    pub read: Option<u64>,
    /// Bytes that are written.
    pub written: Option<u64>,
}

impl Traffic {
    /// Returns the traffic of work of which one number is recorded: a copy reads and writes
    /// `bytes`, a fill writes them.
    pub fn new(kind: KernelKind, bytes: Option<u64>) -> Self {
        let read = match kind {
            KernelKind::Memcpy => bytes,
            KernelKind::Memset => bytes.map(|_| 0),
            KernelKind::Kernel | KernelKind::Graph => None,
        };
        Traffic {
            read,
            written: bytes,
        }
    }

    /// Returns the sum of both, if both are known.
    pub fn total(self) -> Option<u64> {
        Some(self.read?.saturating_add(self.written?))
    }
}

/// The bytes read and written by the kernels of a launch, as recorded by the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchBytes {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The launch.
    pub launch: Uid,
    /// The sum over all its kernels.
    pub traffic: Traffic,
}

/// The work that a launch issued, as recorded by the runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchWork {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The launch.
    pub launch: Uid,
    /// The number of kernels. A library may start several for one that is counted.
    pub kernels: u32,
    /// The number of copies.
    pub copies: u32,
    /// The number of fills.
    pub fills: u32,
}

/// The result of the join for one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The kernel has a launch.
    Linked {
        /// The launch.
        launch: LaunchIndex,
        /// The method by which it was found.
        method: Method,
    },
    /// The kernel has no launch.
    Unmatched(Reason),
}
