//! Floating-point parameters of operations.

use std::hash::{Hash, Hasher};

/// A number among an operation's parameters. It is compared by its bits, so that descriptions of
/// operations can be hashed.
#[derive(Clone, Copy, Debug)]
pub struct Parameter(pub f64);

impl PartialEq for Parameter {
    fn eq(&self, other: &Parameter) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Parameter {}

impl Hash for Parameter {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}
