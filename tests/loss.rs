//! Missing records: each loss is counted, and reported where it matters.
#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a failed helper fails its test"
)]

use crate::support;

use std::collections::BTreeMap;
use std::fs;

use rusqlite::Connection;
use support::example::{
    FUSED, ONE_BY_ONE, Run, WAYS, export, export_incomplete, export_with, fact, loss, number,
};
use support::rewrite::rewrite;
use weft_trace::file::{Prof, WriterOptions};
use weft_trace::record::Record;

/// The number of kernels for each reason, once linked + unmatched = kernels is seen to hold.
fn reasons(database: &Connection) -> BTreeMap<String, i64> {
    let kernels = number(database, "SELECT count(*) FROM WEFT_KERNEL");
    let linked = number(
        database,
        "SELECT count(DISTINCT kernelId) FROM WEFT_KERNEL_TASK",
    );
    let unmatched = number(database, "SELECT count(*) FROM WEFT_UNMATCHED");
    assert_eq!(linked + unmatched, kernels);
    let both = "SELECT count(*) FROM WEFT_UNMATCHED JOIN WEFT_KERNEL_TASK USING (kernelId)";
    assert_eq!(number(database, both), 0, "a link or a reason, not both");
    assert_eq!(fact(database, "kernels_linked"), linked.to_string());
    assert_eq!(fact(database, "kernels_unmatched"), unmatched.to_string());
    let question = "SELECT reason, count(*) FROM WEFT_UNMATCHED GROUP BY reason";
    let mut statement = database.prepare(question).expect("reasons");
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let rows: Result<_, _> = rows.expect("rows").collect();
    rows.expect("reasons and counts")
}

/// Runs a program whose records exceed 1 MiB. It has one worker, so that one by one it is the same
/// each time.
fn long_run(flags: &str) -> Run {
    let flags = format!("--cpus 1 --min-cpu-chunk 256 {flags}");
    Run::of("stencil", &flags, &["-n", "30", "-i", "2000"])
}

#[test]
fn drops_and_counts_records_beyond_the_limit() {
    for way in WAYS {
        check_dropped_counts(way);
    }
}

fn check_dropped_counts(way: &str) {
    // The program checks its own result, also in this run.
    let run = long_run(&format!("{way} --profile-limit 1"));
    let size = fs::metadata(run.prof()).expect("the profile").len();
    assert!(size <= 1 << 20, "{size}");
    let trace = run.trace();
    let database = export_incomplete(&[&run.prof()], run.folder());
    let written = trace.records as i64;
    let produced = trace.losses.produced as i64;
    if way == ONE_BY_ONE {
        // The counter that does not depend on the run that drops records: the number of records in
        // the file of a run without a limit.
        let whole = long_run(way).trace();
        assert_eq!(whole.losses.dropped.total(), 0);
        // How often the program waits for room differs from run to run.
        let whole = whole.records as i64;
        assert!(
            (whole - produced).abs() <= whole / 1000,
            "{produced} of {whole}"
        );
    }
    assert!(0 < written && written < produced, "{written} of {produced}");
    assert_eq!(loss(&database, "records_produced"), produced);
    assert_eq!(loss(&database, "records_written"), written);
    assert_eq!(loss(&database, "records_dropped"), produced - written);
    assert_eq!(loss(&database, "records_dropped_limit"), produced - written);
    assert_eq!(loss(&database, "records_in_flight"), 0);
    assert_eq!(
        loss(&database, "truncated") + loss(&database, "unfinished"),
        0
    );

    let kernels = number(&database, "SELECT count(*) FROM WEFT_KERNEL");
    assert_eq!(kernels, trace.kernels.len() as i64);
    let reasons = reasons(&database);
    assert!(
        reasons.keys().all(|reason| reason == "lost_records"),
        "{reasons:?}"
    );
}

#[test]
fn kernel_without_launch_record_is_reported() {
    for way in WAYS {
        check_missing_launch(way);
    }
}

fn check_missing_launch(way: &str) {
    let flags = format!("{way} --cpus 2 --min-cpu-chunk 256");
    let run = Run::of("stencil", &flags, &["-n", "64", "-i", "6"]);
    let prof = Prof::open(&run.prof()).expect("the profile");
    let copy = run.folder().join("copy.prof");
    let mut removed = Vec::new();
    rewrite(&prof, &copy, WriterOptions::default(), |mut records| {
        // The one in the middle; if launches serve several tasks, the middle one of those.
        let is_one = |record: &Record<'_>| match record {
            Record::Launch(launch) => way == ONE_BY_ONE || launch.shares.iter().count() > 1,
            _ => false,
        };
        let places: Vec<usize> = (0..records.len())
            .filter(|at| is_one(&records[*at]))
            .collect();
        if let Record::Launch(launch) = records.remove(places[places.len() / 2]) {
            removed.extend(launch.shares.iter().map(|(task, _)| task.raw() as i64));
            if removed.is_empty() {
                removed.push(launch.uid.raw() as i64);
            }
        }
        records
    });
    removed.sort_unstable();

    let database = export(&[&run.prof()], run.folder());
    assert_eq!(reasons(&database), BTreeMap::new());
    let database = export(&[&copy], run.folder());
    // Nothing is known to be missing from the copy, so the UID is simply unknown.
    assert_eq!(
        reasons(&database),
        BTreeMap::from([("unknown_uid".to_owned(), 1)])
    );
    let kernels = number(&database, "SELECT count(*) FROM WEFT_KERNEL");
    assert_eq!(kernels, run.trace().kernels.len() as i64);
    // It is the kernel of that launch: the tasks that it served are the only ones without a kernel.
    let without = "SELECT uid FROM WEFT_TASK WHERE uid NOT IN (SELECT taskUid FROM WEFT_KERNEL_TASK) ORDER BY uid";
    let mut statement = database.prepare(without).expect("tasks");
    let rows = statement.query_map([], |row| row.get(0)).expect("rows");
    let found: Vec<i64> = rows.map(|row| row.expect("a row")).collect();
    assert_eq!(found, removed);
    let during = "SELECT count(*) FROM WEFT_UNMATCHED JOIN WEFT_KERNEL k ON k.id = kernelId \
                  JOIN WEFT_TASK t ON t.processorId = k.processorId AND t.start <= k.start AND k.end <= t.end \
                  WHERE t.uid NOT IN (SELECT taskUid FROM WEFT_KERNEL_TASK)";
    assert_eq!(number(&database, during), removed.len() as i64);
}

