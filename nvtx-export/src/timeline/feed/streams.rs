//! Kernels: on the processors of CPUs, and on the streams of GPUs.

use super::places::key;
use super::{ExportError, Feed, integer, row_number, text};
use crate::timeline::lane::LaneKind;
use crate::timeline::slice::{Flags, Slice, What};

/// Kernels with the tasks that they worked for, by number.
#[derive(Debug, Default)]
struct Links {
    /// The kernel, the place of its first task, and whether its share is estimated.
    rows: Vec<(u32, u32, bool)>,
    unmatched: Vec<u32>,
}

impl Links {
    fn of(feed: &Feed<'_>) -> Result<Self, ExportError> {
        let mut links = Links::default();
        let columns = ["kernelId", "sourceId", "taskUid", "estimated"];
        feed.database
            .each_row("WEFT_KERNEL_TASK", &columns, |row| {
                let Some(kernel) = row_number(row) else {
                    return false;
                };
                let (Some(source), Some(uid)) = (integer(row, 1), integer(row, 2)) else {
                    return false;
                };
                if links.rows.last().is_some_and(|last| last.0 == kernel) {
                    return true;
                }
                let place = feed.owners.find(source, uid).unwrap_or(u32::MAX);
                links.rows.push((kernel, place, integer(row, 3) == Some(1)));
                true
            })?;
        if !links.rows.is_sorted_by_key(|row| row.0) {
            links.rows.sort_by_key(|row| row.0);
        }
        feed.database
            .each_row("WEFT_UNMATCHED", &["kernelId"], |row| {
                row_number(row)
                    .map(|kernel| links.unmatched.push(kernel))
                    .is_some()
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
        let links = Links::of(self)?;
        let Feed {
            database,
            places,
            owners,
            to,
        } = self;
        let columns = [
            "id",
            "sourceId",
            "source",
            "name",
            "rank",
            "processorId",
            "deviceId",
            "contextId",
            "streamId",
            "start",
            "end",
        ];
        database.each_row("WEFT_KERNEL", &columns, |row| {
            let (Some(number), Some(source)) = (row_number(row), integer(row, 1)) else {
                return false;
            };
            let (Some(start), Some(end)) = (integer(row, 9), integer(row, 10)) else {
                return false;
            };
            let is_host = text(row, 2).is_some_and(|recorder| recorder == "host");
            let lane = match integer(row, 5).filter(|_| is_host) {
                Some(processor) => places.processor(to, source, processor),
                None => {
                    let process = places.process(to, source, integer(row, 4));
                    to.group(process, LaneKind::Stream, 0, "Streams");
                    let numbers = [integer(row, 6), integer(row, 7), integer(row, 8)];
                    let ids = numbers.map(|number| number.unwrap_or(-1));
                    let key = key(process, LaneKind::Stream, 0, ids);
                    to.lane(key, || stream(numbers))
                }
            };
            let link = links.get(number);
            let owner = link.and_then(|link| owners.get(link.0));
            let is_unmatched = links.unmatched.binary_search(&number).is_ok();
            let name = to.name(&text(row, 3).unwrap_or_default());
            to.slice(&Slice {
                lane,
                what: What::Kernel,
                row: number,
                start,
                end,
                states: None,
                name,
                line: owner.map_or(0, |owner| owner.line),
                flags: Flags::CRITICAL.only_if(owner.is_some_and(|owner| owner.is_critical))
                    | Flags::ESTIMATED.only_if(link.is_some_and(|link| link.1))
                    | Flags::UNMATCHED.only_if(is_unmatched),
            });
            true
        })
    }
}

/// What a stream is called.
fn stream([device, context, stream]: [Option<i64>; 3]) -> String {
    let number = |what: &str, number: Option<i64>| {
        number.map_or_else(String::new, |number| format!(" {what} {number}"))
    };
    let device = device.map_or_else(
        || "unknown processor".to_owned(),
        |device| format!("GPU {device}"),
    );
    let context = context.filter(|context| *context != 1);
    format!(
        "{device}{}{}",
        number("context", context),
        number("stream", stream)
    )
}
