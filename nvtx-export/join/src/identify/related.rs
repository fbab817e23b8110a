//! The check that all inputs are of one run.
//!
//! Two inputs belong together in any of these cases:
//! - They have the same run id.
//! - By UIDs and names, a process of a session wrote the file, and the wall clock does not
//!   contradict.
//! - By the wall clock, a session recorded during the time of the other input.
//!
//! An input without such a tie is of another run. Its times cannot be compared with those of the
//! others.

use super::Lookup;
use rustc_hash::FxHashMap;
use weft_model::{ExportError, LossRow, Recording, Severity, SourceIndex, SourceKind};

/// The largest difference in ns that is allowed between wall clocks of machines, and between the
/// ends of recordings.
const APART: i128 = 10_000_000_000;

/// Rejects inputs of several runs. Notes pairs of inputs if the time of one is unknown.
///
/// # Errors
/// Returns an error if some of the inputs are not related to the others.
pub fn check(recording: &mut Recording, lookup: &Lookup) -> Result<(), ExportError> {
    let sources: Vec<SourceIndex> = (0..recording.sources.len() as u32)
        .map(SourceIndex)
        .collect();
    let spans = wall_spans(recording);
    // The smallest source that each one is tied to. There are few sources.
    let mut groups: Vec<u32> = sources.iter().map(|source| source.0).collect();
    let mut unknown = 0;
    for (at, one) in sources.iter().enumerate() {
        for other in sources.iter().take(at) {
            let tie = tie(recording, lookup, &spans, [*one, *other]);
            unknown += u64::from(tie == Some(Tied::Unknown));
            let (Some(_), Some(from), Some(to)) = (
                tie,
                groups.get(at).copied(),
                groups.get(other.0 as usize).copied(),
            ) else {
                continue;
            };
            let (from, to) = (from.max(to), from.min(to));
            for group in groups.iter_mut().filter(|group| **group == from) {
                *group = to;
            }
        }
    }
    let first = groups.iter().position(|group| *group != 0);
    if let Some(stranger) = first {
        return Err(unrelated(recording, &spans, SourceIndex(stranger as u32)));
    }
    if unknown > 0 {
        recording.quality.losses.push(LossRow {
            source: None,
            name: "sessions_not_dated".to_owned(),
            severity: Severity::Note,
            value: unknown,
            meaning: "pairs of inputs of which one does not record its time; they are assumed to be one run".to_owned(),
        });
    }
    Ok(())
}

/// The evidence for a tie between two inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tied {
    Run,
    Process,
    Time,
    /// The time of one of them is not recorded.
    Unknown,
}

fn tie(
    recording: &Recording,
    lookup: &Lookup,
    spans: &FxHashMap<SourceIndex, (i128, i128)>,
    pair: [SourceIndex; 2],
) -> Option<Tied> {
    let [one, other] = pair;
    let kind = |source: SourceIndex| recording.sources.get(source.0 as usize).map(|row| row.kind);
    if recording.run_of(one) == recording.run_of(other) {
        return Some(Tied::Run);
    }
    let wrote = |file: SourceIndex, session: SourceIndex| {
        let mut processes = lookup.owners.processes(file).iter();
        processes.any(|(of, _)| *of == session)
    };
    let times = (spans.get(&one), spans.get(&other));
    let is_apart = matches!(times, (Some(one), Some(other)) if gap(*one, *other) > APART);
    // UIDs and names repeat in every run of a program, so they prove nothing if the times differ.
    if (wrote(one, other) || wrote(other, one)) && !is_apart {
        return Some(Tied::Process);
    }
    if !pair
        .iter()
        .any(|source| kind(*source).is_some_and(SourceKind::is_nsys))
    {
        // The files are of two runs, regardless of their times.
        return None;
    }
    match times {
        (Some(_), Some(_)) => (!is_apart).then_some(Tied::Time),
        _ => Some(Tied::Unknown),
    }
}

/// Returns how long after the end of the earlier one the later one began, in ns.
fn gap(one: (i128, i128), other: (i128, i128)) -> i128 {
    (one.0 - other.1).max(other.0 - one.1)
}

/// Returns the time each source covers on the wall clock, if known.
fn wall_spans(recording: &Recording) -> FxHashMap<SourceIndex, (i128, i128)> {
    let extents = recording.extents();
    let sources = (0..).map(SourceIndex).zip(&recording.sources);
    let spans = sources.filter_map(|(source, row)| {
        let zero = i128::from(row.wall_at_zero?);
        let (from, to) = extents.get(&source)?;
        Some((source, (zero + i128::from(*from), zero + i128::from(*to))))
    });
    spans.collect()
}

fn unrelated(
    recording: &Recording,
    spans: &FxHashMap<SourceIndex, (i128, i128)>,
    stranger: SourceIndex,
) -> ExportError {
    let path = |source: SourceIndex| {
        let row = recording.sources.get(source.0 as usize);
        row.map(|row| row.path.clone()).unwrap_or_default()
    };
    let first = SourceIndex::default();
    let why = match (spans.get(&first), spans.get(&stranger)) {
        (Some(one), Some(other)) if gap(*one, *other) > 0 => {
            let seconds = gap(*one, *other) as f64 / 1e9;
            let order = if other.0 > one.1 { "after" } else { "before" };
            format!("it was recorded {seconds:.0} s {order} it, and no record connects the two")
        }
        _ => "no process of one wrote the other, and no record connects the two".to_owned(),
    };
    ExportError::Unrelated {
        path: path(stranger),
        first: path(first),
        why,
    }
}
