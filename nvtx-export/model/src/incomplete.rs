//! Messages about incomplete inputs.

use super::{LossRow, Severity, Source};
use std::fmt;
use std::path::PathBuf;

/// An incomplete input. Its message is one sentence: which input, how many of how many records are
/// missing, why, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incomplete {
    /// The input.
    pub path: PathBuf,
    /// Whether it is damaged, as opposed to lacking records that were never written.
    pub is_damaged: bool,
    /// The missing records, in clauses.
    pub what: Vec<String>,
    /// The remedies, in clauses.
    pub remedies: Vec<&'static str>,
}

impl fmt::Display for Incomplete {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (state, effect) = match self.is_damaged {
            true => ("damaged", "the rest was read"),
            false => ("incomplete", "counts and times cover only the rest"),
        };
        let what = self.what.join("; ");
        let path = self.path.display();
        write!(f, "{path} is {state}: {what}; {effect}")?;
        if !self.remedies.is_empty() {
            write!(f, "; {}", self.remedies.join(", and "))?;
        }
        Ok(())
    }
}

/// Returns the inputs that are incomplete according to `losses`, in their order.
pub fn incomplete<'a>(
    sources: &[Source],
    losses: impl Iterator<Item = &'a LossRow>,
) -> Vec<Incomplete> {
    let mut rows: Vec<Vec<&LossRow>> = vec![Vec::new(); sources.len()];
    for loss in losses.filter(|loss| loss.value > 0) {
        let index = loss.source.unwrap_or_default();
        if (loss.source.is_some() || loss.severity == Severity::Damage)
            && let Some(rows) = rows.get_mut(index.0 as usize)
        {
            rows.push(loss);
        }
    }
    let inputs = sources.iter().zip(rows);
    inputs
        .filter_map(|(source, rows)| of_source(source, &rows))
        .collect()
}

fn of_source(source: &Source, rows: &[&LossRow]) -> Option<Incomplete> {
    let mut message = LossMessage {
        rows,
        what: Vec::new(),
        remedies: Vec::new(),
    };
    message.dropped();
    message.end();
    message.damage();
    message.add_others();
    if message.what.is_empty() {
        return None;
    }
    Some(Incomplete {
        path: source.path.clone(),
        is_damaged: rows.iter().any(|row| row.severity == Severity::Damage),
        what: message.what,
        remedies: message.remedies,
    })
}

/// Reasons for which records of a `.prof` file are dropped, with the remedies.
const REASONS: [(&str, &str, Option<&str>); 5] = [
    (
        "records_dropped_limit",
        "the file had reached its size limit",
        Some("record again with a larger --profile-limit"),
    ),
    (
        "records_dropped_not_ready",
        "the disk was full or too slow",
        Some("record again with free space, or with --logdir on another disk"),
    ),
    (
        "records_dropped_too_large",
        "they were longer than a block of the file",
        Some("record again with a larger --profile-limit"),
    ),
    (
        "records_dropped_finished",
        "they came after the file was finished, at exit or on SIGTERM",
        Some("if no signal ended the program, end all its threads before it exits"),
    ),
    (
        "records_dropped_no_lane",
        "more threads recorded at once than the file allows",
        Some("record again with fewer threads"),
    ),
];

/// Rows that are covered by [`LossMessage::dropped`], [`LossMessage::end`] and
/// [`LossMessage::damage`].
const COVERED_ROWS: [&str; 10] = [
    "records_dropped",
    "records_in_flight",
    "unfinished",
    "records_missing",
    "records_undecodable",
    "damaged_blocks",
    "damaged_head",
    "damaged_counters",
    "truncated",
    // This one is about how two inputs fit together.
    "clock_pairs_apart",
];

/// The message about one input so far.
struct LossMessage<'a> {
    rows: &'a [&'a LossRow],
    what: Vec<String>,
    remedies: Vec<&'static str>,
}

