//! The served traces: one trace, the latest one of a live run, or two that are compared; and access
//! to them.

use crate::state::{State, ViewError, lock};
use serde_json::Value;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock};

/// The served traces.
#[derive(Debug)]
pub struct Site {
    sides: Vec<Side>,
    changes: Option<Value>,
    token: String,
    port: OnceLock<u16>,
}

/// A run with its current trace and the previous one. Requests with the numbers of the previous
/// trace are answered from that one.
#[derive(Debug)]
struct Side {
    traces: Mutex<(Arc<State>, Option<Arc<State>>)>,
}

impl Side {
    fn new(state: State) -> Self {
        Side {
            traces: Mutex::new((Arc::new(state), None)),
        }
    }
}

/// Returns a random token as text.
pub(crate) fn random() -> Result<String, ViewError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(ViewError::Random)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Site {
    /// Creates the site of one trace, with its own token.
    ///
    /// # Errors
    /// Returns an error if the system has no random numbers.
    pub fn new(state: State) -> Result<Self, ViewError> {
        Ok(Site {
            sides: vec![Side::new(state)],
            changes: None,
            token: random()?,
            port: OnceLock::new(),
        })
    }

    /// Creates the site of two runs. `changes` are the rows of `weft diff --by line --format json`.
    ///
    /// # Errors
    /// Returns an error if the system has no random numbers.
    pub fn pair(before: State, after: State, changes: Value) -> Result<Self, ViewError> {
        let mut site = Site::new(before)?;
        site.sides.push(Side::new(after));
        site.changes = Some(changes);
        Ok(site)
    }

    /// Replaces the first run's trace.
    pub fn replace_first(&self, state: State) {
        if let Some(side) = self.sides.first() {
            let mut traces = lock(&side.traces);
            let old = std::mem::replace(&mut traces.0, Arc::new(state));
            traces.1 = Some(old);
        }
    }

    /// Marks the first run as ended when it cannot be read again; its trace stays.
    pub fn end(&self) {
        if let Some(side) = self.sides.first() {
            let traces = lock(&side.traces);
            traces.0.has_ended.store(true, Ordering::Relaxed);
        }
    }

    /// Returns the current traces of the runs.
    pub(crate) fn states(&self) -> Vec<Arc<State>> {
        let states = self.sides.iter();
        states
            .map(|side| Arc::clone(&lock(&side.traces).0))
            .collect()
    }

    /// Returns the changes from the first run to the second, if there are two.
    pub(crate) fn changes(&self) -> Option<&Value> {
        self.changes.as_ref()
    }

    /// Returns the trace of a request, by its run and generation.
    pub(crate) fn state(
        &self,
        side: usize,
        generation: Option<u64>,
    ) -> Result<Arc<State>, ViewError> {
        let side = self.sides.get(side);
        let side = side.ok_or_else(|| ViewError::Unknown("there is no such run".to_owned()))?;
        let traces = lock(&side.traces);
        let (now, before) = &*traces;
        let Some(asked) = generation else {
            return Ok(Arc::clone(now));
        };
        let mut known = [Some(now), before.as_ref()].into_iter().flatten();
        let found = known.find(|state| state.options.generation == asked);
        found.map(Arc::clone).ok_or(ViewError::Gone)
    }

    /// Returns the token that requests must carry.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Sets the port of the server.
    pub fn set_port(&self, port: u16) {
        self.port.get_or_init(|| port);
    }

    /// Returns the port of the server, once it is known.
    pub fn port(&self) -> Option<u16> {
        self.port.get().copied()
    }

    /// Returns the address of the page, with the token.
    pub fn address(&self) -> String {
        let port = self.port.get().copied().unwrap_or(0);
        format!("http://127.0.0.1:{port}/?token={}", self.token)
    }

    /// Returns whether the request is addressed to this server. A page elsewhere can make a browser
    /// send requests under its own host name, which leads here.
    pub(crate) fn is_host(&self, host: Option<&str>) -> bool {
        let Some((name, port)) = host.and_then(|host| host.rsplit_once(':')) else {
            return false;
        };
        // A forwarded port has another number.
        let is_port = port.parse::<u16>().is_ok();
        is_port && matches!(name, "127.0.0.1" | "localhost" | "[::1]")
    }

    /// Returns whether pages of this origin may send requests.
    pub(crate) fn is_origin(&self, origin: &str) -> bool {
        origin
            .strip_prefix("http://")
            .is_some_and(|host| self.is_host(Some(host)))
    }

    /// Compares in a time that does not depend on the number of matching characters.
    pub(crate) fn is_token(&self, token: &str) -> bool {
        let (own, other) = (self.token.as_bytes(), token.as_bytes());
        let pairs = own.iter().zip(other);
        own.len() == other.len() && pairs.fold(0, |differs, (a, b)| differs | (a ^ b)) == 0
    }
}
