//! Legends agree with tables: each line has the time and the share of `weft stats`.

use super::*;
use std::collections::BTreeMap;
use std::path::Path;
use weft_analysis::stats::{By, table};
use weft_model::table::Format;
use weft_nvtx_export::{ReadOptions, read};

/// The time in ns and the share in percent of each line or name of a legend or table.
pub(super) type Rows = BTreeMap<String, (f64, f64)>;

/// A picture of all lanes.
fn drawn(trace: &Trace, folder: &Path, look: &Look) -> Picture {
    let path = folder.join("weft.sqlite");
    sqlite::write(trace, &path, &WriteOptions::default()).unwrap();
    let timeline = Timeline::open(&path, &Progress::default()).unwrap();
    let site = Site::new(State::new(timeline, Options::default())).unwrap();
    draw(&site, look).unwrap()
}

/// ns of a text such as `3.10 ms`.
fn nanos(text: &str) -> f64 {
    let (value, unit) = text.split_once(' ').unwrap();
    let units = [("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
    let (_, scale) = units.into_iter().find(|(name, _)| *name == unit).unwrap();
    value.parse::<f64>().unwrap() * scale
}

/// The entries of the legend that have a cost, and that of all others together.
pub(super) fn legend(picture: &Picture) -> (Rows, Option<(f64, f64)>) {
    let (_, legend) = picture.svg.split_once("<g class=\"legend\">").unwrap();
    let (legend, _) = legend.split_once("</g>").unwrap();
    let (mut rows, mut others) = (Rows::new(), None);
    for entry in legend.split("<rect").skip(1) {
        let texts = entry.split("<text").skip(1);
        let texts = texts.map(|text| text.split_once('>').unwrap().1.split_once('<').unwrap().0);
        let texts: Vec<String> = texts
            .map(|text| {
                text.replace("&lt;", "<")
                    .replace("&gt;", ">")
                    .replace("&quot;", "\"")
                    .replace("&amp;", "&")
            })
            .collect();
        let figure = texts.last().unwrap();
        let figure = figure.split("; ").next().unwrap();
        let Some((time, share)) = figure.rsplit_once(", ") else {
            continue;
        };
        let share = share.trim_end_matches(" %");
        let share = match share.strip_prefix("< ") {
            // The middle of the range: `< 0.1` means 0 to 0.1.
            Some(most) => most.parse::<f64>().unwrap() / 2.0,
            None => share.parse().unwrap(),
        };
        let cost = (nanos(time.trim_start_matches('~')), share);
        match texts[0].contains(" other ") {
            true => others = Some(cost),
            false => assert!(
                rows.insert(texts[0].clone(), cost).is_none(),
                "{}",
                texts[0]
            ),
        }
    }
    (rows, others)
}

/// The rows of a table, by the name of the file and the line, or by the name of the kernel.
fn rows(trace: &Trace, by: By, column: &str) -> Rows {
    let mut text = Vec::new();
    table(trace, by).write(Format::Json, &mut text).unwrap();
    let table: Vec<Value> = serde_json::from_slice(&text).unwrap();
    let mut rows = Rows::new();
    for row in table {
        let name = row[column].as_str().unwrap();
        let name = match by {
            By::Line => name.rsplit(['/', '\\']).next().unwrap(),
            _ => name,
        };
        // Legends have room for no more.
        let name = match (by, name.chars().count() > 22) {
            (By::Line, true) => format!("{}…", name.chars().take(21).collect::<String>()),
            _ => name.to_owned(),
        };
        let sum = rows.entry(name).or_default();
        sum.0 += row["total_ns"].as_f64().unwrap();
        sum.1 += 100.0 * row["share"].as_f64().unwrap_or(0.0);
    }
    rows
}

/// Compares a legend with the table of the same trace.
fn agrees(name: &str, trace: &Trace, by: By, column: &str) {
    let folder = tempfile::tempdir().unwrap();
    let rows = rows(trace, by, column);
    let (entries, others) = legend(&drawn(trace, folder.path(), &look(3000, None, "")));
    assert!(!entries.is_empty(), "{name}");
    let mut named = 0.0;
    for (entry, (ns, share)) in &entries {
        // A long name is cut at its end.
        let mut same = rows
            .iter()
            .filter(|(row, _)| match entry.strip_suffix('…') {
                Some(begin) => row.starts_with(begin),
                None => *row == entry,
            });
        let (row, (total, of_all)) = same.next().unwrap_or_else(|| panic!("{name}: {entry}"));
        assert!(
            (ns - total).abs() <= 0.006 * total + 0.6,
            "{name}: {entry} {ns} and {row} {total}"
        );
        assert!(
            (share - of_all).abs() <= 0.0501,
            "{name}: {entry} {share} and {row} {of_all}"
        );
        named += of_all;
    }
    // Lines without an entry of their own are in the last.
    let without_line = rows.get("(no line)").map_or(0.0, |row| row.1);
    let rest = others.map_or(0.0, |others| others.1);
    let all: f64 = rows.values().map(|row| row.1).sum();
    assert!(
        (named + rest + without_line - all).abs() < 0.2,
        "{name}: {named} + {rest} + {without_line}, of {all}"
    );
    // No line that the legend leaves out cost more than all that it names.
    let largest = rows.iter().filter(|(row, _)| !row.starts_with('('));
    let (largest, _) = largest
        .max_by(|one, next| one.1.0.total_cmp(&next.1.0))
        .unwrap();
    let is_named = |entry: &String| {
        entry == largest
            || entry
                .strip_suffix('…')
                .is_some_and(|e| largest.starts_with(e))
    };
    assert!(
        entries.keys().any(is_named),
        "{name}: {largest} of {entries:?}"
    );
}

fn recordings(names: &[&str], by: By, column: &str) {
    for name in names {
        let folder = tempfile::tempdir().unwrap();
        if let Some(path) = recording(name, folder.path()) {
            agrees(
                name,
                &read(&[path], &ReadOptions::default()).unwrap(),
                by,
                column,
            );
        }
    }
}

#[test]
fn weft_legends_match_the_table() {
    for seed in [1, 5, 9] {
        let trace = made_trace(Shape {
            seed,
            ranks: 1,
            tasks: 200,
            zero: 5_000,
            broken: false,
        });
        agrees("made", &trace, By::Line, "line");
    }
    recordings(
        &[
            "gpu/stencil.prof.zst",
            "gpu/cg.prof.zst",
            "gpu/cggraph.prof.zst",
            "gpu/py.prof.zst",
        ],
        By::Line,
        "line",
    );
}

#[test]
fn legate_legends_match_the_table() {
    recordings(
        &[
            "legate/stencil.prof.zst",
            "legate/black_scholes.prof.zst",
            "legate/cg.prof.zst",
        ],
        By::Line,
        "line",
    );
}

#[test]
fn nsys_legends_match_the_kernel_table() {
    recordings(
        &[
            "nsys/nsys-ai_fsdp_2gpu.sqlite.zst",
            "nsys/nsys-ai_mock.sqlite.zst",
            "nsys/pipit_saxpy_mpi.sqlite.zst",
        ],
        By::Kernel,
        "kernel",
    );
}

#[test]
fn memories_show_their_fill_level() {
    let folder = tempfile::tempdir().unwrap();
    let Some(path) = recording("gpu/stencil.prof.zst", folder.path()) else {
        return;
    };
    let trace = read(&[path], &ReadOptions::default()).unwrap();
    let picture = drawn(&trace, folder.path(), &look(1200, None, "memor"));
    assert!(picture.svg.contains(" % of "), "{}", picture.svg);
    assert!(!picture.svg.contains("100.0 % of "));
}
