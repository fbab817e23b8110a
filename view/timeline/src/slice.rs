//! A row that becomes a slice of a lane.

use super::lane::LaneIndex;
use std::ops::{BitOr, BitOrAssign};

macro_rules! what {
    ($($(#[$doc:meta])* $name:ident = $code:literal, $word:literal, $table:literal;)*) => {
        /// The kind of a slice, by the table of its row. If slices of a lane have the same times,
        /// the earlier variant is the outer one.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum SliceKind {
            $($(#[$doc])* $name = $code),*
        }

        impl SliceKind {
            /// All of them.
            pub const ALL: &'static [SliceKind] = &[$(SliceKind::$name),*];

            /// Returns the word for it.
            pub const fn name(self) -> &'static str {
                match self { $(SliceKind::$name => $word),* }
            }

            /// Returns the table of its rows.
            pub const fn table(self) -> &'static str {
                match self { $(SliceKind::$name => $table),* }
            }

            /// Returns the kind with this number.
            pub const fn from_code(code: u8) -> Option<SliceKind> {
                match code { $($code => Some(SliceKind::$name),)* _ => None }
            }
        }
    };
}

what! {
    /// A task on its processor.
    Task = 0, "task", "WEFT_TASK";
    /// A kernel, memcpy, memset or CUDA graph.
    Kernel = 1, "kernel", "WEFT_KERNEL";
    /// A wait of a task or of the program.
    Wait = 2, "wait", "WEFT_WAIT";
    /// Device work of a task, if kernels are not recorded.
    Device = 3, "device work", "WEFT_TASK";
    /// A call of the runtime.
    RuntimeCall = 4, "runtime call", "WEFT_RUNTIME_CALL";
    /// A copy, message or fill.
    Copy = 5, "copy", "WEFT_COPY";
    /// An allocation.
    Instance = 6, "instance", "WEFT_INSTANCE";
    /// An NVTX range.
    Range = 7, "range", "NVTX_EVENTS";
    /// An NVTX range of another session.
    OtherRange = 8, "range", "WEFT_RANGE";
    /// A call of the CUDA runtime or driver.
    ApiCall = 9, "API call", "CUPTI_ACTIVITY_KIND_RUNTIME";
    /// Dependent partitioning.
    Partitioning = 10, "partitioning", "WEFT_PARTITIONING";
    /// An overhead of the recorder or of the driver.
    Overhead = 11, "overhead", "WEFT_OVERHEAD";
}

/// Properties of a slice that are visible at every zoom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u8);

impl Flags {
    /// On the critical path.
    pub const CRITICAL: Flags = Flags(1);
    /// Found by the latest search.
    pub const HIT: Flags = Flags(1 << 1);
    /// Named by a finding.
    pub const FINDING: Flags = Flags(1 << 2);
    /// Its share of a launch is estimated.
    pub const ESTIMATED: Flags = Flags(1 << 3);
    /// Its end was not recorded.
    pub const OPEN: Flags = Flags(1 << 4);
    /// A kernel without a launch.
    pub const UNMATCHED: Flags = Flags(1 << 5);
    /// A call that failed.
    pub const FAILED: Flags = Flags(1 << 6);
    /// On the line that is selected.
    pub const LINE: Flags = Flags(1 << 7);

    /// Returns these flags if `holds`, otherwise none.
    pub fn only_if(self, holds: bool) -> Flags {
        if holds { self } else { Flags(0) }
    }

    /// Returns whether all of these are set.
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Flags {
    type Output = Flags;

    fn bitor(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Flags) {
        self.0 |= other.0;
    }
}

/// A slice as passed by a feed. Times are ns on the clock of the trace.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    /// The lane.
    pub lane: LaneIndex,
    /// The kind of the slice.
    pub what: SliceKind,
    /// The number of its row in its table: the row id of SQLite.
    pub row: u32,
    /// The start time.
    pub start: i64,
    /// The end time. If it is before the start, the slice is damaged and has no length.
    pub end: i64,
    /// The times of creation and readiness, if known.
    pub states: Option<(i64, i64)>,
    /// Its name, by the number of [`Builder::name`](super::Builder::name).
    pub name: u32,
    /// Its line, by the feed's number; 0: unknown.
    pub line: u32,
    /// The flags of the slice.
    pub flags: Flags,
}
