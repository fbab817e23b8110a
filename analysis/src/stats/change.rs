//! The test whether costs have grown, from several runs of each side.
//!
//! The means of both sides are compared for each row. The uncertainty is half the width of the 95 %
//! confidence interval of the change by Welch's method (B. L. Welch, Biometrika 34, 1947), which
//! allows a different scatter on each side. If one side has one run, its scatter is assumed to be
//! that of the other. With one run on each side, the scatter is unknown.

use super::By;
use super::diff::Layout;
use rustc_hash::FxHashMap;
use weft_model::table::{Cell, Column, Table, Unit};

/// The limit of growth.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The largest growth that is accepted, relative to the earlier cost.
    pub growth: f64,
    /// The least share of the total of both sides. Rows below it are not judged.
    pub least_share: f64,
}

/// The rows of several runs of two sides.
#[derive(Debug)]
pub struct Changes {
    /// A row for the total, and one for each row of the tables, with the greatest growth first.
    pub table: Table,
    /// The keys of rows that have grown beyond the limit, with their growth. They may include the
    /// total.
    pub grown: Vec<(String, f64)>,
    /// The number of rows whose means have grown beyond the limit, but not beyond the uncertainty.
    pub uncertain: usize,
    /// The number of rows of a judged size that only the second side has.
    pub new: usize,
    /// The relative decrease of the total, if beyond both the limit and the uncertainty.
    pub fallen: Option<f64>,
}

/// The name of the row with the sum of all others.
const TOTAL: &str = "(total)";

/// Compares the costs of several runs of each side. Each run has one table.
pub fn changes(before: &[Table], after: &[Table], by: By, limit: Limit) -> Changes {
    let first = before
        .iter()
        .chain(after)
        .find(|table| !table.rows().is_empty());
    let first = first.or(before.first());
    let mut rows: Vec<Row> = vec![Row::new(Vec::new())];
    let mut known: FxHashMap<Vec<String>, usize> = FxHashMap::default();
    for (side, tables) in [before, after].into_iter().enumerate() {
        for (run, table) in tables.iter().enumerate() {
            let layout = Layout::new(table, by);
            for cells in table.rows() {
                let total = layout.total_of(cells) as f64;
                let row = *known.entry(layout.key(cells)).or_insert_with(|| {
                    rows.push(Row::new(layout.labels(cells)));
                    rows.len() - 1
                });
                for at in [0, row] {
                    if let Some(row) = rows.get_mut(at) {
                        row.add(side, run, total);
                    }
                }
            }
        }
    }
    let runs = [before.len(), after.len()];
    let (labels, unit) = match first {
        Some(table) => (
            Layout::new(table, by).described(table),
            Layout::new(table, by).unit(table),
        ),
        None => (Vec::new(), Unit::None),
    };
    let whole = rows.first().map_or(0.0, |total| {
        total.means(runs).into_iter().fold(0.0, f64::max)
    });
    let mut judged: Vec<(Row, Judged)> = rows
        .into_iter()
        .map(|row| {
            let judged = row.judge(runs, limit, whole);
            (row, judged)
        })
        .collect();
    // The total stays first.
    if let Some((_, rest)) = judged.split_first_mut() {
        rest.sort_by(|(_, a), (_, b)| {
            let rank = |judged: &Judged| judged.verdict.rank();
            let change = |judged: &Judged| judged.means[1] - judged.means[0];
            rank(a).cmp(&rank(b)).then(change(b).total_cmp(&change(a)))
        });
    }
    let mut columns = labels;
    columns.extend(["before", "after"].map(|name| Column { name, unit }));
    columns.extend(["change", "uncertainty"].map(|name| Column {
        name,
        unit: Unit::Share,
    }));
    columns.push(Column {
        name: "verdict",
        unit: Unit::None,
    });
    let mut made = Changes {
        table: Table::new(&columns),
        grown: Vec::new(),
        uncertain: 0,
        new: 0,
        fallen: judged.first().and_then(|(_, total)| total.fallen(limit)),
    };
    let wide = columns.len() - 5;
    for (row, judged) in judged {
        match judged.verdict {
            Verdict::Grown => made.grown.push((row.name(), judged.change.unwrap_or(0.0))),
            Verdict::Uncertain => made.uncertain += 1,
            Verdict::New => made.new += 1,
            Verdict::None => {}
        }
        made.table.push(row.cells(wide, &judged));
    }
    made
}

/// The judgement of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Grown,
    Uncertain,
    New,
    None,
}

impl Verdict {
    fn rank(self) -> u8 {
        self as u8
    }

