//! Legion Prof files of any version, which Legate writes.
//!
//! A file begins with a text that lists its kinds of records and their fields. A record is the
//! number of its kind followed by the fields. Ids, fields and sizes are taken from that text.
//! Unknown kinds are skipped by the sizes of their fields, and counted. Nothing can be read after a
//! damage, because records have no length.

mod assemble;
mod buffer;
pub(crate) mod container;
mod copies;
mod decode;
mod events;
mod layout;
mod losses;
mod machine;
mod names;
mod preamble;
mod provenance;
mod record;
mod rows;

pub use decode::{Damage, Use};

use crate::{ReadOptions, RequiredParts};
use buffer::Buffer;
use container::Watched;
use decode::Kinds;
use preamble::Failed;
use record::RecordKind;
use rows::{File, RecordReader};
use std::io::{self, Read};
use std::path::Path;
use weft_model::{ExportError, MemoryLimit, Recording, RunIndex, Source, SourceIndex, SourceKind};
use weft_trace::id::Uid;

/// A kind of records in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KindCount {
    /// Its name.
    pub name: String,
    /// The number of its records that were read.
    pub records: u64,
    /// The use of the records.
    pub usage: Use,
}

/// A summary of a file's content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The version of the format, as in the file.
    pub version: String,
    /// The version of Legion; empty if absent.
    pub legion: String,
    /// Its kinds of records, in the file's order.
    pub kinds: Vec<KindCount>,
    /// The damage, if any.
    pub damage: Option<Damage>,
}

/// Legion Prof files that have been read. [`Profiles::finish`] combines them.
#[derive(Debug, Default)]
pub struct Profiles {
    files: Vec<(File, Summary)>,
}

impl Profiles {
    /// Reads the file at `path`. Its rows are complete after [`finish`](Self::finish).
    ///
    /// # Errors
    /// The errors of [`read_from`](Self::read_from).
    pub fn read(
        &mut self,
        recording: &mut Recording,
        path: &Path,
        options: &ReadOptions,
    ) -> Result<SourceIndex, ExportError> {
        let read = |error| ExportError::Read {
            path: path.to_owned(),
            error,
        };
        let file = std::fs::File::open(path).map_err(read)?;
        let bytes = file.metadata().map_err(read)?.len();
        let progress = &options.progress;
        progress.begin(&format!("reading {}", path.display()), bytes);
        self.read_from(recording, Watched::new(file, progress), path, options)
    }

    /// Reads a file's bytes: uncompressed, gzip or zstd. `path` is the name given by the user.
    ///
    /// Times are in ns since the file's ZeroTime. A damaged file is read up to the damage, which is
    /// counted. Memory is proportional to the number of rows; at most 16 MiB of the bytes are in
    /// memory at a time.
    ///
    /// # Errors
    /// - The bytes cannot be read, or do not begin with a preamble of Legion Prof.
    /// - The options do not allow mixing runs, and the node is that of an earlier file, or the file
    ///   is of another run.
    pub fn read_from(
        &mut self,
        recording: &mut Recording,
        input: impl Read,
        path: &Path,
        options: &ReadOptions,
    ) -> Result<SourceIndex, ExportError> {
        let failed = |error| ExportError::Read {
            path: path.to_owned(),
            error,
        };
        let source = SourceIndex(recording.sources.len() as u32);
        let limit = MemoryLimit::new(options.memory_limit);
        let (content, exceeded) = limit.of_input(container::unwrap(input).map_err(failed)?);
        let mut buffer = Buffer::new(content);
        let preamble = preamble::read(&mut buffer).map_err(|error| match error {
            _ if exceeded.get() => limit.exceeded(path),
            Failed::Io(error) => failed(error),
            Failed::Preamble(error) => ExportError::LegionProf {
                path: path.to_owned(),
                error,
            },
        })?;
        let mut kinds = Kinds::new(&preamble, |known| is_wanted(known, options.keep));
        let mut rows = RecordReader::new(recording, source, options.keep);
        let damage = decode::records(&mut buffer, &mut kinds, |known, raw, places| {
            rows.take(known, raw, places);
        });
        let file = rows.finish();
        if exceeded.get() {
            return Err(limit.exceeded(path));
        }
        let damage = damage.map_err(failed)?;
        let counts = kinds.entries().iter().map(|entry| KindCount {
            name: entry.layout.name.clone(),
            records: entry.records,
            usage: entry.usage,
        });
        let summary = Summary {
            version: match file.version {
                Some(version) => version.to_string(),
                None => preamble.version,
            },
            legion: preamble.legion,
            kinds: counts.collect(),
            damage,
        };
        let run = self.run_of(recording, &file, path, options)?;
        recording.sources.push(Source {
            path: path.to_owned(),
            kind: SourceKind::LegionProf,
            run,
            run_id: None,
            rank: small(file.node),
            ranks: small(file.nodes),
            host: file.host.clone(),
            boot_id: None,
            pid: file.pid,
            program: None,
            database: None,
            wall_at_zero: file.zero_time,
            lossy: false,
        });
        self.files.push((file, summary));
        Ok(source)
    }

    /// Returns the summaries of the files, in their order.
    pub fn summaries(&self) -> impl Iterator<Item = &Summary> {
        self.files.iter().map(|(_, summary)| summary)
    }

