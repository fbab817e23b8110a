//! The memory held by lines, compared with sums in SQL.

use super::{open, shape};
use crate::made::{self, Random};
use rusqlite::Connection;
use std::collections::BTreeMap;
use weft_model::MemoryUse;
use weft_output::sqlite::{self, WriteOptions};
use weft_timeline::{File, HeldBy, Holder, LaneKind, MemoryHolders};

/// The bytes held at one time, by the name of the holder.
type Expected = BTreeMap<String, i64>;

/// The bytes in instances of a memory at one time: created before it and not freed yet.
const HELD: &str = "SELECT CASE WHEN i.opUid IS NULL THEN 'no operation' \
        WHEN NOT EXISTS (SELECT 1 FROM WEFT_OPERATION o WHERE o.uid = i.opUid) THEN 'not in the trace' \
        ELSE coalesce((SELECT p.file || ':' || p.line FROM WEFT_OPERATION o JOIN WEFT_PROVENANCE p ON p.id = o.provenanceId \
                       WHERE o.uid = i.opUid), 'no line') END AS holder, \
    sum(i.bytes * ((i.created <= ?3) - (ifnull(i.destroyed <= ?3, 0)))) AS held \
    FROM WEFT_INSTANCE i WHERE i.sourceId = ?1 AND i.memoryId = ?2 GROUP BY holder HAVING held <> 0";

struct Memory<'a> {
    connection: &'a Connection,
    file: &'a File,
    lane: u32,
    source: i64,
    memory: i64,
}

impl Memory<'_> {
    /// The times of changes according to the tables.
    fn moments(&self) -> Vec<u64> {
        let sql = "SELECT created FROM WEFT_INSTANCE WHERE sourceId = ?1 AND memoryId = ?2 UNION \
                   SELECT destroyed FROM WEFT_INSTANCE WHERE sourceId = ?1 AND memoryId = ?2 AND destroyed IS NOT NULL UNION \
                   SELECT time FROM WEFT_MEMORY_USE WHERE sourceId = ?1 AND memoryId = ?2 ORDER BY 1";
        let mut rows = self.connection.prepare(sql).unwrap();
        let rows = rows.query_map([self.source, self.memory], |row| row.get::<_, i64>(0));
        let moments = rows
            .unwrap()
            .map(|at| (at.unwrap() - self.file.zero()).max(0));
        moments.map(i64::cast_unsigned).collect()
    }

    /// Returns the bytes of each holder at one time, and the bytes in use.
    fn expected(&self, moment: u64) -> (Expected, i64) {
        let at = self.file.zero() + moment.cast_signed();
        let mut rows = self.connection.prepare(HELD).unwrap();
        let rows = rows.query_map([self.source, self.memory, at], |row| {
            Ok((row.get(0)?, row.get(1)?))
        });
        let mut held: Expected = rows.unwrap().map(Result::unwrap).collect();
        let sum: i64 = held.values().sum();
        let told = |sql: &str| -> Option<i64> {
            let args = [self.source, self.memory, at];
            self.connection
                .query_row(sql, args, |row| row.get(0))
                .unwrap()
        };
        let is_told = "SELECT max(live) FROM WEFT_MEMORY_USE WHERE sourceId = ?1 AND memoryId = ?2 AND ?3 = ?3";
        let live = "SELECT (SELECT live FROM WEFT_MEMORY_USE WHERE sourceId = ?1 AND memoryId = ?2 AND time <= ?3 \
                    ORDER BY time DESC, rowid DESC LIMIT 1)";
        let total = match told(is_told) {
            Some(_) => told(live).unwrap_or(0).max(sum),
            None => sum.max(0),
        };
        if total != sum {
            held.insert("no instance".to_owned(), total - sum);
        }
        (held, total)
    }

    fn held(&self, from: u64, to: u64, bins: usize, lines: usize) -> MemoryHolders {
        let held = self.file.memory_holders(self.lane, from, to, bins, lines);
        held.unwrap().unwrap()
    }

    fn name(&self, by: &HeldBy) -> String {
        match by.holder {
            Some(Holder::Line(line)) => {
                let line = &self.file.lines()[line as usize];
                format!("{}:{}", line.file, line.line)
            }
            Some(Holder::NoOperation) => "no operation".to_owned(),
            Some(Holder::MissingOperation) => "not in the trace".to_owned(),
            Some(Holder::NoLine) => "no line".to_owned(),
            Some(Holder::NoInstance) => "no instance".to_owned(),
            None => "others".to_owned(),
        }
    }

    fn named(&self, by: &[HeldBy], bin: usize) -> Expected {
        let mut named = Expected::new();
        for by in by {
            *named.entry(self.name(by)).or_default() += by.bytes[bin];
        }
        named.retain(|_, bytes| *bytes != 0);
        named
    }

    /// Checks at every change that the shares equal those of SQL, and add up to the lane's counter.
    /// Returns the number of changes.
    fn check_moments(&self) -> usize {
        let moments = self.moments();
        let mut highest = (0, 0);
        for moment in &moments {
            let held = self.held(*moment, moment + 1, 1, usize::MAX);
            let (expected, total) = self.expected(*moment);
            assert_eq!(held.moments, [*moment]);
            assert_eq!(self.named(&held.by, 0), expected, "at {moment}");
            let levels = &self.file.levels(self.lane, *moment, moment + 1, 1).unwrap()[0];
            assert_eq!(
                (levels.most[0].cast_signed(), held.most[0].cast_signed()),
                (total, total),
                "at {moment}"
            );
            let sum: i64 = held.by.iter().map(|by| by.bytes[0]).sum();
            assert_eq!(sum, total, "at {moment}");
            if total > highest.1 {
                highest = (*moment, total);
            }
        }
        let held = self.held(0, self.file.end(), 8, usize::MAX);
        assert_eq!((held.peak, held.max.cast_signed()), highest);
        let (expected, _) = self.expected(highest.0);
        assert_eq!(self.named(&held.at_peak, 0), expected);
        moments.len()
    }

    /// Checks that the shares add up even with many changes per bin and few separate lines. Returns
    /// the number of lines that are combined.
    fn check_bins(&self) -> u32 {
        let held = self.held(0, self.file.end(), 37, 2);
        let levels = &self.file.levels(self.lane, 0, self.file.end(), 37).unwrap()[0];
        assert_eq!((&held.times, &held.most), (&levels.times, &levels.most));
        for (bin, moment) in held.moments.iter().enumerate() {
            let sum: i64 = held.by.iter().map(|by| by.bytes[bin]).sum();
            assert_eq!(sum, held.most[bin].cast_signed());
            assert!(held.times[bin] <= *moment);
            assert!(held.times.get(bin + 1).is_none_or(|next| moment < next));
            let (expected, _) = self.expected(*moment);
            for by in held.by.iter().filter(|by| by.holder.is_some()) {
                // Several lines have the same place if their functions differ.
                let of_place = expected.get(&self.name(by)).copied().unwrap_or(0);
                assert!(by.bytes[bin] <= of_place.max(0) || by.bytes[bin] == of_place);
            }
        }
        let lines = held
            .by
            .iter()
            .filter(|by| by.lines == 1 && by.holder.is_some());
        let sums: Vec<i64> = lines.map(|by| by.bytes.iter().sum()).collect();
        assert!(sums.len() <= 2 && sums.is_sorted_by(|one, other| one >= other));
        let others = held.by.iter().filter(|by| by.holder.is_none());
        others.map(|by| by.lines).sum()
    }
}

