//! Outcomes and errors of commands.

use std::error::Error;
use std::process::ExitCode;

use weft_nvtx_export::ExportError;

/// The outcome of a command without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Success.
    Done,
    /// Done as far as possible, but an input is incomplete or damaged, or a rank wrote none. A
    /// message was printed.
    Partly,
    /// A comparison found that a cost has grown beyond the limit. A message was printed.
    Grown,
    /// The program ended with this status.
    Program(u8),
}

impl Outcome {
    /// Returns the outcome of two steps: the first one that is not `Done`.
    pub(crate) fn and(self, next: Outcome) -> Outcome {
        if self == Outcome::Done { next } else { self }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(match outcome {
            Outcome::Done => 0,
            Outcome::Partly => 3,
            Outcome::Grown => 4,
            Outcome::Program(status) => status,
        })
    }
}

/// A failed command. Its text is one sentence: what, where, and what to do.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    /// A flag is wrong.
    #[error(transparent)]
    Flag(#[from] weft_config::ConfigError),
    /// A flag in the environment is wrong.
    #[error("in WEFT_CONFIG, {0}")]
    Environment(weft_config::ConfigError),
    /// A flag in Legate's variable is wrong.
    #[error("in LEGATE_CONFIG, {0}")]
    Legate(weft_config::ConfigError),
    /// Reading, joining or writing failed.
    #[error("{}", .0.sentence())]
    Export(#[from] ExportError),
    /// The trace cannot be shown.
    #[error(transparent)]
    View(Box<weft_view::ViewError>),
    /// Wrong usage.
    #[error("{what}; {remedy}")]
    Usage {
        /// The error.
        what: String,
        /// The remedy.
        remedy: String,
    },
    /// The work failed.
    #[error("{what}; {remedy}")]
    Failed {
        /// The error and its place.
        what: String,
        /// The remedy.
        remedy: String,
    },
}

impl From<weft_view::ViewError> for CliError {
    fn from(error: weft_view::ViewError) -> Self {
        CliError::View(Box::new(error))
    }
}

impl CliError {
    /// Creates an error of wrong usage.
    pub(crate) fn usage(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        CliError::Usage {
            what: what.into(),
            remedy: remedy.into(),
        }
    }

    /// Creates an error of failed work.
    pub(crate) fn failed(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        CliError::Failed {
            what: what.into(),
            remedy: remedy.into(),
        }
    }

    /// Returns the exit status.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            CliError::Flag(_)
            | CliError::Environment(_)
            | CliError::Legate(_)
            | CliError::Usage { .. } => 2,
            CliError::Export(error) if error.is_usage() => 2,
            CliError::Export(_) | CliError::View(_) | CliError::Failed { .. } => 1,
        }
    }
}

/// Formats an error with its causes as one sentence. Causes already contained in the text are left
/// out.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let inner_text = inner.to_string();
        if !text.contains(&inner_text) {
            text.push_str(": ");
            text.push_str(&inner_text);
        }
        cause = inner.source();
    }
    text
}
