//! What requests are answered from.

use crate::api::advise::Replayed;
use crate::api::search::Found;
use crate::api::source::{Ledger, Sources};
use crate::database::Connections;
use crate::source_root::SourceRoot;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use weft_nvtx_export::ExportError;
use weft_nvtx_export::timeline::{Hits, TimelineError, Trace};

/// Why a request has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// It is not understood.
    #[error("{0}")]
    Asked(String),
    /// What it names is not there.
    #[error("{0}")]
    Unknown(String),
    /// The timeline cannot be read.
    #[error(transparent)]
    Timeline(#[from] TimelineError),
    /// The database cannot be read.
    #[error("cannot read the database: {0}")]
    Database(#[from] rusqlite::Error),
    /// The inputs cannot be read.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// The system gives no random numbers.
    #[error("the system gives no random numbers: {0}")]
    Random(getrandom::Error),
    /// The port cannot be opened.
    #[error("cannot listen on port {port} of this machine: {why}")]
    Listen {
        /// The port.
        port: u16,
        /// What the system said.
        why: String,
    },
}

/// How a trace is shown.
#[derive(Debug, Default)]
pub struct Options {
    /// What the page is called.
    pub title: String,
    /// The only folder from which source text is read.
    pub source_root: Option<SourceRoot>,
}

/// A line with all its slices.
#[derive(Clone, Debug)]
pub(crate) struct Lit {
    pub(crate) line: u32,
    pub(crate) hits: Arc<Hits>,
}

/// A trace that is shown, and what was asked of it last.
#[derive(Debug)]
pub struct State {
    pub(crate) trace: Trace,
    pub(crate) options: Options,
    pub(crate) connections: Connections,
    pub(crate) ledger: OnceLock<Ledger>,
    pub(crate) sources: OnceLock<Sources>,
    pub(crate) are_successors_found: OnceLock<bool>,
    pub(crate) found: Mutex<Option<Found>>,
    pub(crate) replayed: Mutex<Option<Arc<Replayed>>>,
    pub(crate) graphs: Mutex<FxHashMap<crate::api::graph::Asked, serde_json::Value>>,
    pub(crate) lit: Mutex<Option<Lit>>,
    token: String,
    port: OnceLock<u16>,
}

/// Whatever a thread that panicked left is whole: values are put in place at once.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Random text.
fn random() -> Result<String, ViewError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(ViewError::Random)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl State {
    /// Of a trace, with a token of its own.
    ///
    /// # Errors
    /// The system gives no random numbers.
    pub fn new(trace: Trace, options: Options) -> Result<Self, ViewError> {
        Ok(State {
            trace,
            options,
            connections: Connections::default(),
            ledger: OnceLock::new(),
            sources: OnceLock::new(),
            are_successors_found: OnceLock::new(),
            found: Mutex::new(None),
            replayed: Mutex::new(None),
            graphs: Mutex::default(),
            lit: Mutex::new(None),
            token: random()?,
            port: OnceLock::new(),
        })
    }

    /// What whoever asks must know.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// From here on the server is at this port.
    pub fn set_port(&self, port: u16) {
        self.port.get_or_init(|| port);
    }

    /// The port that it is served on, once it is.
    pub fn port(&self) -> Option<u16> {
        self.port.get().copied()
    }

    /// The address of the page, with the token.
    pub fn address(&self) -> String {
        let port = self.port.get().copied().unwrap_or(0);
        format!("http://127.0.0.1:{port}/?token={}", self.token)
    }

    /// A number that is used once.
    pub(crate) fn nonce(&self) -> Result<String, ViewError> {
        random()
    }

    /// Whether the request is meant for this server: a page elsewhere can make a browser ask under a name of its own, which leads
    /// here.
    pub(crate) fn is_host(&self, host: Option<&str>) -> bool {
        let Some((name, port)) = host.and_then(|host| host.rsplit_once(':')) else {
            return false;
        };
        // A forwarded port has another number.
        let is_port = port.parse::<u16>().is_ok();
        is_port && matches!(name, "127.0.0.1" | "localhost" | "[::1]")
    }

    /// Whether a page with this origin may ask.
    pub(crate) fn is_origin(&self, origin: &str) -> bool {
        origin
            .strip_prefix("http://")
            .is_some_and(|host| self.is_host(Some(host)))
    }

    /// Compares in a time that does not depend on how much is right.
    pub(crate) fn is_token(&self, token: &str) -> bool {
        let (own, other) = (self.token.as_bytes(), token.as_bytes());
        let pairs = own.iter().zip(other);
        own.len() == other.len() && pairs.fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
    }
}
