//! The time to build, reopen and read a timeline of ten million slices on 64 lanes.
//!
//! `cargo bench -p weft-view` prints one table. WEFT_BENCH_SLICES sets another number of slices.
//! WEFT_BENCH_FOLDER is the folder for the database (1.6 GB, and as much again for the timeline's
//! file; it is removed at the end). WEFT_BENCH_DATABASE names a database to keep: it is made if
//! missing, otherwise only its timeline is built again.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a benchmark fails by panicking, and prints its measurements"
)]

use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use weft_model::Trace;
use weft_nvtx_export::Progress;
use weft_output::sqlite::{self, WriteOptions};
use weft_timeline::Timeline;
use weft_view::{Method, Options, Request, Site, State, respond};

const LANES: u64 = 64;

/// Numbers that look random (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}

/// Makes a database of this number of slices on 64 processors: 40 names on 200 lines, each task
/// with two predecessors.
fn make(path: &Path, slices: u64) {
    sqlite::write(&Trace::default(), path, &WriteOptions::default()).unwrap();
    let connection = Connection::open(path).unwrap();
    let sql = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;
        DROP INDEX weft_task_uid; DROP INDEX weft_task_operation; DROP INDEX weft_dependency_to;
        INSERT INTO WEFT_SOURCE (id, path, kind, run, rank) VALUES (1, 'weft_0.prof', 'weft-prof', 'run', 0);";
    connection.execute_batch(sql).unwrap();
    for lane in 0..LANES {
        let sql = "INSERT INTO WEFT_PROCESSOR (sourceId, id, kind, name) VALUES (1, ?1, 'CPU', 'CPU ' || ?1)";
        connection.execute(sql, [lane as i64]).unwrap();
    }
    for line in 1..=200 {
        let sql = "INSERT INTO WEFT_PROVENANCE (id, file, line) VALUES (?1, 'main.py', ?1)";
        connection.execute(sql, [line]).unwrap();
    }
    let names: Vec<String> = (0..40).map(|name| format!("operation_{name}")).collect();
    let mut random = Random(1);
    let mut clock = [0_i64; LANES as usize];
    {
        let task = "INSERT INTO WEFT_TASK (sourceId, uid, opUid, point, rank, name, variant, processorId, created, ready, start, end, provenanceId) \
                    VALUES (1, ?1, ?2, 0, 0, ?3, 'CPU', ?4, ?5, ?6, ?7, ?8, ?9)";
        let edge = "INSERT INTO WEFT_DEPENDENCY (sourceId, fromUid, toUid, kind) VALUES (1, ?1, ?2, 'read_after_write')";
        let mut task = connection.prepare(task).unwrap();
        let mut edge = connection.prepare(edge).unwrap();
        for uid in 1..=slices as i64 {
            let lane = random.below(LANES) as usize;
            // Bursts, and now and then a long one.
            let gap = if random.below(1000) == 0 {
                2_000_000
            } else {
                random.below(3_000) as i64
            };
            let length = if random.below(5000) == 0 {
                900_000
            } else {
                500 + random.below(9_000) as i64
            };
            let start = clock[lane] + gap;
            clock[lane] = start + length;
            let ready = start - random.below(2_000) as i64;
            let created = ready - random.below(20_000) as i64;
            let name = names[random.below(40) as usize].as_str();
            let line = 1 + random.below(200) as i64;
            task.execute((
                uid,
                uid,
                name,
                lane as i64,
                created,
                ready,
                start,
                start + length,
                line,
            ))
            .unwrap();
            // As in real runs, most predecessors were created shortly before.
            for back in [1 + random.below(50) as i64, 64] {
                if uid > back {
                    edge.execute((uid - back, uid)).unwrap();
                }
            }
        }
    }
    let sql = "CREATE INDEX weft_task_uid ON WEFT_TASK (uid, sourceId);
        CREATE INDEX weft_task_operation ON WEFT_TASK (opUid);
        CREATE INDEX weft_dependency_to ON WEFT_DEPENDENCY (toUid); COMMIT;";
    connection.execute_batch(sql).unwrap();
}

/// Returns the memory of this process: the maximum so far (VmHWM) or the current value (VmRSS), in
/// MB. Excludes the page cache.
fn memory(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(field));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number
        .and_then(|number| number.parse::<u64>().ok())
        .unwrap_or(0)
        / 1024
}

/// Returns the processor time of this process, of all its threads.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name in brackets, which may contain spaces: ticks of 10 ms by the program and by
    // the system.
    let fields = stat.rsplit(')').next().unwrap_or_default();
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|ticks| ticks.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * ticks)
}

fn ask(site: &Site, method: Method, target: &str, body: &str) -> (Duration, Vec<u8>) {
    let request = Request {
        method,
        target: target.to_owned(),
        host: Some("127.0.0.1:1".to_owned()),
        token: Some(site.token().to_owned()),
        origin: None,
        body: body.as_bytes().to_vec(),
    };
    let began = Instant::now();
    let response = respond(site, &request);
    let took = began.elapsed();
    assert_eq!(
        response.status,
        200,
        "{target}: {}",
        String::from_utf8_lossy(&response.body)
    );
    (took, response.body)
}

