//! What is known to be missing.

use super::SourceIndex;

/// The name of the loss of operations whose operands are left out, since a part of what they find in values is missing.
pub const IMAGES_MISSING: &str = "images_missing";

/// How bad a loss is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// For information; nothing is missing.
    Note,
    /// Something was not recorded or not kept.
    Loss,
    /// An input is damaged and was read up to the damage.
    Damage,
}

impl Severity {
    /// The word for it in outputs.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Loss => "loss",
            Severity::Damage => "damage",
        }
    }

    /// The severity with this word.
    pub fn from_name(name: &str) -> Option<Self> {
        let all = [Severity::Note, Severity::Loss, Severity::Damage];
        all.into_iter().find(|severity| severity.name() == name)
    }
}

/// A counter of something missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LossRow {
    /// The input it was counted in; `None` for the join.
    pub source: Option<SourceIndex>,
    /// What, in one word.
    pub name: String,
    /// How bad it is.
    pub severity: Severity,
    /// How many.
    pub value: u64,
    /// What the number means, in a sentence.
    pub meaning: String,
}
