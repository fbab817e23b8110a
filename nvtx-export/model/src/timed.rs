//! The rule for impossible times, applied in the single place where records with times enter the
//! trace.
//!
//! A record has no known duration in any of these cases:
//! - A recorder wrote no times: start and end are 0, as documented by CUPTI.
//! - It ends before it starts.
//! - A time is beyond the range of real clocks.
//! - It lasts longer than any recording.
//!
//! [`Rows`] keeps such records apart, so that sums, gaps, paths and pictures do not include them.
//! [`Recording::settle_untimed`] counts them in the losses, and lists them in
//! [`Quality::untimed`](crate::Quality::untimed).

mod rows;
mod tables;

pub use rows::Rows;

use super::kernel::words;
use super::{KernelKind, LossRow, Recording, Severity, SourceIndex, StringIndex};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use weft_trace::id::{ProcessorId, Uid};
use weft_trace::time::Timestamp;

/// The first time beyond the range of real clocks, in both directions: 146 years in ns, the year
/// 2116 by the wall clock.
const BEYOND: i64 = 1 << 62;

/// The longest duration of a record in ns: 417 days.
const LONGEST: i64 = 1 << 55;

words! {
    /// The reason why the times of a record are impossible.
    Flaw {
        /// Start and end are 0: the recorder could not read them.
        NotRecorded = "not_recorded",
        /// It ends before it starts.
        Reversed = "ends_before_start",
        /// A time is beyond the range of real clocks.
        OutOfRange = "out_of_range",
        /// It lasts longer than any recording.
        TooLong = "too_long",
    }
    /// The kind of a record with times.
    RecordKind {
        /// A task.
        Task = "task",
        /// A launch.
        Launch = "launch",
        /// A kernel.
        Kernel = "kernel",
        /// A copy on a device.
        Memcpy = "memcpy",
        /// A fill on a device.
        Memset = "memset",
        /// A whole CUDA graph.
        Graph = "graph",
        /// An NVTX range.
        Range = "range",
        /// A call of the CUDA runtime or driver.
        ApiCall = "api_call",
        /// A call that waited for a GPU.
        Synchronization = "synchronization",
        /// A CUDA allocation or release.
        DeviceMemory = "device_memory",
        /// A fault or a move of pages of unified memory.
        PageEvent = "page_event",
        /// An overhead of the recorder or of the driver.
        Overhead = "overhead",
        /// A wait of a task or of the program.
        Wait = "wait",
        /// Work of the runtime itself.
        RuntimeCall = "runtime_call",
        /// The compilation of a kernel.
        Compilation = "compilation",
        /// A copy between memories of a runtime.
        Copy = "copy",
        /// One side of a message.
        Message = "message",
        /// Dependent partitioning.
        Partitioning = "partitioning",
        /// A physical allocation.
        Instance = "instance",
        /// The use of a memory at one instant.
        MemoryUse = "memory_use",
    }
}

impl Flaw {
    /// Returns the clause that follows the records in a sentence.
    const fn clause(self) -> &'static str {
        match self {
            Flaw::NotRecorded => "their start and end were not recorded (both are 0)",
            Flaw::Reversed => "they end before they start",
            Flaw::OutOfRange => "their times lie beyond what any clock reads",
            Flaw::TooLong => "they last longer than any recording",
        }
    }
}

impl RecordKind {
    /// Returns the plural in a sentence.
    pub const fn plural(self) -> &'static str {
        match self {
            RecordKind::Task => "tasks",
            RecordKind::Launch => "launches",
            RecordKind::Kernel => "kernels",
            RecordKind::Memcpy => "memcpys",
            RecordKind::Memset => "memsets",
            RecordKind::Graph => "CUDA graphs",
            RecordKind::Range => "NVTX ranges",
            RecordKind::ApiCall => "API calls",
            RecordKind::Synchronization => "synchronizations",
            RecordKind::DeviceMemory => "CUDA allocations and releases",
            RecordKind::PageEvent => "faults and moves of pages",
            RecordKind::Overhead => "overheads",
            RecordKind::Wait => "waits",
            RecordKind::RuntimeCall => "runtime calls",
            RecordKind::Compilation => "compilations",
            RecordKind::Copy => "copies",
            RecordKind::Message => "messages",
            RecordKind::Partitioning => "partitionings",
            RecordKind::Instance => "allocations",
            RecordKind::MemoryUse => "memory uses",
        }
    }
}

