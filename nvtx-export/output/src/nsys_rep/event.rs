//! An event of a row: the information that all writers of reports encode, each as well as its
//! format allows.

use weft_model::KernelKind;

/// The kind of an event. The numbers are the values of the enumeration in the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
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

impl Kind {
    pub(super) const ALL: [Kind; 10] = [
        Kind::Task,
        Kind::Launch,
        Kind::Kernel,
        Kind::Memcpy,
        Kind::Memset,
        Kind::Copy,
        Kind::Fill,
        Kind::Instance,
        Kind::RuntimeCall,
        Kind::Wait,
    ];

    /// Returns the word for it in the report.
    pub(super) const fn name(self) -> &'static std::ffi::CStr {
        match self {
            Kind::Task => c"task",
            Kind::Launch => c"launch",
            Kind::Kernel => c"kernel",
            Kind::Memcpy => c"memcpy",
            Kind::Memset => c"memset",
            Kind::Copy => c"copy",
            Kind::Fill => c"fill",
            Kind::Instance => c"instance",
            Kind::RuntimeCall => c"runtime call",
            Kind::Wait => c"wait",
        }
    }
}

impl From<KernelKind> for Kind {
    fn from(kind: KernelKind) -> Self {
        match kind {
            KernelKind::Kernel | KernelKind::Graph => Kind::Kernel,
            KernelKind::Memcpy => Kind::Memcpy,
            KernelKind::Memset => Kind::Memset,
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
    pub(super) kind: Kind,
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
