//! Consistency checks of the numbers of a launch.

use super::read::{Number, contradiction, error};
use crate::error::ConfigError;

/// Checks that the numbers of a launch are consistent.
pub(super) fn check(
    rank: Number,
    size: Number,
    local_rank: Number,
    local_size: Number,
) -> Result<(), ConfigError> {
    for number in [size, local_size] {
        if number.value == 0 {
            let why = "a launch has at least 1 rank".to_owned();
            return Err(error(number.name, Some("0".to_owned()), why));
        }
    }
    for (number, of) in [(rank, size), (local_rank, local_size)] {
        if number.value >= of.value {
            return Err(contradiction(number, of, "allows only smaller ranks"));
        }
    }
    if local_size.value > size.value {
        return Err(contradiction(local_size, size, "is smaller"));
    }
    Ok(())
}

/// Returns the error for a variable that is set while `lacks` is not.
pub(super) fn lone(has: Number, lacks: &str) -> ConfigError {
    error(
        has.name,
        Some(has.value.to_string()),
        format!("{lacks} must be set too, but is not"),
    )
}
