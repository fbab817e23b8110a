//! Legion Prof: one file per rank, in version 1012 of the format, as read by `legion_prof` 0.2603.
//!
//! | here | in the file |
//! |---|---|
//! | rank | node; UIDs are the ids of operations and tasks |
//! | operation, task | `OperationInstance` with its provenance in Legate's form; tasks are slices of their operation |
//! | task | `TaskInfo`, or `GPUTaskInfo` with the first start and last end of its work on a device |
//! | wait | `TaskWaitInfo` |
//! | dependences of a task | `EventMergerInfo` of the tasks before it, and its `critical` event |
//! | runtime call | `RuntimeCallInfo` within a task, else `MetaInfo` |
//! | copy, fill | `CopyInfo` and `CopyInstInfo`, `FillInfo` and `FillInstInfo` |
//! | dependent partitioning | `PartitionInfo` |
//! | instance | `InstTimelineInfo` |
//! | memory of a GPU | also `ProcMDesc` with the GPU; bandwidth (1, of another rank's memory 0) and latency (0) are not measured |
//!
//! The format cannot express single kernels, launches, tiles, stores, ranges and API calls; they
//! are left out. If a launch served several tasks, each task gets its share of the launch's time:
//! in the order of the launch, each begins where the one before it ends.
//!
//! The reader panics if a file breaks one of its rules, so the rules hold for every trace:
//! - The times of a row are in order. A creation or readiness that is too late is moved to the
//!   start, and so is an end that is too early.
//! - Events are unique, and everything that is referred to is described.
//! - Tasks of a processor never overlap. Overlapping tasks are shown on an additional processor of
//!   the same kind.
//! - Waits lie within their task and do not overlap.
//!
//! [`LegionReport`] counts the rows that were changed or left out.
//!
//! Times are in ns since the first instant of the trace. `ZeroTime` gives that instant by the wall
//! clock.

mod clock;
mod data;
mod file;
mod ids;
mod parts;
mod records;
mod work;

use crate::file::OutFile;
use clock::Clock;
use file::File;
use ids::Node;
use parts::Parts;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use weft_model::{ExportError, Index, Progress, RunIndex, SourceIndex, Trace};
use weft_trace::id::Uid;
use work::WorkTimes;

/// Options for writing files.
#[derive(Clone, Debug, Default)]
pub struct LegionOptions {
    /// Whether to replace outputs that exist.
    pub force: bool,
    /// The receiver of progress events.
    pub progress: Progress,
}

/// The written files, with counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LegionReport {
    /// The files, by rank.
    pub files: Vec<PathBuf>,
    /// The instant of the joined trace that is 0 in the files.
    pub zero: i64,
    /// The number of records in the files.
    pub records: u64,
    /// The number of rows with a time that was moved, because the times of a record must be in
    /// order.
    pub rows_with_times_moved: u64,
    /// The number of waits that were left out: without a task, or overlapping another wait of their
    /// task.
    pub waits_left_out: u64,
    /// The number of dependences that were left out because one of their tasks is missing.
    pub dependencies_left_out: u64,
    /// The number of partitionings that were left out because their kind is unknown.
    pub partitionings_left_out: u64,
    /// The number of tasks and runtime calls on additional processors, because they overlap others
    /// on their own.
    pub rows_on_added_processors: u64,
    /// The number of tasks with a share of a launch's time, because the launch served others as
    /// well.
    pub tasks_with_shares: u64,
}

/// State that all files share.
struct Shared<'a> {
    trace: &'a Trace,
    parts: &'a Parts,
    index: &'a Index,
    clock: Clock,
    nodes: Vec<Option<Node>>,
    spans: WorkTimes,
    /// Operations, tasks, copies and fills that were described. Describing one twice is an error
    /// for the reader.
    described: FxHashSet<Uid>,
    report: LegionReport,
}

impl Shared<'_> {
    fn node(&self, source: SourceIndex) -> Option<Node> {
        self.nodes.get(source.0 as usize).copied().flatten()
    }
}