impl LossMessage<'_> {
    /// Returns the value of a row, 0 if there is none.
    fn value(&self, name: &str) -> u64 {
        let row = self.rows.iter().find(|row| row.name == name);
        row.map_or(0, |row| row.value)
    }

    fn help(&mut self, remedy: &'static str) {
        if !self.remedies.contains(&remedy) {
            self.remedies.push(remedy);
        }
    }

    /// Adds the records that were never written: their number, kinds and reasons.
    fn dropped(&mut self) {
        let dropped = self.value("records_dropped");
        if dropped == 0 {
            return;
        }
        let reasons: Vec<_> = REASONS
            .iter()
            .map(|reason| (self.value(reason.0), reason))
            .filter(|(count, _)| *count > 0)
            .collect();
        let why: Vec<String> = match &reasons[..] {
            [(_, (_, why, _))] => vec![format!("because {why}")],
            several => several
                .iter()
                .map(|(count, (_, why, _))| format!("{} because {why}", grouped(*count)))
                .collect(),
        };
        let produced = self.value("records_produced");
        let was = if dropped == 1 { "was" } else { "were" };
        self.what.push(format!(
            "{} of {} records {was} not written{}{}{}",
            grouped(dropped),
            grouped(produced),
            self.kinds(dropped),
            if why.is_empty() { "" } else { ", " },
            why.join(" and ")
        ));
        for remedy in reasons.iter().filter_map(|(_, reason)| reason.2) {
            self.help(remedy);
        }
    }

    /// Returns the most frequent kinds of the dropped records, in brackets.
    fn kinds(&self, dropped: u64) -> String {
        const SHOWN: usize = 4;
        let mut kinds: Vec<(u64, &str)> = self
            .rows
            .iter()
            .filter_map(|row| Some((row.value, row.name.strip_prefix(KIND)?)))
            .collect();
        if kinds.is_empty() {
            return String::new();
        }
        kinds.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        kinds.truncate(SHOWN);
        let shown: u64 = kinds.iter().map(|(count, _)| count).sum();
        let mut parts: Vec<String> = kinds
            .iter()
            .map(|(count, kind)| match count {
                1 => format!("1 {}", split_words(kind)),
                several => format!("{} {}", grouped(*several), plural(kind)),
            })
            .collect();
        match dropped.saturating_sub(shown) {
            0 => {}
            1 => parts.push("1 other".to_owned()),
            others => parts.push(format!("{} others", grouped(others))),
        }
        format!(" ({})", parts.join(", "))
    }

    /// Adds that a run did not finish.
    fn end(&mut self) {
        if self.value("unfinished") == 0 {
            return;
        }
        let in_flight = match self.value("records_in_flight") {
            0 => String::new(),
            1 => " in the middle of a record".to_owned(),
            several => format!(" in the middle of {} records", grouped(several)),
        };
        self.what.push(format!(
            "the process was killed{in_flight} or is still running"
        ));
    }

    fn damage(&mut self) {
        let clauses = [
            ("damaged_blocks", "block is damaged", "blocks are damaged"),
            (
                "records_missing",
                "record that was written cannot be read",
                "records that were written cannot be read",
            ),
            (
                "records_undecodable",
                "invalid record was left out",
                "invalid records were left out",
            ),
        ];
        let in_flight = self.value("records_in_flight");
        if in_flight > 0 && self.value("unfinished") == 0 {
            self.what.push(match in_flight {
                1 => "1 record was not completed".to_owned(),
                several => format!("{} records were not completed", grouped(several)),
            });
        }
        let mut damaged = false;
        for (name, one, several) in clauses {
            let count = self.value(name);
            if count > 0 {
                let clause = if count == 1 { one } else { several };
                self.what.push(format!("{} {clause}", grouped(count)));
                damaged = true;
            }
        }
        let clauses = [
            ("truncated", "the end of the file is missing"),
            (
                "damaged_head",
                "the head is damaged, so run, rank and clocks may be wrong",
            ),
            (
                "damaged_counters",
                "counters are damaged, so more records may be missing",
            ),
        ];
        for (name, clause) in clauses {
            if self.value(name) > 0 {
                self.what.push(clause.to_owned());
                damaged = true;
            }
        }
        if damaged {
            self.help("copy the file again, or record the run again");
        }
    }

    /// Adds all other losses.
    fn add_others(&mut self) {
        let rows = self.rows.iter();
        let is_other = |row: &&&LossRow| {
            row.severity != Severity::Note && !COVERED_ROWS.contains(&row.name.as_str())
        };
        for row in rows.filter(is_other) {
            // These bytes belong to blocks that were counted above.
            if row.name == "damaged_bytes" && self.value("damaged_blocks") > 0 {
                continue;
            }
            let clause = match row.meaning.strip_prefix("1: ") {
                Some(meaning) => meaning.to_owned(),
                // A leading count would need a singular form.
                None => format!("{} ({})", row.meaning, grouped(row.value)),
            };
            self.what.push(clause);
        }
    }
}

