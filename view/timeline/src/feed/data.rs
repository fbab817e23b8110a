//! Copies by channel, dependent partitioning, instances by memory, and the bytes in use of each
//! memory.

use super::places::key;
use super::{ExportError, Feed};
use crate::lane::{LaneIndex, LaneKind};
use crate::slice::{Flags, Slice, SliceKind};
use weft_database::columns;
use weft_database::schema::{CopyRow, InstanceRow, MemoryUseRow, PartitioningRow};
use weft_model::UNKNOWN_PARTITIONING;
use weft_model::rows::{PARTITIONING, channel_name};

/// The label of memories' counters, and their unit.
const IN_USE: (&str, &str) = ("bytes in use", "bytes");

impl Feed<'_> {
    pub(super) fn copies(&mut self) -> Result<(), ExportError> {
        let columns = columns!(
            CopyRow: ["rowid", "sourceId", "uid", "dstMemoryId", "start", "end"],
            ["opUid", "srcMemoryId", "created", "ready", "srcRank", "dstRank"]
        );
        self.each(columns, |feed, needed, row| {
            let [number, source, uid, to_memory, start, end] = needed;
            let Feed {
                places, owners, to, ..
            } = feed;
            let process = places.process(to, source, None);
            to.group(process, LaneKind::Channel, 0, "Channels");
            let from_memory = row.integer(1);
            let ranks = [row.integer(4), row.integer(5)];
            let ids = [
                from_memory.unwrap_or(-1),
                to_memory,
                ranks[0].unwrap_or(-1) << 16 | (ranks[1].unwrap_or(-1) & 0xffff),
            ];
            let end_name = |rank: Option<i64>, memory: i64| {
                let memory = places.memory(source, memory);
                match rank {
                    Some(rank) => format!("rank {rank} {memory}"),
                    None => memory,
                }
            };
            let is_message = ranks[0].is_some();
            let lane = to.lane(key(process, LaneKind::Channel, 0, ids), || {
                let from = from_memory.map(|from| end_name(ranks[0], from));
                channel_name(from.as_deref(), &end_name(ranks[1], to_memory))
            });
            let name = match (from_memory, is_message) {
                (_, true) => "message",
                (Some(_), false) => "copy",
                (None, false) => "fill",
            };
            let line = owners.operation(places.run(source), row.integer(0));
            owners.keep(source, uid, line, lane);
            let name = to.name(name);
            to.row(number, |row_number| Slice {
                lane,
                what: SliceKind::Copy,
                row: row_number,
                start,
                end,
                states: row.integer(2).zip(row.integer(3)),
                name,
                line,
                flags: Flags::CRITICAL.only_if(owners.is_critical(source, uid)),
            })
        })
    }

    pub(super) fn partitionings(&mut self) -> Result<(), ExportError> {
        let columns = columns!(
            PartitioningRow: ["rowid", "sourceId", "start", "end"],
            ["kind", "opUid", "created", "ready", "uid"]
        );
        self.each(columns, |feed, needed, row| {
            let [number, source, start, end] = needed;
            let Feed {
                places, owners, to, ..
            } = feed;
            let process = places.process(to, source, None);
            to.group(process, LaneKind::Channel, 0, "Channels");
            // Follows the channels between memories.
            let key = key(process, LaneKind::Channel, 0, [i64::MAX, 0, 0]);
            let lane = to.lane(key, || PARTITIONING.to_owned());
            let line = owners.operation(places.run(source), row.integer(1));
            let uid = row.integer(4);
            let is_critical = uid.is_some_and(|uid| owners.is_critical(source, uid));
            let name = to.name(row.text(0).as_deref().unwrap_or(UNKNOWN_PARTITIONING));
            to.row(number, |row_number| Slice {
                lane,
                what: SliceKind::Partitioning,
                row: row_number,
                start,
                end,
                states: row.integer(2).zip(row.integer(3)),
                name,
                line,
                flags: Flags::CRITICAL.only_if(is_critical),
            })
        })
    }

    /// The lane of a memory.
    fn memory(&mut self, source: i64, memory: i64) -> LaneIndex {
        let process = self.places.process(self.to, source, None);
        self.to.group(process, LaneKind::Memory, 0, "Memories");
        let key = key(process, LaneKind::Memory, 0, [source, memory, 0]);
        let places = &self.places;
        self.to.lane(key, || places.memory(source, memory))
    }

    pub(super) fn instances(&mut self) -> Result<(), ExportError> {
        // Instances that are never freed last to the end of the trace.
        let last = self.to.last;
        let columns = columns!(
            InstanceRow: ["rowid", "sourceId", "memoryId", "created"],
            ["bytes", "destroyed", "opUid"]
        );
        self.each(columns, |feed, needed, row| {
            let [number, source, memory, created] = needed;
            let lane = feed.memory(source, memory);
            let destroyed = row.integer(1);
            let bytes = row.integer(0).unwrap_or(0);
            let Feed {
                places, owners, to, ..
            } = feed;
            let (run, operation) = (places.run(source), row.integer(2));
            let holder = owners.holder(run, operation);
            to.change(lane, IN_USE, holder, created, bytes);
            if let Some(destroyed) = destroyed {
                to.change(lane, IN_USE, holder, destroyed, bytes.saturating_neg());
            }
            let name = to.name("instance");
            let line = owners.operation(run, operation);
            to.row(number, |row| Slice {
                lane,
                what: SliceKind::Instance,
                row,
                start: created,
                end: destroyed.unwrap_or(last),
                states: None,
                name,
                line,
                flags: Flags::OPEN.only_if(destroyed.is_none()),
            })
        })
    }

    pub(super) fn memory_uses(&mut self) -> Result<(), ExportError> {
        let columns = columns!(MemoryUseRow: ["sourceId", "memoryId", "time", "live"], []);
        self.each(columns, |feed, needed, _| {
            let [source, memory, at, live] = needed;
            let lane = feed.memory(source, memory);
            feed.to.level(lane, IN_USE, at, live.cast_unsigned());
            true
        })
    }
}
