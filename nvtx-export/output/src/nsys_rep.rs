//! Reports of Nsight Systems (`.nsys-rep`): a row for every processor, CUDA stream, channel and memory, merged, where it
//! is asked for, into the report that Nsight Systems recorded of the run, on one timeline with its CUDA rows.
//!
//! [`write()`] takes an NVTXW backend where one is found ([`find`](Search)), loaded at run time; both ABIs of the header
//! `nvtxw3.h` are spoken. An event carries UID, operation, launch, source line, variant, all times and bytes as a payload
//! with a schema. No backend of Nsight Systems itself has been seen by the tests yet: they run two that are made of
//! NVIDIA's headers. Where there is none, `ImportNvtxt` makes the report of text, with the UID in the messages.

mod backend;
mod clock;
mod event;
mod events;
mod find;
mod importer;
mod merge;
mod nvtxt;
mod nvtxw;
mod rows;
mod stream;
mod target;

use backend::Backend;
use events::Events;
use merge::Merged;
use std::path::{Path, PathBuf};
use target::Target;
use weft_model::{ExportError, Progress, Trace};

pub use find::{INSTALLATION_VARIABLE, Search};
pub use stream::{STREAM, import_stream};

/// How a report is written.
#[derive(Clone, Debug)]
pub struct ReportOptions {
    /// Replace an output that exists.
    pub force: bool,
    /// The report to merge with. It must be an input of the joined trace too: `weft_nvtx_export::merge_inputs` puts it first.
    pub merge: Option<PathBuf>,
    /// Where to look for what writes reports.
    pub search: Search,
    /// Who watches the writing.
    pub progress: Progress,
}

/// What wrote, or would write, a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Writer {
    /// An NVTXW backend.
    Backend {
        /// The library.
        path: PathBuf,
        /// The interface it speaks, for people.
        interface: &'static str,
    },
    /// `ImportNvtxt`.
    Importer {
        /// The program.
        path: PathBuf,
    },
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The file.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// What wrote it.
    pub writer: Writer,
    /// Rows.
    pub rows: usize,
    /// Events in them.
    pub events: usize,
    /// Events that the report could not take: they lie before its clock begins, or belong to no row because the
    /// record of their task is missing.
    pub left_out: usize,
}

/// Returns the NVTXW backend that [`write()`] would use.
///
/// # Errors
/// There is none: a line for each candidate that could not be used.
pub fn backend(search: &Search) -> Result<Writer, Vec<String>> {
    let (path, backend) = search.backend()?;
    Ok(Writer::Backend {
        path,
        interface: backend.interface(),
    })
}

/// Returns the `ImportNvtxt` that [`write()`] would use where there is no backend.
pub fn importer(search: &Search) -> Option<Writer> {
    search.importer().map(|path| Writer::Importer { path })
}

/// Writes the joined trace as a report to `out`, which appears when it is complete.
///
/// # Errors
/// `out` exists and is not to be replaced, or cannot be written; nothing on this machine can write reports, or it fails;
/// the report to merge with is none, or is not among the inputs.
pub fn write(trace: &Trace, out: &Path, options: &ReportOptions) -> Result<Report, ExportError> {
    let target = Target::new(trace, out, options.force)?;
    let merged = match &options.merge {
        Some(report) => Some(Merged::of(trace, report)?),
        None => None,
    };
    let merged = merged.as_ref();
    let means = Means::find(&options.search)?;
    let mut events = Events::of(trace);
    let held = |source| merged.is_some_and(|merged| merged.holds(trace, source));
    let rows = rows::rows(&events, held);
    let homeless = events.rows().homeless_waits();
    let all = rows.iter().map(|row| row.items.len() as u64).sum();
    options.progress.begin("writing the report", all);
    let progress = &options.progress;
    let (writer, count, left_out) = match means {
        Means::Backend(path, backend) => {
            let count = nvtxw::write(
                &mut events,
                &rows,
                (&path, &backend),
                &target,
                merged,
                progress,
            )?;
            let interface = backend.interface();
            (Writer::Backend { path, interface }, count, homeless)
        }
        Means::Importer(path) => {
            let written = nvtxt::write(&mut events, &rows, &path, &target, merged, progress)?;
            let left_out = homeless + written.left_out;
            (Writer::Importer { path }, written.events, left_out)
        }
    };
    let Some(bytes) = target.settle()? else {
        return Err(ExportError::NoReport {
            writer: match writer {
                Writer::Backend { path, .. } | Writer::Importer { path } => path,
            },
        });
    };
    Ok(Report {
        path: out.to_owned(),
        bytes,
        writer,
        rows: rows.len(),
        events: count,
        left_out,
    })
}

/// What a report is written with.
enum Means {
    Backend(PathBuf, Backend),
    Importer(PathBuf),
}

impl Means {
    fn find(search: &Search) -> Result<Means, ExportError> {
        let why = match search.backend() {
            Ok((path, backend)) => return Ok(Means::Backend(path, backend)),
            Err(why) => why,
        };
        if search.names_a_backend() {
            return Err(ExportError::Backend {
                why: why.join(", nor "),
            });
        }
        match search.importer() {
            Some(path) => Ok(Means::Importer(path)),
            None => Err(ExportError::NoReportWriter),
        }
    }
}