/// The prefix of rows that count dropped records by kind.
pub const KIND: &str = "dropped_kind_";

/// Converts `ExternalId` to "external ids".
fn plural(kind: &str) -> String {
    let words = split_words(kind);
    match words.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if words.ends_with('s') => words,
        None if words.ends_with("ch") => words + "es",
        None => words + "s",
    }
}

/// Converts `ExternalId` to "external id".
fn split_words(kind: &str) -> String {
    let mut words = String::new();
    for letter in kind.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

/// Formats `31011` as "31,011".
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RunIndex, SourceIndex, SourceKind};

    fn warnings(rows: &[(&str, Severity, u64, &str)]) -> Vec<String> {
        let source = Source {
            path: "weft_0.prof".into(),
            kind: SourceKind::WeftProf,
            run: RunIndex(0),
            run_id: None,
            rank: Some(0),
            ranks: Some(1),
            host: None,
            boot_id: None,
            pid: None,
            program: None,
            database: None,
            wall_at_zero: None,
            lossy: true,
        };
        let rows: Vec<LossRow> = rows
            .iter()
            .map(|(name, severity, value, meaning)| LossRow {
                source: Some(SourceIndex(0)),
                name: (*name).to_owned(),
                severity: *severity,
                value: *value,
                meaning: (*meaning).to_owned(),
            })
            .collect();
        let found = incomplete(&[source], rows.iter());
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn complete_file_has_no_warnings() {
        use Severity::{Damage, Loss, Note};
        let rows = [
            ("records_produced", Note, 31_011, ""),
            ("records_written", Note, 31_011, ""),
            ("records_dropped", Loss, 0, ""),
            ("damaged_blocks", Damage, 0, ""),
        ];
        assert_eq!(warnings(&rows), Vec::<String>::new());
    }

    #[test]
    fn warning_names_dropped_kinds_reason_and_remedy() {
        use Severity::{Loss, Note};
        let rows = [
            ("records_produced", Note, 31_011, ""),
            ("records_dropped", Loss, 13_108, ""),
            ("records_dropped_limit", Note, 13_108, ""),
            ("dropped_kind_Task", Note, 5_000, ""),
            ("dropped_kind_MemoryUse", Note, 4_000, ""),
            ("dropped_kind_Copy", Note, 3_000, ""),
            ("dropped_kind_Kernel", Note, 1_100, ""),
            ("dropped_kind_Name", Note, 8, ""),
        ];
        assert_eq!(
            warnings(&rows),
            [
                "weft_0.prof is incomplete: 13,108 of 31,011 records were not written (5,000 tasks, 4,000 memory uses, \
                 3,000 copies, 1,100 kernels, 8 others), because the file had reached its size limit; counts and times cover only the rest; record again with a larger --profile-limit"
            ]
        );
    }

    #[test]
    fn reports_damage_and_early_end_together() {
        use Severity::{Damage, Loss, Note};
        let rows = [
            ("records_in_flight", Loss, 2, ""),
            ("unfinished", Note, 1, ""),
            ("damaged_blocks", Damage, 1, ""),
            ("damaged_bytes", Damage, 4_000, ""),
            ("records_missing", Damage, 70, ""),
            ("cupti_absent", Loss, 1, "1: CUPTI was not available"),
        ];
        assert_eq!(
            warnings(&rows),
            [
                "weft_0.prof is damaged: the process was killed in the middle of 2 records or is still running; 1 block is \
                 damaged; 70 records that were written cannot be read; CUPTI was not available; the rest was read; copy \
                 the file again, or record the run again"
            ]
        );
    }
}
