use super::*;
use crate::table::Column;

/// Builds a table like the costs by line: two texts, a count, times that may be left out, and a
/// share.
fn costs(rows: &[(&str, &str)]) -> Table {
    let columns = [
        ("line", Unit::None),
        ("operations", Unit::None),
        ("count", Unit::None),
        ("total", Unit::Nanos),
        ("mean", Unit::Nanos),
        ("std", Unit::Nanos),
        ("p99", Unit::Nanos),
        ("share", Unit::Share),
        ("estimated", Unit::Nanos),
    ];
    let columns = columns.map(|(name, unit)| Column { name, unit });
    let mut table = Table::new(&columns)
        .with_least_first(&["p99", "std", "mean", "share"])
        .with_marks(
            "estimated",
            &["std", "p99"],
            "estimated: divided among tasks",
        );
    for (line, operations) in rows {
        table.push(vec![
            Cell::Text((*line).to_owned()),
            Cell::Text((*operations).to_owned()),
            Cell::Integer(12),
            Cell::Integer(123_456_789),
            Cell::Real(10_288_065.8),
            Cell::Real(1_234.5),
            Cell::Integer(99_999_999),
            Cell::Real(0.5),
            Cell::Null,
        ]);
    }
    table
}

const DEEP: &str = "/home/someone/a/rather/deep/folder/of/a/large/project/src/solvers/conjugate";

fn deep() -> Table {
    let lines = [
        format!("{DEEP}/main.rs:47"),
        format!("{DEEP}/main.rs:48"),
        format!("{DEEP}/gradient.rs:5"),
    ];
    let rows: Vec<(&str, &str)> = (lines.iter())
        .map(|line| (line.as_str(), "add, divide, multiply, sqrt, subtract, sum"))
        .collect();
    costs(&rows)
}

fn widest(text: &str) -> usize {
    text.lines().map(UnicodeWidthStr::width).max().unwrap_or(0)
}

#[test]
fn table_fits_its_terminal() {
    for width in [80, 120, 200] {
        let shown = deep().show(Some(width));
        assert!(widest(&shown.text) <= width, "{}", shown.text);
        let rows: Vec<&str> = shown.text.lines().skip(2).collect();
        assert_eq!(rows.len(), 3);
        // The end of a path tells rows apart.
        for (row, end) in rows
            .iter()
            .zip(["main.rs:47", "main.rs:48", "gradient.rs:5"])
        {
            assert!(row.contains(&format!("/{end} ")), "{row}");
        }
    }
    let whole = deep().show(None);
    assert!(whole.left_out.is_empty() && whole.text.contains(DEEP));
}

#[test]
fn omits_and_names_the_least_important_columns() {
    let narrow = deep().show(Some(80));
    assert_eq!(narrow.left_out, ["p99", "std", "mean"]);
    assert!(narrow.text.contains("share") && !narrow.text.contains("mean"));
    let narrower = deep().show(Some(70));
    assert_eq!(narrower.left_out, ["p99", "std", "mean", "share"]);
    assert_eq!(deep().show(Some(120)).left_out, ["p99"]);
    assert!(deep().show(Some(160)).left_out.is_empty());
    // Selected columns stay.
    let mut asked = deep();
    asked.select(&["line", "p99", "std"]).unwrap();
    let asked = asked.show(Some(40));
    assert!(asked.left_out.is_empty());
    assert!(asked.text.contains("p99") && asked.text.contains("std"));
}

#[test]
fn wide_terminal_leaves_short_tables_unchanged() {
    let table = costs(&[("a.rs:1", "add")]);
    assert_eq!(table.show(Some(200)).text, table.show(None).text);
}

#[test]
fn truncates_texts_at_the_least_informative_end() {
    let path = "/home/someone/project/src/solver/main.rs:47";
    assert_eq!(start_cut(path, 30), "\u{2026}/src/solver/main.rs:47");
    assert_eq!(start_cut(path, 12), "\u{2026}/main.rs:47");
    assert_eq!(start_cut(path, 8), "\u{2026}n.rs:47");
    assert_eq!(start_cut("a.rs:1", 8), "a.rs:1");
    let kernel = "void at::native::elementwise<4, Add<float>>(int)";
    assert_eq!(middle_cut(kernel, 21), "void at::n\u{2026}oat>>(int)");
    assert_eq!(end_cut("add, divide, sum", 8), "add, di\u{2026}");
    // Two columns each.
    assert_eq!(end_cut("数数数数", 6), "数数\u{2026}");
}

#[test]
fn truncation_keeps_distinguishing_parts() {
    let texts = ["cupynumeric::UnaryOpTask", "cupynumeric::BinaryOpTask"].map(str::to_owned);
    assert_eq!(
        distinct(&texts, 13),
        ["\u{2026}UnaryOpTask", "\u{2026}BinaryOpTask"]
    );
    assert_eq!(distinct(&texts, 40), texts);
    let list = ["cupynumeric::BinaryOpTask, copy, fill".to_owned()];
    assert_eq!(distinct(&list, 20), ["\u{2026}BinaryOpTask, copy\u{2026}"]);
    let range = ["add examples/stencil/src/main.rs:50 +5".to_owned()];
    assert_eq!(
        distinct(&range, 33),
        ["add \u{2026}/stencil/src/main.rs:50 +5"]
    );
    assert_eq!(distinct(&range, 6), ["\u{2026}50 +5"]);
}

