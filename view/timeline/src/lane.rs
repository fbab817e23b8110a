//! Lanes: a tree of runs, kinds and lanes.

use serde::{Deserialize, Serialize};

/// A lane by the order in which a feed named it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaneIndex(pub u32);

/// What a lane shows, in the order of the lanes of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LaneKind {
    /// A rank or another process, which holds groups.
    Process,
    /// The program's own thread: its tasks, calls of the runtime and waits.
    Program,
    /// A processor: tasks, and in them kernels and waits.
    Processor,
    /// What a processor's tasks did on its device, where only that is known.
    Device,
    /// A stream of a GPU.
    Stream,
    /// A channel: copies by source and destination memory, or dependent partitioning.
    Channel,
    /// A memory: its instances, and how much of it is in use.
    Memory,
    /// A thread of the runtime.
    Utility,
    /// NVTX ranges of a thread and domain.
    Range,
    /// CUDA calls of a thread.
    Api,
}

impl LaneKind {
    /// Whether its slices may lie within each other: threads do one thing within another, while what runs on a stream or lies in
    /// a memory merely overlaps.
    pub fn nests(self) -> bool {
        use LaneKind::{Api, Process, Processor, Program, Range, Utility};
        matches!(self, Process | Processor | Program | Utility | Range | Api)
    }
}

/// A lane by what it shows. The order of keys is that of the lanes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaneKey {
    /// The process, as the feed numbers them.
    pub process: u32,
    /// What it shows.
    pub kind: LaneKind,
    /// Groups of one kind in their order, such as kinds of processors.
    pub group: u32,
    /// What tells lanes of a group apart.
    pub ids: [i64; 3],
    /// The same, where numbers do not.
    pub text: String,
}

/// A lane of a finished timeline. Those with children have no slices of their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    /// The lane around it.
    pub parent: Option<u32>,
    /// What it shows.
    pub kind: LaneKind,
    /// Its name.
    pub label: String,
    /// The rank.
    pub rank: Option<u16>,
    /// Rows that its slices take below each other.
    pub rows: u32,
    /// The number of its first slice; those of a lane follow each other in the order of their starts.
    pub first: u32,
    /// How many it has.
    pub items: u32,
    /// ns in which something ran; of a group the sum of its lanes.
    pub busy: u64,
    /// The longest time from asked for to begun, in ns.
    pub longest_wait: u64,
    /// Where its columns begin in the file.
    pub(super) offset: u64,
    /// Values that columns have no room for.
    pub(super) escapes: u64,
    /// Stored tiles.
    pub(super) tiles: u32,
}

impl Lane {
    /// A lane without slices.
    pub(super) fn group(
        parent: Option<u32>,
        kind: LaneKind,
        label: String,
        rank: Option<u16>,
    ) -> Self {
        Lane {
            parent,
            kind,
            label,
            rank,
            rows: 0,
            first: 0,
            items: 0,
            busy: 0,
            longest_wait: 0,
            offset: 0,
            escapes: 0,
            tiles: 0,
        }
    }
}
