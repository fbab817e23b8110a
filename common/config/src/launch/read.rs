//! Numbers in environment variables.

use super::process::MAX_RANKS;
use crate::error::{ConfigError, ErrorKind};

/// An environment.
pub(super) struct Variables<'a> {
    get: &'a dyn Fn(&str) -> Option<String>,
}

/// A number and the variable that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) name: &'static str,
    pub(super) value: u16,
}

impl<'a> Variables<'a> {
    pub(super) fn new(get: &'a dyn Fn(&str) -> Option<String>) -> Self {
        Variables { get }
    }

    /// Returns the text of a variable; `None` if it is not set, or empty.
    pub(super) fn text(&self, name: &str) -> Option<String> {
        (self.get)(name).filter(|text| !text.is_empty())
    }

    /// Returns the number in the first of these variables that is set.
    pub(super) fn first(&self, names: &[&'static str]) -> Result<Option<Number>, ConfigError> {
        for name in names {
            if let Some(number) = self.number(name)? {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    fn number(&self, name: &'static str) -> Result<Option<Number>, ConfigError> {
        let Some(text) = self.text(name) else {
            return Ok(None);
        };
        let number = text.parse::<u16>().ok();
        match number.filter(|value| *value <= MAX_RANKS) {
            Some(value) => Ok(Some(Number { name, value })),
            None => {
                let whole = text.bytes().all(|byte| byte.is_ascii_digit());
                let why = if whole {
                    format!("a run has at most {MAX_RANKS} ranks")
                } else {
                    "it is not a whole number".to_owned()
                };
                Err(error(name, Some(text), why))
            }
        }
    }
}

/// Returns the error for a variable that cannot be used.
pub(super) fn error(name: &str, value: Option<String>, why: String) -> ConfigError {
    ConfigError {
        kind: ErrorKind::Launch,
        flag: name.to_owned(),
        value,
        why,
        remedy: "start the ranks with mpirun, srun or `weft run --launcher`, or unset the variable if this process is not a rank of a launch"
            .to_owned(),
    }
}

/// Returns the error for two contradictory variables.
pub(super) fn contradiction(one: Number, other: Number, why: &str) -> ConfigError {
    error(
        one.name,
        Some(one.value.to_string()),
        format!("{}={} {why}", other.name, other.value),
    )
}
