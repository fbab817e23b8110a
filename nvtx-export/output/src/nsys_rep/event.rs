//! One event of a row: what every way of writing a report says of it, each as well as it can.

use weft_model::KernelKind;

/// What an event stands for. The numbers are the values of the enumeration in the payload.
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

    /// Returns the word for it in the report, ended as C does.
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

/// The four times of an event in ns. What was never created nor ready has its start there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Times {
    pub(super) created: i64,
    pub(super) ready: i64,
    pub(super) start: i64,
    pub(super) end: i64,
}

impl Times {
    /// Returns all of them later by `shift` ns.
    pub(super) fn shifted(self, shift: i64) -> Times {
        Times {
            created: self.created.saturating_add(shift),
            ready: self.ready.saturating_add(shift),
            start: self.start.saturating_add(shift),
            end: self.end.saturating_add(shift),
        }
    }
}

/// An event. UIDs are 0 if there is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event<'a> {
    pub(super) kind: Kind,
    /// Of the task, copy, fill or instance.
    pub(super) uid: u64,
    pub(super) operation: u64,
    /// Of the launch that served or started it.
    pub(super) launch: u64,
    pub(super) times: Times,
    /// Bytes written, moved or held; 0 if unknown.
    pub(super) bytes: u64,
    /// 0xAARRGGBB.
    pub(super) color: u32,
    /// A row of [`Events::categories`](super::events::Events::categories), from 1.
    pub(super) category: u32,
    /// `<Task> <file:line>`, as the runtime's NVTX range has it.
    pub(super) message: &'a str,
    /// Empty where unknown.
    pub(super) file: &'a str,
    /// 0 if unknown.
    pub(super) line: u32,
    /// The kind of processor or memory.
    pub(super) variant: &'a str,
}
