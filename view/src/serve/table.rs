//! The connections and their states, and the choice of one to close.

use super::Limits;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Instant;
use tokio::sync::Notify;

/// The state of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// No byte of a request has arrived.
    Idle,
    /// A part of a head has arrived.
    Head,
    /// The request is read further, or answered.
    Working,
    /// The answer is written.
    Writing,
    /// It was refused, and still sends.
    Lingering,
}

/// The shared state of a connection.
#[derive(Debug)]
pub(super) struct ConnectionState {
    phase: Cell<Phase>,
    since: Cell<Instant>,
    /// Whether it has sent the token.
    pub(super) is_trusted: Cell<bool>,
    /// Notified when it is to end.
    pub(super) stop: Notify,
}

impl ConnectionState {
    pub(super) fn phase(&self) -> Phase {
        self.phase.get()
    }

    /// Begins a phase, or restarts the time of the current one.
    pub(super) fn begin(&self, phase: Phase) {
        self.phase.set(phase);
        self.since.set(Instant::now());
    }

    /// Whether its phase has taken too long.
    fn is_late(&self, limits: &Limits) -> bool {
        let most = match self.phase.get() {
            Phase::Idle => limits.idle_time,
            Phase::Head => limits.head_time,
            // Bodies have their own time limit, and answers have none.
            Phase::Working => return false,
            Phase::Writing => limits.stall_time,
            Phase::Lingering => limits.linger_time,
        };
        self.since.get().elapsed() > most
    }

    /// Whether no answer to a client with the token is lost with it.
    fn is_spare(&self) -> bool {
        !self.is_trusted.get()
            || matches!(
                self.phase.get(),
                Phase::Idle | Phase::Head | Phase::Lingering
            )
    }
}

/// The connections.
#[derive(Debug)]
pub(super) struct Table {
    limits: Limits,
    rows: RefCell<Vec<Rc<ConnectionState>>>,
}

/// A connection in the table, which is removed on drop.
pub(super) struct Entry {
    table: Rc<Table>,
    pub(super) state: Rc<ConnectionState>,
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.table.remove(&self.state);
    }
}

impl Table {
    pub(super) fn new(limits: Limits) -> Self {
        Table {
            limits,
            rows: RefCell::default(),
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.rows.borrow().len() >= self.limits.connections
    }

    pub(super) fn add(self: &Rc<Self>) -> Entry {
        let state = Rc::new(ConnectionState {
            phase: Cell::new(Phase::Idle),
            since: Cell::new(Instant::now()),
            is_trusted: Cell::new(false),
            stop: Notify::new(),
        });
        self.rows.borrow_mut().push(Rc::clone(&state));
        let table = Rc::clone(self);
        Entry { table, state }
    }

    fn remove(&self, state: &Rc<ConnectionState>) {
        let mut rows = self.rows.borrow_mut();
        if let Some(at) = rows.iter().position(|row| Rc::ptr_eq(row, state)) {
            rows.swap_remove(at);
        }
    }

    /// Ends the connection that has waited longest for a request, preferring those that never sent
    /// the token. Returns whether there was one.
    pub(super) fn stop_one(&self) -> bool {
        let longest = {
            let rows = self.rows.borrow();
            let spare = rows.iter().filter(|state| state.is_spare());
            let longest = spare.min_by_key(|state| (state.is_trusted.get(), state.since.get()));
            longest.cloned()
        };
        let Some(state) = longest else {
            return false;
        };
        state.stop.notify_one();
        self.remove(&state);
        true
    }

    /// Ends the connections that take too long.
    pub(super) fn stop_late(&self) {
        let rows = self.rows.borrow();
        for state in rows.iter().filter(|state| state.is_late(&self.limits)) {
            state.stop.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evicts_connections_without_token_then_the_oldest_spare() {
        let table = Rc::new(Table::new(Limits {
            connections: 4,
            ..Limits::default()
        }));
        let entries: Vec<Entry> = (0..4).map(|_| table.add()).collect();
        assert!(table.is_full());
        let now = Instant::now();
        for (at, entry) in entries.iter().enumerate() {
            entry
                .state
                .since
                .set(now + std::time::Duration::from_millis(at as u64));
        }
        entries[0].state.is_trusted.set(true);
        entries[2].state.is_trusted.set(true);
        entries[2].state.phase.set(Phase::Working);
        // It has no token, so its answer does not matter.
        entries[3].state.phase.set(Phase::Working);
        let left = || -> Vec<bool> {
            let rows = table.rows.borrow();
            let is_there = |entry: &Entry| rows.iter().any(|row| Rc::ptr_eq(row, &entry.state));
            entries.iter().map(is_there).collect()
        };
        assert!(table.stop_one());
        assert_eq!(left(), [true, false, true, true]);
        assert!(!table.is_full());
        assert!(table.stop_one());
        assert_eq!(left(), [true, false, true, false]);
        assert!(table.stop_one());
        assert_eq!(left(), [false, false, true, false]);
        // A client with the token that waits for its answer stays.
        assert!(!table.stop_one());
        drop(entries);
        assert!(table.rows.borrow().is_empty());
    }
}
