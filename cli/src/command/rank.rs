//! What a rank's program finds of its number.

/// The variable that holds a rank's number, for wrappers and for nsys.
pub(super) const RANK: &str = "WEFT_RANK";
/// The same of its number on its node.
pub(super) const LOCAL_RANK: &str = "WEFT_LOCAL_RANK";
/// What stands for a rank's number in the words of wrappers.
pub(super) const PLACEHOLDER: &str = "%%WEFT_RANK%%";
