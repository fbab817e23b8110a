//! The expected content of tiles, by brute force over the rows of SQL queries.

#![allow(clippy::panic, reason = "a failed helper fails its test")]

use rusqlite::{Connection, Row};
use weft_timeline::bins::Bins;
use weft_timeline::{File, Item, LaneKind, TILE_BINS, TileKey};

/// A slice from SQL. Times are relative to the start of the trace.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Expected {
    start: i64,
    end: i64,
    states: Option<(i64, i64)>,
    place: Option<String>,
}

pub(super) struct Oracle<'f> {
    file: &'f File,
    /// The slices of each lane; empty for a group.
    pub(super) lanes: Vec<Vec<Expected>>,
}

const TASK_PLACE: &str =
    "(SELECT p.file || ':' || p.line FROM WEFT_PROVENANCE p WHERE p.id = t.provenanceId)";

impl<'f> Oracle<'f> {
    pub(super) fn new(connection: &Connection, file: &'f File) -> Self {
        let zero = file.zero();
        let lanes = file.lanes().iter().map(|lane| {
            let source = i64::from(lane.rank.unwrap()) + 1;
            let number = lane.label.rsplit(' ').next().unwrap().parse::<i64>();
            let operation = |of: &str| {
                format!("(SELECT p.file || ':' || p.line FROM WEFT_OPERATION o JOIN WEFT_PROVENANCE p ON p.id = o.provenanceId WHERE o.uid = {of})")
            };
            let is_group = file.lanes().iter().any(|other| {
                other.parent.is_some_and(|parent| std::ptr::eq(&file.lanes()[parent as usize], lane))
            });
            if is_group {
                return Vec::new();
            }
            let kernel_place = "(SELECT (SELECT p.file || ':' || p.line FROM WEFT_PROVENANCE p WHERE p.id = s.place) FROM WEFT_KERNEL_TASK l \
                 LEFT JOIN (SELECT uid, sourceId, provenanceId AS place FROM WEFT_TASK UNION ALL \
                 SELECT c.uid, c.sourceId, (SELECT provenanceId FROM WEFT_OPERATION o WHERE o.uid = c.opUid) FROM WEFT_COPY c) s \
                 ON s.uid = l.taskUid AND s.sourceId = l.sourceId WHERE l.kernelId = k.id ORDER BY l.rowid LIMIT 1)";
            let sql = match lane.kind {
                LaneKind::Processor | LaneKind::Utility | LaneKind::Program => format!(
                    "SELECT start, end, created, ready, {TASK_PLACE} FROM WEFT_TASK t WHERE sourceId = ?1 AND processorId = ?2 \
                     UNION ALL SELECT start, end, NULL, NULL, {kernel_place} FROM WEFT_KERNEL k WHERE sourceId = ?1 AND processorId = ?2 AND source = 'host' \
                     UNION ALL SELECT w.start, w.end, NULL, NULL, {TASK_PLACE} FROM WEFT_WAIT w JOIN WEFT_TASK t ON t.uid = w.taskUid AND t.sourceId = w.sourceId \
                         WHERE w.sourceId = ?1 AND t.processorId = ?2 \
                     UNION ALL SELECT start, end, NULL, NULL, {} FROM WEFT_RUNTIME_CALL c WHERE sourceId = ?1 AND processorId = ?2",
                    operation("c.opUid")
                ),
                LaneKind::Device => format!(
                    "SELECT deviceStart, deviceEnd, NULL, NULL, {TASK_PLACE} FROM WEFT_TASK t WHERE sourceId = ?1 AND deviceStart IS NOT NULL"
                ),
                LaneKind::Stream => format!(
                    "SELECT start, end, NULL, NULL, {kernel_place} FROM WEFT_KERNEL k WHERE sourceId = ?1 AND source <> 'host' AND ifnull(streamId, -1) = ?2"
                ),
                LaneKind::Memory => format!(
                    "SELECT created, ifnull(destroyed, ?3), NULL, NULL, {} FROM WEFT_INSTANCE i WHERE sourceId = ?1 AND memoryId = ?2",
                    operation("i.opUid")
                ),
                LaneKind::Channel if lane.label == "dependent partitioning" => format!(
                    "SELECT start, end, created, ready, {} FROM WEFT_PARTITIONING d WHERE sourceId = ?1",
                    operation("d.opUid")
                ),
                LaneKind::Channel => format!(
                    "SELECT start, end, created, ready, {} FROM WEFT_COPY c WHERE sourceId = ?1 AND '{}' = \
                     CASE WHEN srcMemoryId IS NULL THEN 'fills of ' || (SELECT kind || ' ' || id FROM WEFT_MEMORY WHERE sourceId = ?1 AND id = dstMemoryId UNION ALL SELECT 'memory ' || dstMemoryId LIMIT 1) \
                     ELSE (SELECT kind || ' ' || id FROM WEFT_MEMORY WHERE sourceId = ?1 AND id = srcMemoryId) || ' to ' || (SELECT kind || ' ' || id FROM WEFT_MEMORY WHERE sourceId = ?1 AND id = dstMemoryId UNION ALL SELECT 'memory ' || dstMemoryId LIMIT 1) END",
                    operation("c.opUid"),
                    lane.label
                ),
                kind => panic!("{kind:?}"),
            };
            let number = match lane.kind {
                // Work without a stream has a lane without a number.
                LaneKind::Stream if !lane.label.contains("stream") => -1,
                _ => number.unwrap_or(-1),
            };
            // Instances that were never freed end with the last work, which determines the length
            // of the file.
            let last = last(connection);
            let sql = format!("SELECT * FROM ({sql}) WHERE ?2 = ?2 AND ?3 = ?3");
            let mut rows = connection.prepare(&sql).unwrap();
            let read = |row: &Row<'_>| {
                let time = |column| row.get::<_, Option<i64>>(column).map(|time| time.map(|time| time - zero));
                let (start, end) = (time(0)?.unwrap(), time(1)?.unwrap());
                let states = time(2)?.zip(time(3)?).map(|(created, ready)| {
                    let created = created.min(start);
                    (created, ready.clamp(created, start))
                });
                Ok(Expected { start, end: end.max(start), states, place: row.get(4)? })
            };
            rows.query_map([source, number, last], read).unwrap().map(Result::unwrap).collect()
        });
        Oracle {
            file,
            lanes: lanes.collect(),
        }
    }

    fn place(&self, line: u32) -> Option<String> {
        let line = &self.file.lines()[line as usize];
        (line.line > 0).then(|| format!("{}:{}", line.file, line.line))
    }

    /// Returns the lanes below a lane, or the lane itself.
    fn leaves(&self, lane: u32) -> Vec<usize> {
        let lanes = self.file.lanes();
        let is_below = |mut at: u32| loop {
            if at == lane {
                return true;
            }
            match lanes[at as usize].parent {
                Some(parent) => at = parent,
                None => return false,
            }
        };
        let is_leaf = |at: u32| lanes.iter().all(|other| other.parent != Some(at));
        (0..lanes.len() as u32)
            .filter(|at| is_below(*at) && is_leaf(*at))
            .map(|at| at as usize)
            .collect()
    }

    pub(super) fn check_items(&self, key: TileKey, items: &[Item]) {
        let (from, to) = (key.from() as i64, key.to() as i64);
        let mut expected: Vec<Expected> = self.lanes[key.lane as usize].clone();
        expected.retain(|slice| slice.start < to && (slice.end > from || slice.start >= from));
        let mut found: Vec<Expected> = items
            .iter()
            .map(|item| Expected {
                start: item.start as i64,
                end: item.end as i64,
                states: item
                    .states
                    .map(|(created, ready)| (created as i64, ready as i64)),
                place: self.place(item.line),
            })
            .collect();
        let order = |slice: &Expected| (slice.start, slice.end, slice.states, slice.place.clone());
        expected.sort_by_key(order);
        found.sort_by_key(order);
        assert_eq!(found, expected, "{key:?}");
    }

    pub(super) fn check_bins(&self, key: TileKey, bins: &Bins) {
        let leaves = self.leaves(key.lane);
        let width = key.width() as i64;
        // Each bin is computed from all slices, so only some bins are checked: different ones for
        // each tile.
        let first = (key.level + key.index + key.lane) as usize % 9;
        for bin in (first..TILE_BINS).step_by(9) {
            let lo = key.from() as i64 + bin as i64 * width;
            let hi = lo + width;
            let common = |a: i64, b: i64| (b.min(hi) - a.max(lo)).max(0);
            let (mut busy, mut count, mut waiting, mut ready) = (0, 0, 0, 0);
            let mut longest: Option<i64> = None;
            for leaf in &leaves {
                let slices = &self.lanes[*leaf];
                let mut inside: Vec<(i64, i64)> = Vec::new();
                for slice in slices {
                    count += u32::from(slice.start >= lo && slice.start < hi);
                    if let Some((created, could)) = slice.states {
                        waiting += common(created, could);
                        ready += common(could, slice.start);
                    }
                    let overlaps = slice.start < hi && (slice.end > lo || slice.start >= lo);
                    if overlaps {
                        inside.push((slice.start.max(lo), slice.end.min(hi)));
                        longest = longest.max(Some(slice.end - slice.start));
                    }
                }
                inside.sort_unstable();
                let mut covered = lo;
                for (start, end) in inside {
                    busy += (end - start.max(covered)).max(0);
                    covered = covered.max(end);
                }
            }
            let near = |found: f32, ns: i64, what: &str| {
                let expected = ns as f64 / width as f64;
                let error = (f64::from(found) - expected).abs();
                assert!(
                    error <= 1e-5 * expected.max(1.0),
                    "{what} of {key:?} bin {bin}: {found}, not {expected}"
                );
            };
            // Shares of a group are the averages of its lanes.
            let lanes = leaves.len() as f32;
            near(bins.busy[bin] * lanes, busy, "busy");
            near(bins.waiting[bin] * lanes, waiting, "waiting");
            near(bins.ready[bin] * lanes, ready, "ready");
            assert_eq!(bins.count[bin], count, "{key:?} bin {bin}");
            assert_eq!(
                bins.item[bin] == u32::MAX,
                longest.is_none(),
                "{key:?} bin {bin}"
            );
            assert_eq!(
                bins.longest[bin],
                longest.unwrap_or(0) as f32,
                "{key:?} bin {bin}"
            );
            if let ([leaf], Some(_)) = (leaves.as_slice(), longest) {
                self.check_line(*leaf, lo, hi, bins.line[bin]);
            }
        }
    }

    /// Checks that the line of a bin has the most time in it.
    fn check_line(&self, lane: usize, lo: i64, hi: i64, line: u32) {
        let time = |place: &Option<String>| -> i64 {
            let slices = self.lanes[lane]
                .iter()
                .filter(|slice| slice.place == *place);
            slices
                .map(|slice| (slice.end.min(hi) - slice.start.max(lo)).max(0))
                .sum()
        };
        let inside = self.lanes[lane]
            .iter()
            .filter(|slice| slice.start < hi && slice.end > lo);
        let mut places: Vec<&Option<String>> = inside.map(|slice| &slice.place).collect();
        places.sort_unstable();
        places.dedup();
        let most = places.into_iter().map(time).max().unwrap_or(0);
        assert_eq!(time(&self.place(line)), most, "lane {lane}, {lo}..{hi}");
    }

    /// Checks the busy time of each lane.
    pub(super) fn check_busy(&self) {
        for (lane, slices) in self.file.lanes().iter().zip(&self.lanes) {
            let mut times: Vec<(i64, i64)> = slices
                .iter()
                .map(|slice| (slice.start, slice.end))
                .collect();
            times.sort_unstable();
            let (mut busy, mut covered) = (0, i64::MIN);
            for (start, end) in times {
                busy += (end - start.max(covered)).max(0);
                covered = covered.max(end);
            }
            if !slices.is_empty() {
                assert_eq!(lane.busy as i64, busy, "{}", lane.label);
            }
        }
    }
}

/// Returns the last end of all rows except instances.
fn last(connection: &Connection) -> i64 {
    let sql = "SELECT max(max(start, end)) FROM (SELECT start, end FROM WEFT_TASK UNION ALL SELECT start, end FROM WEFT_KERNEL \
               UNION ALL SELECT start, end FROM WEFT_COPY UNION ALL SELECT start, end FROM WEFT_RUNTIME_CALL \
               UNION ALL SELECT start, end FROM WEFT_WAIT UNION ALL SELECT start, end FROM WEFT_PARTITIONING)";
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}
