//! Operations that run on the host in runs with GPUs.

use crate::error::{ConfigError, ErrorKind};

/// The environment variable with the choice.
const VARIABLE: &str = "WEFT_HOST";

/// The answer to an operation without code for GPUs, in a run with GPUs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HostUse {
    /// The operation runs on the host.
    #[default]
    Quiet,
    /// The operation runs on the host, after a line on standard error for each place in the
    /// program.
    Warn,
    /// The call is an error.
    Error,
}

impl HostUse {
    /// Reads the choice in `WEFT_HOST`. The default is a warning.
    pub(super) fn from_env() -> Result<HostUse, ConfigError> {
        let Some(value) = std::env::var_os(VARIABLE) else {
            return Ok(HostUse::Warn);
        };
        match value.to_str() {
            Some("warn" | "") => Ok(HostUse::Warn),
            Some("error") => Ok(HostUse::Error),
            Some("quiet") => Ok(HostUse::Quiet),
            _ => Err(ConfigError {
                kind: ErrorKind::BadValue,
                flag: VARIABLE.into(),
                value: Some(value.to_string_lossy().into_owned()),
                why: "it is not one of the choices".into(),
                remedy: "use warn, error or quiet".into(),
            }),
        }
    }
}
