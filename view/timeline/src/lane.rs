//! Lanes: a tree of runs, kinds and lanes.

use serde::{Deserialize, Serialize};

/// A lane, numbered in the order in which a feed added it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaneIndex(pub u32);

/// The kind of a lane, in the order of the lanes of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LaneKind {
    /// A rank or another process, which holds groups.
    Process,
    /// The program's own thread: its tasks, runtime calls and waits.
    Program,
    /// A processor: tasks with their kernels and waits.
    Processor,
    /// Device work of a processor's tasks, if kernels are not recorded.
    Device,
    /// A stream of a GPU.
    Stream,
    /// A channel: copies by source and destination memory, or dependent partitioning.
    Channel,
    /// A memory: its instances, and the bytes in use.
    Memory,
    /// A thread of the runtime.
    Utility,
    /// NVTX ranges of a thread and domain.
    Range,
    /// CUDA calls of a thread.
    Api,
}

impl LaneKind {
    /// Returns whether slices may be nested. A thread does one thing within another, while work on
    /// a stream or instances in a memory merely overlap.
    pub fn nests(self) -> bool {
        use LaneKind::{Api, Process, Processor, Program, Range, Utility};
        matches!(self, Process | Processor | Program | Utility | Range | Api)
    }
}

/// The identity of a lane. Keys are ordered as the lanes are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LaneKey {
    /// The process, as the feed numbers them.
    pub process: u32,
    /// The kind of the lane.
    pub kind: LaneKind,
    /// Groups of one kind in their order, such as kinds of processors.
    pub group: u32,
    /// Numbers that distinguish the lanes of a group.
    pub ids: [i64; 3],
    /// A text that distinguishes them if numbers do not.
    pub text: String,
}

/// A lane of a finished timeline. Those with children have no slices of their own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lane {
    /// The parent.
    pub parent: Option<u32>,
    /// The kind of the lane.
    pub kind: LaneKind,
    /// Its name.
    pub label: String,
    /// The rank.
    pub rank: Option<u16>,
    /// The number of rows that its slices take.
    pub rows: u32,
    /// The number of its first slice; slices of a lane are numbered in the order of their starts.
    pub first: u32,
    /// The number of its slices.
    pub items: u32,
    /// The time in which something ran, in ns; of a group the sum of its lanes.
    pub busy: u64,
    /// The longest time from creation to start, in ns.
    pub longest_wait: u64,
    /// The place of its columns in the file.
    pub(super) offset: u64,
    /// The number of values that do not fit their columns.
    pub(super) escapes: u64,
    /// The number of stored tiles.
    pub(super) tiles: u32,
}

impl Lane {
    /// Creates a lane without slices.
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