/// Writes one file per rank of the trace. For one rank the file is `out`; for several ranks, the
/// rank replaces the first `%` in the name of `out`. The files appear together, when all are
/// complete.
///
/// # Errors
/// - The trace has no ranks, or ranks of several runs.
/// - The trace has several ranks, and `out` has no `%`.
/// - A file exists and must not be replaced, or a file cannot be written.
pub fn write(
    trace: &Trace,
    out: &Path,
    options: &LegionOptions,
) -> Result<LegionReport, ExportError> {
    let ranks = ranks(trace)?;
    let nodes = 1 + ranks
        .iter()
        .map(|(_, node)| u32::from(node.0))
        .max()
        .unwrap_or(0);
    let index = Index::new(trace);
    let mut of_sources = vec![None; trace.sources.len()];
    for (source, node) in &ranks {
        if let Some(slot) = of_sources.get_mut(source.0 as usize) {
            *slot = Some(*node);
        }
    }
    let parts = Parts::new(trace, &index);
    let mut shared = Shared {
        trace,
        parts: &parts,
        index: &index,
        clock: Clock::new(trace),
        nodes: of_sources,
        spans: WorkTimes::new(trace, &index),
        described: FxHashSet::default(),
        report: LegionReport {
            tasks_with_shares: parts.count(),
            ..LegionReport::default()
        },
    };
    let mut files = Vec::with_capacity(ranks.len());
    for (_, node) in &ranks {
        let path = path(out, *node, ranks.len())?;
        files.push(OutFile::create(trace, &path, options.force)?);
    }
    options
        .progress
        .begin("writing Legion Prof files", ranks.len() as u64);
    let dependencies = work::dependencies(&mut shared);
    let waits = work::waits(&mut shared);
    for (file, (source, node)) in files.iter_mut().zip(&ranks) {
        file.write_with(|to| {
            let mut file = File::begin(to, &mut shared, *source, *node, nodes)?;
            file.operations()?;
            file.work(&dependencies, &waits)?;
            file.data()
        })?;
        options.progress.advance(1);
    }
    let mut report = shared.report;
    report.zero = shared.clock.zero();
    for file in files {
        report.files.push(file.out().to_owned());
        file.finish()?;
    }
    Ok(report)
}

/// Returns the sources that become files, with their nodes, by rank.
fn ranks(trace: &Trace) -> Result<Vec<(SourceIndex, Node)>, ExportError> {
    let sources = (0..).map(SourceIndex).zip(&trace.sources);
    let mut ranks: Vec<(SourceIndex, Node)> = Vec::new();
    let mut runs: BTreeSet<RunIndex> = BTreeSet::new();
    for (index, source) in sources.filter(|(_, source)| !source.kind.is_nsys()) {
        let node = source.rank.unwrap_or(ranks.len() as u16);
        ranks.push((index, Node(node)));
        runs.insert(source.run);
    }
    ranks.sort_by_key(|(source, node)| (node.0, *source));
    let taken: BTreeSet<u16> = ranks.iter().map(|(_, node)| node.0).collect();
    if ranks.is_empty() {
        return Err(ExportError::NoRanks);
    }
    if runs.len() > 1 || taken.len() < ranks.len() {
        return Err(ExportError::LegionRuns { files: ranks.len() });
    }
    Ok(ranks)
}

/// Returns the path of a rank's file.
fn path(out: &Path, node: Node, ranks: usize) -> Result<PathBuf, ExportError> {
    let name = out.file_name().unwrap_or_default();
    let place = name
        .as_encoded_bytes()
        .iter()
        .position(|byte| *byte == b'%');
    let Some(place) = place else {
        if ranks == 1 {
            return Ok(out.to_owned());
        }
        return Err(ExportError::FileForEachRank {
            path: out.to_owned(),
            ranks,
        });
    };
    Ok(out.with_file_name(with_rank(name, place, node)))
}

/// Returns the name with the rank in place of the byte at `place`.
#[cfg(unix)]
fn with_rank(name: &OsStr, place: usize, node: Node) -> OsString {
    use std::os::unix::ffi::{OsStrExt, OsStringExt};

    let (before, after) = name.as_bytes().split_at(place);
    let rank = node.0.to_string();
    let parts = [before, rank.as_bytes(), after.get(1..).unwrap_or_default()];
    OsString::from_vec(parts.concat())
}

#[cfg(not(unix))]
fn with_rank(name: &OsStr, _place: usize, node: Node) -> OsString {
    let name = name.to_string_lossy();
    name.replacen('%', &node.0.to_string(), 1).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_the_percent_sign_by_the_rank() {
        let out = Path::new("a%/legion_%.prof%");
        assert_eq!(
            path(out, Node(12), 2).unwrap(),
            Path::new("a%/legion_12.prof%")
        );
        let one = Path::new("x.prof");
        assert_eq!(path(one, Node(3), 1).unwrap(), one);
        let refused = path(one, Node(3), 2).unwrap_err().sentence();
        assert!(
            refused.contains("2 ranks") && refused.contains("%"),
            "{refused}"
        );
    }
}