impl RecordKind {
    /// Returns the kind of device work, if the record is of device work.
    pub fn kernel(self) -> Option<KernelKind> {
        KernelKind::ALL
            .iter()
            .copied()
            .find(|kind| RecordKind::from(*kind) == self)
    }
}

impl From<KernelKind> for RecordKind {
    fn from(kind: KernelKind) -> Self {
        match kind {
            KernelKind::Kernel => RecordKind::Kernel,
            KernelKind::Memcpy => RecordKind::Memcpy,
            KernelKind::Memset => RecordKind::Memset,
            KernelKind::Graph => RecordKind::Graph,
        }
    }
}

/// Returns whether a clock can read this time.
pub const fn is_possible(time: Timestamp) -> bool {
    -BEYOND < time.nanos() && time.nanos() < BEYOND
}

/// Checks the times of a record. Open records and instants have no end.
///
/// # Errors
/// Returns the reason why they are impossible.
pub fn check(start: Timestamp, end: Option<Timestamp>) -> Result<(), Flaw> {
    let end_or_start = end.unwrap_or(start);
    if !is_possible(start) || !is_possible(end_or_start) {
        Err(Flaw::OutOfRange)
    } else if end.is_some_and(|end| start.nanos() == 0 && end.nanos() == 0) {
        Err(Flaw::NotRecorded)
    } else if end_or_start < start {
        Err(Flaw::Reversed)
    } else if (end_or_start - start).0 > LONGEST {
        Err(Flaw::TooLong)
    } else {
        Ok(())
    }
}

/// A record with times.
pub trait Timed {
    /// Returns the file it was read from.
    fn source(&self) -> SourceIndex;

    /// Returns start and end. The end is `None` for an instant, or a record that is still open.
    fn times(&self) -> (Timestamp, Option<Timestamp>);

    /// Replaces impossible times of the record other than its start and end. Returns their number.
    fn mend(&mut self) -> u64 {
        0
    }

    /// Returns the entry of the record among those without a known duration.
    fn untimed(&self, flaw: Flaw) -> Untimed;
}

/// A record with impossible times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Untimed {
    /// The file it was read from.
    pub source: SourceIndex,
    /// The kind of the record.
    pub kind: RecordKind,
    /// The reason why its times are impossible.
    pub flaw: Flaw,
    /// Its name, if it has one.
    pub name: Option<StringIndex>,
    /// Its UID.
    pub uid: Option<Uid>,
    /// Its operation.
    pub operation: Option<Uid>,
    /// Its processor.
    pub processor: Option<ProcessorId>,
    /// Its CUDA device.
    pub device: Option<i64>,
    /// Its CUDA stream.
    pub stream: Option<i64>,
    /// Its thread, as numbered by Nsight Systems.
    pub thread: Option<i64>,
    /// The recorded start, on the clock of the source.
    pub start: i64,
    /// The recorded end.
    pub end: Option<i64>,
}

impl Untimed {
    /// Returns a record without further properties.
    pub fn new(
        kind: RecordKind,
        flaw: Flaw,
        source: SourceIndex,
        (start, end): (Timestamp, Option<Timestamp>),
    ) -> Self {
        Untimed {
            source,
            kind,
            flaw,
            name: None,
            uid: None,
            operation: None,
            processor: None,
            device: None,
            stream: None,
            thread: None,
            start: start.nanos(),
            end: end.map(Timestamp::nanos),
        }
    }
}

/// Returns the loss of records with impossible times.
pub fn loss(source: SourceIndex, kind: RecordKind, flaw: Flaw, value: u64) -> LossRow {
    LossRow {
        source: Some(source),
        name: format!("untimed_{kind}_{flaw}"),
        severity: Severity::Loss,
        value,
        meaning: format!(
            "{} without a known duration: {}",
            kind.plural(),
            flaw.clause()
        ),
    }
}

/// Calls a macro with every table of records with times.
macro_rules! each_table {
    ($recording:ident, $rows:ident => $body:expr) => {{
        each_table!(@each $recording, $rows, $body; work.tasks work.launches devices.kernels work.ranges devices.calls devices.synchronizations
            devices.device_memory devices.page_events devices.overheads work.waits work.runtime_calls work.compilations work.copies work.messages work.partitionings work.instances work.memory_uses);
    }};
    (@each $recording:ident, $rows:ident, $body:expr; $($part:ident.$table:ident)*) => {
        $({
            let $rows = &mut $recording.$part.$table;
            $body;
        })*
    };
}

