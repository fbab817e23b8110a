//! The timeline of a database, compared with SQL queries, and with damaged files.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod held;
mod hostile;
mod memory;
mod oracle;

use crate::made::{self, Shape};
use oracle::Oracle;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use weft_nvtx_export::Progress;
use weft_output::sqlite::{self, WriteOptions};
use weft_timeline::{
    EXACT, Flags, Hits, LaneKind, Opened, SliceKind, Tile, TileKey, Tiles, Timeline,
};

fn database(shape: Shape) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weft.sqlite");
    sqlite::write(&made::trace(shape), &path, &WriteOptions::default()).unwrap();
    (folder, path)
}

fn open(path: &Path) -> Timeline {
    Timeline::open(path, &Progress::default()).unwrap()
}

fn shape(seed: u64, tasks: u64, broken: bool) -> Shape {
    Shape {
        seed,
        ranks: 2,
        tasks,
        zero: 1_000_000,
        broken,
    }
}

/// A run on one GPU of a machine with many cores, recorded on an H100.
#[test]
fn lists_gpus_before_cpus_and_groups_idle_lanes() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data/h100/cg.prof.zst");
    let packed = std::fs::File::open(data).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (prof, path) = (
        folder.path().join("cg.prof"),
        folder.path().join("cg.sqlite"),
    );
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(packed).unwrap();
    std::io::copy(&mut decoder, &mut std::fs::File::create(&prof).unwrap()).unwrap();
    let trace = crate::support::join(&[prof]);
    sqlite::write(&trace, &path, &WriteOptions::default()).unwrap();
    let timeline = open(&path);
    let lanes = timeline.file.lanes();
    let at = |label: &str| lanes.iter().position(|lane| lane.label == label).unwrap();
    assert!(at("GPU 0") < at("CPU 0"));
    let idle = at("16 without work");
    let within = |lane: &&weft_timeline::Lane| lane.parent == Some(idle as u32);
    assert_eq!(lanes.iter().filter(within).count(), 16);
    assert!(lanes.iter().filter(within).all(|lane| lane.items == 0));
}

#[test]
fn tiles_of_every_level_match_sql() {
    let mut stored = 0;
    for (seed, tasks, broken) in [
        (1, 40, false),
        (2, 300, true),
        (3, 9000, false),
        (4, 9000, true),
    ] {
        let (_folder, path) = database(shape(seed, tasks, broken));
        let trace = open(&path);
        let connection = Connection::open(&path).unwrap();
        let oracle = Oracle::new(&connection, &trace.file);
        assert_eq!(
            oracle.lanes.iter().map(|lane| lane.len()).sum::<usize>(),
            trace.file.items() as usize
        );
        for level in (0..28).step_by(if tasks > 1000 { 3 } else { 1 }) {
            for index in [0, 1, 7, 1000] {
                for lane in 0..trace.file.lanes().len() as u32 {
                    let key = TileKey { lane, level, index };
                    let tile = Tiles::default().tile(&trace.file, key, &[]).unwrap();
                    match &tile {
                        Tile::Exact(items) => {
                            assert!(items.len() <= EXACT);
                            oracle.check_items(key, items);
                        }
                        Tile::Bins(bins) => {
                            let is_leaf = trace.file.lanes()[lane as usize].items > 0;
                            stored += u32::from(is_leaf);
                            oracle.check_bins(key, bins);
                        }
                    }
                }
            }
        }
        oracle.check_busy();
    }
    // Some lanes are dense enough to be stored as bins.
    assert!(stored > 20, "{stored}");
}

