//! Diagnostics of Nsight Systems about its recording.

use super::{SourceIndex, StringIndex};
use weft_trace::time::Timestamp;

/// The severity of a diagnostic, as numbered by Nsight Systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Urgency {
    /// Unknown.
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
    /// When it was reported.
    pub at: Timestamp,
    /// Its severity.
    pub urgency: Urgency,
    /// The process that it is about, as Nsight Systems numbers them.
    pub process: Option<i64>,
    /// Its text.
    pub text: StringIndex,
}
