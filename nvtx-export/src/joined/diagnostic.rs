//! What Nsight Systems said about its own recording.

use super::{SourceIndex, StringIndex};
use weft_trace::time::Timestamp;

/// How much a diagnostic matters, as Nsight Systems numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Urgency {
    /// It does not say.
    Unknown = 0,
    /// What happened.
    Info = 1,
    /// Something may be missing.
    Warning = 2,
    /// Something is missing.
    Error = 3,
    /// Details of what happened.
    Verbose = 4,
}

impl Urgency {
    /// All of them, by their number.
    pub const ALL: [Urgency; 5] = [
        Urgency::Unknown,
        Urgency::Info,
        Urgency::Warning,
        Urgency::Error,
        Urgency::Verbose,
    ];

    /// The one with this number; numbers of later versions are unknown.
    pub fn from_number(number: i64) -> Self {
        let place = usize::try_from(number).ok();
        let known = place.and_then(|place| Urgency::ALL.get(place));
        known.copied().unwrap_or(Urgency::Unknown)
    }

    /// The word for it in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Urgency::Unknown => "unknown",
            Urgency::Info => "info",
            Urgency::Warning => "warning",
            Urgency::Error => "error",
            Urgency::Verbose => "verbose",
        }
    }
}

/// A message of Nsight Systems about its recording.
#[derive(Clone, Copy, Debug)]
pub struct Diagnostic {
    /// Where it was read.
    pub source: SourceIndex,
    /// When it was said.
    pub at: Timestamp,
    /// How much it matters.
    pub urgency: Urgency,
    /// The process that it is about, as Nsight Systems numbers them.
    pub process: Option<i64>,
    /// What it says.
    pub text: StringIndex,
}