#[test]
fn rows_map_to_slices_and_back() {
    let (_folder, path) = database(shape(7, 500, true));
    let trace = open(&path);
    let connection = Connection::open(&path).unwrap();
    for what in [
        SliceKind::Task,
        SliceKind::Kernel,
        SliceKind::Copy,
        SliceKind::Instance,
        SliceKind::RuntimeCall,
        SliceKind::Partitioning,
    ] {
        let sql = format!("SELECT rowid FROM {} ORDER BY 1", what.table());
        let mut rows = connection.prepare(&sql).unwrap();
        let rows: Vec<u32> = rows
            .query_map([], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert!(!rows.is_empty());
        for row in &rows {
            let item = trace.file.of_row(what, *row).unwrap().unwrap();
            let slice = trace.file.item(item).unwrap().unwrap();
            assert_eq!((slice.what, slice.row), (what, *row));
        }
        assert_eq!(trace.file.of_row(what, u32::MAX).unwrap(), None);
    }
    assert_eq!(trace.file.item(trace.file.items()).unwrap(), None);
}

#[test]
fn caches_the_timeline_until_the_database_changes() {
    let (folder, path) = database(shape(5, 60, false));
    let sidecar = folder.path().join("weft.sqlite.timeline");
    assert_eq!(open(&path).opened, Opened::Built);
    let before = std::fs::read(&sidecar).unwrap();
    assert_eq!(open(&path).opened, Opened::Found);
    // Building it again gives the same bytes.
    std::fs::remove_file(&sidecar).unwrap();
    assert_eq!(open(&path).opened, Opened::Built);
    assert_eq!(std::fs::read(&sidecar).unwrap(), before);
    // Another database of the same name has another timeline.
    std::fs::remove_file(&path).unwrap();
    sqlite::write(
        &made::trace(shape(6, 61, false)),
        &path,
        &WriteOptions::default(),
    )
    .unwrap();
    assert_eq!(open(&path).opened, Opened::Built);
    assert_ne!(std::fs::read(&sidecar).unwrap(), before);
}

#[test]
fn keeps_foreign_files_next_to_the_database() {
    let (folder, path) = database(shape(5, 60, false));
    let sidecar = folder.path().join("weft.sqlite.timeline");
    std::fs::write(&sidecar, "my notes").unwrap();
    let trace = open(&path);
    assert_eq!(trace.opened, Opened::Temporary);
    assert!(trace.file.items() > 60);
    assert_eq!(std::fs::read(&sidecar).unwrap(), b"my notes");
    let place = trace.file.path().to_owned();
    assert!(place.exists());
    drop(trace);
    assert!(!place.exists());
}

#[test]
fn marks_every_bin_of_a_found_slice() {
    let (_folder, path) = database(shape(3, 9000, false));
    let trace = open(&path);
    let mut hits = Hits::new(trace.file.items());
    let task = trace.file.of_row(SliceKind::Task, 4321).unwrap().unwrap();
    hits.insert(task);
    let slice = trace.file.item(task).unwrap().unwrap();
    let mut levels = [0; 2];
    for level in 0..24 {
        let width = 1_u64 << level;
        let index = (slice.start / (1024 * width)) as u32;
        let key = TileKey {
            lane: slice.lane,
            level,
            index,
        };
        let marks = [(&hits, Flags::HIT)];
        match Tiles::default().tile(&trace.file, key, &marks).unwrap() {
            Tile::Exact(items) => {
                let hit: Vec<u32> = items
                    .iter()
                    .filter(|item| item.flags.has(Flags::HIT))
                    .map(|item| item.item)
                    .collect();
                assert_eq!(hit, [task]);
                levels[0] += 1;
            }
            Tile::Bins(bins) => {
                let bin = ((slice.start - key.from()) / width) as usize;
                assert!(bins.flags[bin] & 2 != 0, "level {level}");
                let marked = bins.flags.iter().filter(|flags| **flags & 2 != 0).count() as u64;
                assert!(marked <= (slice.end - slice.start) / width + 2);
                levels[1] += 1;
            }
        }
        let parent = trace.file.lanes()[slice.lane as usize].parent.unwrap();
        let key = TileKey {
            lane: parent,
            ..key
        };
        let Tile::Bins(bins) = Tiles::default().tile(&trace.file, key, &marks).unwrap() else {
            panic!("a group is stored as bins");
        };
        assert!(bins.flags.iter().any(|flags| flags & 2 != 0));
    }
    assert!(levels[0] > 0 && levels[1] > 0, "{levels:?}");
}

#[test]
fn memory_use_is_the_sum_of_its_instances() {
    let (_folder, path) = database(shape(9, 400, false));
    let trace = open(&path);
    let connection = Connection::open(&path).unwrap();
    let zero = trace.file.zero();
    let mut seen = 0;
    for (at, lane) in (0..).zip(trace.file.lanes()) {
        if lane.kind != LaneKind::Memory || lane.items == 0 {
            continue;
        }
        let levels = &trace.file.levels(at, 0, trace.file.end(), 300).unwrap()[0];
        let source = i64::from(lane.rank.unwrap()) + 1;
        let memory: i64 = lane.label.rsplit(' ').next().unwrap().parse().unwrap();
        let sql = "SELECT time, max(0, used) FROM (SELECT time, used, row_number() OVER (PARTITION BY time ORDER BY change DESC) AS last \
                   FROM weft_memory_over_time WHERE sourceId = ?1 AND memoryId = ?2) ORDER BY time, last DESC";
        let mut rows = connection.prepare(sql).unwrap();
        let samples: Vec<(i64, i64)> = rows
            .query_map([source, memory], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        // The last sample of each instant counts.
        let level = |until: i64| {
            let before = samples.iter().rev().find(|sample| sample.0 <= until);
            before.map_or(0, |sample| {
                samples.iter().rfind(|other| other.0 == sample.0).unwrap().1
            })
        };
        let bins = levels.times.len();
        for bin in 0..bins {
            let from = zero + levels.times[bin] as i64;
            let to = levels
                .times
                .get(bin + 1)
                .map_or(zero + trace.file.end() as i64, |to| zero + *to as i64);
            let inside: Vec<i64> = (from..to).map(level).collect();
            assert_eq!(
                levels.most[bin] as i64,
                *inside.iter().max().unwrap(),
                "bin {bin}"
            );
            assert_eq!(
                levels.least[bin] as i64,
                *inside.iter().min().unwrap(),
                "bin {bin}"
            );
        }
        seen += 1;
    }
    assert_eq!(seen, 6);
}
