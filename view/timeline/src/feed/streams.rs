//! Kernels: on the processors of CPUs, and on the streams of GPUs.

use super::places::key;
use super::{ExportError, Feed, rows};
use crate::lane::LaneKind;
use crate::slice::{Flags, Slice, SliceKind};
use weft_database::columns;
use weft_database::schema::{KernelRow, KernelTaskRow, UnmatchedRow};
use weft_model::rows::stream_name;

/// Kernels with the tasks that they worked for, by number.
#[derive(Debug, Default)]
struct Links {
    /// The kernel, the place of its first task, and whether its share is estimated.
    rows: Vec<(u32, u32, bool)>,
    unmatched: Vec<u32>,
}

impl Links {
    fn read(feed: &Feed<'_>) -> Result<Self, ExportError> {
        let mut links = Links::default();
        let columns = columns!(
            KernelTaskRow: ["kernelId", "sourceId", "taskUid"],
            ["estimated"]
        );
        rows(feed.database, columns, |needed, row| {
            let [kernel, source, uid] = needed;
            let Ok(kernel) = u32::try_from(kernel) else {
                return false;
            };
            if links.rows.last().is_none_or(|last| last.0 != kernel) {
                let place = feed.owners.find(source, uid).unwrap_or(u32::MAX);
                let is_estimated = row.integer(0) == Some(1);
                links.rows.push((kernel, place, is_estimated));
            }
            true
        })?;
        if !links.rows.is_sorted_by_key(|row| row.0) {
            links.rows.sort_by_key(|row| row.0);
        }
        let columns = columns!(UnmatchedRow: ["kernelId"], []);
        rows(feed.database, columns, |[kernel], _| {
            let kernel = u32::try_from(kernel).ok();
            links.unmatched.extend(kernel);
            kernel.is_some()
        })?;
        links.unmatched.sort_unstable();
        Ok(links)
    }

    fn get(&self, kernel: u32) -> Option<(u32, bool)> {
        let place = self.rows.partition_point(|row| row.0 < kernel);
        let row = self.rows.get(place).filter(|row| row.0 == kernel);
        row.map(|row| (row.1, row.2))
    }
}

impl Feed<'_> {
    pub(super) fn kernels(&mut self) -> Result<(), ExportError> {
        self.owners.sort();
        let links = Links::read(self)?;
        let columns = columns!(
            KernelRow: ["id", "sourceId", "start", "end"],
            ["source", "name", "rank", "processorId", "deviceId", "contextId", "streamId"]
        );
        self.each(columns, |feed, needed, row| {
            let [number, source, start, end] = needed;
            let Feed {
                places,
                owners,
                names,
                to,
                ..
            } = feed;
            let Ok(kernel) = u32::try_from(number) else {
                return false;
            };
            let is_host = row.text(0).is_some_and(|recorder| recorder == "host");
            let lane = match row.integer(3).filter(|_| is_host) {
                Some(processor) => places.processor(to, source, processor),
                None => {
                    let process = places.process(to, source, row.integer(2));
                    to.group(process, LaneKind::Stream, 0, "Streams");
                    let numbers = [4, 5, 6].map(|column| row.integer(column));
                    let ids = numbers.map(|number| number.unwrap_or(-1));
                    let key = key(process, LaneKind::Stream, 0, ids);
                    to.lane(key, || stream_name(numbers))
                }
            };
            let link = links.get(kernel);
            let owner = link.and_then(|link| owners.get(link.0));
            // A kernel without a task is unusual only if the trace has tasks.
            let is_unmatched = !names.are_used() && links.unmatched.binary_search(&kernel).is_ok();
            let text = row.text(1).unwrap_or_default();
            let name = to.name(&text);
            let line = match owner {
                Some(owner) => owner.line,
                None => names.of_kernel(to, &text),
            };
            to.row(number, |row| Slice {
                lane,
                what: SliceKind::Kernel,
                row,
                start,
                end,
                states: None,
                name,
                line,
                flags: Flags::CRITICAL.only_if(owner.is_some_and(|owner| owner.is_critical))
                    | Flags::ESTIMATED.only_if(link.is_some_and(|link| link.1))
                    | Flags::UNMATCHED.only_if(is_unmatched),
            })
        })
    }
}
