//! The tool's state between calls: domains, strings, open ranges, the output.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Write;
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::abi::Handle;
use crate::event::{Event, Record};

static STATE: OnceLock<Mutex<State>> = OnceLock::new();

/// The tool's state. Handles are numbers that only grow, so that no stale handle is mistaken for a
/// live one.
#[derive(Debug)]
pub(crate) struct State {
    output: File,
    last_handle: usize,
    domains: HashMap<usize, String>,
    /// Handle of a string: the handle of its domain, and the text.
    strings: HashMap<usize, (usize, String)>,
    /// Open ranges by thread and domain.
    levels: HashMap<(u32, usize), i32>,
    last_range: u64,
    /// Number and domain of each started range.
    started: HashSet<(u64, usize)>,
}

/// Sets the output. A second tool in one process uses the first one's.
pub(crate) fn begin(output: File) {
    let state = State {
        output,
        last_handle: 0,
        domains: HashMap::new(),
        strings: HashMap::new(),
        levels: HashMap::new(),
        last_range: 0,
        started: HashSet::new(),
    };
    STATE.get_or_init(|| Mutex::new(state));
}

/// Runs `action` with exclusive access to the state. Returns the default before [`begin`].
pub(crate) fn with<T: Default>(action: impl FnOnce(&mut State) -> T) -> T {
    match STATE.get() {
        Some(state) => action(&mut state.lock().unwrap_or_else(PoisonError::into_inner)),
        None => T::default(),
    }
}

impl State {
    /// Writes one line at once, so that nothing is lost however the process ends.
    pub(crate) fn write(&mut self, event: Event) {
        let record = Record {
            time: now(),
            thread: thread(),
            event,
        };
        let Ok(mut line) = serde_json::to_vec(&record) else {
            return;
        };
        line.push(b'\n');
        if let Err(error) = self.output.write_all(&line) {
            eprintln!("nvtx-recorder: cannot write a record: {error}");
        }
    }

    pub(crate) fn fault(&mut self, what: impl Into<String>) {
        self.write(Event::Fault { what: what.into() });
    }

    /// Returns the name of a domain; the null handle is the default domain, which has none.
    pub(crate) fn domain(&mut self, domain: Handle) -> Option<String> {
        if domain.is_null() {
            return None;
        }
        let name = self.domains.get(&domain.addr()).cloned();
        if name.is_none() {
            self.fault(format!("no domain has the handle {:#x}", domain.addr()));
        }
        name
    }

    pub(crate) fn create_domain(&mut self, name: String) -> Handle {
        let handle = self.next_handle();
        self.domains.insert(handle, name.clone());
        self.write(Event::DomainCreate { name });
        std::ptr::without_provenance_mut(handle)
    }

    pub(crate) fn destroy_domain(&mut self, domain: Handle) {
        let name = self.domain(domain);
        let open: i32 = self
            .levels
            .iter()
            .filter(|((_, of), _)| *of == domain.addr())
            .map(|(_, level)| level)
            .sum();
        if open != 0 {
            self.fault(format!("{name:?} is destroyed with {open} ranges open"));
        }
        self.domains.remove(&domain.addr());
        self.strings.retain(|_, (of, _)| *of != domain.addr());
        self.write(Event::DomainDestroy { domain: name });
    }

    pub(crate) fn register(&mut self, domain: Handle, text: String) -> Handle {
        let name = self.domain(domain);
        let handle = self.next_handle();
        self.strings.insert(handle, (domain.addr(), text.clone()));
        self.write(Event::StringRegister { domain: name, text });
        std::ptr::without_provenance_mut(handle)
    }

    /// Returns the text of a registered string, which belongs to one domain.
    pub(crate) fn string(&mut self, domain: Handle, string: usize) -> Option<String> {
        match self.strings.get(&string) {
            Some((of, text)) if *of == domain.addr() => Some(text.clone()),
            Some(_) => {
                self.fault(format!("the string {string:#x} belongs to another domain"));
                None
            }
            None => {
                self.fault(format!("no string has the handle {string:#x}"));
                None
            }
        }
    }

    /// Opens a range on this thread, and returns its level.
    pub(crate) fn open(&mut self, domain: Handle) -> i32 {
        let level = self.levels.entry((thread(), domain.addr())).or_insert(0);
        *level += 1;
        *level - 1
    }

    /// Closes this thread's innermost range, and returns its level, or a negative number if none is
    /// open.
    pub(crate) fn close(&mut self, domain: Handle) -> i32 {
        let level = self.levels.entry((thread(), domain.addr())).or_insert(0);
        if *level == 0 {
            self.fault("a pop without a range");
            return -1;
        }
        *level -= 1;
        *level
    }

    pub(crate) fn start(&mut self, domain: Handle) -> u64 {
        self.last_range += 1;
        self.started.insert((self.last_range, domain.addr()));
        self.last_range
    }

    pub(crate) fn end(&mut self, domain: Handle, range: u64) {
        if !self.started.remove(&(range, domain.addr())) {
            self.fault(format!(
                "the range {range} that ends was not started in this domain"
            ));
        }
    }

    fn next_handle(&mut self) -> usize {
        self.last_handle += 0x10;
        self.last_handle
    }
}

#[allow(unsafe_code, reason = "two calls to libc")]
fn now() -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is a place for the answer.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

#[allow(unsafe_code, reason = "a call of libc")]
fn thread() -> u32 {
    // SAFETY: gettid cannot fail.
    unsafe { libc::gettid() }.unsigned_abs()
}
