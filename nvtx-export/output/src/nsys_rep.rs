//! Reports of Nsight Systems (`.nsys-rep`), with a row for every processor, CUDA stream, channel
//! and memory. On request they are merged into the report that Nsight Systems recorded of the run,
//! on one timeline with its CUDA rows.
//!
//! [`write()`] uses an NVTXW backend if one is found ([`find`](Search)). It is loaded at run time,
//! with either ABI of the header `nvtxw3.h`. An event carries UID, operation, launch, source line,
//! variant, all times and bytes as a payload with a schema. The tests have not run with a backend
//! of Nsight Systems itself yet, but with two that are built from NVIDIA's headers.
//!
//! Without a backend, `ImportNvtxt` converts text to the report, with the UIDs in the messages.

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

/// Options for writing a report.
#[derive(Clone, Debug)]
pub struct ReportOptions {
    /// Whether to replace an output that exists.
    pub force: bool,
    /// The report to merge with. It must also be an input of the joined trace:
    /// `weft_nvtx_export::merge_inputs` puts it first.
    pub merge: Option<PathBuf>,
    /// The places to search for writers of reports.
    pub search: Search,
    /// The receiver of progress events.
    pub progress: Progress,
}

/// A writer of reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Writer {
    /// An NVTXW backend.
    Backend {
        /// The library.
        path: PathBuf,
        /// The name of its interface, for people.
        interface: &'static str,
    },
    /// `ImportNvtxt`.
    Importer {
        /// The program.
        path: PathBuf,
    },
}

/// The written report, with counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// The file.
    pub path: PathBuf,
    /// Its size in bytes.
    pub bytes: u64,
    /// The writer that was used.
    pub writer: Writer,
    /// The number of rows.
    pub rows: usize,
    /// The number of events.
    pub events: usize,
    /// The number of events that were left out: they lie before the clock of the report begins, or
    /// have no row because the record of their task is missing.
    pub left_out: usize,
}

/// Returns the NVTXW backend that [`write()`] would use.
///
/// # Errors
/// Returns an error if no backend can be used. The error has one line per candidate.
pub fn backend(search: &Search) -> Result<Writer, Vec<String>> {
    let (path, backend) = search.backend()?;
    Ok(Writer::Backend {
        path,
        interface: backend.interface(),
    })
}

/// Returns the `ImportNvtxt` that [`write()`] would use without a backend.
pub fn importer(search: &Search) -> Option<Writer> {
    search.importer().map(|path| Writer::Importer { path })
}

/// Writes the joined trace as a report to `out`, which appears when it is complete.
///
/// # Errors
/// - `out` exists and must not be replaced, or cannot be written.
/// - No writer of reports is found, or it fails.
/// - The file to merge with is not a report, or is not among the inputs.
pub fn write(trace: &Trace, out: &Path, options: &ReportOptions) -> Result<Report, ExportError> {
    let target = Target::new(trace, out, options.force)?;
    let merged = match &options.merge {
        Some(report) => Some(Merged::new(trace, report)?),
        None => None,
    };
    let merged = merged.as_ref();
    let means = Means::find(&options.search)?;
    let mut events = Events::new(trace);
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

/// The means of writing a report.
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
