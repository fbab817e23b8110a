//! The variables and placeholders with a rank's number, for its program.

/// The environment variable with the rank, for wrappers and nsys.
pub(super) const RANK: &str = "WEFT_RANK";
/// The environment variable with the rank on its node.
pub(super) const LOCAL_RANK: &str = "WEFT_LOCAL_RANK";
/// The placeholder for the rank in wrapper commands.
pub(super) const PLACEHOLDER: &str = "%%WEFT_RANK%%";