    /// Completes the rows of all files: operations with their tasks, copies and names. Also counts
    /// the losses.
    pub fn finish(mut self, recording: &mut Recording) {
        let mut runs: Vec<RunIndex> = (self.files.iter())
            .map(|(file, _)| recording.run_of(file.source))
            .collect();
        runs.sort_unstable();
        runs.dedup();
        for run in runs {
            let of_run = (self.files.iter_mut())
                .map(|(file, _)| file)
                .filter(|file| recording.run_of(file.source) == run);
            let mut files: Vec<&mut File> = of_run.collect();
            assemble::run(recording, run, &mut files);
            let mut hardware: Vec<_> = (files.into_iter())
                .map(|file| (file.source, &mut file.hardware))
                .collect();
            machine::append(recording, &mut hardware);
        }
        for (file, summary) in &self.files {
            losses::append(recording, file, summary);
            facts(recording, file, summary);
        }
    }

    /// Returns the run of a file: the run of earlier files with as many nodes, if its node is not
    /// among them.
    fn run_of(
        &self,
        recording: &Recording,
        file: &File,
        path: &Path,
        options: &ReadOptions,
    ) -> Result<RunIndex, ExportError> {
        let own = RunIndex(recording.sources.len() as u32);
        let name = |file: &File| match file.nodes {
            Some(1) => "a Legion run on 1 node".to_owned(),
            Some(nodes) => format!("a Legion run on {nodes} nodes"),
            None => "a Legion run that does not say its nodes".to_owned(),
        };
        let path_of = |file: &File| {
            let source = recording.sources.get(file.source.0 as usize);
            source.map(|source| source.path.clone()).unwrap_or_default()
        };
        let mut found: Option<RunIndex> = None;
        for (known, _) in &self.files {
            let run = recording.run_of(known.source);
            if known.nodes != file.nodes {
                if options.mix_runs {
                    continue;
                }
                return Err(ExportError::MixedRuns {
                    path: path.to_owned(),
                    found: name(file),
                    first: path_of(known),
                    expected: name(known),
                });
            }
            let twice = |other: &&(File, Summary)| {
                recording.run_of(other.0.source) == run && other.0.node == file.node
            };
            match self.files.iter().find(twice) {
                None => _ = found.get_or_insert(run),
                Some(_) if options.mix_runs => {}
                Some((first, _)) => {
                    return Err(ExportError::RankTwice {
                        first: path_of(first),
                        path: path.to_owned(),
                        rank: small(file.node).unwrap_or_default(),
                        run: name(file),
                    });
                }
            }
        }
        Ok(found.unwrap_or(own))
    }
}

/// Returns whether the rows that are kept need a kind of records.
fn is_wanted(known: RecordKind, keep: RequiredParts) -> bool {
    match known {
        RecordKind::RuntimeCallInfo
        | RecordKind::MapperCallInfo
        | RecordKind::MetaInfo
        | RecordKind::MessageInfo
        | RecordKind::ApplicationCallInfo
        | RecordKind::ProfTaskInfo
        | RecordKind::RuntimeCallDesc
        | RecordKind::MapperCallDesc
        | RecordKind::MetaDesc
        | RecordKind::TaskWaitInfo
        | RecordKind::MetaWaitInfo
        | RecordKind::EventWaitInfo
        | RecordKind::PartitionInfo
        | RecordKind::EventMergerInfo
        | RecordKind::CompletionQueueInfo
        | RecordKind::EventTriggerInfo
        | RecordKind::EventPoisonInfo
        | RecordKind::BarrierArrivalInfo
        | RecordKind::ReservationAcquireInfo
        | RecordKind::InstanceReadyInfo => keep == RequiredParts::Everything,
        RecordKind::InstTimelineInfo => keep != RequiredParts::Ranges,
        _ => true,
    }
}

/// Records the facts of a file about its run.
fn facts(recording: &mut Recording, file: &File, summary: &Summary) {
    let id = file.source.id();
    let meta = &mut recording.quality.meta;
    meta.set(format!("legion_prof_version_{id}"), &summary.version);
    meta.set(format!("legion_version_{id}"), &summary.legion);
    if let Some(error) = file.calibration_error {
        meta.set(format!("legion_calibration_error_ns_{id}"), error);
    }
    if !file.flags.is_empty() {
        meta.set(format!("legion_slow_flags_{id}"), file.flags.join(", "));
    }
}

fn small(number: Option<u64>) -> Option<u16> {
    number.and_then(|number| number.try_into().ok())
}

/// Returns the UID of an object that Legion identifies by an event of Realm, which has bit 63 set.
/// The UID has bit 62 set instead, unlike those of operations. `None` for no event.
fn uid_of_event(event: u64) -> Option<Uid> {
    let low = event & ((1 << 62) - 1);
    Uid::from_raw(1 << 62 | low).filter(|_| event != 0)
}

/// Reads one file's bytes into its own recording, without aligned clocks or a join; for tests
/// and fuzzing.
///
/// # Errors
/// The errors of [`Profiles::read_from`].
pub fn read_from(
    input: impl Read,
    options: &ReadOptions,
) -> Result<(Recording, Summary), ExportError> {
    let mut recording = Recording::default();
    let mut profiles = Profiles::default();
    profiles.read_from(&mut recording, input, Path::new("legate_0.prof"), options)?;
    let summary = profiles.summaries().next().cloned();
    profiles.finish(&mut recording);
    recording.settle_untimed();
    let none = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let summary = summary.ok_or_else(|| ExportError::Read {
        path: "legate_0.prof".into(),
        error: none(),
    })?;
    Ok((recording, summary))
}
