//! The places of rows: processes, processors, memories and lines.

use super::{Builder, Database, ExportError, rows};
use crate::format::Line;
use crate::lane::{LaneIndex, LaneKey, LaneKind};
use rustc_hash::FxHashMap;
use weft_database::columns;
use weft_database::schema::{MemoryRow, ProcessorRow, ProvenanceRow, RankRow, SourceRow};

/// Kinds of processors in the order of their groups.
const KINDS: [&str; 8] = [
    "Program", "CPU", "OMP", "Python", "GPU", "IO", "Other", "Utility",
];

/// A processor.
#[derive(Clone, Debug)]
struct Processor {
    kind: usize,
    name: String,
}

/// The objects that rows refer to, by id.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The process of each source.
    sources: FxHashMap<i64, u32>,
    ranks: FxHashMap<i64, u32>,
    pids: FxHashMap<i64, u32>,
    others: FxHashMap<i64, u32>,
    /// The run of each source.
    runs: FxHashMap<i64, u32>,
    processors: FxHashMap<(i64, i64), Processor>,
    /// The processor of a GPU that another source recorded, too.
    same: FxHashMap<(i64, i64), (i64, i64)>,
    /// The lanes created so far.
    lanes: FxHashMap<(i64, i64), LaneIndex>,
    memories: FxHashMap<(i64, i64), String>,
    /// The number of each line.
    lines: FxHashMap<i64, u32>,
}

impl Places {
    pub(super) fn read(database: &Database, to: &mut Builder) -> Result<Self, ExportError> {
        let mut places = Places::default();
        places.processes(database, to)?;
        let mut all = Vec::new();
        let mut gpus: FxHashMap<String, (i64, i64)> = FxHashMap::default();
        let columns = columns!(ProcessorRow: ["sourceId", "id"], ["kind", "name", "gpuUuid"]);
        rows(database, columns, |[source, id], row| {
            let kind = row.text(0).unwrap_or_default();
            let kind = KINDS.iter().position(|known| *known == kind);
            let name = row.text(1).unwrap_or_default().into_owned();
            let kind = kind.unwrap_or(6);
            places
                .processors
                .insert((source, id), Processor { kind, name });
            if let Some(uuid) = row.text(2) {
                let first = *gpus.entry(uuid.into_owned()).or_insert((source, id));
                if first != (source, id) {
                    places.same.insert((source, id), first);
                    return true;
                }
            }
            // A processor that could have run something is shown idle.
            if (1..=4).contains(&kind) {
                all.push((source, id));
            }
            true
        })?;
        for (source, id) in all {
            places.processor(to, source, id);
        }
        let columns = columns!(MemoryRow: ["sourceId", "id"], ["kind"]);
        rows(database, columns, |[source, id], row| {
            let kind = row.text(0).unwrap_or_default();
            places.memories.insert((source, id), format!("{kind} {id}"));
            true
        })?;
        each_line(database, |id, line| {
            places.lines.insert(id, to.line(line));
        })?;
        Ok(places)
    }

    fn processes(&mut self, database: &Database, to: &mut Builder) -> Result<(), ExportError> {
        let mut names: Vec<(i64, String)> = Vec::new();
        let mut runs: FxHashMap<String, u32> = FxHashMap::default();
        let columns = columns!(SourceRow: ["id"], ["path", "kind", "rank", "host", "run"]);
        rows(database, columns, |[id], row| {
            let next = runs.len() as u32;
            let run = row
                .text(4)
                .map_or_else(|| format!(" {id}"), |run| run.into_owned());
            self.runs.insert(id, *runs.entry(run).or_insert(next));
            let path = row.text(0).unwrap_or_default();
            let rank = row.integer(2);
            let is_nsys = row.text(1).is_some_and(|kind| kind.starts_with("nsys"));
            if is_nsys {
                names.push((id, path.into_owned()));
                return true;
            }
            let number = rank.and_then(|rank| u16::try_from(rank).ok());
            let label = match (rank, row.text(3)) {
                (Some(rank), Some(host)) => format!("rank {rank} on {host}"),
                (Some(rank), None) => format!("rank {rank}"),
                (None, _) => path.into_owned(),
            };
            let process = to.process(label, number);
            self.sources.insert(id, process);
            if let Some(rank) = rank {
                self.ranks.entry(rank).or_insert(process);
            }
            true
        })?;
        // The process of a session stands in for work without a known process.
        for (id, path) in names {
            let process = to.process(path, None);
            self.sources.insert(id, process);
        }
        let columns = columns!(RankRow: ["sourceId"], ["pid"]);
        rows(database, columns, |[source], row| {
            let Some(pid) = row.integer(0) else {
                return true;
            };
            if let Some(process) = self.sources.get(&source) {
                self.pids.entry(pid).or_insert(*process);
            }
            true
        })
    }

