//! Other counts of the join.

use super::threads::Carrier;
use std::ops::AddAssign;
use weft_trace::id::Uid;

/// Counts of kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally {
    /// Kernels recorded by the runtime inside a range that carries the same launch.
    pub(super) range_agreed: u64,
    /// Kernels recorded by the runtime inside a range that carries another launch.
    pub(super) range_disagreed: u64,
    /// Kernels without a UID-carrying range, although a session recorded the process.
    pub(super) range_absent: u64,
    /// Kernels with an external id, whose call is inside a range that carries the same launch.
    pub(super) external_agreed: u64,
    /// Kernels with an external id, whose call is inside a range that carries another launch.
    pub(super) external_disagreed: u64,
    /// Kernels inside a range that carries a UID and one that was matched to a task, both of one
    /// launch.
    pub(super) named_agreed: u64,
    /// Kernels inside a range that carries a UID and one that was matched to a task, of different
    /// launches.
    pub(super) named_disagreed: u64,
    /// Kernels called by threads that open no UID-carrying ranges, in processes that do.
    pub(super) helper: u64,
    /// The part of `helper` that was attributed to the only open start/end range.
    pub(super) helper_process: u64,
    /// The part of `helper` with several open ranges.
    pub(super) helper_several: u64,
    /// Nodes of graphs that are linked to the launch of the whole graph, because they are in no
    /// map.
    pub(super) nodes_unmapped: u64,
}

impl Tally {
    pub(super) fn carrier(&mut self, carrier: Carrier) {
        match carrier {
            Carrier::Process(..) => self.helper_process += 1,
            Carrier::Several => self.helper_several += 1,
            Carrier::Helper => {}
            Carrier::Own(..) | Carrier::None => return,
        }
        self.helper += 1;
    }

    pub(super) fn external(&mut self, external: Option<Uid>, carried: Option<Uid>) {
        match external.zip(carried) {
            Some((external, carried)) if external == carried => self.external_agreed += 1,
            Some(_) => self.external_disagreed += 1,
            None => {}
        }
    }

    pub(super) fn count_named(&mut self, agreed: bool) {
        if agreed {
            self.named_agreed += 1;
        } else {
            self.named_disagreed += 1;
        }
    }

    /// Returns all counts, with their names in the properties of the trace.
    pub(super) fn counts(&self) -> [(&'static str, u64); 11] {
        [
            ("range_agreed", self.range_agreed),
            ("range_disagreed", self.range_disagreed),
            ("range_absent", self.range_absent),
            ("external_id_agreed", self.external_agreed),
            ("external_id_disagreed", self.external_disagreed),
            ("name_time_agreed", self.named_agreed),
            ("name_time_disagreed", self.named_disagreed),
            ("helper_thread_kernels", self.helper),
            ("helper_thread_linked", self.helper_process),
            ("helper_thread_ambiguous", self.helper_several),
            ("graph_nodes_unmapped", self.nodes_unmapped),
        ]
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.range_agreed += other.range_agreed;
        self.range_disagreed += other.range_disagreed;
        self.range_absent += other.range_absent;
        self.external_agreed += other.external_agreed;
        self.external_disagreed += other.external_disagreed;
        self.named_agreed += other.named_agreed;
        self.named_disagreed += other.named_disagreed;
        self.helper += other.helper;
        self.helper_process += other.helper_process;
        self.helper_several += other.helper_several;
        self.nodes_unmapped += other.nodes_unmapped;
    }
}