impl Recording {
    /// Lists the records with impossible times, and counts them in the losses. A joined database
    /// that was read back already has its list and counts; copies of its records in other tables do
    /// not count again.
    pub fn settle_untimed(&mut self) {
        let known = self.quality.untimed.len();
        let mut mended: BTreeMap<SourceIndex, u64> = BTreeMap::new();
        let mut found: Vec<Untimed> = Vec::new();
        each_table!(self, rows => {
            found.extend(rows.take_untimed());
            for (source, moments) in rows.take_mended() {
                *mended.entry(source).or_default() += moments;
            }
        });
        self.date_operations(&mut mended);
        let mut before: FxHashMap<Untimed, usize> = FxHashMap::default();
        for row in &self.quality.untimed {
            *before.entry(*row).or_default() += 1;
        }
        found.retain(|row| match before.get_mut(row) {
            Some(left) if *left > 0 => {
                *left -= 1;
                false
            }
            _ => true,
        });
        self.quality.untimed.append(&mut found);
        let mut counts: BTreeMap<(SourceIndex, RecordKind, Flaw), u64> = BTreeMap::new();
        for row in self.quality.untimed.iter().skip(known) {
            *counts.entry((row.source, row.kind, row.flaw)).or_default() += 1;
        }
        for ((source, kind, flaw), value) in counts {
            self.add_loss(loss(source, kind, flaw, value));
            if let Some(source) = self.sources.get_mut(source.0 as usize) {
                source.lossy = true;
            }
        }
        for (source, value) in mended.into_iter().filter(|(_, value)| *value > 0) {
            self.add_loss(LossRow {
                source: Some(source),
                name: "moments_unknown".to_owned(),
                severity: Severity::Note,
                value,
                meaning: "moments of creation or readiness that cannot be true; the start of the record replaces them"
                    .to_owned(),
            });
        }
    }

    fn add_loss(&mut self, loss: LossRow) {
        let same = |row: &&mut LossRow| (row.source, &row.name) == (loss.source, &loss.name);
        match self.quality.losses.iter_mut().find(same) {
            Some(row) => row.value = row.value.saturating_add(loss.value),
            None => self.quality.losses.push(loss),
        }
    }

    /// Sets impossible times of operations to the first start of their tasks, or else to the start
    /// of their source.
    fn date_operations(&mut self, mended: &mut BTreeMap<SourceIndex, u64>) {
        let calls = self.program.operation_calls.len();
        self.program.operation_calls.retain(|call| {
            let is_kept = is_possible(call.created);
            *mended.entry(call.source).or_default() += u64::from(!is_kept);
            is_kept
        });
        let wrong = |created: Timestamp| !is_possible(created);
        if calls == self.program.operation_calls.len()
            && !self.program.operations.iter().any(|row| wrong(row.created))
        {
            return;
        }
        let mut of_operations: FxHashMap<(SourceIndex, Uid), Timestamp> = FxHashMap::default();
        let mut of_sources: FxHashMap<SourceIndex, Timestamp> = FxHashMap::default();
        for task in &self.work.tasks {
            let first = of_operations.entry((task.source, task.operation));
            let first = first.or_insert(task.created);
            *first = task.created.min(*first);
            let first = of_sources.entry(task.source).or_insert(task.created);
            *first = task.created.min(*first);
        }
        for operation in &mut self.program.operations {
            if !wrong(operation.created) {
                continue;
            }
            *mended.entry(operation.source).or_default() += 1;
            let first = of_operations.get(&(operation.source, operation.uid));
            let first = first.or_else(|| of_sources.get(&operation.source));
            operation.created = first.copied().unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_impossible_times() {
        let at = Timestamp::from_nanos_since_boot;
        let check = |start: i64, end: i64| check(at(start), Some(at(end)));
        let second = 1_000_000_000;
        assert_eq!(check(0, 0), Err(Flaw::NotRecorded));
        assert_eq!(check(second, second - 1), Err(Flaw::Reversed));
        assert_eq!(check(second, 0), Err(Flaw::Reversed));
        for beyond in [i64::MIN, i64::MAX, -BEYOND, BEYOND] {
            assert_eq!(check(beyond, second), Err(Flaw::OutOfRange));
            assert_eq!(check(second, beyond), Err(Flaw::OutOfRange));
        }
        assert_eq!(check(-1, LONGEST), Err(Flaw::TooLong));
        for (start, end) in [(second, second), (-5, 0), (0, 1), (0, LONGEST)] {
            assert_eq!(check(start, end), Ok(()), "{start} {end}");
        }
        assert_eq!(super::check(at(0), None), Ok(()));
        assert_eq!(super::check(at(i64::MIN), None), Err(Flaw::OutOfRange));
    }
}
