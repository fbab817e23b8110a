//! What is known to be missing.

use super::frame::record;

record! {
    /// Something that the instrumentation lost, apart from the records that the file itself counts as dropped.
    40 => Loss<'a> {
        /// How many.
        value: u64,
    }
    tail
    /// What, in one word, such as `strings_cut`.
    name: &'a str
}