    fn name(self) -> &'static str {
        match self {
            Verdict::Grown => "grown",
            Verdict::Uncertain => "uncertain",
            Verdict::New => "new",
            Verdict::None => "",
        }
    }
}

struct Judged {
    means: [f64; 2],
    change: Option<f64>,
    uncertainty: Option<f64>,
    verdict: Verdict,
}

impl Judged {
    fn fallen(&self, limit: Limit) -> Option<f64> {
        let fallen = -self.change?;
        (fallen - self.uncertainty.unwrap_or(0.0) > limit.growth).then_some(fallen)
    }
}

/// The totals of one key in all runs. A run without the key has a cost of 0.
struct Row {
    labels: Vec<Cell>,
    sides: [FxHashMap<usize, f64>; 2],
}

impl Row {
    fn new(labels: Vec<Cell>) -> Row {
        Row {
            labels,
            sides: Default::default(),
        }
    }

    fn add(&mut self, side: usize, run: usize, total: f64) {
        if let Some(side) = self.sides.get_mut(side) {
            *side.entry(run).or_default() += total;
        }
    }

    fn name(&self) -> String {
        match self.labels.first() {
            Some(Cell::Text(text)) => text.clone(),
            _ => TOTAL.to_owned(),
        }
    }

    fn means(&self, runs: [usize; 2]) -> [f64; 2] {
        [0, 1].map(|side| self.sides[side].values().sum::<f64>() / runs[side].max(1) as f64)
    }

    fn judge(&self, runs: [usize; 2], limit: Limit, whole: f64) -> Judged {
        let means = self.means(runs);
        let is_judged = means.into_iter().fold(0.0, f64::max) >= limit.least_share * whole;
        let change = (means[0] > 0.0).then(|| means[1] / means[0] - 1.0);
        let uncertainty = self.half_width(means, runs);
        let uncertainty = uncertainty
            .filter(|_| means[0] > 0.0)
            .map(|width| width / means[0]);
        let verdict = match change {
            _ if !is_judged => Verdict::None,
            None if means[1] > 0.0 => Verdict::New,
            Some(change) if change > limit.growth => {
                match change - uncertainty.unwrap_or(0.0) > limit.growth {
                    true => Verdict::Grown,
                    false => Verdict::Uncertain,
                }
            }
            _ => Verdict::None,
        };
        Judged {
            means,
            change,
            uncertainty,
            verdict,
        }
    }

    /// Returns half the width of the confidence interval of the difference of the means.
    fn half_width(&self, means: [f64; 2], runs: [usize; 2]) -> Option<f64> {
        let variance = |side: usize| {
            let count = runs[side];
            let known: f64 = self.sides[side]
                .values()
                .map(|value| (value - means[side]).powi(2))
                .sum();
            let missing = count.saturating_sub(self.sides[side].len()) as f64;
            (count > 1).then(|| (known + missing * means[side].powi(2)) / (count - 1) as f64)
        };
        let [first, second] = match [variance(0), variance(1)] {
            [None, None] => return None,
            [first, second] => [first.or(second)?, second.or(first)?],
        };
        let [a, b] = [first / runs[0] as f64, second / runs[1] as f64];
        let part = |square: f64, count: usize| match count {
            0 | 1 => 0.0,
            _ => square * square / (count - 1) as f64,
        };
        let below = part(a, runs[0]) + part(b, runs[1]);
        let freedom = if below > 0.0 {
            (a + b).powi(2) / below
        } else {
            f64::INFINITY
        };
        Some(student(freedom) * (a + b).sqrt())
    }

    fn cells(self, wide: usize, judged: &Judged) -> Vec<Cell> {
        let real = |number: Option<f64>| number.map_or(Cell::Null, Cell::Real);
        let mut cells = match self.labels.is_empty() && wide > 0 {
            true => vec![Cell::Text(TOTAL.to_owned())],
            false => self.labels,
        };
        cells.resize(wide, Cell::Null);
        cells.extend(judged.means.map(|mean| Cell::Integer(mean.round() as i64)));
        cells.extend([real(judged.change), real(judged.uncertainty)]);
        cells.push(Cell::Text(judged.verdict.name().to_owned()));
        cells
    }
}

