//! The answer.

use serde::{Deserialize, Serialize};

/// What to change, in the order in which it should be. Times are nanoseconds, shares parts of one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Advice {
    /// The version of this format: 1.
    pub format: u32,
    /// The part of the run that was looked at; `None` for all of it. Savings and lengths are of that part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<String>,
    /// Whether the inputs have no tasks: nothing was replayed, and savings are estimates from the times of GPU work and calls.
    #[serde(default, skip_serializing_if = "is_false")]
    pub estimated: bool,
    /// How well the replay stands for the run.
    pub replay: ReplayFigures,
    /// What to change: each next finding is the one that saves most on top of those before it.
    pub findings: Vec<Finding>,
    /// All findings together.
    pub joint: Saving,
    /// Candidates whose saving lies below what can be told.
    pub below_error: u64,
    /// What should be known beside, in sentences.
    pub notes: Vec<String>,
}

/// How well the unchanged replay stands for the run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplayFigures {
    /// The recorded length.
    pub measured_ns: i64,
    /// The length of the unchanged replay.
    pub replayed_ns: i64,
    /// Their difference, which each saving carries.
    pub error_ns: i64,
    /// The same as a part of the recorded length.
    pub error: f64,
    /// The part of the recorded length whose causes are known.
    pub explained: f64,
    /// The least saving that is shown.
    pub least_ns: i64,
}

/// What one change, or several together, would save.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Saving {
    /// The length of the replay with it.
    pub length_ns: i64,
    /// What it is shorter by than the unchanged replay.
    pub saving_ns: i64,
    /// The same as a part of the unchanged replay's length.
    pub saving: f64,
}

impl Saving {
    pub(super) fn of(replayed: i64, length: i64) -> Saving {
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

/// Something that costs time, and what to do about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule's id, such as `blocking-value`.
    pub rule: String,
    /// The rule's title.
    pub title: String,
    /// The line that is to blame, then others that belong to it.
    pub lines: Vec<FindingLine>,
    /// What shows it.
    pub evidence: Vec<Figure>,
    /// What to change, in the program's words.
    pub change: String,
    /// What the figure of the saving assumes; `None` if it follows from the trace alone.
    pub assumes: Option<String>,
    /// Whether the savings are only the most that there can be.
    #[serde(default, skip_serializing_if = "is_false")]
    pub at_most: bool,
    /// This change alone.
    pub alone: Saving,
    /// This change and all before it.
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
    /// Its text, where the profile has it.
    pub text: Option<String>,
}

/// A figure of the evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// What it is of.
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
    /// A number of things.
    Count,
    /// Nanoseconds.
    Ns,
    /// Bytes.
    Bytes,
    /// A part of one.
    Share,
}
