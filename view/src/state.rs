//! The state that requests are answered from.

use crate::api::advise::Replayed;
use crate::api::search::SearchResult;
use crate::api::source::{Ledger, Sources};
use crate::by_column::Columns;
use crate::database::Connections;
use crate::source_root::SourceRoot;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use weft_files::Scratch;
use weft_nvtx_export::ExportError;
use weft_timeline::{Hits, Timeline, TimelineError};

/// The reason why a request has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The request is invalid.
    #[error("{0}")]
    BadRequest(String),
    /// An object named in the request does not exist.
    #[error("{0}")]
    Unknown(String),
    /// The trace has nothing to draw.
    #[error("{0}")]
    Nothing(String),
    /// The timeline cannot be read.
    #[error(transparent)]
    Timeline(#[from] TimelineError),
    /// The database cannot be read.
    #[error("cannot read the database: {0}")]
    Database(#[from] rusqlite::Error),
    /// The inputs cannot be read.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The system has no random numbers.
    #[error("the system provides no random numbers: {0}")]
    Random(getrandom::Error),
    /// The trace has been read again, and the request uses numbers of the previous one.
    #[error("the trace has changed; repeat the request")]
    Gone,
    /// The port cannot be opened.
    #[error("cannot listen on port {port} of this machine: {why}")]
    Listen {
        /// The port.
        port: u16,
        /// The system's message.
        why: String,
    },
}

/// Settings of a trace's page.
#[derive(Debug, Default)]
pub struct Options {
    /// The title of the page.
    pub title: String,
    /// The only folder from which source text is read.
    pub source_root: Option<SourceRoot>,
    /// The part that is shown first, in ns since the start of the trace.
    pub part: Option<Range<u64>>,
    /// Whether the run is still live.
    pub live: bool,
    /// The number of earlier readings of the trace, for a live run.
    pub generation: u64,
    /// The folder of the trace, if it is removed with it.
    pub folder: Option<Scratch>,
}

/// A line with all its slices.
#[derive(Clone, Debug)]
pub(crate) struct Lit {
    pub(crate) line: u32,
    pub(crate) hits: Arc<Hits>,
}

/// A trace that is shown, with cached results.
#[derive(Debug)]
pub struct State {
    pub(crate) trace: Timeline,
    pub(crate) options: Options,
    pub(crate) connections: Connections,
    pub(crate) ledger: OnceLock<Ledger>,
    /// Held while the ledger is computed.
    pub(crate) ledger_work: Mutex<()>,
    pub(crate) sources: OnceLock<Sources>,
    pub(crate) columns: Columns,
    pub(crate) last_search: Mutex<Option<SearchResult>>,
    pub(crate) replayed: Mutex<Option<Arc<Replayed>>>,
    pub(crate) graphs: Mutex<FxHashMap<crate::api::graph::GraphRequest, serde_json::Value>>,
    pub(crate) lit: Mutex<Option<Lit>>,
    /// Whether the run has ended, so that it is not read again.
    pub(crate) has_ended: AtomicBool,
}

/// Locks a mutex, even after a panic: values are replaced as a whole, so they are never in a broken
/// state.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// Creates the state of a trace.
    pub fn new(trace: Timeline, options: Options) -> Self {
        State {
            trace,
            options,
            connections: Connections::default(),
            ledger: OnceLock::new(),
            ledger_work: Mutex::new(()),
            sources: OnceLock::new(),
            columns: Columns::default(),
            last_search: Mutex::new(None),
            replayed: Mutex::new(None),
            graphs: Mutex::default(),
            lit: Mutex::new(None),
            has_ended: AtomicBool::new(false),
        }
    }

    /// Returns whether the run is still live.
    pub(crate) fn is_live(&self) -> bool {
        self.options.live && !self.has_ended.load(Ordering::Relaxed)
    }
}