#[test]
fn line_holdings_match_sql_and_sum_to_the_counter() {
    let (mut changes, mut others, mut memories) = (0, 0, 0);
    for (seed, is_broken, is_told) in [
        (21, false, false),
        (22, true, false),
        (23, false, true),
        (24, true, true),
    ] {
        let mut trace = made::trace(shape(seed, 300, is_broken));
        if is_told {
            let mut random = Random::new(seed);
            let instances = trace.work.instances.iter().step_by(3);
            let told = instances.map(|instance| MemoryUse {
                source: instance.source,
                memory: instance.memory,
                at: instance.created,
                live: random.below(1 << 33),
                peak: 1 << 33,
                largest_free: 0,
                kept: 0,
            });
            trace.work.memory_uses = told.collect();
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("weft.sqlite");
        sqlite::write(&trace, &path, &WriteOptions::default()).unwrap();
        let timeline = open(&path);
        let connection = Connection::open(&path).unwrap();
        for (lane, row) in (0..).zip(timeline.file.lanes()) {
            if row.kind != LaneKind::Memory || row.items == 0 {
                assert_eq!(
                    timeline.file.memory_holders(lane, 0, 1, 1, 1).unwrap(),
                    None
                );
                continue;
            }
            let memory = Memory {
                connection: &connection,
                file: &timeline.file,
                lane,
                source: i64::from(row.rank.unwrap()) + 1,
                memory: row.label.rsplit(' ').next().unwrap().parse().unwrap(),
            };
            changes += memory.check_moments();
            others += memory.check_bins();
            memories += 1;
        }
    }
    assert!(
        memories == 24 && changes > 500 && others > 20,
        "{memories} {changes} {others}"
    );
}
