//! Configuration errors.

/// A configuration that cannot be used. Its text is one sentence: what, why, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}; {remedy}", self.subject())]
pub struct ConfigError {
    /// What kind of mistake it is.
    pub kind: ErrorKind,
    /// The flag with its dashes, or the whole text where no flag could be told.
    pub flag: String,
    /// The value given, where there was one.
    pub value: Option<String>,
    /// The reason.
    pub why: String,
    /// What is allowed, or what to do.
    pub remedy: String,
}

/// Kinds of mistakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The text of `WEFT_CONFIG` is not shell-quoted words.
    Quoting,
    /// No flag has this name.
    UnknownFlag,
    /// The flag belongs to `weft run`.
    LaunchFlag,
    /// A word that is neither a flag nor a flag's value.
    StrayWord,
    /// The flag needs a value.
    MissingValue,
    /// The value is not of the flag's type, or out of its range.
    BadValue,
    /// The value does not fit this machine or the other flags.
    Unfit,
    /// A launcher's variable is unreadable, alone, or contradicts another.
    Launch,
}

impl ConfigError {
    fn subject(&self) -> String {
        match &self.value {
            Some(value) => format!("{} {}", self.flag, shell_words::quote(value)),
            None => self.flag.clone(),
        }
    }
}
