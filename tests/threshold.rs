//! The example `threshold`: the costs by line distinguish its two variants.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]

use crate::support;

use support::example::{Run, export, number};
use support::weft;

/// Elements: many chunks of 4096, the last of them not whole.
const SIZE: i64 = 200_000;
const CHUNKS: i64 = SIZE / 4096 + 1;

/// The costs of one variant of the example in a profile.
struct Costs {
    /// Tasks by line, with the line's text.
    lines: Vec<(i64, String)>,
    kernels: i64,
}

impl Costs {
    fn of(way: &str, flags: &str) -> Costs {
        let run = Run::of("threshold", flags, &[way, "-n", &SIZE.to_string()]);
        let mut stats = weft();
        stats.args(["stats", "--by", "line", "--format", "json"]);
        let out = stats.arg(run.prof()).assert().success();
        let rows: Vec<serde_json::Map<String, serde_json::Value>> =
            serde_json::from_slice(&out.get_output().stdout).unwrap();
        let source: Vec<&str> = include_str!("../examples/threshold/src/main.rs")
            .lines()
            .collect();
        let lines = rows.iter().map(|row| {
            let place = row["line"].as_str().unwrap();
            let (file, line) = place.rsplit_once(':').unwrap();
            assert!(file.ends_with("threshold/src/main.rs"), "{place}");
            let line: usize = line.parse().unwrap();
            (row["count"].as_i64().unwrap(), source[line - 1].to_owned())
        });
        let lines = lines.collect();
        let database = export(&[&run.prof()], run.folder());
        let kernels = number(&database, "SELECT count(*) FROM WEFT_KERNEL");
        Costs { lines, kernels }
    }

    /// Returns the number of tasks of the line that contains `text`.
    fn tasks(&self, text: &str) -> i64 {
        let found = self.lines.iter().find(|(_, line)| line.contains(text));
        found
            .unwrap_or_else(|| panic!("no task of {text} in {:#?}", self.lines))
            .0
    }

    /// Returns the maximum number of tasks of a line.
    fn most(&self) -> i64 {
        self.lines.iter().map(|(tasks, _)| *tasks).max().unwrap()
    }
}

#[test]
fn line_costs_explain_the_slow_variant() {
    for flags in ["--cpus 2", "--cpus 2 --max-inline-chunk 0"] {
        let inefficient = Costs::of("inefficient", flags);
        let efficient = Costs::of("efficient", flags);

        // Each chunk is compared once, and each update takes several additional tasks.
        assert_eq!(inefficient.tasks("part.greater(1.0)"), CHUNKS, "{flags}");
        for update in ["+ 2.0", "- 2.0"] {
            assert!(inefficient.tasks(update) >= 3 * CHUNKS, "{flags}");
        }
        assert!(inefficient.kernels >= 6 * CHUNKS, "{flags}");

        // The same updates, as a few tasks of whole arrays; at most eight tiles for each worker.
        for update in ["z + 2.0", "z - 2.0"] {
            assert!(efficient.tasks(update) <= 3 * 16, "{flags}");
        }
        assert!(
            efficient.most() <= 3 * 16,
            "{flags}: {:#?}",
            efficient.lines
        );
        assert!(efficient.kernels < inefficient.kernels / 2, "{flags}");
    }
}