#[test]
fn does_not_explain_marks_of_omitted_columns() {
    let mut table = costs(&[("a.rs:1", "add")]);
    table.push(vec![
        Cell::Text("b.rs:2".to_owned()),
        Cell::Null,
        Cell::Integer(2),
        Cell::Integer(5_643_000),
        Cell::Real(2_821_500.0),
        Cell::Real(3.0),
        Cell::Integer(3_000_000),
        Cell::Real(0.25),
        // The total is measured; only single values are estimates.
        Cell::Integer(0),
    ]);
    assert!(table.show(None).text.contains("~ estimated"));
    let narrow = table.show(Some(70));
    assert!(
        narrow.left_out.contains(&"p99".to_owned()),
        "{:?}",
        narrow.left_out
    );
    assert!(!narrow.text.contains('~'), "{}", narrow.text);
}

#[test]
fn escapes_control_characters_in_column_names() {
    let columns = [Column {
        name: "a\u{1b}[31mb\nc",
        unit: Unit::None,
    }];
    let mut table = Table::new(&columns);
    table.push(vec![Cell::Integer(1)]);
    let shown = table.show(Some(80)).text;
    assert!(shown.starts_with("| a\\u{1b}[31mb\\nc |"), "{shown}");
    let lines: Vec<usize> = shown.lines().map(UnicodeWidthStr::width).collect();
    assert!(lines.iter().all(|width| *width == lines[0]), "{shown}");
}

#[test]
fn truncated_rows_stay_distinct_if_either_end_differs() {
    let middle = "one/and/the/same/long/folder/of/both/src/main.rs:47";
    let texts = [format!("/first/{middle}"), format!("/second/{middle}")];
    let shown = distinct(&texts, 30);
    assert_ne!(shown[0], shown[1]);
    assert!(shown.iter().all(|text| text.width() <= 30), "{shown:?}");
    // Equal texts stay equal.
    let texts = [texts[0].clone(), texts[0].clone()];
    let shown = distinct(&texts, 30);
    assert_eq!(shown[0], shown[1]);
    assert!(shown[0].starts_with("\u{2026}/"), "{shown:?}");
}

#[test]
fn marks_estimates_and_explains_them_once() {
    let mut table = costs(&[("a.rs:1", "add"), ("b.rs:2", "mul")]);
    assert_eq!(table.show(None).text.matches('~').count(), 0);
    assert!(!table.show(None).text.contains("estimated"));
    table.push(vec![
        Cell::Text("c.rs:3".to_owned()),
        Cell::Null,
        Cell::Integer(2),
        Cell::Integer(5_643_000),
        Cell::Real(5_643_000.0),
        Cell::Null,
        Cell::Integer(5_643_000),
        Cell::Real(0.25),
        Cell::Integer(5_643_000),
    ]);
    let text = table.show(None).text;
    let marked = "| c.rs:3 |            |     2 |   ~ 5.643 ms |  ~ 5.643 ms |          |  ~ 5.643 ms | ~ 25.0 % |";
    let row = text.lines().find(|line| line.contains("c.rs:3")).unwrap();
    assert_eq!(
        row.split_whitespace().collect::<String>(),
        marked.split_whitespace().collect::<String>()
    );
    assert_eq!(
        text.lines().last(),
        Some("~ estimated: divided among tasks")
    );
    // If the total is known, only single values are marked.
    let mut known = table.clone();
    known.push(vec![
        Cell::Text("d.rs:4".to_owned()),
        Cell::Null,
        Cell::Integer(2),
        Cell::Integer(100),
        Cell::Real(50.0),
        Cell::Real(1.0),
        Cell::Integer(51),
        Cell::Real(0.1),
        Cell::Integer(0),
    ]);
    let text = known.show(None).text;
    let row = text.lines().find(|line| line.contains("d.rs:4")).unwrap();
    let words: Vec<&str> = row.split('|').map(str::trim).collect();
    assert_eq!(
        words[4..9],
        ["100 ns", "50 ns", "~ 1 ns", "~ 51 ns", "10.0 %"]
    );
    // Programs get the column unless they select others; marks stay.
    assert!(table.names().contains(&"estimated_ns".to_owned()));
    table.select(&["total", "line"]).unwrap();
    assert_eq!(table.names(), ["total_ns", "line"]);
    let csv = table.render(crate::table::Format::Csv);
    assert_eq!(csv.lines().last(), Some("5643000,c.rs:3"));
    assert!(table.show(None).text.contains("~ 5.643 ms"));
    assert_eq!(table.select(&["total", "cost"]), Err("cost"));
}

#[test]
fn escapes_control_sequences_in_cells() {
    let text = costs(&[("a\u{1b}[2J\n.rs:1", "add\u{202e}")])
        .show(None)
        .text;
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    assert!(text.contains("a\\u{1b}[2J\\n.rs:1"), "{text}");
    assert_eq!(text.lines().count(), 3);
}

#[test]
fn formats_numbers_with_units() {
    assert_eq!(human(&Cell::Integer(999), Unit::Nanos), "999 ns");
    assert_eq!(human(&Cell::Integer(1_234_567), Unit::Nanos), "1.235 ms");
    assert_eq!(human(&Cell::Integer(3 << 20), Unit::Bytes), "3.000 MiB");
    assert_eq!(human(&Cell::Real(0.391), Unit::Share), "39.1 %");
}
