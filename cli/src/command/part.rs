//! `--between`: the part of a run that a command covers.

use clap::Args;
use weft_analysis::between::{Between, NoPart};
use weft_model::{Trace, Window};

use crate::error::CliError;

/// The part of a run, for all commands with `--between`.
#[derive(Clone, Debug, Args)]
pub(crate) struct PartArgs {
    /// Look only at what began in this part of the run: times since its start, parts of its length,
    /// scopes that the program named with `annotate`, or iterations of its longest loop, such as
    /// 10ms..50ms, 20%.., scope:solve, iteration:3..10; steady: all iterations but warm-up
    #[arg(long, value_name = "FROM..TO", value_parser = between)]
    between: Option<Between>,
}

/// Parses a part of a run.
pub(super) fn between(text: &str) -> Result<Between, String> {
    text.parse()
}

impl PartArgs {
    /// Returns the requested part, if any.
    pub(crate) fn requested_part(&self) -> Option<&Between> {
        self.between.as_ref()
    }

    /// Returns when the part begins and ends in a trace; `None` for the whole trace.
    pub(crate) fn window(&self, trace: &Trace) -> Result<Option<Window>, CliError> {
        let window = self.between.as_ref().map(|part| {
            let window = part.window(trace);
            window.map_err(|error| wrong(part, &error))
        });
        window.transpose()
    }

    /// Removes everything outside of the part from a trace.
    pub(crate) fn keep(&self, trace: &mut Trace) -> Result<(), CliError> {
        match &self.between {
            None => Ok(()),
            Some(part) => match part.keep(trace) {
                Ok(_) => Ok(()),
                Err(error) => Err(wrong(part, &error)),
            },
        }
    }
}

/// Returns the error of a part that does not exist.
pub(super) fn wrong(part: &Between, error: &NoPart) -> CliError {
    CliError::usage(
        format!("--between {part}: {error}"),
        match error {
            NoPart::NoLoop | NoPart::NoIteration { .. } => {
                "`weft stats INPUT` prints below its table the number of iterations of the longest loop"
            }
            NoPart::Backwards { .. } => "give the earlier end first",
            NoPart::AfterTheEnd { .. } => "give times from its beginning",
            _ => {
                "`weft stats INPUT --by scope` shows scopes, `weft export` and `weft query` show times"
            }
        },
    )
}
