//! Tasks, their work on devices, waits and calls of the runtime.

use super::places::key;
use super::{ExportError, Feed, integer, row_number, text};
use crate::timeline::lane::LaneKind;
use crate::timeline::slice::{Flags, Slice, What};

impl Feed<'_> {
    pub(super) fn tasks(&mut self) -> Result<(), ExportError> {
        let Feed {
            database,
            places,
            owners,
            to,
        } = self;
        let columns = ["sourceId", "uid", "provenanceId"];
        database.each_row("WEFT_OPERATION", &columns, |row| {
            let (Some(source), Some(uid)) = (integer(row, 0), integer(row, 1)) else {
                return false;
            };
            owners.keep_operation(places.run(source), uid, places.line(integer(row, 2)));
            true
        })?;
        let columns = [
            "rowid",
            "sourceId",
            "uid",
            "name",
            "processorId",
            "created",
            "ready",
            "start",
            "end",
            "provenanceId",
        ];
        database.each_row("WEFT_TASK", &columns, |row| {
            let (Some(number), Some(source), Some(uid)) =
                (row_number(row), integer(row, 1), integer(row, 2))
            else {
                return false;
            };
            let (Some(processor), Some(start), Some(end)) =
                (integer(row, 4), integer(row, 7), integer(row, 8))
            else {
                return false;
            };
            let lane = places.processor(to, source, processor);
            let line = places.line(integer(row, 9));
            owners.keep(source, uid, line, lane);
            let name = to.name(&text(row, 3).unwrap_or_default());
            to.slice(&Slice {
                lane,
                what: What::Task,
                row: number,
                start,
                end,
                states: integer(row, 5).zip(integer(row, 6)),
                name,
                line,
                flags: Flags::CRITICAL.only_if(owners.is_critical(source, uid)),
            });
            true
        })
    }

    /// What tasks did on devices, where there are no kernels.
    pub(super) fn devices(&mut self) -> Result<(), ExportError> {
        let Feed {
            database,
            places,
            owners,
            to,
        } = self;
        if !database.has_column("WEFT_TASK", "deviceStart") {
            return Ok(());
        }
        let columns = [
            "rowid",
            "sourceId",
            "uid",
            "name",
            "processorId",
            "deviceStart",
            "deviceEnd",
            "provenanceId",
        ];
        database.each_row("WEFT_TASK", &columns, |row| {
            let (Some(start), Some(end)) = (integer(row, 5), integer(row, 6)) else {
                return true;
            };
            let (Some(number), Some(source), Some(processor)) =
                (row_number(row), integer(row, 1), integer(row, 4))
            else {
                return false;
            };
            let process = places.process(to, source, None);
            to.group(process, LaneKind::Device, 0, "Devices");
            let key = key(process, LaneKind::Device, 0, [source, processor, 0]);
            let lane = to.lane(key, || format!("{} device", places.name(source, processor)));
            let name = to.name(&text(row, 3).unwrap_or_default());
            let uid = integer(row, 2).unwrap_or(0);
            to.slice(&Slice {
                lane,
                what: What::Device,
                row: number,
                start,
                end,
                states: None,
                name,
                line: places.line(integer(row, 7)),
                flags: Flags::CRITICAL.only_if(owners.is_critical(source, uid)),
            });
            true
        })
    }

    pub(super) fn waits(&mut self) -> Result<(), ExportError> {
        let Feed {
            database,
            places,
            owners,
            to,
        } = self;
        owners.sort();
        let columns = [
            "rowid",
            "sourceId",
            "kind",
            "taskUid",
            "processorId",
            "opUid",
            "start",
            "end",
        ];
        database.each_row("WEFT_WAIT", &columns, |row| {
            let (Some(number), Some(source)) = (row_number(row), integer(row, 1)) else {
                return false;
            };
            let (Some(start), Some(end)) = (integer(row, 6), integer(row, 7)) else {
                return false;
            };
            let run = places.run(source);
            let task = integer(row, 3).and_then(|uid| owners.get(owners.find(source, uid)?));
            let (lane, line) = match (task, integer(row, 3), integer(row, 4)) {
                (Some(task), ..) => (task.lane, task.line),
                (None, None, Some(processor)) => {
                    let line = owners.operation(run, integer(row, 5));
                    (places.processor(to, source, processor), line)
                }
                // The wait of a task without a row has no lane.
                _ => return false,
            };
            let kind = text(row, 2);
            let name = match kind.as_deref() {
                Some(kind) => to.name(&format!("wait ({kind})")),
                None => to.name("wait"),
            };
            to.slice(&Slice {
                lane,
                what: What::Wait,
                row: number,
                start,
                end,
                states: None,
                name,
                line,
                flags: Flags::default(),
            });
            true
        })
    }

    pub(super) fn runtime_calls(&mut self) -> Result<(), ExportError> {
        let Feed {
            database,
            places,
            owners,
            to,
        } = self;
        let columns = [
            "id",
            "sourceId",
            "kind",
            "opUid",
            "processorId",
            "start",
            "end",
        ];
        database.each_row("WEFT_RUNTIME_CALL", &columns, |row| {
            let (Some(number), Some(source), Some(processor)) =
                (row_number(row), integer(row, 1), integer(row, 4))
            else {
                return false;
            };
            let (Some(start), Some(end)) = (integer(row, 5), integer(row, 6)) else {
                return false;
            };
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
            let name = to.name(&text(row, 2).unwrap_or_default());
            let line = owners.operation(places.run(source), integer(row, 3));
            to.slice(&Slice {
                lane,
                what: What::RuntimeCall,
                row: number,
                start,
                end,
                states: None,
                name,
                line,
                flags: Flags::default(),
            });
            true
        })
    }
}