    /// Returns the process of a row.
    pub(super) fn process(&mut self, to: &mut Builder, source: i64, rank: Option<i64>) -> u32 {
        if let Some(process) = rank.and_then(|rank| self.ranks.get(&rank)) {
            return *process;
        }
        let known = self.sources.entry(source);
        *known.or_insert_with(|| to.process(format!("source {source}"), None))
    }

    /// Returns the process of a thread, by Nsight Systems' number.
    pub(super) fn process_of_thread(&mut self, to: &mut Builder, thread: i64) -> u32 {
        let pid = thread >> 24 & 0xff_ffff;
        if let Some(process) = self.pids.get(&pid) {
            return *process;
        }
        let known = self.others.entry(thread >> 24);
        *known.or_insert_with(|| to.process(format!("process {pid}"), None))
    }

    /// Returns the run of a source. UIDs are unique within a run.
    pub(super) fn run(&self, source: i64) -> u32 {
        self.runs.get(&source).copied().unwrap_or(u32::MAX)
    }

    /// Returns the number of a line.
    pub(super) fn line(&self, provenance: Option<i64>) -> u32 {
        let line = provenance.and_then(|id| self.lines.get(&id));
        line.copied().unwrap_or(0)
    }

    /// Returns the lane of a processor.
    pub(super) fn processor(&mut self, to: &mut Builder, source: i64, id: i64) -> LaneIndex {
        let own = (source, id);
        let (source, id) = self.same.get(&own).copied().unwrap_or(own);
        if let Some(lane) = self.lanes.get(&(source, id)) {
            return *lane;
        }
        let known = self.processors.get(&(source, id)).cloned();
        let kind = known.as_ref().map_or(6, |processor| processor.kind);
        let process = self.process(to, source, None);
        let word = KINDS.get(kind).copied().unwrap_or("Other");
        let (show, group) = match word {
            "Program" => (LaneKind::Program, "Program"),
            "Utility" => (LaneKind::Utility, "Utility"),
            word => (LaneKind::Processor, word),
        };
        // GPUs come before the many cores, which issue work to them or idle.
        let order = if word == "GPU" { 0 } else { kind as u32 };
        to.group(process, show, order, group);
        let key = key(process, show, order, [source, id, 0]);
        let lane = to.lane(key, || {
            let name = known.map(|processor| processor.name);
            name.filter(|name| !name.is_empty())
                .unwrap_or_else(|| format!("processor {id}"))
        });
        self.lanes.insert((source, id), lane);
        lane
    }

    /// Returns the name of a processor.
    pub(super) fn name(&self, source: i64, id: i64) -> String {
        let known = self.processors.get(&(source, id));
        let name = known.map(|processor| processor.name.clone());
        name.filter(|name| !name.is_empty())
            .unwrap_or_else(|| format!("processor {id}"))
    }

    /// Returns whether a processor runs tasks, and not runtime calls or the program.
    pub(super) fn runs_tasks(&self, source: i64, id: i64) -> bool {
        let known = self.processors.get(&(source, id));
        known.is_none_or(|processor| !matches!(processor.kind, 0 | 7))
    }

    /// Returns the name of a memory.
    pub(super) fn memory(&self, source: i64, id: i64) -> String {
        let known = self.memories.get(&(source, id)).cloned();
        known.unwrap_or_else(|| format!("memory {id}"))
    }
}

/// Calls `each` with the id of every source position, in the order of their numbers, which begin
/// with 1.
pub(super) fn each_line(
    database: &Database,
    mut each: impl FnMut(i64, Line),
) -> Result<(), ExportError> {
    let columns = columns!(ProvenanceRow: ["id"], ["file", "line", "function"]);
    rows(database, columns, |[id], row| {
        let Some(file) = row.text(0) else {
            return false;
        };
        let line = row.integer(1).and_then(|line| u32::try_from(line).ok());
        each(
            id,
            Line {
                file: file.into_owned(),
                line: line.unwrap_or(0),
                function: row.text(2).map(|text| text.into_owned()),
            },
        );
        true
    })
}

/// Returns the key of a lane without a text.
pub(super) fn key(process: u32, kind: LaneKind, group: u32, ids: [i64; 3]) -> LaneKey {
    LaneKey {
        process,
        kind,
        group,
        ids,
        text: String::new(),
    }
}