#[test]
fn kernels_of_dropped_launches_count_as_lost_records() {
    for way in [ONE_BY_ONE, FUSED] {
        check_missing_launches(way);
    }
}

fn check_missing_launches(way: &str) {
    let flags = format!("{way} --cpus 2 --min-cpu-chunk 256");
    let run = Run::of("stencil", &flags, &["-n", "64", "-i", "60"]);
    let prof = Prof::open(&run.prof()).expect("the profile");
    let copy = run.folder().join("copy.prof");
    let mut options = WriterOptions::default();
    (options.lanes, options.block_size) = (1, 4096);

    // How much room all but the launches take; then a file with two blocks more, to which the
    // launches come last.
    let split = |records: Vec<_>| {
        let launch = |record: &Record<'_>| matches!(record, Record::Launch(_));
        records.into_iter().partition::<Vec<_>, _>(launch)
    };
    rewrite(&prof, &copy, options.clone(), |records| split(records).1);
    options.limit = fs::metadata(&copy).expect("the copy").len() + 2 * 4096;
    let counters = rewrite(&prof, &copy, options, |records| {
        let (launches, mut others) = split(records);
        others.extend(launches);
        others
    });
    assert_eq!(counters.produced, counters.written + counters.dropped);
    let launches = run.trace().launches.len() as u64;
    assert!(0 < counters.dropped && counters.dropped < launches);

    let dropped = counters.dropped as i64;
    let database = export_incomplete(&[&copy], run.folder());
    assert_eq!(loss(&database, "records_dropped"), dropped);
    assert_eq!(
        reasons(&database),
        BTreeMap::from([("lost_records".to_owned(), dropped)])
    );
}

#[test]
fn no_kernel_disappears_despite_missing_records() {
    for way in WAYS {
        check_random_losses(way);
    }
}

fn check_random_losses(way: &str) {
    let flags = format!("{way} --cpus 2 --min-cpu-chunk 8");
    let run = Run::of("cg", &flags, &["-n", "8", "-m", "25"]);
    let prof = Prof::open(&run.prof()).expect("the profile");
    let copy = run.folder().join("copy.prof");
    for step in [2, 3, 5, 7, 11] {
        let mut kernels = 0;
        rewrite(&prof, &copy, WriterOptions::default(), |records| {
            let records = records.into_iter().enumerate();
            let kept: Vec<_> = records
                .filter(|(at, _)| at % step != 0)
                .map(|(_, record)| record)
                .collect();
            let kernel =
                |record: &&Record<'_>| matches!(record, Record::Kernel(_) | Record::Immediate(_));
            kernels = kept.iter().filter(kernel).count() as i64;
            kept
        });
        // Whether the reader can detect it depends on the missing record.
        let database = export_with(&[0, 3], &[&copy], run.folder());
        let found = number(&database, "SELECT count(*) FROM WEFT_KERNEL");
        assert_eq!(found, kernels, "every {step}th record is missing");
        let reasons = reasons(&database).values().sum::<i64>();
        assert!(reasons > 0, "every {step}th record is missing");
    }
}

#[test]
fn tasks_of_lost_operations_are_named_by_their_kernels() {
    let flags = format!("{ONE_BY_ONE} --cpus 2 --min-cpu-chunk 256 --max-inline-chunk 0");
    let run = Run::of("stencil", &flags, &["-n", "128", "-i", "6"]);
    let prof = Prof::open(&run.prof()).expect("the profile");
    let copy = run.folder().join("copy.prof");
    let mut removed = 0;
    rewrite(&prof, &copy, WriterOptions::default(), |records| {
        let kept = records.into_iter().filter(|record| {
            let is_lost = matches!(record, Record::Operation(_)) && {
                removed += 1;
                removed > 20
            };
            !is_lost
        });
        kept.collect()
    });
    for by in ["line", "operation"] {
        let output = support::weft()
            .args(["stats", "--by", by, "--format", "csv"])
            .arg(&copy)
            .output()
            .expect("weft starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            said.contains("tasks have no name and no line")
                && said.contains(" % of the time of tasks"),
            "{said}"
        );
        let table = String::from_utf8_lossy(&output.stdout).into_owned();
        let names = match by {
            "line" => "(no line),\"add_f64, ",
            _ => "(unknown),",
        };
        assert!(
            table.lines().any(|row| row.starts_with(names)),
            "--by {by}: {table}"
        );
    }
}