/// Returns the 97.5th percentile of Student's distribution with at least one degree of freedom. For
/// fractions it uses the next lower integer, whose percentile is greater. Values: NIST/SEMATECH
/// e-Handbook of Statistical Methods, 1.3.6.7.2.
fn student(freedom: f64) -> f64 {
    const VALUES: [f64; 30] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
        2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
        2.052, 2.048, 2.045, 2.042,
    ];
    let whole = freedom.max(1.0).floor();
    match VALUES.get(whole as usize - 1) {
        Some(value) => *value,
        None => 1.96 + 2.5 / whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Limit = Limit {
        growth: 0.05,
        least_share: 0.01,
    };

    fn run(costs: &[(&str, i64)]) -> Table {
        let mut table = Table::new(&[
            Column {
                name: "line",
                unit: Unit::None,
            },
            Column {
                name: "count",
                unit: Unit::None,
            },
            Column {
                name: "total",
                unit: Unit::Nanos,
            },
        ]);
        for (line, total) in costs {
            table.push(vec![
                Cell::Text((*line).to_owned()),
                Cell::Integer(1),
                Cell::Integer(*total),
            ]);
        }
        table
    }

    #[test]
    fn distinguishes_a_drop_from_scatter() {
        let side = |costs: [i64; 3]| costs.map(|cost| run(&[("a", cost)]));
        let fallen = |before, after| changes(&side(before), &side(after), By::Line, LIMIT).fallen;
        let by = fallen([1000, 1010, 990], [500, 505, 495]).unwrap();
        assert!((by - 0.5).abs() < 1e-9, "{by}");
        assert_eq!(fallen([1000, 1010, 990], [980, 990, 970]), None);
        assert_eq!(fallen([2000, 500, 500], [500, 505, 495]), None);
        assert_eq!(fallen([500, 505, 495], [1000, 1010, 990]), None);
    }

    fn verdicts(before: &[Table], after: &[Table]) -> Vec<(String, String)> {
        let made = changes(before, after, By::Line, LIMIT);
        let text = |cell: &Cell| match cell {
            Cell::Text(text) => text.clone(),
            other => format!("{other:?}"),
        };
        let rows = made.table.rows().iter();
        rows.map(|row| (text(&row[0]), text(row.last().unwrap())))
            .collect()
    }

    #[test]
    fn reports_growth_beyond_limit_and_scatter() {
        let before = [
            run(&[("a", 1000), ("b", 500)]),
            run(&[("a", 1010), ("b", 505)]),
        ];
        let after = [
            run(&[("a", 1200), ("b", 500)]),
            run(&[("a", 1205), ("b", 500)]),
        ];
        let found = verdicts(&before, &after);
        assert_eq!(found[0], ("(total)".to_owned(), "grown".to_owned()));
        assert_eq!(found[1], ("a".to_owned(), "grown".to_owned()));
        assert_eq!(found[2], ("b".to_owned(), String::new()));
    }

    #[test]
    fn growth_within_the_scatter_is_uncertain() {
        let before = [run(&[("a", 800)]), run(&[("a", 1300)])];
        let after = [run(&[("a", 900)]), run(&[("a", 1500)])];
        assert_eq!(verdicts(&before, &after)[1].1, "uncertain");
        // With one run of each side, the scatter is unknown.
        assert_eq!(verdicts(&before[..1], &after[1..])[1].1, "grown");
    }

    #[test]
    fn skips_small_rows_and_reports_new_ones() {
        let before = [run(&[("a", 100_000), ("tiny", 10), ("gone", 5000)])];
        let after = [run(&[("a", 100_000), ("tiny", 900), ("new", 5000)])];
        let found = verdicts(&before, &after);
        assert!(found.contains(&("tiny".to_owned(), String::new())));
        assert!(found.contains(&("new".to_owned(), "new".to_owned())));
        assert!(found.contains(&("gone".to_owned(), String::new())));
    }

    /// The confidence interval contains the true change in about 95 of 100 samples.
    #[test]
    fn confidence_interval_covers_the_true_change() {
        let mut state = 12345_u64;
        let mut uniform = move || {
            state = state
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let mut normal = move || (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
        let mut sample = |mean: f64, scatter: f64, count: usize| -> Vec<Table> {
            (0..count)
                .map(|_| run(&[("a", (mean + scatter * normal()) as i64)]))
                .collect()
        };
        let trials = 2000;
        let mut covered = 0;
        for _ in 0..trials {
            let (before, after) = (sample(1e6, 2e4, 4), sample(1.1e6, 6e4, 6));
            let made = changes(&before, &after, By::Line, LIMIT);
            let row = &made.table.rows()[1];
            let (Cell::Real(change), Cell::Real(width)) = (&row[3], &row[4]) else {
                panic!("{row:?}");
            };
            covered += usize::from((change - 0.1).abs() <= *width);
        }
        let share = f64::from(covered as u32) / f64::from(trials);
        assert!((0.93..0.985).contains(&share), "{share}");
    }

    #[test]
    fn empty_comparison_reports_no_growth() {
        let made = changes(&[run(&[])], &[run(&[])], By::Line, LIMIT);
        assert!(made.grown.is_empty());
    }
}
