//! An event of a row: the information that all writers of reports encode, each as well as its
//! format allows.

use weft_model::KernelKind;

/// The kind of an event. The numbers are the values of the enumeration in the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventKind {
    Task = 1,
    Launch = 2,
    Kernel = 3,
    Memcpy = 4,
    Memset = 5,
    Copy = 6,
    Fill = 7,
    Instance = 8,
    RuntimeCall = 9,
    Wait = 10,
}

impl EventKind {
    pub(super) const ALL: [EventKind; 10] = [
        EventKind::Task,
        EventKind::Launch,
        EventKind::Kernel,
        EventKind::Memcpy,
        EventKind::Memset,
        EventKind::Copy,
        EventKind::Fill,
        EventKind::Instance,
        EventKind::RuntimeCall,
        EventKind::Wait,
    ];

    /// Returns the word for it in the report.
    pub(super) const fn name(self) -> &'static std::ffi::CStr {
        match self {
            EventKind::Task => c"task",
            EventKind::Launch => c"launch",
            EventKind::Kernel => c"kernel",
            EventKind::Memcpy => c"memcpy",
            EventKind::Memset => c"memset",
            EventKind::Copy => c"copy",
            EventKind::Fill => c"fill",
            EventKind::Instance => c"instance",
            EventKind::RuntimeCall => c"runtime call",
            EventKind::Wait => c"wait",
        }
    }
}

impl From<KernelKind> for EventKind {
    fn from(kind: KernelKind) -> Self {
        match kind {
            KernelKind::Kernel | KernelKind::Graph => EventKind::Kernel,
            KernelKind::Memcpy => EventKind::Memcpy,
            KernelKind::Memset => EventKind::Memset,
        }
    }
}

/// The four times of an event in ns. Rows without a creation or readiness have their start there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) created: i64,
    pub(super) ready: i64,
    pub(super) start: i64,
    pub(super) end: i64,
}

impl Times {
    /// Returns all times, later by `shift` ns.
    pub(super) fn shifted(self, shift: i64) -> Times {
        Times {
            created: self.created.saturating_add(shift),
            ready: self.ready.saturating_add(shift),
            start: self.start.saturating_add(shift),
            end: self.end.saturating_add(shift),
        }
    }
}

/// An event. UIDs are 0 if absent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event<'a> {
    pub(super) kind: EventKind,
    /// The UID of the task, copy, fill or instance.
    pub(super) uid: u64,
    pub(super) operation: u64,
    /// The UID of the launch that served or started it.
    pub(super) launch: u64,
    pub(super) times: Times,
    /// Bytes written, moved or held; 0 if unknown.
    pub(super) bytes: u64,
    /// 0xAARRGGBB.
    pub(super) color: u32,
    /// A row of [`Events::categories`](super::events::Events::categories), from 1.
    pub(super) category: u32,
    /// The text `<Task> <file:line>`, as in the runtime's NVTX range.
    pub(super) message: &'a str,
    /// The file; empty if unknown.
    pub(super) file: &'a str,
    /// The line; 0 if unknown.
    pub(super) line: u32,
    /// The kind of processor or memory.
    pub(super) variant: &'a str,
}
