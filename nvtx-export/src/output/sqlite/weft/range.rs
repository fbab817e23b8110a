//! WEFT_RANGE: the ranges of sessions whose NVTX_EVENTS are not in the file.

use super::integer;
use crate::joined::{Joined, RangeIndex, RangeKind, SourceIndex};
use crate::progress::Progress;
use rusqlite::{Connection, OptionalExtension, params};

/// Where ranges stand in the file.
pub(super) struct Ids {
    copied: Option<SourceIndex>,
    first: i64,
}

impl Ids {
    /// The row of a range: of NVTX_EVENTS where its session was copied, else of WEFT_RANGE.
    pub(super) fn of(&self, joined: &Joined, range: RangeIndex) -> Option<i64> {
        let row = joined.ranges.get(range.0 as usize)?;
        Some(if Some(row.source) == self.copied {
            row.row
        } else {
            self.first + i64::from(range.0)
        })
    }
}

/// Writes the ranges of all sessions but `copied`.
pub(super) fn write(
    joined: &Joined,
    connection: &Connection,
    copied: Option<SourceIndex>,
    progress: &Progress,
) -> rusqlite::Result<Ids> {
    let events = "SELECT 1 FROM main.sqlite_master WHERE name = 'NVTX_EVENTS' AND type = 'table'";
    let events = connection.query_row(events, [], |_| Ok(())).optional()?;
    let last: i64 = match events {
        Some(()) => connection.query_row(
            "SELECT ifnull(max(rowid), 0) FROM main.NVTX_EVENTS",
            [],
            |row| row.get(0),
        )?,
        None => 0,
    };
    let ids = Ids {
        copied,
        first: last.saturating_add(1),
    };
    let others = || {
        joined
            .ranges
            .iter()
            .any(|range| Some(range.source) != copied)
    };
    if !others() {
        return Ok(ids);
    }
    let text = |index| joined.strings.get(index);
    let mut insert = connection
        .prepare("INSERT INTO WEFT_RANGE VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?;
    let ranges = progress.over("writing ranges", joined.ranges.iter());
    for (index, range) in (0..).map(RangeIndex).zip(ranges) {
        if Some(range.source) == copied {
            continue;
        }
        insert.execute(params![
            ids.first + i64::from(index.0),
            range.source.id(),
            range.row,
            style(range.kind),
            range.start.nanos(),
            range.end.nanos(),
            !range.open,
            range.thread,
            range.end_thread,
            text(range.domain),
            text(range.text),
            range.color,
            range.launch.map(|uid| integer(uid.raw())),
        ])?;
    }
    Ok(ids)
}

fn style(kind: RangeKind) -> &'static str {
    match kind {
        RangeKind::PushPop => "PushPop",
        RangeKind::StartEnd => "StartEnd",
    }
}
