//! Losses: records that are known to be missing.

use super::SourceIndex;

/// The loss of operands: operations whose operands are left out because a part of an image is
/// missing.
pub const IMAGES_MISSING: &str = "images_missing";

/// The severity of a loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Information only; nothing is missing.
    Note,
    /// Records were not written or not kept.
    Loss,
    /// An input is damaged, and was read up to the damage.
    Damage,
}

impl Severity {
    /// Returns its name in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Loss => "loss",
            Severity::Damage => "damage",
        }
    }

    /// Returns the severity with this word.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Severity::Note, Severity::Loss, Severity::Damage];
        all.into_iter().find(|severity| severity.name() == name)
    }
}

/// A counter of missing records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LossRow {
    /// The input with the loss; `None` for a loss in the join.
    pub source: Option<SourceIndex>,
    /// The name of the loss, one word.
    pub name: String,
    /// Its severity.
    pub severity: Severity,
    /// The count.
    pub value: u64,
    /// The meaning of the count, a sentence.
    pub meaning: String,
}
