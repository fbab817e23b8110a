//! The cost of slices, by the rules of `weft stats`, so that legends and tables agree.
//!
//! A slice shows when something ran, or when the host issued it. Its cost is a different number:
//! for a GPU task the time on the device, for a launch of several tasks the share of each.

use crate::database::{get, query_rows, text};
use crate::state::{State, ViewError};
use rusqlite::Connection;
use rustc_hash::{FxHashMap, FxHashSet};
use weft_timeline::{Item, LaneKind, SliceKind};

/// A line by its file and number.
pub(super) type Place = (String, u32);

/// The costs of tasks, copies and kernels.
#[derive(Debug, Default)]
pub(super) struct Costs {
    tasks: FxHashMap<u32, Option<f64>>,
    issues: FxHashMap<u32, f64>,
    copies: FxHashMap<u32, f64>,
    /// The lines that each kernel worked for, with their shares of it.
    kernels: FxHashMap<u32, Vec<(Place, f64)>>,
    /// The lines whose figures are estimated.
    pub(super) estimated: FxHashSet<Place>,
    /// Whether kernels on streams count: they are part of the cost of tasks, unless no lane of
    /// tasks is drawn.
    count_kernels: bool,
}

/// The time of each task, and the time in which the host issued its work if that differs.
const TASKS: &str = "SELECT t.rowid, w.time, w.issueTime FROM WEFT_TASK t \
    JOIN weft_task_time w ON w.uid = t.uid AND w.sourceId = t.sourceId";

/// In databases of earlier versions, whose tables by line have the time of issue for tasks of GPUs.
const TASKS_BEFORE: &str = "SELECT t.rowid, w.time, NULL FROM WEFT_TASK t \
    JOIN weft_task_time w ON w.uid = t.uid AND w.sourceId = t.sourceId";

/// The time of each copy, less that of others that its launch served; with the time of its work on
/// a device.
const COPIES: &str = "WITH others AS ( \
        SELECT s.sourceId AS sourceId, s.taskUid AS uid, sum((l.end - l.start) * (1 - s.share)) AS time \
        FROM WEFT_LAUNCH_TASK s JOIN WEFT_LAUNCH l ON l.uid = s.launchUid AND l.sourceId = s.sourceId \
        WHERE s.share < 1 GROUP BY 1, 2), \
    device AS ( \
        SELECT l.sourceId AS sourceId, l.taskUid AS uid, sum((k.end - k.start) * l.share) AS time \
        FROM WEFT_KERNEL_TASK l JOIN WEFT_KERNEL k ON k.id = l.kernelId \
        GROUP BY 1, 2 HAVING max(k.source <> 'host')) \
    SELECT c.rowid, max(0, c.end - c.start - ifnull(o.time, 0)), round(d.time) FROM WEFT_COPY c \
    LEFT JOIN others o ON o.uid = c.uid AND o.sourceId = c.sourceId \
    LEFT JOIN device d ON d.uid = c.uid AND d.sourceId = c.sourceId";

/// The lines that kernels worked for.
const KERNELS: &str = "SELECT l.kernelId, p.file, p.line, sum(l.share) FROM WEFT_KERNEL_TASK l \
    JOIN WEFT_TASK t ON t.uid = l.taskUid AND t.sourceId = l.sourceId \
    LEFT JOIN WEFT_PROVENANCE p ON p.id = t.provenanceId GROUP BY 1, 2, 3";

impl Costs {
    /// Reads the data for lanes of these kinds.
    pub(super) fn read(state: &State, kinds: &[LaneKind]) -> Result<Self, ViewError> {
        let draws_tasks = kinds
            .iter()
            .any(|kind| matches!(kind, LaneKind::Processor | LaneKind::Channel));
        state.with_database(|database| {
            let mut costs = Costs {
                count_kernels: !draws_tasks,
                ..Costs::default()
            };
            costs.read_tasks(database)?;
            if costs.count_kernels {
                costs.read_kernels(database)?;
            }
            Ok(costs)
        })
    }

    fn read_tasks(&mut self, database: &Connection) -> rusqlite::Result<()> {
        let has_device_times = database.prepare(TASKS).is_ok();
        let sql = if has_device_times {
            TASKS
        } else {
            TASKS_BEFORE
        };
        let rows = query_rows(database, sql, [], |row| {
            Ok((get::<u32>(row, 0), get::<f64>(row, 1), get::<f64>(row, 2)))
        })?;
        for (row, time, issue) in rows {
            if let Some(row) = row {
                // A task of a GPU that has an issue and no time has an unknown cost.
                if time.is_some() || issue.is_some() {
                    self.tasks.insert(row, time);
                }
                self.issues.extend(issue.map(|issue| (row, issue)));
            }
        }
        let rows = query_rows(database, COPIES, [], |row| {
            let own = get::<f64>(row, 1);
            let device = get::<f64>(row, 2).filter(|_| has_device_times);
            Ok(get::<u32>(row, 0).zip(device.or(own)))
        })?;
        self.copies = rows.into_iter().flatten().collect();
        let sql = "SELECT file, line FROM weft_by_line WHERE estimated > 0";
        let rows = query_rows(database, sql, [], |row| {
            Ok(text(row, 0).zip(get::<u32>(row, 1)))
        })?;
        self.estimated = rows.into_iter().flatten().collect();
        Ok(())
    }

    fn read_kernels(&mut self, database: &Connection) -> rusqlite::Result<()> {
        let rows = query_rows(database, KERNELS, [], |row| {
            let place = text(row, 1).zip(get::<u32>(row, 2));
            Ok((get::<u32>(row, 0), place, get::<f64>(row, 3)))
        })?;
        for (kernel, place, share) in rows {
            if let (Some(kernel), Some(share)) = (kernel, share) {
                let place = place.unwrap_or_default();
                self.kernels.entry(kernel).or_default().push((place, share));
            }
        }
        Ok(())
    }

    /// The cost of a slice in ns; `None` if its time counts for another slice, or is unknown.
    pub(super) fn cost_of(&self, lane: LaneKind, item: &Item) -> Option<f64> {
        let length = (item.end - item.start) as f64;
        match item.what {
            // The program itself is a task of some runtimes, as long as the run.
            SliceKind::Task if lane == LaneKind::Program && item.line == 0 => None,
            SliceKind::Task => self.tasks.get(&item.row).copied().unwrap_or(Some(length)),
            SliceKind::Copy => Some(self.copies.get(&item.row).copied().unwrap_or(length)),
            SliceKind::Kernel if lane == LaneKind::Stream && self.count_kernels => Some(length),
            _ => None,
        }
    }

    /// Returns the time in which the host issued the work of a slice, if the slice shows that and
    /// its cost is device time.
    pub(super) fn issue(&self, item: &Item) -> Option<f64> {
        match item.what {
            SliceKind::Task => self.issues.get(&item.row).copied(),
            _ => None,
        }
    }

    /// The lines among which the cost of a slice is divided, unless it is only the slice's own
    /// line.
    pub(super) fn shares(&self, item: &Item) -> Option<&[(Place, f64)]> {
        match item.what {
            SliceKind::Kernel => self.kernels.get(&item.row).map(Vec::as_slice),
            _ => None,
        }
    }
}
