//! Rows that become slices, family by family, each with its track.

use super::tracks::{TrackKey, Tracks};
use weft_model::lanes::Group;
use weft_model::rows::{LaneRow, Row, Rows, Shows};
use weft_model::{Family as Of, Moment, Outcome, Trace};
use weft_trace::time::Timestamp;

/// A slice to place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Item {
    pub(super) track: TrackKey,
    pub(super) start: i64,
    pub(super) end: i64,
    pub(super) group: Group,
    pub(super) row: Row,
}

/// A family of rows that share tracks. Only the slices of one family are in memory at a time.
#[derive(Clone, Copy, Debug)]
pub(super) enum Family {
    Processors,
    Devices,
    RuntimeCalls,
    Streams,
    Channels,
    Memories,
    Ranges,
    ApiCalls,
    Overheads,
}

/// All families, in the order of the tracks of a process.
pub(super) const FAMILIES: [Family; 9] = [
    Family::Processors,
    Family::Devices,
    Family::RuntimeCalls,
    Family::Streams,
    Family::Channels,
    Family::Memories,
    Family::Ranges,
    Family::ApiCalls,
    Family::Overheads,
];

/// Returns the slices of a family. `last` is the end of the trace.
pub(super) fn collect(
    rows: Rows<'_>,
    tracks: &mut Tracks<'_>,
    family: Family,
    last: i64,
) -> Vec<Item> {
    let last = Timestamp::from_nanos_since_session_start(last);
    let mut items = Vec::new();
    let push = |placed: LaneRow| {
        items.push(Item {
            track: tracks.track(&placed),
            start: placed.start.nanos(),
            end: placed.end.nanos(),
            group: placed.group,
            row: placed.row,
        });
    };
    let is_stream = |placed: &LaneRow| matches!(placed.shows, Shows::Stream(_));
    match family {
        Family::Processors => {
            let kernels = rows.kernels().filter(|placed| !is_stream(placed));
            let work = rows.tasks().chain(rows.launches()).chain(kernels);
            work.chain(rows.waits()).for_each(push);
        }
        Family::Devices => rows.devices().for_each(push),
        Family::RuntimeCalls => rows.runtime_calls().for_each(push),
        Family::Streams => rows.kernels().filter(is_stream).for_each(push),
        Family::Channels => rows.copies().chain(rows.partitionings()).for_each(push),
        Family::Memories => rows.instances(last).for_each(push),
        Family::Ranges => rows.ranges().for_each(push),
        Family::ApiCalls => rows.api_calls().for_each(push),
        Family::Overheads => rows.overheads().for_each(push),
    }
    items.sort_unstable_by_key(|item| {
        let end = std::cmp::Reverse(item.end);
        (item.track, item.start, end, item.row)
    });
    items
}

/// Returns the time from the first start to the last end of all rows that become slices, if there
/// are any.
pub(super) fn span(trace: &Trace) -> Option<(i64, i64)> {
    const DRAWN: [Of; 12] = [
        Of::Tasks,
        Of::TasksOnDevices,
        Of::Launches,
        Of::Kernels,
        Of::Waits,
        Of::RuntimeCalls,
        Of::Copies,
        Of::Partitionings,
        Of::Ranges,
        Of::ApiCalls,
        Of::Overheads,
        Of::Instances,
    ];
    let mut span: Option<(i64, i64)> = None;
    trace.times(|of, time| {
        let at = time.nanos();
        if !DRAWN.contains(&of.family) {
            return;
        }
        span = match (of.moment, span) {
            (Moment::Start, None) => Some((at, at)),
            (Moment::Start, Some((first, last))) => Some((first.min(at), last.max(at))),
            (Moment::End, Some((first, last))) => Some((first, last.max(at))),
            (Moment::End | Moment::Before | Moment::Within, span) => span,
        };
    });
    span
}

/// Returns the outcome of a kernel.
pub(super) fn outcome(trace: &Trace, kernel: u32) -> Option<&Outcome> {
    trace.links.outcomes.get(kernel as usize)
}