fn quantile(times: &mut [Duration], share: f64) -> Duration {
    times.sort_unstable();
    times[((times.len() - 1) as f64 * share).round() as usize]
}

fn report(what: &str, took: Duration, limit: &str) {
    println!(
        "{what:<46} {:>9.1} ms   limit {limit}",
        took.as_secs_f64() * 1e3
    );
}

fn main() {
    let slices = std::env::var("WEFT_BENCH_SLICES")
        .ok()
        .and_then(|text| text.parse().ok());
    // As a test it runs once, on little data.
    let is_test = std::env::args().any(|argument| argument == "--test");
    let slices = slices.unwrap_or(if is_test { 20_000 } else { 10_000_000 });
    let folder = match std::env::var_os("WEFT_BENCH_FOLDER") {
        Some(folder) => tempfile::tempdir_in(folder).unwrap(),
        None => tempfile::tempdir().unwrap(),
    };
    let kept = std::env::var_os("WEFT_BENCH_DATABASE").map(PathBuf::from);
    let path = kept.unwrap_or_else(|| folder.path().join("weft.sqlite"));
    if !path.exists() {
        make(&path, slices);
    }
    let timeline = PathBuf::from(format!("{}.timeline", path.display()));
    if timeline.exists() {
        std::fs::remove_file(&timeline).unwrap();
    }
    let (began, used) = (Instant::now(), processor_time());
    drop(Timeline::open(&path, &Progress::default()).unwrap());
    report("built from SQLite", began.elapsed(), "15 s");
    report(
        "processor time for that, of all threads",
        processor_time() - used,
        "",
    );
    println!(
        "{:<46} {:>9} MB   limit 500 MB",
        "memory while it was built, at most",
        memory("VmHWM")
    );
    let bytes = std::fs::metadata(&timeline).unwrap().len();
    println!("{:<46} {:>9} MB", "the file", bytes >> 20);
    let began = Instant::now();
    let trace = Timeline::open(&path, &Progress::default()).unwrap();
    report("opened again", began.elapsed(), "1 s");
    let end = trace.file.end();
    let items = trace.file.items();
    let lanes = trace.file.lanes().len() as u32;
    let site = Site::new(State::new(trace, Options::default())).unwrap();
    let mut random = Random(2);
    let mut top = 0;
    while 1024_u64 << top < end {
        top += 1;
    }
    let mut all = Vec::new();
    for level in (0..=top).rev() {
        let mut times = Vec::new();
        for _ in 0..20 {
            let span = 1024_u64 << level;
            let index = random.below(end / span + 1);
            let tiles: Vec<String> = (0..lanes)
                .flat_map(|lane| {
                    [index, index + 1].map(|index| {
                        format!("{{\"lane\":{lane},\"level\":{level},\"index\":{index}}}")
                    })
                })
                .collect();
            let body = format!("{{\"seq\":1,\"tiles\":[{}]}}", tiles.join(","));
            times.push(ask(&site, Method::Post, "/api/tiles", &body).0);
        }
        all.extend_from_slice(&times);
        if level % 4 == 0 || level == top {
            report(
                &format!("tiles of level {level}, two of each lane, median"),
                quantile(&mut times, 0.5),
                "",
            );
        }
    }
    report(
        "tiles of all levels, 99th percentile",
        quantile(&mut all, 0.99),
        "50 ms",
    );
    for (what, query) in [
        ("a word", "operation_7"),
        ("two words", "operation_7%20main.py:12"),
        ("a UID", "4711"),
    ] {
        let (took, _) = ask(
            &site,
            Method::Get,
            &format!("/api/search?q={query}&limit=200"),
            "",
        );
        report(&format!("search for {what}"), took, "200 ms");
    }
    let body = format!(
        "{{\"seq\":1,\"highlight\":7,\"search\":\"operation_7\",\"tiles\":[{{\"lane\":0,\"level\":{top},\"index\":0}}]}}"
    );
    report(
        "a line lit up in the whole view",
        ask(&site, Method::Post, "/api/tiles", &body).0,
        "",
    );
    let mut clicks: Vec<Duration> = (0..200)
        .map(|_| {
            let item = random.below(items.into());
            ask(&site, Method::Get, &format!("/api/item?id={item}"), "").0
        })
        .collect();
    report("a click, median", quantile(&mut clicks, 0.5), "100 ms");
    report(
        "a click, 99th percentile",
        quantile(&mut clicks, 0.99),
        "100 ms",
    );
    println!(
        "{:<46} {:>9} MB   limit 300 MB",
        "memory now",
        memory("VmRSS")
    );
    if items > 0 && !is_test {
        let used = processor_time();
        report(
            "what each line cost, once",
            ask(&site, Method::Get, "/api/source?file=0", "").0,
            "",
        );
        report(
            "processor time for that, of all threads",
            processor_time() - used,
            "",
        );
        println!("{:<46} {:>9} MB", "memory now", memory("VmRSS"));
    }
}
