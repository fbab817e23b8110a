//! The types of the answer.

use serde::{Deserialize, Serialize};

/// Advice on changes, in the order in which to make them. Times are in ns, shares are fractions of
/// one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Advice {
    /// The version of this format: 1.
    pub format: u32,
    /// The part of the run that was examined; `None` for all of it. Savings and lengths refer to
    /// that part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// Whether the inputs have no tasks. Nothing was replayed then, and savings are estimates from
    /// the times of GPU work and calls.
    #[serde(default, skip_serializing_if = "is_false")]
    pub estimated: bool,
    /// The accuracy of the replay.
    pub replay: ReplayFigures,
    /// The findings. Each is the one that saves most on top of those before it.
    pub findings: Vec<Finding>,
    /// The saving of all findings together.
    pub joint: Saving,
    /// The number of candidates whose saving is below the error.
    pub below_error: u64,
    /// Further information, in sentences.
    pub notes: Vec<String>,
}

/// The accuracy of the unchanged replay.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplayFigures {
    /// The recorded length.
    pub measured_ns: i64,
    /// The length of the unchanged replay.
    pub replayed_ns: i64,
    /// The difference of both, which is the error of each saving.
    pub error_ns: i64,
    /// The error relative to the recorded length.
    pub error: f64,
    /// The fraction of the recorded length whose causes are known.
    pub explained: f64,
    /// The least saving that is shown.
    pub least_ns: i64,
}

/// The predicted saving of one change, or of several together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Saving {
    /// The length of the replay with the change.
    pub length_ns: i64,
    /// The difference from the unchanged replay.
    pub saving_ns: i64,
    /// The saving relative to the length of the unchanged replay.
    pub saving: f64,
}

impl Saving {
    pub(super) fn new(replayed: i64, length: i64) -> Saving {
        let saving_ns = replayed - length;
        Saving {
            length_ns: length,
            saving_ns,
            saving: match replayed {
                0 => 0.0,
                whole => saving_ns as f64 / whole as f64,
            },
        }
    }
}

/// A finding: a cost with its cause and a remedy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule's id, such as `blocking-value`.
    pub rule: String,
    /// The rule's title.
    pub title: String,
    /// The line that causes it, followed by related lines.
    pub lines: Vec<FindingLine>,
    /// The figures that show it.
    pub evidence: Vec<Figure>,
    /// The advised change, in terms of the program.
    pub change: String,
    /// An assumption of the predicted saving; `None` if it follows from the trace alone.
    pub assumes: Option<String>,
    /// Whether the savings are upper limits.
    #[serde(default, skip_serializing_if = "is_false")]
    pub at_most: bool,
    /// The saving of this change alone.
    pub alone: Saving,
    /// The saving of this change and all before it.
    pub with_previous: Saving,
}

fn is_false(value: &bool) -> bool {
    !value
}

/// A line of the program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingLine {
    /// The file's path.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// Its text, if the profile has it.
    pub text: Option<String>,
}

/// A figure of the evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The description of the value.
    pub what: String,
    /// The number.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
}

/// The unit of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unit {
    /// A count.
    Count,
    /// Nanoseconds.
    Ns,
    /// Bytes.
    Bytes,
    /// A fraction of one.
    Share,
}
