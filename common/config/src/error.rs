//! Configuration errors.

/// A configuration that cannot be used. Its text is one sentence: what is wrong, why, and what is
/// allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}; {remedy}", self.subject())]
pub struct ConfigError {
    /// The kind of mistake.
    pub kind: ErrorKind,
    /// The flag with its dashes, or the whole text if no flag can be named.
    pub flag: String,
    /// The given value, if any.
    pub value: Option<String>,
    /// The reason.
    pub why: String,
    /// The allowed values, or what to do instead.
    pub remedy: String,
}

/// Kinds of mistakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The text of `WEFT_CONFIG` is not valid shell quoting.
    Quoting,
    /// A flag with this name does not exist.
    UnknownFlag,
    /// The flag belongs to `weft run`.
    LaunchFlag,
    /// The word is neither a flag nor the value of a flag.
    StrayWord,
    /// The flag needs a value.
    MissingValue,
    /// The value does not have the flag's type, or is out of range.
    BadValue,
    /// The value contradicts this machine or other flags.
    Unfit,
    /// A launcher's variable is malformed, lacks another one, or contradicts another one.
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
