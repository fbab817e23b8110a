//! Copies by channel, instances by memory, and how much of each memory is in use.

use super::places::key;
use super::{ExportError, Feed, integer, row_number};
use crate::timeline::lane::{LaneIndex, LaneKind};
use crate::timeline::slice::{Flags, Slice, What};
use rustc_hash::FxHashSet;

/// What counters of memories are called, and their unit.
const IN_USE: (&str, &str) = ("bytes in use", "bytes");

impl Feed<'_> {
    pub(super) fn copies(&mut self) -> Result<(), ExportError> {
        let Feed {
            database,
            places,
            owners,
            to,
        } = self;
        let columns = [
            "rowid",
            "sourceId",
            "uid",
            "opUid",
            "srcMemoryId",
            "dstMemoryId",
            "created",
            "ready",
            "start",
            "end",
            "srcRank",
            "dstRank",
        ];
        database.each_row("WEFT_COPY", &columns, |row| {
            let (Some(number), Some(source), Some(uid)) =
                (row_number(row), integer(row, 1), integer(row, 2))
            else {
                return false;
            };
            let (Some(to_memory), Some(start), Some(end)) =
                (integer(row, 5), integer(row, 8), integer(row, 9))
            else {
                return false;
            };
            let process = places.process(to, source, None);
            to.group(process, LaneKind::Channel, 0, "Channels");
            let from_memory = integer(row, 4);
            let ranks = [integer(row, 10), integer(row, 11)];
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
                let to_name = end_name(ranks[1], to_memory);
                match from_memory {
                    Some(from) => format!("{} to {to_name}", end_name(ranks[0], from)),
                    None => format!("fills of {to_name}"),
                }
            });
            let name = match (from_memory, is_message) {
                (_, true) => "message",
                (Some(_), false) => "copy",
                (None, false) => "fill",
            };
            let line = owners.operation(places.run(source), integer(row, 3));
            owners.keep(source, uid, line, lane);
            let name = to.name(name);
            to.slice(&Slice {
                lane,
                what: What::Copy,
                row: number,
                start,
                end,
                states: integer(row, 6).zip(integer(row, 7)),
                name,
                line,
                flags: Flags::CRITICAL.only_if(owners.is_critical(source, uid)),
            });
            true
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
        let database = self.database;
        let mut recorded: FxHashSet<(i64, i64)> = FxHashSet::default();
        database.each_row("WEFT_MEMORY_USE", &["sourceId", "memoryId"], |row| {
            recorded.extend(integer(row, 0).zip(integer(row, 1)));
            true
        })?;
        // What was never given back lasts to the end of the trace.
        let last = self.to.last;
        let columns = [
            "rowid",
            "sourceId",
            "memoryId",
            "bytes",
            "created",
            "destroyed",
            "opUid",
        ];
        database.each_row("WEFT_INSTANCE", &columns, |row| {
            let (Some(number), Some(source), Some(memory)) =
                (row_number(row), integer(row, 1), integer(row, 2))
            else {
                return false;
            };
            let Some(created) = integer(row, 4) else {
                return false;
            };
            let lane = self.memory(source, memory);
            let destroyed = integer(row, 5);
            let bytes = integer(row, 3).unwrap_or(0);
            if !recorded.contains(&(source, memory)) {
                self.to.change(lane, IN_USE, created, bytes);
                if let Some(destroyed) = destroyed {
                    self.to
                        .change(lane, IN_USE, destroyed, bytes.saturating_neg());
                }
            }
            let name = self.to.name("instance");
            self.to.slice(&Slice {
                lane,
                what: What::Instance,
                row: number,
                start: created,
                end: destroyed.unwrap_or(last),
                states: None,
                name,
                line: self
                    .owners
                    .operation(self.places.run(source), integer(row, 6)),
                flags: Flags::OPEN.only_if(destroyed.is_none()),
            });
            true
        })
    }

    pub(super) fn memory_uses(&mut self) -> Result<(), ExportError> {
        let database = self.database;
        let columns = ["sourceId", "memoryId", "time", "live"];
        database.each_row("WEFT_MEMORY_USE", &columns, |row| {
            let (Some(source), Some(memory), Some(at), Some(live)) = (
                integer(row, 0),
                integer(row, 1),
                integer(row, 2),
                integer(row, 3),
            ) else {
                return false;
            };
            let lane = self.memory(source, memory);
            self.to.level(lane, IN_USE, at, live.cast_unsigned());
            true
        })
    }
}
