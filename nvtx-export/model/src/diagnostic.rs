//! Diagnostics of Nsight Systems about its recording.

use super::{SourceIndex, StringIndex};
use weft_trace::time::Timestamp;

/// The severity of a diagnostic, as numbered by Nsight Systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Urgency {
    /// Unknown.
    Unknown = 0,
    /// Information about the recording.
    Info = 1,
    /// Data may be missing.
    Warning = 2,
    /// Data is missing.
    Error = 3,
    /// Detailed information.
    Verbose = 4,
}

impl Urgency {
    /// All variants, by number.
    pub const ALL: [Urgency; 5] = [
        Urgency::Unknown,
        Urgency::Info,
        Urgency::Warning,
        Urgency::Error,
        Urgency::Verbose,
    ];

    /// Returns the variant with this number. Numbers of later versions are unknown.
    pub fn from_number(number: i64) -> Self {
        let place = usize::try_from(number).ok();
        let known = place.and_then(|place| Urgency::ALL.get(place));
        known.copied().unwrap_or(Urgency::Unknown)
    }

    /// Returns its name in outputs.
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
    /// The file it was read from.
    pub source: SourceIndex,
    /// The time of the report.
    pub at: Timestamp,
    /// Its severity.
    pub urgency: Urgency,
    /// The process that it concerns, as numbered by Nsight Systems.
    pub process: Option<i64>,
    /// Its text.
    pub text: StringIndex,
}
