//! Tasks, their device work, waits and runtime calls.

use super::places::key;
use super::{ExportError, Feed};
use crate::lane::LaneKind;
use crate::slice::{Flags, Slice, SliceKind};
use weft_database::columns;
use weft_database::schema::{OperationRow, RuntimeCallRow, TaskRow, WaitRow};

impl Feed<'_> {
    /// Reads the lines of operations.
    pub(super) fn operations(&mut self) -> Result<(), ExportError> {
        let columns = columns!(OperationRow: ["sourceId", "uid"], ["provenanceId"]);
        self.each(columns, |feed, [source, uid], row| {
            let (run, line) = (feed.places.run(source), feed.places.line(row.integer(0)));
            feed.owners.keep_operation(run, uid, line);
            true
        })
    }

    pub(super) fn tasks(&mut self) -> Result<(), ExportError> {
        let columns = columns!(
            TaskRow: ["rowid", "sourceId", "uid", "processorId", "start", "end"],
            ["name", "created", "ready", "provenanceId"]
        );
        self.each(columns, |feed, needed, row| {
            let [number, source, uid, processor, start, end] = needed;
            let lane = feed.places.processor(feed.to, source, processor);
            let line = feed.places.line(row.integer(3));
            feed.owners.keep(source, uid, line, lane);
            let name = feed.to.name(&row.text(0).unwrap_or_default());
            feed.to.row(number, |row_number| Slice {
                lane,
                what: SliceKind::Task,
                row: row_number,
                start,
                end,
                states: row.integer(1).zip(row.integer(2)),
                name,
                line,
                flags: Flags::CRITICAL.only_if(feed.owners.is_critical(source, uid)),
            })
        })
    }

    /// Reads the device work of tasks, if there are no kernels.
    pub(super) fn devices(&mut self) -> Result<(), ExportError> {
        if !self.database.has_column("WEFT_TASK", "deviceStart") {
            return Ok(());
        }
        let columns = columns!(
            TaskRow: ["rowid", "sourceId", "uid", "processorId"],
            ["name", "deviceStart", "deviceEnd", "provenanceId"]
        );
        self.each(columns, |feed, needed, row| {
            let [number, source, uid, processor] = needed;
            let (Some(start), Some(end)) = (row.integer(1), row.integer(2)) else {
                return true;
            };
            let Feed {
                places, owners, to, ..
            } = feed;
            let process = places.process(to, source, None);
            to.group(process, LaneKind::Device, 0, "Devices");
            let key = key(process, LaneKind::Device, 0, [source, processor, 0]);
            let lane = to.lane(key, || format!("{} device", places.name(source, processor)));
            let name = to.name(&row.text(0).unwrap_or_default());
            to.row(number, |row_number| Slice {
                lane,
                what: SliceKind::Device,
                row: row_number,
                start,
                end,
                states: None,
                name,
                line: places.line(row.integer(3)),
                flags: Flags::CRITICAL.only_if(owners.is_critical(source, uid)),
            })
        })
    }

    pub(super) fn waits(&mut self) -> Result<(), ExportError> {
        self.owners.sort();
        let columns = columns!(
            WaitRow: ["rowid", "sourceId", "start", "end"],
            ["kind", "taskUid", "processorId", "opUid"]
        );
        self.each(columns, |feed, needed, row| {
            let [number, source, start, end] = needed;
            let Feed {
                places, owners, to, ..
            } = feed;
            let run = places.run(source);
            let task = row.integer(1);
            let known = task.and_then(|uid| owners.get(owners.find(source, uid)?));
            let (lane, line) = match (known, task, row.integer(2)) {
                (Some(task), ..) => (task.lane, task.line),
                (None, None, Some(processor)) => {
                    let line = owners.operation(run, row.integer(3));
                    (places.processor(to, source, processor), line)
                }
                // The wait of a task without a row has no lane.
                _ => return false,
            };
            let name = match row.text(0).as_deref() {
                Some(kind) => to.name(&format!("wait ({kind})")),
                None => to.name("wait"),
            };
            to.row(number, |row| Slice {
                lane,
                what: SliceKind::Wait,
                row,
                start,
                end,
                states: None,
                name,
                line,
                flags: Flags::default(),
            })
        })
    }

    pub(super) fn runtime_calls(&mut self) -> Result<(), ExportError> {
        let columns = columns!(
            RuntimeCallRow: ["id", "sourceId", "processorId", "start", "end"],
            ["kind", "opUid"]
        );
        self.each(columns, |feed, needed, row| {
            let [number, source, processor, start, end] = needed;
            let Feed {
                places, owners, to, ..
            } = feed;
            // On a processor that runs tasks, calls overlap them.
            let lane = match places.runs_tasks(source, processor) {
                false => places.processor(to, source, processor),
                true => {
                    let process = places.process(to, source, None);
                    to.group(process, LaneKind::Utility, 7, "Utility");
                    let key = key(process, LaneKind::Utility, 7, [source, processor, 1]);
                    to.lane(key, || {
                        format!("{} runtime", places.name(source, processor))
                    })
                }
            };
            let name = to.name(&row.text(0).unwrap_or_default());
            let line = owners.operation(places.run(source), row.integer(1));
            to.row(number, |row| Slice {
                lane,
                what: SliceKind::RuntimeCall,
                row,
                start,
                end,
                states: None,
                name,
                line,
                flags: Flags::default(),
            })
        })
    }
}
